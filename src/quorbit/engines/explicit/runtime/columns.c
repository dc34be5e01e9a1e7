/* Columns (columns.h). */
#include "columns.h"

#include <stdlib.h>

static bool is_inner(const qb_cell *c) {
    return c->is_atom == QB_IS_ATOM && c->length < 0 && c->owner_count == 1 && c->owners[0] >= 0;
}

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
        c->inners[(*inner_count)++] = (qb_inner){cell->field.shift, cell->field.width, cell->low, cell->kind};
        column.count++;
    }
    for (uint32_t k = column.first; k < *inner_count; k++) c->inners[k].shift -= column.field.shift;
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
        if (i->shift != j->shift || i->width != j->width || i->low != j->low || i->kind != j->kind) return false;
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

bool qb_columns_open(qb_columns *c, const qb_plan *p) {
    uint32_t inner_count = 0;
    *c = (qb_columns){.good = true};
    c->columns = calloc(p->atoms, sizeof *c->columns);
    c->fields = calloc(p->atoms, sizeof *c->fields);
    c->inners = calloc(p->cell_count + 1u, sizeof *c->inners);
    c->others = calloc(p->cell_count + 1u, sizeof *c->others);
    if (c->columns == NULL || c->fields == NULL || c->inners == NULL || c->others == NULL) return false;
    for (uint32_t a = 0; a < p->atoms && c->good; a++) c->good = take_column(c, p, (int32_t)a, &inner_count);
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (!is_inner(&p->cells[k])) c->others[c->other_count++] = k;
    c->good = c->good && are_all_alike(c, p);
    return true;
}

void qb_columns_close(qb_columns *c) {
    free(c->columns);
    free(c->fields);
    free(c->inners);
    free(c->others);
}

void qb_move(const qb_columns *c, const qb_plan *p, const int32_t *g, const uint64_t *s, uint64_t *t) {
    if (!c->good) {
        qb_image(p, g, s, t);
        return;
    }
    for (uint32_t k = 0; k < p->words; k++) t[k] = s[k] & p->keep[k];
    for (uint32_t k = 0; k < c->column_count; k++) {
        const qb_column *column = &c->columns[k];
        uint64_t bits = qb_get(s, column->field);
        for (uint32_t i = column->first; i < column->first + column->count; i++) {
            const qb_inner *inner = &c->inners[i];
            uint64_t code = bits >> inner->shift & ~0ull >> (64 - inner->width);
            int64_t a = (int64_t)code + inner->low;
            bool refers = (uint64_t)a < p->atoms;
            uint64_t moved = (uint64_t)((int64_t)g[refers ? a : 0] - inner->low);
            bits ^= (refers ? code ^ moved : 0) << inner->shift;
        }
        qb_put(t, c->fields[g[column->atom]], bits);
    }
    for (uint32_t k = 0; k < c->other_count; k++) qb_image_cell(p, &p->cells[c->others[k]], g, s, t);
}
