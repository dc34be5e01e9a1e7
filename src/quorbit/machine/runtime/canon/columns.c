/* Columns (columns.h). */
#include "columns.h"

#include <stdlib.h>

static bool is_inner(const qb_cell *c) {
    return c->is_atom == QB_IS_ATOM && c->owner_count == 1 && c->owners[0] >= 0;
}

static bool is_loose(const qb_cell *c) { return c->is_atom == QB_IS_ATOM && c->owner_count == 0; }

/* Add bits to a column; false: they lie in another word. */
static bool cover(qb_field *column, qb_field f) {
    if (column->width == 0) {
        *column = f;
        return true;
    }
    uint32_t start = f.shift < column->shift ? f.shift : column->shift;
    uint32_t end = f.shift + f.width, other = column->shift + column->width;
    if (f.word != column->word) return false;
    *column = (qb_field){f.word, (uint8_t)start, (uint8_t)((end > other ? end : other) - start)};
    return true;
}

static bool take_column(qb_columns *c, const qb_plan *p, int32_t a, uint32_t *inner_count) {
    qb_column column = {a, {0, 0, 0}, *inner_count, 0};
    uint32_t bits = 0;
    for (uint32_t k = p->run_starts[a]; k < p->run_starts[a + 1]; k++) {
        if (!cover(&column.field, p->runs[k])) return false;
        bits += p->runs[k].width;
    }
    for (uint32_t k = 0; k < p->cell_count; k++) {
        const qb_cell *cell = &p->cells[k];
        if (!is_inner(cell) || cell->owners[0] != a) continue;
        if (!cover(&column.field, cell->field)) return false;
        bits += cell->field.width;
        const bool queued = cell->length >= 0;
        const qb_field length = queued ? p->lengths[cell->length] : cell->field;
        if (queued && !cover(&column.field, length)) return false; /* it belongs to the atom: a run, and counted */
        c->inners[(*inner_count)++] = (qb_inner){
            cell->field.shift, cell->field.width, length.shift, length.width, cell->low,
            ~0ull >> (64 - cell->field.width), queued ? ~0ull >> (64 - length.width) : 0,
            queued ? cell->slot + 1 : 0, cell->kind};
        column.count++;
    }
    for (uint32_t k = column.first; k < *inner_count; k++) {
        c->inners[k].shift -= column.field.shift;
        c->inners[k].length_shift -= column.field.shift;
    }
    c->fields[a] = column.field;
    if (bits > 0) c->columns[c->column_count++] = column;
    return bits == column.field.width; /* nothing of others lies in between */
}

static bool are_alike(const qb_columns *c, const qb_plan *p, const qb_column *x, const qb_column *y) {
    uint32_t from = p->run_starts[x->atom], to = p->run_starts[y->atom], n = p->run_starts[x->atom + 1] - from;
    if (x->field.width != y->field.width || x->count != y->count || p->run_starts[y->atom + 1] - to != n) return false;
    for (uint32_t k = 0; k < n; k++)
        if (p->runs[from + k].width != p->runs[to + k].width ||
            p->runs[from + k].shift - x->field.shift != p->runs[to + k].shift - y->field.shift)
            return false;
    for (uint32_t k = 0; k < x->count; k++) {
        const qb_inner *i = &c->inners[x->first + k], *j = &c->inners[y->first + k];
        if (i->shift != j->shift || i->width != j->width || i->low != j->low || i->kind != j->kind ||
            i->length_shift != j->length_shift || i->length_width != j->length_width || i->need != j->need)
            return false;
    }
    return true;
}

/* Whether every atom that can come to the place of another has a column like it: a permutation maps a cell to one of its
 * kind, and runs to runs of the same widths. */
static bool are_all_alike(const qb_columns *c, const qb_plan *p) {
    for (uint32_t i = 1; i < c->column_count; i++) {
        const qb_column *x = &c->columns[i];
        bool found = false, may = false;
        for (uint32_t j = 0; j < i && !found; j++) {
            const qb_column *y = &c->columns[j];
            found = are_alike(c, p, x, y);
            uint32_t n = p->run_starts[x->atom + 1] - p->run_starts[x->atom];
            may = may || (p->run_starts[y->atom + 1] - p->run_starts[y->atom] == n && x->count == y->count);
        }
        if (may && !found) return false;
    }
    return true;
}

static void list_loose(qb_columns *c, const qb_plan *p) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (is_loose(&p->cells[k]) && p->cells[k].length < 0) c->loose[n++] = (qb_loose){p->cells[k].field, p->cells[k].low};
    c->loose_count = n;
    for (uint32_t q = 0; q < p->length_count; q++) {
        qb_queue queue = {p->lengths[q], n, 0};
        for (uint32_t k = 0; k < p->cell_count; k++) {
            const qb_cell *cell = &p->cells[k];
            if (!is_loose(cell) || cell->length != (int32_t)q) continue;
            uint32_t at = n++; /* kept in the order of the slots */
            for (; at > queue.first && c->slots[at - 1] > cell->slot; at--) {
                c->loose[at] = c->loose[at - 1];
                c->slots[at] = c->slots[at - 1];
            }
            c->loose[at] = (qb_loose){cell->field, cell->low};
            c->slots[at] = cell->slot;
            queue.count++;
        }
        if (queue.count > 0) c->queues[c->queue_count++] = queue;
    }
}

/* Room for every code of a reference; false: no memory. */
static bool open_renames(qb_columns *c, const qb_plan *p) {
    uint64_t room = p->atoms + 1;
    for (uint32_t k = 0; k < p->cell_count; k++) {
        const qb_cell *cell = &p->cells[k];
        if (cell->is_atom != QB_IS_ATOM) continue;
        if (cell->low < -1 || cell->field.width > 16) c->good = false;
        else if ((uint64_t)(cell->low + 1) + (1ull << cell->field.width) > room)
            room = (uint64_t)(cell->low + 1) + (1ull << cell->field.width);
    }
    c->renames = calloc(room, sizeof *c->renames);
    for (uint64_t k = 0; c->renames != NULL && k < room; k++) c->renames[k] = (int32_t)k - 1;
    return c->renames != NULL;
}

bool qb_columns_open(qb_columns *c, const qb_plan *p) {
    uint32_t inner_count = 0;
    *c = (qb_columns){.good = true};
    c->columns = calloc(p->atoms, sizeof *c->columns);
    c->fields = calloc(p->atoms, sizeof *c->fields);
    c->inners = calloc(p->cell_count + 1u, sizeof *c->inners);
    c->others = calloc(p->cell_count + 1u, sizeof *c->others);
    c->loose = calloc(p->cell_count + 1u, sizeof *c->loose);
    c->slots = calloc(p->cell_count + 1u, sizeof *c->slots);
    c->queues = calloc(p->length_count + 1u, sizeof *c->queues);
    if (c->loose == NULL || c->slots == NULL || c->queues == NULL || !open_renames(c, p)) return false;
    if (c->columns == NULL || c->fields == NULL || c->inners == NULL || c->others == NULL) return false;
    for (uint32_t a = 0; a < p->atoms && c->good; a++) c->good = take_column(c, p, (int32_t)a, &inner_count);
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (!is_inner(&p->cells[k]) && !is_loose(&p->cells[k])) c->others[c->other_count++] = k;
    list_loose(c, p);
    c->good = c->good && are_all_alike(c, p);
    return true;
}

void qb_columns_close(qb_columns *c) {
    free(c->columns);
    free(c->fields);
    free(c->inners);
    free(c->others);
    free(c->loose);
    free(c->slots);
    free(c->queues);
    free(c->renames);
}

/* The code of a reference after `renames`; requires that the slot is full. */
static inline uint64_t renamed(const int32_t *renames, uint64_t code, int32_t low) {
    return (uint64_t)(renames[(int64_t)code + low + 1] - low);
}

static inline void move_loose(const qb_loose *x, const int32_t *renames, const uint64_t *s, uint64_t *t) {
    qb_put(t, x->field, renamed(renames, qb_get(s, x->field), x->low));
}

static void move_queue(const qb_columns *c, const qb_queue *q, const uint64_t *s, uint64_t *t) {
    const uint64_t length = qb_get(s, q->length); /* empty slots hold zero */
    for (uint32_t k = q->first; k < q->first + q->count && c->slots[k] < length; k++)
        move_loose(&c->loose[k], c->renames, s, t);
}

void qb_move(const qb_columns *c, const qb_plan *p, const int32_t *g, const uint64_t *s, uint64_t *t) {
    if (!c->good) {
        qb_image(p, g, s, t);
        return;
    }
    for (uint32_t a = 0; a < p->atoms; a++) c->renames[a + 1] = g[a];
    for (uint32_t k = 0; k < p->words; k++) t[k] = s[k] & p->keep[k];
    for (uint32_t k = 0; k < c->column_count; k++) {
        const qb_column *column = &c->columns[k];
        const uint64_t bits = qb_get(s, column->field);
        uint64_t changes = 0;
        for (uint32_t i = column->first; i < column->first + column->count; i++) {
            const qb_inner *inner = &c->inners[i];
            const uint64_t code = bits >> inner->shift & inner->mask;
            const uint64_t length = bits >> inner->length_shift & inner->length_mask;
            const uint64_t change = code ^ renamed(c->renames, code, inner->low);
            changes |= (length >= inner->need ? change : 0) << inner->shift;
        }
        qb_put(t, c->fields[g[column->atom]], bits ^ changes);
    }
    for (uint32_t k = 0; k < c->loose_count; k++) move_loose(&c->loose[k], c->renames, s, t);
    for (uint32_t k = 0; k < c->queue_count; k++) move_queue(c, &c->queues[k], s, t);
    for (uint32_t k = 0; k < c->other_count; k++) qb_image_cell(p, &p->cells[c->others[k]], g, s, t);
}
