/* The ways from a stored state through a few transient ones, straight into a batch.
 *
 * What `next` makes of a transient state is written where the next records go.  Those before the first transient one stay there;
 * the others wait elsewhere until their turn comes.  So most records are never copied, and the order is that of the generator
 * of moves (moves.h), to which everything out of the ordinary is left: faults, ways that are long or endless, more
 * records than the batch has room for. */
#ifndef QB_WAYS_H
#define QB_WAYS_H

#include "quorbit.h"

#ifndef QB_DEEPEST
#define QB_DEEPEST 64u /* transient states on one way */
#endif
#define QB_WAITING 1024u /* records that wait */

/* How often a transient state was passed. */
typedef struct {
    uint32_t meta;
    uint64_t count;
} qb_passage;

typedef struct {
    uint32_t words;
    uint64_t *records; /* that wait */
    uint32_t *metas;
    uint32_t waiting;
    qb_passage *passages; /* from the present state */
    uint32_t passed;
    uint32_t rest; /* states that are left to the generator, as one of late was */
} qb_ways;

bool qb_ways_open(qb_ways *ways, uint32_t words);
void qb_ways_close(qb_ways *ways);
/* All records of a state into an empty sink; false: leave it to the generator.  `fired` counts
 * the transient states that records passed; the records are counted by whoever takes them over. */
bool qb_ways_run(qb_ways *ways, qb_next next, const void *self, const uint64_t *s, qb_sink *sink, uint64_t *fired);

#endif
