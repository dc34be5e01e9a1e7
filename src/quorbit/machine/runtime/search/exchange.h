/* What workers tell each other in a round of a search by several (parallel.c).
 *
 * In a round worker k expands the k-th part of a stretch of states and puts every record into a mailbox for the worker
 * whose table knows it, with its tag and its place among all that it sends.  Then each worker takes in
 * its mail in the order of the senders, and notes what is new: it has no number yet, and stands in the table under a number
 * beyond those of the stored states.  Then each sender puts those of its records that are new into the arena, in the order
 * in which it sent them, behind those of the senders before it.  So they get the numbers that one worker alone would have
 * given them.  At last either the numbers go into the tables, or the round is undone: it has left no other trace. */
#ifndef QB_EXCHANGE_H
#define QB_EXCHANGE_H

#include "search.h"

#ifndef QB_ROUND_BYTES
#define QB_ROUND_BYTES (640u << 10) /* that a worker is meant to send in a round: they stay in the caches */
#endif

/* So many records are meant to be sent; twice as many make a round void. */
static inline uint64_t qb_wanted_sent(uint32_t words) {
    uint64_t n = QB_ROUND_BYTES / (8ull * (words + 1));
    return n < 16 ? 16 : n;
}

/* With a last batch. */
static inline uint64_t qb_most_sent(uint32_t words) { return 2 * qb_wanted_sent(words) + QB_CAPACITY; }

/* A state that has no number yet: found by this worker, at this place of its finds. */
#define QB_NEW (1ull << 63)
static inline uint64_t qb_new_target(uint32_t worker, uint64_t at) { return QB_NEW | (uint64_t)worker << 32 | at; }

/* Records of `words` + 1 words: the state as it is stored, then tag << 32 | place. */
typedef struct {
    uint64_t n, capacity; /* records; words that there is room for */
    uint64_t *records;
} qb_mailbox;

typedef struct {
    const uint64_t *record;
    uint64_t *slot; /* NULL: the hash 0, which has none */
} qb_found;

struct qb_exchange {
    qb_mailbox outbox[QB_MOST_WORKERS];
    uint64_t sent, most; /* there is room for so many */
    uint64_t *sources; /* by place: the state it comes from */
    uint64_t *targets; /* by place: the number of the state, or QB_NEW; partial order only */
    qb_found *found;   /* new states among the mail, in its order */
    uint64_t *numbers; /* that they get */
    uint64_t *parents; /* of the states that this worker has put into the arena */
    uint64_t found_count, found_room;
    uint64_t found_from[QB_MOST_WORKERS + 1]; /* where those of each sender begin */
    uint64_t first, count; /* the states that this worker has put into the arena */
    uint64_t *firing;      /* counts of the round */
    uint64_t transitions, errors; /* before the round */
    qb_lent_scratch scratch;
    bool is_void; /* the round cannot be used: its part is to be expanded by one worker alone */
};

/* `words`: of the shortest records that will be sent.  NULL: no memory. */
qb_exchange *qb_exchange_open(uint32_t words, uint64_t numbered, bool in_part);
void qb_exchange_close(qb_exchange *exchange);
uint64_t qb_exchange_bytes(const qb_exchange *exchange); /* 0 for NULL */

void qb_begin_round(qb_worker *w, uint64_t first, uint64_t end); /* to expand these states */
void qb_send_batch(qb_worker *w);
void qb_take_in(qb_worker *w);
void qb_place_found(qb_worker *w);
uint64_t qb_found_in_all(const qb_engine *e); /* how many states are new */
void qb_end_round(qb_worker *w, bool keep);

#endif
