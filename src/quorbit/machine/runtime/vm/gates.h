/* The steps of a circuit as gates: all choices of a step at once, 64 in a word.
 *
 * An edge is twice a number plus 1 if it is negated.  Number 0 is false; then come the bits of the state, the conjunctions
 * that read the state alone, the columns (what reads choices alone: its value for every choice, worked out before), and the
 * conjunctions that read both.  Of choices that symmetries which fix the state carry into each other the first is taken:
 * they lead into one orbit. */
#ifndef QB_GATES_H
#define QB_GATES_H

#include "quorbit.h"

#define QB_MOST_GATE_SYMMETRIES 512u

/* A symmetry: if it leaves a state as it is, some choices are images of earlier ones. */
typedef struct {
    uint32_t first, count;  /* of the pairs of bits that must be equal */
    const uint64_t *spared; /* the choices that need not be taken, a word for each block of 64 */
} qb_gate_symmetry;

typedef struct qb_gates {
    uint32_t bits, state_nodes, columns, mixed_nodes; /* how many numbers of each kind */
    uint32_t choices, blocks;     /* blocks of 64 choices */
    uint32_t guard;               /* an edge: whether a choice is allowed */
    uint32_t condition_count;     /* of invariants */
    uint32_t symmetry_count, pair_count;
    const uint32_t *places;       /* of each bit of the state: word * 64 + shift */
    const uint32_t *state_edges;  /* two for each conjunction */
    const uint32_t *mixed_edges;
    const uint32_t *next;         /* an edge for each bit of the state */
    const uint32_t *conditions;   /* edges that read the state alone and are true in good states */
    const uint32_t *pairs;        /* two bits each, by their places */
    const uint64_t *values;       /* of the columns: for every column, one word for each block */
    const qb_gate_symmetry *symmetries;
} qb_gates;

bool qb_gates_sound(const qb_program *program); /* whether everything that is named exists and registers suffice */
int64_t qb_gates_next(const qb_program *program, const uint64_t *s, qb_sink *sink);
int64_t qb_gates_check(const qb_program *program, const uint64_t *s, int64_t *registers);

#endif
