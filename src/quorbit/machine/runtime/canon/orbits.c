/* Orders of stabilisers (orbits.h).
 *
 * Under a product of symmetric groups: refine the colours of the atoms.  If several joined atoms share a colour, take the
 * first of them, a.  The order is the number of atoms b to which some symmetry of the state moves a, times the order of the
 * stabiliser of a as well.  Such a symmetry is an exchange of a and b, or leads from one leaf of the search below a to one
 * of the leaves below b; it is applied to the state before it is believed.  In the end atoms of one colour are
 * interchangeable.  Under any other group the search down the chain counts (chain.c). */
#include "orbits.h"

#include "big.h"
#include "key_numbers.h"
#include "nodes.h"
#include "store.h"

#include <stdlib.h>

struct qb_orbits {
    qb_reducer *reducer;
    uint32_t limbs;
    uint64_t *order, *copy;
    qb_names orders;
    uint64_t *counts, room;
    int32_t *from, *to, *step; /* permutations: leaves below a and below b, and what leads from one to the other */
    int32_t *fixed;            /* the atoms told apart so far */
    uint32_t fixed_count;
};

qb_orbits *qb_orbits_open(const qb_plan *plan, uint32_t limbs) {
    qb_orbits *o = calloc(1, sizeof *o);
    if (o == NULL) return NULL;
    o->limbs = limbs == 0 ? 1 : limbs;
    o->reducer = qb_reducer_open_counting(plan, o->limbs);
    o->order = calloc(o->limbs, sizeof *o->order);
    o->copy = calloc(plan->words, sizeof *o->copy);
    o->from = calloc(plan->atoms, sizeof *o->from);
    o->to = calloc(plan->atoms, sizeof *o->to);
    o->step = calloc(plan->atoms, sizeof *o->step);
    o->fixed = calloc(plan->atoms + 1u, sizeof *o->fixed);
    bool good = o->reducer != NULL && o->order != NULL && o->copy != NULL && o->from != NULL && o->to != NULL &&
                o->step != NULL && o->fixed != NULL && qb_names_open(&o->orders, 2 * o->limbs);
    if (good && (o->reducer->root.kind == QB_SYMMETRIC || o->reducer->root.kind == QB_REFINE)) return o;
    qb_orbits_close(o);
    return NULL;
}

void qb_orbits_close(qb_orbits *o) {
    if (o == NULL) return;
    qb_reducer_close(o->reducer);
    qb_names_close(&o->orders);
    free(o->order);
    free(o->copy);
    free(o->counts);
    free(o->from);
    free(o->to);
    free(o->step);
    free(o->fixed);
    free(o);
}

/* Symmetric groups. */

/* Whether the leaf `to` is the image of the leaf `from` under a symmetry of the state that moves a to b and fixes what was
 * told apart before. */
static bool leads_over(qb_orbits *o, const uint64_t *s, int32_t a, int32_t b) {
    qb_reducer *r = o->reducer;
    uint32_t atoms = r->plan->atoms;
    int32_t *back = r->h;
    for (uint32_t x = 0; x < atoms; x++) back[o->to[x]] = (int32_t)x;
    for (uint32_t x = 0; x < atoms; x++) o->step[x] = back[o->from[x]];
    if (o->step[a] != b) return false;
    for (uint32_t k = 0; k < o->fixed_count; k++)
        if (o->step[o->fixed[k]] != o->fixed[k]) return false;
    qb_move(&r->columns, r->plan, o->step, s, r->other);
    return qb_equal(r->other, s, r->plan->words);
}

static void first_leaf(qb_orbits *o, uint32_t depth) {
    qb_reducer *r = o->reducer;
    qb_plan_node *node = &r->root;
    uint64_t shared;
    for (;; depth++) {
        uint64_t *colours = qb_colours_at(r, depth);
        uint32_t different = qb_refine(&node->colouring, colours), i = 0;
        if (depth >= node->active_count || !qb_find_shared(&node->colouring, different, &shared)) break;
        while (colours[node->active[i]] != shared) i++;
        qb_tell_apart(r, depth, node->active[i]);
    }
    qb_order_by_colour(node, qb_colours_at(r, depth), r->order, o->from, r->plan->atoms);
}

/* Whether some leaf below the colours of this depth is an image of `from` as above. */
static bool has_image(qb_orbits *o, const uint64_t *s, uint32_t depth, int32_t a, int32_t b) {
    qb_reducer *r = o->reducer;
    qb_plan_node *node = &r->root;
    uint64_t *colours = qb_colours_at(r, depth), shared = 0;
    uint32_t different = qb_refine(&node->colouring, colours);
    if (depth >= node->active_count || !qb_find_shared(&node->colouring, different, &shared)) {
        qb_order_by_colour(node, colours, r->order, o->to, r->plan->atoms);
        return leads_over(o, s, a, b);
    }
    for (uint32_t i = 0; i < node->active_count && !qb_is_stopped(r); i++) {
        if (colours[node->active[i]] != shared) continue;
        bool spared = false; /* exchanging it with one that was tried leaves the state alone */
        for (uint32_t j = 0; j < i && !spared; j++)
            spared = colours[node->active[j]] == shared && qb_are_exchangeable(r, s, node->active[j], node->active[i]);
        if (spared) continue;
        qb_tell_apart(r, depth, node->active[i]);
        if (has_image(o, s, depth + 1, a, b)) return true;
    }
    return false;
}

/* Atoms of one class and colour that nothing joins: all ways to exchange them. */
static void count_alike(qb_orbits *o, const uint64_t *s, const uint64_t *colours) {
    const qb_plan_node *node = &o->reducer->root;
    for (uint32_t i = 0; i < node->active_count; i++) {
        uint64_t alike = 1;
        int32_t a = node->active[i], last = -1;
        for (uint32_t j = 0; j < i; j++) {
            int32_t b = node->active[j];
            if (node->classes[a] != node->classes[b] || colours[a] != colours[b]) continue;
            alike++;
            last = b;
        }
        if (last >= 0 && qb_are_exchangeable(o->reducer, s, last, a)) qb_big_multiply(o->order, alike, o->limbs);
    }
}

static uint64_t count_images(qb_orbits *o, const uint64_t *s, uint32_t depth, uint64_t shared, int32_t *first) {
    qb_reducer *r = o->reducer;
    const qb_plan_node *node = &r->root;
    const uint64_t *colours = qb_colours_at(r, depth);
    uint64_t images = 0;
    for (uint32_t i = 0; i < node->active_count; i++) {
        int32_t b = node->active[i];
        if (colours[b] != shared) continue;
        if (images == 0) {
            *first = b;
            images = 1;
            qb_tell_apart(r, depth, b);
            first_leaf(o, depth + 1);
            continue;
        }
        if (qb_are_exchangeable(r, s, *first, b)) {
            images++;
            continue;
        }
        qb_tell_apart(r, depth, b);
        images += has_image(o, s, depth + 1, *first, b);
    }
    return images;
}

static void count_symmetric(qb_orbits *o, const uint64_t *s) {
    qb_reducer *r = o->reducer;
    qb_plan_node *node = &r->root;
    memcpy(qb_colours_at(r, 0), node->first_colours, r->plan->atoms * sizeof *node->first_colours);
    qb_colour_alone(&node->colouring, s, qb_colours_at(r, 0));
    qb_big_set(o->order, 1, o->limbs);
    o->fixed_count = 0;
    for (uint32_t depth = 0;; depth++) {
        uint64_t *colours = qb_colours_at(r, depth), shared = 0;
        uint32_t different = qb_refine(&node->colouring, colours);
        int32_t a = 0;
        if (depth >= node->active_count || !qb_find_shared(&node->colouring, different, &shared)) {
            count_alike(o, s, colours);
            return;
        }
        qb_big_multiply(o->order, count_images(o, s, depth, shared, &a), o->limbs);
        o->fixed[o->fixed_count++] = a;
        qb_tell_apart(r, depth, a);
    }
}

/* Any group. */

static void count_chain(qb_orbits *o, const uint64_t *s) {
    qb_copy(o->copy, s, o->reducer->plan->words);
    qb_search_chain(o->reducer, &o->reducer->root, o->copy);
    qb_copy(o->order, o->reducer->frontier->ways, o->limbs);
}

bool qb_orbits_add(qb_orbits *o, const uint64_t *s) {
    if (o->reducer->root.kind == QB_SYMMETRIC) count_symmetric(o, s);
    else count_chain(o, s);
    if (qb_is_stopped(o->reducer)) return true; /* what was counted may be wrong */
    int64_t number = qb_name_of(&o->orders, (const uint32_t *)(const void *)o->order);
    if (number < 0) return false;
    if ((uint64_t)number >= o->room) {
        uint64_t *more = realloc(o->counts, (2 * o->room + 16) * sizeof *more);
        if (more == NULL) return false;
        memset(more + o->room, 0, (o->room + 16) * sizeof *more);
        o->counts = more;
        o->room = 2 * o->room + 16;
    }
    o->counts[number]++;
    return true;
}

void qb_orbits_heed(qb_orbits *o, const volatile bool *stop) { qb_reducer_heed(o->reducer, stop); }

uint64_t qb_orbits_view(const qb_orbits *o, const uint64_t **orders, const uint64_t **counts) {
    *orders = (const uint64_t *)(const void *)o->orders.keys;
    *counts = o->counts;
    return o->orders.n;
}
