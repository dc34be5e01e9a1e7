/* Several workers.  Each owns the states whose hash falls to it; a round is
 *     expand some states of the own queue, put every record into the mailbox of its owner;
 *     take in what the others sent, in the order of their indices;
 *     one worker decides how to go on.
 * What is sent in a round depends on the states alone, so every run of a model finds the same states in the same order,
 * however the threads are timed: time only decides after which round a slice ends. */
#define _GNU_SOURCE
#include "memory.h"
#include "search.h"

#include <pthread.h>
#include <stdlib.h>

#define ROUND 4096u /* states a worker expands in a round */
#define AHEAD 16u   /* how far prefetching is ahead of looking up */

enum { WAIT, GO, GO_HOME };

/* The threads of one slice: they start together, or not at all. */
typedef struct {
    pthread_barrier_t barrier;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int gate;
    bool ends; /* the slice is over */
} team;

typedef struct {
    qb_engine *engine;
    team *team;
    uint32_t index;
} member;

void qb_mailbox_close(qb_mailbox *box) {
    free(box->records);
    *box = (qb_mailbox){0, 0, NULL};
}

static bool make_room(qb_mailbox *box, uint64_t records, uint32_t stride) {
    if (box->n + records <= box->capacity) return true;
    uint64_t capacity = 2 * (box->n + records);
    uint64_t *more = realloc(box->records, capacity * stride * sizeof *more);
    if (more == NULL) return false;
    box->records = more;
    box->capacity = capacity;
    return true;
}

/* Put the batch into the mailboxes of its owners. */
static void send_batch(qb_worker *w) {
    const qb_engine *e = w->engine;
    uint32_t words = w->store.words, stride = words + 2;
    for (uint32_t k = 0; k < e->worker_count; k++)
        if (!make_room(&w->outbox[k], w->n, stride)) {
            w->status = QB_MEMORY;
            return;
        }
    for (uint64_t k = 0; k < w->n; k++) {
        const uint64_t *s = w->records + k * e->stride;
        uint64_t hash = qb_hash_for(&w->store, s);
        if (qb_is_recent(w, s, hash, words)) continue;
        qb_mailbox *box = &w->outbox[qb_owner(hash, e->worker_count)];
        uint64_t *record = box->records + box->n++ * stride;
        qb_copy(record, s, words);
        record[words] = hash;
        record[words + 1] = w->sources[k];
    }
}

static void expand_round(qb_worker *w) {
    const qb_engine *e = w->engine;
    uint64_t end = w->cursor + ROUND;
    for (uint32_t k = 0; k < e->worker_count; k++) w->outbox[k].n = 0;
    while (w->cursor < w->level_end && w->cursor < end && w->status == QB_RUNNING) {
        qb_fill(w);
        send_batch(w);
    }
    qb_store_forget(&w->store, w->cursor);
}

/* Look up what one worker sent. */
static inline __attribute__((always_inline)) void take_in(qb_worker *w, const qb_mailbox *box, const uint32_t words,
                                                          const bool compact) {
    const uint32_t stride = words + 2;
    qb_store *store = &w->store;
    uint64_t slots[AHEAD] = {0};
    for (uint64_t k = 0; k < box->n + 2 * AHEAD; k++) {
        uint64_t oldest = slots[k % AHEAD]; /* found AHEAD records ago */
        if (k < box->n) __builtin_prefetch(&store->table[qb_home(box->records[k * stride + words], store->size)]);
        if (k >= AHEAD && k - AHEAD < box->n) {
            uint64_t hash = box->records[(k - AHEAD) * stride + words];
            slots[(k - AHEAD) % AHEAD] = qb_probe(store, hash, qb_home(hash, store->size));
            if (!compact) qb_prefetch_state(store, slots[(k - AHEAD) % AHEAD], words);
        }
        if (k < 2 * AHEAD) continue;
        const uint64_t *record = box->records + (k - 2 * AHEAD) * stride;
        uint32_t parent = (uint32_t)record[words + 1];
        if (compact ? qb_insert_hash(store, record, record[words], parent, words, oldest)
                    : qb_insert(store, record, record[words], parent, words, oldest))
            qb_meet(w, store->n - 1);
    }
}

static void take_in_all(qb_worker *w) {
    const qb_engine *e = w->engine;
    for (uint32_t k = 0; k < e->worker_count && w->status == QB_RUNNING; k++) {
        const qb_mailbox *box = &e->workers[k].outbox[w->index];
        if (!qb_store_grow(&w->store, box->n, e->options.most_bytes / e->worker_count) ||
            (w->store.n + box->n) >> e->id_bits) {
            w->status = QB_MEMORY;
            return;
        }
        switch (w->store.compact ? 0 : w->store.words) {
        case 0: take_in(w, box, w->store.words, true); break;
        case 1: take_in(w, box, 1, false); break;
        case 2: take_in(w, box, 2, false); break;
        case 3: take_in(w, box, 3, false); break;
        default: take_in(w, box, w->store.words, false);
        }
    }
}

/* How the search goes on after a round; only one worker runs this while the others wait. */
static bool decide(qb_engine *e) {
    bool level_done = true;
    for (uint32_t k = 0; k < e->worker_count; k++) {
        const qb_worker *w = &e->workers[k];
        if (e->status == QB_RUNNING && w->status != QB_RUNNING) e->status = w->status;
        level_done = level_done && w->cursor == w->level_end;
    }
    if (qb_total_errors(e) > 0 && !e->options.all_errors) e->status = QB_FAILED;
    if (e->status == QB_RUNNING && e->options.most_states > 0 && qb_total_states(e) > e->options.most_states)
        e->status = QB_STATES;
    if (e->status == QB_RUNNING && level_done) qb_begin_level(e);
    return e->status != QB_RUNNING || qb_seconds() > e->deadline;
}

static void rounds(qb_engine *e, qb_worker *w, team *t) {
    double began = qb_cpu_seconds();
    do {
        expand_round(w);
        pthread_barrier_wait(&t->barrier);
        take_in_all(w);
        pthread_barrier_wait(&t->barrier);
        if (w->index == 0) t->ends = decide(e);
        pthread_barrier_wait(&t->barrier);
    } while (!t->ends);
    w->cpu_seconds += qb_cpu_seconds() - began;
}

/* The same rounds by one thread, where the system gives no more threads. */
static void take_turns(qb_engine *e) {
    double began = qb_cpu_seconds();
    do {
        for (uint32_t k = 0; k < e->worker_count; k++) expand_round(&e->workers[k]);
        for (uint32_t k = 0; k < e->worker_count; k++) take_in_all(&e->workers[k]);
    } while (!decide(e));
    e->workers[0].cpu_seconds += qb_cpu_seconds() - began;
}

static void *work(void *argument) {
    member *m = argument;
    pthread_mutex_lock(&m->team->mutex);
    while (m->team->gate == WAIT) pthread_cond_wait(&m->team->changed, &m->team->mutex);
    bool go = m->team->gate == GO;
    pthread_mutex_unlock(&m->team->mutex);
    if (go) rounds(m->engine, &m->engine->workers[m->index], m->team);
    return NULL;
}

static void open_gate(team *t, int gate) {
    pthread_mutex_lock(&t->mutex);
    t->gate = gate;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

void qb_search_parallel(qb_engine *e) {
    pthread_t threads[QB_MOST_WORKERS];
    member members[QB_MOST_WORKERS];
    team t = {.mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .gate = WAIT, .ends = false};
    uint32_t started = 1;
    if (pthread_barrier_init(&t.barrier, NULL, e->worker_count) != 0) {
        take_turns(e);
        return;
    }
    for (; started < e->worker_count; started++) {
        members[started] = (member){e, &t, started};
        if (pthread_create(&threads[started], NULL, work, &members[started]) != 0) break;
    }
    bool all = started == e->worker_count;
    open_gate(&t, all ? GO : GO_HOME);
    if (all) rounds(e, &e->workers[0], &t);
    for (uint32_t k = 1; k < started; k++) pthread_join(threads[k], NULL);
    pthread_barrier_destroy(&t.barrier);
    if (!all) take_turns(e);
}
