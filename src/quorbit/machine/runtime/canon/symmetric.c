/* The exact representative under a product of symmetric groups, references included.
 *
 * Refine the colours of the atoms; atoms of one colour that no reference joins to others are interchangeable as they
 * are.  If other colours are shared, tell one atom apart after the other and keep the least image.  An atom need not be
 * tried if exchanging it with one that was tried leaves the state alone. */
#include "sorting_network.h"
#include "nodes.h"
#include "store.h"

uint64_t *qb_colours_at(qb_reducer *r, uint32_t depth) { return r->depths + (uint64_t)depth * r->plan->atoms; }

/* order := the atoms, least colour first, equal ones as they stand; for a few of them without a jump. */
static void sort_atoms(const int32_t *atoms, uint32_t n, const uint64_t *colours, int32_t *order) {
    uint64_t x[QB_COLOUR_STEP];
    uint32_t ranks[QB_COLOUR_STEP] = {0};
    if (n <= 8) {
        for (uint32_t i = 0; i < 8; i++) x[i] = i < n ? colours[atoms[i]] + i : UINT64_MAX;
        qb_sort_eight(x);
        for (uint32_t i = 0; i < n; i++) order[i] = atoms[x[i] % QB_COLOUR_STEP];
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (n > QB_COLOUR_STEP) {
            uint32_t j = i;
            for (; j > 0 && colours[order[j - 1]] > colours[atoms[i]]; j--) order[j] = order[j - 1];
            order[j] = atoms[i];
            continue;
        }
        x[i] = colours[atoms[i]];
        for (uint32_t j = 0; j < i; j++) {
            uint32_t later = x[i] < x[j];
            ranks[j] += later;
            ranks[i] += 1 - later;
        }
    }
    for (uint32_t i = 0; n <= QB_COLOUR_STEP && i < n; i++) order[ranks[i]] = atoms[i];
}

/* h := sort the atoms of each class by colour into the class's places, equal ones as they stand; whether any moves. */
bool qb_order_by_colour(const qb_plan_node *node, const uint64_t *colours, int32_t *order, int32_t *h, uint32_t atoms) {
    bool moved = false;
    for (uint32_t a = 0; a < atoms; a++) h[a] = (int32_t)a;
    for (uint32_t k = 0, first = 0; k < node->class_count; first = node->class_ends[k++]) {
        const uint32_t n = node->class_ends[k] - first;
        sort_atoms(node->active + first, n, colours, order);
        for (uint32_t j = 0; j < n; j++) {
            moved |= order[j] != node->active[first + j];
            h[order[j]] = node->active[first + j];
        }
    }
    return moved;
}

/* The least colour that several joined atoms share; false if there is none. */
bool qb_find_shared(const qb_colouring *c, uint32_t different, uint64_t *shared) {
    *shared = c->shared;
    return different != c->joined_count;
}

bool qb_are_exchangeable(qb_reducer *r, const uint64_t *s, int32_t a, int32_t b) {
    for (uint32_t x = 0; x < r->plan->atoms; x++) r->h[x] = (int32_t)x;
    r->h[a] = b;
    r->h[b] = a;
    qb_move(&r->columns, r->plan, r->h, s, r->other);
    return qb_equal(r->other, s, r->plan->words);
}

static bool is_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t k = 0; k < words; k++)
        if (a[k] != b[k]) return a[k] < b[k];
    return false;
}

/* The atoms told apart on the way to the present leaf, and on the way to the best one. */
typedef struct {
    bool have;
    uint32_t best_depth;
    int32_t path[QB_MOST_ATOMS], best_path[QB_MOST_ATOMS];
} ways;

/* Equal images of two leaves give a symmetry of the state.  If it leads from one way to the other, all that is below the
 * atom in which they part was seen below the other one: the search goes on at that depth. */
static uint32_t parting(const qb_reducer *r, const ways *w, uint32_t depth) {
    if (depth != w->best_depth) return depth;
    for (uint32_t i = 0; i < depth; i++) {
        if (r->h[w->path[i]] != r->best_h[w->best_path[i]]) return depth;
        if (w->path[i] != w->best_path[i]) return i;
    }
    return depth;
}

/* Keeps the least image; answers the depth at which the search goes on. */
static uint32_t take_leaf(qb_reducer *r, const qb_plan_node *node, const uint64_t *s, uint32_t depth, ways *w) {
    uint32_t atoms = r->plan->atoms;
    if (qb_order_by_colour(node, qb_colours_at(r, depth), r->order, r->h, atoms))
        qb_move(&r->columns, r->plan, r->h, s, r->other);
    else
        qb_copy(r->other, s, r->plan->words);
    if (w->have && qb_equal(r->other, r->best, r->plan->words)) return parting(r, w, depth);
    if (w->have && !is_less(r->other, r->best, r->plan->words)) return depth;
    qb_copy(r->best, r->other, r->plan->words);
    memcpy(r->best_h, r->h, atoms * sizeof *r->h);
    memcpy(w->best_path, w->path, depth * sizeof *w->path);
    w->best_depth = depth;
    w->have = true;
    return depth;
}

void qb_tell_apart(qb_reducer *r, uint32_t depth, int32_t a) {
    uint64_t *colours = qb_colours_at(r, depth), *next = qb_colours_at(r, depth + 1);
    memcpy(next, colours, r->plan->atoms * sizeof *colours);
    next[a] = qb_scramble(colours[a] ^ 0xd1b54a32d192ed03ull) & -QB_COLOUR_STEP;
}

static uint32_t search(qb_reducer *r, qb_plan_node *node, const uint64_t *s, uint32_t depth, ways *w) {
    uint64_t *colours = qb_colours_at(r, depth), shared = 0;
    uint32_t different = qb_refine(&node->colouring, colours);
    if (depth >= node->active_count || !qb_find_shared(&node->colouring, different, &shared))
        return take_leaf(r, node, s, depth, w);
    for (uint32_t i = 0; i < node->active_count && !qb_is_stopped(r); i++) {
        int32_t a = node->active[i];
        if (colours[a] != shared) continue;
        bool spared = false;
        for (uint32_t j = 0; j < i && !spared; j++)
            spared = colours[node->active[j]] == shared && qb_are_exchangeable(r, s, node->active[j], a);
        if (spared) continue;
        qb_tell_apart(r, depth, a);
        w->path[depth] = a;
        uint32_t back = search(r, node, s, depth + 1, w);
        if (back < depth) return back;
    }
    return depth;
}

void qb_search_symmetric(qb_reducer *r, qb_plan_node *node, uint64_t *s) {
    ways w;
    uint64_t *colours = qb_colours_at(r, 0);
    memcpy(colours, node->first_colours, r->plan->atoms * sizeof *colours);
    qb_colour_alone(&node->colouring, s, colours);
    w.have = false;
    search(r, node, s, 0, &w);
    qb_copy(s, r->best, r->plan->words);
    if (r->witness)
        for (uint32_t a = 0; a < r->plan->atoms; a++) r->g[a] = r->best_h[r->g[a]];
}

void qb_mark(qb_reducer *r, qb_plan_node *node, uint64_t *s) {
    uint64_t *colours = qb_colours_at(r, 0);
    memcpy(colours, node->first_colours, r->plan->atoms * sizeof *colours);
    qb_colour_alone(&node->colouring, s, colours);
    qb_refine(&node->colouring, colours);
    qb_order_by_colour(node, colours, r->order, r->h, r->plan->atoms);
    qb_apply(r, s, r->h);
}
