/* Opening, growing and closing the store (store.h). */
#include "store.h"

#include "memory.h"

#include <stdlib.h>

#define FIRST_SIZE 4096u
#define FORGET_AT_ONCE ((uint64_t)8 << 20) /* bytes */
#define STRIDE ((uint64_t)1 << 21) /* slots after which the old table's memory is given back while growing */

/* Reserve the arena: as many states as the limit allows, fewer if address space is short. */
bool qb_store_open(qb_store *store, uint32_t words, uint64_t most_bytes, bool compact, uint64_t extra) {
    uint64_t state = (compact ? 8ull : 8ull * words) + sizeof(uint32_t) + extra, most = most_bytes / state + 1024;
    memset(store, 0, sizeof *store);
    store->words = words;
    store->compact = compact;
    store->extra = extra;
    store->size = FIRST_SIZE;
    store->table = qb_reserve(store->size * sizeof(uint64_t));
    if (store->table == NULL) return false;
    for (store->capacity = most < QB_MOST_STATES ? most : QB_MOST_STATES; store->capacity >= 1024;
         store->capacity /= 2) {
        store->arena = qb_reserve(store->capacity * words * sizeof(uint64_t));
        store->parents = qb_reserve(store->capacity * sizeof(uint32_t));
        if (store->arena != NULL && store->parents != NULL) return true;
        qb_release(store->arena, store->capacity * words * sizeof(uint64_t));
        qb_release(store->parents, store->capacity * sizeof(uint32_t));
    }
    qb_release(store->table, store->size * sizeof(uint64_t));
    return false;
}

void qb_store_close(qb_store *store) {
    qb_release(store->arena, store->capacity * store->words * sizeof(uint64_t));
    qb_release(store->parents, store->capacity * sizeof(uint32_t));
    qb_release(store->table, store->size * sizeof(uint64_t));
    memset(store, 0, sizeof *store);
}

uint64_t qb_store_bytes(const qb_store *store) {
    return (store->n - store->forgotten) * 8ull * store->words + store->n * (sizeof(uint32_t) + store->extra) +
           store->size * sizeof(uint64_t);
}

void qb_store_forget(qb_store *store, uint64_t before) {
    uint64_t state = 8ull * store->words, from = store->forgotten * state, to = before * state;
    if (!store->compact || to < from + FORGET_AT_ONCE) return;
    qb_forget(store->arena, from < FORGET_AT_ONCE ? 0 : from - FORGET_AT_ONCE, to);
    store->forgotten = before;
}

static void move_slots(const qb_store *store, uint64_t *table, uint64_t size) {
    for (uint64_t i = 0; i < store->size; i++) {
        uint64_t slot = store->table[i];
        if (slot != 0) {
            uint64_t at = qb_home(slot, size);
            while (table[at] != 0)
                if (++at == size) at = 0;
            table[at] = slot;
        }
        if ((i & (STRIDE - 1)) == STRIDE - 1)
            qb_forget(store->table, (i + 1 - STRIDE) * sizeof(uint64_t), (i + 1) * sizeof(uint64_t));
    }
}

bool qb_store_grow(qb_store *store, uint64_t room, uint64_t most_bytes) {
    if (store->n + room > store->capacity) return false;
    if (qb_store_bytes(store) + room * 8ull * store->words > most_bytes) return false;
    if ((store->n + room) * 4 <= store->size * 3) return true;
    uint64_t size = store->size < (1u << 20) ? store->size * 2 : store->size + store->size / 2;
    while ((store->n + room) * 4 > size * 3) size += size / 2;
    if (size > 0xffffffffull) size = 0xffffffffull;
    if ((store->n + room) * 4 > size * 3 && store->n + room >= size) return false;
    if (qb_store_bytes(store) + (size - store->size) * sizeof(uint64_t) > most_bytes) return false;
    uint64_t *table = qb_reserve(size * sizeof(uint64_t));
    if (table == NULL) return false;
    move_slots(store, table, size);
    qb_release(store->table, store->size * sizeof(uint64_t));
    store->table = table;
    store->size = size;
    return true;
}

bool qb_store_add(qb_store *store, const uint64_t *s, uint64_t hash, uint32_t parent) {
    uint64_t home = qb_home(hash, store->size);
    return store->compact ? qb_insert_hash(store, s, hash, parent, store->words, home)
                          : qb_insert(store, s, hash, parent, store->words, home);
}
