/* Colours of atoms (colour.h). */
#include "colour.h"

#include "store.h"

#include <stdlib.h>

#define SELF 0x5bd1e9955bd1e995ull

bool qb_colouring_open(qb_colouring *c, const qb_plan *plan, const int32_t *active, uint32_t active_count,
                       const int32_t *orbitals) {
    c->plan = plan;
    c->active = active;
    c->active_count = active_count;
    c->orbitals = orbitals;
    c->edges = calloc(plan->cell_count + 1u, sizeof *c->edges);
    c->sums = calloc(plan->atoms, sizeof *c->sums);
    c->sorted = calloc(plan->atoms, sizeof *c->sorted);
    c->joined = calloc(plan->atoms, 1);
    return c->edges && c->sums && c->sorted && c->joined;
}

void qb_colouring_close(qb_colouring *c) {
    free(c->edges);
    free(c->sums);
    free(c->sorted);
    free(c->joined);
}

/* The atoms a cell joins: its owners, then what it refers to. */
static void look_at_cell(qb_colouring *c, const qb_cell *cell, const uint64_t *s, uint64_t *colours) {
    qb_edge e = {qb_scramble(cell->kind + 1u), {-1, -1, -1, -1}, 0};
    uint64_t code = 0;
    for (uint32_t k = 0; k < cell->owner_count; k++) e.atoms[e.count++] = cell->owners[k];
    if (cell->is_atom)
        e.atoms[e.count++] = qb_reference(c->plan, cell, s);
    else if ((code = qb_get(s, cell->field)) == 0)
        return; /* the zeroes of a family are what its other values leave over */
    e.label = qb_scramble(e.label ^ code);
    int32_t only = -1;
    bool several = false;
    for (uint32_t k = 0; k < e.count; k++) {
        if (e.atoms[k] < 0) continue;
        several = several || (only >= 0 && e.atoms[k] != only);
        only = e.atoms[k];
    }
    if (several) {
        for (uint32_t k = 0; k < e.count; k++)
            if (e.atoms[k] >= 0) c->joined[e.atoms[k]] = 1;
        c->edges[c->edge_count++] = e;
    } else if (only >= 0) {
        uint64_t places = 0; /* which of the positions the atom has */
        for (uint32_t k = 0; k < e.count; k++) places = places << 1 | (e.atoms[k] == only);
        colours[only] += qb_scramble(e.label + places);
    }
}

void qb_colour_alone(qb_colouring *c, const uint64_t *s, uint64_t *colours) {
    const qb_plan *p = c->plan;
    for (uint32_t i = 0; i < c->active_count; i++) {
        int32_t a = c->active[i];
        uint64_t h = colours[a];
        for (uint32_t k = p->run_starts[a]; k < p->run_starts[a + 1]; k++) h = qb_mix(h ^ qb_get(s, p->runs[k]), SELF);
        colours[a] = qb_scramble(h);
        c->joined[a] = 0;
    }
    c->edge_count = 0;
    for (uint32_t k = 0; k < p->cell_count; k++) look_at_cell(c, &p->cells[k], s, colours);
}

static int compare_colours(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

uint32_t qb_count_colours(qb_colouring *c, const uint64_t *colours) {
    uint32_t n = c->active_count, different = n > 0;
    if (n > 48) {
        for (uint32_t i = 0; i < n; i++) c->sorted[i] = colours[c->active[i]];
        qsort(c->sorted, n, sizeof *c->sorted, compare_colours);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            uint64_t x = colours[c->active[i]];
            uint32_t j = i;
            for (; j > 0 && c->sorted[j - 1] > x; j--) c->sorted[j] = c->sorted[j - 1];
            c->sorted[j] = x;
        }
    }
    for (uint32_t i = 1; i < n; i++) different += c->sorted[i] != c->sorted[i - 1];
    return different;
}

static inline uint64_t other_colour(const qb_edge *e, uint32_t k, uint32_t self, const uint64_t *colours) {
    if (e->atoms[k] < 0) return 0;
    return (e->atoms[k] == e->atoms[self] ? SELF : colours[e->atoms[k]]) + k;
}

static void add_edge(const qb_edge *e, const uint64_t *colours, uint64_t *sums) {
    for (uint32_t self = 0; self < e->count; self++) {
        if (e->atoms[self] < 0) continue;
        uint64_t h = e->label + self;
        for (uint32_t k = 0; k < e->count; k++)
            if (k != self) h = qb_scramble(h ^ other_colour(e, k, self, colours));
        sums[e->atoms[self]] += h;
    }
}

static void add_orbitals(const qb_colouring *c, const uint64_t *colours, uint64_t *sums) {
    uint32_t n = c->active_count;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t m = qb_scramble(colours[c->active[i]]);
        const int32_t *labels = c->orbitals + (uint64_t)i * n;
        for (uint32_t j = 0; j < n; j++) {
            uint32_t r = (uint32_t)labels[j] & 63;
            sums[c->active[j]] += (m << r | m >> ((64 - r) & 63)) * (2ull * ((uint32_t)labels[j] >> 6) + 1);
        }
    }
}

uint32_t qb_refine(qb_colouring *c, uint64_t *colours) {
    uint32_t n = c->active_count, different = qb_count_colours(c, colours);
    if (c->edge_count == 0 && c->orbitals == NULL) return different;
    while (different < n) {
        for (uint32_t a = 0; a < c->plan->atoms; a++) c->sums[a] = 0;
        for (uint32_t k = 0; k < c->edge_count; k++) add_edge(&c->edges[k], colours, c->sums);
        if (c->orbitals != NULL) add_orbitals(c, colours, c->sums);
        for (uint32_t i = 0; i < n; i++) {
            int32_t a = c->active[i];
            colours[a] = qb_scramble(colours[a] * 3 + c->sums[a]);
        }
        uint32_t now = qb_count_colours(c, colours);
        if (now == different) break;
        different = now;
    }
    return different;
}
