/* The letter of each state, by number: one byte each as long as there are few letters. */
#ifndef QB_LETTERS_H
#define QB_LETTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define QB_NO_LETTER 0xffffffffu

typedef struct {
    uint8_t *narrow; /* 1 + the number, 0 where none is known; NULL: the others are used */
    uint32_t *wide;
    uint64_t room; /* states */
} qb_letter_list;

void qb_letters_close(qb_letter_list *letters);
bool qb_set_letter(qb_letter_list *letters, uint32_t state, uint32_t letter); /* false: no memory */

static inline uint32_t qb_letter_of(const qb_letter_list *letters, uint32_t state) {
    if (state >= letters->room) return QB_NO_LETTER;
    return letters->wide != NULL ? letters->wide[state] - 1 : (uint32_t)letters->narrow[state] - 1;
}

#endif
