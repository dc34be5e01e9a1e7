/* Ways through few transient states (ways.h). */
#include "ways.h"

#include "store.h"

#include <stdlib.h>

#define MOST_PASSED 1024u /* transient states for one stored state */
#define REST 256u         /* states */

bool qb_ways_open(qb_ways *x, uint32_t words) {
    x->words = words;
    x->records = calloc((uint64_t)QB_WAITING * words, sizeof *x->records);
    x->metas = calloc(QB_WAITING, sizeof *x->metas);
    x->passages = calloc(MOST_PASSED, sizeof *x->passages);
    return x->records != NULL && x->metas != NULL && x->passages != NULL;
}

void qb_ways_close(qb_ways *x) {
    free(x->records);
    free(x->metas);
    free(x->passages);
}

/* What is the same for all states on the ways. */
typedef struct {
    qb_ways *ways;
    qb_next next;
    const void *self;
    qb_sink *sink; /* n: records that are done */
    qb_sink made;  /* for the records of one state, behind these */
} tour;

static bool follow(tour *t, const uint64_t *s, uint32_t depth);

/* A record that has waited, to the end of its ways. */
static bool go_on(tour *t, uint32_t at, uint32_t depth) {
    qb_ways *x = t->ways;
    qb_sink *sink = t->sink;
    const uint32_t meta = x->metas[at];
    const uint64_t *s = x->records + (uint64_t)at * x->words, before = sink->n;
    if (!(meta & QB_TRANSIENT)) {
        if (sink->n == sink->capacity) return false;
        qb_copy(sink->records + sink->n * x->words, s, x->words);
        sink->metas[sink->n++] = meta;
        return true;
    }
    if ((meta & QB_VIOLATION) || depth == QB_DEEPEST || !follow(t, s, depth + 1) || x->passed == MOST_PASSED) return false;
    x->passages[x->passed++] = (qb_passage){meta & QB_COMMAND, sink->n - before};
    return true;
}

static bool follow(tour *t, const uint64_t *s, uint32_t depth) {
    qb_ways *x = t->ways;
    qb_sink *sink = t->sink;
    uint64_t *const records = t->made.records = sink->records + sink->n * x->words;
    uint32_t *const metas = t->made.metas = sink->metas + sink->n;
    const uint64_t capacity = t->made.capacity = sink->capacity - sink->n;
    t->made.n = 0;
    if (t->next(t->self, s, &t->made) < 0 || t->made.n > capacity) return false;
    const uint64_t n = t->made.n;
    uint64_t direct = 0;
    while (direct < n && !(metas[direct] & QB_TRANSIENT)) direct++;
    sink->n += direct;
    const uint32_t first = x->waiting, rest = (uint32_t)(n - direct);
    if (rest > QB_WAITING - first) return false;
    qb_copy(x->records + (uint64_t)first * x->words, records + direct * x->words, rest * x->words);
    for (uint32_t k = 0; k < rest; k++) x->metas[first + k] = metas[direct + k];
    x->waiting += rest;
    for (uint32_t k = 0; k < rest; k++)
        if (!go_on(t, first + k, depth)) return false;
    x->waiting = first;
    return true;
}

bool qb_ways_run(qb_ways *x, qb_next next, const void *self, const uint64_t *s, qb_sink *sink, uint64_t *fired) {
    if (x->rest > 0) {
        x->rest--;
        return false;
    }
    tour t = {x, next, self, sink, *sink};
    x->waiting = x->passed = 0;
    if (!follow(&t, s, 0)) {
        x->rest = REST;
        return false;
    }
    for (uint32_t k = 0; k < x->passed; k++) fired[x->passages[k].meta] += x->passages[k].count;
    return true;
}
