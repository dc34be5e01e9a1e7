/* States that are expanded in part (stubborn.h): their marks, looking up what they lead to, and the rest of those that lead
 * to no open state. */
#include "search.h"

#include "memory.h"

/* Keep those of the next records of the batch that are wanted of the state at the cursor; how many. */
uint64_t qb_narrow(qb_worker *w, uint64_t got) {
    const uint32_t stride = w->engine->stride;
    bool some = qb_choose(w->chooser, w->store->arena + w->cursor * w->store->words, w->metas + w->n, got);
    bool rest = w->wanted == QB_THE_REST;
    qb_mark(w, some && !rest ? QB_PARTLY : QB_FULLY);
    if (!some) return got;
    uint64_t kept = w->n;
    for (uint64_t k = w->n; k < w->n + got; k++) {
        if (qb_is_chosen(w->chooser, w->metas[k]) == rest) continue;
        if (kept != k) qb_copy(w->records + kept * stride, w->records + k * stride, stride);
        w->metas[kept++] = w->metas[k];
    }
    return kept - w->n;
}

/* The number of a state, which is stored and looked at if it is new. */
static uint64_t number_of(qb_worker *w, const uint64_t *s, uint64_t hash, uint64_t source) {
    qb_store *store = w->store;
    qb_table *table = qb_table_for(store, hash);
    const uint64_t n = store->n, home = qb_home_in(hash, table->size, table->bits);
    uint64_t number = qb_find_or_add(store, table, s, hash, source, store->words, home, table->bits, store->odd);
    if (number == n) qb_meet(w, number);
    return number;
}

void qb_look_up_open(qb_worker *w) {
    const qb_engine *e = w->engine;
    const uint32_t words = w->store->words;
    const qb_recents recents = qb_recents_of(w);
    uint64_t n = 0;
    for (uint64_t k = 0; k < w->n; k++) {
        const uint64_t *s = w->records + k * e->stride, hash = qb_hash(s, words);
        w->hashes[n] = hash; /* without a jump (search.c) */
        w->kept[n] = (uint32_t)k;
        n += !(qb_is_recent(&recents, s, hash, words) && e->marks[w->sources[k]] == QB_FULLY);
    }
    for (uint64_t k = 0; k < n; k++) qb_prefetch_slots(qb_table_for(w->store, w->hashes[k]), w->hashes[k], QB_NARROW_BITS);
    for (uint64_t k = 0; k < n; k++) {
        uint32_t i = w->kept[k];
        uint64_t number = number_of(w, w->records + (uint64_t)i * e->stride, w->hashes[k], w->sources[i]);
        qb_lead_to(e, w->sources[i], number);
    }
}

/* Expand the rest of one state, which was expanded in part. */
static void expand_rest(qb_engine *e, uint64_t number) {
    qb_worker *w = &e->workers[0];
    w->wanted = QB_THE_REST;
    w->cursor = number;
    w->level_end = number + 1;
    while (w->cursor == number && e->status == QB_RUNNING) {
        if (!qb_store_grow(&e->store, QB_CAPACITY, qb_most_bytes(e))) {
            e->status = QB_MEMORY;
            break;
        }
        qb_fill(w);
        if (!w->partial) qb_look_up_open(w);
        e->status = w->status;
        if (w->partial) e->deadline = qb_seconds() + 1;
    }
    w->wanted = QB_CHOSEN;
}

/* Whether the leads of a state end elsewhere; on the way they become shorter.  Of states from a checkpoint nothing is known. */
static bool leads_elsewhere(const qb_engine *e, uint64_t number) {
    uint64_t at = e->leads[number];
    if (at == QB_NO_LEAD) return false;
    while (e->marks[at] == QB_PARTLY_LED) {
        uint64_t next = e->leads[at];
        if (e->marks[next] == QB_PARTLY_LED) e->leads[at] = e->leads[next];
        at = next;
    }
    return at != number && (e->marks[at] != QB_UNEXPANDED_STATE || qb_is_open(e, at));
}

bool qb_retry_state(qb_engine *e, uint64_t number) {
    if (e->marks[number] != QB_PARTLY) return true;
    if (leads_elsewhere(e, number)) e->marks[number] = QB_PARTLY_LED;
    else expand_rest(e, number);
    return e->status == QB_RUNNING;
}

bool qb_retry_level(qb_engine *e) {
    qb_worker *w = &e->workers[0];
    const uint64_t end = w->level_end;
    for (; e->retry_at < end && e->status == QB_RUNNING; e->retry_at++) {
        qb_retry_state(e, e->retry_at);
        if (e->options.most_states > 0 && e->store.n > e->options.most_states && e->status == QB_RUNNING)
            e->status = QB_STATES;
        if (w->errors > 0 && !e->options.all_errors) break;
    }
    w->cursor = w->level_end = end;
    qb_watch_found(e);
    return e->status == QB_RUNNING;
}

/* How many states were expanded in part. */
QB_API uint64_t qb_partly(const qb_engine *e) {
    uint64_t n = 0;
    for (uint64_t k = 0; e->marks != NULL && k < e->store.n; k++) n += QB_PARTLY <= e->marks[k] && e->marks[k] < QB_FULLY;
    return n;
}
