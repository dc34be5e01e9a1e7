/* Parents of states (parents.h). */
#include "parents.h"

#include "memory.h"

#include <string.h>

static uint64_t bytes_of_bits(const qb_parents *p) { return p->capacity / 4 + 64; }
static uint64_t bytes_of_marks(const qb_parents *p) { return (p->capacity / QB_MARKED + 2) * sizeof *p->marks; }

bool qb_parents_open(qb_parents *p, int kind, uint64_t capacity) {
    memset(p, 0, sizeof *p);
    p->kind = kind;
    p->capacity = capacity;
    if (kind == QB_PARENTS_NONE) return true;
    if (kind == QB_PARENTS_PLAIN) {
        p->plain = qb_reserve(capacity * sizeof *p->plain);
        return p->plain != NULL;
    }
    p->bits = qb_reserve(bytes_of_bits(p));
    p->marks = qb_reserve(bytes_of_marks(p));
    if (p->bits != NULL && p->marks != NULL) return true;
    qb_parents_close(p);
    return false;
}

void qb_parents_close(qb_parents *p) {
    qb_release(p->plain, p->capacity * sizeof *p->plain);
    qb_release(p->bits, bytes_of_bits(p));
    qb_release(p->marks, bytes_of_marks(p));
    memset(p, 0, sizeof *p);
    p->kind = QB_PARENTS_NONE;
}

/* Where the 1 of the k-th state with a parent is. */
static uint64_t place_of(const qb_parents *p, uint64_t k) {
    uint64_t at = p->marks[k / QB_MARKED], left = k % QB_MARKED, word = p->bits[at >> 6] & ~0ull << (at & 63);
    at >>= 6;
    for (uint64_t ones; (ones = (uint64_t)__builtin_popcountll(word)) <= left; word = p->bits[++at]) left -= ones;
    while (left-- > 0) word &= word - 1;
    return at << 6 | (uint64_t)__builtin_ctzll(word);
}

uint64_t qb_parent_of(const qb_parents *p, uint64_t number) {
    switch (p->kind) {
    case QB_PARENTS_PLAIN: return p->plain[number] == UINT32_MAX ? QB_NO_PARENT : p->plain[number];
    case QB_PARENTS_ORDERED: {
        const uint64_t k = number - p->first - p->roots;
        return number < p->first + p->roots ? QB_NO_PARENT : p->first + place_of(p, k) - k;
    }
    default: return QB_NO_PARENT;
    }
}

uint64_t qb_parents_bytes(const qb_parents *p, uint64_t states) {
    if (p->kind == QB_PARENTS_PLAIN) return states * sizeof *p->plain;
    return p->kind == QB_PARENTS_NONE ? 0 : (p->end + 7) / 8 + p->n / QB_MARKED * sizeof *p->marks;
}
