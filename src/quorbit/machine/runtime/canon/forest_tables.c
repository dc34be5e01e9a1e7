/* The tables of a forest (forest.h). */
#include "colour.h"
#include "forest.h"

#include <stdlib.h>

#define MOST_MEANINGS (1u << 14)
#define SELF 0x5bd1e9955bd1e995ull
#define FIRST 0xd6e8feb86659fd93ull
#define SECOND 0xa0761d6478bd642full

typedef struct {
    const qb_plan *plan;
    const int64_t *table;
    uint64_t count, at;
    bool good;
} reading;

static uint32_t take(reading *in, uint64_t below) {
    if (in->at >= in->count || in->table[in->at] < 0 || (uint64_t)in->table[in->at] >= below) {
        in->good = false;
        return 0;
    }
    return (uint32_t)in->table[in->at++];
}

static bool can_stand_for(const qb_plan *p, int32_t a, int32_t b) {
    uint32_t from = p->run_starts[a], to = p->run_starts[b], n = p->run_starts[a + 1] - from;
    if (p->run_starts[b + 1] - to != n) return false;
    for (uint32_t k = 0; k < n; k++)
        if (p->runs[from + k].width != p->runs[to + k].width) return false;
    return true;
}

static void take_units(reading *in, qb_forest *f) {
    const qb_plan *p = in->plan;
    uint32_t at = 0, runs = 0;
    for (uint32_t u = 0; u < f->unit_count && in->good; u++) {
        const uint32_t n = take(in, p->atoms + 1u), class = take(in, p->atoms);
        f->first_colours[u] = qb_scramble(class + 77u);
        f->starts[u] = at;
        f->run_starts[u] = runs;
        if (at + n > p->atoms) in->good = false;
        for (uint32_t k = 0; k < n && in->good; k++) {
            const uint32_t a = take(in, p->atoms);
            f->atoms[at++] = (int32_t)a;
            for (uint32_t j = p->run_starts[a]; in->good && j < p->run_starts[a + 1]; j++) {
                if (runs == p->run_count) in->good = false;
                else f->runs[runs++] = p->runs[j];
            }
        }
        f->starts[u + 1] = at;
        f->run_starts[u + 1] = runs;
    }
}

static bool are_alike(const qb_plan *p, const qb_forest *f, uint32_t u, uint32_t v) {
    const uint32_t n = f->starts[u + 1] - f->starts[u];
    if (f->starts[v + 1] - f->starts[v] != n) return false;
    for (uint32_t k = 0; k < n; k++)
        if (!can_stand_for(p, f->atoms[f->starts[u] + k], f->atoms[f->starts[v] + k])) return false;
    return true;
}

static void take_sets(reading *in, qb_forest *f) {
    uint32_t at = 0;
    const uint32_t room = f->unit_count * f->set_count;
    for (uint32_t k = 0; k < f->set_count && in->good; k++) {
        qb_siblings *set = &f->sets[k];
        set->columns = take(in, f->unit_count + 1u);
        set->width = take(in, f->unit_count + 1u);
        set->first = at;
        if (set->columns == 0 || set->width == 0 || set->columns * set->width > f->unit_count || at > room) in->good = false;
        uint64_t seen = 0;
        for (uint32_t j = 0; in->good && j < set->columns * set->width; j++) {
            const uint32_t u = take(in, f->unit_count);
            if (!in->good || seen >> u & 1 || !are_alike(in->plan, f, u, j < set->width ? u : f->members[at - set->width])) {
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
    const uint32_t n = f->unit_count;
    for (uint32_t k = 0; k < f->block_count; k++) {
        const qb_block *b = &f->blocks[k];
        for (uint32_t i = 0; i < b->count; i++)
            for (uint32_t j = 0; j < b->count; j++) f->levels[f->members[b->first + i] * n + f->members[b->first + j]]++;
    }
    for (uint32_t k = 0; k < f->block_count; k++) {
        qb_block *b = &f->blocks[k];
        uint32_t level = UINT32_MAX;
        for (uint32_t i = 1; i < b->count; i++) {
            const uint32_t shared = f->levels[f->members[b->first] * n + f->members[b->first + i]];
            level = shared < level ? shared : level;
        }
        b->label = qb_scramble(level + 0x51ull);
    }
}

/* What references mean. */

typedef struct {
    uint32_t *unit_of, *row_of; /* of each atom; unit_count for those that stay */
} places;

static uint32_t level_of(const qb_forest *f, uint32_t u, uint32_t v) { return f->levels[u * f->unit_count + v]; }

static qb_meaning meaning_of(const qb_plan *p, const qb_forest *f, const places *l, const qb_cell *c, uint64_t label,
                             uint32_t owner, uint64_t code) {
    const uint32_t nobody = f->unit_count;
    const int64_t to = (int64_t)code + c->low;
    qb_meaning m = {0, 0, 0, nobody, 0, 0};
    if (to < 0 || to >= (int64_t)p->atoms) return m;
    const uint32_t target = l->unit_of[to];
    if (target == nobody) {
        m.said = owner == nobody ? 0 : qb_scramble(label ^ qb_scramble((uint64_t)to + 1));
        return m;
    }
    label = qb_scramble(label + l->row_of[to]);
    if (owner == target) {
        m.said = qb_scramble(label ^ SELF);
        return m;
    }
    m.target = target;
    m.told = label * SECOND;
    if (owner == nobody) return m;
    m.level = (uint16_t)level_of(f, owner, target);
    m.label = label = qb_scramble(label ^ m.level);
    m.said = label * FIRST;
    m.told = label * SECOND;
    m.joins = 1;
    return m;
}

static uint64_t label_of(const qb_cell *c, const qb_forest *f, const places *l, uint32_t *owner) {
    uint64_t label = qb_scramble(c->kind + 1u);
    *owner = f->unit_count;
    if (c->owner_count == 0 || c->owners[0] < 0) return label;
    *owner = l->unit_of[c->owners[0]];
    return qb_scramble(label ^ (*owner == f->unit_count ? ~(uint64_t)c->owners[0] : l->row_of[c->owners[0]]));
}

static bool add_pointer(const qb_plan *p, qb_forest *f, const places *l, const qb_cell *c, uint32_t *room) {
    qb_pointer *x = &f->pointers[f->pointer_count++];
    const bool queued = c->length >= 0;
    uint32_t owner;
    const uint64_t label = label_of(c, f, l, &owner);
    *x = (qb_pointer){c->field, queued ? p->lengths[c->length] : c->field, ~0ull >> (64 - c->field.width),
                      queued ? c->slot + 1 : 0, *room, owner};
    if (c->field.width > 12 || *room + x->mask + 2 > MOST_MEANINGS) return false;
    f->meanings[(*room)++] = (qb_meaning){0, 0, 0, f->unit_count, 0, 0};
    for (uint64_t code = 0; code <= x->mask; code++)
        f->meanings[(*room)++] = meaning_of(p, f, l, c, label, owner, code);
    return true;
}

static bool add_bond(qb_forest *f, const places *l, const qb_cell *c) {
    if (c->owner_count != 2 || c->owners[0] < 0 || c->owners[1] < 0) return false;
    uint32_t a = l->unit_of[c->owners[0]], b = l->unit_of[c->owners[1]];
    const uint32_t nobody = f->unit_count;
    if (a == nobody && b == nobody) return true;
    uint64_t label = qb_scramble(c->kind + 1u);
    for (uint32_t k = 0; k < 2; k++) {
        const int32_t x = c->owners[k];
        label = qb_scramble(label ^ (l->unit_of[x] == nobody ? ~(uint64_t)x : l->row_of[x]));
    }
    if (a == b) { /* rows of one unit, or one atom twice: told from pairs of different units */
        label = qb_scramble(label ^ SELF);
        b = nobody;
    } else if (a == nobody) {
        a = b;
        b = nobody;
    }
    const uint32_t level = b == nobody ? 0 : level_of(f, a, b);
    f->bonds[f->bond_count++] = (qb_bond){c->field, qb_scramble(label ^ level), a, b, level};
    return true;
}

static bool add_cells(const qb_plan *p, qb_forest *f, const places *l) {
    uint32_t room = 0;
    for (uint32_t k = 0; k < p->cell_count; k++) {
        const qb_cell *c = &p->cells[k];
        if (c->is_atom == QB_IS_VALUE || (c->is_atom && c->owner_count > 1)) return false;
        if (!(c->is_atom ? add_pointer(p, f, l, c, &room) : add_bond(f, l, c))) return false;
    }
    return true;
}

static bool make_cells(const qb_plan *p, qb_forest *f) {
    places l = {calloc(p->atoms, sizeof *l.unit_of), calloc(p->atoms, sizeof *l.row_of)};
    bool good = l.unit_of != NULL && l.row_of != NULL;
    for (uint32_t a = 0; good && a < p->atoms; a++) l.unit_of[a] = f->unit_count;
    for (uint32_t u = 0; good && u < f->unit_count; u++)
        for (uint32_t k = f->starts[u]; k < f->starts[u + 1]; k++) {
            good = good && l.unit_of[f->atoms[k]] == f->unit_count; /* in one unit only */
            l.unit_of[f->atoms[k]] = u;
            l.row_of[f->atoms[k]] = k - f->starts[u];
        }
    good = good && add_cells(p, f, &l);
    free(l.unit_of);
    free(l.row_of);
    return good;
}

static bool open_room(const qb_plan *p, qb_forest *f) {
    const uint64_t n = f->unit_count;
    f->starts = calloc(n + 1, sizeof *f->starts);
    f->atoms = calloc(p->atoms, sizeof *f->atoms);
    f->run_starts = calloc(n + 1, sizeof *f->run_starts);
    f->runs = calloc(p->run_count + 1u, sizeof *f->runs);
    f->first_colours = calloc(n + 1, sizeof *f->first_colours);
    f->sets = calloc(f->set_count + 1u, sizeof *f->sets);
    f->members = calloc(n * (f->set_count + 1), sizeof *f->members);
    f->twins = calloc(n + 1, sizeof *f->twins);
    f->blocks = calloc(n * (f->set_count + 1), sizeof *f->blocks);
    f->levels = calloc(n * n + 1, sizeof *f->levels);
    f->pointers = calloc(p->cell_count + 1u, sizeof *f->pointers);
    f->meanings = calloc(MOST_MEANINGS, sizeof *f->meanings);
    f->bonds = calloc(p->cell_count + 1u, sizeof *f->bonds);
    f->links = calloc(p->cell_count + 1u, sizeof *f->links);
    f->at = calloc(n + 1, sizeof *f->at);
    f->sums = calloc(n + 1, sizeof *f->sums);
    for (uint64_t u = 0; f->twins != NULL && u < n; u++) f->twins[u] = -1;
    return f->starts && f->atoms && f->run_starts && f->runs && f->first_colours && f->sets && f->members && f->twins &&
           f->blocks && f->levels && f->pointers && f->meanings && f->bonds && f->links && f->at && f->sums;
}

qb_forest *qb_forest_open(const qb_plan *plan, const int64_t *table, uint64_t count, uint64_t *taken) {
    reading in = {plan, table, count, 0, true};
    qb_forest *f = calloc(1, sizeof *f);
    if (f == NULL) return NULL;
    f->unit_count = take(&in, QB_MOST_UNITS + 1);
    f->set_count = take(&in, QB_MOST_UNITS + 1);
    if (!in.good || !open_room(plan, f)) {
        qb_forest_close(f);
        return NULL;
    }
    take_units(&in, f);
    if (in.good) take_sets(&in, f);
    if (in.good) find_levels(f);
    if (!in.good || !make_cells(plan, f)) {
        qb_forest_close(f);
        return NULL;
    }
    *taken = in.at;
    return f;
}

void qb_forest_close(qb_forest *f) {
    if (f == NULL) return;
    free(f->starts);
    free(f->atoms);
    free(f->run_starts);
    free(f->runs);
    free(f->first_colours);
    free(f->sets);
    free(f->members);
    free(f->twins);
    free(f->blocks);
    free(f->levels);
    free(f->pointers);
    free(f->meanings);
    free(f->bonds);
    free(f->links);
    free(f->at);
    free(f->sums);
    free(f);
}
