/* Small groups in tables (small_groups.h). */
#include "small_groups.h"

#include "nodes.h"
#include "store.h"

#include <stdlib.h>

#define WIDEST 8u             /* bits of a part */
#define MOST_KEY_BYTES (1u << 20)
#define SMALL (1u << 14)      /* bytes of keys that stay close to the processor */
#define MOST_IMAGE_BYTES (1u << 20)
#define MOST_PARTS 64u

/* A field that moves.  Requires of an indivisible one, which is more than a copy of bits, that it lies in one part. */
typedef struct {
    qb_field field;
    bool indivisible;
    int32_t atom, run; /* of this atom, or */
    int32_t cell;      /* this cell, or */
    int32_t length;    /* the empty slots of queues of this length */
} piece;

typedef struct {
    const qb_plan *plan;
    piece *pieces;
    uint32_t count;
    uint64_t *keep;
} piece_list;

/* Pieces. */

static bool may_be_empty(const qb_plan *p, int32_t length) {
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (p->cells[k].is_atom == QB_IS_ATOM && p->cells[k].length == length && p->cells[k].low >= 0) return true;
    return false;
}

/* Whether no element changes a cell. */
static bool stays(const qb_tables *t, const qb_plan *p, const qb_cell *c) {
    for (uint32_t k = 0; k < t->count; k++) {
        const int32_t *g = t->elements + (uint64_t)k * p->atoms;
        if (qb_moved_cell(p, c, g) != c) return false;
        for (uint32_t a = 0; c->is_atom && a < p->atoms; a++)
            if (g[a] != (int32_t)a) return false;
    }
    return true;
}

static bool is_fixed(const qb_tables *t, const qb_plan *p, uint32_t a) {
    for (uint32_t k = 0; k < t->count; k++)
        if (t->elements[(uint64_t)k * p->atoms + a] != (int32_t)a) return false;
    return true;
}

static void add(piece_list *l, piece x) {
    l->pieces[l->count++] = x;
    if (x.length < 0) l->keep[x.field.word] &= ~(~0ull >> (64 - x.field.width) << x.field.shift);
}

static bool list_pieces(piece_list *l, const qb_tables *t, const qb_plan *p) {
    *l = (piece_list){p, calloc((size_t)p->run_count + p->cell_count + p->length_count + 1u, sizeof(piece)), 0, t->keep};
    if (l->pieces == NULL) return false;
    memset(l->keep, 0xff, p->words * sizeof *l->keep);
    for (uint32_t a = 0; a < p->atoms; a++)
        for (uint32_t k = p->run_starts[a]; !is_fixed(t, p, a) && k < p->run_starts[a + 1]; k++)
            add(l, (piece){p->runs[k], false, (int32_t)a, (int32_t)(k - p->run_starts[a]), -1, -1});
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (!stays(t, p, &p->cells[k]))
            add(l, (piece){p->cells[k].field, p->cells[k].is_atom != 0, -1, -1, (int32_t)k, -1});
    for (uint32_t k = 0; k < p->length_count; k++)
        if (may_be_empty(p, (int32_t)k)) add(l, (piece){p->lengths[k], true, -1, -1, -1, (int32_t)k});
    return true;
}

/* What g makes of a cell that holds this code, in a slot that is not empty. */
static void add_cell(const qb_plan *p, const int32_t *g, uint32_t number, uint64_t code, uint32_t skip, uint64_t *t) {
    const qb_cell *c = &p->cells[number];
    if (c->is_atom) {
        int64_t a = (int64_t)code + c->low;
        if (a >= 0 && a < (int64_t)p->atoms) code = (uint64_t)((int64_t)g[a] - c->low);
    }
    qb_field to = qb_moved_cell(p, c, g)->field;
    t[to.word] ^= code << (to.shift + skip);
}

/* t ^= what g makes of the bits of a piece, whose first ones, so many, are left out. */
static void add_piece(const qb_plan *p, const int32_t *g, const piece *x, uint64_t code, uint32_t skip, uint64_t *t) {
    if (x->atom >= 0) {
        qb_field to = p->runs[p->run_starts[g[x->atom]] + (uint32_t)x->run];
        t[to.word] ^= code << (to.shift + skip);
    } else if (x->cell >= 0) {
        add_cell(p, g, (uint32_t)x->cell, code, skip, t);
    } else {
        for (uint32_t k = 0; k < p->cell_count; k++)
            if (p->cells[k].is_atom && p->cells[k].length == x->length && p->cells[k].slot >= code)
                add_cell(p, g, k, 0, 0, t);
    }
}

/* Parts. */

/* The last place up to `limit` where bits from `start` on can be cut off. */
static uint32_t cut(const piece_list *l, uint32_t word, uint32_t start, uint32_t limit) {
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t k = 0; k < l->count; k++) {
            qb_field f = l->pieces[k].field;
            if (f.word != word || !l->pieces[k].indivisible || f.shift >= limit || f.shift + f.width <= limit) continue;
            limit = f.shift > start ? f.shift : f.shift + f.width;
            moved = true;
        }
    }
    return limit;
}

/* Cut the bits that move into parts of at most `width` bits, or wider where they cannot be cut; false: far wider. */
static bool cut_parts(qb_tables *t, const piece_list *l, uint32_t width) {
    t->part_count = t->row_count = 0;
    for (uint32_t word = 0; word < t->words; word++) {
        uint64_t left = 0;
        for (uint32_t k = 0; k < l->count; k++)
            if (l->pieces[k].field.word == word) left |= ~0ull >> (64 - l->pieces[k].field.width) << l->pieces[k].field.shift;
        while (left != 0) {
            uint32_t start = (uint32_t)__builtin_ctzll(left), limit = start + width > 64 ? 64 : start + width;
            uint32_t end = cut(l, word, start, limit);
            uint64_t bits = left & ~0ull >> (64 - (end - start)) << start;
            uint32_t used = 64 - (uint32_t)__builtin_clzll(bits) - start;
            if (t->part_count == MOST_PARTS || used > WIDEST) return false;
            t->parts[t->part_count++] = (qb_part){(uint16_t)word, (uint8_t)start, (uint8_t)used, (1u << used) - 1, t->row_count};
            t->row_count += 1u << used;
            left &= ~bits;
        }
    }
    return true;
}

static uint64_t key_bytes(const qb_tables *t) { return (uint64_t)t->row_count * t->blocks * sizeof *t->keys; }

/* The widest parts whose tables stay small, else the narrowest. */
static bool choose_parts(qb_tables *t, const piece_list *l) {
    for (uint32_t width = WIDEST; width >= 4; width--)
        if (cut_parts(t, l, width) && key_bytes(t) <= SMALL) return true;
    return cut_parts(t, l, 4) && key_bytes(t) <= MOST_KEY_BYTES;
}

/* Tables. */

/* Whether bits of a piece are in a part. */
static bool meets(const piece *x, const qb_part *part) {
    return x->field.word == part->word && x->field.shift < part->shift + part->width &&
           x->field.shift + x->field.width > part->shift;
}

/* The pieces of a part come first; answers their number. */
static uint32_t bring_forward(piece_list *l, const qb_part *part) {
    uint32_t n = 0;
    for (uint32_t k = 0; k < l->count; k++) {
        piece x = l->pieces[k];
        if (!meets(&x, part)) continue;
        l->pieces[k] = l->pieces[n];
        l->pieces[n++] = x;
    }
    return n;
}

/* image := what g makes of this value of a part, whose pieces are the first n. */
static void make_image(const piece_list *l, uint32_t n, const qb_part *part, uint64_t value, const int32_t *g,
                       uint64_t *image) {
    memset(image, 0, l->plan->words * sizeof *image);
    const uint32_t start = part->shift, end = start + part->width;
    for (uint32_t k = 0; k < n; k++) {
        const piece *x = &l->pieces[k];
        uint32_t from = x->field.shift, to = from + x->field.width, skip = from < start ? start - from : 0;
        if (to > end) to = end;
        uint64_t code = value << start >> (from + skip) & ~0ull >> (64 - (to - from - skip));
        add_piece(l->plan, g, x, code, skip, image);
    }
}

/* A number of 16 bits for each bit of a state; the exclusive or of those that are set. */
static int16_t key_of(const uint64_t *image, uint32_t words) {
    uint32_t key = 0;
    for (uint32_t k = 0; k < words; k++)
        for (uint64_t left = image[k]; left != 0; left &= left - 1)
            key ^= (uint32_t)qb_scramble(64ull * k + (uint32_t)__builtin_ctzll(left) + 1);
    return (int16_t)(key & 0xffff);
}

static void fill_row(qb_tables *t, const piece_list *l, uint32_t n, const qb_part *part, uint32_t value, uint64_t *image) {
    const uint32_t room = t->blocks * 8, row = part->first + value;
    int16_t *keys = (int16_t *)(void *)t->keys + (uint64_t)row * room;
    for (uint32_t k = 0; k < t->count; k++) {
        make_image(l, n, part, value, t->elements + (uint64_t)k * l->plan->atoms, image);
        keys[k] = key_of(image, t->words);
        if (t->images != NULL) qb_copy(t->images + ((uint64_t)k * t->row_count + row) * t->words, image, t->words);
    }
    for (uint32_t k = t->count; k < room; k++) keys[k] = keys[0];
}

static void fill(qb_tables *t, piece_list *l, uint64_t *image) {
    for (uint32_t i = 0; i < t->part_count; i++) {
        uint32_t n = bring_forward(l, &t->parts[i]);
        for (uint32_t v = 0; v <= t->parts[i].mask; v++) fill_row(t, l, n, &t->parts[i], v, image);
    }
}

static bool has_values(const qb_plan *p) {
    for (uint32_t k = 0; k < p->cell_count; k++)
        if (p->cells[k].is_atom == QB_IS_VALUE) return true;
    return false;
}

bool qb_tables_open(qb_tables *t, const qb_plan *p, const int32_t *elements, uint32_t count) {
    const uint32_t blocks = (count + 7) / 8;
    *t = (qb_tables){.count = count, .blocks = blocks == 3 ? 4 : blocks, .words = p->words, .elements = elements};
    piece_list l;
    if (count == 0 || has_values(p)) return true;
    t->parts = calloc(MOST_PARTS, sizeof *t->parts);
    t->keep = calloc(p->words, sizeof *t->keep);
    if (t->parts == NULL || t->keep == NULL || !list_pieces(&l, t, p)) return false;
    t->good = choose_parts(t, &l) && t->part_count > 0;
    if (!t->good) {
        free(l.pieces);
        return true;
    }
    uint64_t bytes = (uint64_t)count * t->row_count * p->words * sizeof *t->images;
    uint64_t *image = calloc(p->words, sizeof *image);
    t->images = bytes <= MOST_IMAGE_BYTES ? calloc(bytes, 1) : NULL;
    t->keys = aligned_alloc(sizeof *t->keys, key_bytes(t));
    t->sums = aligned_alloc(sizeof *t->sums, t->blocks * sizeof *t->sums);
    bool have = image != NULL && t->keys != NULL && t->sums != NULL && (t->images != NULL || bytes > MOST_IMAGE_BYTES);
    if (have) fill(t, &l, image);
    free(image);
    free(l.pieces);
    return have;
}

void qb_tables_close(qb_tables *t) {
    free(t->parts);
    free(t->keep);
    free(t->keys);
    free(t->sums);
    free(t->images);
}

/* The least image. */

/* The rows of a state. */
static inline void find_rows(const qb_tables *t, const uint64_t *s, uint32_t *rows) {
    rows[0] = 0;
    for (uint32_t i = 0; i < t->part_count; i++) {
        const qb_part *part = &t->parts[i];
        rows[i] = part->first + (uint32_t)(s[part->word] >> part->shift & part->mask);
    }
}

/* t->sums := the keys of two blocks of images; answers the least in each column. */
static inline qb_eight add_two(const qb_tables *t, const uint32_t *rows) {
    qb_eight x = {0}, y = {0};
    for (uint32_t i = 0; i < t->part_count; i++) {
        x ^= t->keys[2 * rows[i]];
        y ^= t->keys[2 * rows[i] + 1];
    }
    t->sums[0] = x;
    t->sums[1] = y;
    return qb_lesser(x, y);
}

/* The same for four. */
static inline qb_eight add_four(const qb_tables *t, const uint32_t *rows, uint32_t from) {
    const uint64_t blocks = t->blocks;
    const qb_eight *keys = t->keys + from;
    qb_eight w = {0}, x = {0}, y = {0}, z = {0};
    for (uint32_t i = 0; i < t->part_count; i++) {
        const qb_eight *row = keys + rows[i] * blocks;
        w ^= row[0];
        x ^= row[1];
        y ^= row[2];
        z ^= row[3];
    }
    t->sums[from] = w;
    t->sums[from + 1] = x;
    t->sums[from + 2] = y;
    t->sums[from + 3] = z;
    return qb_lesser(qb_lesser(w, x), qb_lesser(y, z));
}

/* t->sums := the keys of all images; answers the least. */
static inline int16_t add_keys(const qb_tables *t, const uint32_t *rows) {
    if (t->blocks == 1) {
        qb_eight sum = {0};
        for (uint32_t i = 0; i < t->part_count; i++) sum ^= t->keys[rows[i]];
        t->sums[0] = sum;
        return qb_least_of(sum);
    }
    if (t->blocks == 2) return qb_least_of(add_two(t, rows));
    qb_eight least = add_four(t, rows, 0);
    for (uint32_t b = 4; b < t->blocks; b += 4) /* the last four may overlap with those before */
        least = qb_lesser(least, add_four(t, rows, b + 4 > t->blocks ? t->blocks - 4 : b));
    return qb_least_of(least);
}

/* image := that of s under element k. */
static inline void make_element_image(qb_reducer *r, const qb_tables *t, uint32_t k, const uint64_t *s,
                                      const uint32_t *rows, uint64_t *image, const uint32_t words) {
    if (t->images == NULL) {
        qb_move(&r->columns, r->plan, t->elements + (uint64_t)k * r->plan->atoms, s, image);
        return;
    }
    const uint64_t *mine = t->images + (uint64_t)k * t->row_count * words;
    for (uint32_t w = 0; w < words; w++) {
        uint64_t bits = s[w] & t->keep[w];
        for (uint32_t i = 0; i < t->part_count; i++) bits ^= mine[(uint64_t)rows[i] * words + w];
        image[w] = bits;
    }
}

static inline bool is_less(const uint64_t *a, const uint64_t *b, uint32_t words) {
    for (uint32_t k = 0; k < words; k++)
        if (a[k] != b[k]) return a[k] < b[k];
    return false;
}

/* s := its image with the least key, then the least words; answers the number of the element. */
static inline __attribute__((always_inline)) uint32_t take_least(qb_reducer *r, const qb_tables *t, uint64_t *s,
                                                                 const uint32_t words) {
    uint32_t rows[MOST_PARTS], best = UINT32_MAX;
    find_rows(t, s, rows);
    const int16_t least = add_keys(t, rows);
    for (uint32_t b = 0; b < t->blocks; b++)
        for (uint64_t left = qb_equal_ones(t->sums[b], least); left != 0; left &= left - 1) {
            const uint32_t k = 8 * b + qb_number_of(left);
            if (k >= t->count) continue;
            make_element_image(r, t, k, s, rows, r->other, words);
            if (best != UINT32_MAX && !is_less(r->other, r->best, words)) continue;
            qb_copy(r->best, r->other, words);
            best = k;
        }
    qb_copy(s, r->best, words);
    return best;
}

void qb_enumerate_tables(qb_reducer *r, const qb_tables *t, uint64_t *s) {
    uint32_t best = r->plan->words == 1 ? take_least(r, t, s, 1) : take_least(r, t, s, r->plan->words);
    const int32_t *h = t->elements + (uint64_t)best * r->plan->atoms;
    for (uint32_t a = 0; r->witness && a < r->plan->atoms; a++) r->g[a] = h[r->g[a]];
}
