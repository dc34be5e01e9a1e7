/* Breadth-first search with the states on disk.
 *
 * States are divided among K buckets by hash.  A bucket's file holds its states in the order of discovery, so the states
 * of one level are one stretch of every file.  A level is
 *     read its stretches piece by piece, expand, append every record to the candidates of its bucket;
 *     for each bucket, load its states into a table in memory, look the candidates up, append the new ones.
 * Memory is needed for one bucket at a time; a small cache of states seen lately keeps most repetitions off the disk. */
#ifndef QB_SPILL_H
#define QB_SPILL_H

#include "search.h"

#define QB_MOST_BUCKETS 1024u

typedef struct qb_spill qb_spill;

QB_API int qb_spill_step(qb_spill *p, double seconds);

#endif
