/* Several workers.  A stretch of states of the present level is divided among them, block by block; a round is
 *     expand the own part, put every record into the mailbox of the worker whose table knows it;
 *     look up what the others sent;
 *     put what is new into the store, in the order in which one worker alone would have found it;
 *     one worker judges: the round is kept or undone, and the search goes on with another.
 * (exchange.h).  A round in which anything out of the ordinary happens is undone, and the first worker goes on alone for a
 * while: an error, a limit, a value that has no number yet, a bit that is not stored yet, more records than mailboxes are meant for.  So whatever
 * depends on order is done by one worker, and results depend neither on time nor on the number of workers.
 *
 * Rounds cost time where levels are narrow, or where the machine has other work.  How long a state takes is measured in both
 * ways, and the quicker one is taken; the other is tried again now and then.  Answers do not depend on it. */
#define _GNU_SOURCE
#include "barrier.h"
#include "exchange.h"
#include "memory.h"

#include <pthread.h>

#define MOST_BLOCKS 256u     /* for each worker in a round */
#define LONGEST_ALONE 8u     /* after many rounds in a row were undone one worker goes on alone for 2^8 times their length */

#ifndef QB_WEIGHS
#define QB_WEIGHS 1
#endif
#define NARROW (QB_WEIGHS ? 4u : 1u) /* blocks for each worker: less is not worth a round */
#define SHORTEST_REST (1u << 15) /* states */
#define LONGEST_REST (1u << 22)
#define WEIGHED 4096u             /* states, to learn how quick one worker is */
#define WEIGH_AFTER (1u << 20)

enum { ROUND, PAUSE, ALONE, END };
enum { WAIT, GO, GO_HOME };

/* The threads of one slice: they start together, or not at all. */
typedef struct {
    qb_engine *engine;
    qb_barrier barrier;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    int gate;
    int step;           /* what comes next */
    bool begun;         /* something was done in this slice */
    bool kept;          /* of the last round */
    uint64_t level_end;
    uint64_t first, end, blocks; /* of the round: its states, and how many blocks each worker expands */
    uint64_t errors;             /* before it */
    atomic_bool is_spoilt;       /* it will be undone: no use to go on with it */
} team;

typedef struct {
    team *team;
    uint32_t index;
} member;

/* The present round will be undone; from any thread. */
static void spoil(team *t) { atomic_store_explicit(&t->is_spoilt, true, memory_order_relaxed); }
static bool is_spoilt(const team *t) { return atomic_load_explicit(&t->is_spoilt, memory_order_relaxed); }

/* Planning. */

static uint64_t start_of_block(uint64_t number) { return number & ~(uint64_t)(QB_BLOCK - 1); }

/* Whether a round finds room for all it might send. */
static bool has_room(const qb_engine *e) {
    const qb_store *store = &e->store;
    uint64_t each = qb_most_sent(store->words), most = e->worker_count * each;
    uint64_t bytes = qb_store_bytes(store) + most * (8ull * store->words + sizeof(uint32_t));
    for (uint32_t k = 0; k < store->table_count; k++) bytes += qb_table_growth(&store->tables[k], each);
    return store->n + most <= store->capacity && bytes <= qb_most_bytes(e);
}

/* The next states are divided among the workers. */
static void prepare_round(qb_engine *e, team *t) {
    uint64_t first = start_of_block(t->first), left = (t->level_end - first + QB_BLOCK - 1) / QB_BLOCK;
    t->blocks = e->round_blocks;
    if (t->blocks * e->worker_count > left) t->blocks = (left + e->worker_count - 1) / e->worker_count;
    t->end = first + t->blocks * e->worker_count * QB_BLOCK;
    if (t->end > t->level_end) t->end = t->level_end;
    t->errors = qb_total_errors(e);
    atomic_store_explicit(&t->is_spoilt, false, memory_order_relaxed);
    t->step = ROUND;
}

static bool is_wide(const qb_engine *e, uint64_t first, uint64_t level_end) {
    return level_end - first >= (uint64_t)NARROW * QB_BLOCK * e->worker_count;
}

static bool is_worth_a_round(const qb_engine *e, const team *t) {
    return t->first >= e->alone_until && is_wide(e, t->first, t->level_end) && has_room(e);
}

/* Between rounds: all counts are where they belong. */
static void plan(void *context) {
    team *t = context;
    qb_engine *e = t->engine;
    qb_worker *w = &e->workers[0];
    if (e->orbits_failed) e->status = QB_MEMORY;
    if (e->status == QB_RUNNING && w->cursor == w->level_end) qb_begin_level(e);
    t->first = w->cursor;
    t->level_end = w->level_end;
    if (e->status != QB_RUNNING || (t->begun && qb_seconds() > e->deadline))
        t->step = END;
    else if (w->skip == 0 && !w->moving && is_worth_a_round(e, t))
        prepare_round(e, t);
    else
        t->step = ALONE;
    t->begun = true;
}

/* The first worker goes on alone, to a place where it may be worth while to divide the work again. */
static void go_on_alone(qb_engine *e) {
    const qb_worker *w = &e->workers[0];
    do {
        uint64_t until = start_of_block(w->cursor) + QB_BLOCK;
        if (until < e->alone_until) until = e->alone_until;
        if (until > w->level_end || !is_wide(e, w->cursor, w->level_end)) until = w->level_end;
        if (!qb_search_alone(e, until) || (w->cursor == w->level_end && !qb_begin_level(e))) return;
    } while ((w->cursor < e->alone_until || !is_wide(e, w->cursor, w->level_end)) && qb_seconds() < e->deadline);
}

/* Which way is quicker. */

static void note_pace(double *pace, uint64_t states, double seconds) {
    const double now = seconds / (double)states;
    *pace = *pace == 0 ? now : 0.5 * *pace + 0.5 * now;
}

/* One worker has done some states alone. */
static void note_alone(qb_engine *e, uint64_t states, double seconds) {
    e->alone_states += states;
    e->alone_seconds += seconds;
    if (e->alone_states < WEIGHED / 4) return;
    note_pace(&e->alone_pace, e->alone_states, e->alone_seconds);
    e->alone_states = 0;
    e->alone_seconds = 0;
}

/* All have done some states together: go on so, or rest. */
static void weigh(qb_engine *e, uint64_t cursor, uint64_t states, double seconds) {
    if (!QB_WEIGHS || states == 0) return;
    note_pace(&e->team_pace, states, seconds);
    if (e->alone_pace > 0 && e->team_pace > e->alone_pace) {
        e->rest = e->rest == 0 ? SHORTEST_REST : e->rest < LONGEST_REST ? 2 * e->rest : LONGEST_REST;
        if (e->alone_until < cursor + e->rest) e->alone_until = cursor + e->rest;
        e->weigh_at = e->alone_until + WEIGH_AFTER;
        e->team_pace = 0; /* it is measured anew */
        return;
    }
    if (cursor < e->weigh_at) return;
    e->rest /= 2;
    e->weigh_at = cursor + WEIGH_AFTER;
    if (e->alone_until < cursor + WEIGHED) e->alone_until = cursor + WEIGHED;
}

/* Judging. */

/* Whether orbits are counted one state after the other: images of values may need numbers. */
static bool counts_in_turn(const qb_engine *e) {
    return e->options.counting != NULL && e->options.counting->values != NULL;
}

static bool is_sound(const qb_engine *e, const team *t) {
    for (uint32_t k = 0; k < e->worker_count; k++)
        if (e->workers[k].status != QB_RUNNING) return false;
    if (is_spoilt(t)) return false;
    if (t->errors == 0 && qb_total_errors(e) > 0) return false;
    return e->options.most_states == 0 || e->store.n + qb_found_in_all(e) <= e->options.most_states;
}

static uint64_t most_sent(const qb_engine *e) {
    uint64_t most = 1;
    for (uint32_t k = 0; k < e->worker_count; k++)
        if (e->workers[k].exchange->sent > most) most = e->workers[k].exchange->sent;
    return most;
}

/* The parents of the states that are new, in the order of their numbers. */
static void note_parents(qb_engine *e) {
    for (uint32_t k = 0; k < e->worker_count; k++) {
        const qb_exchange *x = e->workers[k].exchange;
        for (uint64_t i = 0; i < x->count; i++) qb_note_parent(&e->store.parents, x->first + i, x->parents[i]);
    }
}

static void keep_round(qb_engine *e, team *t) {
    uint64_t sent = most_sent(e), wanted = qb_wanted_sent(e->store.words), before = e->store.n;
    note_parents(e);
    e->store.n += qb_found_in_all(e);
    e->store.sure_until = 0; /* the tables have grown */
    e->setbacks = 0;
    if (sent > wanted && e->round_blocks > 1) e->round_blocks /= 2;
    if (sent < wanted / 2 && t->blocks == e->round_blocks && e->round_blocks < MOST_BLOCKS) e->round_blocks *= 2;
    if (counts_in_turn(e))
        for (uint64_t k = before; k < e->store.n; k++) qb_count_orbit(&e->workers[0], k);
    qb_watch_found(e);
    qb_store_forget(&e->store, t->end);
    t->first = t->end;
}

static void undo_round(qb_engine *e, team *t) {
    uint64_t length = e->round_blocks * e->worker_count * QB_BLOCK;
    e->alone_until = t->first + (length << (e->setbacks < LONGEST_ALONE ? e->setbacks : LONGEST_ALONE));
    if (e->alone_until < t->end) e->alone_until = t->end;
    e->setbacks++;
    if (most_sent(e) > qb_wanted_sent(e->store.words)) e->round_blocks = 1;
}

/* After a round, while the others wait. */
static void judge(void *context) {
    team *t = context;
    qb_engine *e = t->engine;
    t->kept = is_sound(e, t);
    if (t->kept) keep_round(e, t);
    else undo_round(e, t);
    if (t->kept && !e->orbits_failed && is_worth_a_round(e, t) && qb_seconds() < e->deadline)
        prepare_round(e, t);
    else
        t->step = PAUSE;
}

/* Rounds. */

static void begin_part(qb_worker *w, const team *t) {
    uint64_t first = start_of_block(t->first) + w->index * t->blocks * QB_BLOCK, end = first + t->blocks * QB_BLOCK;
    if (first < t->first) first = t->first;
    if (first > t->end) first = t->end;
    qb_begin_round(w, first, end < t->end ? end : t->end);
}

static void expand_part(qb_worker *w, team *t) {
    qb_exchange *x = w->exchange;
    while (w->cursor < w->level_end && !is_spoilt(t)) {
        qb_fill(w);
        if (!w->partial && w->status == QB_RUNNING) qb_send_batch(w);
        bool usual = !w->partial && w->status == QB_RUNNING && (t->errors > 0 || w->errors == 0);
        if (!usual || x->is_void || x->scratch.missed) spoil(t);
    }
}

static void end_part(qb_worker *w, bool kept) {
    const qb_exchange *x = w->exchange;
    qb_end_round(w, kept);
    if (!kept) qb_forget_recent(w);
    if (!kept || w->orbits == NULL || counts_in_turn(w->engine)) return;
    for (uint64_t k = x->first; k < x->first + x->count; k++) qb_count_orbit(w, k);
}

static void one_round(qb_worker *w, team *t) {
    begin_part(w, t);
    qb_values_only_read(&w->exchange->scratch);
    expand_part(w, t);
    qb_barrier_wait(&t->barrier, NULL, NULL);
    if (!is_spoilt(t)) qb_take_in(w);
    if (w->exchange->is_void) spoil(t);
    qb_barrier_wait(&t->barrier, NULL, NULL);
    if (!is_spoilt(t)) qb_place_found(w);
    if (w->exchange->scratch.missed) spoil(t);
    qb_values_only_read(NULL);
    qb_barrier_wait(&t->barrier, judge, t);
    end_part(w, t->kept);
}

static void rounds(qb_worker *w, team *t) {
    double began = qb_cpu_seconds();
    for (;;) {
        qb_barrier_wait(&t->barrier, plan, t);
        if (t->step == END) break;
        const uint64_t first = w->index == 0 ? t->first : 0;
        const double now = w->index == 0 ? qb_seconds() : 0;
        if (t->step == ALONE) {
            if (w->index > 0) continue;
            go_on_alone(t->engine);
            note_alone(t->engine, w->cursor - first, qb_seconds() - now);
            continue;
        }
        while (t->step == ROUND) one_round(w, t);
        if (w->index > 0) continue;
        w->cursor = t->first;
        w->level_end = t->level_end;
        weigh(t->engine, w->cursor, w->cursor - first, qb_seconds() - now);
    }
    w->cpu_seconds += qb_cpu_seconds() - began;
}

/* Threads. */

static void *work(void *argument) {
    member *m = argument;
    team *t = m->team;
    pthread_mutex_lock(&t->mutex);
    while (t->gate == WAIT) pthread_cond_wait(&t->changed, &t->mutex);
    bool go = t->gate == GO;
    pthread_mutex_unlock(&t->mutex);
    if (go) rounds(&t->engine->workers[m->index], t);
    return NULL;
}

static void open_gate(team *t, int gate) {
    pthread_mutex_lock(&t->mutex);
    t->gate = gate;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

/* Where the system gives no threads, one worker does it all. */
static void work_alone(qb_engine *e) {
    double began = qb_cpu_seconds();
    qb_search_alone(e, UINT64_MAX);
    e->workers[0].cpu_seconds += qb_cpu_seconds() - began;
}

void qb_search_parallel(qb_engine *e) {
    pthread_t threads[QB_MOST_WORKERS];
    member members[QB_MOST_WORKERS];
    team t = {.engine = e, .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .gate = WAIT};
    uint32_t started = 1;
    if (!qb_barrier_open(&t.barrier, e->worker_count)) {
        work_alone(e);
        return;
    }
    for (; started < e->worker_count; started++) {
        members[started] = (member){&t, started};
        if (pthread_create(&threads[started], NULL, work, &members[started]) != 0) break;
    }
    bool all = started == e->worker_count;
    open_gate(&t, all ? GO : GO_HOME);
    if (all) rounds(&e->workers[0], &t);
    for (uint32_t k = 1; k < started; k++) pthread_join(threads[k], NULL);
    qb_barrier_close(&t.barrier);
    if (!all) work_alone(e);
}
