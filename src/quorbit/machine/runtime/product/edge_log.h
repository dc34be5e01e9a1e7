/* The edges of states, in few bytes.
 *
 * The edges of a state make one entry: its length, its anchor, the edges.  The anchor is how many states were stored when
 * the state was expanded, so an edge to a new state is told by a small number, and most others are not far: an edge is its
 * distance from the anchor and, where processes are followed, the numbers of its movers and of its renaming.  All are
 * numbers of seven bits a byte.
 *
 * Entries of states that were expanded in the order of their numbers stand in that order, and only where a block of them
 * begins is kept.  Those of states that were expanded before their turn stand apart, until their turn comes: then they are
 * copied.  An edge is named by where it is. */
#ifndef QB_EDGE_LOG_H
#define QB_EDGE_LOG_H

#include <stdbool.h>
#include <stdint.h>

#define QB_ENTRIES 32u               /* in a block */
#define QB_EARLY ((uint64_t)1 << 62) /* in the name of an edge: it stands among those before their turn */

typedef struct {
    uint8_t *bytes;
    uint64_t used, room;
} qb_stream;

typedef struct {
    uint64_t at, anchor; /* at: of its first entry */
} qb_entry_block;

typedef struct {
    bool followed;
    qb_stream ordered, early;
    uint64_t count; /* of the entries in order */
    qb_entry_block *blocks;
    uint64_t block_room;
    uint32_t *early_states; /* a hash table: 1 + the number of a state, 0 where there is none */
    uint64_t *early_places, early_count, early_room;
} qb_edge_log;

/* The edges of a state that is being expanded; equal ones are kept once. */
typedef struct {
    uint32_t *targets, *movers, *renamings;
    uint64_t count, room;
    uint32_t *slots; /* a hash table of places, 1 + each; empty between two states */
    uint64_t slot_room, hashed; /* hashed: edges that are in the table */
    qb_stream packed;
} qb_bundle;

typedef struct {
    const uint8_t *bytes; /* of the edges */
    uint64_t length, anchor, name; /* name: of the first edge */
} qb_entry;

void qb_log_close(qb_edge_log *log);
void qb_bundle_close(qb_bundle *bundle);
bool qb_bundle_add(qb_bundle *bundle, uint32_t target, uint32_t movers, uint32_t renaming); /* false: no memory */
void qb_bundle_empty(qb_bundle *bundle);
/* Keep the edges of a state, which was not expanded before, and empty the bundle.  false: no memory. */
bool qb_log_add(qb_edge_log *log, uint64_t state, qb_bundle *bundle, uint64_t anchor);
/* The next entry in order is one that was made before its turn.  false: no memory. */
bool qb_log_catch_up(qb_edge_log *log);
bool qb_log_has_early(const qb_edge_log *log, uint64_t state);
qb_entry qb_log_entry(const qb_edge_log *log, uint64_t state); /* of a state that was expanded */

/* Where an entry was found last: one that comes soon after it is found quickly.  Begins as zeros. */
typedef struct {
    uint64_t state, at;
} qb_log_place;

qb_entry qb_log_entry_near(const qb_edge_log *log, uint64_t state, qb_log_place *place);

static inline bool qb_log_has(const qb_edge_log *log, uint64_t state) {
    return state < log->count || (log->early_count > 0 && qb_log_has_early(log, state));
}

/* A number, and where the next one begins. */
static inline uint64_t qb_read_number(const uint8_t *bytes, uint64_t *at) {
    uint64_t n = bytes[(*at)++];
    if (n < 128) return n;
    n &= 127;
    for (uint32_t shift = 7;; shift += 7) {
        uint8_t more = bytes[(*at)++];
        n |= (uint64_t)(more & 127) << shift;
        if (more < 128) return n;
    }
}

/* A number that may be negative: its lowest bit is the sign. */
static inline uint64_t qb_fold(uint64_t difference) { return difference << 1 ^ (0 - (difference >> 63)); }

static inline uint64_t qb_unfold(uint64_t n) { return n >> 1 ^ (0 - (n & 1)); }

static inline uint32_t qb_read_target(const uint8_t *bytes, uint64_t *at, uint64_t anchor) {
    return (uint32_t)(anchor + qb_unfold(qb_read_number(bytes, at)));
}

static inline const uint8_t *qb_log_bytes(const qb_edge_log *log, uint64_t name) {
    return (name & QB_EARLY ? log->early.bytes : log->ordered.bytes) + (name & ~QB_EARLY);
}

typedef struct {
    uint32_t movers, renaming;
} qb_naming;

/* Who moves on an edge and what is renamed; requires that processes are followed. */
static inline qb_naming qb_log_naming(const qb_edge_log *log, uint64_t name) {
    const uint8_t *bytes = qb_log_bytes(log, name);
    uint64_t at = 0;
    qb_read_number(bytes, &at);
    uint32_t movers = (uint32_t)qb_read_number(bytes, &at);
    return (qb_naming){movers, (uint32_t)qb_read_number(bytes, &at)};
}

#endif
