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

/* A reference within the column; in a slot of a queue it is one if the length, in the column as well, is at least `need`. */
typedef struct {
    uint8_t shift, width, length_shift, length_width;
    int32_t low;
    uint64_t mask, length_mask; /* of the codes; a queue's length or 0 */
    uint32_t need, kind;
} qb_inner;

/* A reference that no atom holds. */
typedef struct {
    qb_field field;
    int32_t low;
} qb_loose;

/* Those in the slots of one queue, first slot first. */
typedef struct {
    qb_field length;
    uint32_t first, count;
} qb_queue;

typedef struct {
    bool good; /* columns describe the plan; else images are made bit by bit */
    uint32_t column_count, other_count;
    qb_column *columns;
    qb_field *fields; /* of the columns, by atom */
    qb_inner *inners;
    qb_loose *loose; /* first those in no queue */
    uint32_t *slots; /* of the others */
    qb_queue *queues;
    uint32_t loose_count, queue_count; /* loose_count: in no queue */
    uint32_t *others; /* cells that are none of these */
    int32_t *renames; /* scratch: what atom number k - 1 becomes; none, and what is not an atom, stays */
} qb_columns;

bool qb_columns_open(qb_columns *columns, const qb_plan *plan); /* false: no memory */
void qb_columns_close(qb_columns *columns);
/* t := g's image of s. */
void qb_move(const qb_columns *columns, const qb_plan *plan, const int32_t *g, const uint64_t *s, uint64_t *t);

#endif
