/* Names (key_numbers.h). */
#include "key_numbers.h"

#include "store.h"

#include <stdlib.h>

static uint64_t hash_key(const uint32_t *key, uint32_t length) {
    uint64_t h = length;
    for (uint32_t i = 0; i < length; i++) h = qb_mix(h ^ key[i], 0x9e3779b97f4a7c15ull) + key[i];
    return h;
}

bool qb_names_open(qb_names *names, uint32_t length) {
    names->length = length;
    names->capacity = 16;
    names->size = 64;
    names->keys = malloc(names->capacity * length * sizeof *names->keys);
    names->slots = calloc(names->size, sizeof *names->slots);
    return names->keys != NULL && names->slots != NULL;
}

void qb_names_close(qb_names *names) {
    free(names->keys);
    free(names->slots);
}

static void place(qb_names *names, uint32_t number) {
    uint64_t at = hash_key(names->keys + (uint64_t)number * names->length, names->length) & (names->size - 1);
    while (names->slots[at] != 0) at = (at + 1) & (names->size - 1);
    names->slots[at] = number + 1;
}

static bool grow(qb_names *names) {
    if (names->n == names->capacity) {
        uint32_t *keys = realloc(names->keys, 2 * names->capacity * names->length * sizeof *keys);
        if (keys == NULL) return false;
        names->keys = keys;
        names->capacity *= 2;
    }
    if (2 * names->n < names->size) return true;
    uint32_t *slots = calloc(2 * names->size, sizeof *slots);
    if (slots == NULL) return false;
    free(names->slots);
    names->slots = slots;
    names->size *= 2;
    for (uint64_t k = 0; k < names->n; k++) place(names, (uint32_t)k);
    return true;
}

int64_t qb_name_of(qb_names *names, const uint32_t *key) {
    size_t bytes = names->length * sizeof *key;
    uint64_t at = hash_key(key, names->length) & (names->size - 1);
    for (uint32_t slot; (slot = names->slots[at]) != 0; at = (at + 1) & (names->size - 1))
        if (memcmp(names->keys + (uint64_t)(slot - 1) * names->length, key, bytes) == 0) return slot - 1;
    if (names->n >= UINT32_MAX - 1 || !grow(names)) return -1;
    memcpy(names->keys + names->n * names->length, key, bytes);
    place(names, (uint32_t)names->n);
    return (int64_t)names->n++;
}
