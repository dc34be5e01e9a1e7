/* A small group written out: what each of its elements makes of each part of a state, in tables.
 *
 * A permutation moves every field and renames every reference by itself, so the image of a state is the exclusive or of
 * the images of its parts of a few bits, and all of them can be looked up.  An empty slot of a queue holds zero, which in
 * a full one may be an atom: the table of the length takes away what the tables of the slots say of the empty ones.
 *
 * Of all images the one with the least key is taken, a key of 16 bits that is linear in the bits of the image: its tables
 * hold one number for each element side by side, eight of which are one vector.  Images with equal keys are compared. */
#ifndef QB_TABULATE_H
#define QB_TABULATE_H

#include "columns.h"
#include "least_key.h"

/* Bits of one word that are looked up together. */
typedef struct {
    uint16_t word;
    uint8_t shift, width;
    uint32_t mask, first; /* of the value; the row of value 0 */
} qb_part;

typedef struct {
    bool good; /* false: the states have parts that cannot be tabulated */
    uint32_t count, blocks, part_count, row_count, words;
    const int32_t *elements;
    qb_part *parts;
    uint64_t *keep; /* the bits that stay where and what they are */
    qb_eight *keys;   /* by row: `blocks` vectors, the keys of the elements */
    qb_eight *sums;   /* scratch: the keys of the images of a state */
    uint64_t *images; /* by element and row: the words; NULL: too large a table */
} qb_tables;

/* false: no memory. */
bool qb_tables_open(qb_tables *t, const qb_plan *plan, const int32_t *elements, uint32_t count);
void qb_tables_close(qb_tables *t);

#endif
