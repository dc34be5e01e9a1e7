/* Colours of atoms (colour.h). */
#include "colour.h"

#include "sorting_network.h"
#include "store.h"

#include <stdlib.h>

#define FEW 16u
#define ENOUGH 6u
#define MOST_ENTRY_BYTES (1u << 16)
#define SELF 0x5bd1e9955bd1e995ull
#define FIRST 0xd6e8feb86659fd93ull
#define SECOND 0xa0761d6478bd642full

static bool is_arrow(const qb_colouring *c, const qb_cell *cell) {
    if (cell->is_atom != QB_IS_ATOM || cell->owner_count > 1) return false;
    return cell->owner_count == 0 || cell->owners[0] < 0 || c->is_active[cell->owners[0]];
}

static void add_arrow(qb_colouring *c, uint32_t number) {
    const qb_cell *cell = &c->plan->cells[number];
    const uint64_t label = c->labels[number];
    const bool queued = cell->length >= 0;
    qb_arrow *arrow = &c->arrows[c->arrow_count++];
    *arrow = (qb_arrow){.field = cell->field, .length = queued ? c->plan->lengths[cell->length] : cell->field};
    arrow->low = cell->low;
    arrow->owner = cell->owner_count == 1 ? cell->owners[0] : -1;
    arrow->mask = ~0ull >> (64 - cell->field.width);
    arrow->need = queued ? cell->slot + 1 : 0;
    arrow->label = label;
    arrow->first = label * FIRST;
    arrow->second = label * SECOND;
    arrow->self = qb_scramble(label ^ SELF);
    if (queued) c->has_queues = true;
}

/* Weights that tell the kinds of arrows apart, if the sum of all that can meet in an atom is less than 256; else all alike. */
static uint32_t weight_of(const qb_colouring *c, const qb_arrow *arrow) {
    uint32_t sum = 0, found = 1;
    for (const qb_arrow *x = c->arrows + c->loose_count, *end = c->arrows + c->arrow_count; x < end; x++) {
        uint32_t same = 0;
        for (const qb_arrow *y = c->arrows + c->loose_count; y < end; y++)
            if (y->label == x->label && (same += 1) > 0 && y < x) same = 1u << 16; /* its kind was met before */
        if (same >= 1u << 16) continue;
        if (x->label == arrow->label) found = sum + 1;
        sum += same * (sum + 1);
        if (sum > 255) return 1;
    }
    return found;
}

static qb_entry entry_of(const qb_colouring *c, const qb_arrow *arrow, uint64_t code) {
    const int64_t to = (int64_t)code + arrow->low;
    if (to < 0 || to >= (int64_t)c->plan->atoms) return (qb_entry){0, 0, 0, 0};
    if (to == arrow->owner) return (qb_entry){arrow->self, 0, 0, 0};
    if (!c->is_active[to]) return (qb_entry){qb_scramble(arrow->label ^ qb_scramble((uint64_t)to + 1)), 0, 0, 0};
    const uint64_t lane = (uint64_t)weight_of(c, arrow) << 8 * (to & 7);
    return (qb_entry){arrow->first, to < 8 ? lane : 0, to < 8 ? 0 : lane, 1ull << to | 1ull << arrow->owner};
}

/* false: no memory. */
static bool make_entries(qb_colouring *c) {
    uint64_t room = 0;
    const uint32_t owned = c->arrow_count - c->loose_count;
    for (uint32_t k = c->loose_count; k < c->arrow_count; k++) room += c->arrows[k].mask + 2;
    if (c->plan->atoms > 16 || owned == 0 || owned > 255 || room * sizeof *c->entries > MOST_ENTRY_BYTES) return true;
    c->entries = calloc(room, sizeof *c->entries);
    uint32_t at = 0;
    for (uint32_t k = c->loose_count; c->entries != NULL && k < c->arrow_count; k++) {
        c->arrows[k].entries = at++;
        for (uint64_t code = 0; code <= c->arrows[k].mask; code++) c->entries[at++] = entry_of(c, &c->arrows[k], code);
    }
    return c->entries != NULL;
}

static void list_arrows(qb_colouring *c) {
    const qb_plan *p = c->plan;
    for (int32_t a = -1; a < (int32_t)p->atoms; a++) {
        for (uint32_t k = 0; k < p->cell_count; k++) {
            const qb_cell *cell = &p->cells[k];
            if (is_arrow(c, cell) && (cell->owner_count == 1 ? cell->owners[0] : -1) == a) add_arrow(c, k);
        }
        if (a < 0) c->loose_count = c->arrow_count;
    }
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (!is_arrow(c, &p->cells[k])) c->others[c->other_count++] = k;
}

bool qb_colouring_open(qb_colouring *c, const qb_plan *plan, const int32_t *active, uint32_t active_count,
                       const int32_t *orbitals, bool everyone) {
    *c = (qb_colouring){.plan = plan, .active = active, .active_count = active_count, .orbitals = orbitals};
    c->everyone = everyone;
    c->labels = calloc(plan->cell_count + 1u, sizeof *c->labels);
    c->pairs = calloc(plan->cell_count + 1u, sizeof *c->pairs);
    c->edges = calloc(plan->cell_count + 1u, sizeof *c->edges);
    c->values = calloc(plan->cell_count + 1u, sizeof *c->values);
    c->sums = calloc(plan->atoms, sizeof *c->sums);
    c->blank = calloc(plan->atoms, sizeof *c->blank);
    c->gathered = calloc(plan->atoms, sizeof *c->gathered);
    c->dense = calloc(plan->atoms, sizeof *c->dense);
    c->few_orbitals = true;
    for (uint32_t k = 1; k <= QB_MOST_SIZED; k++) c->shares[k] = 1.0 / k;
    for (uint64_t k = 0; orbitals != NULL && k < (uint64_t)active_count * active_count; k++)
        c->few_orbitals = c->few_orbitals && orbitals[k] >= 0 && orbitals[k] < 64;
    c->arrows = calloc(plan->cell_count + 1u, sizeof *c->arrows);
    c->others = calloc(plan->cell_count + 1u, sizeof *c->others);
    for (c->tally_mask = 64; c->tally_mask < 4 * plan->atoms;) c->tally_mask *= 2;
    c->tallies = calloc(c->tally_mask--, sizeof *c->tallies);
    c->joined = calloc(plan->atoms, sizeof *c->joined);
    c->is_active = calloc(plan->atoms, sizeof *c->is_active);
    c->is_joined = calloc(plan->atoms, sizeof *c->is_joined);
    if (!c->labels || !c->pairs || !c->edges || !c->sums || !c->dense || !c->gathered || !c->joined || !c->is_active ||
        !c->is_joined || !c->arrows || !c->others || !c->tallies || !c->values || !c->blank)
        return false;
    for (uint32_t k = 0; k < plan->cell_count; k++) c->labels[k] = qb_scramble(plan->cells[k].kind + 1u);
    for (uint32_t i = 0; i < active_count; i++) c->is_active[active[i]] = 1;
    list_arrows(c);
    return make_entries(c);
}

void qb_colouring_close(qb_colouring *c) {
    free(c->labels);
    free(c->pairs);
    free(c->edges);
    free(c->values);
    free(c->blank);
    free(c->sums);
    free(c->gathered);
    free(c->dense);
    free(c->arrows);
    free(c->entries);
    free(c->others);
    free(c->tallies);
    free(c->joined);
    free(c->is_active);
    free(c->is_joined);
}

/* Looking at a state. */

static inline void join(qb_colouring *c, int32_t a, uint64_t said, uint64_t *colours) {
    colours[a] += said;
    c->is_joined[a] = 1;
}

/* Two positions with the same label. */
static inline void look_at_pair(qb_colouring *c, uint64_t label, int32_t a, int32_t b, uint64_t *colours) {
    if (a == b) {
        colours[a] += qb_scramble(label ^ SELF);
        return;
    }
    bool first = c->is_active[a], second = c->is_active[b];
    if (first && second) {
        join(c, a, label * FIRST, colours);
        join(c, b, label * SECOND, colours);
        c->pairs[c->pair_count++] = (qb_pair){label, a, b};
    } else if (first) {
        colours[a] += qb_scramble(label ^ colours[b]);
    } else if (second) {
        colours[b] += qb_scramble(~label ^ colours[a]);
    }
}

/* Any number of positions. */
static void look_at_many(qb_colouring *c, const qb_cell *cell, uint64_t label, int32_t to, uint64_t *colours) {
    qb_edge e = {label, {-1, -1, -1, -1}, 0};
    for (uint32_t k = 0; k < cell->owner_count; k++) e.atoms[e.count++] = cell->owners[k];
    if (cell->is_atom) e.atoms[e.count++] = to;
    for (uint32_t k = 0; k < e.count; k++)
        if (e.atoms[k] >= 0 && c->is_active[e.atoms[k]])
            join(c, e.atoms[k], qb_scramble(label + k), colours);
    c->edges[c->edge_count++] = e;
}

static void note_atom(void *context, int32_t a) {
    qb_colouring *c = context;
    if ((uint32_t)a < c->plan->atoms) c->sums[a] |= 1;
}

/* Every atom in a value is told apart from those that are in none, by where it stands; `sums` is scratch here. */
static void look_at_value(qb_colouring *c, const qb_cell *cell, uint64_t label, const uint64_t *s, uint64_t *colours) {
    const qb_plan *p = c->plan;
    const uint32_t value = qb_cell_value(p, cell, s), form = (uint32_t)cell->low;
    memset(c->sums, 0, p->atoms * sizeof *c->sums);
    qb_value_atoms(p->values, form, value, note_atom, c);
    for (uint32_t i = 0; i < c->active_count; i++)
        if (c->sums[c->active[i]] != 0) join(c, c->active[i], 0, colours);
    memset(c->sums, 0, p->atoms * sizeof *c->sums);
    qb_value_say(p->values, form, value, c->blank, label, c->sums);
    for (uint32_t k = 0; k < cell->owner_count; k++) {
        int32_t a = cell->owners[k];
        if (a < 0 || !c->is_active[a]) continue;
        join(c, a, qb_scramble(label + k + qb_value_hash(p->values, form, value, c->blank)), colours);
    }
    for (uint32_t i = 0; i < c->active_count; i++) colours[c->active[i]] += c->sums[c->active[i]];
    c->values[c->value_count++] = (qb_said){label, cell, value};
}

static inline void look_at_cell(qb_colouring *c, uint32_t number, const uint64_t *s, uint64_t *colours) {
    const qb_cell *cell = &c->plan->cells[number];
    uint64_t label = c->labels[number];
    int32_t to = -1;
    if (cell->is_atom == QB_IS_VALUE) {
        look_at_value(c, cell, label, s, colours);
        return;
    }
    if (cell->is_atom) {
        to = qb_reference(c->plan, cell, s);
        if (cell->owner_count == 0) {
            if (to >= 0) colours[to] += label;
            return;
        }
        if (cell->owner_count == 1) {
            int32_t owner = cell->owners[0];
            if (to < 0) return;
            if (owner < 0)
                colours[to] += label;
            else
                look_at_pair(c, label, owner, to, colours);
            return;
        }
    } else {
        uint64_t code = qb_get(s, cell->field);
        if (code == 0) return; /* the zeroes of a family are what its other values leave over */
        label = qb_scramble(label ^ code);
        if (cell->owner_count == 2 && cell->owners[0] >= 0 && cell->owners[1] >= 0) {
            look_at_pair(c, label, cell->owners[0], cell->owners[1], colours);
            return;
        }
    }
    look_at_many(c, cell, label, to, colours);
}

static inline bool is_full(const qb_arrow *arrow, const uint64_t *s) {
    return arrow->need == 0 || qb_get(s, arrow->length) >= arrow->need;
}

static inline int64_t target(const qb_arrow *arrow, const uint64_t *s) {
    return (int64_t)(s[arrow->field.word] >> arrow->field.shift & arrow->mask) + arrow->low;
}

static void look_at_loose(qb_colouring *c, const uint64_t *s, uint64_t *colours) {
    for (const qb_arrow *arrow = c->arrows; arrow < c->arrows + c->loose_count; arrow++) {
        const int64_t to = target(arrow, s);
        if ((uint64_t)to < c->plan->atoms && is_full(arrow, s)) colours[to] += arrow->label;
    }
}

static void look_at_arrows(qb_colouring *c, const uint64_t *s, uint64_t *colours) {
    const uint32_t atoms = c->plan->atoms;
    for (const qb_arrow *arrow = c->arrows + c->loose_count; arrow < c->arrows + c->arrow_count; arrow++) {
        const int64_t to = target(arrow, s);
        const int32_t owner = arrow->owner;
        if ((uint64_t)to >= atoms || !is_full(arrow, s)) continue;
        if (to == owner) {
            colours[owner] += arrow->self;
        } else if (!c->is_active[to]) {
            colours[owner] += qb_scramble(arrow->label ^ colours[to]);
        } else {
            join(c, owner, arrow->first, colours);
            join(c, (int32_t)to, arrow->second, colours);
            c->pairs[c->pair_count++] = (qb_pair){arrow->label, owner, (int32_t)to};
        }
    }
}

/* The same by tables, without jumps, for whether an arrow refers to anything, or to its owner, is hard to foresee. */
static inline __attribute__((always_inline)) void look_up_arrows(qb_colouring *c, const uint64_t *s, uint64_t *colours,
                                                                 const bool in_queues) {
    uint64_t low = 0, high = 0, joined = 0;
    for (const qb_arrow *arrow = c->arrows + c->loose_count, *end = c->arrows + c->arrow_count; arrow < end; arrow++) {
        uint64_t code = (s[arrow->field.word] >> arrow->field.shift & arrow->mask) + 1;
        if (in_queues) code = qb_get(s, arrow->length) >= arrow->need ? code : 0;
        const qb_entry *entry = &c->entries[arrow->entries + code];
        colours[arrow->owner] += entry->said;
        low += entry->low;
        high += entry->high;
        joined |= entry->joined;
    }
    for (uint32_t i = 0; i < c->active_count; i++) {
        const uint32_t a = (uint32_t)c->active[i];
        colours[a] += ((a < 8 ? low : high) >> 8 * (a & 7) & 255) * SECOND;
        c->is_joined[a] |= joined >> a & 1;
    }
    c->seen = joined != 0 ? s : NULL;
}

/* The pairs of the arrows of a state that was looked at by tables, once they are needed. */
static void list_pairs(qb_colouring *c) {
    const uint64_t *s = c->seen;
    uint32_t n = c->pair_count;
    for (const qb_arrow *arrow = c->arrows + c->loose_count, *end = c->arrows + c->arrow_count; arrow < end; arrow++) {
        const int64_t to = target(arrow, s);
        const uint64_t code = (uint64_t)(to - arrow->low) + 1;
        const bool joins = c->entries[arrow->entries + (is_full(arrow, s) ? code : 0)].joined != 0;
        c->pairs[n] = (qb_pair){arrow->label, arrow->owner, (int32_t)to};
        n += joins;
    }
    c->pair_count = n;
    c->seen = NULL;
}

static void list_joined(qb_colouring *c, uint64_t *colours) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->active_count; i++) {
        const int32_t a = c->active[i];
        colours[a] &= -QB_COLOUR_STEP;
        c->joined[n] = a;
        n += c->is_joined[a];
    }
    c->joined_count = n;
}

void qb_colour_alone(qb_colouring *c, const uint64_t *s, uint64_t *colours) {
    const qb_plan *p = c->plan;
    for (uint32_t i = 0; i < c->active_count; i++) {
        int32_t a = c->active[i];
        uint64_t h = colours[a];
        for (uint32_t k = p->run_starts[a]; k < p->run_starts[a + 1]; k++) h = qb_mix(h ^ qb_get(s, p->runs[k]), SELF);
        colours[a] = h * FIRST;
    }
    for (uint32_t a = 0; a < p->atoms; a++) c->is_joined[a] = c->everyone;
    c->pair_count = c->edge_count = c->value_count = 0;
    look_at_loose(c, s, colours);
    c->seen = NULL;
    if (c->entries == NULL) look_at_arrows(c, s, colours);
    else if (c->has_queues) look_up_arrows(c, s, colours, true);
    else look_up_arrows(c, s, colours, false);
    for (uint32_t k = 0; k < c->other_count; k++) look_at_cell(c, c->others[k], s, colours);
    list_joined(c, colours);
}

/* Refining. */

void qb_tally_begin(qb_colouring *c) {
    if (++c->tally_round != 0) return;
    memset(c->tallies, 0, (c->tally_mask + 1ull) * sizeof *c->tallies);
    c->tally_round = 1;
}

/* Very few colours: in order, equal ones are neighbours. */
static uint32_t count_very_few(qb_colouring *c, uint32_t n) {
    uint64_t x[8];
    uint32_t different = n;
    for (uint32_t i = 0; i < 8; i++) x[i] = i < n ? c->gathered[i] : UINT64_MAX - i; /* no colours, which are multiples of 16 */
    qb_sort_eight(x);
    for (uint32_t i = 7; i-- > 0;) {
        const bool same = x[i] == x[i + 1];
        different -= same;
        c->shared = same ? x[i] : c->shared;
    }
    return different;
}

/* A few colours: every pair is compared once, without a jump. */
static uint32_t count_few(qb_colouring *c, uint32_t n) {
    const uint64_t *x = c->gathered;
    uint32_t different = n, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t same = 0;
        for (uint32_t j = 0; j < i; j++) same += x[i] == x[j];
        different -= same > 0;
        if (same > 0 && x[i] < c->shared) c->shared = x[i];
        if (c->orbitals != NULL && (same >= most || i == 0) && (same > most || i == 0 || x[i] < c->common)) {
            most = same;
            c->common = x[i];
        }
    }
    return different;
}

static uint32_t count_many(qb_colouring *c, uint32_t n) {
    uint32_t different = 0, most = 0;
    qb_tally_begin(c);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t x = c->gathered[i];
        uint32_t same = qb_tally_add(c, x);
        different += same == 1;
        if (same > 1 && x < c->shared) c->shared = x;
        if (same > most || (same == most && x < c->common)) {
            most = same;
            c->common = x;
        }
    }
    return different;
}

/* Some colours: how often each is there, without a jump. */
static uint32_t count_some(qb_colouring *c, uint32_t n) {
    const uint64_t *x = c->gathered;
    uint64_t most = 0, shared = UINT64_MAX;
    uint32_t sum = 0, common = 0;
    double different = 0;
    qb_count_sizes(x, n, c->sizes);
    for (uint32_t i = 0; i < n; i++) sum += c->sizes[i];
    if (sum == n) return n;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t rank = (uint64_t)c->sizes[i] << 58 | ~x[i] >> 6, twin = c->sizes[i] > 1 ? x[i] : UINT64_MAX;
        common = rank > most ? i : common;
        most = rank > most ? rank : most;
        shared = twin < shared ? twin : shared;
        different += c->shares[c->sizes[i]];
    }
    c->shared = shared;
    c->common = x[common];
    return (uint32_t)(different + 0.5);
}

static uint32_t count_colours(qb_colouring *c, const uint64_t *colours) {
    uint32_t n = c->joined_count;
    for (uint32_t i = 0; i < n; i++) c->gathered[i] = colours[c->joined[i]];
    c->shared = UINT64_MAX;
    if (n > FEW && n <= QB_MOST_SIZED) return count_some(c, n);
    if (n <= 8 && c->orbitals == NULL) return count_very_few(c, n);
    return n <= FEW ? count_few(c, n) : count_many(c, n);
}

static inline uint64_t seen_through(uint64_t colour, uint64_t label) {
    uint64_t h = (colour ^ label) * SECOND;
    return h ^ h >> 32;
}

static inline uint64_t other_colour(const qb_edge *e, uint32_t k, uint32_t self, const uint64_t *colours) {
    if (e->atoms[k] < 0) return 0;
    return (e->atoms[k] == e->atoms[self] ? SELF : colours[e->atoms[k]]) + k;
}

static void add_edge(const qb_edge *e, const uint64_t *colours, uint64_t *sums) {
    for (uint32_t self = 0; self < e->count; self++) {
        if (e->atoms[self] < 0) continue;
        uint64_t h = e->label + self;
        for (uint32_t k = 0; k < e->count; k++)
            if (k != self) h = qb_scramble(h ^ other_colour(e, k, self, colours));
        sums[e->atoms[self]] += h;
    }
}

/* What a value says of the atoms in it and of its owners. */
static void add_value(const qb_plan *p, const qb_said *v, const uint64_t *colours, uint64_t *sums) {
    const qb_cell *cell = v->cell;
    uint64_t context = v->label;
    for (uint32_t k = 0; k < cell->owner_count; k++)
        context = qb_scramble(context ^ (cell->owners[k] < 0 ? 0 : colours[cell->owners[k]]));
    if (cell->owner_count > 0) {
        uint64_t whole = context ^ qb_value_hash(p->values, (uint32_t)cell->low, v->value, colours);
        for (uint32_t k = 0; k < cell->owner_count; k++)
            if (cell->owners[k] >= 0) sums[cell->owners[k]] += qb_scramble(whole + k);
    }
    qb_value_say(p->values, (uint32_t)cell->low, v->value, colours, context, sums);
}

/* Which atoms are enough to tell most others apart by how they lie to them: those of the rarest colours, and if these are
 * many, those of the least of them.  Requires sizes. */
static void choose_few(const qb_colouring *c, uint32_t *rarity, uint64_t *last) {
    uint32_t counts[QB_MOST_SIZED + 1] = {0}, n = 0;
    for (uint32_t i = 0; i < c->active_count; i++) counts[c->sizes[i]] += c->gathered[i] != c->common;
    for (*rarity = 0; *rarity < c->active_count && n < ENOUGH;) n += counts[++*rarity];
    *last = n > 2 * ENOUGH ? UINT64_MAX / counts[*rarity] * ENOUGH : UINT64_MAX;
}

/* What is left out, the atoms of the most common colour, is what the others leave over; of many others, the rarest are
 * enough. */
static void add_orbitals(qb_colouring *c, const uint64_t *colours, uint64_t *sums) {
    uint32_t n = c->active_count;
    uint64_t common = c->common, *dense = c->dense;
    const bool sized = n > FEW && n <= QB_MOST_SIZED && c->joined_count == n;
    uint64_t last = UINT64_MAX;
    uint32_t rarity = n;
    if (sized) choose_few(c, &rarity, &last);
    for (uint32_t j = 0; j < n; j++) dense[j] = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t colour = colours[c->active[i]];
        if (colour == common || (sized && (c->sizes[i] > rarity || (c->sizes[i] == rarity && colour > last)))) continue;
        uint64_t m = qb_scramble(colour);
        const int32_t *labels = c->orbitals + (uint64_t)i * n;
        if (c->few_orbitals) {
            for (uint32_t j = 0; j < n; j++) dense[j] += m << labels[j] | m >> (-labels[j] & 63);
            continue;
        }
        for (uint32_t j = 0; j < n; j++) {
            uint32_t r = (uint32_t)labels[j] & 63;
            dense[j] += (m << r | m >> ((64 - r) & 63)) * (2ull * ((uint32_t)labels[j] >> 6) + 1);
        }
    }
    for (uint32_t j = 0; j < n; j++) sums[c->active[j]] += dense[j];
}

static void refine_once(qb_colouring *c, uint64_t *colours, bool orbitals) {
    uint64_t *sums = c->sums;
    if (c->edge_count > 0 || c->value_count > 0)
        for (uint32_t a = 0; a < c->plan->atoms; a++) sums[a] = 0;
    else
        for (uint32_t k = 0; k < c->joined_count; k++) sums[c->joined[k]] = 0;
    for (uint32_t k = 0; k < c->pair_count; k++) {
        const qb_pair *p = &c->pairs[k];
        sums[p->a] += seen_through(colours[p->b], p->label);
        sums[p->b] += seen_through(colours[p->a], ~p->label);
    }
    for (uint32_t k = 0; k < c->edge_count; k++) add_edge(&c->edges[k], colours, sums);
    for (uint32_t k = 0; k < c->value_count; k++) add_value(c->plan, &c->values[k], colours, sums);
    if (orbitals) add_orbitals(c, colours, sums);
    for (uint32_t k = 0; k < c->joined_count; k++) {
        int32_t a = c->joined[k];
        colours[a] = qb_scramble(colours[a] * 3 + sums[a]) & -QB_COLOUR_STEP;
    }
}

uint32_t qb_refine(qb_colouring *c, uint64_t *colours) {
    uint32_t different = count_colours(c, colours);
    bool orbitals = c->orbitals != NULL;
    if (different < c->joined_count && c->seen != NULL) list_pairs(c);
    while (different < c->joined_count && (c->pair_count > 0 || c->edge_count > 0 || c->value_count > 0 || orbitals)) {
        refine_once(c, colours, orbitals);
        uint32_t now = count_colours(c, colours);
        if (now == different) break;
        different = now;
        orbitals = false;
    }
    return different;
}
