/* Edges in few bytes (edge_log.h). */
#include "edge_log.h"

#include "store.h"

#include <stdlib.h>

#define LONGEST 10u /* bytes of a number */
#define FEW 12u     /* edges among which an equal one is found by looking at all */

void qb_log_close(qb_edge_log *log) {
    free(log->ordered.bytes);
    free(log->early.bytes);
    free(log->blocks);
    free(log->early_states);
    free(log->early_places);
}

void qb_bundle_close(qb_bundle *bundle) {
    free(bundle->targets);
    free(bundle->movers);
    free(bundle->renamings);
    free(bundle->slots);
    free(bundle->packed.bytes);
}

/* Numbers. */

static bool make_room(qb_stream *stream, uint64_t more) {
    if (stream->used + more <= stream->room) return true;
    uint64_t room = stream->room < 4096 ? 4096 : stream->room;
    while (room < stream->used + more) room += room / 2;
    uint8_t *bytes = realloc(stream->bytes, room);
    if (bytes == NULL) return false;
    stream->bytes = bytes;
    stream->room = room;
    return true;
}

/* Requires room. */
static void write_number(qb_stream *stream, uint64_t n) {
    for (; n >= 128; n >>= 7) stream->bytes[stream->used++] = (uint8_t)(n | 128);
    stream->bytes[stream->used++] = (uint8_t)n;
}

static bool write_bytes(qb_stream *stream, const uint8_t *bytes, uint64_t length) {
    if (length == 0) return true;
    if (!make_room(stream, length)) return false;
    memcpy(stream->bytes + stream->used, bytes, length);
    stream->used += length;
    return true;
}

/* The edges of one state. */

static bool grow_bundle(qb_bundle *b) {
    if (b->count < b->room) return true;
    uint64_t room = b->room == 0 ? 64 : 2 * b->room;
    uint32_t **arrays[] = {&b->targets, &b->movers, &b->renamings};
    for (int k = 0; k < 3; k++) {
        uint32_t *more = realloc(*arrays[k], room * sizeof *more);
        if (more == NULL) return false;
        *arrays[k] = more;
    }
    b->room = room;
    return true;
}

static bool is_edge(const qb_bundle *b, uint64_t k, uint32_t target, uint32_t movers, uint32_t renaming) {
    return b->targets[k] == target && b->movers[k] == movers && b->renamings[k] == renaming;
}

static uint64_t home(const qb_bundle *b, uint32_t target, uint32_t movers, uint32_t renaming) {
    return qb_mix(target ^ (uint64_t)movers << 32, 0x9e3779b97f4a7c15ull + renaming) & (b->slot_room - 1);
}

static void put(qb_bundle *b, uint64_t k) {
    uint64_t at = home(b, b->targets[k], b->movers[k], b->renamings[k]);
    while (b->slots[at] != 0) at = (at + 1) & (b->slot_room - 1);
    b->slots[at] = (uint32_t)k + 1;
}

/* The table is at most half full, and holds all edges once there are more than a few. */
static bool hash_edges(qb_bundle *b) {
    uint64_t room = b->slot_room == 0 ? 64 : b->slot_room;
    while (room < 2 * (b->count + 1)) room *= 2;
    if (room > b->slot_room) {
        free(b->slots);
        b->slot_room = b->hashed = 0;
        b->slots = calloc(room, sizeof *b->slots);
        if (b->slots == NULL) return false;
        b->slot_room = room;
    }
    while (b->hashed < b->count) put(b, b->hashed++);
    return true;
}

static bool is_known(const qb_bundle *b, uint32_t target, uint32_t movers, uint32_t renaming) {
    if (b->count < FEW) {
        for (uint64_t k = 0; k < b->count; k++)
            if (is_edge(b, k, target, movers, renaming)) return true;
        return false;
    }
    for (uint64_t at = home(b, target, movers, renaming); b->slots[at] != 0; at = (at + 1) & (b->slot_room - 1))
        if (is_edge(b, b->slots[at] - 1, target, movers, renaming)) return true;
    return false;
}

bool qb_bundle_add(qb_bundle *b, uint32_t target, uint32_t movers, uint32_t renaming) {
    if (b->count >= FEW && !hash_edges(b)) return false;
    if (is_known(b, target, movers, renaming)) return true;
    if (!grow_bundle(b)) return false;
    b->targets[b->count] = target;
    b->movers[b->count] = movers;
    b->renamings[b->count++] = renaming;
    return true;
}

/* Slot by slot: a table that was once needed for many edges is not gone through for few. */
void qb_bundle_empty(qb_bundle *b) {
    for (uint64_t k = 0; k < b->hashed; k++) {
        uint64_t at = home(b, b->targets[k], b->movers[k], b->renamings[k]);
        while (b->slots[at] != k + 1) at = (at + 1) & (b->slot_room - 1);
        b->slots[at] = 0;
    }
    b->count = b->hashed = 0;
}

static bool pack(qb_bundle *b, bool followed, uint64_t anchor) {
    b->packed.used = 0;
    if (!make_room(&b->packed, b->count * (followed ? 3 : 1) * LONGEST)) return false;
    for (uint64_t k = 0; k < b->count; k++) {
        write_number(&b->packed, qb_fold(b->targets[k] - anchor));
        if (!followed) continue;
        write_number(&b->packed, b->movers[k]);
        write_number(&b->packed, b->renamings[k]);
    }
    return true;
}

/* Entries before their turn. */

static uint64_t find_early(const qb_edge_log *log, uint64_t state) {
    uint64_t mask = log->early_room - 1, at = qb_mix(state, 0x9e3779b97f4a7c15ull) & mask;
    while (log->early_states[at] != 0 && log->early_states[at] != state + 1) at = (at + 1) & mask;
    return at;
}

bool qb_log_has_early(const qb_edge_log *log, uint64_t state) { return log->early_states[find_early(log, state)] != 0; }

static bool grow_early(qb_edge_log *log) {
    if (2 * log->early_count < log->early_room) return true;
    qb_edge_log more = {.early_room = log->early_room == 0 ? 1024 : 2 * log->early_room};
    more.early_states = calloc(more.early_room, sizeof *more.early_states);
    more.early_places = malloc(more.early_room * sizeof *more.early_places);
    if (more.early_states == NULL || more.early_places == NULL) {
        free(more.early_states);
        free(more.early_places);
        return false;
    }
    for (uint64_t k = 0; k < log->early_room; k++) {
        if (log->early_states[k] == 0) continue;
        uint64_t at = find_early(&more, log->early_states[k] - 1);
        more.early_states[at] = log->early_states[k];
        more.early_places[at] = log->early_places[k];
    }
    free(log->early_states);
    free(log->early_places);
    log->early_states = more.early_states;
    log->early_places = more.early_places;
    log->early_room = more.early_room;
    return true;
}

/* Entries. */

static bool write_entry(qb_stream *stream, const uint8_t *bytes, uint64_t length, uint64_t anchor, uint64_t base) {
    if (!make_room(stream, 2 * LONGEST)) return false;
    write_number(stream, length);
    write_number(stream, qb_fold(anchor - base));
    return write_bytes(stream, bytes, length);
}

static bool add_in_order(qb_edge_log *log, const uint8_t *bytes, uint64_t length, uint64_t anchor) {
    uint64_t block = log->count / QB_ENTRIES;
    if (log->count % QB_ENTRIES == 0) {
        if (block == log->block_room) {
            uint64_t room = log->block_room == 0 ? 64 : 2 * log->block_room;
            qb_entry_block *blocks = realloc(log->blocks, room * sizeof *blocks);
            if (blocks == NULL) return false;
            log->blocks = blocks;
            log->block_room = room;
        }
        log->blocks[block] = (qb_entry_block){log->ordered.used, anchor};
    }
    if (!write_entry(&log->ordered, bytes, length, anchor, log->blocks[block].anchor)) return false;
    log->count++;
    return true;
}

static bool add_early(qb_edge_log *log, uint64_t state, const qb_stream *packed, uint64_t anchor) {
    if (!grow_early(log)) return false;
    uint64_t at = find_early(log, state), place = log->early.used;
    if (!write_entry(&log->early, packed->bytes, packed->used, anchor, 0)) return false;
    log->early_states[at] = (uint32_t)state + 1;
    log->early_places[at] = place;
    log->early_count++;
    return true;
}

bool qb_log_add(qb_edge_log *log, uint64_t state, qb_bundle *b, uint64_t anchor) {
    bool good = pack(b, log->followed, anchor);
    if (good && state == log->count) good = add_in_order(log, b->packed.bytes, b->packed.used, anchor);
    else if (good) good = add_early(log, state, &b->packed, anchor);
    qb_bundle_empty(b);
    return good;
}

static qb_entry entry_at(const qb_stream *stream, uint64_t at, uint64_t base, uint64_t flag) {
    uint64_t length = qb_read_number(stream->bytes, &at);
    uint64_t anchor = base + qb_unfold(qb_read_number(stream->bytes, &at));
    return (qb_entry){stream->bytes + at, length, anchor, at | flag};
}

bool qb_log_catch_up(qb_edge_log *log) {
    qb_entry entry = qb_log_entry(log, log->count);
    return add_in_order(log, entry.bytes, entry.length, entry.anchor);
}

qb_entry qb_log_entry(const qb_edge_log *log, uint64_t state) {
    qb_log_place place = {0, 0};
    return qb_log_entry_near(log, state, &place);
}

qb_entry qb_log_entry_near(const qb_edge_log *log, uint64_t state, qb_log_place *place) {
    if (state >= log->count) return entry_at(&log->early, log->early_places[find_early(log, state)], 0, QB_EARLY);
    const qb_entry_block *block = &log->blocks[state / QB_ENTRIES];
    if (state < place->state || state / QB_ENTRIES != place->state / QB_ENTRIES)
        *place = (qb_log_place){state - state % QB_ENTRIES, block->at};
    for (; place->state < state; place->state++) {
        uint64_t length = qb_read_number(log->ordered.bytes, &place->at);
        qb_read_number(log->ordered.bytes, &place->at);
        place->at += length;
    }
    return entry_at(&log->ordered, place->at, block->anchor, 0);
}
