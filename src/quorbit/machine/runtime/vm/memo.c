/* Remembered calls (memo.h): entries one after the other in one array, a hash table of where they begin. */
#include "memo.h"

#include "store.h"
#include "values.h"

#include <stdlib.h>

typedef struct {
    uint32_t operands, results;
    qb_evaluation *evaluation; /* NULL: the caller is asked */
} function;

struct qb_memo {
    qb_miss miss;
    function *functions;
    uint32_t function_count;
    int64_t *entries; /* function << 2 | outcome, operands, results */
    uint64_t n, room; /* words */
    uint64_t *table;  /* tag << 40 | entry + 1, the tag being the upper bits of the hash */
    uint64_t size, count, misses, most_bytes;
};

#define TAG 40u
#define PLACE ((1ull << TAG) - 1)

QB_API qb_memo *qb_memo_open(qb_miss miss, uint64_t most_bytes) {
    qb_memo *m = calloc(1, sizeof *m);
    if (m == NULL) return NULL;
    *m = (qb_memo){.miss = miss, .size = 1024, .room = 4096, .most_bytes = most_bytes};
    m->table = calloc(m->size, sizeof *m->table);
    m->entries = malloc(m->room * sizeof *m->entries);
    if (m->table == NULL || m->entries == NULL) {
        qb_memo_close(m);
        return NULL;
    }
    return m;
}

QB_API void qb_memo_close(qb_memo *m) {
    if (m == NULL) return;
    for (uint32_t f = 0; f < m->function_count; f++) qb_evaluation_close(m->functions[f].evaluation);
    free(m->functions);
    free(m->entries);
    free(m->table);
    free(m);
}

QB_API uint32_t qb_memo_declare(qb_memo *m, uint32_t operands, uint32_t results) {
    function *functions = realloc(m->functions, (m->function_count + 1ull) * sizeof *functions);
    if (functions == NULL) return UINT32_MAX;
    m->functions = functions;
    m->functions[m->function_count] = (function){operands, results, NULL};
    return m->function_count++;
}

QB_API bool qb_memo_evaluate(qb_memo *m, uint32_t f, qb_values *values, const qb_expression *nodes, uint32_t count,
                             const uint32_t *operands, uint32_t operand_count, bool integer, int64_t low, int64_t high) {
    if (f >= m->function_count || m->functions[f].results != 1) return false;
    m->functions[f].evaluation = qb_evaluation_open(values, nodes, count, operands, operand_count,
                                                    m->functions[f].operands, integer, low, high);
    return m->functions[f].evaluation != NULL;
}

QB_API uint64_t qb_memo_bytes(const qb_memo *m) {
    return m->room * sizeof *m->entries + m->size * sizeof *m->table;
}

QB_API void qb_memo_limit(qb_memo *m, uint64_t most_bytes) { m->most_bytes = most_bytes; }

QB_API uint64_t qb_memo_misses(const qb_memo *m) { return m->misses; }

bool qb_memo_fits(const qb_memo *m, int64_t f, uint32_t results, uint32_t operands, uint32_t registers) {
    if (m == NULL || f < 0 || f >= m->function_count) return false;
    return (uint64_t)results + m->functions[f].results <= registers &&
           (uint64_t)operands + m->functions[f].operands <= registers;
}

static uint64_t hash_call(uint32_t f, const int64_t *operands, uint32_t count) {
    return qb_mix(qb_hash((const uint64_t *)operands, count) ^ f, 0xa0761d6478bd642full);
}

static void forget(qb_memo *m) {
    memset(m->table, 0, m->size * sizeof *m->table);
    m->n = m->count = 0;
}

static bool grow_table(qb_memo *m) {
    uint64_t size = 2 * m->size, *table = calloc(size, sizeof *table);
    if (table == NULL) return false;
    for (uint64_t at = 0; at < m->n;) {
        uint32_t f = (uint32_t)(m->entries[at] >> 2), count = m->functions[f].operands;
        uint64_t h = hash_call(f, m->entries + at + 1, count), slot = h & (size - 1);
        while (table[slot] != 0) slot = (slot + 1) & (size - 1);
        table[slot] = (h & ~PLACE) | (at + 1);
        at += 1ull + count + m->functions[f].results;
    }
    free(m->table);
    m->table = table;
    m->size = size;
    return true;
}

static bool grow_entries(qb_memo *m, uint64_t room) {
    int64_t *entries = realloc(m->entries, room * sizeof *entries);
    if (entries == NULL) return false;
    m->entries = entries;
    m->room = room;
    return true;
}

/* Room for one more entry; where it would take too much memory, what was remembered is forgotten. */
static bool make_room(qb_memo *m, uint64_t words) {
    uint64_t room = 2 * m->room + words, bytes = qb_memo_bytes(m);
    if (m->n + words > m->room && bytes + (room - m->room) * sizeof *m->entries > m->most_bytes) forget(m);
    if (m->n + words > m->room && !grow_entries(m, room)) return false;
    if (4 * (m->count + 1) <= 3 * m->size) return true;
    if (bytes + m->size * sizeof *m->table > m->most_bytes || !grow_table(m)) forget(m);
    return true;
}

static void remember(qb_memo *m, uint32_t f, uint64_t hash, int outcome, const int64_t *operands, const int64_t *results) {
    uint32_t in = m->functions[f].operands, out = m->functions[f].results;
    if (!make_room(m, 1ull + in + out)) return;
    int64_t *entry = m->entries + m->n;
    entry[0] = (int64_t)f << 2 | outcome;
    memcpy(entry + 1, operands, in * sizeof *operands);
    memcpy(entry + 1 + in, results, out * sizeof *results);
    uint64_t slot = hash & (m->size - 1);
    while (m->table[slot] != 0) slot = (slot + 1) & (m->size - 1);
    m->table[slot] = (hash & ~PLACE) | (m->n + 1);
    m->n += 1ull + in + out;
    m->count++;
}

static int ask(qb_memo *m, uint32_t f, uint64_t hash, const int64_t *operands, int64_t *results) {
    m->misses++;
    memset(results, 0, m->functions[f].results * sizeof *results);
    qb_evaluation *here = m->functions[f].evaluation;
    int outcome = here == NULL ? QB_STOP : qb_evaluate(here, operands, results);
    if (outcome == QB_STOP) outcome = m->miss(f, operands, results);
    if (outcome != QB_STOP) remember(m, f, hash, outcome, operands, results);
    return outcome;
}

/* Whether a call is remembered; then its results and its outcome. */
static inline bool recall(const qb_memo *m, uint32_t f, uint64_t h, const int64_t *operands, int64_t *results,
                          int *outcome) {
    const uint32_t in = m->functions[f].operands, out = m->functions[f].results;
    for (uint64_t slot = h & (m->size - 1); m->table[slot] != 0; slot = (slot + 1) & (m->size - 1)) {
        if ((m->table[slot] ^ h) >> TAG != 0) continue;
        const int64_t *entry = m->entries + (m->table[slot] & PLACE) - 1;
        if (entry[0] >> 2 != f || memcmp(entry + 1, operands, in * sizeof *operands) != 0) continue;
        for (uint32_t k = 0; k < out; k++) results[k] = entry[1 + in + k];
        *outcome = (int)(entry[0] & 3);
        return true;
    }
    return false;
}

QB_API int qb_memo_call(qb_memo *m, uint32_t f, const int64_t *operands, int64_t *results) {
    const uint64_t h = hash_call(f, operands, m->functions[f].operands);
    int outcome;
    return recall(m, f, h, operands, results, &outcome) ? outcome : ask(m, f, h, operands, results);
}

int qb_memo_peek(qb_memo *m, uint32_t f, const int64_t *operands, int64_t *results) {
    const uint64_t h = hash_call(f, operands, m->functions[f].operands);
    int outcome;
    if (recall(m, f, h, operands, results, &outcome)) return outcome;
    qb_values_miss();
    return QB_STOP;
}
