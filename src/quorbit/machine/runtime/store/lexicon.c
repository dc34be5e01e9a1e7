/* The words of states, numbered (lexicon.h). */
#include "lexicon.h"

#include <stdlib.h>

#define FIRST_SLOTS 16u
#define MOST_WORDS 0x40000000u /* of one lexicon */
#define MOST_WIDTH 30u         /* of its numbers */
#define MOST_DIGITS 2u         /* pieces of one number: it lies in two words at most */
#define NO_NUMBER UINT32_MAX
#define AHEAD 4u /* states whose words are fetched ahead of looking them up */

qb_lexicons *qb_lexicons_open(uint32_t flat) {
    qb_lexicons *l = calloc(1, sizeof *l);
    if (l == NULL) return NULL;
    l->flat = flat;
    l->of = calloc(flat, sizeof *l->of);
    l->digits = calloc((uint64_t)MOST_DIGITS * flat, sizeof *l->digits);
    l->numbers = calloc(flat, sizeof *l->numbers);
    if (l->of != NULL && l->digits != NULL && l->numbers != NULL) return l;
    qb_lexicons_close(l);
    return NULL;
}

void qb_lexicons_close(qb_lexicons *l) {
    if (l == NULL) return;
    for (uint32_t k = 0; l->of != NULL && k < l->flat; k++) {
        free(l->of[k].words);
        free(l->of[k].slots);
    }
    free(l->of);
    free(l->digits);
    free(l->numbers);
    free(l);
}

/* Words. */

static uint32_t home(uint64_t word, uint32_t size) { return (uint32_t)qb_mix(word ^ 0x9e3779b97f4a7c15ull, 0xe7037ed1a0b428dbull) & (size - 1); }

/* Twice as many slots, and room for half as many words. */
static bool grow(qb_lexicons *l, qb_lexicon *x) {
    if (x->n >= MOST_WORDS) return false;
    const uint32_t size = x->size == 0 ? FIRST_SLOTS : 2 * x->size;
    uint64_t *words = realloc(x->words, size / 2 * sizeof *words);
    if (words == NULL) return false;
    x->words = words;
    qb_entry *slots = calloc(size, sizeof *slots);
    if (slots == NULL) return false;
    for (uint32_t number = 0; number < x->n; number++) {
        uint32_t at = home(words[number], size);
        while (slots[at].used) at = (at + 1) & (size - 1);
        slots[at] = (qb_entry){words[number], number, 1};
    }
    free(x->slots);
    x->slots = slots;
    l->bytes += (size - x->size) * (sizeof *slots + sizeof *words / 2);
    x->size = size;
    return true;
}

/* The number of a word, which is added if it is new; NO_NUMBER: there is no memory for that. */
static uint32_t look_up(qb_lexicons *l, qb_lexicon *x, uint64_t word) {
    if (2 * x->n >= x->size && !grow(l, x)) return NO_NUMBER;
    uint32_t at = home(word, x->size);
    while (x->slots[at].used && x->slots[at].word != word) at = (at + 1) & (x->size - 1);
    if (!x->slots[at].used) {
        x->words[x->n] = word;
        x->slots[at] = (qb_entry){word, x->n++, 1};
        l->words++;
    }
    x->other_word = x->n > 1 ? x->last_word : word;
    x->other_number = x->n > 1 ? x->last_number : x->slots[at].number;
    x->last_word = word;
    return x->last_number = x->slots[at].number;
}

static inline uint32_t number_of(qb_lexicons *l, qb_lexicon *x, uint64_t word) {
    if (x->n > 0 && x->last_word == word) return x->last_number;
    if (x->n == 0 || x->other_word != word) return look_up(l, x, word);
    const uint32_t number = x->other_number;
    x->other_word = x->last_word;
    x->other_number = x->last_number;
    x->last_word = word;
    return x->last_number = number;
}

bool qb_lexicons_learn(qb_lexicons *l, const uint64_t *flat) {
    for (uint32_t k = 0; k < l->flat; k++)
        if (number_of(l, &l->of[k], flat[k]) == NO_NUMBER) return false;
    return true;
}

/* Bits. */

static uint32_t bits_for(uint32_t n) { return n < 2 ? 0 : 32 - (uint32_t)__builtin_clz(n - 1); }

uint32_t qb_lexicons_needed(const qb_lexicons *l) {
    uint32_t bits = 0;
    for (uint32_t k = 0; k < l->flat; k++) bits += bits_for(l->of[k].n + l->of[k].n / 3);
    return bits;
}

/* The lexicon whose next words are the first to outgrow their bits; NULL: none can have more. */
static qb_lexicon *fullest(const qb_lexicons *l) {
    qb_lexicon *full = NULL;
    for (qb_lexicon *x = l->of; x < l->of + l->flat; x++)
        if (x->n > 1 && x->width < MOST_WIDTH && (full == NULL || (uint64_t)full->n << x->width < (uint64_t)x->n << full->width)) full = x;
    return full;
}

/* The next bit of states is the next one of a number. */
static void give_bit(qb_lexicons *l, uint32_t k, uint32_t from) {
    const uint32_t word = l->bits / 64, shift = l->bits % 64;
    qb_digits *d = l->digits + l->digit_count - 1; /* the last one: is this its next bit? */
    if (l->digit_count > 0 && d->lexicon == k && d->word == word) d->mask = d->mask << 1 | 1;
    else l->digits[l->digit_count++] = (qb_digits){1, k, from, word, shift};
    l->bits++;
}

void qb_lexicons_lay_out(qb_lexicons *l, uint32_t bits) {
    uint32_t spare = bits;
    for (uint32_t k = 0; k < l->flat; k++) spare -= l->of[k].width = bits_for(l->of[k].n);
    for (qb_lexicon *x; spare > 0 && (x = fullest(l)) != NULL; spare--) x->width++;
    l->digit_count = l->bits = 0;
    for (uint32_t k = 0; k < l->flat; k++)
        for (uint32_t from = 0; from < l->of[k].width; from++) give_bit(l, k, from);
}

/* States. */

/* Fetch the slots of the words of a state in which it differs from the one before: these will be looked up. */
static inline void prefetch_words(const qb_lexicons *l, const uint64_t *s, const uint64_t *before) {
    for (uint32_t i = 0; i < l->flat; i++)
        if (s[i] != before[i] && l->of[i].size > 0) __builtin_prefetch(&l->of[i].slots[home(s[i], l->of[i].size)]);
}

int qb_lexicons_number(qb_lexicons *l, uint32_t words, const uint64_t *states, uint32_t stride, uint64_t count, uint64_t *out) {
    uint32_t strange = 0;
    for (uint64_t k = 1; k < count && k < AHEAD; k++) prefetch_words(l, states + k * stride, states + (k - 1) * stride);
    for (uint64_t k = 0; k < count; k++, states += stride, out += words) {
        if (k + AHEAD < count) prefetch_words(l, states + AHEAD * stride, states + (AHEAD - 1) * stride);
        for (uint32_t i = 0; i < l->flat; i++) {
            const uint32_t number = number_of(l, &l->of[i], states[i]);
            if (number == NO_NUMBER) return -1;
            strange |= number >> l->of[i].width;
            l->numbers[i] = number;
        }
        const qb_digits *d = l->digits, *const end = d + l->digit_count; /* in the order of the stored words */
        for (uint32_t i = 0; i < words; i++) {
            uint64_t word = 0;
            for (; d < end && d->word == i; d++) word |= (l->numbers[d->lexicon] >> d->from & d->mask) << d->shift;
            out[i] = word;
        }
    }
    return strange == 0;
}

void qb_lexicons_spell(const qb_lexicons *l, const qb_half_aligned *stored, uint64_t *flat) {
    for (uint32_t i = 0; i < l->flat; i++) l->numbers[i] = 0;
    for (uint32_t i = 0; i < l->digit_count; i++) {
        const qb_digits *d = &l->digits[i];
        l->numbers[d->lexicon] |= (uint32_t)(stored[d->word] >> d->shift & d->mask) << d->from;
    }
    for (uint32_t i = 0; i < l->flat; i++) flat[i] = l->of[i].words[l->numbers[i]];
}
