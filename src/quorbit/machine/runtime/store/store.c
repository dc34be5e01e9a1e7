/* Opening, growing and closing the store (store.h). */
#include "store.h"

#include "bitstate.h"
#include "memory.h"
#include "probe.h"
#include "squeeze.h"

#include <stdlib.h>

#define FIRST_SIZE 4096u
#define FORGET_AT_ONCE ((uint64_t)8 << 20) /* bytes */
#define QB_MOST_SLOTS 0xffffffffull        /* of one table */
#define SURE (4 * FIRST_SIZE)              /* states that tables are given room for beyond what is asked for, if there are many */
#define SOON ((uint64_t)1 << 16)           /* slots up to which a table is doubled; then it grows by a half, to be fuller */
#define MOVED_AT_ONCE 256u                 /* slots, while a table grows */
#define HUGE_FROM ((uint64_t)4 << 20)      /* bytes of a table that is worth huge pages */

static uint64_t bytes_of_room(const qb_table *table) { return (table->room + QB_SLOTS_AHEAD) * sizeof(uint64_t); }

/* Address space for as many slots as the limit can ever ask for, fewer if it is short. */
static bool open_table(qb_table *table, uint64_t most_slots, uint32_t bits) {
    table->size = FIRST_SIZE;
    table->bits = bits;
    table->together = qb_can_probe_together();
    for (table->room = most_slots + FIRST_SIZE; table->room >= FIRST_SIZE; table->room /= 2) {
        table->slots = qb_reserve_small(bytes_of_room(table));
        if (table->slots != NULL) return true;
    }
    return false;
}

/* One table for each owner, or many: the owner of each can be told from the hash either way, as qb_owner(hash, k * owners) is
 * k * qb_owner(hash, owners) and less than k more. */
static bool open_tables(qb_store *store, uint32_t owners, uint64_t most_bytes) {
    const uint32_t each = store->wide ? QB_WIDE_TABLES / owners : 1;
    const uint64_t slots = most_bytes / sizeof(uint64_t), share = store->wide ? slots / (each * owners) * 2 : slots;
    store->tables = calloc(each * owners, sizeof *store->tables);
    if (store->tables == NULL) return false;
    for (; store->table_count < each * owners; store->table_count++)
        if (!open_table(&store->tables[store->table_count], share < QB_MOST_SLOTS ? share : QB_MOST_SLOTS,
                        store->wide ? QB_WIDE_BITS : QB_NARROW_BITS))
            return false;
    return true;
}

/* How many states the limit allows. */
static uint64_t most_states(const qb_store *store, const qb_store_options *o) {
    const bool small = o->compact || o->squeezed;
    const uint64_t state = (small ? 8ull : 8ull * store->words) + (o->parents == QB_PARENTS_PLAIN ? sizeof(uint32_t) : 0) + o->extra;
    return o->most_bytes / state + 1024;
}

/* The arena: as many states as the limit allows, fewer if address space is short. */
static bool open_arena(qb_store *store, const qb_store_options *o) {
    const uint64_t most = most_states(store, o), bound = store->wide ? QB_MOST_WIDE : QB_MOST_NARROW;
    for (store->capacity = most < bound ? most : bound; store->capacity >= 1024; store->capacity /= 2) {
        store->arena_bytes = store->capacity * store->words * sizeof(uint64_t);
        if (store->squeeze != NULL && store->arena_bytes > o->most_bytes) store->arena_bytes = o->most_bytes + 4096;
        store->arena = qb_reserve(store->arena_bytes);
        const bool parents = qb_parents_open(&store->parents, o->parents, store->capacity);
        if (store->arena != NULL && parents) return true;
        qb_release(store->arena, store->arena_bytes);
        qb_parents_close(&store->parents);
        store->arena = NULL;
    }
    return false;
}

bool qb_store_open(qb_store *store, const qb_store_options *o) {
    memset(store, 0, sizeof *store);
    if (o->squeezed && (store->squeeze = qb_squeeze_open(o->words, o->owners > 1)) == NULL) return false;
    store->words = o->words;
    store->compact = o->compact;
    store->extra = o->extra;
    store->wide = o->parents != QB_PARENTS_PLAIN && (o->wide || most_states(store, o) > QB_MOST_NARROW);
    if (!open_tables(store, o->owners, o->most_bytes) || !open_arena(store, o)) return false;
    if (o->squeezed) qb_squeeze_begin(store);
    return true;
}

bool qb_store_open_bits(qb_store *store, uint64_t bytes) {
    store->bit_count = bytes / sizeof(uint64_t) * 64;
    store->bits = store->bit_count == 0 ? NULL : qb_reserve(store->bit_count / 8);
    return store->bits != NULL;
}

void qb_store_close(qb_store *store) {
    qb_release(store->bits, store->bit_count / 8);
    qb_release(store->arena, store->arena_bytes);
    qb_squeeze_close(store->squeeze);
    qb_parents_close(&store->parents);
    for (uint32_t k = 0; k < store->table_count; k++)
        qb_release(store->tables[k].slots, bytes_of_room(&store->tables[k]));
    free(store->tables);
    memset(store, 0, sizeof *store);
}

/* All but the tables. */
static uint64_t bytes_of_states(const qb_store *store) {
    return (store->n - store->forgotten) * qb_state_bytes(store) + store->n * store->extra +
           qb_parents_bytes(&store->parents, store->n) + store->bit_count / 8 + store->spelling;
}

static uint64_t bytes_of_tables(const qb_store *store) {
    uint64_t slots = 0;
    for (uint32_t k = 0; k < store->table_count; k++) slots += store->tables[k].size;
    return slots * sizeof(uint64_t);
}

uint64_t qb_store_bytes(const qb_store *store) { return bytes_of_states(store) + bytes_of_tables(store); }

void qb_store_forget(qb_store *store, uint64_t before) {
    uint64_t state = 8ull * store->words, from = store->forgotten * state, to = before * state;
    if (!store->compact || to < from + FORGET_AT_ONCE) return;
    qb_forget(store->arena, from < FORGET_AT_ONCE ? 0 : from - FORGET_AT_ONCE, to);
    store->forgotten = before;
}

/* Growing. */

static bool is_full(uint64_t states, uint64_t slots) { return states * 5 > slots * 4; }

/* How many slots a table needs; 0 if it cannot have them. */
static uint64_t size_for(const qb_table *table, uint64_t room) {
    uint64_t wanted = table->n + room, size = table->size;
    while (is_full(wanted, size) && size < table->room) {
        size = size < SOON ? size * 2 : size + size / 2;
        if (size > table->room) size = table->room;
    }
    return table->broken || (is_full(wanted, size) && wanted >= size) ? 0 : size;
}

/* Slots that have no place yet when it is their turn. */
typedef struct {
    uint64_t *slots, n, room;
} late_list;

static bool put_off(late_list *late, uint64_t slot) {
    if (late->n == late->room) {
        uint64_t room = late->room == 0 ? 256 : 2 * late->room, *more = realloc(late->slots, room * sizeof *more);
        if (more == NULL) return false;
        late->slots = more;
        late->room = room;
    }
    late->slots[late->n++] = slot;
    return true;
}

/* From right to left every slot goes to its new place, which lies further right: what is there already has moved.  A slot
 * whose new place is among those that have not (it stood far from where it belongs, near the left end), or that would
 * have to go round the right end, waits until all have moved.  Slots are picked up some at a time, without a jump for those
 * that are empty, which no processor can foresee. */
static bool move_slots(qb_table *table, uint64_t size, late_list *late) {
    uint64_t *const slots = table->slots, picked[MOVED_AT_ONCE];
    for (uint64_t end = table->size, begin; end > 0; end = begin) {
        uint32_t n = 0;
        begin = end < MOVED_AT_ONCE ? 0 : end - MOVED_AT_ONCE;
        for (uint64_t i = begin; i < end; i++) {
            picked[n] = slots[i];
            n += slots[i] != 0;
        }
        memset(slots + begin, 0, (end - begin) * sizeof *slots);
        while (n-- > 0) {
            uint64_t at = qb_home_in(picked[n], size, table->bits);
            bool waits = at < begin;
            while (!waits && slots[at] != 0) waits = ++at == size;
            if (!waits) slots[at] = picked[n];
            else if (!put_off(late, picked[n])) return false;
        }
    }
    for (uint64_t k = 0; k < late->n; k++) {
        uint64_t at = qb_home_in(late->slots[k], size, table->bits);
        while (slots[at] != 0)
            if (++at == size) at = 0;
        slots[at] = late->slots[k];
    }
    return true;
}

uint64_t qb_table_growth(const qb_table *table, uint64_t room) {
    uint64_t size = size_for(table, room);
    return size == 0 ? UINT64_MAX / (2 * QB_WIDE_TABLES) : (size - table->size) * sizeof(uint64_t);
}

bool qb_table_grow(qb_table *table, uint64_t room) {
    uint64_t size = size_for(table, room);
    if (size == table->size || size == 0) return size != 0;
    if (table->size * sizeof(uint64_t) < HUGE_FROM && size * sizeof(uint64_t) >= HUGE_FROM)
        qb_use_huge_pages(table->slots, bytes_of_room(table));
    late_list late = {NULL, 0, 0};
    table->broken = !move_slots(table, size, &late);
    free(late.slots);
    table->size = size;
    return !table->broken;
}

/* Many tables are asked only now and then: then they get room for more. */
bool qb_store_grow(qb_store *store, uint64_t room, uint64_t most_bytes) {
    const uint64_t bytes = bytes_of_states(store), more = room * qb_state_bytes(store);
    if (store->n + room > store->capacity || (store->n + room) * 8ull * store->words > store->arena_bytes) return false;
    if (store->n + room <= store->sure_until) return bytes + store->slot_bytes + more <= most_bytes;
    const uint64_t slack = store->wide ? SURE : 0;
    uint64_t growth = 0;
    for (uint32_t k = 0; k < store->table_count; k++) growth += qb_table_growth(&store->tables[k], room + slack);
    store->slot_bytes = bytes_of_tables(store);
    if (bytes + store->slot_bytes + (growth < more ? more : growth) > most_bytes) return false;
    for (uint32_t k = 0; k < store->table_count && growth > 0; k++)
        if (!qb_table_grow(&store->tables[k], room + slack)) return false;
    store->slot_bytes += growth;
    store->sure_until = store->wide ? store->n + room + slack : 0;
    return true;
}

bool qb_store_add(qb_store *store, const uint64_t *s, uint64_t hash, uint64_t parent) {
    if (store->bits != NULL) {
        if (!qb_set_bits(store, hash)) return false;
        qb_append(store, s, parent, store->words, false);
        return true;
    }
    qb_table *table = qb_table_for(store, hash);
    uint64_t home = qb_home_in(hash, table->size, table->bits);
    return store->compact ? qb_insert_hash(store, table, s, hash, parent, store->words, home)
                          : qb_insert_in(store, table, s, hash, parent, store->words, home, table->bits, store->odd);
}
