/* Owners (shard.h): who owns what, and the levels. */
#include "shard.h"

#include "memory.h"

#include <stdlib.h>

#define SENT_BITS 18u
#define SENT_BYTES ((uint64_t)8 << 20)

/* Opening and closing. */

static void close_asked(qb_shard *x) {
    for (uint32_t k = 0; x->asked != NULL && k < x->owners; k++) free(x->asked[k].sources);
    free(x->asked);
    x->asked = NULL;
}

void qb_shard_close(qb_shard *x) {
    if (x == NULL) return;
    for (uint32_t k = 0; x->boxes != NULL && k < x->owners; k++) qb_outbox_close(&x->boxes[k]);
    free(x->boxes);
    close_asked(x);
    free(x->taken);
    free(x->sent);
    free(x->row);
    qb_structure_close(&x->structure);
    free(x);
}

/* As with the states looked up lately: where the state of zeroes belongs there is one that does not belong there. */
static void forget_sent(qb_shard *x) {
    const uint32_t words = x->structure.words;
    if (x->sent == NULL) return;
    memset(x->sent, 0, (x->sent_mask + 1) * words * sizeof *x->sent);
    uint64_t *zero = x->structure.scratch;
    memset(zero, 0, words * sizeof *zero);
    const uint64_t home = qb_hash(zero, words) & x->sent_mask;
    do zero[0]++;
    while ((qb_hash(zero, words) & x->sent_mask) == home);
    qb_copy(x->sent + home * words, zero, words);
}

static bool open_boxes(qb_shard *x, uint32_t owner, uint32_t owners) {
    const uint32_t words = x->structure.words;
    x->boxes = calloc(owners, sizeof *x->boxes);
    x->taken = calloc(owners, sizeof *x->taken);
    x->asked = calloc(owners, sizeof *x->asked);
    x->owner = owner;
    x->owners = x->boxes == NULL ? 0 : owners;
    x->sent_mask = (1u << SENT_BITS) - 1;
    while (x->sent_mask > 63 && (x->sent_mask + 1) * words * sizeof *x->sent > SENT_BYTES) x->sent_mask >>= 1;
    if (owners > 1) x->sent = malloc((x->sent_mask + 1) * words * sizeof *x->sent);
    forget_sent(x);
    return x->boxes != NULL && x->taken != NULL && x->asked != NULL && (owners == 1 || x->sent != NULL);
}

QB_API bool qb_own(qb_engine *e, uint32_t owner, uint32_t owners, qb_values *values, const qb_field *fields, uint32_t field_count) {
    qb_store *store = &e->store;
    if (owner >= owners || owners > QB_MOST_SHARDS || e->worker_count > 1 || store->compact || store->n > 0 || e->shard != NULL)
        return false;
    e->shard = calloc(1, sizeof *e->shard);
    if (e->shard == NULL || (e->shard->row = malloc(store->words * sizeof *e->shard->row)) == NULL ||
        !qb_structure_open(&e->shard->structure, store->words, values, fields, field_count)) return false;
    qb_parents_close(&store->parents);
    return open_boxes(e->shard, owner, owners);
}

static bool is_own(qb_shard *x, const uint64_t *s) {
    return x->owners == 1 || qb_owner(qb_structural_hash(&x->structure, s), x->owners) == x->owner;
}

/* Going back. */

static void fill_table(qb_store *store) {
    qb_table *table = &store->tables[0];
    memset(table->slots, 0, table->size * sizeof *table->slots);
    table->n = store->n;
    for (uint64_t k = 0; k < store->n; k++) {
        uint64_t hash = qb_hash(store->arena + k * store->words, store->words), at = qb_home(hash, table->size);
        while (table->slots[at] != 0)
            if (++at == table->size) at = 0;
        table->slots[at] = (hash & 0xffffffff00000000ull) | (k + 1);
    }
}

/* Nothing is known of the level that is being expanded. */
static void begin_epoch(qb_engine *e, uint64_t epoch) {
    qb_worker *w = &e->workers[0];
    qb_shard *x = e->shard;
    x->epoch = epoch;
    x->boxed = 0;
    for (uint32_t k = 0; k < x->owners; k++) {
        qb_outbox_clear(&x->boxes[k]);
        x->taken[k] = x->asked[k].n = 0;
    }
    w->transitions = w->errors = 0;
    w->failure_kind = QB_NOTHING;
    memset(w->fired, 0, qb_numbered(&e->options.program) * sizeof *w->fired);
}

/* The states that are looked up or sent again must not be taken for known. */
static void forget_batch(qb_engine *e) {
    qb_worker *w = &e->workers[0];
    w->n = w->skip = 0;
    w->moving = w->partial = w->left = false;
    w->calls.source = UINT64_MAX;
    w->status = e->status = QB_RUNNING;
    e->stop = false;
    qb_forget_recent(w);
    forget_sent(e->shard);
}

QB_API void qb_abort(qb_engine *e, uint64_t levels, uint64_t epoch) {
    qb_worker *w = &e->workers[0];
    if (levels < e->level_count) e->level_count = levels;
    uint64_t end = e->level_count == 0 ? 0 : e->level_ends[e->level_count - 1];
    bool drops = end < e->store.n;
    e->store.n = end;
    if (drops) fill_table(&e->store);
    w->level_end = e->open_from = end;
    w->cursor = e->retry_at = e->level_count == 0 ? 0 : qb_level_start(e, e->level_count - 1);
    forget_batch(e);
    begin_epoch(e, epoch);
}

QB_API bool qb_own_again(qb_engine *e, uint32_t owner, uint32_t owners) {
    qb_shard *x = e->shard;
    qb_store *store = &e->store;
    if (owner >= owners || owners > QB_MOST_SHARDS) return false;
    for (uint32_t k = 0; k < x->owners; k++) qb_outbox_close(&x->boxes[k]);
    close_asked(x);
    free(x->boxes);
    free(x->taken);
    free(x->sent);
    x->sent = NULL;
    if (!open_boxes(x, owner, owners)) return false;
    uint64_t kept = 0, at = 0;
    for (uint64_t level = 0; level < e->level_count; level++) {
        const uint64_t end = e->level_ends[level], before = kept;
        for (; at < end; at++) {
            const uint64_t *s = store->arena + at * store->words;
            if (is_own(x, s)) qb_copy(store->arena + kept++ * store->words, s, store->words);
        }
        e->level_ends[level] = kept;
        e->levels[level] = kept - before;
    }
    store->n = kept;
    fill_table(store);
    qb_abort(e, e->level_count, x->epoch);
    return !x->structure.failed;
}

/* Levels. */

QB_API bool qb_seed(qb_engine *e, const uint64_t *states, uint64_t count) {
    qb_worker *w = &e->workers[0];
    qb_store *store = &e->store;
    for (uint64_t k = 0; k < count; k++) {
        qb_copy(w->records, states + k * store->words, store->words);
        if (w->reducer != NULL) qb_reduce(w->reducer, w->records);
        if (!is_own(e->shard, w->records)) continue;
        if (!qb_store_grow(store, 1, qb_most_bytes(e))) return false;
        w->transitions++;
        if (qb_store_add(store, w->records, qb_hash(w->records, store->words), QB_NO_PARENT)) qb_meet(w, store->n - 1);
    }
    return !e->shard->structure.failed;
}

QB_API uint64_t qb_left(const qb_engine *e) { return e->workers[0].level_end - e->workers[0].cursor; }

QB_API bool qb_prepare(qb_engine *e, const uint64_t *sent, qb_level_report *report) {
    const qb_worker *w = &e->workers[0];
    qb_shard *x = e->shard;
    const qb_store *store = &e->store;
    *report = (qb_level_report){.found = store->n - w->level_end, .transitions = w->transitions, .errors = w->errors};
    report->failure_kind = w->errors > 0 ? w->failure_kind : QB_NOTHING;
    for (uint64_t k = w->level_end; k < store->n; k++) report->checksum += qb_structural_hash(&x->structure, store->arena + k * store->words);
    report->bytes = qb_store_bytes(store);
    report->cpu_seconds = w->cpu_seconds;
    report->sent_count = x->sent_count;
    report->sent_bytes = x->sent_bytes;
    const uint64_t first = e->level_count == 0 ? 0 : qb_level_start(e, e->level_count - 1);
    for (uint64_t k = first; e->marks != NULL && k < w->level_end; k++) report->partly += e->marks[k] == QB_PARTLY_LED;
    bool complete = qb_left(e) == 0 && (e->marks == NULL || e->retry_at >= w->level_end) && x->boxed == 0 && e->status == QB_RUNNING && !x->structure.failed;
    for (uint32_t k = 0; k < x->owners; k++) complete = complete && x->taken[k] == sent[k];
    return complete;
}

QB_API void qb_worst(const qb_engine *e, uint64_t *s) { qb_copy(s, e->workers[0].failure, e->store.words); }

QB_API bool qb_commit(qb_engine *e, uint64_t epoch) {
    if (!qb_push_level(e)) return false;
    begin_epoch(e, epoch);
    return true;
}

/* Which of two failures is told: one in a state that was expanded has the shorter trace; then the least state. */
bool qb_fails_before(const qb_engine *e, uint64_t kind, const uint64_t *s) {
    static const uint8_t rank[] = {[QB_NOTHING] = 3, [QB_STUCK] = 0, [QB_BY_MOVE] = 1, [QB_IN_STATE] = 2};
    const qb_worker *w = &e->workers[0];
    if (rank[kind] != rank[w->failure_kind]) return rank[kind] < rank[w->failure_kind];
    return qb_structural_order(&e->shard->structure, s, w->failure) < 0;
}

/* Taking back. */

QB_API int64_t qb_restore(qb_engine *e, const void *message, uint64_t bytes) {
    qb_shard *x = e->shard;
    qb_store *store = &e->store;
    qb_letter letter;
    uint64_t *s = x->row, checksum = 0;
    int64_t found = 0;
    bool good = qb_letter_open(&letter, &x->structure, message, bytes);
    for (uint64_t k = 0; good && k < letter.header->rows; k++) {
        if (!(good = qb_letter_state(&letter, &x->structure, k, s))) break;
        uint64_t hash = qb_structural_hash(&x->structure, s);
        checksum += hash;
        if (x->owners > 1 && qb_owner(hash, x->owners) != x->owner) continue;
        if (!qb_store_grow(store, 1, qb_most_bytes(e))) {
            qb_letter_close(&letter);
            return QB_NO_ROOM;
        }
        good = qb_store_add(store, s, qb_hash(s, store->words), QB_NO_PARENT);
        found++;
    }
    good = good && checksum == letter.header->checksum && !x->structure.failed;
    qb_letter_close(&letter);
    return good ? found : QB_DAMAGED;
}

/* Traces. */

/* Whether the worker's batch has a way to the state; then the source of the least such. */
static bool note_sources(const qb_engine *e, const uint64_t *target, uint64_t *best, bool *found) {
    const qb_worker *w = &e->workers[0];
    const uint32_t words = e->store.words;
    for (uint64_t k = 0; k < w->n; k++) {
        const uint64_t *s = e->store.arena + w->sources[k] * words;
        if (!qb_equal(w->records + k * e->stride, target, words)) continue;
        if (*found && qb_structural_order(&e->shard->structure, s, best) >= 0) continue;
        qb_copy(best, s, words);
        *found = true;
    }
    return *found;
}

QB_API int qb_predecessor(qb_engine *e, uint64_t level, const uint64_t *target, uint64_t *at, uint64_t *best, bool *found,
                          double seconds) {
    qb_worker *w = &e->workers[0];
    const uint32_t words = e->store.words;
    const uint64_t from = qb_level_start(e, level), end = qb_level_start(e, level + 1);
    double began = qb_cpu_seconds();
    qb_chooser *chooser = w->chooser;
    e->deadline = qb_seconds() + seconds;
    forget_batch(e);
    w->chooser = NULL; /* a way that was left out is a way, too */
    w->wanted = QB_ALL_OF_THEM;
    w->cursor = *at < from ? from : *at;
    while (w->cursor < end && w->status == QB_RUNNING) {
        if (!w->moving && w->skip == 0 && *found &&
            qb_structural_order(&e->shard->structure, e->store.arena + w->cursor * words, best) >= 0) {
            w->cursor++;
            continue;
        }
        w->level_end = *found ? w->cursor + 1 : end;
        qb_fill(w);
        if (w->partial) { /* one state that takes long: its deadline moves on */
            e->deadline = qb_seconds() + seconds;
            continue;
        }
        note_sources(e, target, best, found);
        if (!w->moving && w->skip == 0 && qb_seconds() > e->deadline) break;
    }
    *at = w->cursor;
    w->chooser = chooser;
    w->wanted = chooser == NULL ? QB_ALL_OF_THEM : QB_CHOSEN;
    w->cpu_seconds += qb_cpu_seconds() - began;
    return w->status != QB_RUNNING ? w->status : w->cursor < end ? QB_RUNNING : QB_DONE;
}

QB_API int qb_order(const qb_engine *e, const uint64_t *a, const uint64_t *b) { return qb_structural_order(&e->shard->structure, a, b); }
