/* How a permutation moves a packed state, and how states are compared (tables: reduce.h). */
#ifndef QB_IMAGE_H
#define QB_IMAGE_H

#include "reduce.h"

static inline uint64_t qb_get(const uint64_t *s, qb_field f) {
    return s[f.word] >> f.shift & ~0ull >> (64 - f.width); /* a field has a bit at least */
}

/* Requires: the field is zero and the code fits. */
static inline void qb_put(uint64_t *s, qb_field f, uint64_t code) { s[f.word] |= code << f.shift; }

/* The number of the value in a cell that is one. */
uint32_t qb_cell_value(const qb_plan *plan, const qb_cell *cell, const uint64_t *s);
bool qb_tables_are_sound(const qb_plan *plan);
/* t := g's image of s. */
void qb_image(const qb_plan *plan, const int32_t *g, const uint64_t *s, uint64_t *t);
/* The same for one cell, whose bits in t are zero. */
void qb_image_cell(const qb_plan *plan, const qb_cell *cell, const int32_t *g, const uint64_t *s, uint64_t *t);
/* Where a cell goes. */
const qb_cell *qb_moved_cell(const qb_plan *plan, const qb_cell *cell, const int32_t *g);
/* The atom a cell refers to: -1 for none. */
static inline int32_t qb_reference(const qb_plan *p, const qb_cell *c, const uint64_t *s) {
    if (c->length >= 0 && qb_get(s, p->lengths[c->length]) <= c->slot) return -1;
    int64_t a = (int64_t)qb_get(s, c->field) + c->low;
    return a >= 0 && a < (int64_t)p->atoms ? (int32_t)a : -1;
}
/* Negative, zero, positive: the order of canon/layout.py's state_key. */
int qb_compare_states(const qb_plan *plan, const uint64_t *a, const uint64_t *b);

#endif
