/* Eight numbers in order, by a network of exchanges: how they lie costs nothing to guess wrong. */
#ifndef QB_EIGHT_H
#define QB_EIGHT_H

#include <stdint.h>

#define QB_EXCHANGE(i, j)                      \
    do {                                    \
        const uint64_t a = x##i, b = x##j;  \
        x##i = a < b ? a : b;               \
        x##j = a < b ? b : a;               \
    } while (0)

/* x := the same numbers, least first. */
static inline void qb_sort_eight(uint64_t *x) {
    uint64_t x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];
    QB_EXCHANGE(0, 2); QB_EXCHANGE(1, 3); QB_EXCHANGE(4, 6); QB_EXCHANGE(5, 7);
    QB_EXCHANGE(0, 4); QB_EXCHANGE(1, 5); QB_EXCHANGE(2, 6); QB_EXCHANGE(3, 7);
    QB_EXCHANGE(0, 1); QB_EXCHANGE(2, 3); QB_EXCHANGE(4, 5); QB_EXCHANGE(6, 7);
    QB_EXCHANGE(2, 4); QB_EXCHANGE(3, 5);
    QB_EXCHANGE(1, 4); QB_EXCHANGE(3, 6);
    QB_EXCHANGE(1, 2); QB_EXCHANGE(3, 4); QB_EXCHANGE(5, 6);
    x[0] = x0, x[1] = x1, x[2] = x2, x[3] = x3, x[4] = x4, x[5] = x5, x[6] = x6, x[7] = x7;
}

#endif
