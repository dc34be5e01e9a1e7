/* Search in slices (search.h): workers, their batches, and the breadth-first search of a single one. */
#include "search.h"

#include "bitstate.h"
#include "exchange.h"
#include "memo.h"
#include "memory.h"
#include "probe.h"

#include <stdlib.h>
#include <string.h>

/* Opening and closing. */

static void close_worker(qb_worker *w) {
    qb_moves_close(&w->moves);
    qb_ways_close(&w->ways);
    qb_calls_close(&w->calls);
    qb_reducer_close(w->reducer);
    qb_chooser_close(w->chooser);
    free(w->registers);
    free(w->records);
    free(w->hashes);
    free(w->slots);
    free(w->kept);
    free(w->recent);
    free(w->stored);
    free(w->flat);
    free(w->metas);
    free(w->sources);
    free(w->fired);
    free(w->failure);
    qb_orbits_close(w->orbits);
    qb_exchange_close(w->exchange);
}

QB_API void qb_close(qb_engine *e) {
    if (e == NULL) return;
    for (uint32_t k = 0; e->workers != NULL && k < e->worker_count; k++) close_worker(&e->workers[k]);
    free(e->workers);
    if (e->marks != NULL) qb_release(e->marks, e->store.capacity);
    if (e->leads != NULL) qb_release(e->leads, e->store.capacity * sizeof *e->leads);
    qb_store_close(&e->store);
    qb_list_close(&e->open);
    qb_shard_close(e->shard);
    free(e->levels);
    free(e->level_ends);
    free(e->fired);
    free(e->snapshot.fired);
    free(e);
}

/* Empty entries hold zeroes; the entry where the state of zeroes belongs holds a state that does not belong there. */
void qb_forget_recent(qb_worker *w) {
    const uint32_t words = w->recent_flat ? w->engine->options.program.words : w->store->words;
    const uint64_t mask = w->recent_mask;
    const qb_store hashing = {.words = words, .compact = w->engine->options.compact};
    memset(w->recent, 0, (mask + 1) * words * sizeof *w->recent);
    uint64_t *s = w->flat != NULL ? w->flat : w->records; /* not in use */
    memset(s, 0, words * sizeof *s);
    const uint64_t zero = qb_hash_for(&hashing, s) & mask;
    do s[0]++;
    while ((qb_hash_for(&hashing, s) & mask) == zero);
    qb_copy(w->recent + zero * words, s, words);
}

static bool open_worker(qb_engine *e, qb_worker *w, uint32_t index) {
    const qb_program *p = &e->options.program;
    w->engine = e;
    w->index = index;
    w->store = &e->store;
    w->self = &e->options.program;
    w->registers = calloc(p->registers, sizeof *w->registers);
    w->records = calloc((uint64_t)QB_CAPACITY * e->stride, sizeof *w->records);
    w->hashes = calloc(QB_CAPACITY, sizeof *w->hashes);
    w->slots = calloc(QB_CAPACITY, sizeof *w->slots);
    w->kept = calloc(QB_CAPACITY, sizeof *w->kept);
    w->recent_mask = (1u << QB_RECENT_BITS) - 1;
    while (w->recent_mask > 63 && (w->recent_mask + 1) * p->words * sizeof *w->recent > QB_RECENT_BYTES) w->recent_mask >>= 1;
    w->recent = malloc((w->recent_mask + 1) * p->words * sizeof *w->recent);
    w->metas = calloc(QB_CAPACITY, sizeof *w->metas);
    w->sources = calloc(QB_CAPACITY, sizeof *w->sources);
    w->fired = w->firing = calloc(qb_numbered(p) + 1, sizeof *w->fired);
    w->failure = calloc(p->words, sizeof *w->failure);
    if (e->store.squeeze != NULL) {
        w->stored = calloc((uint64_t)QB_CAPACITY * p->words, sizeof *w->stored);
        w->flat = calloc(p->words, sizeof *w->flat);
        if (w->stored == NULL || w->flat == NULL) return false;
    }
    if (w->records != NULL && w->recent != NULL) qb_forget_recent(w);
    if (e->options.plan != NULL) w->reducer = qb_reducer_open(e->options.plan);
    if (e->options.partial_order != NULL) w->chooser = qb_chooser_open(e->options.partial_order);
    w->wanted = w->chooser == NULL ? QB_ALL_OF_THEM : QB_CHOSEN;
    if (e->options.counting != NULL) w->orbits = qb_orbits_open(e->options.counting, e->options.limbs);
    if (w->reducer != NULL) qb_reducer_heed(w->reducer, &e->stop);
    if (w->orbits != NULL) qb_orbits_heed(w->orbits, &e->stop);
    return w->registers && w->records && w->hashes && w->slots && w->kept && w->recent && w->metas && w->sources && w->fired &&
           w->failure && (e->options.plan == NULL || w->reducer != NULL) &&
           (e->options.partial_order == NULL || w->chooser != NULL) &&
           (e->options.counting == NULL || w->orbits != NULL) &&
           qb_moves_open(&w->moves, p, e->stride) &&
           (!e->options.transient || qb_ways_open(&w->ways, p->words)) &&
           qb_calls_open(&w->calls, e->stride) &&
           (e->options.most_moves == 0 || qb_calls_limit(&w->calls, p->words, p->commands, e->options.most_moves)) &&
           (e->worker_count == 1 || (w->exchange = qb_exchange_open(e->store.words, qb_numbered(p), e->options.partial_order != NULL)) != NULL);
}

static bool open_workers(qb_engine *e) {
    e->snapshot.fired = calloc(e->options.program.commands + 1ull, sizeof *e->fired);
    e->fired = calloc(qb_numbered(&e->options.program) + 1, sizeof *e->fired);
    e->workers = calloc(e->worker_count, sizeof *e->workers);
    if (e->snapshot.fired == NULL || e->fired == NULL || e->workers == NULL) return false;
    for (uint32_t k = 0; k < e->worker_count; k++)
        if (!open_worker(e, &e->workers[k], k)) return false;
    return true;
}

static bool open_store(qb_engine *e) {
    const qb_options *o = &e->options;
    const bool in_order = o->order == QB_OLDEST_FIRST, in_part = o->partial_order != NULL;
    uint64_t extra = (in_order ? 0 : 2 * sizeof(uint32_t)) + (in_part ? sizeof *e->marks + sizeof *e->leads : 0);
    const qb_store_options store = {
        .words = o->program.words, .owners = e->worker_count, .most_bytes = o->most_bytes, .extra = extra,
        .compact = o->compact, .squeezed = o->squeezed, .wide = o->wide, .parents = (int)o->parents,
    };
    if (!qb_store_open(&e->store, &store)) return false;
    if (o->bit_bytes > 0 && !qb_store_open_bits(&e->store, o->bit_bytes)) return false;
    if (!in_order && !qb_list_open(&e->open, e->store.capacity)) return false;
    if (!in_part) return true;
    e->marks = qb_reserve(e->store.capacity);
    e->leads = qb_reserve(e->store.capacity * sizeof *e->leads);
    return e->marks != NULL && e->leads != NULL;
}

/* NULL if the program is unsound or memory is short.  The program's arrays stay the caller's and must live on. */
QB_API qb_engine *qb_open(const qb_options *options) {
    if (qb_verify(&options->program) >= 0 || options->program.commands > QB_COMMAND) return NULL;
    if (options->plan != NULL && options->plan->words != options->program.words) return NULL;
    if (options->counting != NULL && options->counting->words != options->program.words) return NULL;
    if (options->order != QB_OLDEST_FIRST && (options->threads > 1 || options->compact)) return NULL;
    if (options->squeezed && (options->compact || options->order != QB_OLDEST_FIRST || options->partial_order != NULL))
        return NULL;
    if (options->partial_order != NULL && (options->compact || !qb_order_is_sound(options->partial_order, options->program.words)))
        return NULL;
    if (options->parents > QB_PARENTS_NONE || (options->wide && options->parents == QB_PARENTS_PLAIN)) return NULL;
    if (options->parents == QB_PARENTS_ORDERED && (options->order != QB_OLDEST_FIRST || options->partial_order != NULL)) return NULL;
    if (options->parents == QB_PARENTS_NONE && (options->order != QB_OLDEST_FIRST || options->compact)) return NULL;
    if (options->bit_bytes > 0 && (!options->compact || options->threads > 1)) return NULL;
    qb_engine *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->options = *options;
    e->options.program.call = qb_memo_call;
    if (e->options.most_bytes == 0) e->options.most_bytes = qb_physical_memory() / 10 * 9;
    e->stride = options->program.words + options->program.call_words;
    if (options->transient && options->program.call_words > 0) e->stride += 2; /* moves.h */
    e->worker_count = options->threads < 1 ? 1 : options->threads > QB_MOST_WORKERS ? QB_MOST_WORKERS : options->threads;
    e->round_blocks = 1;
    e->peeking = e->options.program;
    e->peeking.call = qb_memo_peek;
    e->next = qb_run_next;
    e->check = qb_run_check;
    e->stuck = qb_run_stuck;
    if (!open_store(e) || !open_workers(e)) {
        qb_close(e);
        return NULL;
    }
    return e;
}

uint64_t qb_most_bytes(const qb_engine *e) {
    const qb_program *p = &e->options.program;
    uint64_t others = (p->memo == NULL ? 0 : qb_memo_bytes(p->memo)) + (p->values == NULL ? 0 : qb_values_bytes(p->values));
    for (uint32_t k = 0; k < e->worker_count; k++) others += qb_exchange_bytes(e->workers[k].exchange);
    return others < e->options.most_bytes ? e->options.most_bytes - others : 0;
}

/* Go on to so many states (0: no limit), also where a smaller limit has ended the search. */
QB_API void qb_limit_states(qb_engine *e, uint64_t most) {
    e->options.most_states = most;
    if (e->status == QB_STATES) e->status = QB_RUNNING;
}

/* End the present slice soon, and the search with it; from any thread. */
QB_API void qb_stop(qb_engine *e) { e->stop = true; }

/* Swap in native code; between two slices. */
QB_API void qb_set_native(qb_engine *e, qb_next next, qb_count check, qb_count stuck) {
    e->next = next;
    e->check = check;
    e->stuck = stuck; /* they get the program as the machine does, for the functions it calls */
}

/* Before the start: the first state gets this number.  What counts states counts those numbers too; for tests of large ones. */
QB_API bool qb_count_from(qb_engine *e, uint64_t number) {
    qb_store *store = &e->store;
    if (store->n > 0 || store->squeeze != NULL || store->parents.kind == QB_PARENTS_PLAIN || number >= store->capacity) return false;
    store->n = store->parents.first = e->workers[0].cursor = e->workers[0].level_end = number;
    return true;
}

/* Errors. */

static void note(qb_worker *w, uint64_t kind, uint64_t number, uint64_t errors) {
    if (errors == 0) return;
    const uint64_t *s = qb_load(w, number);
    if (w->errors == 0 || (w->engine->shard != NULL && qb_fails_before(w->engine, kind, s))) {
        w->failure_kind = kind;
        w->failure_state = number;
        qb_copy(w->failure, s, w->engine->options.program.words);
    }
    w->errors += errors;
}

static uint64_t count_broken(int64_t answer) { return answer < 0 ? 1 : (uint64_t)answer; }

void qb_watch_found(qb_engine *e) {
    const uint32_t words = e->options.program.words;
    for (; e->watched < e->watch_count && e->watch[e->watched] < e->store.n; e->watched++)
        qb_copy(e->watch_into + e->watched * words, qb_load(&e->workers[0], e->watch[e->watched]), words);
}

void qb_check(qb_worker *w, uint64_t number) {
    const uint64_t *s = qb_load(w, number);
    note(w, QB_IN_STATE, number, count_broken(w->engine->check(w->self, s, w->registers)));
}

void qb_count_orbit(qb_worker *w, uint64_t number) {
    if (!qb_orbits_add(w->orbits, qb_load(w, number))) w->engine->orbits_failed = true;
}

void qb_meet(qb_worker *w, uint64_t number) {
    if (w->engine->options.check) qb_check(w, number);
    if (w->orbits != NULL) qb_count_orbit(w, number);
}

static void check_stuck(qb_worker *w, uint64_t number) {
    const qb_engine *e = w->engine;
    if (e->options.stuck)
        note(w, QB_STUCK, number,
             count_broken(e->stuck(w->self, qb_load(w, number), w->registers)));
}

static void keep_recent_flat(qb_worker *w, bool flat) {
    if (w->recent_flat == flat) return;
    w->recent_flat = flat;
    qb_forget_recent(w);
}

static inline __attribute__((always_inline)) void drop_recent(qb_worker *w, const uint32_t words, const uint32_t stride) {
    const qb_recents recents = qb_recents_of(w);
    uint64_t *const records = w->records, *const hashes = w->hashes, *const sources = w->sources;
    const uint64_t count = w->n;
    for (uint64_t k = 0; k < count; k++) {
        hashes[k] = qb_hash(records + k * stride, words);
        const uint64_t *seen = qb_recent(&recents, hashes[k], words);
        __builtin_prefetch(seen);
        if (words > 1) __builtin_prefetch(seen + words - 1);
    }
    uint64_t n = 0;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t *s = records + k * stride;
        const bool recent = qb_is_recent(&recents, s, hashes[k], words);
        qb_copy(records + n * stride, s, words);
        sources[n] = sources[k];
        n += !recent;
    }
    w->n = n;
}

/* Leave only those records that were not looked up lately: where it takes long to find their stored form, before that. */
static void sort_out(qb_worker *w) {
    const uint32_t words = w->engine->options.program.words, stride = w->engine->stride;
    w->sorted_out = qb_is_numbered(w->store);
    keep_recent_flat(w, w->sorted_out);
    if (!w->sorted_out) return;
    switch (words == stride ? words : 0) {
    case 4: drop_recent(w, 4, 4); break;
    case 5: drop_recent(w, 5, 5); break;
    case 6: drop_recent(w, 6, 6); break;
    case 7: drop_recent(w, 7, 7); break;
    case 8: drop_recent(w, 8, 8); break;
    default: drop_recent(w, words, stride);
    }
}

/* The records as the store holds them; false: no memory. */
static bool prepare_records(qb_worker *w) {
    qb_store *store = w->store;
    if (store->squeeze == NULL) return true;
    const int squeezed = qb_squeeze_states(store, w->records, w->engine->stride, w->n, w->stored, qb_most_bytes(w->engine));
    for (uint32_t k = 0; squeezed == 2 && !w->recent_flat && k < w->engine->worker_count; k++) qb_forget_recent(&w->engine->workers[k]);
    return squeezed != 0;
}

/* Initial states; false: no memory. */
QB_API bool qb_start(qb_engine *e, const uint64_t *states, uint64_t count) {
    uint32_t words = e->options.program.words;
    qb_worker *w = &e->workers[0];
    for (uint64_t k = 0; k < count; k++) {
        qb_copy(w->records, states + k * words, words);
        if (w->reducer != NULL) qb_reduce(w->reducer, w->records);
        w->n = 1;
        if (!qb_store_grow(&e->store, 1, qb_most_bytes(e)) || !prepare_records(w)) return false;
        const uint64_t *s = qb_is_squeezed(&e->store) ? w->stored : w->records;
        w->transitions++;
        if (qb_store_add(&e->store, s, qb_hash_for(&e->store, s), QB_NO_PARENT))
            qb_meet(w, e->store.n - 1);
    }
    qb_watch_found(e);
    return true;
}

/* Batches. */

/* Whether one of the records is a way out of the state: with QB_STUTTERING only if it leads to another state. */
static bool is_way_out(const qb_worker *w, const qb_sink *sink) {
    const uint64_t *s = qb_load(w, w->cursor);
    uint64_t got = sink->n - sink->skip < sink->capacity ? sink->n - sink->skip : sink->capacity;
    for (uint64_t k = 0; k < got; k++)
        if ((sink->metas[k] & (QB_VIOLATION | QB_DROPPED)) ||
            memcmp(sink->records + k * w->engine->stride, s, w->engine->options.program.words * sizeof *s) != 0)
            return true;
    return false;
}

static bool is_stuck(qb_worker *w, const qb_sink *sink, bool moved) {
    if (w->engine->options.stuck != QB_STUTTERING) return !moved;
    w->left = w->left || is_way_out(w, sink);
    return !w->left;
}

/* Take over new records of the batch: count them, sort out those that lead nowhere. */
static void accept(qb_worker *w, uint64_t got, bool count) {
    const uint32_t stride = w->engine->stride;
    const uint64_t numbered = qb_numbered(&w->engine->options.program);
    uint64_t kept = w->n;
    for (uint64_t k = w->n; k < w->n + got; k++) {
        uint32_t meta = w->metas[k];
        if (count && (meta & QB_COMMAND) < numbered) w->firing[meta & QB_COMMAND]++;
        if (meta & (QB_VIOLATION | QB_DROPPED)) {
            note(w, QB_BY_MOVE, w->cursor, meta & QB_VIOLATION ? 1 : 0);
            continue;
        }
        if (kept != k) qb_copy(w->records + kept * stride, w->records + k * stride, stride);
        w->sources[kept++] = w->cursor;
    }
    w->n = kept;
}

static int stop_for(int64_t answer) {
    switch (answer) {
    case QB_BOUND: return QB_TOO_FEW_ATOMS;
    case QB_OVERFLOW: return QB_TOO_LARGE;
    case QB_HALTED: return QB_STOPPED;
    default: return QB_MEMORY;
    }
}

static qb_sink rest_of_batch(qb_worker *w, uint64_t skip) {
    uint32_t stride = w->engine->stride;
    return (qb_sink){w->records + w->n * stride, w->metas + w->n, QB_CAPACITY - w->n, skip, 0, w->registers, &w->engine->stop};
}

/* Expand the state at the cursor into the batch.  false: the batch is full or the search must stop. */
static bool expand(qb_worker *w) {
    const qb_engine *e = w->engine;
    qb_sink sink = rest_of_batch(w, w->skip);
    if (w->chooser != NULL) qb_mark(w, QB_FULLY);
    int64_t r = e->next(w->self, qb_load(w, w->cursor), &sink);
    if (r == QB_FAULT) {
        note(w, QB_BY_MOVE, w->cursor, 1);
    } else if (r < 0) {
        w->status = stop_for(r);
        return false;
    } else if (sink.n - sink.skip > sink.capacity) {
        if (w->n > 0) return false; /* look up what there is, then try again with an empty batch */
        is_stuck(w, &sink, true);
        accept(w, sink.capacity, true);
        w->skip += sink.capacity;
        return false;
    } else {
        if (is_stuck(w, &sink, sink.n > 0) && w->wanted != QB_THE_REST) check_stuck(w, w->cursor);
        accept(w, w->chooser != NULL && w->skip == 0 ? qb_narrow(w, sink.n) : sink.n - sink.skip, true);
    }
    w->skip = 0;
    w->left = false;
    w->cursor++;
    return true;
}

/* The same through transient states, where there are few; false: nothing was done. */
static bool expand_ways(qb_worker *w) {
    qb_sink sink = rest_of_batch(w, 0);
    if (!qb_ways_run(&w->ways, w->engine->next, w->self, qb_load(w, w->cursor), &sink, w->firing)) return false;
    const bool stuck = is_stuck(w, &sink, sink.n > 0);
    accept(w, sink.n, true);
    w->left = false;
    if (stuck) check_stuck(w, w->cursor);
    w->cursor++;
    return true;
}

/* The same through transient states. */
static bool expand_moves(qb_worker *w) {
    const qb_engine *e = w->engine;
    w->moves.chooser = w->chooser;
    if (w->chooser == NULL && !w->moving && e->stride == e->options.program.words && expand_ways(w)) return true;
    if (w->chooser != NULL && !w->moving) qb_mark(w, QB_PARTLY);
    if (!w->moving && !qb_moves_begin(&w->moves, qb_load(w, w->cursor), w->wanted)) {
        w->status = QB_MEMORY;
        return false;
    }
    w->moving = true;
    qb_sink sink = rest_of_batch(w, 0);
    int64_t r = qb_moves_more(&w->moves, e->next, w->self, &sink, w->firing, e->deadline);
    if (r < 0) {
        w->status = stop_for(r);
        return false;
    }
    w->partial = r == 0 && sink.n < sink.capacity;
    bool stuck = is_stuck(w, &sink, w->moves.moved);
    accept(w, sink.n, false);
    if (r == 0) return false;
    w->moving = w->left = false;
    if (w->chooser != NULL && w->moves.wanted != QB_CHOSEN) qb_mark(w, QB_FULLY);
    if (stuck && w->wanted != QB_THE_REST) check_stuck(w, w->cursor);
    w->cursor++;
    return true;
}

/* Records that the user calls the same as an earlier one from the same state are dropped. */
static void drop_repeated_calls(qb_worker *w) {
    uint32_t stride = w->engine->stride;
    uint64_t kept = 0;
    for (uint64_t k = 0; k < w->n; k++) {
        int added = qb_calls_add(&w->calls, w->sources[k], w->records + k * stride);
        if (added < 0) w->status = QB_MEMORY;
        if (added <= 0) continue;
        qb_copy(w->records + kept * stride, w->records + k * stride, stride);
        w->sources[kept++] = w->sources[k];
    }
    w->n = kept;
}

void qb_fill(qb_worker *w) {
    const qb_engine *e = w->engine;
    if (!w->partial) w->n = 0;
    w->partial = false;
    uint64_t block_end = (w->cursor | (QB_BLOCK - 1)) + 1, end = block_end < w->level_end ? block_end : w->level_end;
    while (w->cursor < end && w->n < QB_BATCH)
        if (!(e->options.transient ? expand_moves(w) : expand(w))) break;
    if (w->partial) return;
    if (w->reducer != NULL)
        for (uint64_t k = 0; k < w->n && !e->stop; k++) qb_reduce(w->reducer, w->records + k * e->stride);
    if (e->stop) { /* some records may not be reduced: nothing of the batch is used */
        w->n = 0;
        w->status = QB_STOPPED;
        return;
    }
    if (e->options.program.call_words > 0) drop_repeated_calls(w);
    w->transitions += w->n;
}

/* Look the batch up.  Inlined for small numbers of words, which the compiler then knows. */
static inline __attribute__((always_inline)) void look_up(qb_worker *w, const uint32_t words, const uint32_t stride,
                                                          const bool compact, const bool divided, const bool wide, const bool odd) {
    const uint32_t bits = wide ? QB_WIDE_BITS : QB_NARROW_BITS;
    qb_store *store = w->store;
    const uint64_t *const records = qb_is_squeezed(store) ? w->stored : w->records;
    const qb_recents recents = qb_recents_of(w);
    uint64_t *const hashes = w->hashes, *const slots = w->slots;
    uint32_t *const kept = w->kept;
    const uint64_t count = w->n;
    uint64_t n = 0;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t *s = records + k * stride;
        hashes[k] = compact ? qb_fingerprint(s, words) : qb_hash(s, words);
        __builtin_prefetch(qb_recent(&recents, hashes[k], words));
    }
    for (; w->sorted_out && n < count; n++) kept[n] = (uint32_t)n;
    for (uint64_t k = n; k < count; k++) {
        const uint64_t hash = hashes[k];
        hashes[n] = hash;
        kept[n] = (uint32_t)k;
        n += !qb_is_recent(&recents, records + k * stride, hash, words);
    }
    const bool together = !compact && !wide;
    for (uint64_t k = 0; !together && k < n; k++) {
        const qb_table *table = divided ? qb_table_for(store, hashes[k]) : &store->tables[0];
        qb_prefetch_slots(table, hashes[k], bits);
    }
    if (together) qb_probe_batch(store->tables, divided ? store->table_count : 1, hashes, n, slots);
    for (uint64_t k = 0; k < n; k++) {
        const qb_table *table = divided ? qb_table_for(store, hashes[k]) : &store->tables[0];
        if (!together) slots[k] = qb_probe_in(table, hashes[k], qb_home_in(hashes[k], table->size, bits), bits);
        if (!compact) qb_read_state_in(store, table->slots[slots[k]], words, bits, odd);
    }
    const bool meets = w->engine->options.check || w->orbits != NULL;
    for (uint64_t k = 0; k < n; k++) {
        const uint32_t i = kept[k];
        const uint64_t *s = records + (uint64_t)i * stride;
        qb_table *table = divided ? qb_table_for(store, hashes[k]) : &store->tables[0];
        if ((compact ? qb_insert_hash(store, table, s, hashes[k], w->sources[i], words, slots[k])
                     : qb_insert_in(store, table, s, hashes[k], w->sources[i], words, slots[k], bits, odd)) &&
            meets)
            qb_meet(w, store->n - 1);
    }
}

/* The same in one table for each worker, or in records that are longer than states. */
static void look_up_divided(qb_worker *w, uint32_t words, uint32_t stride) {
    switch (words == stride ? words : 0) {
    case 1: look_up(w, 1, 1, false, true, false, false); break;
    case 2: look_up(w, 2, 2, false, true, false, false); break;
    case 3: look_up(w, 3, 3, false, true, false, false); break;
    case 4: look_up(w, 4, 4, false, true, false, false); break;
    case 5: look_up(w, 5, 5, false, true, false, false); break;
    case 6: look_up(w, 6, 6, false, true, false, false); break;
    case 7: look_up(w, 7, 7, false, true, false, false); break;
    default: look_up(w, words, stride, false, true, false, false);
    }
}

/* The same by an array of bits. */
static void look_up_bits(qb_worker *w) {
    qb_store *store = w->store;
    const uint32_t words = store->words, stride = w->engine->stride;
    const qb_recents recents = qb_recents_of(w);
    for (uint64_t k = 0; k < w->n; k++) {
        w->hashes[k] = qb_fingerprint(w->records + k * stride, words);
        __builtin_prefetch(qb_recent(&recents, w->hashes[k], words));
        qb_prefetch_bits(store, w->hashes[k]);
    }
    for (uint64_t k = 0; k < w->n; k++) {
        const uint64_t *s = w->records + k * stride;
        if (!qb_is_recent(&recents, s, w->hashes[k], words) && qb_store_add(store, s, w->hashes[k], w->sources[k]))
            qb_meet(w, store->n - 1);
    }
}

void qb_look_up_batch(qb_worker *w) {
    uint32_t words = w->store->words, stride = qb_is_squeezed(w->store) ? words : w->engine->stride;
    if (w->chooser != NULL) {
        qb_look_up_open(w);
        return;
    }
    if (w->store->bits != NULL) {
        look_up_bits(w);
        return;
    }
    if (stride != words || w->store->compact || w->store->table_count > 1) {
        if (w->store->compact && w->store->wide) look_up(w, words, stride, true, true, true, false);
        else if (w->store->compact) look_up(w, words, stride, true, true, false, false);
        else if (w->store->wide) look_up(w, words, stride, false, true, true, w->store->odd);
        else look_up_divided(w, words, stride);
        return;
    }
    switch (2 * words - w->store->odd) { /* halves */
    case 1: look_up(w, 1, 1, false, false, false, true); break;
    case 2: look_up(w, 1, 1, false, false, false, false); break;
    case 3: look_up(w, 2, 2, false, false, false, true); break;
    case 4: look_up(w, 2, 2, false, false, false, false); break;
    case 5: look_up(w, 3, 3, false, false, false, true); break;
    case 6: look_up(w, 3, 3, false, false, false, false); break;
    case 7: look_up(w, 4, 4, false, false, false, true); break;
    case 8: look_up(w, 4, 4, false, false, false, false); break;
    case 10: look_up(w, 5, 5, false, false, false, false); break;
    case 12: look_up(w, 6, 6, false, false, false, false); break;
    case 14: look_up(w, 7, 7, false, false, false, false); break;
    case 16: look_up(w, 8, 8, false, false, false, false); break;
    default: look_up(w, words, words, false, false, false, w->store->odd);
    }
}

/* Levels. */

uint64_t qb_total_errors(const qb_engine *e) {
    uint64_t n = 0;
    for (uint32_t k = 0; k < e->worker_count; k++) n += e->workers[k].errors;
    return n;
}

static bool push_number(uint64_t **numbers, uint64_t *room, uint64_t at, uint64_t number) {
    if (at >= *room) {
        uint64_t more_room = *room == 0 ? 1024 : 2 * *room;
        uint64_t *more = realloc(*numbers, more_room * sizeof *more);
        if (more == NULL) return false;
        *numbers = more;
        *room = more_room;
    }
    (*numbers)[at] = number;
    return true;
}

bool qb_push_level(qb_engine *e) {
    uint64_t *level_end = &e->workers[0].level_end, found = e->store.n - *level_end;
    e->retry_at = *level_end;
    *level_end = e->open_from = e->store.n;
    return push_number(&e->level_ends, &e->level_end_room, e->level_count, e->store.n) &&
           push_number(&e->levels, &e->level_room, e->level_count++, found);
}

QB_API uint64_t qb_level_start(const qb_engine *e, uint64_t level) {
    return level == 0 || e->level_count == 0 ? e->store.parents.first : e->level_ends[(level < e->level_count ? level : e->level_count) - 1];
}

void qb_take_snapshot(qb_engine *e) {
    qb_report report;
    qb_ask(e, &report);
    const uint64_t *fired = qb_fired(e);
    e->snapshot.transitions = report.transitions;
    e->snapshot.errors = report.errors;
    e->snapshot.failure_kind = report.failure_kind;
    e->snapshot.failure_state = report.failure_state;
    memcpy(e->snapshot.fired, fired, e->options.program.commands * sizeof *fired);
}

bool qb_begin_level(qb_engine *e) {
    if (e->marks != NULL && !qb_retry_level(e)) return false;
    if (qb_total_errors(e) > 0 && !e->options.all_errors)
        e->status = QB_FAILED;
    else if (e->store.n == e->workers[0].level_end)
        e->status = QB_DONE;
    else if (!qb_push_level(e))
        e->status = QB_MEMORY;
    else
        qb_take_snapshot(e);
    if (e->status == QB_RUNNING && e->level_count > e->options.most_depth)
        e->status = QB_DEPTH;
    return e->status == QB_RUNNING;
}

bool qb_search_alone(qb_engine *e, uint64_t until) {
    qb_worker *w = &e->workers[0];
    for (uint32_t rounds = 1; w->cursor < until; rounds++) {
        if (w->cursor == w->level_end && !qb_begin_level(e)) return false;
        if (!qb_store_grow(&e->store, QB_CAPACITY, qb_most_bytes(e))) {
            e->status = QB_MEMORY;
            return false;
        }
        qb_fill(w);
        if (w->partial) return false;
        sort_out(w);
        if (!prepare_records(w)) {
            e->status = QB_MEMORY;
            return false;
        }
        if (w->stored != NULL && !qb_store_grow(&e->store, w->n, qb_most_bytes(e))) {
            e->status = QB_MEMORY;
            return false;
        }
        qb_look_up_batch(w);
        qb_watch_found(e);
        qb_store_forget(&e->store, w->cursor);
        e->status = e->orbits_failed ? QB_MEMORY : w->status;
        if (qb_total_errors(e) > 0 && !e->options.all_errors) e->status = QB_FAILED;
        if (e->options.most_states > 0 && e->store.n > e->options.most_states && e->status == QB_RUNNING)
            e->status = QB_STATES;
        if (e->status != QB_RUNNING || ((rounds & 7) == 0 && qb_seconds() > e->deadline)) return false;
    }
    return true;
}

/* Search for about so many seconds; answers the status. */
QB_API int qb_step(qb_engine *e, double seconds) {
    e->deadline = qb_seconds() + seconds;
    if (e->status != QB_RUNNING) return e->status;
    if (e->worker_count > 1) {
        qb_search_parallel(e);
    } else {
        double began = qb_cpu_seconds();
        if (e->options.order == QB_OLDEST_FIRST) qb_search_alone(e, UINT64_MAX);
        else qb_search_in_order(e);
        e->workers[0].cpu_seconds += qb_cpu_seconds() - began;
    }
    return e->status;
}

/* Answers. */

QB_API void qb_ask(const qb_engine *e, qb_report *report) {
    *report = (qb_report){0};
    report->levels = e->level_count;
    report->deepest = e->level_count == 0 ? 0 : e->level_count - 1;
    if (e->options.order != QB_OLDEST_FIRST) report->deepest = e->open.deepest;
    report->states = e->store.n;
    report->lost = e->store.lost;
    report->status = (uint64_t)e->status;
    report->bytes = qb_store_bytes(&e->store);
    report->cursor = e->workers[0].cursor;
    report->failure_kind = e->workers[0].errors > 0 ? e->workers[0].failure_kind : QB_NOTHING;
    report->failure_state = e->workers[0].failure_state;
    for (uint32_t k = 0; k < e->worker_count; k++) {
        const qb_worker *w = &e->workers[k];
        report->transitions += w->transitions;
        report->errors += w->errors;
        report->cpu_seconds += w->cpu_seconds;
        if (w->calls.left_out != 0) report->left_out = w->calls.left_out;
        report->cache_hits += w->reducer == NULL ? 0 : qb_reducer_hits(w->reducer);
        report->bytes += qb_exchange_bytes(w->exchange);
    }
}

QB_API const uint64_t *qb_levels(const qb_engine *e) { return e->levels; }

QB_API const uint64_t *qb_fired(const qb_engine *e) {
    const qb_program *p = &e->options.program;
    memset(e->fired, 0, p->commands * sizeof *e->fired);
    for (uint32_t k = 0; k < e->worker_count; k++)
        for (uint32_t c = 0; c < qb_numbered(p); c++)
            for (uint32_t i = qb_command_count(p, c); i-- > 0;) e->fired[qb_command_at(p, c, i)] += e->workers[k].fired[c];
    return e->fired;
}

QB_API bool qb_state(const qb_engine *e, uint64_t number, uint64_t *s) {
    if (number >= e->store.n) return false;
    qb_copy(s, qb_load(&e->workers[0], number), e->options.program.words);
    return true;
}

QB_API uint64_t qb_parent(const qb_engine *e, uint64_t number) {
    return number < e->store.n ? qb_parent_of(&e->store.parents, number) : QB_NO_PARENT;
}

/* The words of the state of the first failure; requires that there is one. */
QB_API void qb_failure(const qb_engine *e, uint64_t *s) { qb_copy(s, e->workers[0].failure, e->options.program.words); }

/* Before the start: keep the words of these states, which are numbered as an equal search numbered them and listed in the
 * order of their discovery. */
QB_API void qb_watch(qb_engine *e, const uint64_t *ids, uint64_t count, uint64_t *into) {
    e->watch = ids;
    e->watch_count = count;
    e->watch_into = into;
}

/* How many of them were found. */
QB_API uint64_t qb_watched(const qb_engine *e) { return e->watched; }

/* The orders of stabilisers that one worker met: their number, `limbs` words each, and how many states have each. */
QB_API uint64_t qb_orbit_counts(const qb_engine *e, uint32_t worker, const uint64_t **orders, const uint64_t **counts) {
    if (worker >= e->worker_count || e->workers[worker].orbits == NULL) return 0;
    return qb_orbits_view(e->workers[worker].orbits, orders, counts);
}
