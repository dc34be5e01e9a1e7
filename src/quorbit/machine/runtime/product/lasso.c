/* Breadth-first ways through a product (lasso.h). */
#include "lasso.h"

#include "fair.h"

#include <stdlib.h>

/* A node that was reached, for a process with a number, and how. */
typedef struct {
    uint64_t from, edge, marks; /* from: the place in the queue, UINT64_MAX at the beginning */
    uint32_t node, process;
} reached;

struct qb_lasso {
    qb_product *p;
    reached *queue;
    uint64_t count, room;
    uint32_t *met, round; /* met: the last round in which something was reached */
    uint64_t *edges, edge_room, marks;
    uint64_t first, last; /* the set of nodes of the cycle, among all sets: known when the stem is */
};

QB_API void qb_lasso_close(qb_lasso *l) {
    if (l == NULL) return;
    free(l->queue);
    free(l->met);
    free(l->edges);
    free(l);
}

QB_API qb_lasso *qb_lasso_open(qb_product *p) {
    qb_lasso *l = calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    l->p = p;
    uint64_t pairs = p->core_count * (p->g->cast.process_count + 1ull);
    l->met = calloc(pairs > p->node_count ? pairs : p->node_count, sizeof *l->met);
    if (l->met != NULL && qb_place_nodes(p, p->core, p->core_count)) return l;
    qb_lasso_close(l);
    return NULL;
}

/* Where a node is in the set of the cycle; UINT64_MAX: it is not. */
static uint64_t place_of(const qb_lasso *l, uint32_t node) {
    uint64_t at = l->p->place_in[node];
    return at <= l->first || at > l->last ? UINT64_MAX : at - 1 - l->first;
}

static void choose_set(qb_lasso *l, uint32_t node) {
    uint64_t set = 0, at = l->p->place_in[node] - 1;
    while (l->p->core_ends[set] <= at) set++;
    l->first = set == 0 ? 0 : l->p->core_ends[set - 1];
    l->last = l->p->core_ends[set];
}

/* false: no memory. */
static bool reach(qb_lasso *l, uint64_t key, reached what) {
    if (l->met[key] == l->round) return true;
    l->met[key] = l->round;
    if (!qb_grow_array((void **)&l->queue, &l->room, l->count + 1, sizeof *l->queue)) return false;
    l->queue[l->count++] = what;
    return true;
}

static void begin(qb_lasso *l) {
    l->round++;
    l->count = 0;
}

/* The way to a place of the queue, and then perhaps one edge more. */
static bool trace_back(qb_lasso *l, uint64_t at, const reached *last, qb_way *way) {
    uint64_t length = last == NULL ? 0 : 1, first = at;
    for (uint64_t k = at; l->queue[k].from != UINT64_MAX; k = first = l->queue[k].from) length++;
    if (!qb_grow_array((void **)&l->edges, &l->edge_room, length, sizeof *l->edges)) return false;
    *way = (qb_way){length, l->edges, l->p->nodes[l->queue[first].node].state, l->queue[at].node, true, 0};
    l->marks = 0;
    if (last != NULL) {
        l->edges[--length] = last->edge;
        l->marks |= last->marks;
        way->node = last->node;
    }
    for (uint64_t k = at; l->queue[k].from != UINT64_MAX; k = l->queue[k].from) {
        l->edges[--length] = l->queue[k].edge;
        l->marks |= l->queue[k].marks;
    }
    return true;
}

QB_API bool qb_lasso_stem(qb_lasso *l, qb_way *way) {
    const qb_product *p = l->p;
    begin(l);
    for (uint32_t k = 0; k < p->q.root_count; k++) {
        uint32_t v = qb_find_node(p, p->q.roots[k], p->q.automaton_initial);
        if (v != QB_NO_NODE && !reach(l, v, (reached){UINT64_MAX, 0, 0, v, 0})) return false;
    }
    for (uint64_t at = 0; at < l->count; at++) {
        uint32_t v = l->queue[at].node;
        if (p->place_in[v] != 0) {
            choose_set(l, v);
            bool good = trace_back(l, at, NULL, way);
            way->ends = qb_is_end(p, p->nodes[v].automaton);
            return good;
        }
        if (qb_letter_of(&p->letter_of, p->nodes[v].state) >= p->row_count) continue;
        qb_edges edges = qb_edges_of(p, v);
        for (qb_edge e; qb_next_edge(p, &edges, &e);) {
            uint32_t w = qb_find_node(p, e.state, e.automaton);
            if (w != QB_NO_NODE && !reach(l, w, (reached){at, e.edge, e.marks, w, 0})) return false;
        }
    }
    *way = (qb_way){0};
    return true;
}

QB_API bool qb_lasso_way(qb_lasso *l, uint32_t node, int kind, uint64_t marks, uint32_t goal, qb_way *way) {
    const qb_product *p = l->p;
    uint64_t width = kind == QB_TO_GOOD ? p->g->cast.process_count + 1ull : 1;
    uint32_t process = kind == QB_TO_GOOD ? goal : 0;
    begin(l);
    if (!reach(l, place_of(l, node) * width + process, (reached){UINT64_MAX, 0, 0, node, process})) return false;
    for (uint64_t at = 0; at < l->count; at++) {
        reached here = l->queue[at];
        if (kind == QB_TO_NODE && here.node == goal) return trace_back(l, at, NULL, way);
        qb_edges edges = qb_edges_of(p, here.node);
        for (qb_edge e; qb_next_edge(p, &edges, &e);) {
            uint32_t w = qb_find_node(p, e.state, e.automaton);
            if (w == QB_NO_NODE || place_of(l, w) == UINT64_MAX) continue;
            uint32_t next = kind == QB_TO_GOOD ? qb_renamed(p, e.edge, here.process) : 0;
            reached there = {at, e.edge, e.marks, w, next};
            if ((kind == QB_TO_MARK && (marks == 0 || (e.marks & marks))) ||
                (kind == QB_TO_GOOD && qb_is_good_edge(p, p->nodes[here.node].state, e.edge, here.process)))
                return trace_back(l, at, &there, way);
            if (!reach(l, place_of(l, w) * width + next, there)) return false;
        }
    }
    *way = (qb_way){0};
    return true;
}

QB_API uint64_t qb_lasso_marks(const qb_lasso *l) { return l->marks; }

QB_API bool qb_lasso_good(const qb_lasso *l, uint32_t state, uint64_t edge, uint32_t process) {
    return qb_is_good_edge(l->p, state, edge, process);
}

QB_API uint32_t qb_lasso_renamed(const qb_lasso *l, uint64_t edge, uint32_t process) {
    return qb_renamed(l->p, edge, process);
}
