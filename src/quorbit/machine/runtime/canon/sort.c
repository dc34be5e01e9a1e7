/* Sorting columns.  Where the atoms of the columns own nothing but plain bits, a column's key is those bits and one bit
 * for every place outside that refers to it; else it is a hash of what the state says of the column.  Which key is the
 * less is of no matter: equal keys decide which states get one representative. */
#include "nodes.h"
#include "store.h"

#include <stdlib.h>

#define MOST_KEY_WORDS 4u
#define FEW 24u

static bool is_outside(const qb_plan_node *node, const qb_cell *c) {
    for (uint32_t k = 0; k < c->owner_count; k++)
        if (c->owners[k] >= 0 && node->column_of[c->owners[k]] >= 0) return false;
    return true;
}

static uint32_t key_bits(const qb_plan *p, const qb_plan_node *node) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < node->rows; k++) {
        int32_t a = node->permutations[k];
        for (uint32_t j = p->run_starts[a]; j < p->run_starts[a + 1]; j++) bits += p->runs[j].width;
    }
    return bits + p->cell_count * node->rows;
}

static void clear(uint64_t *words, qb_field f) {
    words[f.word] &= ~((f.width >= 64 ? ~0ull : (1ull << f.width) - 1) << f.shift);
}

/* Whether the columns can be sorted as bits. */
bool qb_prepare_sort(qb_reducer *r, qb_plan_node *node) {
    const qb_plan *p = r->plan;
    node->packed = true;
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (p->cells[k].is_atom != QB_IS_ATOM || !is_outside(node, &p->cells[k])) node->packed = false;
    node->key_words = (key_bits(p, node) + 63) / 64;
    if (node->key_words == 0) node->key_words = 1;
    if (node->key_words > MOST_KEY_WORDS) node->packed = false;
    node->others = malloc(p->words * sizeof *node->others);
    if (node->others == NULL) return false;
    node->simple = node->packed && node->rows == 1 && node->key_words == 1 && node->count > 0;
    memset(node->others, 0xff, p->words * sizeof *node->others);
    for (uint32_t i = 0; i < node->count && node->simple; i++) {
        uint32_t first = p->run_starts[node->permutations[i]];
        node->simple = p->run_starts[node->permutations[i] + 1] - first == 1;
        if (node->simple) clear(node->others, p->runs[first]);
    }
    for (uint32_t k = 0; k < p->cell_count; k++) clear(node->others, p->cells[k].field);
    return true;
}

static inline void push_bits(uint64_t *key, uint32_t *at, uint64_t bits, uint32_t width) {
    uint32_t word = *at / 64, shift = *at % 64;
    key[word] |= bits << shift;
    if (shift + width > 64) key[word + 1] |= bits >> (64 - shift);
    *at += width;
}

static void packed_keys(qb_reducer *r, const qb_plan_node *node, const uint64_t *s) {
    const qb_plan *p = r->plan;
    uint32_t words = node->key_words, plain = 0;
    memset(r->keys, 0, (uint64_t)node->count * words * sizeof *r->keys);
    for (uint32_t i = 0; i < node->count; i++) {
        uint32_t at = 0;
        for (uint32_t k = 0; k < node->rows; k++) {
            int32_t a = node->permutations[i * node->rows + k];
            for (uint32_t j = p->run_starts[a]; j < p->run_starts[a + 1]; j++)
                push_bits(r->keys + (uint64_t)i * words, &at, qb_get(s, p->runs[j]), p->runs[j].width);
        }
        plain = at;
    }
    for (uint32_t k = 0; k < p->cell_count; k++) {
        int32_t a = qb_reference(p, &p->cells[k], s);
        if (a < 0 || node->column_of[a] < 0) continue;
        uint32_t at = plain + k * node->rows + (uint32_t)node->row_of[a];
        r->keys[(uint64_t)node->column_of[a] * words + at / 64] |= 1ull << (at % 64);
    }
}

/* What a reference means to a column: nothing, one of its own rows, another column, or an atom that stays. */
static uint64_t seen_from(const qb_plan_node *node, int32_t column, int32_t a) {
    if (a < 0) return 1;
    if (node->column_of[a] == column) return 2 + (uint64_t)node->row_of[a];
    return node->column_of[a] >= 0 ? 0 : 1ull << 32 | (uint64_t)a;
}

/* An element of a set that belongs to others: which of its atoms is this one? */
static uint64_t pattern(const qb_cell *c, int32_t a) {
    uint64_t found = 0;
    for (uint32_t k = 0; k < c->owner_count; k++) found = found << 1 | (c->owners[k] == a);
    return qb_scramble(((uint64_t)c->kind << 8) + found + 3);
}

/* What a cell says of the column of its owner a. */
static uint64_t said_of_owner(const qb_plan_node *node, const qb_cell *c, int32_t a, int32_t to, uint64_t code) {
    if (c->is_atom) return seen_from(node, node->column_of[a], to);
    uint64_t h = code;
    for (uint32_t k = c->owner_count - c->elements; k < c->owner_count; k++)
        h = qb_mix(h ^ seen_from(node, node->column_of[a], c->owners[k]), 0x9e3779b97f4a7c15ull);
    return h;
}

static bool is_first(const qb_cell *c, uint32_t from, uint32_t k) {
    for (uint32_t j = from; j < k; j++)
        if (c->owners[j] == c->owners[k]) return false;
    return c->owners[k] >= 0;
}

/* The same for a value: what it says of the atoms of each column, seen from there. */
static void add_value(qb_reducer *r, const qb_plan_node *node, uint32_t number, const uint64_t *s) {
    const qb_plan *p = r->plan;
    const qb_cell *c = &p->cells[number];
    const uint32_t form = (uint32_t)c->low, value = qb_cell_value(p, c, s);
    uint64_t seen[QB_MOST_ATOMS], sums[QB_MOST_ATOMS];
    for (uint32_t i = 0; i < node->count; i++) {
        bool owned = false;
        uint64_t context = qb_scramble(((uint64_t)c->kind << 20) + 7);
        for (uint32_t a = 0; a < p->atoms; a++) {
            seen[a] = seen_from(node, (int32_t)i, (int32_t)a);
            sums[a] = 0;
        }
        for (uint32_t k = 0; k < c->owner_count; k++) {
            uint64_t owner = c->owners[k] < 0 ? 1 : seen[c->owners[k]];
            context = qb_scramble(context ^ owner);
            owned = owned || (c->owners[k] >= 0 && node->column_of[c->owners[k]] == (int32_t)i);
        }
        qb_value_say(p->values, form, value, seen, context, sums);
        for (uint32_t k = 0; k < node->rows; k++) {
            int32_t a = node->permutations[i * node->rows + k];
            r->depths[a] += sums[a];
            if (owned) r->depths[a] += qb_scramble(context ^ qb_value_hash(p->values, form, value, seen));
        }
    }
}

/* Add what a cell says of atoms in columns to their keys: by owners in the order of the places, else in any order. */
static void add_cell(qb_reducer *r, const qb_plan_node *node, uint32_t number, const uint64_t *s) {
    const qb_cell *c = &r->plan->cells[number];
    if (c->is_atom == QB_IS_VALUE) {
        add_value(r, node, number, s);
        return;
    }
    int32_t to = c->is_atom ? qb_reference(r->plan, c, s) : -1;
    uint64_t code = c->is_atom ? 0 : qb_get(s, c->field), *keys = r->depths;
    uint32_t own = c->owner_count - c->elements;
    bool outside = true;
    for (uint32_t k = 0; k < own; k++) {
        int32_t a = c->owners[k];
        if (!is_first(c, 0, k) || node->column_of[a] < 0) continue;
        outside = false;
        uint64_t said = said_of_owner(node, c, a, to, code);
        if (c->elements == 0)
            keys[a] = qb_mix(keys[a] ^ said, 0xe7037ed1a0b428dbull);
        else if (code != 0)
            keys[a] += qb_scramble(said ^ ((uint64_t)c->kind << 40));
    }
    if (!outside) return;
    if (to >= 0 && node->column_of[to] >= 0) keys[to] += qb_scramble(((uint64_t)number << 20) + 1);
    for (uint32_t k = own; k < c->owner_count && code != 0; k++)
        if (is_first(c, own, k) && node->column_of[c->owners[k]] >= 0) keys[c->owners[k]] += pattern(c, c->owners[k]);
}

static void hashed_keys(qb_reducer *r, const qb_plan_node *node, const uint64_t *s) {
    const qb_plan *p = r->plan;
    for (uint32_t a = 0; a < p->atoms; a++) {
        uint64_t h = 0;
        for (uint32_t j = p->run_starts[a]; j < p->run_starts[a + 1]; j++)
            h = qb_mix(h ^ qb_get(s, p->runs[j]), 0x9e3779b97f4a7c15ull);
        r->depths[a] = h;
    }
    for (uint32_t k = 0; k < p->cell_count; k++) add_cell(r, node, k, s);
    for (uint32_t i = 0; i < node->count; i++) {
        r->keys[i] = 0;
        for (uint32_t k = 0; k < node->rows; k++)
            r->keys[i] = qb_mix(r->keys[i] ^ r->depths[node->permutations[i * node->rows + k]], 0x8ebc6af09c88c6e3ull);
    }
}

static inline bool is_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t k = words; k-- > 0;)
        if (a[k] != b[k]) return a[k] < b[k];
    return false;
}

/* The same for a few keys of one word: every pair is compared once, without a jump. */
static bool rank_keys(qb_reducer *r, uint32_t n) {
    uint32_t ranks[FEW] = {0}, moved = 0;
    for (uint32_t j = 1; j < n; j++) {
        uint64_t key = r->keys[j];
        uint32_t before = 0;
        for (uint32_t i = 0; i < j; i++) {
            uint32_t later = key < r->keys[i];
            ranks[i] += later;
            before += 1 - later;
        }
        ranks[j] += before;
    }
    for (uint32_t i = 0; i < n; i++) {
        moved |= ranks[i] ^ i;
        r->order[ranks[i]] = (int32_t)i;
    }
    return moved != 0;
}

/* r->order := the columns, least key first, equal ones as they stand; false: they stood so already. */
static bool sort_keys(qb_reducer *r, uint32_t n, uint32_t words) {
    bool moved = false;
    if (words == 1 && n <= FEW) return rank_keys(r, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = i;
        for (; j > 0 && is_less(r->keys + (uint64_t)i * words, r->keys + (uint64_t)r->order[j - 1] * words, words); j--)
            r->order[j] = r->order[j - 1];
        r->order[j] = (int32_t)i;
        moved = moved || j != i;
    }
    return moved;
}

/* One atom a column, one run an atom, keys of one word: the keys themselves are written back. */
static void sort_simple(qb_reducer *r, const qb_plan_node *node, uint64_t *s) {
    const qb_plan *p = r->plan;
    const uint32_t n = node->count, width = p->runs[p->run_starts[node->permutations[0]]].width;
    for (uint32_t i = 0; i < n; i++) r->keys[i] = qb_get(s, p->runs[p->run_starts[node->permutations[i]]]);
    for (uint32_t k = 0; k < p->cell_count; k++) {
        int32_t a = qb_reference(p, &p->cells[k], s);
        if (a >= 0 && node->column_of[a] >= 0) r->keys[node->column_of[a]] |= 1ull << (width + k);
    }
    if (!sort_keys(r, n, 1)) return;
    const uint64_t plain = width >= 64 ? ~0ull : (1ull << width) - 1;
    for (uint32_t a = 0; p->cell_count > 0 && a < p->atoms; a++) r->h[a] = (int32_t)a;
    for (uint32_t k = 0; k < p->words; k++) r->other[k] = s[k] & node->others[k];
    for (uint32_t i = 0; i < n; i++) {
        r->h[node->permutations[r->order[i]]] = node->permutations[i];
        qb_put(r->other, p->runs[p->run_starts[node->permutations[i]]], r->keys[r->order[i]] & plain);
    }
    for (uint32_t k = 0; k < p->cell_count; k++) {
        int32_t a = qb_reference(p, &p->cells[k], s);
        uint64_t code = a < 0 ? qb_get(s, p->cells[k].field) : (uint64_t)((int64_t)r->h[a] - p->cells[k].low);
        qb_put(r->other, p->cells[k].field, code);
    }
    qb_copy(s, r->other, p->words);
}

void qb_sort_columns(qb_reducer *r, const qb_plan_node *node, uint64_t *s) {
    if (node->simple && !r->witness) {
        sort_simple(r, node, s);
        return;
    }
    if (node->packed)
        packed_keys(r, node, s);
    else
        hashed_keys(r, node, s);
    if (!sort_keys(r, node->count, node->packed ? node->key_words : 1)) return;
    for (uint32_t a = 0; a < r->plan->atoms; a++) r->h[a] = (int32_t)a;
    for (uint32_t i = 0; i < node->count; i++)
        for (uint32_t k = 0; k < node->rows; k++)
            r->h[node->permutations[(uint32_t)r->order[i] * node->rows + k]] = node->permutations[i * node->rows + k];
    qb_apply(r, s, r->h);
}
