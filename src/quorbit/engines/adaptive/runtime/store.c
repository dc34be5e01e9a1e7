#include "store.h"

#include <stdlib.h>
#include <string.h>

#define COARSEST 0 /* the number of the coarsest partition */

bool make_room(void **array, uint64_t size, uint64_t count, uint64_t *room) {
    if (count < *room)
        return true;
    uint64_t wanted = 2 * *room + 64;
    void *bigger = realloc(*array, wanted * size);
    if (bigger == NULL)
        return false;
    *array = bigger;
    *room = wanted;
    return true;
}

static bool make_room32(void **array, uint64_t size, uint32_t count, uint32_t *room) {
    uint64_t wide = *room;
    bool made = make_room(array, size, count, &wide) && wide < NOTHING;
    *room = (uint32_t)wide;
    return made;
}

bool store_open(Store *store, uint32_t n, bool depth_first, bool level_safe, bool forget) {
    *store = (Store){.depth_first = depth_first, .level_safe = level_safe, .forget = forget};
    if (!cells_open(&store->cells, n))
        return false;
    uint32_t words = store->cells.bit_words;
    store->key = malloc((n + 3) * sizeof *store->key);
    store->other = malloc((n + 3) * sizeof *store->other);
    store->mixed = malloc((words + 1) * sizeof *store->mixed);
    store->mixed_other = malloc((words + 1) * sizeof *store->mixed_other);
    return store->key != NULL && store->other != NULL && store->mixed != NULL && store->mixed_other != NULL;
}

void store_free(Store *store) {
    cells_free(&store->cells);
    table_free(&store->keys);
    table_free(&store->totals);
    free(store->nodes);
    free(store->groups);
    free(store->listed);
    free(store->rules);
    free(store->stack);
    free(store->key);
    free(store->other);
    free(store->mixed);
    free(store->mixed_other);
}

uint64_t store_bytes(const Store *store) {
    return table_bytes(&store->keys) + table_bytes(&store->totals) + store->node_room * sizeof(Node) +
           store->group_room * sizeof(Group) + store->listed_room * sizeof(Listed) +
           store->rules_room * sizeof(uint32_t) + store->stack_room * sizeof(uint32_t);
}

static bool crosses(Store *store, const uint64_t *mixed, uint32_t q, uint32_t p) {
    const uint64_t *bits = crossing(&store->cells, q, p);
    for (uint32_t k = 0; bits != NULL && k < store->cells.bit_words; k++)
        if (mixed[k] & bits[k])
            return true;
    return bits == NULL;
}

/* Requires: store->key holds the node's key and store->mixed its mixed cells. */
static bool is_subsumed(Store *store, const Group *group, uint32_t q, uint32_t length) {
    uint32_t *key = store->other;
    key[0] = store->key[0];
    for (uint32_t k = group->annotations; k != NOTHING; k = store->listed[k].next) {
        uint32_t p = store->listed[k].partition;
        if (p == q) {
            if (table_find(&store->keys, store->key, length + 2) != NOTHING)
                return true;
        } else if (!crosses(store, store->mixed, q, p)) {
            key[1] = p;
            uint32_t found = project(&store->cells, q, store->key + 2, p, key + 2);
            if (found != NOTHING && table_find(&store->keys, key, found + 2) != NOTHING)
                return true;
        }
    }
    return false;
}

static void leave_waiting(Store *store, uint32_t node) {
    Node *here = &store->nodes[node];
    if (here->previous != NOTHING)
        store->nodes[here->previous].next = here->next;
    else
        store->groups[here->group].waiting = here->next;
    if (here->next != NOTHING)
        store->nodes[here->next].previous = here->previous;
}

/* Line 3 of Algorithm 2: what the new state subsumes need not be explored; of an earlier level it must be, so that what
 * follows from it is found in time. */
static void drop_subsumed(Store *store, const Group *group, uint32_t p, uint32_t length, uint32_t depth) {
    uint32_t least = store->level_safe ? depth : 0;
    for (uint32_t k = group->waiting, next; k != NOTHING; k = next) {
        Node *node = &store->nodes[k];
        next = node->next;
        const uint32_t *key = node_key(store, k);
        if (node->depth < least || key[1] == p)
            continue;
        mixed_cells(&store->cells, key + 2, node_length(store, k), store->mixed_other);
        if (crosses(store, store->mixed_other, key[1], p))
            continue;
        uint32_t found = project(&store->cells, key[1], key + 2, p, store->other + 2);
        if (found != length || memcmp(store->other + 2, store->key + 2, length * sizeof *key) != 0)
            continue;
        leave_waiting(store, k);
        node->stage = DROPPED;
        store->dropped++;
        if (store->forget) {
            node->forgotten = true;
            store->reached--;
        }
    }
}

static uint32_t group_of(Store *store, uint32_t shared, uint32_t p, const uint32_t *words) {
    store->other[0] = shared;
    uint32_t length = project(&store->cells, p, words, COARSEST, store->other + 1);
    if (length == NOTHING)
        return NOTHING;
    uint32_t group = table_find(&store->totals, store->other, length + 1);
    if (group != NOTHING)
        return group;
    if (!make_room32((void **)&store->groups, sizeof *store->groups, store->totals.count, &store->group_room))
        return NOTHING;
    group = table_add(&store->totals, store->other, length + 1, 0);
    if (group != NOTHING)
        store->groups[group] = (Group){NOTHING, NOTHING, NOTHING};
    return group;
}

static bool list_annotation(Store *store, Group *group, uint32_t p) {
    for (uint32_t k = group->annotations; k != NOTHING; k = store->listed[k].next)
        if (store->listed[k].partition == p)
            return true;
    if (!make_room32((void **)&store->listed, sizeof *store->listed, store->listed_count, &store->listed_room))
        return false;
    store->listed[store->listed_count] = (Listed){p, group->annotations};
    group->annotations = store->listed_count++;
    return true;
}

int store_add(Store *store, uint32_t shared, uint32_t p, const uint32_t *words, uint32_t length, uint32_t depth,
              uint32_t parent, uint32_t edge, uint32_t *node) {
    uint32_t g = group_of(store, shared, p, words);
    if (g == NOTHING)
        return -1;
    store->key[0] = shared;
    store->key[1] = p;
    memcpy(store->key + 2, words, length * sizeof *words);
    mixed_cells(&store->cells, words, length, store->mixed);
    if (is_subsumed(store, &store->groups[g], p, length))
        return 0;
    drop_subsumed(store, &store->groups[g], p, length, depth);
    if (!make_room32((void **)&store->nodes, sizeof *store->nodes, store->keys.count, &store->node_room) ||
        !make_room32((void **)&store->stack, sizeof *store->stack, store->stack_count, &store->stack_room) ||
        !list_annotation(store, &store->groups[g], p))
        return -1;
    uint32_t number = table_add(&store->keys, store->key, length + 2, 0);
    if (number == NOTHING)
        return -1;
    Group *group = &store->groups[g];
    store->nodes[number] = (Node){g, parent, edge, depth, group->waiting, NOTHING, WAITING, false};
    if (group->waiting != NOTHING)
        store->nodes[group->waiting].previous = number;
    group->waiting = number;
    if (store->depth_first)
        store->stack[store->stack_count++] = number;
    store->reached++;
    *node = number;
    return 1;
}

uint32_t store_next(Store *store) {
    while (store->depth_first ? store->stack_count > 0 : store->cursor < store->keys.count) {
        uint32_t node = store->depth_first ? store->stack[--store->stack_count] : store->cursor++;
        if (store->nodes[node].stage == WAITING) {
            leave_waiting(store, node);
            store->nodes[node].stage = EXPANDED;
            return node;
        }
    }
    return NOTHING;
}
