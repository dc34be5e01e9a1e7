/* The bits of an atom as one column.  Where all that an atom owns lies together in one word, and alike for all atoms that
 * can stand for each other, a permutation moves it as a whole; only the references inside are renamed. */
#ifndef QB_COLUMNS_H
#define QB_COLUMNS_H

#include "image.h"

typedef struct {
    int32_t atom;
    qb_field field;
    uint32_t first, count; /* of the references inside */
} qb_column;

typedef struct {
    uint8_t shift, width; /* within the column */
    int32_t low;
    uint32_t kind;
} qb_inner;

typedef struct {
    bool good; /* columns describe the plan; else images are made bit by bit */
    uint32_t column_count, other_count;
    qb_column *columns;
    qb_field *fields; /* of the columns, by atom */
    qb_inner *inners;
    uint32_t *others; /* cells that belong to no column */
} qb_columns;

bool qb_columns_open(qb_columns *columns, const qb_plan *plan); /* false: no memory */
void qb_columns_close(qb_columns *columns);
/* t := g's image of s. */
void qb_move(const qb_columns *columns, const qb_plan *plan, const int32_t *g, const uint64_t *s, uint64_t *t);

#endif
