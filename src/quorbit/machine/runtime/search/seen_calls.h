/* The calls seen from one state: a small hash set of (target, call) records, emptied for every state.  Slots hold the
 * number of the round they were filled in, so that emptying costs nothing. */
#ifndef QB_CALLS_H
#define QB_CALLS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t stride;
    uint64_t round, source, n, capacity, size;
    uint64_t *slots; /* round << 32 | record + 1 */
    uint64_t *records;
    uint32_t at, labels, most; /* the word of a record that is its label; of one label no more than so many are new */
    uint32_t *taken;           /* how many of each label were new from this source; NULL: they are not counted */
    uint64_t left_out;         /* 1 + the label of a call that was one too many */
} qb_calls;

bool qb_calls_open(qb_calls *calls, uint32_t stride);
/* Take no more than so many calls of one label from one state: the others are as if seen before. */
bool qb_calls_limit(qb_calls *calls, uint32_t at, uint32_t labels, uint32_t most);
void qb_calls_close(qb_calls *calls);
/* 1: new from this source; 0: seen before; -1: no memory. */
int qb_calls_add(qb_calls *calls, uint64_t source, const uint64_t *record);

#endif
