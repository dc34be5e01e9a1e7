/* The states seen so far: an append-only arena in the order of discovery, and an index table over it.
 *
 * A slot of the table is 0 or tag << 32 | number + 1, where the tag is the upper half of the state's hash.  The tag alone
 * decides where a slot belongs (tag * size >> 32), in the order of the tags: so the table grows in its place, by one pass
 * from right to left that does not look at the states.  Collisions go to the next free slot; the load stays below 4/5.
 *
 * For several threads there are several tables: the lower half of the hash says which one knows a state.  The arena is
 * the same for all of them.
 *
 * Where the limit of memory leaves room for more than 2^32 states, the store is wide: numbers have 40 bits and tags 24.  Then
 * there are about 2^10 tables, so that a tag still tells apart what stands in one table.
 *
 * A compact store keeps of a state that was expanded only its fingerprint: the slot is the whole hash, two states with one
 * hash count as one, and the arena's memory is given back behind the search.  One with an array of bits has no slots. */
#ifndef QB_STORE_H
#define QB_STORE_H

#include "parents.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define QB_NARROW_BITS 32u /* of a number */
#define QB_WIDE_BITS 40u
#define QB_MOST_NARROW 0xfffffff0ull /* states */
#define QB_MOST_WIDE 0xfffffffff0ull
#define QB_MOST_THREADS 16u
#define QB_WIDE_TABLES 1024u /* in all, or a few less */
#define QB_SLOTS_AHEAD 7u    /* read together with a slot: so many behind the last one can be read too */

typedef struct {
    uint64_t *slots;
    uint64_t size, room; /* slots in use, and slots that there is address space for */
    uint64_t n;          /* states */
    uint32_t bits;       /* of a number */
    bool together;       /* some slots are compared at once (probe.h) */
    bool broken;         /* memory was short while it grew: it will not grow any more */
} qb_table;

typedef struct qb_squeeze qb_squeeze;   /* squeeze.h */
typedef struct qb_lexicons qb_lexicons; /* lexicon.h */

/* A word in the arena: it may begin at any half of a word. */
typedef uint64_t qb_half_aligned __attribute__((aligned(4), may_alias));

typedef struct {
    uint32_t words, table_count; /* words: of a state as it is stored */
    bool odd;             /* the upper half of its last word is empty and is not kept in the arena; squeezed states only */
    uint64_t n, capacity; /* states; the arena has room for so many */
    uint64_t arena_bytes; /* address space of the arena */
    qb_squeeze *squeeze;  /* NULL: states are stored as they are made */
    uint64_t *arena;
    qb_parents parents;
    qb_table *tables;
    bool wide;
    uint64_t sure_until; /* so many states have room in all tables, whichever know them */
    uint64_t slot_bytes; /* of all tables, when that was found out */
    uint64_t extra;     /* bytes per state that the search keeps beside it */
    uint64_t spelling;  /* bytes of the words that states name by numbers */
    bool compact;
    bool has_zero;      /* compact: the hash 0, which no slot can hold, was met */
    uint64_t forgotten; /* compact: states whose words are gone */
    uint64_t *bits;     /* bitstate.h; NULL: hashes are kept whole */
    uint64_t bit_count, ones;
    double lost; /* about so many states */
} qb_store;

typedef struct {
    uint32_t words, owners; /* owners: threads that have tables of their own */
    uint64_t most_bytes, extra;
    bool compact, squeezed;
    bool wide;   /* also where 32 bits are enough for a number; plain parents cannot be wide */
    int parents; /* how they are kept */
} qb_store_options;

bool qb_store_open(qb_store *store, const qb_store_options *options);
bool qb_store_open_bits(qb_store *store, uint64_t bytes); /* a compact store; false: no memory */
void qb_store_close(qb_store *store);
bool qb_store_grow(qb_store *store, uint64_t room, uint64_t most_bytes); /* room for so many more; false: no memory */
bool qb_table_grow(qb_table *table, uint64_t room); /* the same for one table, whatever it costs */
uint64_t qb_table_growth(const qb_table *table, uint64_t room); /* how many bytes more that would use */
uint64_t qb_store_bytes(const qb_store *store);
bool qb_store_add(qb_store *store, const uint64_t *s, uint64_t hash, uint64_t parent); /* true: it is new */
void qb_store_forget(qb_store *store, uint64_t before); /* compact: the words of these states are not needed any more */

static inline uint64_t qb_mix(uint64_t a, uint64_t b) {
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Each word is mixed by itself, with a number of its place, and the results are added: no word waits for another, and words of
 * zeroes add nothing, so that a state has the same hash when it gets wider. */
static inline uint64_t qb_hash(const uint64_t *s, uint32_t words) {
    uint64_t h = 0, place = 0x9e3779b97f4a7c15ull;
    for (uint32_t i = 0; i < words; i++, place += 0xc2b2ae3d27d4eb4full) h += qb_mix(s[i], (place << 1) ^ 0xe7037ed1a0b428dbull) + s[i];
    return qb_mix(h ^ 0x589965cc75374cc3ull, 0x8ebc6af09c88c6e3ull);
}

/* A hash for compact stores: a chain of SplitMix64's finaliser, which maps single words one to one. */
static inline uint64_t qb_fingerprint(const uint64_t *s, uint32_t words) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < words; i++) {
        h = (h ^ s[i]) + 0x9e3779b97f4a7c15ull;
        h = (h ^ h >> 30) * 0xbf58476d1ce4e5b9ull;
        h = (h ^ h >> 27) * 0x94d049bb133111ebull;
        h ^= h >> 31;
    }
    return h;
}

static inline uint64_t qb_hash_for(const qb_store *store, const uint64_t *s) {
    return store->compact ? qb_fingerprint(s, store->words) : qb_hash(s, store->words);
}

/* Where a hash belongs in a table whose numbers have so many bits. */
static inline uint64_t qb_home_in(uint64_t hash, uint64_t size, uint32_t bits) { return (hash >> bits) * size >> (64 - bits); }
static inline uint64_t qb_home(uint64_t hash, uint64_t size) { return qb_home_in(hash, size, QB_NARROW_BITS); }

static inline uint64_t qb_slot(uint64_t hash, uint64_t number, uint32_t bits) { return (hash >> bits << bits) | (number + 1); }
static inline uint64_t qb_number_in(uint64_t slot, uint32_t bits) { return (slot & ((1ull << bits) - 1)) - 1; }

static inline bool qb_equal(const uint64_t *a, const uint64_t *b, uint32_t words) {
    uint64_t difference = 0;
    for (uint32_t i = 0; i < words; i++) difference |= a[i] ^ b[i];
    return difference == 0;
}

static inline void qb_copy(uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) a[i] = b[i];
}

/* Which of so many tables knows a state. */
static inline uint32_t qb_owner(uint64_t hash, uint32_t tables) { return (uint32_t)((hash & 0xffffffffu) * tables >> 32); }

static inline qb_table *qb_table_for(qb_store *store, uint64_t hash) {
    return &store->tables[qb_owner(hash, store->table_count)];
}

/* Fetch the slots that a probe will read: it goes six slots far on average where the state is new, and so mostly into a second
 * line of the cache.  They are read: the processor does not wait for them, and unlike a prefetch it does not drop them where
 * many are under way. */
static inline void qb_prefetch_slots(const qb_table *table, uint64_t hash, uint32_t bits) {
    const uint64_t *home = &table->slots[qb_home_in(hash, table->size, bits)];
    __asm__ volatile("" ::"r"(home[0]), "r"(home[QB_SLOTS_AHEAD]));
}

/* The first slot from `at` on that is empty or whose tag fits. */
static inline uint64_t qb_probe_in(const qb_table *table, uint64_t hash, uint64_t at, uint32_t bits) {
    uint64_t slot;
    while ((slot = table->slots[at]) != 0 && (slot ^ hash) >> bits != 0)
        if (++at == table->size) at = 0;
    return at;
}

static inline uint64_t qb_probe(const qb_table *table, uint64_t hash, uint64_t at) {
    return qb_probe_in(table, hash, at, QB_NARROW_BITS);
}

/* A state in the arena.  Where states are odd, the upper half of its last word belongs to the next one. */
static inline qb_half_aligned *qb_at(const qb_store *store, uint64_t number, uint32_t words, bool odd) {
    return (qb_half_aligned *)(void *)((uint32_t *)(void *)store->arena + number * (2ull * words - odd));
}

static inline uint64_t qb_last_mask(bool odd) { return odd ? 0xffffffffull : ~0ull; }
static inline uint64_t qb_state_bytes(const qb_store *store) { return 4 * (2ull * store->words - store->odd); }

static inline bool qb_is_at(const qb_half_aligned *at, const uint64_t *s, uint32_t words, bool odd) {
    uint64_t difference = (at[words - 1] ^ s[words - 1]) & qb_last_mask(odd);
    for (uint32_t i = 0; i + 1 < words; i++) difference |= at[i] ^ s[i];
    return difference == 0;
}

/* Fetch the state that a slot found by qb_probe names: it will be compared. */
static inline void qb_prefetch_state_in(const qb_store *store, uint64_t slot, uint32_t words, uint32_t bits, bool odd) {
    if (slot != 0) __builtin_prefetch(qb_at(store, qb_number_in(slot, bits), words, odd));
}

static inline void qb_prefetch_state(const qb_store *store, uint64_t slot, uint32_t words) {
    qb_prefetch_state_in(store, slot, words, QB_NARROW_BITS, false);
}

/* The same by reading it; requires that it is stored and that nobody writes at the same time. */
static inline void qb_read_state_in(const qb_store *store, uint64_t slot, uint32_t words, uint32_t bits, bool odd) {
    if (slot != 0) __asm__ volatile("" ::"r"(*qb_at(store, qb_number_in(slot, bits), words, odd)));
}

/* Of an odd state the last half goes where the next state will be. */
static inline void qb_append(qb_store *store, const uint64_t *s, uint64_t parent, uint32_t words, bool odd) {
    qb_half_aligned *at = qb_at(store, store->n, words, odd);
    for (uint32_t i = 0; i < words; i++) at[i] = s[i];
    qb_note_parent(&store->parents, store->n, parent);
    store->n++;
}

/* The number of a state, which is stored if it is new: then it is the greatest.  Requires room (qb_store_grow), and `at` from
 * qb_probe, if only after an earlier insertion. */
static inline __attribute__((always_inline)) uint64_t qb_find_or_add(qb_store *store, qb_table *table, const uint64_t *s, uint64_t hash,
                                                                     uint64_t parent, uint32_t words, uint64_t at, uint32_t bits, bool odd) {
    for (;;) {
        at = qb_probe_in(table, hash, at, bits);
        uint64_t slot = table->slots[at];
        if (slot == 0) break;
        uint64_t number = qb_number_in(slot, bits);
        if (qb_is_at(qb_at(store, number, words, odd), s, words, odd)) return number;
        if (++at == table->size) at = 0;
    }
    table->slots[at] = qb_slot(hash, store->n, bits);
    table->n++;
    qb_append(store, s, parent, words, odd);
    return store->n - 1;
}

/* The same; true: the state is new and has number n - 1. */
static inline __attribute__((always_inline)) bool qb_insert_in(qb_store *store, qb_table *table, const uint64_t *s, uint64_t hash,
                                                               uint64_t parent, uint32_t words, uint64_t at, uint32_t bits, bool odd) {
    const uint64_t n = store->n;
    return qb_find_or_add(store, table, s, hash, parent, words, at, bits, odd) == n;
}

static inline bool qb_insert(qb_store *store, qb_table *table, const uint64_t *s, uint64_t hash, uint64_t parent,
                             uint32_t words, uint64_t at) {
    return qb_insert_in(store, table, s, hash, parent, words, at, QB_NARROW_BITS, false);
}

/* For a compact store: the slot where a hash was put; QB_ZERO for the hash 0, and QB_KNOWN if it was there before. */
#define QB_KNOWN UINT64_MAX
#define QB_ZERO (UINT64_MAX - 1)

static inline uint64_t qb_put_hash(qb_store *store, qb_table *table, uint64_t hash, uint64_t at) {
    if (hash == 0) {
        if (store->has_zero) return QB_KNOWN;
        store->has_zero = true;
        return QB_ZERO;
    }
    for (uint64_t slot; (slot = table->slots[at]) != 0;) {
        if (slot == hash) return QB_KNOWN;
        if (++at == table->size) at = 0;
    }
    table->slots[at] = hash;
    return at;
}

/* The same as qb_insert for a compact store: equal hashes are taken for equal states. */
static inline bool qb_insert_hash(qb_store *store, qb_table *table, const uint64_t *s, uint64_t hash, uint64_t parent,
                                  uint32_t words, uint64_t at) {
    if (qb_put_hash(store, table, hash, at) == QB_KNOWN) return false;
    table->n++;
    qb_append(store, s, parent, words, false);
    return true;
}

#endif
