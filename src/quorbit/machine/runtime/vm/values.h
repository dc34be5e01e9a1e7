/* Interned values: what a type too large for bits can hold is a number here, equal values the same one.
 *
 * A value is an integer (numbers, truth values, atoms, numbers of strings), a tuple of values or a set of values; a set
 * lists its elements by increasing number, so that equal sets are equal lists.  Values are only ever added.  Their
 * numbers depend on the order in which they are met: equality means something, order does not.
 *
 * What a permutation of the atoms does to a value is told by a form: where in the value atoms stand.
 *
 * Several threads may read at the same time, if each says so; then none may add a value. */
#ifndef QB_VALUES_H
#define QB_VALUES_H

#include "quorbit.h"

enum { QB_INTEGER, QB_TUPLE, QB_SET };                      /* of values */
enum { QB_PLAIN, QB_ATOM, QB_PARTS, QB_EACH };              /* of forms: tuples part by part; all parts alike */
#define QB_MOST_DEPTH 32u
#define QB_MOST_SET_WORDS 64u /* of a set in bits */

typedef struct qb_values qb_values;

QB_API qb_values *qb_values_open(void);
QB_API void qb_values_close(qb_values *values);
QB_API uint64_t qb_values_count(const qb_values *values);
QB_API uint64_t qb_values_bytes(const qb_values *values);
/* Memory was short once: numbers given since then are not to be trusted. */
QB_API bool qb_values_failed(const qb_values *values);
/* The number of a value: an integer is its only part, the parts of tuples and sets are values; elements of a set come in
 * any order, each once. */
QB_API uint32_t qb_value_number(qb_values *values, uint32_t kind, const int64_t *parts, uint64_t count);
/* How many parts a value has, which are copied as far as there is room. */
QB_API uint64_t qb_value_parts(const qb_values *values, uint32_t value, uint32_t *kind, int64_t *parts, uint64_t room);
/* The parts where they are; they may move when a value is added. */
const int64_t *qb_value_list(const qb_values *values, uint32_t value, uint64_t *count);
/* As qb_value_number, of parts that lie elsewhere and, of a set, by increasing number, each once. */
uint32_t qb_value_sorted(qb_values *values, uint32_t kind, const int64_t *parts, uint64_t count);
void qb_sort_numbers(int64_t *numbers, uint64_t count);
/* A form: its own number.  Parts are forms. */
QB_API uint32_t qb_value_form(qb_values *values, uint32_t kind, const uint32_t *parts, uint32_t count);
bool qb_is_form(const qb_values *values, uint32_t form);

/* A universe: the values that the bits of a set stand for, so that sets in bits move as values do.  Its own number. */
QB_API uint32_t qb_value_universe(qb_values *values, const uint32_t *elements, uint32_t count);
uint32_t qb_universe_words(const qb_values *values, uint32_t universe); /* 0 if there is no such universe */
uint32_t qb_value_of_bits(qb_values *values, uint32_t universe, const uint64_t *words);
void qb_bits_of_value(qb_values *values, uint32_t universe, uint32_t value, uint64_t *words);

/* Negative, zero, positive: the order of order_key in model/system/types.py, which does not depend on numbers. */
int qb_compare_values(const qb_values *values, uint32_t a, uint32_t b);

/* g's image of a value. */
uint32_t qb_value_image(qb_values *values, uint32_t form, uint32_t value, const int32_t *g);
/* Call `see` for every atom in a value, as often as it stands there. */
void qb_value_atoms(const qb_values *values, uint32_t form, uint32_t value, void (*see)(void *, int32_t), void *context);
/* A hash of a value in which atoms are known by their colours; it moves with the colours. */
uint64_t qb_value_hash(const qb_values *values, uint32_t form, uint32_t value, const uint64_t *colours);
/* Add to the sum of every atom in a value a hash of where it stands there; `context` says where the value stands. */
void qb_value_say(const qb_values *values, uint32_t form, uint32_t value, const uint64_t *colours, uint64_t context,
                  uint64_t *sums);

/* From now on this thread only reads, until it says so with NULL: where a value would have to be added it has missed it,
 * and what it gets instead means nothing. */
typedef struct {
    int64_t *parts; /* scratch of its own */
    uint64_t room;
    bool missed;
} qb_lent_scratch;

void qb_values_only_read(qb_lent_scratch *scratch);
void qb_values_miss(void);        /* this thread has missed something, if it only reads */
bool qb_values_have_missed(void); /* whether it has */

#endif
