/* Atoms that nothing refers to and that a group permutes freely, such as the slots of a multiset: sorted by what they own.
 *
 * This happens when all other atoms have their places, so that references are known by the atom they refer to.  Which key
 * is the less is of no matter: atoms with equal keys own the same. */
#include "nodes.h"
#include "store.h"

#include <stdlib.h>

static bool owns(const qb_cell *cell, int32_t a) {
    for (uint32_t k = 0; k < cell->owner_count; k++)
        if (cell->owners[k] == a) return true;
    return false;
}

/* The cells of each free atom, and the active atoms that are not free. */
static void list_cells(const qb_plan *p, qb_plan_node *node, uint32_t n) {
    qb_free_atoms *f = &node->free;
    uint32_t found = 0;
    for (uint32_t i = 0; i < n; i++) {
        f->starts[i] = found;
        for (uint32_t k = 0; k < p->cell_count; k++)
            if (owns(&p->cells[k], f->atoms[i])) f->cells[found++] = k;
    }
    f->starts[n] = found;
    for (uint32_t i = 0; i < node->active_count; i++) {
        bool is_free = false;
        for (uint32_t j = 0; j < n; j++) is_free = is_free || f->atoms[j] == node->active[i];
        if (!is_free) f->others[f->counted++] = node->active[i];
    }
}

bool qb_open_free(const qb_plan *p, qb_plan_node *node) {
    qb_free_atoms *f = &node->free;
    const uint32_t n = f->count == 0 ? 0 : f->ends[f->count - 1];
    f->starts = calloc(n + 1u, sizeof *f->starts);
    f->cells = calloc((uint64_t)p->cell_count * QB_MOST_OWNERS + 1, sizeof *f->cells);
    f->others = calloc(node->active_count + 1u, sizeof *f->others);
    f->names = calloc(p->atoms, sizeof *f->names);
    if (f->starts == NULL || f->cells == NULL || f->others == NULL || f->names == NULL) return false;
    for (uint32_t a = 0; a < p->atoms; a++) f->names[a] = qb_scramble(a + 1u);
    for (uint32_t i = 0; i < n; i++) f->names[f->atoms[i]] = 1; /* all alike: an atom has no name for itself */
    list_cells(p, node, n);
    return true;
}

void qb_close_free(qb_free_atoms *f) {
    free(f->ends);
    free(f->atoms);
    free(f->starts);
    free(f->cells);
    free(f->others);
    free(f->names);
}

static uint64_t said_by(const qb_plan *p, const qb_free_atoms *f, const qb_cell *cell, const uint64_t *s) {
    uint64_t h = cell->is_atom == QB_IS_VALUE
                     ? qb_value_hash(p->values, (uint32_t)cell->low, qb_cell_value(p, cell, s), f->names)
                     : qb_get(s, cell->field) + 1;
    for (uint32_t k = 0; cell->owner_count > 1 && k < cell->owner_count; k++)
        h = qb_scramble(h ^ (cell->owners[k] < 0 ? 0 : f->names[cell->owners[k]]));
    return qb_scramble(h + ((uint64_t)cell->kind << 40));
}

static uint64_t key_of(const qb_plan *p, const qb_free_atoms *f, uint32_t i, const uint64_t *s) {
    const int32_t a = f->atoms[i];
    uint64_t h = 0;
    for (uint32_t k = p->run_starts[a]; k < p->run_starts[a + 1]; k++)
        h = qb_mix(h ^ qb_get(s, p->runs[k]), 0x9e3779b97f4a7c15ull);
    for (uint32_t k = f->starts[i]; k < f->starts[i + 1]; k++) h += said_by(p, f, &p->cells[f->cells[k]], s);
    return h;
}

bool qb_sort_free(qb_reducer *r, const qb_plan_node *node, const uint64_t *s, int32_t *h) {
    const qb_free_atoms *f = &node->free;
    bool moved = false;
    for (uint32_t a = 0; a < r->plan->atoms; a++) h[a] = (int32_t)a;
    for (uint32_t b = 0, first = 0; b < f->count; first = f->ends[b++])
        for (uint32_t i = first; i < f->ends[b]; i++) {
            const uint64_t key = key_of(r->plan, f, i, s);
            uint32_t j = i;
            for (; j > first && r->keys[j - 1] > key; j--) {
                r->keys[j] = r->keys[j - 1];
                r->order[j] = r->order[j - 1];
            }
            r->keys[j] = key;
            r->order[j] = f->atoms[i];
            moved = moved || j != i;
        }
    for (uint32_t i = 0; f->count > 0 && i < f->ends[f->count - 1]; i++) h[r->order[i]] = f->atoms[i];
    return moved;
}
