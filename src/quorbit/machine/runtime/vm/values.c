/* Interned values and their images (values.h): lists of parts in one array, a hash table of their numbers. */
#include "values.h"

#include "colour.h"
#include "store.h"

#include <stdlib.h>

typedef struct {
    uint32_t kind, first, count;
} form;

typedef struct {
    uint64_t first;
    uint32_t count, kind;
} node;

typedef struct {
    uint32_t count, last; /* last: the greatest element */
    uint32_t *elements;   /* by bit */
    int32_t *bits;        /* by element, -1 where it is none */
} universe;

struct qb_values {
    node *nodes;
    uint64_t n, room;
    int64_t *parts;
    uint64_t part_count, part_room;
    uint32_t *table; /* value + 1 */
    uint64_t size;
    form *forms;
    uint32_t *form_parts;
    uint32_t form_count, form_part_count;
    universe *universes;
    uint32_t universe_count;
    qb_lent_scratch scratch; /* parts of images being made, those of inner values above those of outer ones */
    bool failed;
};

static _Thread_local qb_lent_scratch *reading; /* NULL: this thread may add values */

void qb_values_only_read(qb_lent_scratch *scratch) { reading = scratch; }
bool qb_values_have_missed(void) { return reading != NULL && reading->missed; }

void qb_values_miss(void) {
    if (reading != NULL) reading->missed = true;
}

static qb_lent_scratch *scratch_of(qb_values *v) { return reading != NULL ? reading : &v->scratch; }

/* Memory was short, or a value is missing. */
static uint32_t fail(qb_values *v) {
    if (reading != NULL) reading->missed = true;
    else v->failed = true;
    return 0;
}

QB_API void qb_values_close(qb_values *v) {
    if (v == NULL) return;
    free(v->nodes);
    free(v->parts);
    free(v->table);
    free(v->forms);
    free(v->form_parts);
    for (uint32_t k = 0; k < v->universe_count; k++) {
        free(v->universes[k].elements);
        free(v->universes[k].bits);
    }
    free(v->universes);
    free(v->scratch.parts);
    free(v);
}

QB_API uint64_t qb_values_count(const qb_values *v) { return v->n; }
QB_API bool qb_values_failed(const qb_values *v) { return v->failed; }

QB_API uint64_t qb_values_bytes(const qb_values *v) {
    return v->room * sizeof *v->nodes + v->part_room * sizeof *v->parts + v->size * sizeof *v->table +
           v->scratch.room * sizeof *v->scratch.parts;
}

/* Room for more elements in an array; false: memory is short. */
static bool make_room(void *array, uint64_t *room, uint64_t needed, size_t size) {
    if (needed <= *room) return true;
    uint64_t more = *room < 256 ? 256 : *room;
    while (more < needed) more *= 2;
    void **at = array, *moved = realloc(*at, more * size);
    if (moved == NULL) return false;
    *at = moved;
    *room = more;
    return true;
}

QB_API qb_values *qb_values_open(void) {
    qb_values *v = calloc(1, sizeof *v);
    if (v == NULL) return NULL;
    v->size = 1024;
    v->table = calloc(v->size, sizeof *v->table);
    if (v->table == NULL || !make_room(&v->nodes, &v->room, 1, sizeof *v->nodes) ||
        !make_room(&v->parts, &v->part_room, 1, sizeof *v->parts)) {
        qb_values_close(v);
        return NULL;
    }
    return v;
}

static uint64_t hash_parts(uint32_t kind, const int64_t *parts, uint64_t count) {
    uint64_t h = 0x9e3779b97f4a7c15ull + kind;
    for (uint64_t k = 0; k < count; k++) h = qb_mix(h ^ (uint64_t)parts[k], 0xe7037ed1a0b428dbull) + count;
    return qb_mix(h ^ 0x589965cc75374cc3ull, 0x8ebc6af09c88c6e3ull);
}

static bool grow_table(qb_values *v) {
    uint64_t size = 2 * v->size;
    uint32_t *table = calloc(size, sizeof *table);
    if (table == NULL) return false;
    for (uint64_t k = 0; k < v->n; k++) {
        const node *x = &v->nodes[k];
        uint64_t at = hash_parts(x->kind, v->parts + x->first, x->count) & (size - 1);
        while (table[at] != 0) at = (at + 1) & (size - 1);
        table[at] = (uint32_t)k + 1;
    }
    free(v->table);
    v->table = table;
    v->size = size;
    return true;
}

static bool is_node(const qb_values *v, uint64_t k, uint32_t kind, const int64_t *parts, uint64_t count) {
    const node *x = &v->nodes[k];
    return x->kind == kind && x->count == count && memcmp(v->parts + x->first, parts, count * sizeof *parts) == 0;
}

static uint32_t add(qb_values *v, uint64_t at, uint32_t kind, const int64_t *parts, uint64_t count) {
    if (v->n >= 0xfffffff0u || count > 0xffffffffu || !make_room(&v->nodes, &v->room, v->n + 1, sizeof *v->nodes) ||
        !make_room(&v->parts, &v->part_room, v->part_count + count, sizeof *v->parts)) {
        v->failed = true;
        return 0;
    }
    v->nodes[v->n] = (node){v->part_count, (uint32_t)count, kind};
    memcpy(v->parts + v->part_count, parts, count * sizeof *parts);
    v->part_count += count;
    v->table[at] = (uint32_t)++v->n;
    uint32_t number = (uint32_t)v->n - 1;
    if (4 * v->n > 3 * v->size && !grow_table(v)) v->failed = true;
    return number;
}

/* Requires: the elements of a set are in order. */
static uint32_t number_of(qb_values *v, uint32_t kind, const int64_t *parts, uint64_t count) {
    uint64_t at = hash_parts(kind, parts, count) & (v->size - 1);
    for (; v->table[at] != 0; at = (at + 1) & (v->size - 1))
        if (is_node(v, v->table[at] - 1u, kind, parts, count)) return v->table[at] - 1u;
    return v->failed ? 0 : reading != NULL ? fail(v) : add(v, at, kind, parts, count);
}

static int compare_parts(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void sort_parts(int64_t *parts, uint64_t count) {
    if (count > 32) {
        qsort(parts, count, sizeof *parts, compare_parts);
        return;
    }
    for (uint64_t i = 1; i < count; i++) {
        int64_t x = parts[i];
        uint64_t j = i;
        for (; j > 0 && parts[j - 1] > x; j--) parts[j] = parts[j - 1];
        parts[j] = x;
    }
}

QB_API uint32_t qb_value_number(qb_values *v, uint32_t kind, const int64_t *parts, uint64_t count) {
    if (kind != QB_SET || count < 2) return number_of(v, kind, parts, count);
    qb_lent_scratch *scratch = scratch_of(v);
    if (!make_room(&scratch->parts, &scratch->room, count, sizeof *parts)) return fail(v);
    memcpy(scratch->parts, parts, count * sizeof *parts);
    sort_parts(scratch->parts, count);
    return number_of(v, kind, scratch->parts, count);
}

const int64_t *qb_value_list(const qb_values *v, uint32_t value, uint64_t *count) {
    *count = value < v->n ? v->nodes[value].count : 0;
    return value < v->n ? v->parts + v->nodes[value].first : v->parts;
}

uint32_t qb_value_sorted(qb_values *v, uint32_t kind, const int64_t *parts, uint64_t count) {
    return number_of(v, kind, parts, count);
}

void qb_sort_numbers(int64_t *numbers, uint64_t count) { sort_parts(numbers, count); }

QB_API uint64_t qb_value_parts(const qb_values *v, uint32_t value, uint32_t *kind, int64_t *parts, uint64_t room) {
    if (value >= v->n) return 0;
    const node *x = &v->nodes[value];
    *kind = x->kind;
    memcpy(parts, v->parts + x->first, (x->count < room ? x->count : room) * sizeof *parts);
    return x->count;
}

/* Forms. */

QB_API uint32_t qb_value_form(qb_values *v, uint32_t kind, const uint32_t *parts, uint32_t count) {
    form *forms = realloc(v->forms, (v->form_count + 1ull) * sizeof *forms);
    if (forms != NULL) v->forms = forms;
    uint32_t *form_parts = realloc(v->form_parts, ((uint64_t)v->form_part_count + count + 1) * sizeof *form_parts);
    if (form_parts != NULL) v->form_parts = form_parts;
    if (forms == NULL || form_parts == NULL) {
        v->failed = true;
        return 0;
    }
    v->forms[v->form_count] = (form){kind, v->form_part_count, count};
    memcpy(v->form_parts + v->form_part_count, parts, count * sizeof *parts);
    v->form_part_count += count;
    return v->form_count++;
}

static bool is_shallow(const qb_values *v, uint32_t number, uint32_t depth) {
    if (number >= v->form_count || depth > QB_MOST_DEPTH) return false;
    const form *f = &v->forms[number];
    if (f->kind > QB_EACH || (f->kind == QB_EACH && f->count != 1)) return false;
    for (uint32_t k = 0; k < f->count; k++)
        if (v->form_parts[f->first + k] >= number || !is_shallow(v, v->form_parts[f->first + k], depth + 1)) return false;
    return true;
}

bool qb_is_form(const qb_values *v, uint32_t number) { return is_shallow(v, number, 0); }

/* Universes. */

static bool open_universe(universe *u, const uint32_t *elements, uint32_t count) {
    *u = (universe){.count = count};
    for (uint32_t k = 0; k < count; k++)
        if (elements[k] > u->last) u->last = elements[k];
    u->elements = malloc((count + 1ull) * sizeof *u->elements);
    u->bits = malloc((u->last + 1ull) * sizeof *u->bits);
    if (u->elements == NULL || u->bits == NULL) return false;
    for (uint64_t k = 0; k <= u->last; k++) u->bits[k] = -1;
    for (uint32_t k = 0; k < count; k++) {
        u->elements[k] = elements[k];
        u->bits[elements[k]] = (int32_t)k;
    }
    return true;
}

QB_API uint32_t qb_value_universe(qb_values *v, const uint32_t *elements, uint32_t count) {
    universe *universes = realloc(v->universes, (v->universe_count + 1ull) * sizeof *universes);
    if (universes != NULL) v->universes = universes;
    if (universes == NULL || count > 64 * QB_MOST_SET_WORDS || !open_universe(&v->universes[v->universe_count], elements, count)) {
        v->failed = true;
        return 0;
    }
    return v->universe_count++;
}

uint32_t qb_universe_words(const qb_values *v, uint32_t number) {
    return number < v->universe_count ? (v->universes[number].count + 63) / 64 : 0;
}

uint32_t qb_value_of_bits(qb_values *v, uint32_t number, const uint64_t *words) {
    const universe *u = &v->universes[number];
    uint64_t n = 0;
    qb_lent_scratch *scratch = scratch_of(v);
    if (!make_room(&scratch->parts, &scratch->room, u->count, sizeof *scratch->parts)) return fail(v);
    for (uint32_t j = 0; 64 * j < u->count; j++)
        for (uint64_t left = words[j]; left != 0; left &= left - 1) {
            uint64_t bit = 64 * j + (uint32_t)__builtin_ctzll(left);
            if (bit < u->count) scratch->parts[n++] = u->elements[bit];
        }
    sort_parts(scratch->parts, n);
    return number_of(v, QB_SET, scratch->parts, n);
}

void qb_bits_of_value(qb_values *v, uint32_t number, uint32_t value, uint64_t *words) {
    const universe *u = &v->universes[number];
    memset(words, 0, (u->count + 63) / 64 * sizeof *words);
    if (value >= v->n) return;
    const node *x = &v->nodes[value];
    for (uint64_t k = 0; k < x->count; k++) {
        uint64_t element = (uint64_t)v->parts[x->first + k];
        int32_t bit = element <= u->last ? u->bits[element] : -1;
        if (bit < 0)
            fail(v); /* no symmetry leads out of a type */
        else
            words[bit / 64] |= 1ull << (bit % 64);
    }
}

/* The form of part k of a value of this form; plain where the value has more parts than the form. */
static const form PLAIN = {QB_PLAIN, 0, 0};

static const form *form_of_part(const qb_values *v, const form *f, uint64_t k) {
    if (f->kind == QB_EACH) return &v->forms[v->form_parts[f->first]];
    return k < f->count ? &v->forms[v->form_parts[f->first + k]] : &PLAIN;
}

static int32_t atom_in(const qb_values *v, uint32_t value) {
    const node *x = &v->nodes[value];
    return x->kind == QB_INTEGER && v->parts[x->first] >= 0 && v->parts[x->first] < QB_MOST_ATOMS
               ? (int32_t)v->parts[x->first]
               : -1;
}

/* Order. */

static void order_elements(const qb_values *v, const node *x, int64_t *into) {
    for (uint64_t i = 0; i < x->count; i++) {
        int64_t part = v->parts[x->first + i];
        uint64_t j = i;
        for (; j > 0 && qb_compare_values(v, (uint32_t)part, (uint32_t)into[j - 1]) < 0; j--) into[j] = into[j - 1];
        into[j] = part;
    }
}

static int compare_lists(const qb_values *v, const int64_t *a, const int64_t *b, uint64_t count) {
    for (uint64_t k = 0; k < count; k++) {
        int c = qb_compare_values(v, (uint32_t)a[k], (uint32_t)b[k]);
        if (c != 0) return c;
    }
    return 0;
}

int qb_compare_values(const qb_values *v, uint32_t a, uint32_t b) {
    if (a == b || a >= v->n || b >= v->n) return 0;
    const node *x = &v->nodes[a], *y = &v->nodes[b];
    if (x->kind == QB_INTEGER) return v->parts[x->first] < v->parts[y->first] ? -1 : 1;
    if (x->count != y->count) return x->count < y->count ? -1 : 1;
    if (x->kind == QB_TUPLE) return compare_lists(v, v->parts + x->first, v->parts + y->first, x->count);
    int64_t *lists = malloc(2ull * x->count * sizeof *lists + 1);
    if (lists == NULL) return a < b ? -1 : 1; /* any order will do, it costs reduction only */
    order_elements(v, x, lists);
    order_elements(v, y, lists + x->count);
    int c = compare_lists(v, lists, lists + x->count, x->count);
    free(lists);
    return c;
}

/* Images. */

static uint32_t image(qb_values *v, const form *f, uint32_t value, const int32_t *g, uint64_t base) {
    if (f->kind == QB_PLAIN || v->failed || value >= v->n) return value;
    if (f->kind == QB_ATOM) {
        int32_t a = atom_in(v, value);
        if (a < 0 || g[a] == a) return value;
        int64_t moved = g[a];
        return number_of(v, QB_INTEGER, &moved, 1);
    }
    const uint64_t count = v->nodes[value].count, first = v->nodes[value].first;
    const uint32_t kind = v->nodes[value].kind;
    qb_lent_scratch *scratch = scratch_of(v);
    if (!make_room(&scratch->parts, &scratch->room, base + count, sizeof *scratch->parts)) {
        fail(v);
        return value;
    }
    bool moved = false;
    for (uint64_t k = 0; k < count; k++) { /* arrays may move while parts are made */
        uint32_t part = (uint32_t)v->parts[first + k];
        uint32_t to = image(v, form_of_part(v, f, k), part, g, base + count);
        scratch->parts[base + k] = to;
        moved = moved || to != part;
    }
    if (!moved) return value;
    if (kind == QB_SET) sort_parts(scratch->parts + base, count);
    return number_of(v, kind, scratch->parts + base, count);
}

uint32_t qb_value_image(qb_values *v, uint32_t number, uint32_t value, const int32_t *g) {
    return image(v, &v->forms[number], value, g, 0);
}

/* Colours. */

static void see_atoms(const qb_values *v, const form *f, uint32_t value, void (*see)(void *, int32_t), void *context) {
    if (f->kind == QB_PLAIN || value >= v->n) return;
    if (f->kind == QB_ATOM) {
        int32_t a = atom_in(v, value);
        if (a >= 0) see(context, a);
        return;
    }
    const node *x = &v->nodes[value];
    for (uint64_t k = 0; k < x->count; k++)
        see_atoms(v, form_of_part(v, f, k), (uint32_t)v->parts[x->first + k], see, context);
}

void qb_value_atoms(const qb_values *v, uint32_t number, uint32_t value, void (*see)(void *, int32_t), void *context) {
    see_atoms(v, &v->forms[number], value, see, context);
}

static uint64_t hash(const qb_values *v, const form *f, uint32_t value, const uint64_t *colours) {
    if (f->kind == QB_PLAIN || value >= v->n) return qb_scramble(value + 1ull);
    if (f->kind == QB_ATOM) {
        int32_t a = atom_in(v, value);
        return a < 0 ? 0x5bd1e9955bd1e995ull : qb_scramble(colours[a] ^ 0xd6e8feb86659fd93ull);
    }
    const node *x = &v->nodes[value];
    uint64_t h = x->count;
    for (uint64_t k = 0; k < x->count; k++) {
        uint64_t part = hash(v, form_of_part(v, f, k), (uint32_t)v->parts[x->first + k], colours);
        h = x->kind == QB_SET ? h + qb_scramble(part) : qb_mix(h ^ part, 0xa0761d6478bd642full + 2 * k);
    }
    return qb_scramble(h);
}

uint64_t qb_value_hash(const qb_values *v, uint32_t number, uint32_t value, const uint64_t *colours) {
    return hash(v, &v->forms[number], value, colours);
}

static void say(const qb_values *v, const form *f, uint32_t value, const uint64_t *colours, uint64_t context,
                uint64_t *sums) {
    if (f->kind == QB_PLAIN || value >= v->n) return;
    if (f->kind == QB_ATOM) {
        int32_t a = atom_in(v, value);
        if (a >= 0) sums[a] += qb_scramble(context);
        return;
    }
    const node *x = &v->nodes[value];
    uint64_t whole = qb_mix(context ^ hash(v, f, value, colours), 0xe7037ed1a0b428dbull);
    for (uint64_t k = 0; k < x->count; k++)
        say(v, form_of_part(v, f, k), (uint32_t)v->parts[x->first + k], colours,
            x->kind == QB_SET ? whole : qb_scramble(whole + k + 1), sums);
}

void qb_value_say(const qb_values *v, uint32_t number, uint32_t value, const uint64_t *colours, uint64_t context,
                  uint64_t *sums) {
    say(v, &v->forms[number], value, colours, context, sums);
}
