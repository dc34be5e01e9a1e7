/* What states are, whatever numbers interned values have in this process: a hash and an order that all processes share. */
#ifndef QB_STRUCTURE_H
#define QB_STRUCTURE_H

#include "reduce.h"
#include "store.h"
#include "values.h"

typedef struct {
    uint32_t words, field_count;
    qb_field *fields;  /* that hold numbers of values */
    uint64_t *plain;   /* the bits of each word that do not */
    qb_values *values;
    uint64_t *hashes; /* of values, by number, as far as they were asked for; 0: not yet */
    uint64_t hash_room;
    uint64_t *scratch;
    bool failed; /* memory was short: hashes are not to be trusted */
} qb_structure;

bool qb_structure_open(qb_structure *x, uint32_t words, qb_values *values, const qb_field *fields, uint32_t field_count);
void qb_structure_close(qb_structure *x);
uint64_t qb_structural_hash(qb_structure *x, const uint64_t *s);
int qb_structural_order(const qb_structure *x, const uint64_t *a, const uint64_t *b); /* negative, zero, positive */

static inline uint32_t qb_value_in(const uint64_t *s, qb_field f) { return (uint32_t)(s[f.word] >> f.shift); }

static inline void qb_put_value(uint64_t *s, qb_field f, uint32_t number) {
    s[f.word] = (s[f.word] & ~((uint64_t)0xffffffffu << f.shift)) | (uint64_t)number << f.shift;
}

#endif
