/* How many states the stored ones stand for: the orbit of a state has the group's order divided by that of its stabiliser.
 * The orders of stabilisers are few; they are collected with the number of states that have each. */
#ifndef QB_ORBITS_H
#define QB_ORBITS_H

#include "reduce.h"

typedef struct qb_orbits qb_orbits;

/* The plan is one for the whole group (QB_SYMMETRIC or QB_REFINE); orders have `limbs` words.  NULL: no memory. */
qb_orbits *qb_orbits_open(const qb_plan *plan, uint32_t limbs);
void qb_orbits_close(qb_orbits *orbits);
bool qb_orbits_add(qb_orbits *orbits, const uint64_t *s); /* false: no memory */
void qb_orbits_heed(qb_orbits *orbits, const volatile bool *stop); /* do not count any more once it is true */
uint64_t qb_orbits_view(const qb_orbits *orbits, const uint64_t **orders, const uint64_t **counts);

#endif
