/* What workers tell each other (exchange.h). */
#include "exchange.h"

#include "probe.h"

#include <stdlib.h>

#define TAKEN_AT_ONCE 256u /* records that are looked up together */

qb_exchange *qb_exchange_open(uint32_t words, uint64_t numbered, bool in_part) {
    qb_exchange *x = calloc(1, sizeof *x);
    if (x == NULL) return NULL;
    x->firing = calloc(numbered + 1, sizeof *x->firing);
    x->most = qb_most_sent(words);
    x->sources = malloc(x->most * sizeof *x->sources);
    if (in_part) x->targets = malloc(x->most * sizeof *x->targets);
    x->parents = malloc(x->most * sizeof *x->parents);
    if (x->firing != NULL && x->sources != NULL && x->parents != NULL && (x->targets != NULL || !in_part)) return x;
    qb_exchange_close(x);
    return NULL;
}

void qb_exchange_close(qb_exchange *x) {
    if (x == NULL) return;
    for (uint32_t k = 0; k < QB_MOST_WORKERS; k++) free(x->outbox[k].records);
    free(x->sources);
    free(x->parents);
    free(x->targets);
    free(x->found);
    free(x->numbers);
    free(x->firing);
    free(x->scratch.parts);
    free(x);
}

uint64_t qb_exchange_bytes(const qb_exchange *x) {
    if (x == NULL) return 0;
    uint64_t bytes = sizeof *x + x->most * (2 * sizeof *x->sources + (x->targets == NULL ? 0 : sizeof *x->targets));
    for (uint32_t k = 0; k < QB_MOST_WORKERS; k++) bytes += x->outbox[k].capacity * sizeof(uint64_t);
    return bytes + x->found_room * (sizeof *x->found + sizeof *x->numbers);
}

void qb_begin_round(qb_worker *w, uint64_t first, uint64_t end) {
    qb_exchange *x = w->exchange;
    w->cursor = first;
    w->level_end = end;
    w->self = &w->engine->peeking;
    w->firing = x->firing;
    x->transitions = w->transitions;
    x->errors = w->errors;
    x->sent = x->found_count = x->first = x->count = 0;
    x->is_void = x->scratch.missed = false;
    for (uint32_t k = 0; k < QB_MOST_WORKERS; k++) x->outbox[k].n = 0;
}

/* Sending. */

static bool make_room(qb_mailbox *box, uint64_t records, uint32_t stride) {
    const uint64_t words = (box->n + records) * stride;
    if (words <= box->capacity) return true;
    uint64_t *more = realloc(box->records, 2 * words * sizeof *more);
    if (more == NULL) return false;
    box->records = more;
    box->capacity = 2 * words;
    return true;
}

static inline __attribute__((always_inline)) void send(qb_worker *w, const uint64_t *const records, const uint32_t stride,
                                                       const uint32_t words, const bool compact) {
    const qb_engine *e = w->engine;
    qb_exchange *x = w->exchange;
    const qb_recents recents = qb_recents_of(w);
    const uint64_t *const from = w->sources, count = w->n;
    uint64_t *const hashes = w->hashes, *const sources = x->sources;
    uint64_t n = 0, place = x->sent;
    uint32_t *const kept = w->kept;
    const uint8_t *const marks = e->marks;
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t *s = records + k * stride;
        hashes[k] = compact ? qb_fingerprint(s, words) : qb_hash(s, words);
        __builtin_prefetch(qb_recent(&recents, hashes[k], words));
    }
    for (uint64_t k = 0; k < count; k++) {
        const uint64_t hash = hashes[k];
        hashes[n] = hash;
        kept[n] = (uint32_t)k;
        n += !qb_is_recent(&recents, records + k * stride, hash, words) || (marks != NULL && marks[from[k]] != QB_FULLY);
    }
    for (uint64_t k = 0; k < n; k++, place++) {
        qb_mailbox *box = &x->outbox[qb_owner(hashes[k], e->worker_count)];
        uint64_t *record = box->records + box->n++ * (words + 1);
        qb_copy(record, records + (uint64_t)kept[k] * stride, words);
        record[words] = (hashes[k] & 0xffffffff00000000ull) | place;
        sources[place] = from[kept[k]];
    }
    x->sent = place;
}

void qb_send_batch(qb_worker *w) {
    const qb_engine *e = w->engine;
    qb_exchange *x = w->exchange;
    const bool squeezed = qb_is_squeezed(w->store);
    const uint32_t words = w->store->words, stride = squeezed ? words : e->stride;
    const uint64_t *const records = squeezed ? w->stored : w->records;
    bool room = x->sent <= 2 * qb_wanted_sent(words);
    for (uint32_t k = 0; k < e->worker_count; k++) room = room && make_room(&x->outbox[k], w->n, words + 1);
    if (!room || (squeezed && !qb_squeeze_known(w->store, w->records, e->stride, w->n, w->stored))) {
        x->is_void = true;
        return;
    }
    switch (words == stride && !w->store->compact ? words : 0) {
    case 1: send(w, records, 1, 1, false); break;
    case 2: send(w, records, 2, 2, false); break;
    case 3: send(w, records, 3, 3, false); break;
    case 4: send(w, records, 4, 4, false); break;
    case 5: send(w, records, 5, 5, false); break;
    case 6: send(w, records, 6, 6, false); break;
    case 7: send(w, records, 7, 7, false); break;
    default: send(w, records, stride, words, w->store->compact);
    }
}

/* Taking in. */

static bool make_room_for_found(qb_exchange *x, uint64_t room) {
    if (room <= x->found_room) return true;
    qb_found *found = realloc(x->found, 2 * room * sizeof *found);
    if (found != NULL) x->found = found;
    uint64_t *numbers = realloc(x->numbers, 2 * room * sizeof *numbers);
    if (numbers != NULL) x->numbers = numbers;
    if (found == NULL || numbers == NULL) return false;
    x->found_room = 2 * room;
    return true;
}

/* The table of this worker that knows a state. */
static inline __attribute__((always_inline)) qb_table *table_of(const qb_worker *w, const uint64_t *record,
                                                                const bool wide) {
    return wide ? qb_table_for(w->store, qb_hash_for(w->store, record)) : &w->store->tables[w->index];
}

/* The slot where a state was put, QB_KNOWN if it was there before; where `targets` is given, it is told at the
 * record's place which state it is. */
static inline __attribute__((always_inline)) uint64_t put(qb_worker *w, qb_table *table, const uint64_t *record,
                                                          const uint32_t words, uint64_t at, uint64_t *targets, const uint32_t bits) {
    const qb_store *store = w->store;
    const qb_exchange *x = w->exchange;
    for (;;) {
        at = qb_probe_in(table, record[words], at, bits);
        uint64_t slot = table->slots[at], number = qb_number_in(slot, bits);
        if (slot == 0) break;
        const uint64_t *s = number < store->n ? store->arena + number * words : x->found[number - store->n].record;
        if (qb_equal(s, record, words)) {
            if (targets != NULL)
                targets[record[words] & 0xffffffffu] = number < store->n ? number : qb_new_target(w->index, number - store->n);
            return QB_KNOWN;
        }
        if (++at == table->size) at = 0;
    }
    if (targets != NULL) targets[record[words] & 0xffffffffu] = qb_new_target(w->index, x->found_count);
    table->slots[at] = qb_slot(record[words], store->n + x->found_count, bits);
    return at;
}

/* The slots where records of a batch are, or would be. */
static inline __attribute__((always_inline)) void find_slots(const qb_worker *w, const uint64_t *records, uint64_t count,
                                                             const uint32_t words, uint64_t *slots, const bool compact, const bool wide) {
    const uint32_t stride = words + 1, bits = wide ? QB_WIDE_BITS : QB_NARROW_BITS;
    uint64_t hashes[TAKEN_AT_ONCE];
    for (uint64_t k = 0; k < count; k++) hashes[k] = records[k * stride + words];
    if (!compact && !wide) {
        qb_probe_batch(&w->store->tables[w->index], 1, hashes, count, slots);
        return;
    }
    for (uint64_t k = 0; k < count; k++) qb_prefetch_slots(table_of(w, records + k * stride, wide), hashes[k], bits);
    for (uint64_t k = 0; k < count; k++) {
        const qb_table *table = table_of(w, records + k * stride, wide);
        slots[k] = qb_home_in(hashes[k], table->size, bits);
        if (!compact) slots[k] = qb_probe_in(table, hashes[k], slots[k], bits);
    }
}

static inline __attribute__((always_inline)) void take_in(qb_worker *w, uint32_t sender, const uint32_t words,
                                                          const bool compact, const bool wide) {
    const qb_mailbox *box = &w->engine->workers[sender].exchange->outbox[w->index];
    uint64_t *targets = w->engine->marks == NULL ? NULL : w->engine->workers[sender].exchange->targets;
    const uint32_t stride = words + 1, bits = wide ? QB_WIDE_BITS : QB_NARROW_BITS;
    qb_store *store = w->store;
    qb_exchange *x = w->exchange;
    uint64_t slots[TAKEN_AT_ONCE];
    for (uint64_t begin = 0; begin < box->n; begin += TAKEN_AT_ONCE) {
        const uint64_t left = box->n - begin, count = left < TAKEN_AT_ONCE ? left : TAKEN_AT_ONCE;
        const uint64_t *const records = box->records + begin * stride;
        find_slots(w, records, count, words, slots, compact, wide);
        for (uint64_t k = 0; k < count && !compact; k++) {
            const uint64_t slot = table_of(w, records + k * stride, wide)->slots[slots[k]];
            if (slot != 0 && qb_number_in(slot, bits) < store->n) qb_read_state_in(store, slot, words, bits, false);
        }
        for (uint64_t k = 0; k < count; k++) {
            const uint64_t *record = records + k * stride;
            qb_table *table = table_of(w, record, wide);
            uint64_t slot = compact ? qb_put_hash(store, table, qb_fingerprint(record, words), slots[k])
                                    : put(w, table, record, words, slots[k], targets, bits);
            if (slot != QB_KNOWN) x->found[x->found_count++] = (qb_found){record, slot == QB_ZERO ? NULL : &table->slots[slot]};
        }
    }
}

/* Room for so many more in each table of this worker. */
static bool grow_tables(const qb_worker *w, uint64_t room) {
    const uint32_t each = w->store->table_count / w->engine->worker_count;
    for (uint32_t k = 0; k < each; k++)
        if (!qb_table_grow(&w->store->tables[w->index * each + k], room)) return false;
    return true;
}

void qb_take_in(qb_worker *w) {
    const qb_engine *e = w->engine;
    qb_exchange *x = w->exchange;
    uint64_t mail = 0;
    for (uint32_t k = 0; k < e->worker_count; k++) mail += e->workers[k].exchange->outbox[w->index].n;
    if (!make_room_for_found(x, mail) || !grow_tables(w, mail)) x->is_void = true;
    for (uint32_t k = 0; k < e->worker_count; k++) {
        x->found_from[k] = x->found_count;
        if (x->is_void) continue;
        if (w->store->wide) {
            if (w->store->compact) take_in(w, k, w->store->words, true, true);
            else take_in(w, k, w->store->words, false, true);
            continue;
        }
        switch (w->store->compact ? 0 : w->store->words) {
        case 0: take_in(w, k, w->store->words, true, false); break;
        case 1: take_in(w, k, 1, false, false); break;
        case 2: take_in(w, k, 2, false, false); break;
        case 3: take_in(w, k, 3, false, false); break;
        case 4: take_in(w, k, 4, false, false); break;
        case 5: take_in(w, k, 5, false, false); break;
        case 6: take_in(w, k, 6, false, false); break;
        case 7: take_in(w, k, 7, false, false); break;
        default: take_in(w, k, w->store->words, false, false);
        }
    }
    x->found_from[e->worker_count] = x->found_count;
}

/* Placing. */

uint64_t qb_found_in_all(const qb_engine *e) {
    uint64_t n = 0;
    for (uint32_t k = 0; k < e->worker_count; k++) n += e->workers[k].exchange->found_count;
    return n;
}

/* How many states are new among those that this worker sent, and those that workers before it sent. */
static void count_found(qb_worker *w) {
    const qb_engine *e = w->engine;
    qb_exchange *x = w->exchange;
    x->first = e->store.n;
    for (uint32_t k = 0; k < e->worker_count; k++) {
        const uint64_t *from = e->workers[k].exchange->found_from;
        x->first += from[w->index] - from[0];
        x->count += from[w->index + 1] - from[w->index];
    }
}

static uint64_t place_of(const qb_exchange *taker, uint64_t at, uint64_t end, uint32_t words) {
    return at < end ? taker->found[at].record[words] & 0xffffffffu : UINT64_MAX;
}

void qb_place_found(qb_worker *w) {
    const qb_engine *e = w->engine;
    qb_exchange *x = w->exchange;
    qb_store *store = w->store;
    uint32_t words = store->words, takers = e->worker_count;
    uint64_t at[QB_MOST_WORKERS], next[QB_MOST_WORKERS]; /* of each taker: its next find, and where that stands in our mail */
    count_found(w);
    for (uint32_t k = 0; k < takers; k++) {
        const qb_exchange *taker = e->workers[k].exchange;
        at[k] = taker->found_from[w->index];
        next[k] = place_of(taker, at[k], taker->found_from[w->index + 1], words);
    }
    for (uint64_t number = x->first; number < x->first + x->count; number++) {
        uint32_t least = 0;
        for (uint32_t k = 1; k < takers; k++) least = next[k] < next[least] ? k : least;
        qb_exchange *taker = e->workers[least].exchange;
        qb_copy(store->arena + number * words, taker->found[at[least]].record, words);
        x->parents[number - x->first] = x->sources[next[least]];
        taker->numbers[at[least]++] = number;
        next[least] = place_of(taker, at[least], taker->found_from[w->index + 1], words);
        if (e->options.check) qb_check(w, number);
    }
}

/* Ending. */

static void undo(qb_worker *w) {
    qb_exchange *x = w->exchange;
    qb_store *store = w->store;
    for (uint64_t k = 0; k < x->found_count; k++)
        if (x->found[k].slot == NULL) store->has_zero = false;
        else *x->found[k].slot = 0;
    w->transitions = x->transitions;
    w->errors = x->errors;
    w->status = QB_RUNNING;
    w->skip = 0;
    w->moving = w->partial = false;
    w->calls.source = UINT64_MAX;
}

static void settle(qb_worker *w) {
    const qb_exchange *x = w->exchange;
    const qb_store *store = w->store;
    for (uint64_t k = 0; k < x->found_count && !store->compact; k++)
        *x->found[k].slot = qb_slot(*x->found[k].slot, x->numbers[k], store->tables[0].bits);
    if (!store->wide) store->tables[w->index].n += x->found_count;
    for (uint64_t k = 0; k < x->found_count && store->wide; k++) /* in the arena: whoever sent it may be in the next round */
        table_of(w, store->arena + x->numbers[k] * store->words, true)->n++;
}

/* Partial order: what the states of this worker's part lead to. */
static void lead(const qb_worker *w) {
    const qb_engine *e = w->engine;
    const qb_exchange *x = w->exchange;
    for (uint64_t place = 0; place < x->sent; place++) {
        uint64_t target = x->targets[place], at = target & 0xffffffffu;
        if (target & QB_NEW) target = e->workers[(target & ~QB_NEW) >> 32].exchange->numbers[at];
        qb_lead_to(e, x->sources[place], target);
    }
}

void qb_end_round(qb_worker *w, bool keep) {
    qb_exchange *x = w->exchange;
    if (keep && w->engine->marks != NULL) lead(w);
    if (keep) settle(w);
    else undo(w);
    for (uint64_t c = 0; c < qb_numbered(&w->engine->options.program); c++) {
        if (keep) w->fired[c] += x->firing[c];
        x->firing[c] = 0;
    }
    w->firing = w->fired;
    w->self = &w->engine->options.program;
}
