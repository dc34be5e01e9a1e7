/* A map from short sequences of words to numbers: the keys one after the other in an arena, entries in the order in
 * which they came, and slots with open addressing that find an entry by its hash.  Nothing is ever taken out. */
#ifndef QUORBIT_ADAPTIVE_TABLE_H
#define QUORBIT_ADAPTIVE_TABLE_H

#include <stdint.h>

#define NOTHING UINT32_MAX

typedef struct {
    uint64_t at; /* of the key in the arena */
    uint32_t length, hash, value;
} Entry;

typedef struct {
    Entry *entries;
    uint32_t count, room;
    uint32_t *slots; /* number of an entry + 1; 0: empty */
    uint32_t slot_count;
    uint32_t *keys;
    uint64_t used, key_room;
} Table;

/* The number of the entry with this key, NOTHING if there is none. */
uint32_t table_find(const Table *table, const uint32_t *key, uint32_t length);
/* Add an entry.  Requires: the key is not there, and does not lie in the table.  NOTHING: out of memory. */
uint32_t table_add(Table *table, const uint32_t *key, uint32_t length, uint32_t value);
uint64_t table_bytes(const Table *table);
void table_free(Table *table);

static inline const uint32_t *table_key(const Table *table, uint32_t entry) {
    return table->keys + table->entries[entry].at;
}

#endif
