/* The hash and the order of states that all processes share (structure.h). */
#include "structure.h"

#include <stdlib.h>

bool qb_structure_open(qb_structure *x, uint32_t words, qb_values *values, const qb_field *fields, uint32_t field_count) {
    *x = (qb_structure){.words = words, .field_count = field_count, .values = values};
    x->fields = malloc((field_count + 1ull) * sizeof *x->fields);
    x->plain = malloc(words * sizeof *x->plain);
    x->scratch = malloc(words * sizeof *x->scratch);
    if (x->fields == NULL || x->plain == NULL || x->scratch == NULL) return false;
    for (uint32_t i = 0; i < words; i++) x->plain[i] = UINT64_MAX;
    for (uint32_t k = 0; k < field_count; k++) {
        x->fields[k] = fields[k];
        if (fields[k].width != 32 || fields[k].word >= words || fields[k].shift > 32 || values == NULL) return false;
        x->plain[fields[k].word] &= ~((uint64_t)0xffffffffu << fields[k].shift);
    }
    return true;
}

void qb_structure_close(qb_structure *x) {
    free(x->fields);
    free(x->plain);
    free(x->scratch);
    free(x->hashes);
    *x = (qb_structure){0};
}

/* Values. */

static bool make_room(qb_structure *x, uint32_t value) {
    if (value < x->hash_room) return true;
    uint64_t room = 2 * (value + 512ull);
    uint64_t *more = realloc(x->hashes, room * sizeof *more);
    if (more == NULL) return false;
    memset(more + x->hash_room, 0, (room - x->hash_room) * sizeof *more);
    x->hashes = more;
    x->hash_room = room;
    return true;
}

static uint64_t hash_value(qb_structure *x, uint32_t value);

/* The elements of a set come in the order of their numbers, so that their hashes are added. */
static uint64_t hash_node(qb_structure *x, uint32_t kind, const int64_t *parts, uint64_t count) {
    uint64_t h = qb_mix(count ^ 0x9e3779b97f4a7c15ull, kind + 0xc2b2ae3d27d4eb4full);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t part = kind == QB_INTEGER ? (uint64_t)parts[k] : hash_value(x, (uint32_t)parts[k]);
        part = qb_mix(part ^ 0xd6e8feb86659fd93ull, 0xe7037ed1a0b428dbull) + part;
        h = kind == QB_SET ? h + part : qb_mix(h ^ part, 0x589965cc75374cc3ull) + h;
    }
    return qb_mix(h ^ 0x8ebc6af09c88c6e3ull, 0x9e3779b97f4a7c15ull) | 1; /* never 0 */
}

static uint64_t hash_value(qb_structure *x, uint32_t value) {
    if (value < x->hash_room && x->hashes[value] != 0) return x->hashes[value];
    int64_t few[16], *parts = few;
    uint32_t kind = QB_INTEGER;
    uint64_t count = qb_value_parts(x->values, value, &kind, few, 16);
    if (count > 16) {
        parts = malloc(count * sizeof *parts);
        if (parts != NULL) qb_value_parts(x->values, value, &kind, parts, count);
    }
    uint64_t h = parts == NULL ? 1 : hash_node(x, kind, parts, count);
    if (parts == NULL || !make_room(x, value)) x->failed = true;
    else x->hashes[value] = h;
    if (parts != few) free(parts);
    return h;
}

/* States. */

uint64_t qb_structural_hash(qb_structure *x, const uint64_t *s) {
    if (x->field_count == 0) return qb_hash(s, x->words);
    for (uint32_t i = 0; i < x->words; i++) x->scratch[i] = s[i] & x->plain[i];
    uint64_t h = qb_hash(x->scratch, x->words), place = 0x9e3779b97f4a7c15ull;
    for (uint32_t k = 0; k < x->field_count; k++, place += 0xc2b2ae3d27d4eb4full)
        h += qb_mix(hash_value(x, qb_value_in(s, x->fields[k])) ^ place, (place << 1) ^ 0xe7037ed1a0b428dbull);
    return qb_mix(h ^ 0x589965cc75374cc3ull, 0x8ebc6af09c88c6e3ull);
}

int qb_structural_order(const qb_structure *x, const uint64_t *a, const uint64_t *b) {
    for (uint32_t i = 0; i < x->words; i++) {
        uint64_t v = a[i] & x->plain[i], w = b[i] & x->plain[i];
        if (v != w) return v < w ? -1 : 1;
    }
    for (uint32_t k = 0; k < x->field_count; k++) {
        int order = qb_compare_values(x->values, qb_value_in(a, x->fields[k]), qb_value_in(b, x->fields[k]));
        if (order != 0) return order;
    }
    return 0;
}
