/* Where no parents are kept: the state from which a state was found first is the first one of the level before that has a way
 * to it.  So the trace is the one that parents would tell. */
#include "search.h"

#include "memory.h"

/* Nothing of the search that has ended is under way, and nothing of it is counted again. */
static void begin(qb_engine *e) {
    qb_worker *w = &e->workers[0];
    w->n = w->skip = 0;
    w->moving = w->partial = w->left = false;
    w->calls.source = UINT64_MAX;
    w->status = QB_RUNNING;
    w->firing = e->fired;
    e->stop = false;
}

/* The level that a state belongs to. */
QB_API uint64_t qb_level_of(const qb_engine *e, uint64_t number) {
    uint64_t low = 0, high = e->level_count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (e->level_ends[middle] > number) high = middle;
        else low = middle + 1;
    }
    return low;
}

static bool find_source(const qb_worker *w, const uint64_t *target, uint64_t *at) {
    const uint32_t words = w->engine->options.program.words, stride = w->engine->stride;
    for (uint64_t k = 0; k < w->n; k++)
        if (qb_equal(w->records + k * stride, target, words)) {
            *at = w->sources[k];
            return true;
        }
    return false;
}

/* Look for the parent of a state, words `target`, among the states of a level from number *at on, for about so many seconds.
 * QB_DONE: it is *at; QB_RUNNING: go on from there; QB_FAILED: no state of the level leads to it; else what has gone wrong. */
QB_API int qb_find_parent(qb_engine *e, uint64_t level, const uint64_t *target, uint64_t *at, double seconds) {
    qb_worker *w = &e->workers[0], before = *w;
    const uint64_t from = qb_level_start(e, level), end = qb_level_start(e, level + 1);
    bool found = false;
    e->deadline = qb_seconds() + seconds;
    begin(e);
    w->chooser = NULL; /* a way that was left out is a way, too */
    w->wanted = QB_ALL_OF_THEM;
    w->cursor = *at < from ? from : *at;
    w->level_end = end;
    while (w->cursor < end && !found && w->status == QB_RUNNING) {
        qb_fill(w);
        if (w->partial) { /* one state that takes long: its deadline moves on */
            e->deadline = qb_seconds() + seconds;
            continue;
        }
        found = find_source(w, target, at);
        if (!found && !w->moving && w->skip == 0 && qb_seconds() > e->deadline) break;
    }
    if (!found) *at = w->cursor;
    const int status = found ? QB_DONE : w->status != QB_RUNNING ? w->status : w->cursor < end ? QB_RUNNING : QB_FAILED;
    w->chooser = before.chooser;
    w->wanted = before.wanted;
    w->firing = before.firing;
    w->transitions = before.transitions;
    w->errors = before.errors;
    return status;
}
