/* The graph of the states (graph.h). */
#include "graph.h"

#include "memory.h"

#include <stdlib.h>

/* Opening and closing. */

QB_API void qb_graph_close(qb_graph *g) {
    if (g == NULL) return;
    qb_names_close(&g->sets);
    qb_names_close(&g->permutations);
    free(g->sink.records);
    free(g->sink.metas);
    free(g->sink.registers);
    free(g->process_of);
    free(g->fired);
    free(g->hashes);
    free(g->stored);
    free(g->mask);
    free(g->renaming);
    free(g->witness);
    free(g->enabled);
    qb_log_close(&g->log);
    qb_bundle_close(&g->bundle);
    free(g);
}

static bool open_sink(qb_graph *g, uint64_t capacity) {
    uint64_t *records = realloc(g->sink.records, capacity * g->e->stride * sizeof *records);
    if (records == NULL) return false;
    g->sink.records = records;
    uint32_t *metas = realloc(g->sink.metas, capacity * sizeof *metas);
    if (metas == NULL) return false;
    g->sink.metas = metas;
    uint64_t *hashes = realloc(g->hashes, capacity * sizeof *hashes);
    if (hashes == NULL) return false;
    g->hashes = hashes;
    if (g->w->store->squeeze != NULL) {
        uint64_t *stored = realloc(g->stored, capacity * g->e->options.program.words * sizeof *stored);
        if (stored == NULL) return false;
        g->stored = stored;
    }
    g->sink.capacity = capacity;
    return true;
}

static bool open_parts(qb_graph *g) {
    const qb_program *p = &g->e->options.program;
    uint32_t atoms = g->cast.atoms, count = g->cast.process_count;
    g->fired = calloc(qb_numbered(p) + 1, sizeof *g->fired);
    g->mask = calloc(count / 32 + 1ull, sizeof *g->mask);
    g->renaming = calloc(count + 1ull, sizeof *g->renaming);
    g->witness = calloc(atoms + 1ull, sizeof *g->witness);
    g->process_of = malloc((atoms + 1ull) * sizeof *g->process_of);
    g->sink.registers = calloc(p->registers + 1ull, sizeof *g->sink.registers);
    if (!g->fired || !g->mask || !g->renaming || !g->witness || !g->process_of || !g->sink.registers) return false;
    for (uint32_t a = 0; a < atoms; a++) g->process_of[a] = -1;
    for (uint32_t i = 0; i < count; i++) g->process_of[g->cast.processes[i]] = (int32_t)i;
    return qb_names_open(&g->sets, count / 32 + 1) && qb_names_open(&g->permutations, count == 0 ? 1 : count) && open_sink(g, 64);
}

QB_API qb_graph *qb_graph_open(qb_engine *e, const qb_cast *cast) {
    if (e->worker_count != 1 || (cast->follow && e->options.partial_order != NULL)) return NULL;
    qb_graph *g = calloc(1, sizeof *g);
    if (g == NULL) return NULL;
    g->e = e;
    g->w = &e->workers[0];
    g->cast = *cast;
    g->log.followed = cast->follow != 0;
    g->wanted = g->w->wanted;
    g->w->moves.chooser = g->w->chooser;
    if (!open_parts(g)) {
        qb_graph_close(g);
        return NULL;
    }
    return g;
}

/* Who moves. */

static void clear_mask(qb_graph *g) { memset(g->mask, 0, g->sets.length * sizeof *g->mask); }

static void add_actor(qb_graph *g, uint32_t command) {
    int32_t i = command < g->e->options.program.commands ? g->cast.actors[command] : -1;
    if (i >= 0) g->mask[i / 32] |= 1u << (i % 32);
}

/* The number of the renaming that the witness makes; -1: no memory, or a process became something else. */
static int64_t name_renaming(qb_graph *g) {
    for (uint32_t i = 0; i < g->cast.process_count; i++) {
        int32_t image = g->process_of[g->witness[g->cast.processes[i]]];
        if (image < 0) return -1;
        g->renaming[i] = (uint32_t)image;
    }
    return qb_name_of(&g->permutations, g->renaming);
}

/* Edges. */

static int stopped_by(int64_t r) {
    return r == QB_BOUND ? QB_TOO_FEW_ATOMS : r == QB_OVERFLOW ? QB_TOO_LARGE : r == QB_NO_MEMORY ? QB_MEMORY : QB_FAILED;
}

static int fail(qb_graph *g, uint32_t source) {
    g->w->errors = 1;
    g->w->failure_kind = QB_BY_MOVE;
    g->w->failure_state = source;
    return QB_FAILED;
}

static int add_edge(qb_graph *g, uint32_t source, const uint64_t *s, uint64_t hash) {
    qb_store *store = g->w->store;
    qb_table *table = &store->tables[0];
    const uint64_t home = qb_home_in(hash, table->size, table->bits);
    uint64_t target = qb_find_or_add(store, table, s, hash, source, store->words, home, table->bits, store->odd);
    int64_t movers = 0, renaming = 0;
    if (g->cast.follow) {
        movers = qb_name_of(&g->sets, g->mask);
        renaming = name_renaming(g);
        if (movers < 0 || renaming < 0) return QB_MEMORY;
    }
    return qb_bundle_add(&g->bundle, (uint32_t)target, (uint32_t)movers, (uint32_t)renaming) ? QB_RUNNING : QB_MEMORY;
}

/* One more transition; where equal calls count once, only the first of them. */
static int count_transition(qb_graph *g, uint32_t source, const uint64_t *record) {
    int added = g->e->options.program.call_words == 0 ? 1 : qb_calls_add(&g->w->calls, source, record);
    if (added > 0) g->w->transitions++;
    return added < 0 ? QB_MEMORY : QB_RUNNING;
}

/* Room in the store for what one call of the engine may add. */
static bool make_room(qb_graph *g, uint64_t records) {
    return qb_store_grow(g->w->store, records, qb_most_bytes(g->e));
}

/* The records as the store holds them, one after the other (stored_record); false: no memory. */
static bool squeeze(qb_graph *g, const uint64_t *records, uint64_t n) {
    qb_store *store = g->w->store;
    if (store->squeeze == NULL) return true;
    const int squeezed = qb_squeeze_states(store, records, g->e->stride, n, g->stored, qb_most_bytes(g->e));
    return squeezed == 1 || (squeezed == 2 && make_room(g, n));
}

static const uint64_t *stored_record(const qb_graph *g, const uint64_t *records, uint64_t k) {
    const qb_store *store = g->w->store;
    return qb_is_squeezed(store) ? g->stored + k * store->words : records + k * g->e->stride;
}

/* A record where processes are followed; the movers are in the mask. */
static int add_followed(qb_graph *g, uint32_t source, uint64_t *record) {
    for (uint32_t a = 0; a < g->cast.atoms; a++) g->witness[a] = (int32_t)a;
    if (g->w->reducer != NULL) qb_reduce_witness(g->w->reducer, record, g->witness);
    int status = count_transition(g, source, record);
    if (status == QB_RUNNING && !squeeze(g, record, 1)) status = QB_MEMORY;
    if (status != QB_RUNNING) return status;
    const uint64_t *s = stored_record(g, record, 0);
    return add_edge(g, source, s, qb_hash(s, g->w->store->words));
}

/* All records in the sink together, so that waiting for memory overlaps. */
static int add_records(qb_graph *g, uint32_t source, uint64_t n) {
    const qb_store *store = g->w->store;
    const qb_table *table = &store->tables[0];
    uint64_t *const records = g->sink.records;
    const uint32_t stride = g->e->stride;
    for (uint64_t k = 0; k < n; k++) {
        if (g->sink.metas[k] & QB_VIOLATION) return fail(g, source);
        if (g->w->reducer != NULL && !(g->sink.metas[k] & QB_DROPPED)) qb_reduce(g->w->reducer, records + k * stride);
    }
    if (!squeeze(g, records, n)) return QB_MEMORY;
    for (uint64_t k = 0; k < n; k++) {
        g->hashes[k] = qb_hash(stored_record(g, records, k), store->words);
        qb_prefetch_slots(table, g->hashes[k], QB_NARROW_BITS);
    }
    for (uint64_t k = 0; k < n; k++) {
        if (g->sink.metas[k] & QB_DROPPED) continue;
        int status = count_transition(g, source, records + k * stride);
        if (status == QB_RUNNING) status = add_edge(g, source, stored_record(g, records, k), g->hashes[k]);
        if (status != QB_RUNNING) return status;
    }
    return QB_RUNNING;
}

/* Expanding. */

/* What the commands that can run make of a state goes into the sink. */
static int run_next(qb_graph *g, uint32_t source) {
    const uint64_t *s = qb_load(g->w, source);
    for (;;) {
        g->sink.n = g->sink.skip = 0;
        int64_t r = g->e->next(g->w->self, s, &g->sink);
        if (r == QB_FAULT) return fail(g, source);
        if (r < 0) return stopped_by(r);
        if (g->sink.n <= g->sink.capacity) return QB_RUNNING;
        if (!open_sink(g, 2 * g->sink.n)) return QB_MEMORY;
    }
}

static bool grow_enabled(qb_graph *g, uint32_t state) {
    if (state < g->enabled_room) return true;
    uint64_t room = g->enabled_room == 0 ? 1024 : g->enabled_room;
    while (room <= state) room *= 2;
    uint32_t *more = realloc(g->enabled, room * sizeof *more);
    if (more == NULL) return false;
    g->enabled = more;
    g->enabled_room = room;
    return true;
}

static int name_enabled(qb_graph *g, uint32_t source) {
    clear_mask(g);
    for (uint64_t k = 0; k < g->sink.n; k++) add_actor(g, qb_command_at(&g->e->options.program, g->sink.metas[k], 0));
    int64_t name = qb_name_of(&g->sets, g->mask);
    if (name < 0 || !grow_enabled(g, source)) return QB_MEMORY;
    g->enabled[source] = (uint32_t)name;
    return QB_RUNNING;
}

static int add_direct(qb_graph *g, uint32_t source) {
    uint32_t commands = g->e->options.program.commands;
    for (uint64_t k = 0; k < g->sink.n; k++)
        if ((g->sink.metas[k] & QB_COMMAND) < commands) g->w->fired[g->sink.metas[k] & QB_COMMAND]++;
    if (!g->cast.follow) return add_records(g, source, g->sink.n);
    for (uint64_t k = 0; k < g->sink.n; k++) {
        if (g->sink.metas[k] & QB_VIOLATION) return fail(g, source);
        if (g->sink.metas[k] & QB_DROPPED) continue;
        clear_mask(g);
        add_actor(g, g->sink.metas[k] & QB_COMMAND);
        int status = add_followed(g, source, g->sink.records + k * g->e->stride);
        if (status != QB_RUNNING) return status;
    }
    return QB_RUNNING;
}

static int add_ways(qb_graph *g, uint32_t source) {
    if (!qb_moves_begin(&g->w->moves, qb_load(g->w, source), g->wanted)) return QB_MEMORY;
    for (int64_t r = 0; r == 0;) {
        g->sink.n = g->sink.skip = 0;
        r = qb_moves_more(&g->w->moves, g->e->next, g->w->self, &g->sink, g->w->fired, 1e300);
        if (r < 0) return stopped_by(r);
        if (!make_room(g, g->sink.n)) return QB_MEMORY;
        int status = add_records(g, source, g->sink.n);
        if (status != QB_RUNNING) return status;
    }
    g->wanted = g->w->moves.wanted;
    return QB_RUNNING;
}

/* Where processes are followed, ways come one at a time, so that the counts of commands are those of one way. */
static int add_followed_ways(qb_graph *g, uint32_t source) {
    const qb_program *p = &g->e->options.program;
    const uint32_t numbered = (uint32_t)qb_numbered(p);
    if (!qb_moves_begin(&g->w->moves, qb_load(g->w, source), g->wanted)) return QB_MEMORY;
    for (int64_t r = 0; r == 0;) {
        uint32_t meta;
        qb_sink one = {g->sink.records, &meta, 1, 0, 0, g->sink.registers, NULL};
        memset(g->fired, 0, numbered * sizeof *g->fired);
        r = qb_moves_more(&g->w->moves, g->e->next, g->w->self, &one, g->fired, 1e300);
        if (r < 0) return stopped_by(r);
        if (one.n == 0) continue;
        if (meta & QB_VIOLATION) return fail(g, source);
        clear_mask(g);
        for (uint32_t c = 0; c < numbered; c++)
            if (g->fired[c] != 0) {
                for (uint32_t k = qb_command_count(p, c); k-- > 0;) add_actor(g, qb_command_at(p, c, k));
                g->w->fired[c] += g->fired[c];
            }
        if (!make_room(g, 1)) return QB_MEMORY;
        int status = add_followed(g, source, one.records);
        if (status != QB_RUNNING) return status;
    }
    return QB_RUNNING;
}

/* Of the records in the sink keep those that are wanted. */
static void narrow(qb_graph *g, uint32_t source) {
    const uint32_t stride = g->e->stride;
    const uint64_t *s = qb_load(g->w, source);
    if (!qb_choose(g->w->chooser, s, g->sink.metas, g->sink.n)) {
        g->wanted = QB_ALL_OF_THEM;
        return;
    }
    uint64_t kept = 0;
    for (uint64_t k = 0; k < g->sink.n; k++) {
        if (qb_is_chosen(g->w->chooser, g->sink.metas[k]) != (g->wanted == QB_CHOSEN)) continue;
        if (kept != k) qb_copy(g->sink.records + kept * stride, g->sink.records + k * stride, stride);
        g->sink.metas[kept++] = g->sink.metas[k];
    }
    g->sink.n = kept;
}

static int add_edges(qb_graph *g, uint32_t source) {
    if (g->e->options.transient && !g->cast.follow) return add_ways(g, source);
    int status = run_next(g, source);
    if (status == QB_RUNNING && g->cast.follow) status = name_enabled(g, source);
    if (status != QB_RUNNING) return status;
    if (g->e->options.transient) return add_followed_ways(g, source);
    if (g->wanted != QB_ALL_OF_THEM) narrow(g, source);
    return make_room(g, g->sink.n) ? add_direct(g, source) : QB_MEMORY;
}

/* Whether an edge of a state leads to itself or to a state that is expanded already. */
static bool leads_back(const qb_graph *g, uint32_t state) {
    for (uint64_t k = 0; k < g->bundle.count; k++)
        if (g->bundle.targets[k] == state || qb_is_expanded(g, g->bundle.targets[k])) return true;
    return false;
}

/* The edges of a stubborn set, and all the others where that would close a cycle. */
static int add_some_edges(qb_graph *g, uint32_t state) {
    g->wanted = QB_CHOSEN;
    int status = add_edges(g, state);
    bool partly = g->wanted == QB_CHOSEN;
    if (status == QB_RUNNING && partly && leads_back(g, state)) {
        partly = false;
        g->wanted = QB_THE_REST;
        status = add_edges(g, state);
    }
    g->e->marks[state] = partly ? QB_PARTLY_LED : QB_FULLY;
    return status;
}

int qb_graph_expand(qb_graph *g, uint32_t state) {
    uint64_t anchor = g->w->store->n;
    int status = g->w->chooser == NULL ? add_edges(g, state) : add_some_edges(g, state);
    if (status != QB_RUNNING) {
        qb_bundle_empty(&g->bundle);
        return status;
    }
    g->edge_count += g->bundle.count;
    if (!qb_log_add(&g->log, state, &g->bundle, anchor)) return QB_MEMORY;
    uint64_t most = g->e->options.most_states;
    return most > 0 && g->w->store->n > most ? QB_STATES : QB_RUNNING;
}

/* The state whose turn it is; it may have been expanded before. */
static int reach_turn(qb_graph *g, uint32_t state) {
    if (state < g->log.count) return QB_RUNNING;
    if (!qb_is_expanded(g, state)) return qb_graph_expand(g, state);
    return qb_log_catch_up(&g->log) ? QB_RUNNING : QB_MEMORY;
}

static int widen(qb_graph *g, uint64_t most, double deadline) {
    qb_worker *w = g->w;
    for (uint32_t rounds = 1; w->cursor < most; rounds++) {
        if (w->cursor == w->level_end && !qb_begin_level(g->e)) return g->e->status;
        int status = reach_turn(g, (uint32_t)w->cursor);
        if (status != QB_RUNNING) return status;
        w->cursor++;
        if ((rounds & 0xff) == 0 && qb_seconds() > deadline) return QB_RUNNING;
    }
    return QB_DONE;
}

QB_API int qb_graph_widen(qb_graph *g, uint64_t most, double seconds) {
    double began = qb_cpu_seconds();
    int status = widen(g, most, qb_seconds() + seconds);
    g->w->cpu_seconds += qb_cpu_seconds() - began;
    return status;
}

/* Answers. */

QB_API void qb_graph_view_of(const qb_graph *g, qb_graph_view *view) {
    *view = (qb_graph_view){g->w->store->n, g->edge_count, g->w->cursor, g->sets.keys, g->permutations.keys};
}

QB_API uint32_t qb_graph_target(const qb_graph *g, uint32_t source, uint64_t edge) {
    uint64_t at = 0;
    return qb_read_target(qb_log_bytes(&g->log, edge), &at, qb_log_entry(&g->log, source).anchor);
}

QB_API uint32_t qb_graph_movers(const qb_graph *g, uint64_t edge) { return qb_log_naming(&g->log, edge).movers; }

QB_API uint32_t qb_graph_renaming(const qb_graph *g, uint64_t edge) { return qb_log_naming(&g->log, edge).renaming; }

QB_API bool qb_graph_label(const qb_engine *e, const qb_program *program, uint8_t *labels) {
    if (e->worker_count != 1 || program->words != e->options.program.words || qb_verify(program) >= 0) return false;
    int64_t *registers = calloc(program->registers + 1ull, sizeof *registers);
    if (registers == NULL) return false;
    for (uint64_t s = 0; s < e->store.n; s++) {
        int64_t broken = qb_run_check(program, qb_load(&e->workers[0], s), registers);
        labels[s] = broken < 0 ? 2 : broken > 0;
    }
    free(registers);
    return true;
}
