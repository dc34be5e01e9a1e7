/* Images of states under permutations (image.h). */
#include "image.h"

#include <string.h>

static bool is_field(const qb_plan *p, qb_field f) {
    return f.word < p->words && f.width >= 1 && f.width <= 64 && f.shift + f.width <= 64;
}

static uint64_t family_size(const qb_plan *p, uint32_t owners) {
    uint64_t size = 1;
    for (uint32_t k = 0; k < owners; k++) size *= p->atoms + 1;
    return size;
}

static bool is_value_cell(const qb_plan *p, const qb_cell *c) {
    if (p->values == NULL || c->length >= 0 || !qb_is_form(p->values, (uint32_t)c->low)) return false;
    if (c->slot == 0) return true;
    uint32_t words = qb_universe_words(p->values, c->slot - 1);
    if (words == 0 || words > QB_MOST_SET_WORDS || c->elements + (uint64_t)words > p->value_field_count) return false;
    for (uint32_t j = 0; j < words; j++)
        if (!is_field(p, p->value_fields[c->elements + j])) return false;
    return true;
}

static bool is_cell(const qb_plan *p, const qb_cell *c) {
    if (!is_field(p, c->field) || c->owner_count > QB_MOST_OWNERS) return false;
    if (c->is_atom == QB_IS_VALUE ? !is_value_cell(p, c) : c->elements > c->owner_count) return false;
    if (c->family + family_size(p, c->owner_count) > p->family_count) return false;
    if (c->length >= 0 && (uint32_t)c->length >= p->length_count) return false;
    for (uint32_t k = 0; k < c->owner_count; k++)
        if (c->owners[k] < -1 || c->owners[k] >= (int32_t)p->atoms) return false;
    return true;
}

static bool is_unit(const qb_plan *p, const qb_unit *u) {
    if ((uint64_t)u->first + u->count > p->unit_field_count) return false;
    if (u->is_set < 2) return true;
    return p->values != NULL && (u->is_set == 2 ? u->count == 1 : qb_universe_words(p->values, u->is_set - 3) == u->count);
}

bool qb_tables_are_sound(const qb_plan *p) {
    if (p->words == 0 || p->atoms == 0 || p->atoms > QB_MOST_ATOMS || p->run_starts[0] != 0) return false;
    for (uint32_t a = 0; a < p->atoms; a++)
        if (p->run_starts[a] > p->run_starts[a + 1]) return false;
    if (p->run_starts[p->atoms] != p->run_count) return false;
    for (uint32_t k = 0; k < p->run_count; k++)
        if (!is_field(p, p->runs[k])) return false;
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (!is_cell(p, &p->cells[k])) return false;
    for (uint32_t k = 0; k < p->family_count; k++)
        if (p->families[k] < -1 || p->families[k] >= (int32_t)p->cell_count) return false;
    for (uint32_t k = 0; k < p->length_count; k++)
        if (!is_field(p, p->lengths[k])) return false;
    for (uint32_t k = 0; k < p->unit_field_count; k++)
        if (!is_field(p, p->unit_fields[k])) return false;
    for (uint32_t k = 0; k < p->unit_count; k++)
        if (!is_unit(p, &p->units[k])) return false;
    return true;
}

/* The code of a cell after g: a reference becomes the image of the atom. */
static inline uint64_t moved_code(const qb_plan *p, const qb_cell *c, const int32_t *g, const uint64_t *s) {
    if (c->is_atom == QB_IS_ATOM) {
        int32_t a = qb_reference(p, c, s);
        if (a >= 0) return (uint64_t)((int64_t)g[a] - c->low);
    }
    return qb_get(s, c->field);
}

const qb_cell *qb_moved_cell(const qb_plan *p, const qb_cell *c, const int32_t *g) {
    uint64_t at = 0;
    if (c->owner_count == 0) return c;
    if (c->owner_count == 1 && c->owners[0] >= 0) {
        int32_t there = p->families[c->family + (uint32_t)g[c->owners[0]] + 1];
        return there < 0 ? c : &p->cells[there];
    }
    for (uint32_t k = 0; k < c->owner_count; k++) {
        int32_t owner = c->owners[k];
        at = at * (p->atoms + 1) + (uint64_t)(owner < 0 ? 0 : g[owner] + 1);
    }
    int32_t target = p->families[c->family + at];
    return target < 0 ? c : &p->cells[target];
}

uint32_t qb_cell_value(const qb_plan *p, const qb_cell *c, const uint64_t *s) {
    uint64_t words[QB_MOST_SET_WORDS];
    if (c->slot == 0) return (uint32_t)qb_get(s, c->field);
    uint32_t n = qb_universe_words(p->values, c->slot - 1);
    for (uint32_t j = 0; j < n; j++) words[j] = qb_get(s, p->value_fields[c->elements + j]);
    return qb_value_of_bits(p->values, c->slot - 1, words);
}

/* A value goes where its owners go, and so do the atoms in it. */
static void move_value(const qb_plan *p, const qb_cell *c, const int32_t *g, const uint64_t *s, uint64_t *t) {
    const qb_cell *to = qb_moved_cell(p, c, g);
    uint32_t value = qb_value_image(p->values, (uint32_t)c->low, qb_cell_value(p, c, s), g);
    if (to->slot == 0) {
        qb_put(t, to->field, value);
        return;
    }
    uint64_t words[QB_MOST_SET_WORDS];
    uint32_t n = qb_universe_words(p->values, to->slot - 1);
    qb_bits_of_value(p->values, to->slot - 1, value, words);
    for (uint32_t j = 0; j < n; j++) qb_put(t, p->value_fields[to->elements + j], words[j]);
}

void qb_image_cell(const qb_plan *p, const qb_cell *c, const int32_t *g, const uint64_t *s, uint64_t *t) {
    if (c->is_atom == QB_IS_VALUE) {
        move_value(p, c, g, s, t);
        return;
    }
    uint64_t code = moved_code(p, c, g, s);
    if (code != 0) qb_put(t, qb_moved_cell(p, c, g)->field, code);
}

void qb_image(const qb_plan *p, const int32_t *g, const uint64_t *s, uint64_t *t) {
    for (uint32_t k = 0; k < p->words; k++) t[k] = s[k] & p->keep[k];
    for (uint32_t a = 0; a < p->atoms; a++) {
        uint32_t from = p->run_starts[a], end = p->run_starts[a + 1], to = p->run_starts[g[a]];
        for (; from < end; from++, to++) qb_put(t, p->runs[to], qb_get(s, p->runs[from]));
    }
    for (uint32_t k = 0; k < p->cell_count; k++) qb_image_cell(p, &p->cells[k], g, s, t);
}

static int compare_sets(const qb_plan *p, const qb_unit *u, const uint64_t *a, const uint64_t *b) {
    int size = 0, first = 0; /* the set that has the lowest element the other has not is less */
    for (uint32_t k = 0; k < u->count; k++) {
        uint64_t x = qb_get(a, p->unit_fields[u->first + k]), y = qb_get(b, p->unit_fields[u->first + k]);
        size += __builtin_popcountll(x) - __builtin_popcountll(y);
        if (first == 0 && x != y) first = x >> __builtin_ctzll(x ^ y) & 1 ? -1 : 1;
    }
    return size != 0 ? size : first;
}

static uint32_t unit_value(const qb_plan *p, const qb_unit *u, const uint64_t *s) {
    uint64_t words[QB_MOST_SET_WORDS] = {0};
    if (u->is_set == 2) return (uint32_t)qb_get(s, p->unit_fields[u->first]);
    for (uint32_t k = 0; k < u->count; k++) words[k] = qb_get(s, p->unit_fields[u->first + k]);
    return qb_value_of_bits(p->values, u->is_set - 3, words);
}

int qb_compare_states(const qb_plan *p, const uint64_t *a, const uint64_t *b) {
    for (uint32_t k = 0; k < p->unit_count; k++) {
        const qb_unit *u = &p->units[k];
        if (u->is_set) {
            int c = u->is_set == 1 ? compare_sets(p, u, a, b)
                                   : qb_compare_values(p->values, unit_value(p, u, a), unit_value(p, u, b));
            if (c != 0) return c;
            continue;
        }
        for (uint32_t j = u->first; j < u->first + u->count; j++) {
            uint64_t x = qb_get(a, p->unit_fields[j]), y = qb_get(b, p->unit_fields[j]);
            if (x != y) return x < y ? -1 : 1;
        }
    }
    return 0;
}
