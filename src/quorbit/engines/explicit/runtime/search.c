/* Breadth-first search in slices (search.h). */
#include "search.h"

#include "memory.h"

#include <stdlib.h>

#define BATCH 192u     /* records after which a batch is looked up */
#define CAPACITY 4096u /* records a batch has room for */

struct qb_engine {
    qb_options options;
    qb_next next;
    qb_count check, stuck;
    const void *self; /* what next, check and stuck get as their first argument */
    qb_store store;
    qb_reducer *reducer;
    qb_moves moves;
    qb_calls calls;
    uint32_t stride;
    int64_t *registers;
    uint64_t *records, *hashes;
    uint32_t *metas, *sources;
    uint64_t n; /* records in the batch */
    uint64_t cursor, level_end, skip; /* skip: records of the state at the cursor that are done already */
    bool moving; /* the moves of the state at the cursor are under way */
    uint64_t *levels, level_count, level_room;
    uint64_t *fired;
    uint64_t transitions, errors, failure_kind, failure_state;
    double cpu_seconds;
    int status;
};

QB_API void qb_close(qb_engine *e) {
    if (e == NULL) return;
    qb_store_close(&e->store);
    qb_moves_close(&e->moves);
    qb_calls_close(&e->calls);
    qb_reducer_close(e->reducer);
    free(e->registers);
    free(e->records);
    free(e->hashes);
    free(e->metas);
    free(e->sources);
    free(e->levels);
    free(e->fired);
    free(e);
}

static bool open_parts(qb_engine *e) {
    const qb_program *p = &e->options.program;
    e->registers = calloc(p->registers, sizeof *e->registers);
    e->records = calloc((uint64_t)CAPACITY * e->stride, sizeof *e->records);
    e->hashes = calloc(CAPACITY, sizeof *e->hashes);
    e->metas = calloc(CAPACITY, sizeof *e->metas);
    e->sources = calloc(CAPACITY, sizeof *e->sources);
    e->fired = calloc(QB_COMMAND < p->commands ? 1 : p->commands + 1u, sizeof *e->fired);
    e->level_room = 1024;
    e->levels = calloc(e->level_room, sizeof *e->levels);
    if (e->options.plan != NULL) e->reducer = qb_reducer_open(e->options.plan);
    return e->registers && e->records && e->hashes && e->metas && e->sources && e->fired && e->levels &&
           (e->options.plan == NULL || e->reducer != NULL) && qb_moves_open(&e->moves, p->words, e->stride) &&
           qb_calls_open(&e->calls, e->stride) && qb_store_open(&e->store, p->words, e->options.most_bytes);
}

/* NULL if the program is unsound or memory is short.  The program's arrays stay the caller's and must live on. */
QB_API qb_engine *qb_open(const qb_options *options) {
    if (qb_verify(&options->program) >= 0) return NULL;
    qb_engine *e = calloc(1, sizeof *e);
    if (e == NULL) return NULL;
    e->options = *options;
    if (e->options.most_bytes == 0) e->options.most_bytes = qb_physical_memory() / 10 * 9;
    e->stride = options->program.words + options->program.call_words;
    e->next = qb_run_next;
    e->check = qb_run_check;
    e->stuck = qb_run_stuck;
    e->self = &e->options.program;
    if (!open_parts(e)) {
        qb_close(e);
        return NULL;
    }
    return e;
}

/* Swap in native code; between two slices. */
QB_API void qb_set_native(qb_engine *e, qb_next next, qb_count check, qb_count stuck) {
    e->next = next;
    e->check = check;
    e->stuck = stuck;
    e->self = NULL;
}

static void note(qb_engine *e, uint64_t kind, uint64_t state, uint64_t errors) {
    if (errors == 0) return;
    if (e->errors == 0) {
        e->failure_kind = kind;
        e->failure_state = state;
    }
    e->errors += errors;
}

static uint64_t count_broken(int64_t answer) { return answer < 0 ? 1 : (uint64_t)answer; }

static void check_state(qb_engine *e, uint64_t id) {
    if (e->options.check)
        note(e, QB_IN_STATE, id,
             count_broken(e->check(e->self, e->store.arena + id * e->store.words, e->registers)));
}

static void check_stuck(qb_engine *e, uint64_t id) {
    if (e->options.stuck)
        note(e, QB_STUCK, id, count_broken(e->stuck(e->self, e->store.arena + id * e->store.words, e->registers)));
}

/* Initial states; false: no memory. */
QB_API bool qb_start(qb_engine *e, const uint64_t *states, uint64_t count) {
    uint32_t words = e->store.words;
    for (uint64_t k = 0; k < count; k++) {
        uint64_t *s = e->records;
        qb_copy(s, states + k * words, words);
        if (e->reducer != NULL) qb_reduce(e->reducer, s);
        if (!qb_store_grow(&e->store, 1, e->options.most_bytes)) return false;
        e->transitions++;
        if (qb_store_add(&e->store, s, qb_hash(s, words), QB_NO_PARENT)) check_state(e, e->store.n - 1);
    }
    return true;
}

/* Take over new records of the batch: count them, sort out those that lead nowhere. */
static void accept(qb_engine *e, uint64_t got, bool count) {
    uint64_t kept = e->n;
    for (uint64_t k = e->n; k < e->n + got; k++) {
        uint32_t meta = e->metas[k];
        if (count && (meta & QB_COMMAND) < e->options.program.commands) e->fired[meta & QB_COMMAND]++;
        if (meta & (QB_VIOLATION | QB_DROPPED)) {
            note(e, QB_BY_MOVE, e->cursor, meta & QB_VIOLATION ? 1 : 0);
            continue;
        }
        if (kept != k) qb_copy(e->records + kept * e->stride, e->records + k * e->stride, e->stride);
        e->sources[kept++] = (uint32_t)e->cursor;
    }
    e->n = kept;
}

static int stop_for(int64_t answer) {
    return answer == QB_BOUND ? QB_TOO_FEW_ATOMS : answer == QB_OVERFLOW ? QB_TOO_LARGE : QB_MEMORY;
}

/* Expand the state at the cursor into the batch.  false: the batch is full or the search must stop. */
static bool expand(qb_engine *e) {
    qb_sink sink = {e->records + e->n * e->stride, e->metas + e->n, CAPACITY - e->n, e->skip, 0, e->registers};
    int64_t r = e->next(e->self, e->store.arena + e->cursor * e->store.words, &sink);
    if (r == QB_FAULT) {
        note(e, QB_BY_MOVE, e->cursor, 1);
    } else if (r < 0) {
        e->status = stop_for(r);
        return false;
    } else if (sink.n - sink.skip > sink.capacity) {
        if (e->n > 0) return false; /* look up what there is, then try again with an empty batch */
        accept(e, sink.capacity, true);
        e->skip += sink.capacity;
        return false;
    } else {
        if (sink.n == 0) check_stuck(e, e->cursor);
        accept(e, sink.n - sink.skip, true);
    }
    e->skip = 0;
    e->cursor++;
    return true;
}

/* The same through transient states. */
static bool expand_moves(qb_engine *e, double deadline) {
    if (!e->moving && !qb_moves_begin(&e->moves, e->store.arena + e->cursor * e->store.words)) {
        e->status = QB_MEMORY;
        return false;
    }
    e->moving = true;
    qb_sink sink = {e->records + e->n * e->stride, e->metas + e->n, CAPACITY - e->n, 0, 0, e->registers};
    int64_t r = qb_moves_more(&e->moves, e->next, e->self, &sink, e->fired, deadline);
    if (r < 0) {
        e->status = stop_for(r);
        return false;
    }
    accept(e, sink.n, false);
    if (r == 0) return false;
    e->moving = false;
    if (!e->moves.moved) check_stuck(e, e->cursor);
    e->cursor++;
    return true;
}

static void fill(qb_engine *e, double deadline) {
    e->n = 0;
    while (e->cursor < e->level_end && e->n < BATCH)
        if (!(e->options.transient ? expand_moves(e, deadline) : expand(e))) break;
}

/* Records that the user calls the same as an earlier one from the same state are dropped. */
static bool drop_repeated_calls(qb_engine *e) {
    uint64_t kept = 0;
    for (uint64_t k = 0; k < e->n; k++) {
        int added = qb_calls_add(&e->calls, e->sources[k], e->records + k * e->stride);
        if (added < 0) return false;
        if (added == 0) continue;
        qb_copy(e->records + kept * e->stride, e->records + k * e->stride, e->stride);
        e->sources[kept++] = e->sources[k];
    }
    e->n = kept;
    return true;
}

/* Look the batch up.  Inlined for small numbers of words, which the compiler then knows. */
static inline __attribute__((always_inline)) void look_up(qb_engine *e, const uint32_t words, const uint32_t stride) {
    qb_store *store = &e->store;
    const uint64_t n = e->n;
    for (uint64_t k = 0; k < n; k++) {
        uint64_t hash = e->hashes[k] = qb_hash(e->records + k * stride, words);
        __builtin_prefetch(&store->table[qb_home(hash, store->size)]);
    }
    for (uint64_t k = 0; k < n; k++) {
        const uint64_t *seen = qb_candidate(store, e->hashes[k], words);
        if (seen != NULL) __builtin_prefetch(seen);
    }
    for (uint64_t k = 0; k < n; k++)
        if (qb_insert(store, e->records + k * stride, e->hashes[k], e->sources[k], words)) check_state(e, store->n - 1);
}

static void look_up_batch(qb_engine *e) {
    if (e->stride != e->store.words) {
        look_up(e, e->store.words, e->stride);
        return;
    }
    switch (e->store.words) {
    case 1: look_up(e, 1, 1); break;
    case 2: look_up(e, 2, 2); break;
    case 3: look_up(e, 3, 3); break;
    case 4: look_up(e, 4, 4); break;
    default: look_up(e, e->store.words, e->store.words);
    }
}

static bool push_level(qb_engine *e) {
    if (e->level_count == e->level_room) {
        uint64_t *more = realloc(e->levels, 2 * e->level_room * sizeof *more);
        if (more == NULL) return false;
        e->levels = more;
        e->level_room *= 2;
    }
    e->levels[e->level_count++] = e->store.n - e->level_end;
    e->level_end = e->store.n;
    return true;
}

/* Whether there is a level to go on with; sets the status if not. */
static bool begin_level(qb_engine *e) {
    if (e->errors > 0 && !e->options.all_errors)
        e->status = QB_FAILED;
    else if (e->store.n == e->level_end)
        e->status = QB_DONE;
    else if (!push_level(e))
        e->status = QB_MEMORY;
    else if (e->level_count > e->options.most_depth)
        e->status = QB_DEPTH;
    return e->status == QB_RUNNING;
}

static void search(qb_engine *e, double deadline) {
    for (uint32_t rounds = 1;; rounds++) {
        if (e->cursor == e->level_end && !begin_level(e)) return;
        if (!qb_store_grow(&e->store, CAPACITY, e->options.most_bytes)) {
            e->status = QB_MEMORY;
            return;
        }
        fill(e, deadline);
        if (e->reducer != NULL)
            for (uint64_t k = 0; k < e->n; k++) qb_reduce(e->reducer, e->records + k * e->stride);
        if (e->options.program.call_words > 0 && !drop_repeated_calls(e)) e->status = QB_MEMORY;
        e->transitions += e->n;
        look_up_batch(e);
        if (e->errors > 0 && !e->options.all_errors) e->status = QB_FAILED;
        if (e->options.most_states > 0 && e->store.n > e->options.most_states && e->status == QB_RUNNING)
            e->status = QB_STATES;
        if (e->status != QB_RUNNING) return;
        if ((rounds & 7) == 0 && qb_seconds() > deadline) return;
    }
}

/* Search for about so many seconds; answers the status. */
QB_API int qb_step(qb_engine *e, double seconds) {
    double began = qb_cpu_seconds();
    if (e->status == QB_RUNNING) search(e, qb_seconds() + seconds);
    e->cpu_seconds += qb_cpu_seconds() - began;
    return e->status;
}

QB_API void qb_ask(const qb_engine *e, qb_report *report) {
    *report = (qb_report){e->store.n,       e->transitions, e->level_count,   e->cursor,
                          qb_store_bytes(&e->store), e->errors,      e->failure_kind,  e->failure_state,
                          e->cpu_seconds,   e->reducer == NULL ? 0 : qb_reducer_hits(e->reducer)};
}

QB_API const uint64_t *qb_levels(const qb_engine *e) { return e->levels; }
QB_API const uint64_t *qb_fired(const qb_engine *e) { return e->fired; }

QB_API bool qb_state(const qb_engine *e, uint64_t id, uint64_t *s) {
    if (id >= e->store.n) return false;
    qb_copy(s, e->store.arena + id * e->store.words, e->store.words);
    return true;
}

QB_API uint32_t qb_parent(const qb_engine *e, uint64_t id) {
    return id < e->store.n ? e->store.parents[id] : QB_NO_PARENT;
}

QB_API uint32_t qb_abi(void) { return QB_ABI; }
