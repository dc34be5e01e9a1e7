/* Checkpoints: the states of complete levels go out as rows in the order of their numbers, and come back in that order;
 * with another number of workers they get other numbers, and their parents with them. */
#include "search.h"

#include <stdlib.h>

QB_API uint32_t qb_workers(const qb_engine *e) { return e->worker_count; }

/* The rows of a worker's states of one level and their parents. */
QB_API uint64_t qb_level_rows(const qb_engine *e, uint32_t worker, uint64_t level, const uint64_t **rows,
                              const uint32_t **parents) {
    if (worker >= e->worker_count || level >= e->level_count) return 0;
    const qb_worker *w = &e->workers[worker];
    uint64_t from = level == 0 ? 0 : w->level_ends[level - 1];
    *rows = w->store.arena + from * w->store.words;
    *parents = w->store.parents + from;
    return w->level_ends[level] - from;
}

QB_API void qb_ask_snapshot(const qb_engine *e, qb_report *report, uint64_t *fired) {
    *report = (qb_report){0};
    report->levels = e->level_count;
    report->transitions = e->snapshot.transitions;
    report->errors = e->snapshot.errors;
    report->failure_kind = e->snapshot.failure_kind;
    report->failure_state = e->snapshot.failure_state;
    memcpy(fired, e->snapshot.fired, e->options.program.commands * sizeof *fired);
}

/* The new number of a state that was numbered by another division among workers. */
static uint32_t renumber(const qb_engine *e, uint32_t old, uint32_t old_bits) {
    uint64_t worker = (uint64_t)old >> old_bits, number = old & ((1ull << old_bits) - 1);
    if (old == QB_NO_PARENT || worker >= QB_MOST_WORKERS || number >= e->renumbered_count[worker]) return QB_NO_PARENT;
    return e->renumbered[worker][number];
}

static bool remember_number(qb_engine *e, uint32_t worker, uint32_t id) {
    uint64_t at = e->renumbered_count[worker];
    if (at >= e->renumbered_room[worker]) {
        uint64_t room = at == 0 ? 1024 : 2 * at;
        uint32_t *more = realloc(e->renumbered[worker], room * sizeof *more);
        if (more == NULL) return false;
        e->renumbered[worker] = more;
        e->renumbered_room[worker] = room;
    }
    e->renumbered[worker][at] = id;
    e->renumbered_count[worker]++;
    return true;
}

/* Take back the states of one level of one former worker, in their order; false: no memory, or no sound rows. */
QB_API bool qb_restore_rows(qb_engine *e, uint32_t old_worker, uint32_t old_workers, const uint64_t *rows,
                            const uint32_t *parents, uint64_t count) {
    uint32_t words = e->options.program.words, old_bits = 32 - qb_bits_for(old_workers);
    if (old_worker >= QB_MOST_WORKERS) return false;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t *s = rows + k * words;
        uint64_t hash = qb_hash(s, words);
        qb_worker *w = &e->workers[qb_owner(hash, e->worker_count)];
        if (!qb_store_grow(&w->store, 1, e->options.most_bytes / e->worker_count)) return false;
        if (!qb_store_add(&w->store, s, hash, renumber(e, parents[k], old_bits))) return false;
        if (w->orbits != NULL && !qb_orbits_add(w->orbits, s)) return false;
        uint32_t id = (uint32_t)((uint64_t)w->index << e->id_bits | (w->store.n - 1));
        if (!remember_number(e, old_worker, id)) return false;
    }
    return true;
}

/* All states of a level are back: `last` says that the search goes on from it. */
QB_API bool qb_restore_level(qb_engine *e, bool last) {
    for (uint32_t k = 0; last && k < e->worker_count; k++) e->workers[k].cursor = e->workers[k].level_end;
    return qb_push_level(e);
}

/* What was known then; ends the restoring. */
QB_API void qb_restore_snapshot(qb_engine *e, const qb_report *report, const uint64_t *fired, uint32_t old_workers) {
    qb_worker *w = &e->workers[0];
    w->transitions = report->transitions;
    w->errors = report->errors;
    w->failure_kind = report->failure_kind;
    w->failure_state =
        report->errors > 0 ? renumber(e, (uint32_t)report->failure_state, 32 - qb_bits_for(old_workers)) : 0;
    memcpy(w->fired, fired, e->options.program.commands * sizeof *fired);
    qb_take_snapshot(e);
    for (uint32_t k = 0; k < QB_MOST_WORKERS; k++) {
        free(e->renumbered[k]);
        e->renumbered[k] = NULL;
        e->renumbered_count[k] = e->renumbered_room[k] = 0;
    }
}
