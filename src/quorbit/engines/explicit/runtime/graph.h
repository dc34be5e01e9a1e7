/* The graph of the states that a finished search has stored.
 *
 * Every state is expanded once more; of each way to a next state we keep the target, the processes that move on it, and
 * the permutation that leads from the state reached to its representative.  Sets of processes and permutations are few,
 * so edges name them by numbers in tables.  The search must have been made by one worker. */
#ifndef QB_GRAPH_H
#define QB_GRAPH_H

#include "names.h"
#include "search.h"

typedef struct {
    uint64_t states, edges, sets, permutations, cursor;
    const uint64_t *offsets; /* states + 1 */
    const uint32_t *targets, *movers, *renamings; /* per edge; movers and renamings are numbers of keys */
    const uint32_t *enabled;                      /* per state: the processes that can begin a move */
    const uint32_t *set_keys, *permutation_keys;  /* bits of atoms; images of atoms */
} qb_graph_view;

typedef struct qb_graph qb_graph;

/* actors: for every command the atom that moves, or -1.  all_edges: ways to one state that differ in movers or
 * permutation are kept apart. */
QB_API qb_graph *qb_graph_open(qb_engine *e, const int32_t *actors, uint32_t atoms, uint32_t all_edges);
QB_API void qb_graph_close(qb_graph *g);
QB_API int qb_graph_step(qb_graph *g, double seconds); /* QB_RUNNING, QB_DONE, QB_MEMORY or another limit */
QB_API void qb_graph_view_of(const qb_graph *g, qb_graph_view *view);
/* For every state 0 if the program's check finds nothing broken, 1 if it does, 2 if it cannot tell; false: no memory. */
QB_API bool qb_graph_label(const qb_engine *e, const qb_program *program, uint8_t *labels);

#endif
