/* The product of the state graph with a generalised Büchi automaton, searched for an accepting cycle while it grows.
 *
 * A node is a pair of a state and a state of the automaton, which reads the letter of the state it leaves: the set of the
 * propositions that hold there.  Letters are named by numbers; what the automaton does on a letter is told by the caller
 * when the letter is first met (QB_LETTER), as a row: for each of its states the steps, a target and marks.  A cycle is
 * accepted if its steps together have all marks, and if it is fair.
 *
 * The search is depth-first and keeps the strongly connected components of the nodes it has not left (Couvreur, On-the-fly
 * verification of linear temporal logic, 1999): a component that collects all marks ends it.  It may also go on, and keep
 * all components with accepting cycles, or say of each root whether one can be reached. */
#ifndef QB_PRODUCT_H
#define QB_PRODUCT_H

#include "graph.h"

enum { QB_FOUND = 16, QB_LETTER, QB_NO_VALUE };
enum { QB_UNFAIR, QB_WEAK, QB_STRONG };
enum { QB_FIND_FIRST, QB_FIND_ALL, QB_FIND_ROOTS };

#define QB_NO_NODE 0xffffffffu
#define QB_STUTTER UINT64_MAX /* the edge of a state without moves to itself */
#define QB_LEFT 0xffffffffu   /* the place of a node whose component is complete */
#define QB_LEFT_GOOD 0xfffffffeu

typedef struct {
    uint32_t program_count, label_count;
    const qb_program *programs; /* for each proposition two: is it broken, is its negation broken, as invariants */
    const uint8_t *certain;     /* for each proposition, whether it always has a value */
    const uint8_t *const *labels; /* propositions of all states that are known already */
    uint64_t all;                 /* marks */
    uint32_t automaton_states, automaton_initial;
    uint32_t fairness, stutters, expands, aim; /* expands: looks beyond the states that are expanded already */
    uint32_t root_count, unused;
    const uint32_t *roots;
} qb_question;

typedef struct {
    uint32_t state, automaton, next; /* next: another node of the same state */
    uint32_t place;                  /* among the open nodes */
} qb_pair;

typedef struct {
    uint32_t node, step, edge; /* the step and the edge that come next */
    uint32_t mover;            /* fairness: who moved on the edge that led here */
} qb_frame;

typedef struct {
    uint64_t marks, before; /* in the component; on the edge that leads to it */
    uint32_t place, judged; /* of its first node; how many nodes it had when its fairness was last looked at */
    bool cyclic, good;      /* has a cycle; can reach an accepting one */
} qb_component;

typedef struct {
    uint32_t target, unused;
    uint64_t marks;
} qb_step_to;

typedef struct qb_product {
    qb_graph *g;
    qb_question q;
    int64_t *registers;
    qb_names letters;
    uint32_t *key;
    uint64_t letter_room; /* of the states whose letters and first nodes there is room for */
    uint32_t *letter_of, *first_node;
    uint64_t row_count, row_room, step_count, step_room;
    uint64_t *rows; /* automaton_states + 1 offsets of steps for each letter */
    qb_step_to *steps;
    uint64_t node_count, node_room, open_count, open_room, depth, depth_room, component_count, component_room;
    qb_pair *nodes;
    uint32_t *open;
    qb_frame *frames;
    qb_component *components;
    uint32_t root, missing_letter;
    uint64_t bad_state, bad_proposition, deepest;
    uint32_t *core; /* nodes among which there are accepting cycles, set after set */
    uint64_t core_count, core_room, *core_ends, core_sets, core_set_room;
    uint32_t *place_in; /* 1 + the place of a node in the set that is being looked at, or 0 */
    uint64_t place_room;
} qb_product;

typedef struct {
    uint64_t nodes, deepest, cores, letter, bad_state, bad_proposition;
    const uint32_t *key; /* of the letter that is asked for */
} qb_product_view;

QB_API qb_product *qb_product_open(qb_graph *g, const qb_question *question);
QB_API void qb_product_close(qb_product *p);
/* QB_DONE: all was looked at; QB_FOUND: an accepting cycle, the first; QB_LETTER: a row is asked for (qb_product_row, then go on);
 * QB_NO_VALUE: a proposition has no value in a state; QB_RUNNING: time is up; else as qb_graph_widen. */
QB_API int qb_product_step(qb_product *p, double seconds);
QB_API bool qb_product_row(qb_product *p, const uint32_t *counts, const uint32_t *targets, const uint64_t *marks);
QB_API void qb_product_view_of(const qb_product *p, qb_product_view *view);
QB_API void qb_product_good(const qb_product *p, uint8_t *flags); /* for every root */

static inline uint32_t qb_find_node(const qb_product *p, uint32_t state, uint32_t automaton) {
    uint32_t v = p->first_node[state];
    while (v != QB_NO_NODE && p->nodes[v].automaton != automaton) v = p->nodes[v].next;
    return v;
}

/* The edges of a product's node: for each step of the automaton the edges of the state, from the one at `shift` on.  A state
 * that is not expanded has none.  Requires that the state's letter is known. */
typedef struct {
    uint64_t step, last_step, first;
    uint32_t edge, degree, shift, state;
    bool stutters;
} qb_edges;

static inline qb_edges qb_edges_of(const qb_product *p, uint32_t node) {
    const qb_pair *v = &p->nodes[node];
    const uint64_t *row = p->rows + (uint64_t)p->letter_of[v->state] * (p->q.automaton_states + 1) + v->automaton;
    uint32_t degree = p->g->degrees[v->state];
    bool stutters = p->q.stutters && degree == 0;
    if (stutters) degree = 1;
    if (degree == QB_UNEXPANDED) degree = 0;
    return (qb_edges){row[0], degree == 0 ? row[0] : row[1], p->g->starts[v->state], 0, degree, 0, v->state, stutters};
}

typedef struct {
    uint64_t edge, marks;
    uint32_t state, automaton;
} qb_edge;

/* The next edge; false: there is none. */
static inline bool qb_next_edge(const qb_product *p, qb_edges *edges, qb_edge *found) {
    if (edges->step == edges->last_step) return false;
    const qb_step_to *step = &p->steps[edges->step];
    uint32_t place = edges->edge + edges->shift;
    if (place >= edges->degree) place -= edges->degree;
    found->edge = edges->stutters ? QB_STUTTER : edges->first + place;
    found->marks = step->marks;
    found->state = edges->stutters ? edges->state : p->g->targets[found->edge];
    found->automaton = step->target;
    if (++edges->edge == edges->degree) {
        edges->edge = 0;
        edges->step++;
    }
    return true;
}

bool qb_grow_array(void **array, uint64_t *room, uint64_t needed, size_t size);
bool qb_keep_core(qb_product *p, const uint32_t *nodes, uint64_t n); /* false: no memory */
bool qb_place_nodes(qb_product *p, const uint32_t *nodes, uint64_t n); /* sets place_in; false: no memory */
void qb_unplace_nodes(qb_product *p, const uint32_t *nodes, uint64_t n);

#endif
