/* The tables of cosets (cosets.h). */
#include "colour.h"
#include "cosets.h"

#include <stdlib.h>

/* Where each element takes each unit; false: it takes units apart. */
static bool find_places(const qb_plan *p, const qb_units *u, qb_stage *stage) {
    uint32_t unit_of[QB_MOST_ATOMS];
    for (uint32_t a = 0; a < p->atoms; a++) unit_of[a] = u->count;
    for (uint32_t x = 0; x < u->count; x++)
        for (uint32_t k = u->starts[x]; k < u->starts[x + 1]; k++) unit_of[u->atoms[k]] = x;
    for (uint32_t j = 0; j < stage->count; j++) {
        const int32_t *g = stage->elements + (uint64_t)j * p->atoms;
        for (uint32_t x = 0; x < u->count; x++) {
            const uint32_t n = u->starts[x + 1] - u->starts[x];
            const uint32_t y = n == 0 ? u->count : unit_of[g[u->atoms[u->starts[x]]]];
            if (y == u->count || u->starts[y + 1] - u->starts[y] != n) return false;
            for (uint32_t k = 0; k < n; k++)
                if (g[u->atoms[u->starts[x] + k]] != u->atoms[u->starts[y] + k]) return false;
            stage->places[j * u->count + x] = (uint8_t)y;
            stage->moves[x] |= x != y;
        }
    }
    return true;
}

static uint32_t first_of(const uint8_t *orbits, uint32_t x) {
    while (orbits[x] != x) x = orbits[x];
    return x;
}

/* Join the orbits of the places under the elements of a stage. */
static void join_orbits(const qb_units *u, const qb_stage *stage, uint8_t *orbits) {
    for (uint32_t j = 0; j < stage->count * u->count; j++) {
        const uint32_t x = first_of(orbits, j % u->count), y = first_of(orbits, stage->places[j]);
        orbits[x > y ? x : y] = (uint8_t)(x > y ? y : x);
    }
}

static uint64_t number(uint32_t stage, uint32_t place, uint32_t end) {
    return qb_scramble(((uint64_t)stage << 32 | place << 1 | end) + 0x9e37u);
}

/* Requires: orbits under the later stages.  Elements that only fill a vector are the first one once more. */
static void weigh(const qb_units *u, uint32_t number_of_stage, qb_stage *stage, const uint8_t *orbits) {
    for (uint32_t x = 0; x < u->count; x++)
        for (uint32_t j = 0; j < stage->blocks * 8; j++) {
            const uint32_t y = first_of(orbits, stage->places[(j < stage->count ? j : 0) * u->count + x]);
            stage->weights[x * stage->blocks + j / 8][j % 8] = (uint16_t)(number(number_of_stage, y, 0) >> 48);
            stage->ends[x * stage->blocks + j / 8][j % 8] = (uint16_t)(number(number_of_stage, y, 1) >> 48);
        }
}

static bool open_stage(const qb_plan *p, const qb_units *u, qb_stage *stage) {
    stage->blocks = (stage->count + 31) / 32 * 4; /* four vectors are summed up together */
    const uint64_t bytes = (uint64_t)u->count * stage->blocks * sizeof(qb_keys);
    stage->places = calloc((uint64_t)stage->count * u->count, 1);
    stage->moves = calloc(u->count, 1);
    stage->weights = aligned_alloc(sizeof(qb_keys), bytes);
    stage->ends = aligned_alloc(sizeof(qb_keys), bytes);
    return stage->places && stage->moves && stage->weights && stage->ends && find_places(p, u, stage);
}

/* Which element of the first stage brings which unit to the base point: one for every unit of its class. */
static bool find_first(qb_cosets *c, uint32_t base, uint32_t class_start, uint32_t class_end) {
    const qb_stage *stage = &c->stages[0];
    for (uint32_t x = 0; x < c->units.count; x++) c->first[x] = -1;
    for (uint32_t j = 0; j < stage->count; j++)
        for (uint32_t x = 0; x < c->units.count; x++)
            if (stage->places[j * c->units.count + x] == base) c->first[x] = (int32_t)j;
    for (uint32_t x = class_start; x < class_end; x++)
        if (c->first[x] < 0) return false;
    return stage->count == class_end - class_start;
}

static void list_classes(qb_cosets *c) {
    const uint64_t *colours = c->units.first_colours;
    for (uint32_t x = 0; x < c->units.count; x++)
        if (x + 1 == c->units.count || colours[x] != colours[x + 1]) c->class_ends[c->class_count++] = x + 1;
}

static bool open_ways(qb_cosets *c) {
    uint64_t room = 1;
    for (uint32_t k = 0; k + 1 < c->stage_count && room <= QB_MOST_WAYS; k++) room *= c->stages[k].count;
    if (c->stage_count == 1) room = c->stages[0].count;
    if (room > QB_MOST_WAYS) return false;
    c->ways = calloc(room + 1, sizeof *c->ways);
    c->following = calloc(room + 1, sizeof *c->following);
    return c->ways != NULL && c->following != NULL;
}

static bool open_all(qb_cosets *c, const qb_plan *p, uint32_t base) {
    uint8_t orbits[QB_MOST_PLACES];
    for (uint32_t x = 0; x < QB_MOST_PLACES; x++) orbits[x] = (uint8_t)x;
    for (uint32_t x = 0; x < c->units.count; x++) {
        c->weights[x] = number(QB_MOST_STAGES, x, 0);
        c->ends[x] = number(QB_MOST_STAGES, x, 1);
    }
    for (uint32_t k = c->stage_count; k-- > 0;) {
        if (!open_stage(p, &c->units, &c->stages[k])) return false;
        weigh(&c->units, k, &c->stages[k], orbits);
        join_orbits(&c->units, &c->stages[k], orbits);
    }
    list_classes(c);
    uint32_t class = 0;
    while (c->class_ends[class] <= base) class++;
    return find_first(c, base, class == 0 ? 0 : c->class_ends[class - 1], c->class_ends[class]) && open_ways(c);
}

qb_cosets *qb_cosets_open(const qb_plan *plan, uint32_t stage_count, const uint32_t *counts, int32_t *const *elements,
                          const int64_t *table, uint64_t count, uint64_t *taken) {
    qb_unit_reading in = {plan, table, count, 0, stage_count > 0 && stage_count <= QB_MOST_STAGES};
    qb_cosets *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    c->units.count = qb_take_number(&in, QB_MOST_PLACES + 1);
    const uint32_t base = qb_take_number(&in, c->units.count);
    for (uint32_t k = 0; k < stage_count && in.good; k++) {
        if (counts[k] == 0 || counts[k] > QB_MOST_COSETS) in.good = false;
        c->stages[k] = (qb_stage){.count = counts[k], .elements = elements[k]};
    }
    c->stage_count = in.good ? stage_count : 0;
    if (!in.good || !qb_units_take(&in, &c->units) || !qb_units_read_cells(&c->units, plan) || !open_all(c, plan, base)) {
        qb_cosets_close(c);
        return NULL;
    }
    *taken = in.at;
    return c;
}

void qb_cosets_close(qb_cosets *c) {
    if (c == NULL) return;
    qb_units_close(&c->units);
    for (uint32_t k = 0; k < c->stage_count; k++) {
        free(c->stages[k].places);
        free(c->stages[k].moves);
        free(c->stages[k].weights);
        free(c->stages[k].ends);
    }
    free(c->ways);
    free(c->following);
    free(c);
}
