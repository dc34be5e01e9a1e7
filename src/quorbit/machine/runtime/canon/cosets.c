/* The exact representative under a group of some thousand elements (cosets.h).
 *
 * An element goes on or not by the image that it leads to, as far as the later stages leave that as it is.  So if g moves a
 * state, what goes on from its image is what went on from it, g taken back first, and one image is the least for both. */
#include "colour.h"
#include "cosets.h"
#include "least_key.h"
#include "nodes.h"

#include <string.h>

#define FEW 8u

/* Looking at a state. */

/* The colour that more than half of some units have, or 0. */
static inline uint64_t common_colour(const uint64_t *colours, uint32_t n) {
    uint64_t found = 0;
    uint32_t votes = 0, count = 0;
    for (uint32_t i = 0; i < n; i++) {
        found = votes == 0 ? colours[i] : found;
        votes += colours[i] == found ? 1u : -1u;
    }
    for (uint32_t i = 0; i < n; i++) count += colours[i] == found;
    return 2 * count > n ? found : 0;
}

static inline qb_keys eight_times(uint64_t x) {
    const uint16_t y = (uint16_t)(x >> 48);
    return (qb_keys){y, y, y, y, y, y, y, y};
}

/* The number of a unit that a link meets. */
static uint32_t number_of(qb_telling *t, uint32_t unit) {
    if (t->numbers[unit] == UINT8_MAX) {
        t->numbers[unit] = (uint8_t)t->count;
        t->units[t->count] = (uint8_t)unit;
        t->said[t->count] = 0;
        t->count++;
    }
    return t->numbers[unit];
}

/* Also answers how many of the units are listed because of what is said of them. */
static uint32_t look(qb_cosets *c, const uint64_t *s) {
    qb_telling *t = &c->telling;
    uint32_t n = 0, start = 0;
    qb_units_look(&c->units, s, c->colours);
    for (uint32_t k = 0; k < c->class_count; start = c->class_ends[k++]) {
        const uint64_t common = common_colour(c->colours + start, c->class_ends[k] - start);
        for (uint32_t u = start; u < c->class_ends[k]; u++) {
            t->units[n] = (uint8_t)u;
            t->said[n] = c->colours[u] - common;
            n += c->colours[u] != common;
        }
    }
    t->count = n;
    if (c->units.link_count > 0) {
        memset(t->numbers, UINT8_MAX, sizeof t->numbers);
        for (uint32_t i = 0; i < n; i++) t->numbers[t->units[i]] = (uint8_t)i;
        for (qb_link *e = c->units.links; e < c->units.links + c->units.link_count; e++) {
            e->a = number_of(t, e->a);
            e->b = number_of(t, e->b);
        }
    }
    for (uint32_t i = 0; i < t->count; i++) t->shares[i] = eight_times(t->said[i]);
    return n;
}

/* Keys. */

/* c->sums := the keys of a stage's elements after what has brought the units to these places. */
static void add_keys(qb_cosets *c, const qb_stage *stage, const uint8_t *at) {
    const qb_telling *t = &c->telling;
    const uint64_t blocks = stage->blocks;
    for (uint64_t b = 0; b < blocks; b += 4) {
        qb_keys w = {0}, x = {0}, y = {0}, z = {0};
        for (uint32_t i = 0; i < t->count; i++) {
            const qb_keys *row = stage->weights + at[i] * blocks + b, share = t->shares[i];
            w += row[0] * share;
            x += row[1] * share;
            y += row[2] * share;
            z += row[3] * share;
        }
        for (const qb_link *e = c->units.links; e < c->units.links + c->units.link_count; e++) {
            const qb_keys *row = stage->weights + at[e->a] * blocks + b, *end = stage->ends + at[e->b] * blocks + b;
            const qb_keys label = eight_times(e->label);
            w += row[0] * end[0] * label;
            x += row[1] * end[1] * label;
            y += row[2] * end[2] * label;
            z += row[3] * end[3] * label;
        }
        c->sums[b] = w;
        c->sums[b + 1] = x;
        c->sums[b + 2] = y;
        c->sums[b + 3] = z;
    }
}

static inline uint64_t key_of(const qb_cosets *c, const uint8_t *at) {
    const qb_telling *t = &c->telling;
    uint64_t key = 0;
    for (uint32_t i = 0; i < t->count; i++) key += t->said[i] * c->weights[at[i]];
    for (const qb_link *e = c->units.links; e < c->units.links + c->units.link_count; e++)
        key += e->label * qb_scramble(c->weights[at[e->a]] + c->ends[at[e->b]]);
    return key;
}

/* Ways. */

/* One more element of stage k after a way.  Equal images have the same future, so one of them is enough; of those after the
 * last stage the one with the least key. */
static void add_way(qb_cosets *c, uint32_t k, const qb_descent *way, uint32_t element) {
    const uint8_t *places = c->stages[k].places + element * c->units.count;
    qb_descent *found = &c->following[c->following_count], *first = c->following;
    for (uint32_t i = 0; i < c->telling.count; i++) found->at[i] = places[way->at[i]];
    found->key = key_of(c, found->at);
    memcpy(found->steps, way->steps, sizeof found->steps);
    found->steps[k] = (uint8_t)element;
    if (k + 1 == c->stage_count && c->following_count > 0) {
        if (found->key < first->key) *first = *found;
        return;
    }
    for (const qb_descent *x = first; x < found; x++)
        if (x->key == found->key) return;
    c->following_count++;
}

static void take_following(qb_cosets *c) {
    qb_descent *swap = c->ways;
    c->ways = c->following;
    c->way_count = c->following_count;
    c->following = swap;
    c->following_count = 0;
}

/* The first stage. */

/* Keep the elements for the rarest, then the least of what is said; answers how many. */
static uint32_t keep_rarest(const uint64_t *said, uint32_t *elements, uint32_t n) {
    uint64_t best = 0;
    uint32_t rarest = UINT32_MAX, kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t size = 0;
        for (uint32_t j = 0; j < n; j++) size += said[j] == said[i];
        const bool better = size < rarest || (size == rarest && said[i] < best);
        rarest = better ? size : rarest;
        best = better ? said[i] : best;
    }
    for (uint32_t i = 0; i < n; i++) {
        elements[kept] = elements[i];
        kept += said[i] == best;
    }
    return kept;
}

/* The elements that bring a unit to the base point of which something special is said, if there is one; of a few the
 * rarest. */
static uint32_t list_first(const qb_cosets *c, uint32_t special, uint32_t *elements) {
    const qb_telling *t = &c->telling;
    uint64_t said[QB_MOST_PLACES];
    uint32_t n = 0;
    for (uint32_t i = 0; i < special; i++) {
        elements[n] = (uint32_t)c->first[t->units[i]];
        said[n] = t->said[i];
        n += c->first[t->units[i]] >= 0;
    }
    if (n > 1 && n <= FEW) return keep_rarest(said, elements, n);
    if (n > 0) return n;
    for (; n < c->stages[0].count; n++) elements[n] = n;
    return n;
}

static void take_first(qb_cosets *c, uint32_t special) {
    uint32_t elements[QB_MOST_PLACES];
    const uint32_t n = list_first(c, special, elements);
    const uint16_t *keys = (const uint16_t *)(const void *)c->sums;
    uint16_t least = UINT16_MAX;
    if (n > 1) {
        add_keys(c, &c->stages[0], c->ways->at);
        for (uint32_t i = 0; i < n; i++) least = keys[elements[i]] < least ? keys[elements[i]] : least;
    }
    for (uint32_t i = 0; i < n; i++)
        if (n == 1 || keys[elements[i]] == least) add_way(c, 0, c->ways, elements[i]);
}

/* Later stages. */

/* Whether a stage moves something after a way. */
static bool is_moving(const qb_cosets *c, const qb_stage *stage, const qb_descent *way) {
    uint32_t moved = 0;
    for (uint32_t i = 0; i < c->telling.count; i++) moved |= stage->moves[way->at[i]];
    return moved != 0;
}

static void take_stage(qb_cosets *c, uint32_t k) {
    const qb_stage *stage = &c->stages[k];
    int16_t best = INT16_MAX;
    for (const qb_descent *way = c->ways; way < c->ways + c->way_count; way++) {
        add_keys(c, stage, way->at);
        qb_eight x = (qb_eight)c->sums[0];
        for (uint32_t b = 1; b < stage->blocks; b++) x = qb_lesser(x, (qb_eight)c->sums[b]);
        const int16_t least = qb_least_of(x);
        if (least > best) continue;
        if (least < best) c->following_count = 0;
        best = least;
        for (uint32_t b = 0; b < stage->blocks; b++)
            for (uint64_t left = qb_equal_ones((qb_eight)c->sums[b], least); left != 0; left &= left - 1) {
                const uint32_t element = 8 * b + qb_number_of(left);
                if (element < stage->count) add_way(c, k, way, element);
            }
    }
}

/* h := the elements of a way, one after the other. */
static void take_way(const qb_reducer *r, const qb_cosets *c, const qb_descent *way) {
    const uint32_t atoms = r->plan->atoms;
    for (uint32_t a = 0; a < atoms; a++) r->h[a] = (int32_t)a;
    for (uint32_t i = 0; i < c->units.starts[c->units.count]; i++) {
        const int32_t a = c->units.atoms[i];
        for (uint32_t k = 0; k < c->stage_count; k++)
            r->h[a] = c->stages[k].elements[(uint64_t)way->steps[k] * atoms + (uint32_t)r->h[a]];
    }
}

void qb_search_cosets(qb_reducer *r, qb_plan_node *node, uint64_t *s) {
    qb_cosets *c = node->cosets;
    const uint32_t special = look(c, s);
    if (c->telling.count == 0) return;
    memcpy(c->ways->at, c->telling.units, c->telling.count);
    take_first(c, special);
    take_following(c);
    for (uint32_t k = 1; k < c->stage_count; k++) {
        if (c->way_count == 1 && !is_moving(c, &c->stages[k], c->ways)) {
            c->ways->steps[k] = 0;
            continue;
        }
        take_stage(c, k);
        take_following(c);
    }
    take_way(r, c, c->ways);
    qb_apply(r, s, r->h);
}
