#include "table.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const uint32_t *key, uint32_t length) {
    uint64_t h = 0x9e3779b97f4a7c15u ^ length;
    for (uint32_t k = 0; k < length; k++) {
        h = (h ^ key[k]) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    return (uint32_t)(h ^ (h >> 29));
}

static uint32_t find_hashed(const Table *table, const uint32_t *key, uint32_t length, uint32_t hash) {
    if (table->slot_count == 0)
        return NOTHING;
    uint32_t mask = table->slot_count - 1;
    for (uint32_t i = hash & mask; table->slots[i] != 0; i = (i + 1) & mask) {
        const Entry *entry = &table->entries[table->slots[i] - 1];
        if (entry->hash == hash && entry->length == length &&
            memcmp(table->keys + entry->at, key, length * sizeof *key) == 0)
            return table->slots[i] - 1;
    }
    return NOTHING;
}

uint32_t table_find(const Table *table, const uint32_t *key, uint32_t length) {
    return find_hashed(table, key, length, hash_of(key, length));
}

static void put_slot(Table *table, uint32_t entry) {
    uint32_t mask = table->slot_count - 1, i = table->entries[entry].hash & mask;
    while (table->slots[i] != 0)
        i = (i + 1) & mask;
    table->slots[i] = entry + 1;
}

static int grow_slots(Table *table) {
    uint32_t wanted = table->slot_count ? 2 * table->slot_count : 64;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (wanted == 0 || slots == NULL)
        return 0;
    free(table->slots);
    table->slots = slots;
    table->slot_count = wanted;
    for (uint32_t k = 0; k < table->count; k++)
        put_slot(table, k);
    return 1;
}

static int make_room(Table *table, uint32_t length) {
    if (table->count == table->room) {
        uint32_t room = table->room ? 2 * table->room : 32;
        Entry *entries = realloc(table->entries, room * sizeof *entries);
        if (entries == NULL)
            return 0;
        table->entries = entries;
        table->room = room;
    }
    if (table->used + length > table->key_room) {
        uint64_t room = 2 * table->key_room + length + 64;
        uint32_t *keys = realloc(table->keys, room * sizeof *keys);
        if (keys == NULL)
            return 0;
        table->keys = keys;
        table->key_room = room;
    }
    return 2 * (uint64_t)(table->count + 1) <= table->slot_count || grow_slots(table);
}

uint32_t table_add(Table *table, const uint32_t *key, uint32_t length, uint32_t value) {
    if (table->count >= NOTHING / 4 || !make_room(table, length))
        return NOTHING;
    memcpy(table->keys + table->used, key, length * sizeof *key);
    table->entries[table->count] = (Entry){table->used, length, hash_of(key, length), value};
    table->used += length;
    put_slot(table, table->count);
    return table->count++;
}

uint64_t table_bytes(const Table *table) {
    return table->room * sizeof(Entry) + table->slot_count * sizeof(uint32_t) + table->key_room * sizeof(uint32_t);
}

void table_free(Table *table) {
    free(table->entries);
    free(table->slots);
    free(table->keys);
    *table = (Table){0};
}
