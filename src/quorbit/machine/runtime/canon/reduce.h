/* From a state to the representative of its orbit.
 *
 * What Python knows about places and atoms arrives here as tables over the bits of a packed state:
 *   runs   bits that belong to one atom and say nothing of others; an atom moves with its runs;
 *   cells  all other bits that move or change: places with several owners, references to atoms;
 *   keep   the bits that stay where and what they are;
 *   units  the places in the order in which states are compared.
 * A plan is a tree of nodes over these tables (canon/plan.py); a reducer is a plan with the scratch of one thread and a
 * direct-mapped cache from states to representatives. */
#ifndef QB_REDUCE_H
#define QB_REDUCE_H

#include "quorbit.h"
#include "values.h"

#define QB_MOST_OWNERS 3
#define QB_IS_ATOM 1u  /* a cell that refers to an atom */
#define QB_IS_VALUE 2u /* a cell that holds the number of a value with atoms in it (values.h) */
#define QB_MOST_ATOMS 1024

typedef struct {
    uint16_t word;
    uint8_t shift, width;
} qb_field;

typedef struct {
    qb_field field;
    int32_t low; /* QB_IS_VALUE: the form */
    uint32_t is_atom, kind, family; /* is_atom: 0, QB_IS_ATOM, QB_IS_VALUE */
    int32_t length; /* the field of the length of the queue this is a slot of, or -1 */
    uint32_t slot, owner_count;
    uint32_t elements; /* so many of the owners, the last ones, are the atoms of a thing in a set */
    /* QB_IS_VALUE: slot is 0 where the field holds the value's number; else the value is a set in the bits of the value
     * fields from `elements` on, and slot - 1 is its universe */
    int32_t owners[QB_MOST_OWNERS];
} qb_cell;

/* Fields that together are one number (is_set 0), one set (1), the number of a value (2), or a set of values of the
 * universe numbered is_set - 3. */
typedef struct {
    uint32_t is_set, first, count;
} qb_unit;

/* The kinds of nodes: the first number of each in the table of a plan. */
enum {
    QB_IDENTITY,
    QB_ENUMERATE,
    QB_CHAIN,
    QB_SWAPS,
    QB_SORT,
    QB_TURN,
    QB_DESCEND,
    QB_ORBIT,
    QB_REFINE,
    QB_SYMMETRIC,
    QB_MARK,
    QB_FOREST,
    QB_COSETS
};

typedef struct {
    uint32_t words, atoms, run_count, cell_count, family_count, length_count, unit_count, unit_field_count;
    uint32_t cache_bits, unused;
    uint64_t node_count;
    const uint32_t *run_starts; /* of each atom, and the end */
    const qb_field *runs;
    const qb_cell *cells;
    const int32_t *families; /* cell by kind and owners, -1 where there is none */
    const qb_field *lengths;
    const uint64_t *keep;
    const qb_unit *units;
    const qb_field *unit_fields;
    const int64_t *nodes;
    qb_values *values; /* NULL if no cell is one */
    const qb_field *value_fields;
    uint64_t value_field_count;
} qb_plan;

/* Whether an atom can take the place of another: their runs have the same widths. */
bool qb_can_stand_for(const qb_plan *plan, int32_t a, int32_t b);

typedef struct qb_reducer qb_reducer;

QB_API qb_reducer *qb_reducer_open(const qb_plan *plan); /* NULL if the tables are unsound or memory is short */
QB_API void qb_reducer_close(qb_reducer *reducer);
QB_API void qb_reduce(qb_reducer *reducer, uint64_t *s);
QB_API void qb_reduce_all(qb_reducer *reducer, uint64_t *states, uint64_t count);
/* The same without the cache; g becomes a permutation that maps s to its representative. */
QB_API void qb_reduce_witness(qb_reducer *reducer, uint64_t *s, int32_t *g);
uint64_t qb_reducer_hits(const qb_reducer *reducer);
void qb_reducer_heed(qb_reducer *reducer, const volatile bool *stop); /* stop early, with any result, once it is true */

#endif
