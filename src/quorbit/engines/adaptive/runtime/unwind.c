/* Cell after cell of the coarser partition, letter after letter of its bag, the letters are put into the finer cells
 * inside; the letters with least freedom come first, and the last one fills the room that is left, so that there is
 * hardly a dead end.  The order of the results is that of bags.py. */
#include "unwind.h"

#include <stdlib.h>
#include <string.h>

#include "table.h"

typedef struct {
    uint32_t letter, count, wheres;
    uint32_t *where; /* positions among the finer cells inside */
} Heap;

typedef struct {
    uint32_t heaps, inside;
    const uint32_t *cells; /* the finer cells inside */
    Heap *heap;
} Part;

typedef struct {
    Cells *all;
    uint32_t r;
    Part *parts;
    uint32_t count;
    uint32_t *room;   /* of each finer cell, what is left */
    uint32_t *letters, *shares, *filled; /* for each finer cell: what is in it so far, in the order it came */
    uint32_t most;    /* letters in one cell */
    uint32_t *words;
    bool is_probe;    /* only whether there is a way at all */
    Take take;
    void *data;
} Unwinding;

#define FOUND 1 /* ends a probe */

static int put(Unwinding *u, uint32_t part, uint32_t heap);
static int share_out(Unwinding *u, uint32_t part, uint32_t heap, uint32_t at, uint32_t left);

static int finish(Unwinding *u) {
    uint32_t cells = u->all->all[u->r].count, made = 0;
    for (uint32_t k = 0; k < cells; k++) {
        uint32_t begin = made;
        for (uint32_t j = 0; j < u->filled[k]; j++) {
            uint32_t word = word_of(u->letters[k * u->most + j], u->shares[k * u->most + j], false), at = made++;
            for (; at > begin && u->words[at - 1] > word; at--)
                u->words[at] = u->words[at - 1];
            u->words[at] = word;
        }
        u->words[made - 1] |= 1;
    }
    return u->take(u->data, u->words, made);
}

static void push(Unwinding *u, uint32_t cell, uint32_t letter, uint32_t share) {
    uint32_t at = cell * u->most + u->filled[cell]++;
    u->letters[at] = letter;
    u->shares[at] = share;
    u->room[cell] -= share;
}

static void pop(Unwinding *u, uint32_t cell) {
    uint32_t at = cell * u->most + --u->filled[cell];
    u->room[cell] += u->shares[at];
}

static int put_last(Unwinding *u, uint32_t part, const Heap *heap) {
    const Part *here = &u->parts[part];
    uint32_t allowed = 0, total = 0;
    for (uint32_t k = 0; k < heap->wheres; k++)
        allowed += u->room[here->cells[heap->where[k]]];
    for (uint32_t k = 0; k < here->inside; k++)
        total += u->room[here->cells[k]];
    if (allowed != heap->count || total != heap->count)
        return 0;
    if (u->is_probe)
        return FOUND;
    bool pushed[here->inside];
    for (uint32_t k = 0; k < here->inside; k++) {
        uint32_t left = u->room[here->cells[k]];
        if ((pushed[k] = left > 0))
            push(u, here->cells[k], heap->letter, left);
    }
    int ended = put(u, part + 1, 0);
    for (uint32_t k = 0; k < here->inside; k++)
        if (pushed[k])
            pop(u, here->cells[k]);
    return ended;
}

static int put(Unwinding *u, uint32_t part, uint32_t heap) {
    if (part == u->count)
        return finish(u);
    const Heap *h = &u->parts[part].heap[heap];
    if (heap + 1 == u->parts[part].heaps)
        return put_last(u, part, h);
    return share_out(u, part, heap, 0, h->count);
}

/* The rest of a letter into the cells from number ``at`` on where it may go. */
static int share_out(Unwinding *u, uint32_t part, uint32_t heap, uint32_t at, uint32_t left) {
    const Part *here = &u->parts[part];
    const Heap *h = &here->heap[heap];
    if (at == h->wheres)
        return left == 0 ? put(u, part, heap + 1) : 0;
    uint32_t cell = here->cells[h->where[at]], rest = 0;
    for (uint32_t k = at + 1; k < h->wheres; k++)
        rest += u->room[here->cells[h->where[k]]];
    uint32_t least = left > rest ? left - rest : 0, most = left < u->room[cell] ? left : u->room[cell];
    for (uint32_t share = least; share <= most; share++) {
        if (share)
            push(u, cell, h->letter, share);
        int ended = share_out(u, part, heap, at + 1, left - share);
        if (share)
            pop(u, cell);
        if (ended)
            return ended;
    }
    return 0;
}

/* The heaps of one cell, those with the fewest places first (stable). */
static int fill_part(Part *part, const uint32_t *words, Allowed allowed, void *data, uint32_t *wheres) {
    uint32_t made = 0;
    for (;; words++) {
        Heap heap = {letter_of(*words), count_of(*words), 0, wheres + made * part->inside};
        for (uint32_t k = 0; k < part->inside; k++) {
            int may = allowed == NULL ? 1 : allowed(data, part->cells[k], heap.letter);
            if (may < 0)
                return may;
            if (may)
                heap.where[heap.wheres++] = k;
        }
        uint32_t at = made++;
        for (; at > 0 && part->heap[at - 1].wheres > heap.wheres; at--)
            part->heap[at] = part->heap[at - 1];
        part->heap[at] = heap;
        if (is_last(*words))
            break;
    }
    part->heaps = made;
    return 0;
}

static int run(Unwinding *u) {
    u->is_probe = true;
    for (uint32_t part = 0; part < u->count; part++)
        if (put(u, part, 0) != FOUND)
            return 0;
    u->is_probe = false;
    return put(u, 0, 0);
}

int unwind(Cells *cells, uint32_t p, const uint32_t *words, uint32_t r, Allowed allowed, Take take, void *data) {
    const uint32_t *list = split(cells, p, r);
    uint32_t coarse = cells->all[p].count, fine = cells->all[r].count, length = 0, places = 0, most = 0;
    if (list == NULL)
        return -1;
    Part *parts = malloc((coarse + 1) * sizeof *parts);
    for (uint32_t k = 0; parts != NULL && k < coarse; k++) {
        uint32_t begin = length;
        parts[k].inside = *list++;
        parts[k].cells = list;
        list += parts[k].inside;
        while (!is_last(words[length++])) {
        }
        places += (length - begin) * parts[k].inside;
        most = length - begin > most ? length - begin : most;
    }
    uint64_t needed = (uint64_t)places + fine * (2 + 2 * (uint64_t)most) + cells->n + 1;
    uint32_t *scratch = calloc(needed, sizeof *scratch);
    Heap *heaps = malloc((length + 1) * sizeof *heaps);
    int ended = -1;
    if (parts != NULL && scratch != NULL && heaps != NULL) {
        Unwinding u = {.all = cells, .r = r, .parts = parts, .count = coarse, .most = most, .take = take, .data = data};
        u.room = scratch + places;
        u.filled = u.room + fine;
        u.letters = u.filled + fine;
        u.shares = u.letters + (uint64_t)fine * most;
        u.words = u.shares + (uint64_t)fine * most;
        memcpy(u.room, cells->all[r].sizes, fine * sizeof *u.room);
        uint32_t heap = 0, wheres = 0;
        ended = 0;
        for (uint32_t k = 0; k < coarse && ended == 0; k++) {
            parts[k].heap = heaps + heap;
            ended = fill_part(&parts[k], words + heap, allowed, data, scratch + wheres);
            heap += parts[k].heaps;
            wheres += parts[k].heaps * parts[k].inside;
        }
        if (ended == 0)
            ended = run(&u);
    }
    free(parts);
    free(scratch);
    free(heaps);
    return ended;
}
