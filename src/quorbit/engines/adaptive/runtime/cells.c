#include "cells.h"

#include <stdlib.h>
#include <string.h>

#include "table.h"

bool cells_open(Cells *cells, uint32_t n) {
    *cells = (Cells){.n = n, .bit_words = (n + 63) / 64};
    return cells_expect_letter(cells, 255);
}

static void free_pair(Pair *pair) {
    free(pair->crossing);
    free(pair->overlap);
    free(pair->split);
}

void cells_free(Cells *cells) {
    for (uint32_t p = 0; p < cells->count; p++) {
        free(cells->all[p].sizes);
        free(cells->all[p].label);
        free(cells->all[p].first);
        for (uint32_t q = 0; q < cells->count; q++)
            free_pair(pair_of(cells, p, q));
    }
    free(cells->all);
    free(cells->pairs);
    free(cells->counts);
    free(cells->touched);
    *cells = (Cells){0};
}

static bool grow(Cells *cells) {
    uint32_t room = cells->room ? 2 * cells->room : 16;
    Partition *all = realloc(cells->all, room * sizeof *all);
    if (all == NULL)
        return false;
    cells->all = all;
    Pair *pairs = calloc((uint64_t)room * room, sizeof *pairs);
    if (pairs == NULL)
        return false;
    for (uint64_t k = 0; k < (uint64_t)room * room; k++)
        pairs[k].meet = NOTHING;
    for (uint32_t p = 0; p < cells->count; p++)
        memcpy(pairs + (uint64_t)p * room, cells->pairs + (uint64_t)p * cells->room, cells->count * sizeof *pairs);
    free(cells->pairs);
    cells->pairs = pairs;
    cells->room = room;
    return true;
}

bool cells_add(Cells *cells, const uint32_t *label) {
    if (cells->count == cells->room && !grow(cells))
        return false;
    Partition *p = &cells->all[cells->count];
    p->count = 0;
    for (uint32_t k = 0; k < cells->n; k++)
        if (label[k] >= p->count)
            p->count = label[k] + 1;
    p->sizes = calloc(p->count + 1, sizeof *p->sizes);
    p->first = calloc(p->count + 1, sizeof *p->first);
    p->label = malloc((cells->n + 1) * sizeof *p->label);
    if (p->sizes == NULL || p->first == NULL || p->label == NULL) {
        free(p->sizes);
        free(p->first);
        free(p->label);
        return false;
    }
    memcpy(p->label, label, cells->n * sizeof *label);
    for (uint32_t k = 0; k < cells->n; k++)
        if (p->sizes[label[k]]++ == 0)
            p->first[label[k]] = k;
    cells->count++;
    return true;
}

const uint64_t *crossing(Cells *cells, uint32_t q, uint32_t p) {
    Pair *pair = pair_of(cells, q, p);
    if (pair->crossing != NULL)
        return pair->crossing;
    uint64_t *bits = calloc(cells->bit_words, sizeof *bits);
    if (bits == NULL)
        return NULL;
    const Partition *a = &cells->all[q], *b = &cells->all[p];
    for (uint32_t k = 0; k < cells->n; k++) {
        uint32_t cell = a->label[k];
        if (b->label[k] != b->label[a->first[cell]])
            bits[cell / 64] |= (uint64_t)1 << cell % 64;
    }
    return pair->crossing = bits;
}

const uint32_t *overlap(Cells *cells, uint32_t q, uint32_t p) {
    Pair *pair = pair_of(cells, q, p);
    if (pair->overlap != NULL)
        return pair->overlap;
    const Partition *a = &cells->all[q], *b = &cells->all[p];
    uint32_t *list = malloc((b->count + 2 * cells->n + 1) * sizeof *list);
    uint32_t *times = calloc(a->count + 1, sizeof *times);
    if (list == NULL || times == NULL) {
        free(list);
        free(times);
        return NULL;
    }
    uint32_t at = 0;
    for (uint32_t cell = 0; cell < b->count; cell++) {
        uint32_t head = at++;
        for (uint32_t k = 0; k < cells->n; k++)
            if (b->label[k] == cell && times[a->label[k]]++ == 0)
                list[at] = a->label[k], at += 2;
        list[head] = (at - head - 1) / 2;
        for (uint32_t k = head + 1; k < at; k += 2) {
            list[k + 1] = times[list[k]];
            times[list[k]] = 0;
        }
    }
    free(times);
    return pair->overlap = list;
}

const uint32_t *split(Cells *cells, uint32_t p, uint32_t r) {
    Pair *pair = pair_of(cells, p, r);
    if (pair->split != NULL)
        return pair->split;
    const Partition *a = &cells->all[p], *b = &cells->all[r];
    uint32_t *list = malloc((a->count + b->count + 1) * sizeof *list), at = 0;
    if (list == NULL)
        return NULL;
    for (uint32_t cell = 0; cell < a->count; cell++) {
        uint32_t head = at++;
        for (uint32_t k = 0; k < b->count; k++)
            if (a->label[b->first[k]] == cell)
                list[at++] = k;
        list[head] = at - head - 1;
    }
    return pair->split = list;
}

void mixed_cells(const Cells *cells, const uint32_t *words, uint32_t length, uint64_t *bits) {
    memset(bits, 0, cells->bit_words * sizeof *bits);
    uint32_t cell = 0;
    for (uint32_t k = 0; k < length; k++) {
        if (is_last(words[k]))
            cell++;
        else
            bits[cell / 64] |= (uint64_t)1 << cell % 64;
    }
}

bool cells_expect_letter(Cells *cells, uint32_t letter) {
    if (letter < cells->counts_room)
        return true;
    uint32_t room = 2 * letter + 256;
    uint32_t *counts = calloc(room, sizeof *counts), *touched = malloc((cells->n + 1) * sizeof *touched);
    if (counts == NULL || touched == NULL) {
        free(counts);
        free(touched);
        return false;
    }
    free(cells->counts);
    free(cells->touched);
    cells->counts = counts;
    cells->touched = touched;
    cells->counts_room = room;
    return true;
}

static void sort_letters(uint32_t *letters, uint32_t n) {
    for (uint32_t i = 1; i < n; i++) {
        uint32_t x = letters[i], j = i;
        for (; j > 0 && letters[j - 1] > x; j--)
            letters[j] = letters[j - 1];
        letters[j] = x;
    }
}

uint32_t project(Cells *cells, uint32_t q, const uint32_t *words, uint32_t p, uint32_t *found) {
    const uint32_t *list = overlap(cells, q, p);
    const Partition *a = &cells->all[q], *b = &cells->all[p];
    if (list == NULL)
        return NOTHING;
    uint32_t start[a->count + 1], length = 0;
    for (uint32_t cell = 0; cell < a->count; cell++) {
        start[cell] = length;
        while (!is_last(words[length++])) {
        }
    }
    uint32_t made = 0;
    for (uint32_t cell = 0; cell < b->count; cell++) {
        uint32_t parts = *list++, touched = 0;
        for (; parts > 0; parts--, list += 2) {
            const uint32_t *word = words + start[list[0]];
            bool single = is_last(*word);
            for (;; word++) {
                uint32_t letter = letter_of(*word);
                if (cells->counts[letter] == 0)
                    cells->touched[touched++] = letter;
                cells->counts[letter] += single ? list[1] : count_of(*word);
                if (is_last(*word))
                    break;
            }
        }
        sort_letters(cells->touched, touched);
        for (uint32_t k = 0; k < touched; k++) {
            uint32_t letter = cells->touched[k];
            found[made++] = word_of(letter, cells->counts[letter], k + 1 == touched);
            cells->counts[letter] = 0;
        }
    }
    return made;
}
