/* The exact representative under products and wreath products of symmetric groups, references included (forest.h).
 *
 * Colour the units by what the state says of each.  A *tie* is two units of one colour.  An edge is harmless if one of its
 * ends has no tie inside the smallest block that holds both.  If all edges are, refine the colours by them once more: then
 * every element of the group that keeps these colours leaves the state as it is.  For let it map x to x' and y, without
 * ties there, to y': since x and x' have one colour, x' has an edge with the label of (x, y) to a unit of y's colour; the
 * label says that it lies in the smallest block that holds x' and y', in which y' is the only one.  So units, and then
 * blocks, can be sorted by colour, and how ties come out does not matter.
 *
 * Else refine until no tie goes, by edges and by what the blocks hold; then tell one unit after the other apart that a
 * harmful edge meets, and keep the least image. */
#include "forest.h"

#include "nodes.h"
#include "store.h"

#define SECOND 0xa0761d6478bd642full

/* ties[u] := 1 + the most blocks that u shares with a unit of its colour, 0 if there is none; answers how many pairs of one
 * colour there are. */
static uint32_t find_ties(qb_forest *f, const uint64_t *colours) {
    const uint32_t n = f->units.count;
    uint32_t pairs = 0;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t c = colours[i];
        const uint8_t *levels = f->units.levels + (uint64_t)i * n;
        uint32_t most = 0;
        for (uint32_t j = 0; j < i; j++) {
            const uint32_t same = c == colours[j], tie = same * (levels[j] + 1u);
            pairs += same;
            most = tie > most ? tie : most;
            f->ties[j] = tie > f->ties[j] ? tie : f->ties[j];
        }
        f->ties[i] = most;
    }
    return pairs;
}

/* Whether both ends of an edge have ties in the smallest block that holds them. */
static inline bool is_harmful(const qb_forest *f, const qb_link *e) {
    return f->ties[e->a] > e->level && f->ties[e->b] > e->level;
}

static bool has_harm(const qb_forest *f) {
    uint32_t harm = 0;
    for (const qb_link *e = f->units.links; e < f->units.links + f->units.link_count; e++) harm |= is_harmful(f, e);
    return harm != 0;
}

/* The least colour that a harmful edge meets. */
static uint64_t harmed_colour(const qb_forest *f, const uint64_t *colours) {
    uint64_t least = UINT64_MAX;
    for (const qb_link *e = f->units.links; e < f->units.links + f->units.link_count; e++) {
        if (!is_harmful(f, e)) continue;
        const uint64_t a = colours[e->a], b = colours[e->b], x = a < b ? a : b;
        least = x < least ? x : least;
    }
    return least;
}

static inline uint64_t seen_through(uint64_t colour, uint64_t label) {
    uint64_t h = (colour ^ label) * SECOND;
    return h ^ h >> 32;
}

static void add_blocks(qb_forest *f, const uint64_t *colours) {
    for (const qb_block *b = f->blocks; b < f->blocks + f->block_count; b++) {
        const uint32_t *members = f->members + b->first;
        uint64_t sum = 0;
        for (uint32_t k = 0; k < b->count; k++) sum += qb_scramble(colours[members[k]]);
        sum = qb_scramble(sum ^ b->label);
        for (uint32_t k = 0; k < b->count; k++) f->sums[members[k]] += sum;
    }
}

static void refine_once(qb_forest *f, uint64_t *colours, bool by_blocks) {
    const uint32_t n = f->units.count;
    for (uint32_t u = 0; u < n; u++) f->sums[u] = 0;
    for (const qb_link *e = f->units.links; e < f->units.links + f->units.link_count; e++) {
        f->sums[e->a] += seen_through(colours[e->b], e->label);
        f->sums[e->b] += seen_through(colours[e->a], ~e->label);
    }
    if (by_blocks) add_blocks(f, colours);
    for (uint32_t u = 0; u < n; u++) colours[u] = qb_scramble(colours[u] * 3 + f->sums[u]) & -QB_COLOUR_STEP;
}

/* Refine until sorting is all that is left to do; false: until nothing happens any more. */
static bool settle(qb_forest *f, uint64_t *colours) {
    uint32_t ties = find_ties(f, colours);
    while (ties > 0 && f->units.link_count > 0) {
        const bool harm = has_harm(f);
        refine_once(f, colours, harm && f->block_count > 0);
        if (!harm) return true;
        const uint32_t now = find_ties(f, colours);
        if (now == ties) return false;
        ties = now;
    }
    return true;
}

/* Sorting. */

/* f->at: the unit in each place.  The columns of a set, least colours first, equal ones as they stand. */
static bool sort_units(qb_forest *f, const qb_siblings *set, const uint64_t *colours) {
    const uint32_t *places = f->members + set->first, n = set->columns;
    bool moved = false;
    for (uint32_t i = 1; i < n; i++) {
        const uint32_t u = f->at[places[i]];
        const uint64_t c = colours[u];
        uint32_t j = i;
        for (; j > 0 && colours[f->at[places[j - 1]]] > c; j--) f->at[places[j]] = f->at[places[j - 1]];
        f->at[places[j]] = u;
        moved |= j != i;
    }
    return moved;
}

static bool sort_blocks(qb_forest *f, const qb_siblings *set, const uint64_t *colours) {
    const uint32_t *places = f->members + set->first, n = set->columns, width = set->width;
    uint64_t keys[QB_MOST_UNITS];
    uint32_t order[QB_MOST_UNITS], copy[QB_MOST_UNITS];
    bool moved = false;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t key = 0;
        for (uint32_t k = 0; k < width; k++) key += qb_scramble(colours[f->at[places[i * width + k]]]);
        keys[i] = key;
        uint32_t j = i;
        for (; j > 0 && keys[order[j - 1]] > key; j--) order[j] = order[j - 1];
        order[j] = i;
        moved |= j != i;
    }
    if (!moved) return false;
    for (uint32_t k = 0; k < n * width; k++) copy[k] = f->at[places[k]];
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < width; k++) f->at[places[i * width + k]] = copy[order[i] * width + k];
    return true;
}

static bool sort_all(qb_forest *f, const uint64_t *colours) {
    bool moved = false;
    for (uint32_t u = 0; u < f->units.count; u++) f->at[u] = u;
    for (const qb_siblings *set = f->sets; set < f->sets + f->set_count; set++)
        moved |= set->width == 1 ? sort_units(f, set, colours) : sort_blocks(f, set, colours);
    return moved;
}

/* h := every unit goes to its place. */
static void take_places(const qb_reducer *r, const qb_forest *f) {
    for (uint32_t a = 0; a < r->plan->atoms; a++) r->h[a] = (int32_t)a;
    for (uint32_t place = 0; place < f->units.count; place++) {
        const int32_t *from = f->units.atoms + f->units.starts[f->at[place]], *to = f->units.atoms + f->units.starts[place];
        const uint32_t n = f->units.starts[place + 1] - f->units.starts[place];
        for (uint32_t k = 0; k < n; k++) r->h[from[k]] = to[k];
    }
}

/* Searching. */

typedef struct {
    bool have;
    uint32_t best_depth, path[QB_MOST_UNITS + 1], best_path[QB_MOST_UNITS + 1];
} ways;

static int32_t first_atom(const qb_forest *f, uint32_t unit) { return f->units.atoms[f->units.starts[unit]]; }

/* As in symmetric.c: equal images of two leaves give a symmetry of the state, which may spare the rest of a branch. */
static uint32_t parting(const qb_reducer *r, const qb_forest *f, const ways *w, uint32_t depth) {
    if (depth != w->best_depth) return depth;
    for (uint32_t i = 0; i < depth; i++) {
        if (r->h[first_atom(f, w->path[i])] != r->best_h[first_atom(f, w->best_path[i])]) return depth;
        if (w->path[i] != w->best_path[i]) return i;
    }
    return depth;
}

static bool is_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t k = 0; k < words; k++)
        if (a[k] != b[k]) return a[k] < b[k];
    return false;
}

static uint32_t take_leaf(qb_reducer *r, qb_forest *f, const uint64_t *s, uint32_t depth, ways *w) {
    const uint32_t words = r->plan->words;
    sort_all(f, qb_colours_at(r, depth));
    take_places(r, f);
    qb_move(&r->columns, r->plan, r->h, s, r->other);
    if (w->have && qb_equal(r->other, r->best, words)) return parting(r, f, w, depth);
    if (w->have && !is_less(r->other, r->best, words)) return depth;
    qb_copy(r->best, r->other, words);
    memcpy(r->best_h, r->h, r->plan->atoms * sizeof *r->h);
    memcpy(w->best_path, w->path, depth * sizeof *w->path);
    w->best_depth = depth;
    w->have = true;
    return depth;
}

/* Whether the group can exchange two units alone, and the state does not change then. */
static bool are_exchangeable(qb_reducer *r, const qb_forest *f, const uint64_t *s, uint32_t u, uint32_t v) {
    if (f->twins[u] < 0 || f->twins[u] != f->twins[v]) return false;
    for (uint32_t a = 0; a < r->plan->atoms; a++) r->h[a] = (int32_t)a;
    for (uint32_t k = 0; k < f->units.starts[u + 1] - f->units.starts[u]; k++) {
        const int32_t a = f->units.atoms[f->units.starts[u] + k], b = f->units.atoms[f->units.starts[v] + k];
        r->h[a] = b;
        r->h[b] = a;
    }
    qb_move(&r->columns, r->plan, r->h, s, r->other);
    return qb_equal(r->other, s, r->plan->words);
}

/* Requires colours that are settled as far as they can be, with harmful edges. */
static uint32_t search(qb_reducer *r, qb_forest *f, const uint64_t *s, uint32_t depth, ways *w) {
    const uint32_t n = f->units.count;
    uint64_t *colours = qb_colours_at(r, depth), *next = qb_colours_at(r, depth + 1);
    const uint64_t shared = harmed_colour(f, colours);
    for (uint32_t u = 0; u < n && !qb_is_stopped(r); u++) {
        bool spared = colours[u] != shared;
        for (uint32_t v = 0; v < u && !spared; v++) spared = colours[v] == shared && are_exchangeable(r, f, s, v, u);
        if (spared) continue;
        memcpy(next, colours, n * sizeof *next);
        next[u] = qb_scramble(colours[u] ^ 0xd1b54a32d192ed03ull) & -QB_COLOUR_STEP;
        w->path[depth] = u;
        const uint32_t back = settle(f, next) ? take_leaf(r, f, s, depth + 1, w) : search(r, f, s, depth + 1, w);
        if (back < depth) return back;
    }
    return depth;
}

void qb_sort_forest(qb_reducer *r, qb_plan_node *node, uint64_t *s) {
    qb_forest *f = node->forest;
    uint64_t *colours = qb_colours_at(r, 0);
    qb_units_look(&f->units, s, colours);
    if (settle(f, colours)) {
        if (!sort_all(f, colours)) return;
        take_places(r, f);
        qb_apply(r, s, r->h);
        return;
    }
    ways w;
    w.have = false;
    search(r, f, s, 0, &w);
    qb_copy(s, r->best, r->plan->words);
    if (r->witness)
        for (uint32_t a = 0; a < r->plan->atoms; a++) r->g[a] = r->best_h[r->g[a]];
}
