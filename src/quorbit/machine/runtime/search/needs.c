/* What false tests need, by the values of fields (needs.h). */
#include "needs.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of rows that were copied, to find each again: those with one row to join are chained. */
typedef struct {
    uint32_t settled, at, next;
} copied;

typedef struct {
    const qb_partial_order *order;
    qb_needs *needs;
    copied *pairs;
    uint32_t *heads; /* for each row to join, 1 more than the number of the newest pair with it */
    uint32_t pair_count, pair_room;
    uint64_t entry_count, entry_room, list_count;
    uint32_t *fields, *numbers; /* of each test */
    uint32_t *members;          /* the tests of the present field */
    uint64_t *hashes, *starts;  /* of the lists of the present field */
} maker;

static bool grow_pairs(maker *m) {
    const uint64_t room = 2ull * m->pair_room + 64, words = 2ull * m->order->words * room;
    if (words >= QB_HOLDS) return false;
    uint64_t *rows = realloc(m->needs->rows, words * sizeof *rows + 1);
    if (rows != NULL) m->needs->rows = rows;
    copied *pairs = realloc(m->pairs, room * sizeof *pairs);
    if (pairs != NULL) m->pairs = pairs;
    m->pair_room = (uint32_t)room;
    return rows != NULL && pairs != NULL;
}

/* Where the pair of two rows begins, QB_HOLDS if there is no memory. */
static uint32_t pair_of(maker *m, uint32_t more, uint32_t settled) {
    const qb_partial_order *o = m->order;
    const uint64_t words = o->words;
    for (uint32_t k = m->heads[more]; k != 0; k = m->pairs[k - 1].next)
        if (m->pairs[k - 1].settled == settled) return m->pairs[k - 1].at;
    if (m->pair_count == m->pair_room && !grow_pairs(m)) return QB_HOLDS;
    const uint64_t at = 2 * words * m->pair_count;
    memcpy(m->needs->rows + at, o->enabling + words * more, words * sizeof *o->enabling);
    memcpy(m->needs->rows + at + words, o->asking + words * settled, words * sizeof *o->asking);
    m->pairs[m->pair_count] = (copied){settled, (uint32_t)at, m->heads[more]};
    m->heads[more] = ++m->pair_count;
    return (uint32_t)at;
}

static bool holds_for(const qb_test *test, uint64_t value) {
    return test->kind == QB_BY_RANGE ? value - test->values <= test->entry : test->values >> value & 1;
}

/* What a test needs at a value of its field; false if there is no memory. */
static bool find_need(maker *m, uint32_t t, uint64_t value, qb_pairs *found) {
    const qb_test *test = &m->order->test_table[t];
    *found = (qb_pairs){QB_HOLDS, QB_HOLDS};
    if (holds_for(test, value)) return true;
    if (test->needs == QB_ONE_ROW) {
        found->first = found->gates = pair_of(m, t, t);
    } else {
        const qb_need *need = &m->order->need_table[test->needs + test->stride * value];
        found->first = pair_of(m, need->first, need->first_settles);
        found->gates = pair_of(m, need->gates, need->gates_settle);
    }
    return found->first != QB_HOLDS && found->gates != QB_HOLDS;
}

static bool has_field(const qb_test *test) { return test->kind != QB_BY_PROGRAM && test->width <= QB_MOST_BITS; }

static bool same_field(const qb_test *a, const qb_test *b) {
    return has_field(b) && a->word == b->word && a->shift == b->shift && a->width == b->width;
}

/* The tests of the field of test t, which is its first; how many. */
static uint32_t gather_members(maker *m, uint32_t t) {
    uint32_t n = 0;
    for (uint32_t u = t; u < m->order->tests; u++) {
        if (!same_field(&m->order->test_table[t], &m->order->test_table[u])) continue;
        m->fields[u] = m->needs->field_count;
        m->numbers[u] = n;
        m->members[n++] = u;
    }
    return n;
}

static bool make_room(maker *m, uint64_t entries, uint64_t lists) {
    uint64_t *more_lists = realloc(m->needs->lists, (m->list_count + lists) * sizeof *more_lists);
    if (more_lists == NULL) return false;
    m->needs->lists = more_lists;
    if (m->entry_count + entries <= m->entry_room) return true;
    const uint64_t room = 2 * (m->entry_count + entries);
    qb_pairs *more = realloc(m->needs->entries, room * sizeof *more);
    if (more == NULL) return false;
    m->needs->entries = more;
    m->entry_room = room;
    return true;
}

/* The list for a value of a field with n tests, where it begins or where an equal one does. */
static bool add_list(maker *m, uint32_t n, uint64_t value, uint32_t *distinct) {
    if (!make_room(m, n, 1)) return false;
    qb_pairs *list = m->needs->entries + m->entry_count;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (!find_need(m, m->members[i], value, &list[i])) return false;
        hash = (hash ^ ((uint64_t)list[i].first << 32 | list[i].gates)) * 0x9e3779b97f4a7c15ull;
        hash ^= hash >> 29;
    }
    uint32_t k = 0;
    while (k < *distinct && (m->hashes[k] != hash || memcmp(m->needs->entries + m->starts[k], list, n * sizeof *list) != 0)) k++;
    if (k == *distinct) {
        m->hashes[k] = hash;
        m->starts[k] = m->entry_count;
        m->entry_count += n;
        ++*distinct;
    }
    m->needs->lists[m->list_count++] = m->starts[k];
    return true;
}

static bool add_field(maker *m, uint32_t t) {
    const qb_test *test = &m->order->test_table[t];
    const uint32_t n = gather_members(m, t);
    m->needs->fields[m->needs->field_count++] = (qb_field){
        test->word, (uint8_t)(64 - test->shift - test->width), (uint8_t)(64 - test->width), m->list_count};
    uint32_t distinct = 0;
    for (uint64_t value = 0; value < 1ull << test->width; value++)
        if (!add_list(m, n, value, &distinct)) return false;
    return true;
}

static bool add_test(maker *m, uint32_t t) {
    if (m->fields[t] != QB_NO_FIELD) return true;
    if (has_field(&m->order->test_table[t])) return add_field(m, t);
    m->numbers[t] = t;
    const uint32_t at = pair_of(m, t, t);
    m->needs->slow[t] = (qb_pairs){at, at};
    return at != QB_HOLDS;
}

static bool fill(maker *m) {
    const qb_partial_order *o = m->order;
    for (uint32_t t = 0; t < o->tests; t++) m->fields[t] = QB_NO_FIELD;
    for (uint32_t t = 0; t < o->tests; t++)
        if (!add_test(m, t)) return false;
    for (uint32_t i = 0; i < o->test_starts[o->cases]; i++)
        m->needs->tests[i] = (qb_asked){m->fields[o->test_list[i]], m->numbers[o->test_list[i]]};
    return true;
}

bool qb_needs_open(qb_needs *needs, const qb_partial_order *o) {
    memset(needs, 0, sizeof *needs);
    maker m = {.order = o, .needs = needs};
    needs->fields = calloc(o->tests + 1ull, sizeof *needs->fields);
    needs->slow = calloc(o->tests + 1ull, sizeof *needs->slow);
    needs->at = calloc(o->tests + 1ull, sizeof *needs->at);
    needs->tests = calloc(o->test_starts[o->cases] + 1ull, sizeof *needs->tests);
    m.heads = calloc(o->rows + 1ull, sizeof *m.heads);
    m.fields = calloc(3 * (o->tests + 1ull), sizeof *m.fields);
    m.hashes = calloc(2ull << QB_MOST_BITS, sizeof *m.hashes);
    bool made = needs->fields && needs->slow && needs->at && needs->tests && m.heads && m.fields && m.hashes;
    if (made) {
        m.numbers = m.fields + o->tests + 1;
        m.members = m.numbers + o->tests + 1;
        m.starts = m.hashes + (1u << QB_MOST_BITS);
        made = fill(&m);
    }
    free(m.pairs);
    free(m.heads);
    free(m.fields);
    free(m.hashes);
    return made;
}

void qb_needs_close(qb_needs *needs) {
    free(needs->rows);
    free(needs->fields);
    free(needs->lists);
    free(needs->entries);
    free(needs->slow);
    free(needs->tests);
    free(needs->at);
}
