/* Breadth-first search in slices.
 *
 * The arena is the queue: states before `cursor` are expanded, those up to `level_end` are at the present distance from
 * the start, later ones at the next.  States are expanded until a batch of records is full; then the batch is reduced,
 * hashed, and looked up with prefetching, so that waiting for memory overlaps. */
#ifndef QB_SEARCH_H
#define QB_SEARCH_H

#include "calls.h"
#include "moves.h"
#include "quorbit.h"
#include "reduce.h"
#include "store.h"

enum { QB_RUNNING, QB_DONE, QB_FAILED, QB_MEMORY, QB_DEPTH, QB_STATES, QB_TOO_FEW_ATOMS, QB_TOO_LARGE };
enum { QB_NOTHING, QB_BY_MOVE, QB_IN_STATE, QB_STUCK };

typedef struct {
    qb_program program;
    uint64_t most_bytes, most_states, most_depth; /* 0: no limit but the machine's; UINT64_MAX for depth */
    uint32_t all_errors, transient, check, stuck;
    const qb_plan *plan; /* NULL: no reduction */
} qb_options;

typedef struct {
    uint64_t states, transitions, levels, cursor, bytes, errors;
    uint64_t failure_kind, failure_state;
    double cpu_seconds;
    uint64_t cache_hits;
} qb_report;

typedef struct qb_engine qb_engine;

#endif
