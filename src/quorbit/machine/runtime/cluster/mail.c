/* Owners (shard.h): what they send and take. */
#include "memory.h"
#include "shard.h"

#include <stdlib.h>

#define AHEAD 12u /* how far prefetching is ahead of looking up */

/* Sending. */

static inline __attribute__((always_inline)) bool was_sent(qb_shard *x, const uint64_t *s, uint64_t hash, const uint32_t words) {
    uint64_t *seen = x->sent + (hash & x->sent_mask) * words;
    if (qb_equal(seen, s, words)) return true;
    qb_copy(seen, s, words);
    return false;
}

/* The owner will be asked whether the row that was sent last leads to the next level; false: no memory. */
static bool note_source(qb_asked *asked, uint32_t source) {
    if (asked->n == asked->room) {
        const uint64_t room = asked->room == 0 ? 1024 : 2 * asked->room;
        uint32_t *more = realloc(asked->sources, room * sizeof *more);
        if (more == NULL) return false;
        asked->sources = more;
        asked->room = room;
    }
    asked->sources[asked->n++] = source;
    return true;
}

/* The records of the batch that belong to others go into their outboxes, unless they were sent lately; the rest stays.
 * Of a state that was expanded in part all are sent, for their owners know whether they lead on.
 * Where states name values, the cache is addressed by the words, and the owner is known by what they mean. */
static inline __attribute__((always_inline)) bool sort_out(qb_worker *w, const uint32_t words, const bool plain) {
    const uint32_t stride = w->engine->stride;
    qb_shard *x = w->engine->shard;
    const uint8_t *marks = w->engine->marks;
    uint64_t kept = 0;
    for (uint64_t k = 0; k < w->n; k++) {
        w->hashes[k] = qb_hash(w->records + k * stride, words);
        __builtin_prefetch(x->sent + (w->hashes[k] & x->sent_mask) * words);
    }
    for (uint64_t k = 0; k < w->n; k++) {
        const uint64_t *s = w->records + k * stride;
        const uint64_t hash = plain ? w->hashes[k] : qb_structural_hash(&x->structure, s);
        const uint32_t owner = qb_owner(hash, x->owners);
        if (owner == x->owner) {
            if (kept != k) qb_copy(w->records + kept * stride, s, stride);
            w->sources[kept++] = w->sources[k];
        } else if (!was_sent(x, s, w->hashes[k], words) || (marks != NULL && marks[w->sources[k]] == QB_PARTLY)) {
            if (!qb_outbox_add(&x->boxes[owner], &x->structure, s, hash)) return false;
            if (marks != NULL && !note_source(&x->asked[owner], w->sources[k])) return false;
            x->boxed += 8ull * words;
            x->sent_count++;
        }
    }
    w->n = kept;
    return !x->structure.failed;
}

static bool send_batch(qb_worker *w) {
    const qb_shard *x = w->engine->shard;
    const uint32_t words = w->store->words;
    if (x->owners == 1) return true;
    switch (x->structure.field_count > 0 ? 0 : words) {
    case 0: return sort_out(w, words, false);
    case 1: return sort_out(w, 1, true);
    case 2: return sort_out(w, 2, true);
    case 3: return sort_out(w, 3, true);
    case 4: return sort_out(w, 4, true);
    default: return sort_out(w, words, true);
    }
}

/* Expand some states into a batch, send what belongs to others and look up the rest; false: it ended before that. */
static bool expand_batch(qb_engine *e) {
    qb_worker *w = &e->workers[0];
    if (!qb_store_grow(&e->store, QB_CAPACITY, qb_most_bytes(e))) e->status = QB_MEMORY;
    if (e->status != QB_RUNNING) return false;
    qb_fill(w);
    if (w->partial) return false;
    e->status = w->status;
    if (e->status == QB_RUNNING && !send_batch(w)) e->status = QB_MEMORY;
    if (e->status != QB_RUNNING) return false;
    qb_look_up_batch(w);
    return true;
}

QB_API uint64_t qb_expand(qb_engine *e, uint64_t most_bytes, double seconds) {
    qb_worker *w = &e->workers[0];
    const uint64_t first = w->cursor;
    double began = qb_cpu_seconds();
    e->deadline = qb_seconds() + seconds;
    for (uint32_t rounds = 1; w->cursor < w->level_end && expand_batch(e); rounds++)
        if (e->shard->boxed >= most_bytes || ((rounds & 7) == 0 && qb_seconds() > e->deadline)) break;
    w->cpu_seconds += qb_cpu_seconds() - began;
    return w->cursor - first;
}

/* Partial order. */

QB_API void qb_note_open(qb_engine *e, uint32_t owner, uint64_t first, uint64_t rows, const uint8_t *bits) {
    const qb_shard *x = e->shard;
    if (owner >= x->owners || e->marks == NULL) return;
    const qb_asked *asked = &x->asked[owner];
    for (uint64_t k = 0; k < rows && first + k < asked->n; k++) {
        uint8_t *mark = &e->marks[asked->sources[first + k]];
        if (bits[k / 8] >> (k % 8) & 1 && *mark == QB_PARTLY) *mark = QB_PARTLY_LED;
    }
}

/* The rest of one state, which was expanded in part. */
static void expand_rest(qb_engine *e, uint64_t number) {
    qb_worker *w = &e->workers[0];
    const uint64_t end = w->level_end;
    w->wanted = QB_THE_REST;
    w->cursor = number;
    w->level_end = number + 1;
    while (w->cursor == number && e->status == QB_RUNNING)
        if (!expand_batch(e) && w->partial) e->deadline = qb_seconds() + 1; /* it takes long: its deadline moves on */
    w->wanted = QB_CHOSEN;
    w->cursor = w->level_end = end;
}

QB_API uint64_t qb_expand_rest(qb_engine *e, uint64_t most_bytes, double seconds) {
    qb_worker *w = &e->workers[0];
    double began = qb_cpu_seconds();
    if (e->marks == NULL) return 0;
    e->deadline = qb_seconds() + seconds;
    for (uint32_t rounds = 1; e->retry_at < w->level_end && e->status == QB_RUNNING; e->retry_at++) {
        if (e->marks[e->retry_at] != QB_PARTLY) continue;
        if (e->shard->boxed >= most_bytes || ((rounds++ & 7) == 0 && qb_seconds() > e->deadline)) break;
        expand_rest(e, e->retry_at);
    }
    w->cpu_seconds += qb_cpu_seconds() - began;
    return w->level_end - e->retry_at;
}

QB_API const void *qb_outbox_of(qb_engine *e, uint32_t owner, uint64_t seq, uint64_t *bytes) {
    qb_shard *x = e->shard;
    *bytes = 0;
    if (owner >= x->owners || x->boxes[owner].rows == 0) return NULL;
    if (!qb_outbox_seal(&x->boxes[owner], x->structure.words, x->epoch, x->owner, owner, seq, bytes)) {
        e->status = QB_MEMORY;
        return NULL;
    }
    x->sent_bytes += *bytes;
    return x->boxes[owner].data;
}

QB_API void qb_empty_outbox(qb_engine *e, uint32_t owner) {
    qb_shard *x = e->shard;
    if (owner >= x->owners) return;
    x->boxed -= x->boxes[owner].rows * 8ull * x->structure.words;
    qb_outbox_clear(&x->boxes[owner]);
}

/* Taking. */

/* The number of a state, which is stored and looked at if it is new. */
static inline __attribute__((always_inline)) uint64_t number_of(qb_worker *w, const uint64_t *s, uint64_t hash, const uint32_t words) {
    qb_store *store = w->store;
    qb_table *table = &store->tables[0];
    const uint64_t n = store->n;
    uint64_t number = qb_find_or_add(store, table, s, hash, QB_NO_PARENT, words, qb_home(hash, table->size), QB_NARROW_BITS, false);
    if (number == n) qb_meet(w, number);
    return number;
}

/* Rows without values: they are looked up where they lie, prefetched ahead. */
static inline __attribute__((always_inline)) bool take_rows(qb_worker *w, const qb_letter *letter, const uint32_t words, uint8_t *bits) {
    const qb_shard *x = w->engine->shard;
    const uint64_t n = letter->header->rows, *rows = letter->rows;
    const qb_table *table = &w->store->tables[0];
    uint64_t hashes[2 * AHEAD], checksum = 0;
    bool own = true;
    for (uint64_t k = 0; k < n + 2 * AHEAD; k++) {
        if (k >= 2 * AHEAD) {
            uint64_t j = k - 2 * AHEAD, hash = hashes[j % (2 * AHEAD)];
            uint64_t number = number_of(w, rows + j * words, hash, words);
            if (bits != NULL && number >= w->engine->open_from) bits[j / 8] |= (uint8_t)(1u << (j % 8));
        }
        if (k >= AHEAD && k - AHEAD < n) {
            uint64_t hash = hashes[(k - AHEAD) % (2 * AHEAD)];
            qb_prefetch_state(w->store, table->slots[qb_probe(table, hash, qb_home(hash, table->size))], words);
        }
        if (k >= n) continue;
        uint64_t hash = hashes[k % (2 * AHEAD)] = qb_hash(rows + k * words, words);
        own = own && qb_owner(hash, x->owners) == x->owner;
        checksum += hash;
        qb_prefetch_slots(table, hash, QB_NARROW_BITS);
    }
    return own && checksum == letter->header->checksum;
}

/* Rows that name values: they are known by what they mean, and stored under the numbers of this process. */
static bool take_valued(qb_worker *w, const qb_letter *letter, uint8_t *bits) {
    qb_shard *x = w->engine->shard;
    const uint32_t words = x->structure.words;
    uint64_t checksum = 0, *s = x->row;
    for (uint64_t k = 0; k < letter->header->rows; k++) {
        if (!qb_letter_state(letter, &x->structure, k, s)) return false;
        uint64_t hash = qb_structural_hash(&x->structure, s);
        checksum += hash;
        if (qb_owner(hash, x->owners) != x->owner) return false;
        uint64_t number = number_of(w, s, qb_hash(s, words), words);
        if (bits != NULL && number >= w->engine->open_from) bits[k / 8] |= (uint8_t)(1u << (k % 8));
    }
    return checksum == letter->header->checksum && !x->structure.failed;
}

static bool take_letter(qb_worker *w, const qb_letter *letter, uint8_t *bits) {
    const qb_shard *x = w->engine->shard;
    const uint32_t words = w->store->words;
    switch (x->structure.field_count > 0 ? 0 : words) {
    case 0: return take_valued(w, letter, bits);
    case 1: return take_rows(w, letter, 1, bits);
    case 2: return take_rows(w, letter, 2, bits);
    case 3: return take_rows(w, letter, 3, bits);
    case 4: return take_rows(w, letter, 4, bits);
    default: return take_rows(w, letter, words, bits);
    }
}

QB_API int64_t qb_take(qb_engine *e, const void *message, uint64_t bytes, uint8_t *bits) {
    qb_worker *w = &e->workers[0];
    qb_shard *x = e->shard;
    qb_letter letter;
    double began = qb_cpu_seconds();
    const uint64_t before = e->store.n;
    if (!qb_letter_open(&letter, &x->structure, message, bytes)) {
        qb_letter_close(&letter);
        return QB_DAMAGED;
    }
    const qb_header *h = letter.header;
    int64_t answer = h->sender >= x->owners || h->owner != x->owner ? QB_DAMAGED
                     : h->epoch != x->epoch || h->seq < x->taken[h->sender] ? QB_LATE
                     : h->seq > x->taken[h->sender] ? QB_DAMAGED /* one is missing */
                                                    : 0;
    if (answer == 0 && !qb_store_grow(&e->store, h->rows, qb_most_bytes(e))) answer = QB_NO_ROOM;
    if (answer == 0) {
        x->taken[h->sender]++;
        answer = take_letter(w, &letter, bits) ? (int64_t)(e->store.n - before) : QB_DAMAGED;
    }
    qb_letter_close(&letter);
    w->cpu_seconds += qb_cpu_seconds() - began;
    return answer;
}

/* Levels and single states as messages. */

QB_API uint64_t qb_export(qb_engine *e, uint64_t from, uint64_t to, uint32_t owner, uint32_t owners, uint64_t most_bytes,
                          const void **message, uint64_t *bytes) {
    qb_shard *x = e->shard;
    qb_outbox *box = &x->boxes[x->owner];
    const uint32_t words = x->structure.words;
    uint64_t k = from;
    *message = NULL;
    *bytes = 0;
    qb_outbox_clear(box);
    for (; k < to && k < e->store.n && (box->rows * words + box->value_words) * 8 < most_bytes; k++) {
        const uint64_t *s = e->store.arena + k * words, hash = qb_structural_hash(&x->structure, s);
        if (owners > 0 && qb_owner(hash, owners) != owner) continue;
        if (!qb_outbox_add(box, &x->structure, s, hash)) return UINT64_MAX;
    }
    if (!qb_outbox_seal(box, words, x->epoch, x->owner, owner, 0, bytes)) return UINT64_MAX;
    if (box->rows > 0) *message = box->data;
    return k;
}

QB_API const void *qb_tell_state(qb_engine *e, const uint64_t *s, uint64_t *bytes) {
    qb_shard *x = e->shard;
    qb_outbox *box = &x->boxes[x->owner];
    qb_outbox_clear(box);
    if (!qb_outbox_add(box, &x->structure, s, qb_structural_hash(&x->structure, s))) return NULL;
    return qb_outbox_seal(box, x->structure.words, x->epoch, x->owner, x->owner, 0, bytes) ? box->data : NULL;
}

QB_API bool qb_read_state(qb_engine *e, const void *message, uint64_t bytes, uint64_t *s) {
    qb_shard *x = e->shard;
    qb_letter letter;
    bool good = qb_letter_open(&letter, &x->structure, message, bytes) && letter.header->rows == 1 &&
                qb_letter_state(&letter, &x->structure, 0, s) &&
                qb_structural_hash(&x->structure, s) == letter.header->checksum;
    qb_letter_close(&letter);
    return good;
}
