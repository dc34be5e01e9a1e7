/* All ways from a stored state to the next stored ones, through transient states.
 *
 * A depth-first stack of nodes; a node that was expanded stays below its children until they are done, so that the path
 * to any node is found by following `parent`.  A way that comes back to the state of its anchor never ends (Brent).  The generator stops whenever the sink is full or time is up and goes on
 * where it was. */
#ifndef QB_MOVES_H
#define QB_MOVES_H

#include "quorbit.h"
#include "stubborn.h"

#define QB_NO_COMMAND QB_COMMAND /* the meta word of the root */
#define QB_LONGEST_TRANSIENT 100000u

typedef struct {
    uint64_t parent;
    uint64_t anchor; /* the node on the way to this one whose depth is the last power of two, itself included */
    uint32_t meta, depth;
    bool expanded;
} qb_node;

typedef struct {
    const qb_program *program;
    uint32_t words, made; /* of a state; of a record that `next` makes: the state and the call */
    uint32_t stride;      /* of a record here: with two words more, it tells the calls of the whole way by their hash */
    uint64_t n, capacity;
    qb_node *nodes;
    uint64_t *states;
    qb_sink scratch;
    bool moved; /* some way was found */
    qb_chooser *chooser; /* NULL: all ways are wanted */
    uint32_t *firsts;    /* for the chooser: the first commands of the records in the sink */
    int wanted; /* of the commands that can run in the state; QB_ALL_OF_THEM once all are found to be */
    bool keeps_way; /* the commands of the last way are wanted */
    uint32_t *way;
    uint64_t way_length, way_room;
} qb_moves;

bool qb_moves_open(qb_moves *moves, const qb_program *program, uint32_t stride);
void qb_moves_close(qb_moves *moves);
bool qb_moves_begin(qb_moves *moves, const uint64_t *s, int wanted);
/* 1: all found; 0: more to come; negative: what `next` returned, or QB_NO_MEMORY.  `fired` counts by the numbers of commands and
 * chains (qb_numbered). */
int64_t qb_moves_more(qb_moves *moves, qb_next next, const void *self, qb_sink *sink, uint64_t *fired, double deadline);

#define QB_NO_MEMORY (-4)

#endif
