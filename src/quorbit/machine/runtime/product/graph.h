/* The graph of the states, one per orbit, as far as it was asked for.
 *
 * States are those of the engine's store; a state is expanded when somebody looks at its edges, or all are in the order of
 * their numbers, which is that of a breadth-first search.  An edge (edge_log.h) is its target; where processes are followed
 * (fairness) also the processes that move on it and what becomes of each process when the state reached is replaced by its
 * representative.  Sets of processes and renamings are few, so edges name them by numbers in tables.  Processes are numbered 0, 1, ... among themselves.
 *
 * With partial-order reduction a state has the edges of a stubborn set, if all of them lead to states that are not expanded
 * yet, else all its edges: so on every cycle some state has all of them.  Each state is expanded once, so what its edges are
 * does not depend on the product that asks for them.
 * One worker only. */
#ifndef QB_GRAPH_H
#define QB_GRAPH_H

#include "edge_log.h"
#include "key_numbers.h"
#include "search.h"

typedef struct {
    const int32_t *actors;    /* for every command the process that moves, or -1 */
    const int32_t *processes; /* for every process its atom */
    uint32_t process_count, atoms;
    uint32_t follow; /* whether processes are followed */
    uint32_t unused;
} qb_cast;

typedef struct qb_graph {
    qb_engine *e;
    qb_worker *w;
    qb_cast cast;
    int32_t *process_of; /* for every atom its process, or -1 */
    int wanted; /* of the commands that can run in the state that is expanded: partial order */
    qb_sink sink;
    uint64_t *fired; /* of one way, where processes are followed */
    uint64_t *hashes, *stored; /* stored: the records as the store holds them; NULL: as they are */
    uint32_t *mask, *renaming; /* keys under construction */
    int32_t *witness;
    uint32_t *enabled; /* of each state the number of a set, where processes are followed */
    uint64_t enabled_room, edge_count;
    qb_edge_log log;
    qb_bundle bundle; /* of the state that is expanded */
    qb_names sets, permutations;
} qb_graph;

typedef struct {
    uint64_t states, edges, expanded;
    const uint32_t *set_keys, *permutation_keys;
} qb_graph_view;

QB_API qb_graph *qb_graph_open(qb_engine *e, const qb_cast *cast);
QB_API void qb_graph_close(qb_graph *g);
/* Expand states in the order of their numbers: QB_DONE when all or so many are, QB_RUNNING when time is up, QB_FAILED at
 * a run-time error (qb_ask knows where), or a limit. */
QB_API int qb_graph_widen(qb_graph *g, uint64_t most, double seconds);
QB_API void qb_graph_view_of(const qb_graph *g, qb_graph_view *view);
QB_API uint32_t qb_graph_target(const qb_graph *g, uint32_t source, uint64_t edge);
QB_API uint32_t qb_graph_movers(const qb_graph *g, uint64_t edge); /* the number of a set; where processes are followed */
QB_API uint32_t qb_graph_renaming(const qb_graph *g, uint64_t edge);
/* For every state 0 if the program's check finds nothing broken, 1 if it does, 2 if it cannot tell; false: no memory. */
QB_API bool qb_graph_label(const qb_engine *e, const qb_program *program, uint8_t *labels);

int qb_graph_expand(qb_graph *g, uint32_t state); /* QB_RUNNING if all is well */

static inline bool qb_is_expanded(const qb_graph *g, uint32_t state) { return qb_log_has(&g->log, state); }

static inline const uint32_t *qb_key(const qb_names *names, uint32_t number) {
    return names->keys + (uint64_t)number * names->length;
}

static inline bool qb_bit(const uint32_t *set, uint32_t i) { return set[i / 32] >> (i % 32) & 1; }

#endif
