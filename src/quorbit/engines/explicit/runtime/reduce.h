/* From a state to the representative of its orbit; see canon*.c. */
#ifndef QB_REDUCE_H
#define QB_REDUCE_H

#include "quorbit.h"

typedef struct qb_plan qb_plan;
typedef struct qb_reducer qb_reducer; /* a plan with the scratch of one thread */

qb_reducer *qb_reducer_open(const qb_plan *plan, uint32_t words);
void qb_reducer_close(qb_reducer *reducer);
void qb_reduce(qb_reducer *reducer, uint64_t *s);
uint64_t qb_reducer_hits(const qb_reducer *reducer);

#endif
