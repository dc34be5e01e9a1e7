/* Groups of some thousand elements, references included: the cosets of a subgroup are compared all at once.
 *
 * The way down the stabiliser chain is taken in a few *stages*.  A stage has an element for each coset of the subgroup that
 * is left to the later ones; those of the first stage bring one unit (units.h) each to the first base point.  What a state
 * says of a unit, times a number for the place to which an element takes the unit, summed up, is a key of the image; links
 * add to it, too.  Places that later stages exchange have the same number, so it is the same key for a whole coset.  The
 * numbers have 16 bits, those of eight elements are one vector.  Elements with the least key go on; in the end the image
 * with the least key of 64 bits is taken, in which every place has a number of its own.
 *
 * Units of which is said what is said of most of their class add the same to all keys: they are left out. */
#ifndef QB_COSETS_H
#define QB_COSETS_H

#include "units.h"

#define QB_MOST_PLACES 128u
#define QB_MOST_STAGES 4u
#define QB_MOST_COSETS 256u
#define QB_MOST_WAYS 4096u

typedef uint16_t qb_keys __attribute__((vector_size(16)));

typedef struct {
    uint32_t count, blocks;  /* elements; vectors of numbers for them */
    const int32_t *elements; /* permutations of the atoms */
    uint8_t *places;         /* by element and unit: where it takes the unit */
    uint8_t *moves;          /* by place: whether some element moves it */
    qb_keys *weights, *ends; /* by unit: numbers of the places; other ones for the second end of a link */
} qb_stage;

typedef struct {
    uint64_t key;
    uint8_t steps[QB_MOST_STAGES], at[QB_MOST_PLACES]; /* elements; where the units now are that are looked at */
} qb_descent;

/* What is looked at of a state: units, and links between them by their numbers here. */
typedef struct {
    uint32_t count;
    uint8_t units[QB_MOST_PLACES], numbers[QB_MOST_PLACES];
    uint64_t said[QB_MOST_PLACES];
    qb_keys shares[QB_MOST_PLACES]; /* the same in 16 bits, eight times */
} qb_telling;

typedef struct qb_cosets {
    qb_units units;
    uint32_t stage_count, class_count;
    qb_stage stages[QB_MOST_STAGES];
    uint64_t weights[QB_MOST_PLACES], ends[QB_MOST_PLACES]; /* numbers of 64 bits */
    int32_t first[QB_MOST_PLACES];                          /* by unit: the element of the first stage for it, or -1 */
    uint32_t class_ends[QB_MOST_PLACES];
    /* scratch */
    qb_telling telling;
    uint64_t colours[QB_MOST_PLACES + 1];
    qb_keys sums[QB_MOST_COSETS / 8];
    uint32_t way_count, following_count;
    qb_descent *ways, *following;
} qb_cosets;

/* From the table of a node: units, class by class, and the place to which the first stage brings them.  The elements have
 * been read.  NULL: the table is unsound, or memory is short. */
qb_cosets *qb_cosets_open(const qb_plan *plan, uint32_t stage_count, const uint32_t *counts, int32_t *const *elements,
                          const int64_t *table, uint64_t count, uint64_t *taken);
void qb_cosets_close(qb_cosets *cosets);

#endif
