/* Squeezed states (squeeze.h). */
#include "squeeze.h"

#include <stdlib.h>
#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#endif

#ifndef QB_MANY
#define QB_MANY ((uint64_t)1 << 18) /* states from which on whole bytes are taken for a bit: the next bit is likely to follow */
#endif
#ifndef QB_SPARE_WORK
#define QB_SPARE_WORK ((uint64_t)1 << 20) /* states squeezed anew, beyond two for each state stored */
#endif

/* Gathering and scattering bits. */

static uint64_t gather_slowly(uint64_t word, uint64_t mask) {
    uint64_t out = 0;
    uint32_t at = 0;
    while (mask != 0) { /* one stretch of set bits after the other */
        uint32_t shift = (uint32_t)__builtin_ctzll(mask);
        uint64_t rest = ~(mask >> shift);
        uint32_t width = rest == 0 ? 64 : (uint32_t)__builtin_ctzll(rest);
        uint64_t ones = width == 64 ? ~0ull : (1ull << width) - 1;
        out |= (word >> shift & ones) << at;
        at += width;
        mask &= ~(ones << shift);
    }
    return out;
}

static uint64_t scatter_slowly(uint64_t bits, uint64_t mask) {
    uint64_t out = 0;
    while (mask != 0) {
        uint32_t shift = (uint32_t)__builtin_ctzll(mask);
        uint64_t rest = ~(mask >> shift);
        uint32_t width = rest == 0 ? 64 : (uint32_t)__builtin_ctzll(rest);
        uint64_t ones = width == 64 ? ~0ull : (1ull << width) - 1;
        out |= (bits & ones) << shift;
        bits = width == 64 ? 0 : bits >> width;
        mask &= ~(ones << shift);
    }
    return out;
}

/* The same loops with either way to move bits. */
#define SQUEEZE(gather) \
    for (uint64_t k = 0; k < count; k++, out += words, states += stride) { \
        for (uint32_t i = 0; i < words; i++) out[i] = 0; \
        for (uint32_t i = 0; i < q->flat; i++) { \
            if (q->varies[i] == 0) continue; \
            uint64_t bits = gather(states[i], q->varies[i]); \
            uint32_t word = q->offsets[i] >> 6, shift = q->offsets[i] & 63; \
            out[word] |= bits << shift; \
            if (shift != 0 && bits >> (64 - shift) != 0) out[word + 1] |= bits >> (64 - shift); \
        } \
    }

#define UNSQUEEZE(scatter) \
    for (uint32_t i = 0; i < q->flat; i++) { \
        uint64_t mask = q->varies[i]; \
        if (mask == 0) { \
            flat[i] = q->base[i]; \
            continue; \
        } \
        uint32_t word = q->offsets[i] >> 6, shift = q->offsets[i] & 63; \
        uint64_t bits = squeezed[word] >> shift; \
        if (shift != 0 && (uint32_t)__builtin_popcountll(mask) > 64 - shift) bits |= squeezed[word + 1] << (64 - shift); \
        flat[i] = (q->base[i] & ~mask) | scatter(bits, mask); \
    }

#if defined(__x86_64__) && defined(__GNUC__) && !defined(QB_SLOW_BITS)
__attribute__((target("bmi2,popcnt"))) static void squeeze_fast(const qb_squeeze *q, uint32_t words, const uint64_t *states,
                                                        uint32_t stride, uint64_t count, uint64_t *out) {
    SQUEEZE(__builtin_ia32_pext_di)
}

__attribute__((target("bmi2,popcnt"))) static void unsqueeze_fast(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat) {
    UNSQUEEZE(__builtin_ia32_pdep_di)
}

/* Asked of the processor itself: __builtin_cpu_supports needs a symbol of the compiler's library, which not every linker
 * can place in a shared object. */
static bool is_fast(void) {
    unsigned a, b, c, d;
    const bool counts = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_POPCNT);
    return counts && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_BMI2);
}
#else
static bool is_fast(void) { return false; }
static void squeeze_slowly(const qb_squeeze *q, uint32_t words, const uint64_t *states, uint32_t stride, uint64_t count,
                           uint64_t *out);
static void unsqueeze_slowly(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat);
#define squeeze_fast squeeze_slowly
#define unsqueeze_fast unsqueeze_slowly
#endif

static void squeeze_slowly(const qb_squeeze *q, uint32_t words, const uint64_t *states, uint32_t stride, uint64_t count,
                           uint64_t *out) {
    SQUEEZE(gather_slowly)
}

static void unsqueeze_slowly(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat) { UNSQUEEZE(scatter_slowly) }

void qb_squeeze_states(const qb_squeeze *q, uint32_t words, const uint64_t *states, uint32_t stride, uint64_t count,
                       uint64_t *out) {
    if (q->fast) squeeze_fast(q, words, states, stride, count, out);
    else squeeze_slowly(q, words, states, stride, count, out);
}

void qb_unsqueeze(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat) {
    if (q->fast) unsqueeze_fast(q, squeezed, flat);
    else unsqueeze_slowly(q, squeezed, flat);
}

/* Opening. */

qb_squeeze *qb_squeeze_open(uint32_t flat) {
    qb_squeeze *q = calloc(1, sizeof *q);
    if (q == NULL) return NULL;
    q->flat = flat;
    q->fast = is_fast();
    q->base = calloc(flat, sizeof *q->base);
    q->varies = calloc(flat, sizeof *q->varies);
    q->offsets = calloc(flat, sizeof *q->offsets);
    q->one = calloc(flat, sizeof *q->one);
    q->other = calloc(flat, sizeof *q->other);
    q->seen = calloc(flat, sizeof *q->seen);
    if (q->base && q->varies && q->offsets && q->one && q->other && q->seen) return q;
    qb_squeeze_close(q);
    return NULL;
}

void qb_squeeze_close(qb_squeeze *q) {
    if (q == NULL) return;
    free(q->base);
    free(q->varies);
    free(q->offsets);
    free(q->one);
    free(q->other);
    free(q->seen);
    free(q);
}

/* Halves of words, as many as bits need.  Where the first half of a word is not its lower one, words are kept whole. */
static void take_halves(uint32_t bits, uint32_t *words, bool *odd) {
    const uint32_t halves = bits == 0 ? 1 : (bits + 31) / 32;
    *words = (halves + 1) / 2;
    *odd = halves % 2 == 1 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

void qb_squeeze_begin(qb_store *store) { take_halves(0, &store->words, &store->odd); }

/* Other bits. */

/* The bits in which states differ from the first one and that the squeezed form has no room for. */
static bool find_new_bits(qb_squeeze *q, const uint64_t *states, uint32_t stride, uint64_t count) {
    for (uint32_t i = 0; i < q->flat; i++) q->seen[i] = 0;
    for (uint64_t k = 0; k < count; k++, states += stride)
        for (uint32_t i = 0; i < q->flat; i++) q->seen[i] |= states[i] ^ q->base[i];
    uint64_t some = 0;
    for (uint32_t i = 0; i < q->flat; i++) some |= q->seen[i] &= ~q->varies[i];
    return some != 0;
}

static uint64_t whole_bytes(uint64_t bits) {
    uint64_t out = 0;
    for (uint32_t k = 0; k < 64; k += 8)
        if (bits >> k & 0xff) out |= 0xffull << k;
    return out;
}

/* The bits that vary from now on: how many. */
static uint32_t take_bits(qb_squeeze *q, uint64_t n) {
    const bool all = q->work > 2 * n + QB_SPARE_WORK;
    uint32_t bits = 0;
    for (uint32_t i = 0; i < q->flat; i++) {
        q->varies[i] |= all ? ~0ull : n >= QB_MANY ? whole_bytes(q->seen[i]) : q->seen[i];
        q->offsets[i] = bits;
        bits += (uint32_t)__builtin_popcountll(q->varies[i]);
    }
    q->whole = (bits + 63) / 64 >= q->flat;
    for (uint32_t i = 0; q->whole && i < q->flat; i++) {
        q->varies[i] = ~0ull;
        q->offsets[i] = 64 * i;
    }
    return q->whole ? 64 * q->flat : bits;
}

/* Every state to its new place, the last one first: no place is left of the old one. */
static void squeeze_anew(qb_store *store, const qb_squeeze *old, uint32_t words, bool odd) {
    qb_squeeze *q = store->squeeze;
    for (uint64_t k = store->n; k-- > 0;) {
        qb_unsqueeze(old, qb_at(store, k, store->words, store->odd), q->one);
        qb_squeeze_states(q, words, q->one, q->flat, 1, q->other);
        memcpy(qb_at(store, k, words, odd), q->other, 4 * (2ull * words - odd));
    }
    q->work += store->n;
    store->words = words;
    store->odd = odd;
}

static void fill_tables(qb_store *store) {
    for (uint32_t k = 0; k < store->table_count; k++)
        memset(store->tables[k].slots, 0, store->tables[k].size * sizeof *store->tables[k].slots);
    for (uint32_t k = 0; k < store->table_count; k++) store->tables[k].n = 0;
    uint64_t *s = store->squeeze->other;
    s[store->words - 1] = 0;
    for (uint64_t k = 0; k < store->n; k++) {
        memcpy(s, qb_at(store, k, store->words, store->odd), qb_state_bytes(store));
        uint64_t hash = qb_hash(s, store->words);
        qb_table *table = qb_table_for(store, hash);
        uint64_t at = qb_home_in(hash, table->size, table->bits);
        while (table->slots[at] != 0)
            if (++at == table->size) at = 0;
        table->slots[at] = qb_slot(hash, k, table->bits);
        table->n++;
    }
    store->sure_until = 0;
}

int qb_squeeze_admit(qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t most_bytes) {
    qb_squeeze *q = store->squeeze;
    if (count == 0 || q->whole) return 1;
    if (store->n == 0 && q->work == 0) {
        qb_copy(q->base, states, q->flat);
        q->work = 1;
    }
    if (!find_new_bits(q, states, stride, count)) return 1;
    qb_squeeze old = *q;
    uint64_t *varies = malloc(q->flat * sizeof *varies);
    uint32_t *offsets = malloc(q->flat * sizeof *offsets);
    if (varies == NULL || offsets == NULL) {
        free(varies);
        free(offsets);
        return 0;
    }
    memcpy(varies, q->varies, q->flat * sizeof *varies);
    memcpy(offsets, q->offsets, q->flat * sizeof *offsets);
    old.varies = varies;
    old.offsets = offsets;
    uint32_t words;
    bool odd;
    take_halves(take_bits(q, store->n), &words, &odd);
    const uint64_t bytes = qb_store_bytes(store) + (4 * (2ull * words - odd) - qb_state_bytes(store)) * store->n;
    const bool fits = bytes <= most_bytes && (store->n + 1) * 8ull * words <= store->arena_bytes;
    if (fits) {
        squeeze_anew(store, &old, words, odd);
        fill_tables(store);
    } else { /* as it was */
        q->whole = false;
        memcpy(q->varies, varies, q->flat * sizeof *varies);
        memcpy(q->offsets, offsets, q->flat * sizeof *offsets);
    }
    free(varies);
    free(offsets);
    return fits ? 2 : 0;
}
