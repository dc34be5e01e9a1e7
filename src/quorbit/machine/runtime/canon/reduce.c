/* Reading plans and following them (reduce.h, nodes.h). */
#include "reduce.h"

#include "nodes.h"
#include "store.h"

#include <stdlib.h>

/* Reading. */

typedef struct {
    const qb_plan *plan;
    uint64_t at;
    bool good;
} reading;

static int64_t take(reading *in) {
    if (in->at >= in->plan->node_count) {
        in->good = false;
        return 0;
    }
    return in->plan->nodes[in->at++];
}

static uint32_t take_count(reading *in) {
    int64_t n = take(in);
    if (n < 0 || (uint64_t)n > in->plan->node_count) in->good = false;
    return in->good ? (uint32_t)n : 0;
}

static int32_t *take_numbers(reading *in, uint64_t n) {
    int32_t *numbers = calloc(n + 1, sizeof *numbers);
    if (numbers == NULL || n > in->plan->node_count) in->good = false;
    for (uint64_t k = 0; k < n && in->good; k++) numbers[k] = (int32_t)take(in);
    return numbers;
}

bool qb_can_stand_for(const qb_plan *p, int32_t a, int32_t b) {
    uint32_t from = p->run_starts[a], to = p->run_starts[b], n = p->run_starts[a + 1] - from;
    if (p->run_starts[b + 1] - to != n) return false;
    for (uint32_t k = 0; k < n; k++)
        if (p->runs[from + k].width != p->runs[to + k].width) return false;
    return true;
}

static bool is_atom(const qb_plan *p, int32_t a) { return a >= 0 && a < (int32_t)p->atoms; }

static bool is_permutation(const qb_plan *p, const int32_t *g) {
    uint64_t seen[(QB_MOST_ATOMS + 63) / 64] = {0};
    for (uint32_t a = 0; a < p->atoms; a++) {
        if (!is_atom(p, g[a]) || seen[g[a] / 64] >> (g[a] % 64) & 1 || !qb_can_stand_for(p, (int32_t)a, g[a])) return false;
        seen[g[a] / 64] |= 1ull << (g[a] % 64);
    }
    return true;
}

static int32_t *take_permutations(reading *in, uint32_t n) {
    int32_t *found = take_numbers(in, (uint64_t)n * in->plan->atoms);
    for (uint32_t k = 0; k < n && in->good; k++)
        if (!is_permutation(in->plan, found + (uint64_t)k * in->plan->atoms)) in->good = false;
    return found;
}

static void take_levels(reading *in, qb_plan_node *node, bool with_points) {
    node->level_count = take_count(in);
    node->levels = calloc(node->level_count + 1u, sizeof *node->levels);
    if (node->levels == NULL) in->good = false;
    for (uint32_t k = 0; k < node->level_count && in->good; k++) {
        qb_level *level = &node->levels[k];
        level->point = with_points ? (int32_t)take(in) : 0;
        level->count = take_count(in);
        level->atoms = with_points ? take_numbers(in, level->count) : NULL;
        level->permutations = in->good ? take_permutations(in, level->count) : NULL;
        if (!is_atom(in->plan, level->point) || (with_points && level->count > in->plan->atoms)) in->good = false;
        for (uint32_t j = 0; with_points && in->good && j < level->count; j++)
            if (!is_atom(in->plan, level->atoms[j])) in->good = false;
    }
}

/* Blocks of free atoms. */
static void take_free(reading *in, qb_plan_node *node) {
    qb_free_atoms *f = &node->free;
    uint32_t n = 0;
    f->count = take_count(in);
    f->ends = calloc(f->count + 1u, sizeof *f->ends);
    f->atoms = calloc(in->plan->atoms + 1u, sizeof *f->atoms);
    if (f->ends == NULL || f->atoms == NULL) in->good = false;
    for (uint32_t b = 0; b < f->count && in->good; b++) {
        const uint32_t size = take_count(in), first = n;
        if (size > in->plan->atoms - n) in->good = false;
        for (uint32_t i = 0; i < size && in->good; i++) {
            f->atoms[n++] = (int32_t)take(in);
            in->good = in->good && is_atom(in->plan, f->atoms[n - 1]) &&
                       qb_can_stand_for(in->plan, f->atoms[first], f->atoms[n - 1]);
        }
        f->ends[b] = n;
    }
    if (in->good) in->good = qb_open_free(in->plan, node);
}

static int32_t first_of(const int32_t *orbits, int32_t a) {
    while (orbits[a] != a) a = orbits[a];
    return a;
}

/* The orbits of the atoms under the permutations of each level and those after it. */
static void join_orbits(reading *in, qb_plan_node *node) {
    uint32_t atoms = in->plan->atoms;
    for (uint32_t k = node->level_count; k-- > 0 && in->good;) {
        qb_level *level = &node->levels[k];
        if ((level->orbits = calloc(atoms, sizeof *level->orbits)) == NULL) in->good = false;
        for (uint32_t a = 0; a < atoms && in->good; a++)
            level->orbits[a] = k + 1 < node->level_count ? node->levels[k + 1].orbits[a] : (int32_t)a;
        for (uint64_t j = 0; j < (uint64_t)level->count * atoms && in->good; j++) {
            int32_t a = first_of(level->orbits, (int32_t)(j % atoms)), b = first_of(level->orbits, level->permutations[j]);
            level->orbits[a > b ? a : b] = a > b ? b : a;
        }
        for (uint32_t a = 0; a < atoms && in->good; a++) level->orbits[a] = first_of(level->orbits, (int32_t)a);
    }
}

static void invert_steps(reading *in, qb_plan_node *node) {
    const uint32_t atoms = in->plan->atoms;
    for (uint32_t k = 0; k < node->level_count && in->good; k++) {
        qb_level *level = &node->levels[k];
        level->inverses = calloc((uint64_t)level->count * atoms + 1, sizeof *level->inverses);
        if (level->inverses == NULL) in->good = false;
        for (uint64_t j = 0; in->good && j < (uint64_t)level->count * atoms; j++)
            level->inverses[j / atoms * atoms + (uint32_t)level->permutations[j]] = (int32_t)(j % atoms);
    }
}

/* Classes, the atoms of the larger ones, and labels of pairs of them. */
static void take_classes(reading *in, qb_plan_node *node) {
    const qb_plan *p = in->plan;
    node->classes = take_numbers(in, p->atoms);
    node->active_count = take_count(in);
    node->active = take_numbers(in, node->active_count);
    if (take(in) != 0) node->orbitals = take_numbers(in, (uint64_t)node->active_count * node->active_count);
    node->first_colours = calloc(p->atoms, sizeof *node->first_colours);
    if (!in->good || node->first_colours == NULL || node->active_count > p->atoms) {
        in->good = false;
        return;
    }
    for (uint32_t a = 0; a < p->atoms; a++) node->first_colours[a] = qb_scramble((uint64_t)node->classes[a] + 77);
    for (uint32_t i = 0; i < node->active_count; i++)
        if (!is_atom(p, node->active[i])) in->good = false;
    for (uint32_t i = 1; i < node->active_count && in->good; i++)
        if (node->classes[node->active[i]] == node->classes[node->active[i - 1]] &&
            !qb_can_stand_for(p, node->active[i], node->active[i - 1]))
            in->good = false;
    node->class_ends = calloc(node->active_count + 1u, sizeof *node->class_ends);
    if (node->class_ends == NULL) in->good = false;
    for (uint32_t i = 0; i < node->active_count && in->good; i++)
        if (i + 1 == node->active_count || node->classes[node->active[i]] != node->classes[node->active[i + 1]])
            node->class_ends[node->class_count++] = i + 1;
    if (in->good)
        in->good = qb_colouring_open(&node->colouring, p, node->active, node->active_count, node->orbitals,
                                     node->kind == QB_REFINE);
}

static void take_columns(reading *in, qb_plan_node *node) {
    const qb_plan *p = in->plan;
    node->count = take_count(in);
    node->rows = take_count(in);
    node->permutations = take_numbers(in, (uint64_t)node->count * node->rows);
    node->column_of = malloc(p->atoms * sizeof *node->column_of);
    node->row_of = malloc(p->atoms * sizeof *node->row_of);
    if (!in->good || node->column_of == NULL || node->row_of == NULL || node->count > p->atoms ||
        node->rows > p->atoms) {
        in->good = false;
        return;
    }
    for (uint32_t a = 0; a < p->atoms; a++) node->column_of[a] = node->row_of[a] = -1;
    for (uint32_t k = 0; k < node->count * node->rows; k++) {
        int32_t a = node->permutations[k];
        if (!is_atom(p, a) || node->column_of[a] >= 0 || !qb_can_stand_for(p, a, node->permutations[k % node->rows])) {
            in->good = false;
            return;
        }
        node->column_of[a] = (int32_t)(k / node->rows);
        node->row_of[a] = (int32_t)(k % node->rows);
    }
}

static void take_forest(reading *in, qb_plan_node *node) {
    uint64_t taken = 0;
    node->forest = qb_forest_open(in->plan, in->plan->nodes + in->at, in->plan->node_count - in->at, &taken);
    if (node->forest == NULL) in->good = false;
    in->at += taken;
}

/* The elements of its stages, then what the units are. */
static void take_cosets(reading *in, qb_plan_node *node) {
    uint32_t counts[QB_MOST_STAGES];
    int32_t *elements[QB_MOST_STAGES];
    uint64_t taken = 0;
    take_levels(in, node, false);
    if (node->level_count > QB_MOST_STAGES) in->good = false;
    for (uint32_t k = 0; in->good && k < node->level_count; k++) {
        counts[k] = node->levels[k].count;
        elements[k] = node->levels[k].permutations;
    }
    if (!in->good) return;
    node->cosets = qb_cosets_open(in->plan, node->level_count, counts, elements, in->plan->nodes + in->at,
                                  in->plan->node_count - in->at, &taken);
    if (node->cosets == NULL) in->good = false;
    in->at += taken;
}

static void take_node(reading *in, qb_plan_node *node, uint32_t depth) {
    node->kind = (int)take(in);
    if (depth > 64) in->good = false;
    if (!in->good) return;
    switch (node->kind) {
    case QB_IDENTITY: break;
    case QB_ENUMERATE: case QB_SWAPS: case QB_ORBIT:
        node->count = take_count(in);
        node->permutations = take_permutations(in, node->count);
        break;
    case QB_DESCEND:
        node->count = take_count(in);
        node->permutations = take_permutations(in, node->count);
        node->more_count = take_count(in);
        node->more = take_permutations(in, node->more_count);
        break;
    case QB_CHAIN: take_levels(in, node, false); break;
    case QB_SORT: take_columns(in, node); break;
    case QB_REFINE:
        take_classes(in, node);
        take_levels(in, node, true);
        take_free(in, node);
        join_orbits(in, node);
        invert_steps(in, node);
        break;
    case QB_SYMMETRIC: case QB_MARK: take_classes(in, node); break;
    case QB_FOREST: take_forest(in, node); break;
    case QB_COSETS: take_cosets(in, node); break;
    case QB_TURN:
        node->count = take_count(in);
        node->children = calloc(node->count + 1u, sizeof *node->children);
        if (node->children == NULL) in->good = false;
        for (uint32_t k = 0; k < node->count && in->good; k++) take_node(in, &node->children[k], depth + 1);
        break;
    default: in->good = false;
    }
}

static void close_node(qb_plan_node *node) {
    for (uint32_t k = 0; node->levels != NULL && k < node->level_count; k++) {
        free(node->levels[k].atoms);
        free(node->levels[k].permutations);
        free(node->levels[k].inverses);
        free(node->levels[k].orbits);
    }
    for (uint32_t k = 0; node->children != NULL && k < node->count; k++) close_node(&node->children[k]);
    qb_colouring_close(&node->colouring);
    qb_close_free(&node->free);
    qb_tables_close(&node->tables);
    qb_forest_close(node->forest);
    qb_cosets_close(node->cosets);
    free(node->levels);
    free(node->children);
    free(node->permutations);
    free(node->more);
    free(node->classes);
    free(node->active);
    free(node->orbitals);
    free(node->class_ends);
    free(node->first_colours);
    free(node->column_of);
    free(node->row_of);
    free(node->others);
}

static bool prepare(qb_reducer *r, qb_plan_node *node) {
    bool good = node->kind != QB_SORT || qb_prepare_sort(r, node);
    if (node->kind == QB_ENUMERATE) good = qb_tables_open(&node->tables, r->plan, node->permutations, node->count);
    for (uint32_t k = 0; node->kind == QB_TURN && k < node->count; k++) good = good && prepare(r, &node->children[k]);
    return good;
}

static bool open_scratch(qb_reducer *r) {
    const qb_plan *p = r->plan;
    uint64_t atoms = p->atoms, words = p->words;
    r->best = calloc(words, sizeof *r->best);
    r->other = calloc(words, sizeof *r->other);
    r->start = calloc(words, sizeof *r->start);
    r->h = calloc(atoms, sizeof *r->h);
    r->best_h = calloc(atoms, sizeof *r->best_h);
    r->g = calloc(atoms, sizeof *r->g);
    r->depths = calloc((atoms + 2) * atoms, sizeof *r->depths);
    r->keys = calloc(atoms * 4 + 4, sizeof *r->keys);
    r->order = calloc(atoms + 1, sizeof *r->order);
    r->frontier = qb_frontier_open(p, r->limbs);
    r->following = qb_frontier_open(p, r->limbs);
    if (p->cache_bits > 0 && p->cache_bits < 24) r->cache = calloc((2ull * words + 1) << p->cache_bits, sizeof *r->cache);
    if (!qb_columns_open(&r->columns, p)) return false;
    return r->best && r->other && r->start && r->h && r->best_h && r->g && r->depths && r->keys && r->order &&
           r->frontier && r->following;
}

QB_API qb_reducer *qb_reducer_open(const qb_plan *plan) { return qb_reducer_open_counting(plan, 0); }

qb_reducer *qb_reducer_open_counting(const qb_plan *plan, uint32_t limbs) {
    if (!qb_tables_are_sound(plan)) return NULL;
    qb_reducer *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    r->plan = plan;
    r->limbs = limbs;
    reading in = {plan, 0, true};
    take_node(&in, &r->root, 0);
    if (!in.good || in.at != plan->node_count || !open_scratch(r) || !prepare(r, &r->root)) {
        qb_reducer_close(r);
        return NULL;
    }
    return r;
}

QB_API void qb_reducer_close(qb_reducer *r) {
    if (r == NULL) return;
    close_node(&r->root);
    qb_columns_close(&r->columns);
    free(r->best);
    free(r->other);
    free(r->start);
    free(r->h);
    free(r->best_h);
    free(r->g);
    free(r->depths);
    free(r->keys);
    free(r->order);
    free(r->cache);
    qb_frontier_close(r->frontier);
    qb_frontier_close(r->following);
    free(r);
}

/* Following. */

void qb_apply(qb_reducer *r, uint64_t *s, const int32_t *h) {
    qb_move(&r->columns, r->plan, h, s, r->other);
    qb_copy(s, r->other, r->plan->words);
    if (r->witness)
        for (uint32_t a = 0; a < r->plan->atoms; a++) r->g[a] = h[r->g[a]];
}

static bool is_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t k = 0; k < words; k++)
        if (a[k] != b[k]) return a[k] < b[k];
    return false;
}

/* The least of all images. */
static void enumerate(qb_reducer *r, const qb_plan_node *node, uint64_t *s) {
    uint32_t words = r->plan->words, best = node->count;
    if (node->tables.good) {
        qb_enumerate_tables(r, &node->tables, s);
        return;
    }
    for (uint32_t k = 0; k < node->count && !qb_is_stopped(r); k++) {
        qb_move(&r->columns, r->plan, node->permutations + (uint64_t)k * r->plan->atoms, s, r->other);
        if (best != node->count && !is_less(r->other, r->best, words)) continue;
        qb_copy(r->best, r->other, words);
        best = k;
    }
    if (best < node->count) qb_apply(r, s, node->permutations + (uint64_t)best * r->plan->atoms);
}

/* The same through coset representatives: h is the element so far. */
static void enumerate_levels(qb_reducer *r, const qb_plan_node *node, uint32_t level, const int32_t *h, uint64_t *s,
                             bool *have) {
    const qb_plan *p = r->plan;
    if (level == node->level_count) {
        qb_move(&r->columns, p, h, s, r->other);
        if (*have && !is_less(r->other, r->best, p->words)) return;
        qb_copy(r->best, r->other, p->words);
        memcpy(r->best_h, h, p->atoms * sizeof *h);
        *have = true;
        return;
    }
    int32_t further[QB_MOST_ATOMS];
    for (uint32_t k = 0; k < node->levels[level].count && !qb_is_stopped(r); k++) {
        const int32_t *step = node->levels[level].permutations + (uint64_t)k * p->atoms;
        for (uint32_t a = 0; a < p->atoms; a++) further[a] = step[h[a]];
        enumerate_levels(r, node, level + 1, further, s, have);
    }
}

static void enumerate_chain(qb_reducer *r, const qb_plan_node *node, uint64_t *s) {
    int32_t identity[QB_MOST_ATOMS];
    bool have = false;
    for (uint32_t a = 0; a < r->plan->atoms; a++) identity[a] = (int32_t)a;
    enumerate_levels(r, node, 0, identity, s, &have);
    if (have) qb_apply(r, s, r->best_h);
}

/* Apply permutations while they make the state less. */
static void descend(qb_reducer *r, const qb_plan_node *node, uint64_t *s) {
    for (bool moved = true; moved && !qb_is_stopped(r);) {
        moved = false;
        for (uint32_t k = 0; k < node->count; k++) {
            const int32_t *h = node->permutations + (uint64_t)k * r->plan->atoms;
            qb_move(&r->columns, r->plan, h, s, r->other);
            if (qb_compare_states(r->plan, r->other, s) >= 0) continue;
            qb_apply(r, s, h);
            moved = true;
        }
    }
}

/* The least local minimum from s and from some images of it. */
static void search_locally(qb_reducer *r, const qb_plan_node *node, uint64_t *s) {
    uint32_t words = r->plan->words, atoms = r->plan->atoms;
    int32_t g[QB_MOST_ATOMS];
    qb_copy(r->start, s, words);
    memcpy(g, r->g, atoms * sizeof *g);
    descend(r, node, s);
    qb_copy(r->best, s, words);
    memcpy(r->best_h, r->g, atoms * sizeof *g);
    for (uint32_t k = 0; k < node->more_count; k++) {
        qb_copy(s, r->start, words);
        memcpy(r->g, g, atoms * sizeof *g);
        qb_apply(r, s, node->more + (uint64_t)k * atoms);
        descend(r, node, s);
        if (qb_compare_states(r->plan, s, r->best) >= 0) continue;
        qb_copy(r->best, s, words);
        memcpy(r->best_h, r->g, atoms * sizeof *g);
    }
    qb_copy(s, r->best, words);
    memcpy(r->g, r->best_h, atoms * sizeof *g);
}

/* The least state of the orbit, which is closed under the generators. */
static void search_orbit(qb_reducer *r, const qb_plan_node *node, uint64_t *s) {
    const qb_plan *p = r->plan;
    qb_frontier *f = r->frontier;
    f->n = 1;
    qb_copy(f->states, s, p->words);
    for (uint32_t a = 0; a < p->atoms; a++) f->permutations[a] = (int32_t)a;
    uint64_t best = qb_close_orbit(r, f, node);
    qb_copy(s, f->states + best * p->words, p->words);
    if (r->witness)
        for (uint32_t a = 0; a < p->atoms; a++) r->g[a] = f->permutations[best * p->atoms + (uint32_t)r->g[a]];
}

static void follow(qb_reducer *r, qb_plan_node *node, uint64_t *s) {
    switch (node->kind) {
    case QB_ENUMERATE: enumerate(r, node, s); break;
    case QB_CHAIN: enumerate_chain(r, node, s); break;
    case QB_SWAPS: descend(r, node, s); break;
    case QB_SORT: qb_sort_columns(r, node, s); break;
    case QB_DESCEND: search_locally(r, node, s); break;
    case QB_ORBIT: search_orbit(r, node, s); break;
    case QB_REFINE: qb_search_chain(r, node, s); break;
    case QB_SYMMETRIC: qb_search_symmetric(r, node, s); break;
    case QB_MARK: qb_mark(r, node, s); break;
    case QB_FOREST: qb_sort_forest(r, node, s); break;
    case QB_COSETS: qb_search_cosets(r, node, s); break;
    case QB_TURN:
        for (uint32_t k = 0; k < node->count; k++) follow(r, &node->children[k], s);
        break;
    default: break;
    }
}

QB_API void qb_reduce(qb_reducer *r, uint64_t *s) {
    uint32_t words = r->plan->words;
    if (r->cache == NULL) {
        follow(r, &r->root, s);
        return;
    }
    uint64_t *entry = r->cache + (qb_hash(s, words) >> (64 - r->plan->cache_bits)) * (2ull * words + 1);
    if (entry[2 * words] && qb_equal(entry, s, words)) {
        r->hits++;
        qb_copy(s, entry + words, words);
        return;
    }
    qb_copy(entry, s, words);
    follow(r, &r->root, s);
    qb_copy(entry + words, s, words);
    entry[2 * words] = !qb_values_have_missed();
}

QB_API void qb_reduce_all(qb_reducer *r, uint64_t *states, uint64_t count) {
    for (uint64_t k = 0; k < count; k++) qb_reduce(r, states + k * r->plan->words);
}

QB_API void qb_reduce_witness(qb_reducer *r, uint64_t *s, int32_t *g) {
    for (uint32_t a = 0; a < r->plan->atoms; a++) r->g[a] = (int32_t)a;
    r->witness = true;
    follow(r, &r->root, s);
    r->witness = false;
    for (uint32_t a = 0; a < r->plan->atoms; a++) g[a] = r->g[a];
}

void qb_reducer_heed(qb_reducer *r, const volatile bool *stop) { r->stop = stop; }

uint64_t qb_reducer_hits(const qb_reducer *r) { return r->hits; }
