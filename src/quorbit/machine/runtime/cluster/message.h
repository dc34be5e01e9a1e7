/* States on their way between processes, and in files: a header, the rows of the states, and the values they name.
 *
 * A row is the words of a state.  Numbers of interned values mean something in one process only: in a message values are
 * numbered by the message's own dictionary, which lists of each value its kind and its parts, inner values first.  So a
 * message can be understood by itself, and it is the same for a socket, an object store and a file. */
#ifndef QB_MESSAGE_H
#define QB_MESSAGE_H

#include "structure.h"

#define QB_MESSAGE_MARK 0x316d6271u /* "qbm1" */

typedef struct {
    uint32_t mark, words;
    uint64_t epoch, seq;
    uint32_t sender, owner;
    uint64_t rows, value_words; /* of the dictionary */
    uint64_t value_count;
    uint64_t checksum; /* the sum of the structural hashes of the states */
} qb_header;

#define QB_HEADER_WORDS (sizeof(qb_header) / sizeof(uint64_t))

typedef struct {
    uint64_t *data, room; /* in words; the header comes first */
    uint64_t rows, checksum;
    uint64_t *values, value_words, value_room, value_count; /* the dictionary, behind the rows once the message is sealed */
    uint64_t *places, place_size; /* number of a value << 32 | place in the dictionary + 1; 0: free */
} qb_outbox;

bool qb_outbox_add(qb_outbox *box, qb_structure *x, const uint64_t *s, uint64_t hash); /* false: no memory */
/* The message; false: no memory. */
bool qb_outbox_seal(qb_outbox *box, uint32_t words, uint64_t epoch, uint32_t sender, uint32_t owner, uint64_t seq, uint64_t *bytes);
void qb_outbox_clear(qb_outbox *box);
void qb_outbox_close(qb_outbox *box);

/* A message that was received, with the values numbered as they are here. */
typedef struct {
    const qb_header *header;
    const uint64_t *rows;
    uint32_t *numbers; /* of the values in its dictionary */
} qb_letter;

/* false: it is damaged, or there is no memory. */
bool qb_letter_open(qb_letter *letter, qb_structure *x, const void *message, uint64_t bytes);
void qb_letter_close(qb_letter *letter);
/* Copy one of its states; false: it names a value that is not in the dictionary. */
bool qb_letter_state(const qb_letter *letter, const qb_structure *x, uint64_t row, uint64_t *s);

#endif
