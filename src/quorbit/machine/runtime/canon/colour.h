/* Colour the atoms by what a state says about them, so that a symmetry of the state can only exchange equal colours.
 *
 * A colour is a 64-bit hash that moves with the state.  What concerns one atom alone is added once; what joins several
 * atoms that can move (an edge) is added again and again with the colours of the others, until no class splits any more.
 * Atoms without edges keep the colour they got alone.  A hash collision can only make classes larger; that costs
 * reduction, never soundness. */
#ifndef QB_COLOUR_H
#define QB_COLOUR_H

#include "image.h"

#define QB_MOST_SIZED 32u

/* sizes := how many of the n numbers are equal to each; equal in 32 of their bits, which nearly always means the same.
 * Requires n <= QB_MOST_SIZED. */
static inline void qb_count_sizes(const uint64_t *numbers, uint32_t n, uint32_t *sizes) {
    typedef int32_t four __attribute__((vector_size(16)));
    four x[QB_MOST_SIZED / 4];
    for (uint32_t i = 0; i < QB_MOST_SIZED; i++) ((int32_t *)(void *)x)[i] = i < n ? (int32_t)(numbers[i] >> 32) : 0;
    for (uint32_t from = 0; from < n; from += 16) {
        const four *y = x + from / 4, p = y[0], q = y[1], r = y[2], s = y[3];
        four a = {0}, b = {0}, c = {0}, d = {0};
        for (uint32_t i = 0; i < n; i++) {
            const int32_t one = (int32_t)(numbers[i] >> 32);
            const four all = {one, one, one, one};
            a -= p == all;
            b -= q == all;
            c -= r == all;
            d -= s == all;
        }
        const four found[4] = {a, b, c, d};
        for (uint32_t i = 0; i < 16 && from + i < n; i++) sizes[from + i] = (uint32_t)found[i / 4][i % 4];
    }
}

/* Two different atoms that can move, joined by a cell. */
typedef struct {
    uint64_t label;
    int32_t a, b;
} qb_pair;

/* More than two positions, some of which may be no atom or the same one. */
typedef struct {
    uint64_t label;
    int32_t atoms[QB_MOST_OWNERS + 1];
    uint32_t count;
} qb_edge;

/* A value with atoms in it, in the place of these owners. */
typedef struct {
    uint64_t label;
    const qb_cell *cell;
    uint32_t value;
} qb_said;

/* A cell of the simplest kind: a reference that one atom that can move, or none, holds; its label, seen from each end.  In
 * a slot of a queue it counts if the length is at least `need`. */
typedef struct {
    qb_field field, length;
    int32_t low, owner;
    uint64_t mask; /* of the field's code */
    uint32_t need, entries; /* entries: where its table begins, if there are tables */
    uint64_t label, first, second, self;
} qb_arrow;

/* What an arrow with this code says of its owner; in the byte of the atom it refers to, that it does (atoms 0-7, 8-15); and
 * the bits of both if they can move. */
typedef struct {
    uint64_t said, low, high, joined;
} qb_entry;

/* How many atoms have a colour; entries of an earlier round are free. */
typedef struct {
    uint64_t colour;
    uint32_t round, count;
} qb_tally;

typedef struct {
    const qb_plan *plan;
    const int32_t *active; /* the atoms that can move; the colours of others never change */
    uint32_t active_count;
    const int32_t *orbitals; /* labels of pairs of active atoms that the group keeps, or NULL */
    bool few_orbitals;       /* all labels are below 64 */
    bool everyone;           /* all active atoms are refined, with edges or without */
    uint64_t *labels;        /* of the cells */
    qb_arrow *arrows; /* first those that no atom holds, then owner by owner */
    uint32_t loose_count, arrow_count, other_count;
    qb_entry *entries; /* of the arrows of few atoms: for no reference, then by code; NULL: there are too many */
    bool has_queues;
    const uint64_t *seen; /* the state whose arrows are not listed as pairs yet, or NULL */
    uint32_t *others; /* the cells that are not arrows */
    uint32_t *is_active, *is_joined; /* by atom: 0 or 1 */
    int32_t *joined; /* the atoms that are refined */
    uint32_t joined_count, pair_count, edge_count, value_count;
    qb_pair *pairs;
    qb_edge *edges;
    qb_said *values;
    uint64_t *blank; /* equal colours for all */
    uint64_t *sums, *gathered, *dense; /* by atom; by number among the refined ones; among the active ones */
    uint32_t sizes[QB_MOST_SIZED]; /* of the colours of the refined atoms, if there are some, but no more */
    double shares[QB_MOST_SIZED + 1]; /* what each of so many equal ones adds to the number of different ones */
    uint64_t shared, common; /* the least colour that several refined atoms have; the one most have, for orbitals */
    qb_tally *tallies;
    uint32_t tally_mask, tally_round;
} qb_colouring;

bool qb_colouring_open(qb_colouring *c, const qb_plan *plan, const int32_t *active, uint32_t active_count,
                       const int32_t *orbitals, bool everyone);
void qb_colouring_close(qb_colouring *c);
/* Colours are multiples of this: sixteen of them can be sorted together with their numbers. */
#define QB_COLOUR_STEP 16ull
/* Look at a state: colours become what it says of each atom alone, on top of what they are; edges are listed. */
void qb_colour_alone(qb_colouring *c, const uint64_t *s, uint64_t *colours);
/* Refine until stable (the group's labels of pairs are used once); answers how many different colours the refined atoms
 * have. */
uint32_t qb_refine(qb_colouring *c, uint64_t *colours);
void qb_tally_begin(qb_colouring *c);
/* The entry of a colour. */
static inline qb_tally *qb_tally_of(const qb_colouring *c, uint64_t colour) {
    uint64_t at = (colour ^ colour >> 32) & c->tally_mask;
    while (c->tallies[at].round == c->tally_round && c->tallies[at].colour != colour) at = (at + 1) & c->tally_mask;
    return &c->tallies[at];
}
/* Count an atom of this colour; answers how many there are now. */
static inline uint32_t qb_tally_add(const qb_colouring *c, uint64_t colour) {
    qb_tally *t = qb_tally_of(c, colour);
    if (t->round != c->tally_round) *t = (qb_tally){colour, c->tally_round, 0};
    return ++t->count;
}

static inline uint64_t qb_scramble(uint64_t x) {
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

#endif
