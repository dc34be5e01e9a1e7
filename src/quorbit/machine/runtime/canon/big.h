/* Whole numbers of a fixed number of words, the lowest first: orders of groups. */
#ifndef QB_BIG_H
#define QB_BIG_H

#include <stdint.h>

static inline void qb_big_set(uint64_t *a, uint64_t value, uint32_t limbs) {
    for (uint32_t k = 0; k < limbs; k++) a[k] = k == 0 ? value : 0;
}

static inline void qb_big_add(uint64_t *a, const uint64_t *b, uint32_t limbs) {
    __extension__ typedef unsigned __int128 wide;
    wide carry = 0;
    for (uint32_t k = 0; k < limbs; k++) {
        carry += (wide)a[k] + b[k];
        a[k] = (uint64_t)carry;
        carry >>= 64;
    }
}

static inline void qb_big_multiply(uint64_t *a, uint64_t factor, uint32_t limbs) {
    __extension__ typedef unsigned __int128 wide;
    wide carry = 0;
    for (uint32_t k = 0; k < limbs; k++) {
        carry += (wide)a[k] * factor;
        a[k] = (uint64_t)carry;
        carry >>= 64;
    }
}

#endif
