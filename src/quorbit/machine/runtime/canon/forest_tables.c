/* The tables of a forest (forest.h). */
#include "colour.h"
#include "forest.h"

#include <stdlib.h>

static void take_sets(qb_unit_reading *in, qb_forest *f) {
    uint32_t at = 0;
    const uint32_t room = f->units.count * f->set_count;
    for (uint32_t k = 0; k < f->set_count && in->good; k++) {
        qb_siblings *set = &f->sets[k];
        set->columns = qb_take_number(in, f->units.count + 1u);
        set->width = qb_take_number(in, f->units.count + 1u);
        set->first = at;
        if (set->columns == 0 || set->width == 0 || set->columns * set->width > f->units.count || at > room) in->good = false;
        uint64_t seen = 0;
        for (uint32_t j = 0; in->good && j < set->columns * set->width; j++) {
            const uint32_t u = qb_take_number(in, f->units.count), earlier = j < set->width ? u : f->members[at - set->width];
            if (!in->good || seen >> u & 1 || !qb_units_are_alike(&f->units, in->plan, u, earlier)) {
                in->good = false;
                return;
            }
            seen |= 1ull << u;
            f->members[at++] = u;
            if (set->width == 1) f->twins[u] = (int32_t)k;
        }
        for (uint32_t j = 0; in->good && set->width > 1 && j < set->columns; j++)
            f->blocks[f->block_count++] = (qb_block){set->first + j * set->width, set->width, 0};
    }
}

/* Blocks lie inside each other or apart; the label of one tells how deep it lies. */
static void find_levels(qb_forest *f) {
    const uint32_t n = f->units.count;
    for (uint32_t k = 0; k < f->block_count; k++) {
        const uint32_t *members = f->members + f->blocks[k].first, size = f->blocks[k].count;
        for (uint32_t i = 0; i < size; i++)
            for (uint32_t j = 0; j < size; j++) f->units.levels[members[i] * n + members[j]]++;
    }
    for (uint32_t k = 0; k < f->block_count; k++) {
        qb_block *b = &f->blocks[k];
        uint32_t level = UINT32_MAX;
        for (uint32_t i = 1; i < b->count; i++) {
            const uint32_t shared = f->units.levels[f->members[b->first] * n + f->members[b->first + i]];
            level = shared < level ? shared : level;
        }
        b->label = qb_scramble(level + 0x51ull);
    }
}

static bool open_room(qb_forest *f) {
    const uint64_t n = f->units.count;
    f->sets = calloc(f->set_count + 1u, sizeof *f->sets);
    f->members = calloc(n * (f->set_count + 1), sizeof *f->members);
    f->twins = calloc(n + 1, sizeof *f->twins);
    f->blocks = calloc(n * (f->set_count + 1), sizeof *f->blocks);
    f->at = calloc(n + 1, sizeof *f->at);
    f->sums = calloc(n + 1, sizeof *f->sums);
    for (uint64_t u = 0; f->twins != NULL && u < n; u++) f->twins[u] = -1;
    return f->sets && f->members && f->twins && f->blocks && f->at && f->sums;
}

qb_forest *qb_forest_open(const qb_plan *plan, const int64_t *table, uint64_t count, uint64_t *taken) {
    qb_unit_reading in = {plan, table, count, 0, true};
    qb_forest *f = calloc(1, sizeof *f);
    if (f == NULL) return NULL;
    f->units.count = qb_take_number(&in, QB_MOST_UNITS + 1);
    f->set_count = qb_take_number(&in, QB_MOST_UNITS + 1);
    bool good = in.good && open_room(f) && qb_units_take(&in, &f->units);
    if (good) take_sets(&in, f);
    if (good && in.good) find_levels(f);
    if (!good || !in.good || !qb_units_read_cells(&f->units, plan)) {
        qb_forest_close(f);
        return NULL;
    }
    *taken = in.at;
    return f;
}

void qb_forest_close(qb_forest *f) {
    if (f == NULL) return;
    qb_units_close(&f->units);
    free(f->sets);
    free(f->members);
    free(f->twins);
    free(f->blocks);
    free(f->at);
    free(f->sums);
    free(f);
}
