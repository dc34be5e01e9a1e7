/* Fairness of processes in a strongly connected set of nodes of a product.
 *
 * An edge renames the processes.  The thread of a process is the sequence of its numbers along a path; inside a strongly
 * connected set, pairs of a node and a number fall into classes that no edge leaves, and each class is strongly
 * connected.  Weak fairness: every class has an edge on which its process moves or cannot.  Strong fairness: a class
 * without an edge on which its process moves has no node in which it can: such nodes are left out, and the components
 * that remain are looked at again (Gyuris and Sistla 1999; Emerson and Lei 1987). */
#ifndef QB_FAIR_H
#define QB_FAIR_H

#include "product.h"

/* 1: there is a fair cycle with all marks, whose nodes are kept (qb_keep_core); 0: there is none; -1: no memory. */
int qb_find_fair(qb_product *p, const uint32_t *nodes, uint64_t n);
/* Whether an edge is good for a process, by its number before the edge. */
bool qb_is_good_edge(const qb_product *p, uint32_t state, uint64_t edge, uint32_t process);

static inline uint32_t qb_renamed(const qb_product *p, uint64_t edge, uint32_t process) {
    return edge == QB_STUTTER ? process : qb_key(&p->g->permutations, qb_log_naming(&p->g->log, edge).renaming)[process];
}

#endif
