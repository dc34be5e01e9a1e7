/* The graph of stored states (graph.h). */
#include "graph.h"

#include "memory.h"

#include <stdlib.h>

struct qb_graph {
    qb_engine *e;
    qb_worker *w;
    const int32_t *actors;
    uint32_t atoms, all_edges;
    qb_reducer *reducer;
    qb_moves moves;
    qb_sink sink;
    uint64_t *fired;
    uint32_t *mask, *image; /* keys under construction */
    int32_t *witness;
    uint64_t cursor, n, capacity;
    uint64_t *offsets, *stamps; /* stamps: 1 + the last state with an edge to this one */
    uint32_t *targets, *movers, *renamings, *enabled;
    qb_names sets, permutations;
};

/* Opening and closing. */

QB_API void qb_graph_close(qb_graph *g) {
    if (g == NULL) return;
    qb_reducer_close(g->reducer);
    qb_moves_close(&g->moves);
    qb_names_close(&g->sets);
    qb_names_close(&g->permutations);
    free(g->sink.records);
    free(g->sink.metas);
    free(g->sink.registers);
    free(g->fired);
    free(g->mask);
    free(g->image);
    free(g->witness);
    free(g->offsets);
    free(g->stamps);
    free(g->targets);
    free(g->movers);
    free(g->renamings);
    free(g->enabled);
    free(g);
}

static bool open_sink(qb_graph *g, uint64_t capacity) {
    uint64_t *records = realloc(g->sink.records, capacity * g->e->stride * sizeof *records);
    if (records == NULL) return false;
    g->sink.records = records;
    uint32_t *metas = realloc(g->sink.metas, capacity * sizeof *metas);
    if (metas == NULL) return false;
    g->sink.metas = metas;
    g->sink.capacity = capacity;
    return true;
}

static bool grow_edges(qb_graph *g) {
    if (g->n < g->capacity) return true;
    uint64_t capacity = g->capacity == 0 ? 1024 : 2 * g->capacity;
    uint32_t **arrays[] = {&g->targets, &g->movers, &g->renamings};
    for (int k = 0; k < 3; k++) {
        uint32_t *more = realloc(*arrays[k], capacity * sizeof *more);
        if (more == NULL) return false;
        *arrays[k] = more;
    }
    g->capacity = capacity;
    return true;
}

static bool open_parts(qb_graph *g) {
    const qb_program *p = &g->e->options.program;
    uint64_t states = g->w->store.n, bits = (g->atoms + 31) / 32;
    uint32_t key = bits == 0 ? 1 : (uint32_t)bits, images = g->atoms == 0 ? 1 : g->atoms;
    g->fired = calloc(p->commands + 1ull, sizeof *g->fired);
    g->mask = calloc(key, sizeof *g->mask);
    g->image = calloc(images, sizeof *g->image);
    g->witness = calloc(images, sizeof *g->witness);
    g->offsets = calloc(states + 1, sizeof *g->offsets);
    g->stamps = calloc(states + 1, sizeof *g->stamps);
    g->enabled = calloc(states + 1, sizeof *g->enabled);
    g->sink.registers = calloc(p->registers + 1ull, sizeof *g->sink.registers);
    if (g->e->options.plan != NULL) g->reducer = qb_reducer_open(g->e->options.plan);
    return g->fired && g->mask && g->image && g->witness && g->offsets && g->stamps && g->enabled &&
           g->sink.registers && (g->e->options.plan == NULL || g->reducer != NULL) &&
           qb_names_open(&g->sets, key) && qb_names_open(&g->permutations, images) && open_sink(g, 64) &&
           qb_moves_open(&g->moves, p->words, p->words + p->call_words, g->e->stride);
}

QB_API qb_graph *qb_graph_open(qb_engine *e, const int32_t *actors, uint32_t atoms, uint32_t all_edges) {
    if (e->worker_count != 1) return NULL;
    qb_graph *g = calloc(1, sizeof *g);
    if (g == NULL) return NULL;
    g->e = e;
    g->w = &e->workers[0];
    g->actors = actors;
    g->atoms = atoms;
    g->all_edges = all_edges;
    if (!open_parts(g)) {
        qb_graph_close(g);
        return NULL;
    }
    return g;
}

/* Edges. */

static void add_actor(qb_graph *g, uint32_t command) {
    int32_t a = command < g->e->options.program.commands ? g->actors[command] : -1;
    if (a >= 0) g->mask[a / 32] |= 1u << (a % 32);
}

static void clear_mask(qb_graph *g) { memset(g->mask, 0, g->sets.length * sizeof *g->mask); }

/* The number of a stored state; UINT64_MAX if it is none. */
static uint64_t find_state(const qb_store *store, const uint64_t *s) {
    uint64_t hash = qb_hash(s, store->words), at = qb_home(hash, store->size);
    for (;;) {
        at = qb_probe(store, hash, at);
        uint64_t slot = store->table[at];
        if (slot == 0) return UINT64_MAX;
        uint64_t number = (slot & 0xffffffffu) - 1;
        if (qb_equal(store->arena + number * store->words, s, store->words)) return number;
        if (++at == store->size) at = 0;
    }
}

static bool is_known(const qb_graph *g, uint32_t target, uint32_t movers, uint32_t renaming) {
    for (uint64_t k = g->offsets[g->cursor]; k < g->n; k++)
        if (g->targets[k] == target && g->movers[k] == movers && g->renamings[k] == renaming) return true;
    return false;
}

/* An edge to the state s, which becomes its representative; the movers are in the mask. */
static int add_edge(qb_graph *g, uint64_t *s) {
    for (uint32_t a = 0; a < g->atoms; a++) g->witness[a] = (int32_t)a;
    if (g->reducer != NULL) qb_reduce_witness(g->reducer, s, g->witness);
    uint64_t target = find_state(&g->w->store, s);
    if (target == UINT64_MAX) return QB_FAILED;
    bool met = g->stamps[target] == g->cursor + 1;
    if (met && !g->all_edges) return QB_RUNNING;
    for (uint32_t a = 0; a < g->atoms; a++) g->image[a] = (uint32_t)g->witness[a];
    int64_t movers = qb_name_of(&g->sets, g->mask), renaming = qb_name_of(&g->permutations, g->image);
    if (movers < 0 || renaming < 0 || !grow_edges(g)) return QB_MEMORY;
    if (met && is_known(g, (uint32_t)target, (uint32_t)movers, (uint32_t)renaming)) return QB_RUNNING;
    g->stamps[target] = g->cursor + 1;
    g->targets[g->n] = (uint32_t)target;
    g->movers[g->n] = (uint32_t)movers;
    g->renamings[g->n++] = (uint32_t)renaming;
    return QB_RUNNING;
}

static int stopped_by(int64_t r) {
    return r == QB_BOUND ? QB_TOO_FEW_ATOMS : r == QB_OVERFLOW ? QB_TOO_LARGE : r == QB_NO_MEMORY ? QB_MEMORY : QB_FAILED;
}

/* The commands that can run in the state at the cursor are in the sink. */
static int run_next(qb_graph *g) {
    const uint64_t *s = g->w->store.arena + g->cursor * g->w->store.words;
    for (;;) {
        g->sink.n = g->sink.skip = 0;
        int64_t r = g->e->next(g->e->self, s, &g->sink);
        if (r < 0) return stopped_by(r);
        if (g->sink.n <= g->sink.capacity) return QB_RUNNING;
        if (!open_sink(g, 2 * g->sink.n)) return QB_MEMORY;
    }
}

static int name_enabled(qb_graph *g) {
    clear_mask(g);
    for (uint64_t k = 0; k < g->sink.n; k++) add_actor(g, g->sink.metas[k] & QB_COMMAND);
    int64_t name = qb_name_of(&g->sets, g->mask);
    if (name < 0) return QB_MEMORY;
    g->enabled[g->cursor] = (uint32_t)name;
    return QB_RUNNING;
}

static int add_direct(qb_graph *g) {
    uint32_t made = g->w->moves.made;
    for (uint64_t k = 0; k < g->sink.n; k++) {
        if (g->sink.metas[k] & QB_VIOLATION) return QB_FAILED;
        if (g->sink.metas[k] & QB_DROPPED) continue;
        clear_mask(g);
        add_actor(g, g->sink.metas[k] & QB_COMMAND);
        int status = add_edge(g, g->sink.records + k * made);
        if (status != QB_RUNNING) return status;
    }
    return QB_RUNNING;
}

/* Ways through transient states come one at a time, so that the counts of commands are those of one way. */
static int add_ways(qb_graph *g) {
    uint32_t commands = g->e->options.program.commands;
    if (!qb_moves_begin(&g->moves, g->w->store.arena + g->cursor * g->w->store.words)) return QB_MEMORY;
    for (int64_t r = 0; r == 0;) {
        uint32_t meta;
        qb_sink one = {g->sink.records, &meta, 1, 0, 0, g->sink.registers};
        memset(g->fired, 0, (commands + 1ull) * sizeof *g->fired);
        r = qb_moves_more(&g->moves, g->e->next, g->e->self, &one, g->fired, 1e300);
        if (r < 0) return stopped_by(r);
        if (one.n == 0) continue;
        if (meta & QB_VIOLATION) return QB_FAILED;
        clear_mask(g);
        for (uint32_t c = 0; c < commands; c++)
            if (g->fired[c] != 0) add_actor(g, c);
        int status = add_edge(g, one.records);
        if (status != QB_RUNNING) return status;
    }
    return QB_RUNNING;
}

static int expand(qb_graph *g) {
    g->offsets[g->cursor] = g->n;
    int status = run_next(g);
    if (status == QB_RUNNING) status = name_enabled(g);
    if (status == QB_RUNNING) status = g->e->options.transient ? add_ways(g) : add_direct(g);
    return status;
}

QB_API int qb_graph_step(qb_graph *g, double seconds) {
    double deadline = qb_seconds() + seconds;
    while (g->cursor < g->w->store.n) {
        int status = expand(g);
        if (status != QB_RUNNING) return status;
        g->offsets[++g->cursor] = g->n;
        if ((g->cursor & 0xff) == 0 && qb_seconds() > deadline) return QB_RUNNING;
    }
    return QB_DONE;
}

QB_API void qb_graph_view_of(const qb_graph *g, qb_graph_view *view) {
    *view = (qb_graph_view){g->w->store.n, g->n, g->sets.n, g->permutations.n, g->cursor, g->offsets, g->targets,
                            g->movers, g->renamings, g->enabled, g->sets.keys, g->permutations.keys};
}

QB_API bool qb_graph_label(const qb_engine *e, const qb_program *program, uint8_t *labels) {
    if (e->worker_count != 1 || program->words != e->options.program.words || qb_verify(program) >= 0) return false;
    int64_t *registers = calloc(program->registers + 1ull, sizeof *registers);
    if (registers == NULL) return false;
    const qb_store *store = &e->workers[0].store;
    for (uint64_t s = 0; s < store->n; s++) {
        int64_t broken = qb_run_check(program, store->arena + s * store->words, registers);
        labels[s] = broken < 0 ? 2 : broken > 0;
    }
    free(registers);
    return true;
}
