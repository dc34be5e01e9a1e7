/* Whether a product has an accepting cycle, found out with few bits for each node.
 *
 * A node is a pair of a stored state and a state of the automaton, numbered by both; sets of nodes are bits.  From the nodes
 * that the roots reach, those are left out which no edge with a mark leads to, for each mark in turn, and then, one after
 * the other, those without a predecessor among the rest; and so on, until nothing changes.  What remains is empty exactly
 * if there is no accepting cycle: of its strongly connected components take one without predecessors; it has a cycle, and
 * edges with all marks (Cerna and Pelanek, Distributed explicit fair cycle detection, 2003).  Fairness is not looked at: an
 * empty rest leaves nothing to be fair.
 *
 * Nodes wait in a set of bits too, and are taken in the order of their numbers, which is nearly that of a breadth-first
 * search: the edges are read from one end to the other.  Predecessors are counted in one byte; a full byte stays full until
 * they are counted again. */
#ifndef QB_TRIM_H
#define QB_TRIM_H

#include "product.h"

/* Looks at the states that are expanded by now.  QB_FOUND: something remains; QB_DONE: nothing does; the others as
 * qb_product_step, and then it goes on where it was. */
QB_API int qb_product_trim(qb_product *p, double seconds);
void qb_trim_close(qb_trim *trim);

#endif
