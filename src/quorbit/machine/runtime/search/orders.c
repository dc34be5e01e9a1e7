/* Search in another order than breadth-first: depth-first takes the newest open state, a mixed search takes the newest with
 * probability alpha, else the oldest [T07, Alg. 1].  All states and moves are found in any order; ways to states may be longer.
 *
 * Every state is opened once, so the list never needs more room than there are states: numbers are added at its tail and
 * taken at either end. */
#include "search.h"

#include "memory.h"

bool qb_list_open(qb_open_list *open, uint64_t capacity) {
    open->capacity = capacity;
    open->numbers = qb_reserve(capacity * sizeof *open->numbers);
    open->depths = qb_reserve(capacity * sizeof *open->depths);
    return open->numbers != NULL && open->depths != NULL;
}

void qb_list_close(qb_open_list *open) {
    qb_release(open->numbers, open->capacity * sizeof *open->numbers);
    qb_release(open->depths, open->capacity * sizeof *open->depths);
}

/* Open the states that were found since the last time. */
static void push_found(qb_open_list *open, const qb_store *store) {
    for (; open->pushed < store->n; open->pushed++) {
        uint64_t parent = qb_parent_of(&store->parents, open->pushed);
        uint32_t depth = parent == QB_NO_PARENT ? 0 : open->depths[parent] + 1;
        open->depths[open->pushed] = depth;
        open->numbers[open->tail++] = (uint32_t)open->pushed;
        if (depth > open->deepest) open->deepest = depth;
    }
}

/* The draws of a seed, by their number (SplitMix64). */
static double draw(uint64_t seed, uint64_t number) {
    uint64_t x = seed + number * 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return (double)((x ^ x >> 31) >> 11) * 0x1p-53;
}

static bool takes_newest(const qb_engine *e, qb_open_list *open) {
    return e->options.order == QB_NEWEST_FIRST || draw(e->options.seed, ++open->draws) < e->options.alpha;
}

/* The next state to expand; false: there is none, and the engine's status says how the search ended. */
static bool take(qb_engine *e, qb_worker *w) {
    qb_open_list *open = &e->open;
    push_found(open, &e->store);
    while (open->head < open->tail) {
        uint32_t number = takes_newest(e, open) ? open->numbers[--open->tail] : open->numbers[open->head++];
        w->cursor = number;
        w->level_end = number + 1ull;
        if (open->depths[number] < e->options.most_depth) return true;
        open->cut = true;
        w->cursor = w->level_end;
    }
    e->status = open->cut ? QB_DEPTH : QB_DONE;
    return false;
}

void qb_search_in_order(qb_engine *e) {
    qb_worker *w = &e->workers[0];
    for (uint32_t rounds = 1;; rounds++) {
        if (w->errors > 0 && !e->options.all_errors) {
            e->status = QB_FAILED;
            return;
        }
        if (w->cursor == w->level_end && !take(e, w)) return;
        if (!qb_store_grow(&e->store, QB_CAPACITY, qb_most_bytes(e))) {
            e->status = QB_MEMORY;
            return;
        }
        qb_fill(w);
        qb_look_up_batch(w);
        if (e->marks != NULL && w->cursor == w->level_end && w->status == QB_RUNNING) qb_retry_state(e, w->cursor - 1);
        push_found(&e->open, &e->store);
        e->status = e->orbits_failed ? QB_MEMORY : w->status;
        if (w->errors > 0 && !e->options.all_errors) e->status = QB_FAILED;
        if (e->options.most_states > 0 && e->store.n > e->options.most_states && e->status == QB_RUNNING)
            e->status = QB_STATES;
        if (e->status != QB_RUNNING) return;
        if ((rounds & 63) == 0 && qb_seconds() > e->deadline) return;
    }
}
