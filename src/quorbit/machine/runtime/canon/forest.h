/* Symmetric groups inside symmetric groups: products and wreath products, references included.
 *
 * Atoms that always move together are one *unit*.  Units, and *blocks* of units, are exchanged with their *siblings*: a set
 * of siblings lists columns of equal width, of one unit each or of a block each, and sets inside blocks come before the set
 * that exchanges the blocks.  The group is everything that sorting the sets one after the other can do.
 *
 * A state says something of each unit alone, and joins units (edges) by the references it holds.  What an edge means is
 * written down for every reference and every code it may hold, so looking at a state takes no jump.  The label of an edge
 * tells how many blocks its ends share. */
#ifndef QB_FOREST_H
#define QB_FOREST_H

#include "reduce.h"

#define QB_MOST_UNITS 64u

typedef struct {
    uint32_t columns, width, first; /* units, column after column, from `first` on in `members` */
} qb_siblings;

typedef struct {
    uint32_t first, count; /* in `members` */
    uint64_t label;
} qb_block;

/* A reference; it is one if the length of its queue is at least `need`. */
typedef struct {
    qb_field field, length;
    uint64_t mask;
    uint32_t need, entries, owner; /* owner: a unit, or unit_count for none of them */
} qb_pointer;

/* What it means that a pointer holds a code. */
typedef struct {
    uint64_t said, told, label; /* of the owner, of the unit it refers to; of the edge */
    uint32_t target;            /* a unit, or unit_count */
    uint16_t level, joins;      /* blocks that both ends share; whether there is an edge */
} qb_meaning;

/* A number that belongs to two units, or to one and an atom that stays. */
typedef struct {
    qb_field field;
    uint64_t label;
    uint32_t a, b, level; /* b == unit_count: to a alone */
} qb_bond;

typedef struct {
    uint64_t out, in; /* labels, seen from each end */
    uint32_t a, b, level;
} qb_link;

typedef struct qb_forest {
    uint32_t unit_count, set_count, block_count, pointer_count, bond_count;
    uint32_t *starts;     /* of each unit, and the end: its atoms in `atoms` */
    int32_t *atoms;
    uint32_t *run_starts; /* the same for its runs */
    qb_field *runs;
    uint64_t *first_colours;
    qb_siblings *sets;
    uint32_t *members;
    int32_t *twins; /* of each unit the set in which it is a column by itself, or -1 */
    qb_block *blocks;
    uint8_t *levels; /* by two units: how many blocks hold both */
    qb_pointer *pointers;
    qb_meaning *meanings;
    qb_bond *bonds;
    /* scratch */
    qb_link *links;
    uint32_t link_count, *at, ties[QB_MOST_UNITS + 1];
    uint64_t *sums;
} qb_forest;

/* From the table of a node: units with their class and atoms, sets of siblings.  NULL: it is unsound, or memory is short. */
qb_forest *qb_forest_open(const qb_plan *plan, const int64_t *table, uint64_t count, uint64_t *taken);
void qb_forest_close(qb_forest *forest);

#endif
