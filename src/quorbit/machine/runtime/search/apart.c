/* Slices in threads of their own (apart.h). */
#define _GNU_SOURCE
#include "apart.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct qb_apart {
    qb_engine *engine;
    qb_spill *spill;
    double seconds;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool threaded, ended; /* threaded: there is a thread to be joined */
    int status;
};

QB_API qb_apart *qb_apart_open(qb_engine *e, qb_spill *spill) {
    qb_apart *a = calloc(1, sizeof *a);
    if (a == NULL) return NULL;
    a->engine = e;
    a->spill = spill;
    a->ended = true;
    if (pthread_mutex_init(&a->mutex, NULL) == 0) {
        if (pthread_cond_init(&a->changed, NULL) == 0) return a;
        pthread_mutex_destroy(&a->mutex);
    }
    free(a);
    return NULL;
}

static void *work(void *argument) {
    qb_apart *a = argument;
    int status = a->spill == NULL ? qb_step(a->engine, a->seconds) : qb_spill_step(a->spill, a->seconds);
    pthread_mutex_lock(&a->mutex);
    a->status = status;
    a->ended = true;
    pthread_cond_broadcast(&a->changed);
    pthread_mutex_unlock(&a->mutex);
    return NULL;
}

QB_API void qb_apart_begin(qb_apart *a, double seconds) {
    a->seconds = seconds;
    a->ended = false;
    a->threaded = pthread_create(&a->thread, NULL, work, a) == 0;
    if (!a->threaded) work(a);
}

static struct timespec moment(double seconds) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    double end = (double)t.tv_nsec * 1e-9 + seconds;
    t.tv_sec += (time_t)end;
    t.tv_nsec = (long)((end - (double)(time_t)end) * 1e9);
    return t;
}

QB_API int qb_apart_await(qb_apart *a, double seconds) {
    struct timespec until = moment(seconds);
    pthread_mutex_lock(&a->mutex);
    while (!a->ended && pthread_cond_timedwait(&a->changed, &a->mutex, &until) == 0) {}
    bool ended = a->ended;
    pthread_mutex_unlock(&a->mutex);
    if (!ended) return QB_BUSY;
    if (a->threaded) pthread_join(a->thread, NULL);
    a->threaded = false;
    return a->status;
}

QB_API void qb_apart_close(qb_apart *a) {
    if (a == NULL) return;
    if (a->threaded) {
        qb_stop(a->engine);
        pthread_join(a->thread, NULL);
    }
    pthread_cond_destroy(&a->changed);
    pthread_mutex_destroy(&a->mutex);
    free(a);
}
