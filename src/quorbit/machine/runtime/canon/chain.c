/* The exact representative under any group, down its stabiliser chain.
 *
 * At each level an atom of the rarest colour is brought to the base point; all images that remain possible are kept in a
 * frontier, equal ones once.  If there was a choice, colours are refined again with the point told apart, and images whose
 * colours are distributed differently from the least distribution go.  Once all colours differ the way is determined; those
 * of free atoms, which come last and are sorted, need not.
 *
 * Which images go is the same for all that a symmetry of the state exchanges.  So the elements of the group that lead to the
 * image kept in the end are a whole coset of the state's stabiliser: counting the ways to each image counts that. */
#include "big.h"
#include "nodes.h"
#include "store.h"

#include <stdlib.h>

#define FEW 8u /* atoms whose colours are counted pair by pair */

static bool make_room(qb_frontier *f, const qb_plan *p, uint64_t capacity) {
    uint64_t *states = realloc(f->states, capacity * p->words * sizeof *states);
    if (states != NULL) f->states = states;
    uint64_t *colours = realloc(f->colours, capacity * p->atoms * sizeof *colours);
    if (colours != NULL) f->colours = colours;
    int32_t *permutations = realloc(f->permutations, capacity * p->atoms * sizeof *permutations);
    if (permutations != NULL) f->permutations = permutations;
    if (f->limbs > 0) {
        uint64_t *ways = realloc(f->ways, capacity * f->limbs * sizeof *ways);
        if (ways == NULL) return false;
        f->ways = ways;
    }
    if (states == NULL || colours == NULL || permutations == NULL) return false;
    f->capacity = capacity;
    return true;
}

qb_frontier *qb_frontier_open(const qb_plan *p, uint32_t limbs) {
    qb_frontier *f = calloc(1, sizeof *f);
    if (f != NULL) f->limbs = limbs;
    if (f != NULL && !make_room(f, p, 64)) {
        qb_frontier_close(f);
        return NULL;
    }
    return f;
}

void qb_frontier_close(qb_frontier *f) {
    if (f == NULL) return;
    free(f->states);
    free(f->colours);
    free(f->permutations);
    free(f->ways);
    free(f);
}

/* Add image number `from` of the frontier moved by h, unless it is there. */
static void add_image(qb_reducer *r, uint64_t from, const int32_t *h) {
    const qb_plan *p = r->plan;
    qb_frontier *f = r->frontier, *into = r->following;
    if (into->n == into->capacity && !make_room(into, p, 2 * into->capacity)) return; /* fewer images: less reduction */
    uint64_t *t = into->states + into->n * p->words;
    qb_move(&r->columns, p, h, f->states + from * p->words, t);
    for (uint64_t k = 0; k < into->n; k++)
        if (qb_equal(into->states + k * p->words, t, p->words)) {
            if (f->limbs > 0) qb_big_add(into->ways + k * f->limbs, f->ways + from * f->limbs, f->limbs);
            return;
        }
    if (f->limbs > 0) qb_copy(into->ways + into->n * f->limbs, f->ways + from * f->limbs, f->limbs);
    uint64_t *colours = into->colours + into->n * p->atoms, *earlier = f->colours + from * p->atoms;
    for (uint32_t a = 0; a < p->atoms; a++) colours[h[a]] = earlier[a];
    int32_t *permutation = into->permutations + into->n * p->atoms, *before = f->permutations + from * p->atoms;
    for (uint32_t a = 0; r->witness && a < p->atoms; a++) permutation[a] = h[before[a]];
    into->n++;
}

static void tally_level(qb_colouring *c, const qb_level *level, const uint64_t *colours, uint32_t *sizes) {
    qb_tally_begin(c);
    for (uint32_t i = 0; i < level->count; i++) qb_tally_add(c, colours[level->atoms[i]]);
    for (uint32_t i = 0; i < level->count; i++) sizes[i] = qb_tally_of(c, colours[level->atoms[i]])->count;
}

/* sizes := how many of the atoms that can come to the point have the colour of each. */
static void size_level(qb_colouring *c, const qb_level *level, const uint64_t *colours, uint32_t *sizes) {
    uint64_t x[QB_MOST_SIZED];
    if (level->count > QB_MOST_SIZED) {
        tally_level(c, level, colours, sizes);
        return;
    }
    for (uint32_t i = 0; i < level->count; i++) x[i] = colours[level->atoms[i]];
    if (level->count > FEW) {
        qb_count_sizes(x, level->count, sizes);
        return;
    }
    for (uint32_t i = 0; i < level->count; i++) {
        sizes[i] = 0;
        for (uint32_t j = 0; j < level->count; j++) sizes[i] += x[i] == x[j];
    }
}

/* The colour to go on with: among those of the atoms that can come to the point the rarest, then the least.  Also tells how
 * many atoms of an image have it.  `fresh`: the colours are as they were refined. */
static uint64_t choose_colour(qb_colouring *c, const qb_frontier *f, const qb_level *level, uint32_t atoms, bool fresh,
                              uint64_t *count) {
    uint64_t best = 0;
    uint32_t rarest = UINT32_MAX, room[QB_MOST_ATOMS];
    const bool known = fresh && level->count == c->active_count && level->count == c->joined_count &&
                       level->count > 2 * FEW && level->count <= QB_MOST_SIZED; /* counted when they were refined */
    const int32_t *listed = known ? c->active : level->atoms;
    const uint32_t *sizes = known ? c->sizes : room;
    for (uint64_t k = 0; k < f->n; k++) {
        const uint64_t *colours = f->colours + k * atoms;
        if (!known) size_level(c, level, colours, room);
        for (uint32_t i = 0; i < level->count; i++) {
            const uint64_t colour = colours[listed[i]];
            const bool better = (sizes[i] < rarest) | ((sizes[i] == rarest) & (colour < best));
            rarest = better ? sizes[i] : rarest;
            best = better ? colour : best;
        }
    }
    *count = rarest;
    return best;
}

static uint64_t distribution(const qb_colouring *c, uint32_t different) {
    uint64_t h = different;
    for (uint32_t i = 0; i < c->joined_count; i++) h += qb_scramble(c->gathered[i]);
    return h;
}

/* Colour an image with the first `fixed` base points told apart; answers how the colours are distributed. */
static uint64_t colour_image(qb_reducer *r, qb_plan_node *node, const uint64_t *t, uint64_t *colours, uint32_t fixed,
                             uint32_t *different) {
    memcpy(colours, node->first_colours, r->plan->atoms * sizeof *colours);
    for (uint32_t k = 0; k < fixed; k++) colours[node->levels[k].point] = qb_scramble(0xabcdef0123456789ull + k);
    qb_colour_alone(&node->colouring, t, colours);
    *different = qb_refine(&node->colouring, colours);
    return distribution(&node->colouring, *different);
}

static void keep(qb_reducer *r, uint64_t to, uint64_t from) {
    const qb_plan *p = r->plan;
    qb_frontier *f = r->following;
    if (to == from) return;
    memcpy(f->states + to * p->words, f->states + from * p->words, p->words * sizeof *f->states);
    memcpy(f->colours + to * p->atoms, f->colours + from * p->atoms, p->atoms * sizeof *f->colours);
    memcpy(f->permutations + to * p->atoms, f->permutations + from * p->atoms, p->atoms * sizeof *f->permutations);
    if (f->limbs > 0) qb_copy(f->ways + to * f->limbs, f->ways + from * f->limbs, f->limbs);
}

/* Where nothing joins atoms, the colours that an image has come with are refined by how each atom lies to the point. */
static uint64_t refine_by_point(const qb_plan_node *node, uint32_t point, uint64_t *colours) {
    const qb_colouring *c = &node->colouring;
    const int32_t *labels = c->orbitals + (uint64_t)point * c->active_count;
    uint64_t sum = 0;
    for (uint32_t j = 0; j < c->active_count; j++) {
        uint64_t *x = &colours[c->active[j]];
        *x = qb_scramble(*x + (uint32_t)labels[j] + 1) & -QB_COLOUR_STEP;
        sum += *x;
    }
    return sum;
}

static bool joins_nothing(const qb_colouring *c) {
    return c->orbitals != NULL && c->seen == NULL && c->pair_count == 0 && c->edge_count == 0 && c->value_count == 0;
}

/* Refine all images, keep those with the least distribution; answers the number of different colours. */
static uint32_t prune(qb_reducer *r, qb_plan_node *node, uint32_t fixed) {
    qb_frontier *f = r->following;
    uint64_t least = UINT64_MAX, kept = 0;
    uint32_t different = 0, least_different = 0, point = 0;
    const bool loose = joins_nothing(&node->colouring);
    while (loose && node->active[point] != node->levels[fixed - 1].point) point++;
    for (uint64_t k = 0; k < f->n && !qb_is_stopped(r); k++) {
        uint64_t *colours = f->colours + k * r->plan->atoms;
        uint64_t d = loose ? refine_by_point(node, point, colours)
                           : colour_image(r, node, f->states + k * r->plan->words, colours, fixed, &different);
        if (d > least) continue;
        if (d < least) kept = 0;
        least = d;
        least_different = different;
        keep(r, kept++, k);
    }
    f->n = kept;
    return least_different;
}

static bool is_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t k = 0; k < words; k++)
        if (a[k] != b[k]) return a[k] < b[k];
    return false;
}

static void take_least(qb_reducer *r, uint64_t *s) {
    const qb_plan *p = r->plan;
    qb_frontier *f = r->frontier;
    uint64_t best = 0;
    for (uint64_t k = 1; k < f->n; k++)
        if (is_less(f->states + k * p->words, f->states + best * p->words, p->words)) best = k;
    qb_copy(s, f->states + best * p->words, p->words);
    if (f->limbs > 0) qb_copy(f->ways, f->ways + best * f->limbs, f->limbs);
    if (r->witness)
        for (uint32_t a = 0; a < p->atoms; a++) r->g[a] = f->permutations[best * p->atoms + (uint32_t)r->g[a]];
}

/* A table of numbers of states, by hash; for orbits that are too large to be compared one by one. */
static bool is_new(const qb_frontier *f, uint32_t words, uint64_t *table, uint64_t mask, const uint64_t *t) {
    uint64_t at = qb_hash(t, words) & mask;
    for (; table[at] != 0; at = (at + 1) & mask)
        if (qb_equal(f->states + (table[at] - 1) * words, t, words)) return false;
    table[at] = f->n + 1;
    return true;
}

static uint64_t *make_table(const qb_frontier *f, uint32_t words, uint64_t size) {
    uint64_t *table = calloc(size, sizeof *table);
    for (uint64_t k = 0; table != NULL && k < f->n; k++) {
        uint64_t at = qb_hash(f->states + k * words, words) & (size - 1);
        while (table[at] != 0) at = (at + 1) & (size - 1);
        table[at] = k + 1;
    }
    return table;
}

uint64_t qb_close_orbit(qb_reducer *r, qb_frontier *f, const qb_plan_node *node) {
    const qb_plan *p = r->plan;
    uint64_t size = 4 * f->capacity, best = 0;
    while (size & (size - 1)) size &= size - 1;
    uint64_t *table = make_table(f, p->words, size);
    for (uint64_t k = 0; k < f->n && table != NULL && !qb_is_stopped(r); k++)
        for (uint32_t j = 0; j < node->count && table != NULL; j++) {
            if (f->n == f->capacity || 2 * f->n >= size) {
                free(table);
                size = 4 * size;
                table = make_room(f, p, 2 * f->capacity) ? make_table(f, p->words, size) : NULL;
                if (table == NULL) break;
            }
            const int32_t *h = node->permutations + (uint64_t)j * p->atoms;
            uint64_t *t = f->states + f->n * p->words;
            qb_move(&r->columns, p, h, f->states + k * p->words, t);
            if (!is_new(f, p->words, table, size - 1, t)) continue;
            for (uint32_t a = 0; a < p->atoms; a++)
                f->permutations[f->n * p->atoms + a] = h[f->permutations[k * p->atoms + a]];
            if (is_less(t, f->states + best * p->words, p->words)) best = f->n;
            f->n++;
        }
    free(table);
    return best;
}

/* Whether nothing at or below this level changes the image: it says the same of all atoms that can come to one place there,
 * and nothing that joins atoms. */
static bool is_settled(const qb_plan_node *node, const qb_level *level, const uint64_t *colours) {
    if (node->colouring.seen != NULL || node->colouring.pair_count > 0 ||
        node->colouring.edge_count > 0 || node->colouring.value_count > 0)
        return false;
    for (uint32_t i = 0; i < node->active_count; i++)
        if (colours[node->active[i]] != colours[level->orbits[node->active[i]]]) return false;
    return true;
}

/* All colours differ: from level k on one atom after the other is determined; one image in the end.  Colours stay where they
 * are: which atom has come to a place is found by going the steps back. */
static void go_down(qb_reducer *r, const qb_plan_node *node, uint32_t k) {
    const qb_plan *p = r->plan;
    qb_frontier *f = r->frontier;
    const int32_t *back[QB_MOST_ATOMS];
    uint32_t taken = 0;
    for (uint32_t a = 0; a < p->atoms; a++) r->h[a] = (int32_t)a;
    for (; k < node->level_count; k++) {
        const qb_level *level = &node->levels[k];
        uint64_t least = UINT64_MAX, best = 0;
        for (uint32_t j = 0; j < level->count; j++) {
            int32_t a = level->atoms[j];
            for (uint32_t i = taken; i-- > 0;) a = back[i][a];
            best = f->colours[a] < least ? j : best;
            least = f->colours[a] < least ? f->colours[a] : least;
        }
        const int32_t *step = level->permutations + best * p->atoms;
        for (uint32_t a = 0; a < p->atoms; a++) r->h[a] = step[r->h[a]];
        back[taken++] = level->inverses + best * p->atoms;
    }
    qb_move(&r->columns, p, r->h, f->states, r->other);
    qb_copy(f->states, r->other, p->words);
    for (uint32_t a = 0; r->witness && a < p->atoms; a++) f->permutations[a] = r->h[f->permutations[a]];
}

/* Whether all atoms but the free ones have colours of their own. */
static bool all_differ(const qb_plan_node *node, const uint64_t *colours, uint32_t different) {
    const qb_free_atoms *f = &node->free;
    if (f->count == 0 || different == node->active_count) return different == node->active_count;
    for (uint32_t i = 0; i < f->counted; i++)
        for (uint32_t j = 0; j < i; j++)
            if (colours[f->others[i]] == colours[f->others[j]]) return false;
    return true;
}

static void sort_free_atoms(qb_reducer *r, const qb_plan_node *node) {
    const qb_plan *p = r->plan;
    qb_frontier *f = r->frontier;
    for (uint64_t k = 0; k < f->n; k++) {
        uint64_t *t = f->states + k * p->words;
        int32_t *g = f->permutations + k * p->atoms;
        if (!qb_sort_free(r, node, t, r->h)) continue;
        qb_move(&r->columns, p, r->h, t, r->other);
        qb_copy(t, r->other, p->words);
        for (uint32_t a = 0; r->witness && a < p->atoms; a++) g[a] = r->h[g[a]];
    }
}

void qb_search_chain(qb_reducer *r, qb_plan_node *node, uint64_t *s) {
    const qb_plan *p = r->plan;
    uint32_t different = 0;
    r->frontier->n = 1;
    qb_copy(r->frontier->states, s, p->words);
    for (uint32_t a = 0; a < p->atoms; a++) r->frontier->permutations[a] = (int32_t)a;
    colour_image(r, node, s, r->frontier->colours, 0, &different);
    if (r->frontier->limbs > 0) qb_big_set(r->frontier->ways, 1, r->frontier->limbs);
    for (uint32_t k = 0; k < node->level_count; k++) {
        if (r->frontier->n == 1 && all_differ(node, r->frontier->colours, different)) {
            go_down(r, node, k);
            break;
        }
        const qb_level *level = &node->levels[k];
        if (r->frontier->n == 1 && is_settled(node, level, r->frontier->colours)) {
            for (; r->frontier->limbs > 0 && k < node->level_count; k++)
                qb_big_multiply(r->frontier->ways, node->levels[k].count, r->frontier->limbs);
            break;
        }
        uint64_t count, best = choose_colour(&node->colouring, r->frontier, level, p->atoms, k == 0, &count);
        r->following->n = 0;
        for (uint64_t i = 0; i < r->frontier->n && !qb_is_stopped(r); i++)
            for (uint32_t j = 0; j < level->count; j++)
                if (r->frontier->colours[i * p->atoms + (uint32_t)level->atoms[j]] == best)
                    add_image(r, i, level->permutations + (uint64_t)j * p->atoms);
        /* Whether to refine must not depend on how many images are left, for which of them are equal depends on the
         * representatives at hand; how many atoms there were to choose from does not. */
        if (different < node->active_count && (count > 1 || joins_nothing(&node->colouring)))
            different = prune(r, node, k + 1);
        qb_frontier *swap = r->frontier;
        r->frontier = r->following;
        r->following = swap;
        if (qb_is_stopped(r)) return;
    }
    if (node->free.count > 0) sort_free_atoms(r, node);
    take_least(r, s);
}
