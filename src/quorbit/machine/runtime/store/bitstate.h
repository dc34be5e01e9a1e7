/* A set of states as an array of bits: three for each state, where its hash says; a state whose bits are all set counts as
 * known [G. Holzmann, An analysis of bitstate hashing, 1998].  States can be taken for known ones that are not.  When a share
 * p of the bits is set, a new state is lost with probability p^3; so behind each state that was found there are about
 * p^3 / (1 - p^3) that were lost, and the sum of these is kept. */
#ifndef QB_BITSTATE_H
#define QB_BITSTATE_H

#include "store.h"

#define QB_BITS 3u

static inline uint64_t qb_bit_place(uint64_t hash, uint32_t k, uint64_t count) {
    __extension__ typedef unsigned __int128 wide;
    const uint64_t x = k == 0 ? hash : qb_mix(hash ^ 0x9e3779b97f4a7c15ull, k == 1 ? 0xe7037ed1a0b428dbull : 0x8ebc6af09c88c6e3ull);
    return (uint64_t)((wide)x * count >> 64);
}

static inline void qb_prefetch_bits(const qb_store *store, uint64_t hash) {
    for (uint32_t k = 0; k < QB_BITS; k++) __builtin_prefetch(&store->bits[qb_bit_place(hash, k, store->bit_count) / 64]);
}

/* true: one of them was not set. */
static inline bool qb_set_bits(qb_store *store, uint64_t hash) {
    uint64_t before = store->ones;
    for (uint32_t k = 0; k < QB_BITS; k++) {
        const uint64_t at = qb_bit_place(hash, k, store->bit_count), bit = 1ull << (at % 64);
        store->ones += (store->bits[at / 64] & bit) == 0;
        store->bits[at / 64] |= bit;
    }
    if (store->ones == before) return false;
    const double share = (double)before / (double)store->bit_count, lost = share * share * share;
    store->lost += lost / (1 - lost);
    return true;
}

#endif
