/* Fairness in strongly connected sets of nodes (fair.h). */
#include "fair.h"

#include <stdlib.h>

/* The edges between the nodes of a set, which are numbered by their places. */
typedef struct {
    uint64_t n, count, room;
    uint64_t *offsets; /* n + 1 */
    uint32_t *targets;
    uint64_t *names, name_room;
    uint64_t marks;
} inside;

/* What is known of the threads of a set; indices are the numbers of processes at place 0. */
typedef struct {
    uint32_t count;
    uint32_t *images; /* for each place, what became of each index; the first is UINT32_MAX where nothing is known */
    uint32_t *classes, *moved, *back;
    uint8_t *served;
    uint32_t *queue;
} threads;

static int look_at(qb_product *p, const uint32_t *nodes, uint64_t n);

static void close_inside(inside *in) {
    free(in->offsets);
    free(in->targets);
    free(in->names);
}

static bool add_inner(inside *in, uint32_t target, uint64_t name) {
    if (!qb_grow_array((void **)&in->targets, &in->room, in->count + 1, sizeof *in->targets)) return false;
    if (!qb_grow_array((void **)&in->names, &in->name_room, in->count + 1, sizeof *in->names)) return false;
    in->targets[in->count] = target;
    in->names[in->count++] = name;
    return true;
}

static bool open_inside(inside *in, qb_product *p, const uint32_t *nodes, uint64_t n) {
    *in = (inside){.n = n, .offsets = malloc((n + 1) * sizeof *in->offsets)};
    if (in->offsets == NULL || !qb_place_nodes(p, nodes, n)) return false;
    bool good = true;
    for (uint64_t k = 0; k < n && good; k++) {
        qb_edges edges = qb_edges_of(p, nodes[k]);
        in->offsets[k] = in->count;
        for (qb_edge edge; good && qb_next_edge(p, &edges, &edge);) {
            uint32_t w = qb_find_node(p, edge.state, edge.automaton);
            if (w == QB_NO_NODE || p->place_in[w] == 0) continue;
            in->marks |= edge.marks;
            good = add_inner(in, p->place_in[w] - 1, edge.edge);
        }
    }
    in->offsets[n] = in->count;
    qb_unplace_nodes(p, nodes, n);
    return good;
}

/* Threads. */

static void close_threads(threads *t) {
    free(t->images);
    free(t->classes);
    free(t->moved);
    free(t->back);
    free(t->served);
    free(t->queue);
}

static bool open_threads(threads *t, uint32_t count, uint64_t places) {
    uint64_t width = count + 1ull;
    *t = (threads){count,
                   malloc(places * width * sizeof *t->images),
                   malloc(width * sizeof *t->classes),
                   malloc(width * sizeof *t->moved),
                   malloc(width * sizeof *t->back),
                   calloc(width, sizeof *t->served),
                   malloc(places * sizeof *t->queue)};
    if (!t->images || !t->classes || !t->moved || !t->back || !t->served || !t->queue) return false;
    for (uint64_t k = 0; k < places; k++) t->images[k * width] = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++) t->classes[i] = i;
    return true;
}

static uint32_t *images_at(const threads *t, uint64_t place) { return t->images + place * (t->count + 1ull); }

static uint32_t class_of(threads *t, uint32_t i) {
    while (t->classes[i] != i) i = t->classes[i] = t->classes[t->classes[i]];
    return i;
}

/* Two ways to one node: an index is of one class with that which the other way brings to the same number. */
static void join(threads *t, const uint32_t *known) {
    if (memcmp(t->moved, known, t->count * sizeof *known) == 0) return;
    for (uint32_t i = 0; i < t->count; i++) t->back[known[i]] = i;
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t a = class_of(t, i), b = class_of(t, t->back[t->moved[i]]);
        if (a != b) t->classes[a < b ? b : a] = a < b ? a : b;
    }
}

/* Which index becomes what along the edges, from place 0. */
static void span(const qb_product *p, const inside *in, threads *t) {
    uint64_t head = 0, tail = 1;
    for (uint32_t i = 0; i <= t->count; i++) t->images[i] = i;
    t->queue[0] = 0;
    for (; head < tail; head++) {
        uint32_t k = t->queue[head];
        for (uint64_t e = in->offsets[k]; e < in->offsets[k + 1]; e++) {
            uint32_t *known = images_at(t, in->targets[e]), *here = images_at(t, k);
            for (uint32_t i = 0; i < t->count; i++) t->moved[i] = qb_renamed(p, in->names[e], here[i]);
            if (known[0] == UINT32_MAX) {
                memcpy(known, t->moved, t->count * sizeof *known);
                t->queue[tail++] = in->targets[e];
            } else {
                join(t, known);
            }
        }
    }
}

/* Nobody can move in a state without edges. */
static bool can_move(const qb_graph *g, uint32_t state, uint32_t process) {
    return qb_is_expanded(g, state) && qb_log_entry(&g->log, state).length > 0 && qb_bit(qb_key(&g->sets, g->enabled[state]), process);
}

bool qb_is_good_edge(const qb_product *p, uint32_t state, uint64_t edge, uint32_t process) {
    const qb_graph *g = p->g;
    if (edge != QB_STUTTER && qb_bit(qb_key(&g->sets, qb_log_naming(&g->log, edge).movers), process)) return true;
    return p->q.fairness == QB_WEAK && !can_move(g, state, process);
}

static void serve(const qb_product *p, const uint32_t *nodes, const inside *in, threads *t) {
    for (uint64_t k = 0; k < in->n; k++) {
        uint32_t state = p->nodes[nodes[k]].state;
        const uint32_t *here = images_at(t, k);
        for (uint64_t e = in->offsets[k]; e < in->offsets[k + 1]; e++)
            for (uint32_t i = 0; i < t->count; i++) {
                uint8_t *served = &t->served[class_of(t, i)];
                if (!*served) *served = qb_is_good_edge(p, state, in->names[e], here[i]);
            }
    }
}

static bool is_starved(threads *t, uint32_t i) { return !t->served[class_of(t, i)]; }

static bool has_starved(threads *t) {
    for (uint32_t i = 0; i < t->count; i++)
        if (is_starved(t, i)) return true;
    return false;
}

/* Strong fairness: the places where somebody who never moves can. */
static bool is_blocked(const qb_product *p, const uint32_t *nodes, threads *t, uint64_t place) {
    uint32_t state = p->nodes[nodes[place]].state;
    const uint32_t *here = images_at(t, place);
    for (uint32_t i = 0; i < t->count; i++)
        if (is_starved(t, i) && can_move(p->g, state, here[i])) return true;
    return false;
}

/* Components of what is left (Tarjan), each looked at by itself. */
typedef struct {
    const inside *in;
    const uint32_t *nodes;
    const uint8_t *out; /* places that are left out */
    uint32_t *numbers, *lows, *stack, *work, *part;
    uint64_t *cursors;
    uint64_t depth, stack_count;
    uint32_t discovered;
} parts;

#define CLOSED UINT32_MAX

static void enter_place(parts *c, uint32_t k) {
    c->numbers[k] = c->lows[k] = ++c->discovered;
    c->stack[c->stack_count++] = k;
    c->cursors[k] = c->in->offsets[k];
    c->work[c->depth++] = k;
}

static int close_part(qb_product *p, parts *c, uint32_t k) {
    uint64_t n = 0;
    uint32_t t;
    do {
        t = c->stack[--c->stack_count];
        c->numbers[t] = CLOSED;
        c->part[n++] = c->nodes[t];
    } while (t != k);
    return look_at(p, c->part, n);
}

static int search_from(qb_product *p, parts *c, uint32_t root) {
    enter_place(c, root);
    while (c->depth > 0) {
        uint32_t k = c->work[c->depth - 1];
        if (c->cursors[k] < c->in->offsets[k + 1]) {
            uint32_t t = c->in->targets[c->cursors[k]++];
            if (c->out[t]) continue;
            if (c->numbers[t] == 0) enter_place(c, t);
            else if (c->numbers[t] != CLOSED && c->numbers[t] < c->lows[k]) c->lows[k] = c->numbers[t];
            continue;
        }
        c->depth--;
        if (c->depth > 0 && c->lows[k] < c->lows[c->work[c->depth - 1]]) c->lows[c->work[c->depth - 1]] = c->lows[k];
        if (c->lows[k] != c->numbers[k]) continue;
        int found = close_part(p, c, k);
        if (found != 0) return found;
    }
    return 0;
}

static int search_parts(qb_product *p, const uint32_t *nodes, const inside *in, const uint8_t *out) {
    uint64_t n = in->n;
    parts c = {.in = in, .nodes = nodes, .out = out};
    uint32_t *arrays = calloc(5 * n, sizeof *arrays);
    c.cursors = malloc(n * sizeof *c.cursors);
    c.numbers = arrays;
    c.lows = arrays + n;
    c.stack = arrays + 2 * n;
    c.work = arrays + 3 * n;
    c.part = arrays + 4 * n;
    int found = arrays == NULL || c.cursors == NULL ? -1 : 0;
    for (uint32_t k = 0; k < n && found == 0; k++)
        if (!out[k] && c.numbers[k] == 0) found = search_from(p, &c, k);
    free(arrays);
    free(c.cursors);
    return found;
}

/* Judgement. */

static int keep(qb_product *p, const uint32_t *nodes, uint64_t n) { return qb_keep_core(p, nodes, n) ? 1 : -1; }

static int without_blocked(qb_product *p, const uint32_t *nodes, const inside *in, threads *t) {
    uint8_t *out = calloc(in->n, 1);
    if (out == NULL) return -1;
    bool some = false;
    for (uint64_t k = 0; k < in->n; k++) some |= out[k] = is_blocked(p, nodes, t, k);
    int found = some ? search_parts(p, nodes, in, out) : keep(p, nodes, in->n);
    free(out);
    return found;
}

static int judge_threads(qb_product *p, const uint32_t *nodes, const inside *in) {
    threads t;
    int found = -1;
    if (p->g->cast.process_count == 0) return keep(p, nodes, in->n);
    if (open_threads(&t, p->g->cast.process_count, in->n)) {
        span(p, in, &t);
        serve(p, nodes, in, &t);
        if (!has_starved(&t)) found = keep(p, nodes, in->n);
        else if (p->q.fairness == QB_WEAK) found = 0;
        else found = without_blocked(p, nodes, in, &t);
    }
    close_threads(&t);
    return found;
}

/* A strongly connected set of nodes. */
static int look_at(qb_product *p, const uint32_t *nodes, uint64_t n) {
    inside in;
    int found = -1;
    if (open_inside(&in, p, nodes, n))
        found = in.count == 0 || (p->q.all & ~in.marks) ? 0 : judge_threads(p, nodes, &in);
    close_inside(&in);
    return found;
}

int qb_find_fair(qb_product *p, const uint32_t *nodes, uint64_t n) { return look_at(p, nodes, n); }
