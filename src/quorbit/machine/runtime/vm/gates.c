#include "gates.h"

#include <string.h>

static inline uint64_t edge_value(const uint64_t *v, uint32_t edge) { return v[edge >> 1] ^ (0 - (uint64_t)(edge & 1)); }

static inline uint64_t bit_at(const uint64_t *s, uint32_t place) { return s[place >> 6] >> (place & 63) & 1; }

static uint64_t total(const qb_gates *g) {
    return 1ull + g->bits + g->state_nodes + g->columns + g->mixed_nodes;
}

static bool are_below(const uint32_t *edges, uint64_t count, uint64_t first, uint32_t per_node) {
    for (uint64_t k = 0; k < count; k++)
        if ((edges[k] >> 1) >= first + k / per_node) return false;
    return true;
}

static bool are_numbers(const uint32_t *edges, uint64_t count, uint64_t end) {
    for (uint64_t k = 0; k < count; k++)
        if ((edges[k] >> 1) >= end) return false;
    return true;
}

static bool are_places(const uint32_t *places, uint64_t count, uint32_t words) {
    for (uint64_t k = 0; k < count; k++)
        if (places[k] >= 64ull * words) return false;
    return true;
}

bool qb_gates_sound(const qb_program *p) {
    const qb_gates *g = p->gates;
    uint64_t of_state = 1ull + g->bits, mixed = of_state + g->state_nodes + g->columns;
    if (total(g) > p->registers || p->call_words != 0 || (g->choices + 63ull) / 64 != g->blocks ||
        g->symmetry_count > QB_MOST_GATE_SYMMETRIES)
        return false;
    for (uint32_t k = 0; k < g->symmetry_count; k++)
        if ((uint64_t)g->symmetries[k].first + g->symmetries[k].count > g->pair_count) return false;
    return are_places(g->places, g->bits, p->words) && are_places(g->pairs, 2ull * g->pair_count, p->words) &&
           are_below(g->state_edges, 2ull * g->state_nodes, of_state, 2) &&
           are_below(g->mixed_edges, 2ull * g->mixed_nodes, mixed, 2) && are_numbers(g->next, g->bits, total(g)) &&
           are_numbers(&g->guard, 1, total(g)) &&
           are_numbers(g->conditions, g->condition_count, of_state + g->state_nodes);
}

static void conjoin(uint64_t *v, uint64_t first, uint64_t count, const uint32_t *edges) {
    for (uint64_t k = 0; k < count; k++) v[first + k] = edge_value(v, edges[2 * k]) & edge_value(v, edges[2 * k + 1]);
}

/* What the state alone decides: all ones or none. */
static void read_state(const qb_gates *g, const uint64_t *s, uint64_t *v) {
    v[0] = 0;
    for (uint32_t i = 0; i < g->bits; i++) v[1 + i] = 0 - bit_at(s, g->places[i]);
    conjoin(v, 1ull + g->bits, g->state_nodes, g->state_edges);
}

static bool is_fixed(const qb_gates *g, const qb_gate_symmetry *y, const uint64_t *s) {
    const uint32_t *pair = g->pairs + 2ull * y->first;
    for (uint32_t k = 0; k < y->count; k++, pair += 2)
        if (bit_at(s, pair[0]) != bit_at(s, pair[1])) return false;
    return true;
}

/* The symmetries that fix the state; how many. */
static uint32_t find_fixed(const qb_gates *g, const uint64_t *s, uint64_t *noted) {
    uint32_t count = 0;
    for (uint32_t k = 0; k < g->symmetry_count; k++)
        if (is_fixed(g, &g->symmetries[k], s)) noted[count++] = k;
    return count;
}

static uint64_t wanted_of(const qb_gates *g, uint32_t block, const uint64_t *fixed, uint32_t fixed_count) {
    uint32_t left = g->choices - 64 * block;
    uint64_t wanted = left >= 64 ? ~0ull : (1ull << left) - 1;
    for (uint32_t k = 0; k < fixed_count && wanted != 0; k++) wanted &= ~g->symmetries[fixed[k]].spared[block];
    return wanted;
}

/* Change a bit in the records of some choices of a block; where there is no room a choice has none. */
static void change(uint64_t chosen, uint32_t place, uint64_t *const *records) {
    uint64_t bit = 1ull << (place & 63);
    for (; chosen != 0; chosen &= chosen - 1) {
        uint64_t *record = records[__builtin_ctzll(chosen)];
        if (record != NULL) record[place >> 6] ^= bit;
    }
}

/* The records of the choices of a block, in their order. */
static void write_block(const qb_program *p, const uint64_t *s, const uint64_t *v, uint64_t chosen, qb_sink *sink) {
    const qb_gates *g = p->gates;
    uint64_t *records[64];
    bool any = false;
    for (uint64_t rest = chosen; rest != 0; rest &= rest - 1) {
        uint64_t k = sink->n++ - sink->skip;
        uint64_t *record = k < sink->capacity ? sink->records + k * p->words : NULL;
        records[__builtin_ctzll(rest)] = record;
        if (record == NULL) continue;
        memcpy(record, s, p->words * sizeof *s);
        sink->metas[k] = 0;
        any = true;
    }
    if (!any) return;
    for (uint32_t i = 0; i < g->bits; i++) change((edge_value(v, g->next[i]) ^ v[1 + i]) & chosen, g->places[i], records);
}

int64_t qb_gates_next(const qb_program *p, const uint64_t *s, qb_sink *sink) {
    const qb_gates *g = p->gates;
    uint64_t *v = (uint64_t *)sink->registers;
    uint64_t columns = 1ull + g->bits + g->state_nodes, mixed = columns + g->columns;
    uint64_t fixed[QB_MOST_GATE_SYMMETRIES];
    read_state(g, s, v);
    uint32_t fixed_count = find_fixed(g, s, fixed);
    for (uint32_t block = 0; block < g->blocks; block++) {
        uint64_t wanted = wanted_of(g, block, fixed, fixed_count);
        if (wanted == 0) continue;
        for (uint32_t k = 0; k < g->columns; k++) v[columns + k] = g->values[(uint64_t)k * g->blocks + block];
        conjoin(v, mixed, g->mixed_nodes, g->mixed_edges);
        write_block(p, s, v, wanted & edge_value(v, g->guard), sink);
        if (sink->n - sink->skip > sink->capacity && sink->stop != NULL && *sink->stop) return QB_HALTED;
    }
    return 0;
}

int64_t qb_gates_check(const qb_program *p, const uint64_t *s, int64_t *registers) {
    const qb_gates *g = p->gates;
    uint64_t *v = (uint64_t *)registers;
    read_state(g, s, v);
    int64_t broken = 0;
    for (uint32_t k = 0; k < g->condition_count; k++) broken += edge_value(v, g->conditions[k]) == 0;
    return broken;
}
