/* What the tests of a partial order (stubborn.h) need where they are false, looked up by the values of fields.
 *
 * Most tests ask about one field of the state.  For each field and each of its values there is a list with one entry for each
 * test of the field: that it holds, or which rows it needs.  Values with equal lists share one.  So at the beginning of a
 * state each field is read once, and then neither a field nor a record of a test is looked at again.  A row of cases to join
 * and the row of those that are settled by it lie side by side. */
#ifndef QB_NEEDS_H
#define QB_NEEDS_H

#include "stubborn.h"

#define QB_HOLDS UINT32_MAX
#define QB_NO_FIELD UINT32_MAX

/* Where pairs of rows begin, in words: the first steps on the way to where the test holds, and the nearest gates. */
typedef struct {
    uint32_t first, gates; /* QB_HOLDS: it is not false */
} qb_pairs;

typedef struct {
    uint32_t word;
    uint8_t up, down; /* shifts that leave nothing but the field */
    uint64_t lists;   /* where in `lists` its values begin */
} qb_field;

typedef struct {
    uint32_t field, number; /* of the test in the lists of the field; QB_NO_FIELD: of the test, which has to be asked */
} qb_asked;

typedef struct {
    uint64_t *rows;
    qb_field *fields;
    uint32_t field_count;
    uint64_t *lists;          /* for each value of each field where its list begins in `entries` */
    qb_pairs *entries, *slow; /* slow: for each test that has no field */
    qb_asked *tests;          /* of each case, like test_list */
    const qb_pairs **at;      /* for each field the list of its value in the present state */
} qb_needs;

bool qb_needs_open(qb_needs *needs, const qb_partial_order *order); /* false: no memory; to be closed all the same */
void qb_needs_close(qb_needs *needs);

static inline void qb_look_up_fields(qb_needs *needs, const uint64_t *s) {
    for (uint32_t f = 0; f < needs->field_count; f++) {
        const qb_field *field = &needs->fields[f];
        needs->at[f] = needs->entries + needs->lists[field->lists + (s[field->word] << field->up >> field->down)];
    }
}

#endif
