/* Wide states in little room: the words of flat states numbered, one lexicon for each place of a word.
 *
 * States of many words are often made of few different ones: the pegs of a tower, the locals of a process.  Then the number
 * of a word takes fewer bits than what varies in it.  The numbers of a state stand one after the other; bits that are to
 * spare are given to the numbers that are likely to need them, so that all are laid out anew only now and then.
 *
 * Numbers depend on the order in which words were met.  Nobody but the store of one worker sees them. [like COLLAPSE of
 * Holzmann, State compression in SPIN, 1997, but by words instead of processes and channels] */
#ifndef QB_LEXICON_H
#define QB_LEXICON_H

#include "store.h"

typedef struct {
    uint64_t word;
    uint32_t number, used;
} qb_entry;

/* The different words at one place of a state. */
typedef struct {
    uint64_t *words;      /* by number */
    qb_entry *slots;      /* half of them are empty at least */
    uint32_t n, size;     /* words, slots */
    uint32_t width;       /* bits of a number, as states are stored */
    uint32_t last_number, other_number; /* of the words that were asked for last: the next state is likely to have one of them */
    uint64_t last_word, other_word;     /* again, which is that of its source if the last state had another */
} qb_lexicon;

/* Some bits of a number, side by side in one stored word. */
typedef struct {
    uint64_t mask; /* as many ones */
    uint32_t lexicon, from;
    uint32_t word, shift;
} qb_digits;

struct qb_lexicons {
    uint32_t flat; /* words of a flat state: so many lexicons */
    qb_lexicon *of;
    qb_digits *digits;
    uint32_t digit_count, bits; /* bits of a state in use */
    uint32_t *numbers;          /* of one state */
    uint64_t words, bytes;      /* different words in all; memory that they take */
};

qb_lexicons *qb_lexicons_open(uint32_t flat); /* NULL: no memory */
void qb_lexicons_close(qb_lexicons *l);
bool qb_lexicons_learn(qb_lexicons *l, const uint64_t *flat); /* the words of a state; false: no memory */
uint32_t qb_lexicons_needed(const qb_lexicons *l); /* the bits that all numbers need, and a few for those to come */
void qb_lexicons_lay_out(qb_lexicons *l, uint32_t bits); /* in so many bits of a state.  Requires what is needed */
/* States, `stride` words apart, as their numbers.  Answers whether all had room; 0: no, 1: yes, -1: there is no memory. */
int qb_lexicons_number(qb_lexicons *l, uint32_t words, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t *out);
void qb_lexicons_spell(const qb_lexicons *l, const qb_half_aligned *stored, uint64_t *flat);

#endif
