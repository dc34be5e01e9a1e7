/* States without the bits that are the same in all of them.
 *
 * A search makes flat states: every place has the bits that its type may need.  Most of them never change.  The squeezed
 * form of a state is the bits in which some state differs from the first one, exclusive or those of the first one, one after the
 * other; the others (`fixed`) are those of the first state.  Only the store holds squeezed states, in as many halves of words
 * as they need.
 *
 * While there are few states and one differs in another bit, all are squeezed anew and the table is made anew.  Later the
 * new bits come behind the others: they are zero in all states stored so far, which keep their words and their hash.  `work` counts
 * what that has cost; where it gets too much, or saves no word, all bits are kept.
 *
 * Where many states are still wide and have few different words, the numbers of the words are stored instead (lexicon.h). */
#ifndef QB_SQUEEZE_H
#define QB_SQUEEZE_H

#include "store.h"

/* The bits of one flat word that are in one squeezed word, side by side. */
typedef struct {
    uint64_t mask;        /* of the flat word */
    uint64_t before;      /* of the squeezed word: what is there already, none for its first piece */
    uint32_t word, shift; /* where they begin in the squeezed form */
    uint32_t from;        /* the flat word */
} qb_piece;

struct qb_squeeze {
    uint32_t flat;   /* words of a flat state */
    uint64_t *first, *fixed; /* the first state; the bits that are the same in all */
    qb_piece *pieces;        /* in the order of the flat words; the one behind the last has no flat word */
    uint32_t piece_count;
    uint32_t bits;         /* that pieces have */
    uint64_t *one, *other; /* a flat state and a squeezed one, while all are squeezed anew */
    uint64_t *seen;        /* bits that differ in the states looked at */
    uint64_t work;         /* states that were squeezed anew */
    bool fast;             /* the processor gathers bits */
    bool shared;           /* several workers read the store: states have whole words, and no word is numbered */
    bool whole;            /* all bits are kept: the squeezed form is the flat one */
    qb_lexicons *lexicons; /* NULL: bits are stored */
    uint64_t laid_out_at;  /* so many states there were when numbers got their bits */
    uint64_t ask_at;       /* at so many states it is asked whether words are to be numbered */
};

/* Whether the states of a store have another form than those that a search makes. */
static inline bool qb_is_squeezed(const qb_store *store) { return store->squeeze != NULL && !store->squeeze->whole; }

/* Whether to find out the form of a state takes long. */
static inline bool qb_is_numbered(const qb_store *store) { return store->squeeze != NULL && store->squeeze->lexicons != NULL; }

qb_squeeze *qb_squeeze_open(uint32_t flat, bool shared); /* NULL: no memory */
void qb_squeeze_begin(qb_store *store); /* no bit varies yet */
void qb_squeeze_close(qb_squeeze *q);
/* Squeeze flat states, `stride` words apart, into `out`, one after the other.  1: the store is as it was; 2: its states have
 * another form now, which may be the flat one: then `out` is not written; 0: there is no memory for that. */
int qb_squeeze_states(qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t *out, uint64_t most_bytes);
/* The same where several squeeze at a time; false: some bit has no room, and nothing was changed. */
bool qb_squeeze_known(const qb_store *store, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t *out);
void qb_unsqueeze(const qb_squeeze *q, const qb_half_aligned *squeezed, uint64_t *flat);

#endif
