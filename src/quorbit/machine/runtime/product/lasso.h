/* Ways through a product in which an accepting cycle was found: to its nodes, and round among them. */
#ifndef QB_LASSO_H
#define QB_LASSO_H

#include "product.h"

enum { QB_TO_MARK, QB_TO_NODE, QB_TO_GOOD };

typedef struct {
    uint64_t length;
    const uint64_t *edges; /* numbers of edges of the graph, UINT64_MAX for stuttering */
    uint32_t start, node, found, ends; /* start: the state in which the way begins; ends: whatever follows is accepted */
} qb_way;

typedef struct qb_lasso qb_lasso;

QB_API qb_lasso *qb_lasso_open(qb_product *p); /* after QB_FOUND, or where sets of nodes were kept */
QB_API void qb_lasso_close(qb_lasso *lasso);
/* A shortest way from a root to a node of a cycle, which is then the cycle; comes first.  false: no memory. */
QB_API bool qb_lasso_stem(qb_lasso *lasso, qb_way *way);
/* A shortest way among the nodes of the cycle.  QB_TO_MARK: its last edge has one of the marks (any edge if there are
 * none); QB_TO_NODE: it ends in the node; QB_TO_GOOD: its last edge is good for the process with this number at the
 * beginning.  found: whether there is one. */
QB_API bool qb_lasso_way(qb_lasso *lasso, uint32_t node, int kind, uint64_t marks, uint32_t goal, qb_way *way);
/* The marks that the edges of the last way have together. */
QB_API uint64_t qb_lasso_marks(const qb_lasso *lasso);
QB_API bool qb_lasso_good(const qb_lasso *lasso, uint32_t state, uint64_t edge, uint32_t process);
QB_API uint32_t qb_lasso_renamed(const qb_lasso *lasso, uint64_t edge, uint32_t process);

#endif
