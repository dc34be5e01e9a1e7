/* Reached and Unexplored [W07, Algorithm 2].
 *
 * A node's key is its shared part, its annotation and its counters.  Nodes whose letters are permutations of each other
 * form a group, for only these can subsume one another; a node is subsumed if its counters, taken per cell of some
 * annotation of its group, are there. */
#ifndef QUORBIT_ADAPTIVE_STORE_H
#define QUORBIT_ADAPTIVE_STORE_H

#include "cells.h"
#include "table.h"

typedef enum { WAITING, EXPANDED, DROPPED } Stage;

typedef struct {
    uint32_t group, parent, edge, depth;
    uint32_t next, previous; /* in the group's list of waiting nodes */
    uint8_t stage;
    bool forgotten;
} Node;

typedef struct {
    uint32_t annotations; /* the first of a list in Store.listed */
    uint32_t waiting;     /* the first waiting node */
    uint32_t candidates;  /* where its list of rules begins in Store.rules; NOTHING: not known */
} Group;

typedef struct {
    uint32_t partition, next;
} Listed;

typedef struct {
    Cells cells;
    Table keys;   /* node by key: its number is that of the entry */
    Table totals; /* group by shared part and letters of each class */
    Node *nodes;
    uint32_t node_room;
    Group *groups;
    uint32_t group_room;
    Listed *listed;
    uint32_t listed_count, listed_room;
    uint32_t *rules; /* lists of candidates, each with its length before it */
    uint64_t rules_count, rules_room;
    uint32_t *stack; /* depth first: the unexplored nodes */
    uint32_t stack_count, stack_room;
    uint32_t cursor; /* breadth first: the next node to look at */
    uint64_t reached, dropped;
    uint32_t *key, *other;  /* scratch */
    uint64_t *mixed, *mixed_other;
    bool depth_first, level_safe, forget;
} Store;

bool store_open(Store *store, uint32_t n, bool depth_first, bool level_safe, bool forget);
void store_free(Store *store);
uint64_t store_bytes(const Store *store);

/* 1: the state is new and has number *node; 0: something subsumes it; -1: out of memory. */
int store_add(Store *store, uint32_t shared, uint32_t p, const uint32_t *words, uint32_t length, uint32_t depth,
              uint32_t parent, uint32_t edge, uint32_t *node);
/* The next unexplored node; NOTHING if there is none. */
uint32_t store_next(Store *store);

static inline const uint32_t *node_key(const Store *store, uint32_t node) { return table_key(&store->keys, node); }
static inline uint32_t node_length(const Store *store, uint32_t node) { return store->keys.entries[node].length - 2; }

/* Make room for one more element in an array. */
bool make_room(void **array, uint64_t size, uint64_t count, uint64_t *room);

#endif
