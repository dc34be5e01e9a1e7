/* From which state each state was found first, for traces.
 *
 * Plain: 32 bits for each state, in any order.
 *
 * Ordered: breadth-first, states are found in the order of their parents.  So a row of bits tells them all: a 0 for each step
 * from one parent's number to the next number, a 1 for each state.  The k-th 1 has as many 0s before it as its parent's
 * number says: two bits for a state, however large the numbers are.  `marks` tells where the 1 of every 512th state is.
 *
 * None: a trace is found by expanding levels again (predecessor.c). */
#ifndef QB_PARENTS_H
#define QB_PARENTS_H

#include <stdbool.h>
#include <stdint.h>

#define QB_NO_PARENT UINT64_MAX
#define QB_MARKED 512u /* states; a power of 2 */

enum { QB_PARENTS_PLAIN, QB_PARENTS_ORDERED, QB_PARENTS_NONE };

typedef struct {
    int kind;
    uint64_t capacity; /* states that there is address space for */
    uint32_t *plain;   /* UINT32_MAX: it has none */
    uint64_t *bits, *marks;
    uint64_t first; /* ordered: the number of the first state */
    uint64_t roots; /* the states without a parent, which come before all others */
    uint64_t n;     /* states with one */
    uint64_t end;   /* bits in use */
} qb_parents;

bool qb_parents_open(qb_parents *parents, int kind, uint64_t capacity); /* false: no address space */
void qb_parents_close(qb_parents *parents);
uint64_t qb_parent_of(const qb_parents *parents, uint64_t number); /* QB_NO_PARENT: none, or it is not known */
uint64_t qb_parents_bytes(const qb_parents *parents, uint64_t states);

/* Note the parent of the next state.  Ordered: requires that the one before has no greater parent. */
static inline void qb_note_parent(qb_parents *p, uint64_t number, uint64_t parent) {
    if (p->kind == QB_PARENTS_PLAIN) {
        p->plain[number] = (uint32_t)parent;
    } else if (p->kind == QB_PARENTS_ORDERED) {
        if (parent == QB_NO_PARENT) {
            p->roots++;
            return;
        }
        p->end = parent - p->first + p->n;
        if (p->n % QB_MARKED == 0) p->marks[p->n / QB_MARKED] = p->end;
        p->bits[p->end >> 6] |= 1ull << (p->end & 63);
        p->n++;
    }
}

#endif
