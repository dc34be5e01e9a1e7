/* Units of atoms (units.h): their tables, and looking at a state. */
#include "units.h"

#include "colour.h"
#include "store.h"

#include <stdlib.h>

#define MOST_MEANINGS (1u << 14)
#define SELF 0x5bd1e9955bd1e995ull
#define FIRST 0xd6e8feb86659fd93ull
#define SECOND 0xa0761d6478bd642full

uint32_t qb_take_number(qb_unit_reading *in, uint64_t below) {
    if (in->at >= in->count || in->table[in->at] < 0 || (uint64_t)in->table[in->at] >= below) {
        in->good = false;
        return 0;
    }
    return (uint32_t)in->table[in->at++];
}

static bool open_room(const qb_plan *p, qb_units *u) {
    const uint64_t n = u->count;
    u->starts = calloc(n + 1, sizeof *u->starts);
    u->atoms = calloc(p->atoms, sizeof *u->atoms);
    u->run_starts = calloc(n + 1, sizeof *u->run_starts);
    u->runs = calloc(p->run_count + 1u, sizeof *u->runs);
    u->first_colours = calloc(n + 1, sizeof *u->first_colours);
    u->levels = calloc(n * n + 1, sizeof *u->levels);
    u->pointers = calloc(p->cell_count + 1u, sizeof *u->pointers);
    u->meanings = calloc(MOST_MEANINGS, sizeof *u->meanings);
    u->bonds = calloc(p->cell_count + 1u, sizeof *u->bonds);
    u->links = calloc(p->cell_count + 1u, sizeof *u->links);
    return u->starts && u->atoms && u->run_starts && u->runs && u->first_colours && u->levels && u->pointers &&
           u->meanings && u->bonds && u->links;
}

void qb_units_close(qb_units *u) {
    free(u->starts);
    free(u->atoms);
    free(u->run_starts);
    free(u->runs);
    free(u->first_colours);
    free(u->levels);
    free(u->pointers);
    free(u->meanings);
    free(u->bonds);
    free(u->links);
}

bool qb_units_take(qb_unit_reading *in, qb_units *units) {
    const qb_plan *p = in->plan;
    uint32_t at = 0, runs = 0;
    if (!open_room(p, units)) return false;
    for (uint32_t u = 0; u < units->count && in->good; u++) {
        const uint32_t n = qb_take_number(in, p->atoms + 1u), class = qb_take_number(in, p->atoms);
        units->first_colours[u] = qb_scramble(class + 77u);
        units->starts[u] = at;
        units->run_starts[u] = runs;
        if (at + n > p->atoms) in->good = false;
        for (uint32_t k = 0; k < n && in->good; k++) {
            const uint32_t a = qb_take_number(in, p->atoms);
            units->atoms[at++] = (int32_t)a;
            for (uint32_t j = p->run_starts[a]; in->good && j < p->run_starts[a + 1]; j++) {
                if (runs == p->run_count) in->good = false;
                else units->runs[runs++] = p->runs[j];
            }
        }
        units->starts[u + 1] = at;
        units->run_starts[u + 1] = runs;
    }
    return in->good;
}

bool qb_units_are_alike(const qb_units *units, const qb_plan *p, uint32_t u, uint32_t v) {
    const uint32_t n = units->starts[u + 1] - units->starts[u];
    if (units->starts[v + 1] - units->starts[v] != n) return false;
    for (uint32_t k = 0; k < n; k++)
        if (!qb_can_stand_for(p, units->atoms[units->starts[u] + k], units->atoms[units->starts[v] + k])) return false;
    return true;
}

/* What references mean. */

typedef struct {
    uint32_t *unit_of, *row_of; /* of each atom; the count of units for those that stay */
} places;

static uint32_t level_of(const qb_units *u, uint32_t a, uint32_t b) { return u->levels[a * u->count + b]; }

static qb_meaning meaning_of(const qb_plan *p, const qb_units *u, const places *l, const qb_cell *c, uint64_t label,
                             uint32_t owner, uint64_t code) {
    const uint32_t nobody = u->count;
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
    m.level = (uint16_t)level_of(u, owner, target);
    m.label = label = qb_scramble(label ^ m.level);
    m.said = label * FIRST;
    m.told = label * SECOND;
    m.joins = 1;
    return m;
}

static uint64_t label_of(const qb_cell *c, const qb_units *u, const places *l, uint32_t *owner) {
    uint64_t label = qb_scramble(c->kind + 1u);
    *owner = u->count;
    if (c->owner_count == 0 || c->owners[0] < 0) return label;
    *owner = l->unit_of[c->owners[0]];
    return qb_scramble(label ^ (*owner == u->count ? ~(uint64_t)c->owners[0] : l->row_of[c->owners[0]]));
}

static bool add_pointer(const qb_plan *p, qb_units *u, const places *l, const qb_cell *c, uint32_t *room) {
    qb_pointer *x = &u->pointers[u->pointer_count++];
    const bool queued = c->length >= 0;
    uint32_t owner;
    const uint64_t label = label_of(c, u, l, &owner);
    *x = (qb_pointer){c->field, queued ? p->lengths[c->length] : c->field, ~0ull >> (64 - c->field.width),
                      queued ? c->slot + 1 : 0, *room, owner};
    if (c->field.width > 12 || *room + x->mask + 2 > MOST_MEANINGS) return false;
    u->meanings[(*room)++] = (qb_meaning){0, 0, 0, u->count, 0, 0};
    for (uint64_t code = 0; code <= x->mask; code++)
        u->meanings[(*room)++] = meaning_of(p, u, l, c, label, owner, code);
    return true;
}

static bool add_bond(qb_units *u, const places *l, const qb_cell *c) {
    if (c->owner_count != 2 || c->owners[0] < 0 || c->owners[1] < 0) return false;
    uint32_t a = l->unit_of[c->owners[0]], b = l->unit_of[c->owners[1]];
    const uint32_t nobody = u->count;
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
    const uint32_t level = b == nobody ? 0 : level_of(u, a, b);
    u->bonds[u->bond_count++] = (qb_bond){c->field, qb_scramble(label ^ level), a, b, level};
    return true;
}

static bool add_cells(const qb_plan *p, qb_units *u, const places *l) {
    uint32_t room = 0;
    for (uint32_t k = 0; k < p->cell_count; k++) {
        const qb_cell *c = &p->cells[k];
        if (c->is_atom == QB_IS_VALUE || (c->is_atom && c->owner_count > 1)) return false;
        if (!(c->is_atom ? add_pointer(p, u, l, c, &room) : add_bond(u, l, c))) return false;
    }
    return true;
}

bool qb_units_read_cells(qb_units *units, const qb_plan *p) {
    places l = {calloc(p->atoms, sizeof *l.unit_of), calloc(p->atoms, sizeof *l.row_of)};
    bool good = l.unit_of != NULL && l.row_of != NULL;
    for (uint32_t a = 0; good && a < p->atoms; a++) l.unit_of[a] = units->count;
    for (uint32_t u = 0; good && u < units->count; u++)
        for (uint32_t k = units->starts[u]; k < units->starts[u + 1]; k++) {
            good = good && l.unit_of[units->atoms[k]] == units->count; /* in one unit only */
            l.unit_of[units->atoms[k]] = u;
            l.row_of[units->atoms[k]] = k - units->starts[u];
        }
    good = good && add_cells(p, units, &l);
    free(l.unit_of);
    free(l.row_of);
    return good;
}

/* Looking at a state. */

static void look_at_bonds(qb_units *u, const uint64_t *s, uint64_t *colours, uint32_t n) {
    for (const qb_bond *x = u->bonds; x < u->bonds + u->bond_count; x++) {
        const uint64_t code = qb_get(s, x->field);
        if (code == 0) continue; /* the zeroes of a family are what its other values leave over */
        const uint64_t label = qb_scramble(x->label ^ code);
        if (x->b == u->count) {
            colours[x->a] += label;
            continue;
        }
        colours[x->a] += label * FIRST;
        colours[x->b] += label * SECOND;
        u->links[n++] = (qb_link){label, x->a, x->b, x->level};
    }
    u->link_count = n;
}

void qb_units_look(qb_units *units, const uint64_t *s, uint64_t *colours) {
    uint32_t n = 0;
    for (uint32_t u = 0; u < units->count; u++) {
        uint64_t h = units->first_colours[u];
        for (const qb_field *x = units->runs + units->run_starts[u], *end = units->runs + units->run_starts[u + 1]; x < end; x++)
            h = qb_mix(h ^ qb_get(s, *x), SELF);
        colours[u] = h * FIRST;
    }
    for (const qb_pointer *x = units->pointers; x < units->pointers + units->pointer_count; x++) {
        const uint64_t code = (s[x->field.word] >> x->field.shift & x->mask) + 1;
        const bool is_full = x->need == 0 || qb_get(s, x->length) >= x->need;
        const qb_meaning *m = &units->meanings[x->entries + (is_full ? code : 0)];
        colours[x->owner] += m->said;
        colours[m->target] += m->told;
        units->links[n] = (qb_link){m->label, x->owner, m->target, m->level};
        n += m->joins;
    }
    units->link_count = n;
    if (units->bond_count > 0) look_at_bonds(units, s, colours, n);
    for (uint32_t u = 0; u < units->count; u++) colours[u] &= -QB_COLOUR_STEP;
}
