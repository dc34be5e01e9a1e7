/* Colour the atoms by what a state says about them, so that a symmetry of the state can only exchange equal colours.
 *
 * A colour is a 64-bit hash that moves with the state.  What concerns one atom alone is added once; what joins several
 * atoms that can move (an edge) is added again and again with the colours of the others, until no class splits any more.
 * Atoms without edges keep the colour they got alone.  A hash collision can only make classes larger; that costs
 * reduction, never soundness. */
#ifndef QB_COLOUR_H
#define QB_COLOUR_H

#include "image.h"

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

typedef struct {
    const qb_plan *plan;
    const int32_t *active; /* the atoms that can move; the colours of others never change */
    uint32_t active_count;
    const int32_t *orbitals; /* labels of pairs of active atoms that the group keeps, or NULL */
    bool everyone;           /* all active atoms are refined, with edges or without */
    uint64_t *labels;        /* of the cells */
    uint8_t *is_active, *is_joined;
    int32_t *joined; /* the atoms that are refined */
    uint32_t joined_count, pair_count, edge_count;
    qb_pair *pairs;
    qb_edge *edges;
    uint64_t *sums, *sorted;
} qb_colouring;

bool qb_colouring_open(qb_colouring *c, const qb_plan *plan, const int32_t *active, uint32_t active_count,
                       const int32_t *orbitals, bool everyone);
void qb_colouring_close(qb_colouring *c);
/* Look at a state: colours become what it says of each atom alone, on top of what they are; edges are listed. */
void qb_colour_alone(qb_colouring *c, const uint64_t *s, uint64_t *colours);
/* Refine until stable; answers how many different colours the refined atoms have; leaves these sorted in c->sorted. */
uint32_t qb_refine(qb_colouring *c, uint64_t *colours);

static inline uint64_t qb_scramble(uint64_t x) {
    x *= 0x9e3779b97f4a7c15ull;
    x ^= x >> 29;
    x *= 0xbf58476d1ce4e5b9ull;
    return x ^ x >> 32;
}

#endif
