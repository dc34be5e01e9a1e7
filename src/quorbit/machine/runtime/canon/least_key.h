/* The least of many keys of 16 bits, eight to a vector, and where it is. */
#ifndef QB_LEAST_KEY_H
#define QB_LEAST_KEY_H

#include <stdint.h>

typedef int16_t qb_eight __attribute__((vector_size(16)));

static inline qb_eight qb_lesser(qb_eight a, qb_eight b) {
    qb_eight is_less = a < b;
    return (a & is_less) | (b & ~is_less);
}

static inline int16_t qb_least_of(qb_eight x) {
    const int16_t a = x[0] < x[1] ? x[0] : x[1], b = x[2] < x[3] ? x[2] : x[3];
    const int16_t c = x[4] < x[5] ? x[4] : x[5], d = x[6] < x[7] ? x[6] : x[7];
    const int16_t e = a < b ? a : b, f = c < d ? c : d;
    return e < f ? e : f;
}

/* A bit for each number that is the least one: number 0 and 4 in the lowest byte, and so on. */
static inline uint64_t qb_equal_ones(qb_eight x, int16_t least) {
    const qb_eight all = {least, least, least, least, least, least, least, least};
    typedef uint64_t two __attribute__((vector_size(16)));
    const two same = (two)(x == all);
    return (same[0] & 0x1000100010001ull) | (same[1] & 0x1000100010001ull) << 4;
}

/* Which number the lowest of these bits stands for. */
static inline uint32_t qb_number_of(uint64_t bits) {
    const uint32_t at = (uint32_t)__builtin_ctzll(bits);
    return at / 16 + (at & 4);
}

#endif
