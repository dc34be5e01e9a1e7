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
#include "letters.h"

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
    uint32_t root_count, last_first; /* last_first: of the edges of a state the last comes first */
    const uint32_t *roots;
    const uint8_t *ends; /* for each state of the automaton, whether it accepts whatever follows: then nobody looks further */
} qb_question;

typedef struct {
    uint32_t state, automaton;
    uint32_t place; /* among the open nodes */
} qb_pair;

typedef struct {
    uint32_t node, step; /* the step that comes next */
    uint32_t at, turned; /* the edge that comes next (qb_edges) */
    uint32_t mover;      /* fairness: who moved on the edge that led here */
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

typedef struct qb_trim qb_trim; /* trim.h */

typedef struct qb_product {
    qb_graph *g;
    qb_question q;
    int64_t *registers;
    qb_names letters;
    uint32_t *key;
    qb_letter_list letter_of;
    uint64_t row_count, row_room, step_count, step_room;
    uint64_t *rows; /* automaton_states + 1 offsets of steps for each letter */
    qb_step_to *steps;
    uint64_t node_count, node_room, open_count, open_room, depth, depth_room, component_count, component_room;
    qb_pair *nodes;
    uint32_t *node_slots; /* a hash table of the nodes: 1 + the number of each */
    uint64_t node_slot_room;
    uint32_t *open;
    qb_frame *frames;
    qb_component *components;
    uint32_t root, missing_letter;
    uint64_t bad_state, bad_proposition, deepest;
    uint32_t *core; /* nodes among which there are accepting cycles, set after set */
    uint64_t core_count, core_room, *core_ends, core_sets, core_set_room;
    uint32_t *place_in; /* 1 + the place of a node in the set that is being looked at, or 0 */
    uint64_t place_room;
    qb_trim *trim; /* NULL: none is under way */
} qb_product;

typedef struct {
    uint64_t nodes, deepest, cores, letter, bad_state, bad_proposition;
    const uint32_t *key; /* of the letter that is asked for */
} qb_product_view;

QB_API qb_product *qb_product_open(qb_graph *g, const qb_question *question);
QB_API void qb_product_close(qb_product *p);
/* QB_DONE: all was looked at; QB_FOUND: an accepting cycle, the first; QB_LETTER: a row is asked for (qb_product_row, then go on);
 * QB_NO_VALUE: a proposition has no value in a state; QB_RUNNING: time is up; else as qb_graph_widen. */
QB_API int qb_product_step(qb_product *p, uint64_t most_nodes, double seconds); /* QB_RUNNING too when there are so many */
QB_API bool qb_product_row(qb_product *p, const uint32_t *counts, const uint32_t *targets, const uint64_t *marks);
QB_API void qb_product_view_of(const qb_product *p, qb_product_view *view);
QB_API void qb_product_good(const qb_product *p, uint8_t *flags); /* for every root */

/* What the automaton does in a state whose letter is known: its steps are those between the two numbers. */
static inline const uint64_t *qb_row(const qb_product *p, uint32_t state, uint32_t automaton) {
    return p->rows + (uint64_t)qb_letter_of(&p->letter_of, state) * (p->q.automaton_states + 1) + automaton;
}

static inline bool qb_is_end(const qb_product *p, uint32_t automaton) { return p->q.ends[automaton] != 0; }

static inline uint64_t qb_node_home(const qb_product *p, uint32_t state, uint32_t automaton) {
    return qb_mix(state, 0x9e3779b97f4a7c15ull + 2ull * automaton) & (p->node_slot_room - 1);
}

static inline uint32_t qb_find_node(const qb_product *p, uint32_t state, uint32_t automaton) {
    if (p->node_slot_room == 0) return QB_NO_NODE;
    for (uint64_t at = qb_node_home(p, state, automaton);; at = (at + 1) & (p->node_slot_room - 1)) {
        uint32_t slot = p->node_slots[at];
        if (slot == 0) return QB_NO_NODE;
        if (p->nodes[slot - 1].state == state && p->nodes[slot - 1].automaton == automaton) return slot - 1;
    }
}

/* The edges of a product's node: for each step of the automaton the edges of the state, from `begin` round to it again.
 * A state that is not expanded has none.  Requires that the state's letter is known. */
typedef struct {
    uint64_t step, last_step;
    qb_entry entry;
    uint64_t begin, at;
    bool turned;  /* the last edge of the state was taken, and those before `begin` come */
    bool stutters; /* there is one edge, back to the state */
    uint32_t state;
} qb_edges;

/* entry: NULL if the state is not expanded. */
static inline qb_edges qb_edges_in(const qb_product *p, const qb_entry *entry, uint32_t state, uint32_t automaton) {
    if (entry == NULL) return (qb_edges){.state = state};
    const uint64_t *row = qb_row(p, state, automaton);
    qb_edges edges = {.step = row[0], .last_step = row[1], .entry = *entry, .state = state};
    edges.stutters = p->q.stutters && entry->length == 0;
    if (entry->length == 0 && !edges.stutters) edges.last_step = edges.step;
    return edges;
}

static inline qb_edges qb_edges_of(const qb_product *p, uint32_t node) {
    const qb_pair *v = &p->nodes[node];
    if (!qb_is_expanded(p->g, v->state)) return qb_edges_in(p, NULL, v->state, v->automaton);
    qb_entry entry = qb_log_entry(&p->g->log, v->state);
    return qb_edges_in(p, &entry, v->state, v->automaton);
}

typedef struct {
    uint64_t edge, marks;
    uint32_t state, automaton;
} qb_edge;

static inline void qb_next_step(qb_edges *edges) {
    edges->at = edges->begin;
    edges->turned = false;
    edges->step++;
}

/* The next edge; false: there is none. */
static inline bool qb_next_edge(const qb_product *p, qb_edges *edges, qb_edge *found) {
    if (edges->step == edges->last_step) return false;
    const qb_step_to *step = &p->steps[edges->step];
    *found = (qb_edge){QB_STUTTER, step->marks, edges->state, step->target};
    if (edges->stutters) {
        edges->step++;
        return true;
    }
    found->edge = edges->entry.name + edges->at;
    found->state = qb_read_target(edges->entry.bytes, &edges->at, edges->entry.anchor);
    if (p->g->log.followed) {
        qb_read_number(edges->entry.bytes, &edges->at);
        qb_read_number(edges->entry.bytes, &edges->at);
    }
    if (edges->at == edges->entry.length && !edges->turned) {
        edges->turned = true;
        edges->at = 0;
    }
    if (edges->turned && edges->at == edges->begin) qb_next_step(edges);
    return true;
}

/* What the automaton does in a state is known: QB_RUNNING; else QB_LETTER, QB_NO_VALUE or QB_MEMORY. */
int qb_need_letter(qb_product *p, uint32_t state);
bool qb_grow_array(void **array, uint64_t *room, uint64_t needed, size_t size);
bool qb_keep_core(qb_product *p, const uint32_t *nodes, uint64_t n); /* false: no memory */
bool qb_place_nodes(qb_product *p, const uint32_t *nodes, uint64_t n); /* sets place_in; false: no memory */
void qb_unplace_nodes(qb_product *p, const uint32_t *nodes, uint64_t n);

#endif
