/* Checkpoints: the states of complete levels go out as rows in the order of their numbers, and come back in that order,
 * with the same numbers however many workers there are. */
#include "search.h"

QB_API uint32_t qb_workers(const qb_engine *e) { return e->worker_count; }

/* The rows of the states of one level and their parents: how many. */
QB_API uint64_t qb_level_rows(const qb_engine *e, uint64_t level, const uint64_t **rows, const uint32_t **parents) {
    if (level >= e->level_count) return 0;
    uint64_t from = level == 0 ? 0 : e->level_ends[level - 1];
    *rows = e->store.arena + from * e->store.words;
    *parents = e->store.parents.plain + from;
    return e->level_ends[level] - from;
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

/* Take back states of a level, in their order; false: no memory, or no sound rows. */
QB_API bool qb_restore_rows(qb_engine *e, const uint64_t *rows, const uint32_t *parents, uint64_t count) {
    uint32_t words = e->store.words;
    qb_orbits *orbits = e->workers[0].orbits;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t *s = rows + k * words;
        const uint64_t parent = parents[k] == UINT32_MAX ? QB_NO_PARENT : parents[k];
        if (parent != QB_NO_PARENT && parent >= e->store.n) return false;
        if (!qb_store_grow(&e->store, 1, qb_most_bytes(e))) return false;
        if (!qb_store_add(&e->store, s, qb_hash(s, words), parent)) return false;
        if (orbits != NULL && !qb_orbits_add(orbits, s)) return false;
    }
    return true;
}

/* All states of a level are back: `last` says that the search goes on from it. */
QB_API bool qb_restore_level(qb_engine *e, bool last) {
    if (last) e->workers[0].cursor = e->workers[0].level_end;
    return qb_push_level(e);
}

/* What was known then; ends the restoring. */
QB_API void qb_restore_snapshot(qb_engine *e, const qb_report *report, const uint64_t *fired) {
    qb_worker *w = &e->workers[0];
    w->transitions = report->transitions;
    w->errors = report->errors;
    w->failure_kind = report->failure_kind;
    w->failure_state = report->failure_state;
    memset(w->fired, 0, qb_numbered(&e->options.program) * sizeof *fired);
    memcpy(w->fired, fired, e->options.program.commands * sizeof *fired);
    qb_take_snapshot(e);
}
