/* Symmetric groups inside symmetric groups: products and wreath products, references included.
 *
 * Units (units.h), and *blocks* of units, are exchanged with their *siblings*: a set of siblings lists columns of equal
 * width, of one unit each or of a block each, and sets inside blocks come before the set that exchanges the blocks.  The
 * group is everything that sorting the sets one after the other can do.  The label of a link tells how many blocks its ends
 * share. */
#ifndef QB_FOREST_H
#define QB_FOREST_H

#include "units.h"

#define QB_MOST_UNITS 64u

typedef struct {
    uint32_t columns, width, first; /* units, column after column, from `first` on in `members` */
} qb_siblings;

typedef struct {
    uint32_t first, count; /* in `members` */
    uint64_t label;
} qb_block;

typedef struct qb_forest {
    qb_units units; /* the level of two: how many blocks hold both */
    uint32_t set_count, block_count;
    qb_siblings *sets;
    uint32_t *members;
    int32_t *twins; /* of each unit the set in which it is a column by itself, or -1 */
    qb_block *blocks;
    /* scratch */
    uint32_t *at, ties[QB_MOST_UNITS + 1];
    uint64_t *sums;
} qb_forest;

/* From the table of a node: units with their class and atoms, sets of siblings.  NULL: it is unsound, or memory is short. */
qb_forest *qb_forest_open(const qb_plan *plan, const int64_t *table, uint64_t count, uint64_t *taken);
void qb_forest_close(qb_forest *forest);

#endif
