/* Partitions of the processes and what is known about two of them; and the counters of an annotated state.
 *
 * The counters of a state under a partition are one word for each cell and letter in it, cell after cell, the letters
 * of a cell in ascending order; the last word of a cell is marked.  Equal states have equal words [W07, section 8]. */
#ifndef QUORBIT_ADAPTIVE_CELLS_H
#define QUORBIT_ADAPTIVE_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#define COUNT_BITS 12
#define MOST_PROCESSES ((1u << COUNT_BITS) - 1)
#define MOST_LETTERS (1u << (31 - COUNT_BITS))

static inline uint32_t word_of(uint32_t letter, uint32_t count, bool last) {
    return letter << (COUNT_BITS + 1) | count << 1 | (last ? 1 : 0);
}
static inline uint32_t letter_of(uint32_t word) { return word >> (COUNT_BITS + 1); }
static inline uint32_t count_of(uint32_t word) { return word >> 1 & MOST_PROCESSES; }
static inline bool is_last(uint32_t word) { return word & 1; }

typedef struct {
    uint32_t count;  /* cells */
    uint32_t *sizes; /* of the cells */
    uint32_t *label; /* for each process its cell */
    uint32_t *first; /* for each cell its least process */
} Partition;

/* What two partitions have in common.  Some lists are there only after they were asked for. */
typedef struct {
    uint32_t meet; /* NOTHING: not known */
    uint64_t *crossing; /* the cells of the first that cross cells of the second, as bits */
    uint32_t *overlap;  /* for each cell of the second: how many of the first meet it, then (cell, processes) pairs */
    uint32_t *split;    /* for each cell of the first: how many of the second lie in it, then these */
} Pair;

typedef struct {
    uint32_t n; /* processes */
    uint32_t bit_words; /* of 64 bits, for a set of cells */
    Partition *all;
    uint32_t count, room;
    Pair *pairs; /* room * room */
    uint32_t *counts, counts_room, *touched; /* scratch: a counter for each letter, and the letters met */
} Cells;

bool cells_open(Cells *cells, uint32_t n);
void cells_free(Cells *cells);
/* Add a partition, given by the cell of each process; false: out of memory. */
bool cells_add(Cells *cells, const uint32_t *label);
static inline Pair *pair_of(Cells *cells, uint32_t p, uint32_t q) { return &cells->pairs[(uint64_t)p * cells->room + q]; }
const uint64_t *crossing(Cells *cells, uint32_t q, uint32_t p);
const uint32_t *overlap(Cells *cells, uint32_t q, uint32_t p);
/* Requires: r is finer than p. */
const uint32_t *split(Cells *cells, uint32_t p, uint32_t r);
/* The cells with different letters in them, as bits. */
void mixed_cells(const Cells *cells, const uint32_t *words, uint32_t length, uint64_t *bits);
/* The counters of (words, q) per cell of p; their number.  Requires: no mixed cell of q crosses cells of p. */
uint32_t project(Cells *cells, uint32_t q, const uint32_t *words, uint32_t p, uint32_t *found);
/* Room for the counters of every letter below this one. */
bool cells_expect_letter(Cells *cells, uint32_t letter);

#endif
