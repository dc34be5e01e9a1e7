/* A place where threads wait for each other (barrier.h). */
#include "barrier.h"

#define LOOKS 4000u /* before a thread goes to sleep: some tens of microseconds */

bool qb_barrier_open(qb_barrier *b, uint32_t count) {
    b->count = count;
    atomic_init(&b->arrived, 0);
    atomic_init(&b->turn, 0);
    if (pthread_mutex_init(&b->mutex, NULL) != 0) return false;
    if (pthread_cond_init(&b->changed, NULL) == 0) return true;
    pthread_mutex_destroy(&b->mutex);
    return false;
}

void qb_barrier_close(qb_barrier *b) {
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->mutex);
}

static void pause_a_moment(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

void qb_barrier_wait(qb_barrier *b, void (*alone)(void *), void *context) {
    unsigned turn = atomic_load_explicit(&b->turn, memory_order_acquire);
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) + 1 == b->count) {
        if (alone != NULL) alone(context);
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        pthread_mutex_lock(&b->mutex);
        atomic_store_explicit(&b->turn, turn + 1, memory_order_release);
        pthread_cond_broadcast(&b->changed);
        pthread_mutex_unlock(&b->mutex);
        return;
    }
    for (uint32_t k = 0; k < LOOKS; k++) {
        if (atomic_load_explicit(&b->turn, memory_order_acquire) != turn) return;
        pause_a_moment();
    }
    pthread_mutex_lock(&b->mutex);
    while (atomic_load_explicit(&b->turn, memory_order_acquire) == turn) pthread_cond_wait(&b->changed, &b->mutex);
    pthread_mutex_unlock(&b->mutex);
}
