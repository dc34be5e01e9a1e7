/* The nodes of a plan, read from its table into structures, and the kernels that follow them. */
#ifndef QB_NODES_H
#define QB_NODES_H

#include "colour.h"
#include "columns.h"
#include "cosets.h"
#include "forest.h"
#include "small_groups.h"

typedef struct {
    int32_t point;
    uint32_t count;
    int32_t *atoms, *permutations; /* which atom each permutation brings to the point */
    int32_t *inverses;
    int32_t *orbits; /* of each atom, the first of those that this level and later ones can bring to its place */
} qb_level;

/* Atoms that nothing refers to, block by block: those of a block stand in any order once all others have their places. */
typedef struct {
    uint32_t count, *ends; /* blocks, and where each ends among the atoms */
    int32_t *atoms;
    uint32_t *starts, *cells; /* by atom, as listed: the cells it owns */
    uint32_t counted;         /* the active atoms that are not free come first in `others` */
    int32_t *others;
    uint64_t *names; /* of all atoms: those that are not free are known by where they are */
} qb_free_atoms;

typedef struct qb_node_of_plan {
    int kind;
    uint32_t count, rows, more_count, level_count, active_count;
    int32_t *permutations, *more; /* count, more_count permutations; SORT: count columns of `rows` atoms */
    qb_level *levels;
    struct qb_node_of_plan *children;
    int32_t *classes, *active, *orbitals;
    uint32_t *class_ends, class_count; /* of the active atoms, which are listed class by class */
    uint64_t *first_colours; /* of the classes */
    int32_t *column_of, *row_of; /* SORT: of each atom, -1 if none */
    bool packed, simple; /* SORT: columns are plain bits and sorted as such; even one run each */
    uint64_t *others;    /* SORT: the bits that sorting leaves alone */
    uint32_t key_words;
    qb_colouring colouring;
    qb_free_atoms free; /* REFINE */
    qb_tables tables; /* ENUMERATE: of the elements */
    qb_forest *forest;
    qb_cosets *cosets;
} qb_plan_node;

/* A plan at work. */
struct qb_reducer {
    const qb_plan *plan;
    qb_plan_node root;
    qb_columns columns;
    uint64_t *best, *other, *start; /* states */
    int32_t *h, *best_h, *g;        /* permutations; g: from the state given to the present one */
    bool witness;
    uint64_t *depths; /* colours of each depth of a search */
    uint64_t *keys;
    int32_t *order;
    struct qb_frontier *frontier, *following;
    uint64_t *cache, hits;
    uint32_t limbs; /* of the numbers of ways that a search down the chain counts; 0: it does not */
    const volatile bool *stop; /* once it is true, kernels end soon with any result; NULL: they go on */
};

static inline bool qb_is_stopped(const qb_reducer *r) { return r->stop != NULL && *r->stop; }

qb_reducer *qb_reducer_open_counting(const qb_plan *plan, uint32_t limbs);

/* Kernels: s becomes its representative; r->g goes along if it is asked for. */
void qb_apply(qb_reducer *r, uint64_t *s, const int32_t *h);
void qb_sort_columns(qb_reducer *r, const qb_plan_node *node, uint64_t *s);
void qb_search_symmetric(qb_reducer *r, qb_plan_node *node, uint64_t *s);
/* Requires that the tables are good. */
void qb_enumerate_tables(qb_reducer *r, const qb_tables *t, uint64_t *s);
void qb_mark(qb_reducer *r, qb_plan_node *node, uint64_t *s);
void qb_sort_forest(qb_reducer *r, qb_plan_node *node, uint64_t *s);
void qb_search_cosets(qb_reducer *r, qb_plan_node *node, uint64_t *s);
void qb_search_chain(qb_reducer *r, qb_plan_node *node, uint64_t *s);
/* Sort the free atoms of each block, all others being where they belong; qb_open_free needs the blocks and their atoms. */
bool qb_open_free(const qb_plan *plan, qb_plan_node *node); /* false: no memory */
void qb_close_free(qb_free_atoms *free);
bool qb_sort_free(qb_reducer *r, const qb_plan_node *node, const uint64_t *s, int32_t *h); /* whether any moves */
/* Parts of the search under symmetric groups. */
uint64_t *qb_colours_at(qb_reducer *r, uint32_t depth);
bool qb_order_by_colour(const qb_plan_node *node, const uint64_t *colours, int32_t *order, int32_t *h, uint32_t atoms);
bool qb_find_shared(const qb_colouring *c, uint32_t different, uint64_t *shared);
bool qb_are_exchangeable(qb_reducer *r, const uint64_t *s, int32_t a, int32_t b);
/* The colours of the next depth: those of this one with an atom told apart. */
void qb_tell_apart(qb_reducer *r, uint32_t depth, int32_t a);
bool qb_prepare_sort(qb_reducer *r, qb_plan_node *node);

typedef struct qb_frontier {
    uint64_t n, capacity;
    uint64_t *states, *colours;
    int32_t *permutations;
    uint32_t limbs; /* of the numbers of ways to each state; 0: they are not counted */
    uint64_t *ways;
} qb_frontier;

qb_frontier *qb_frontier_open(const qb_plan *plan, uint32_t limbs);
/* Close the states of a frontier under a node's permutations; answers the number of the least. */
uint64_t qb_close_orbit(qb_reducer *r, qb_frontier *frontier, const qb_plan_node *node);
void qb_frontier_close(qb_frontier *frontier);

#endif
