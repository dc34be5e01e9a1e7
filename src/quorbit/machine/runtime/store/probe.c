/* Probing for many hashes (probe.h). */
#include "probe.h"

static void probe_in_turn(const qb_table *tables, uint32_t table_count, const uint64_t *hashes, uint64_t count, uint64_t *slots) {
    for (uint64_t k = 0; k < count; k++) qb_prefetch_slots(&tables[qb_owner(hashes[k], table_count)], hashes[k], QB_NARROW_BITS);
    for (uint64_t k = 0; k < count; k++) {
        const qb_table *const table = &tables[qb_owner(hashes[k], table_count)];
        slots[k] = qb_probe(table, hashes[k], qb_home(hashes[k], table->size));
    }
}

#if defined(__x86_64__) && defined(__GNUC__) && !defined(QB_SLOT_BY_SLOT)
#include <cpuid.h>
#include <immintrin.h>

#define TOGETHER 8u

_Static_assert(TOGETHER <= QB_SLOTS_AHEAD + 1, "slots behind the last one are read");

/* Bit k: slot k is empty or its tag fits. */
__attribute__((target("avx2"))) static inline uint32_t ends_of(const uint64_t *slots, __m256i hash) {
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)slots);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(slots + 4));
    const __m256i none = _mm256_setzero_si256(); /* the upper half of a slot is its tag */
    const __m256i x = _mm256_or_si256(_mm256_cmpeq_epi32(a, hash), _mm256_cmpeq_epi64(a, none));
    const __m256i y = _mm256_or_si256(_mm256_cmpeq_epi32(b, hash), _mm256_cmpeq_epi64(b, none));
    return (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(x)) | (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(y)) << 4;
}

__attribute__((target("avx2,bmi"))) static void probe_together(const qb_table *tables, uint32_t table_count, const uint64_t *hashes,
                                                               uint64_t count, uint64_t *slots) {
    for (uint64_t k = 0; k < count; k++) {
        const qb_table *const table = &tables[qb_owner(hashes[k], table_count)];
        const __m256i hash = _mm256_set1_epi64x((long long)hashes[k]);
        uint64_t at = qb_home(hashes[k], table->size);
        uint32_t ends;
        while ((ends = ends_of(table->slots + at, hash)) == 0)
            if ((at += TOGETHER) >= table->size) break;
        at += ends == 0 ? 0 : (uint32_t)__builtin_ctz(ends);
        slots[k] = at < table->size ? at : qb_probe(table, hashes[k], 0); /* round the end */
    }
}

/* See squeeze.c. */
bool qb_can_probe_together(void) {
    unsigned a, b, c, d, low, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE)) return false;
    __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & 6) == 6 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_AVX2) && (b & bit_BMI);
}
#else
bool qb_can_probe_together(void) { return false; }
#define probe_together probe_in_turn
#endif

void qb_probe_batch(const qb_table *tables, uint32_t table_count, const uint64_t *hashes, uint64_t count, uint64_t *slots) {
    if (tables->together) probe_together(tables, table_count, hashes, count, slots);
    else probe_in_turn(tables, table_count, hashes, count, slots);
}
