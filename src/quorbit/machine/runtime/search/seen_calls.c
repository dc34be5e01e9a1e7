/* The calls seen from one state (seen_calls.h). */
#include "seen_calls.h"

#include "store.h"

#include <stdlib.h>

bool qb_calls_open(qb_calls *c, uint32_t stride) {
    memset(c, 0, sizeof *c);
    c->stride = stride;
    c->source = UINT64_MAX;
    c->capacity = 256;
    c->size = 1024;
    c->slots = calloc(c->size, sizeof *c->slots);
    c->records = malloc(c->capacity * stride * sizeof *c->records);
    return c->slots != NULL && c->records != NULL;
}

bool qb_calls_limit(qb_calls *c, uint32_t at, uint32_t labels, uint32_t most) {
    c->at = at;
    c->labels = labels;
    c->most = most;
    c->taken = calloc(labels + 1ull, sizeof *c->taken);
    return c->taken != NULL;
}

/* Whether a new call is one more than may be taken. */
static bool is_too_many(qb_calls *c, const uint64_t *record) {
    if (c->taken == NULL || record[c->at] >= c->labels) return false;
    if (c->taken[record[c->at]]++ < c->most) return false;
    c->left_out = record[c->at] + 1;
    return true;
}

void qb_calls_close(qb_calls *c) {
    free(c->taken);
    free(c->slots);
    free(c->records);
    memset(c, 0, sizeof *c);
}

static void put(qb_calls *c, uint64_t record) {
    uint64_t at = qb_hash(c->records + record * c->stride, c->stride) & (c->size - 1);
    while (c->slots[at] >> 32 == c->round) at = (at + 1) & (c->size - 1);
    c->slots[at] = c->round << 32 | (record + 1);
}

static bool grow(qb_calls *c) {
    uint64_t *records = realloc(c->records, 2 * c->capacity * c->stride * sizeof *records);
    if (records == NULL) return false;
    c->records = records;
    c->capacity *= 2;
    uint64_t *slots = calloc(4 * c->capacity, sizeof *slots);
    if (slots == NULL) return false;
    free(c->slots);
    c->slots = slots;
    c->size = 4 * c->capacity;
    for (uint64_t k = 0; k < c->n; k++) put(c, k);
    return true;
}

static void begin(qb_calls *c, uint64_t source) {
    c->source = source;
    c->n = 0;
    if (c->taken != NULL) memset(c->taken, 0, c->labels * sizeof *c->taken);
    if (++c->round == 0xffffffffu) {
        memset(c->slots, 0, c->size * sizeof *c->slots);
        c->round = 1;
    }
}

int qb_calls_add(qb_calls *c, uint64_t source, const uint64_t *record) {
    if (source != c->source) begin(c, source);
    uint64_t at = qb_hash(record, c->stride) & (c->size - 1);
    for (; c->slots[at] >> 32 == c->round; at = (at + 1) & (c->size - 1))
        if (qb_equal(c->records + ((c->slots[at] & 0xffffffffu) - 1) * c->stride, record, c->stride)) return 0;
    if (c->n == c->capacity && !grow(c)) return -1;
    qb_copy(c->records + c->n * c->stride, record, c->stride);
    put(c, c->n++);
    return is_too_many(c, record) ? 0 : 1;
}
