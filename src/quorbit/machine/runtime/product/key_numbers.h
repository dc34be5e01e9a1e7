/* Keys of equal length, numbered in the order of their first appearance. */
#ifndef QB_NAMES_H
#define QB_NAMES_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
    uint32_t length; /* of a key, in words of 32 bits */
    uint64_t n, capacity, size;
    uint32_t *keys, *slots; /* slots: number + 1, or 0 */
} qb_names;

bool qb_names_open(qb_names *names, uint32_t length);
void qb_names_close(qb_names *names);
int64_t qb_name_of(qb_names *names, const uint32_t *key); /* its number, or -1 if there is no memory */

#endif
