/* Search in slices, breadth-first unless another order is asked for (orders.c).
 *
 * All states are in one store, in the order of their discovery: it is the queue.  States before the first worker's
 * `cursor` are expanded, those up to `level_end` are at the present distance from the start, later ones at the next.
 * States are expanded until a batch of records is full; then the batch is reduced, hashed, and looked up together,
 * so that waiting for memory overlaps.  Batches end where a block of states ends, so that what they are does
 * not depend on who expands which blocks: one worker alone (search.c), or several at once (parallel.c), with the same
 * states in the same order. */
#ifndef QB_SEARCH_H
#define QB_SEARCH_H

#include "seen_calls.h"
#include "moves.h"
#include "orbits.h"
#include "quorbit.h"
#include "reduce.h"
#include "squeeze.h"
#include "store.h"
#include "stubborn.h"
#include "ways.h"

#include <stdatomic.h>

#define QB_BATCH 512u     /* records after which a batch is looked up */
#define QB_CAPACITY 4096u /* records a batch has room for */
#ifndef QB_BLOCK
#define QB_BLOCK 64u /* states; a power of 2 */
#endif
#define QB_MOST_WORKERS QB_MOST_THREADS

enum { QB_RUNNING, QB_DONE, QB_FAILED, QB_MEMORY, QB_DEPTH, QB_STATES, QB_TOO_FEW_ATOMS, QB_TOO_LARGE, QB_STOPPED, QB_DISK };
enum { QB_OLDEST_FIRST, QB_NEWEST_FIRST, QB_MIXED };
enum { QB_NOTHING, QB_BY_MOVE, QB_IN_STATE, QB_STUCK };
enum { QB_STUTTERING = 2 }; /* for the option stuck: a move that leaves the state as it is does not count */

typedef struct {
    qb_program program;
    uint64_t most_bytes, most_states, most_depth; /* 0: no limit but the machine's; UINT64_MAX for depth */
    uint32_t all_errors, transient, check, stuck, threads; /* stuck: 0, 1 or QB_STUTTERING */
    uint32_t order;   /* in which open states are expanded */
    uint32_t compact; /* states that were expanded are remembered by their hash alone */
    uint32_t limbs;   /* words of the order of a stabiliser */
    uint32_t squeezed; /* states are stored without the bits that never change; oldest first */
    uint32_t most_moves; /* so many calls of one label are followed from a state; 0: all */
    uint32_t parents; /* how they are kept (parents.h); ordered: oldest first and in full; none: oldest first, not compact */
    uint32_t wide;    /* numbers of 40 bits also where 32 are enough: for tests */
    uint64_t bit_bytes; /* compact: their hashes are kept as bits of an array of so many bytes; 0: whole; one worker */
    double alpha;     /* QB_MIXED: the probability to take the newest open state */
    uint64_t seed;
    const qb_plan *plan;     /* NULL: no reduction */
    const qb_plan *counting; /* a plan for the whole group, to count the states of each orbit; NULL: they are not counted */
    const qb_partial_order *partial_order; /* NULL: every state is expanded in full */
} qb_options;

typedef struct {
    uint64_t states, transitions, levels, cursor, bytes, errors;
    uint64_t failure_kind, failure_state;
    double cpu_seconds;
    double lost; /* states, by an array of bits: about so many */
    uint64_t cache_hits;
    uint64_t deepest; /* the greatest distance from the start on the ways that were found */
    uint64_t status;
    uint64_t left_out; /* 1 + the label of a call that was not followed; 0: all were */
} qb_report;

typedef struct qb_engine qb_engine;
typedef struct qb_exchange qb_exchange; /* exchange.h */
typedef struct qb_shard qb_shard;       /* shard.h */

/* States that are not expanded yet, oldest first, by number. */
typedef struct {
    uint32_t *numbers, *depths; /* depths: of all states, by number */
    uint64_t head, tail, pushed, capacity;
    uint64_t deepest, draws;
    bool cut; /* a state at the depth limit was left out */
} qb_open_list;

/* What was known when the present level began: together with the states found until then, all that is needed to go on
 * from there. */
typedef struct {
    uint64_t transitions, errors, failure_kind, failure_state;
    uint64_t *fired;
} qb_snapshot;

typedef struct {
    qb_engine *engine;
    uint32_t index;
    qb_store *store;  /* the engine's */
    const void *self; /* what next, check and stuck get as their first argument */
    qb_reducer *reducer;
    qb_chooser *chooser; /* NULL: every state is expanded in full */
    int wanted;          /* of the records of a state: those chosen, or the rest */
    qb_moves moves;
    qb_ways ways;
    qb_calls calls;
    int64_t *registers;
    uint64_t *records, *hashes, *slots;
    uint64_t *stored;  /* the records as the store holds them; NULL: as they are */
    uint64_t *flat;    /* a stored state as it was made */
    uint64_t *recent; /* states looked up lately, one for each of some bits of the hash: most come again soon */
    uint64_t recent_mask; /* these bits */
    bool recent_flat;     /* they are kept as they were made, not as they are stored */
    bool sorted_out;      /* what was looked up lately is not in the batch any more */
    uint32_t *kept; /* which records of the batch are looked up */
    uint32_t *metas;
    uint64_t *sources; /* numbers of states */
    uint64_t n;                /* records in the batch */
    bool partial;              /* time was up before the batch was full */
    uint64_t cursor, level_end, skip; /* skip: records of the state at the cursor that are done already */
    bool moving;                      /* the moves of the state at the cursor are under way */
    bool left;                        /* one of those that there are so far leads to another state */
    uint64_t *fired, *firing;         /* firing: where it is counted at present, fired or a part of the exchange */
    uint64_t transitions, errors, failure_kind, failure_state;
    uint64_t *failure; /* the words of that state */
    qb_orbits *orbits; /* how many states the stored ones stand for, if that is asked for */
    double cpu_seconds;
    int status;
    qb_exchange *exchange; /* NULL if there is one worker */
} qb_worker;

struct qb_engine {
    qb_options options;
    qb_program peeking; /* the same program, which knows only what functions were asked before */
    qb_next next;
    qb_count check, stuck;
    uint32_t stride; /* words of a record */
    uint32_t worker_count;
    qb_worker *workers;
    qb_store store;
    qb_open_list open;    /* other orders than breadth-first */
    uint8_t *marks;       /* partial order: how each state was expanded */
    uint32_t *leads;      /* of states that were expanded in part: a successor */
    uint64_t open_from, retry_at; /* where the next level begins; the next state whose rest may be needed */
    uint64_t *levels, level_count, level_room;
    uint64_t *level_ends, level_end_room; /* the number of the first state after each level */
    uint64_t *fired;
    qb_snapshot snapshot;
    const uint64_t *watch; /* numbers of states whose words are wanted, in the order of discovery */
    uint64_t watch_count, watched, *watch_into;
    uint64_t alone_until; /* several workers: up to this state one goes on alone */
    uint64_t round_blocks, setbacks; /* blocks for each worker in a round; rounds in a row that came to nothing */
    double alone_pace, team_pace;    /* seconds for a state lately, of one worker and of all together; 0: not known */
    uint64_t alone_states;           /* done by one worker since the pace was noted, in so many seconds: */
    double alone_seconds;
    uint64_t rest, weigh_at;         /* how long one goes on alone where that is quicker; where it is tried again if not */
    double deadline;
    atomic_bool orbits_failed; /* there was no memory to count them */
    volatile bool stop; /* set from outside, at any time */
    qb_shard *shard;    /* NULL: this process has all states */
    int status;
};

QB_API void qb_stop(qb_engine *e);
QB_API int qb_step(qb_engine *e, double seconds);
QB_API void qb_ask(const qb_engine *e, qb_report *report);
QB_API const uint64_t *qb_fired(const qb_engine *e);
QB_API uint64_t qb_parent(const qb_engine *e, uint64_t number); /* QB_NO_PARENT: none, or it is not known */

/* Where a level begins; the end of the last one where there are fewer. */
QB_API uint64_t qb_level_start(const qb_engine *e, uint64_t level);

/* A stored state as the program reads it: there until the next one is loaded. */
static inline const uint64_t *qb_load(const qb_worker *w, uint64_t number) {
    if (!qb_is_squeezed(w->store)) return w->store->arena + number * w->store->words;
    qb_unsqueeze(w->store->squeeze, qb_at(w->store, number, w->store->words, w->store->odd), w->flat);
    return w->flat;
}

/* Fill the worker's batch from its queue: reduced records that count as transitions. */
void qb_fill(qb_worker *w);
void qb_look_up_batch(qb_worker *w);
/* A state was found: check it, and count or keep it as asked. */
void qb_meet(qb_worker *w, uint64_t number);
void qb_check(qb_worker *w, uint64_t number);
void qb_count_orbit(qb_worker *w, uint64_t number);
void qb_forget_recent(qb_worker *w); /* what it has looked up lately was undone */
void qb_watch_found(qb_engine *e); /* keep the words of those states found by now that are watched for */

/* They should stay in the cache of the processor: so many at most, and no more than fit into so many bytes. */
#ifndef QB_RECENT_BITS
#define QB_RECENT_BITS 15u
#endif
#define QB_RECENT_BYTES ((uint64_t)1 << 20)

/* Where they are: for a loop that writes elsewhere meanwhile, so that they are not read anew each time. */
typedef struct {
    uint64_t *states, mask;
} qb_recents;

static inline qb_recents qb_recents_of(const qb_worker *w) { return (qb_recents){w->recent, w->recent_mask}; }

static inline uint64_t *qb_recent(const qb_recents *r, uint64_t hash, uint32_t words) { return r->states + (hash & r->mask) * words; }

/* Whether a state was looked up lately; if not, it is now. */
static inline bool qb_is_recent(const qb_recents *r, const uint64_t *s, uint64_t hash, uint32_t words) {
    uint64_t *seen = qb_recent(r, hash, words);
    const bool equal = qb_equal(seen, s, words);
    qb_copy(seen, s, words); /* without a jump, which no processor could foresee */
    return equal;
}

/* Partial order (postpone.c).  Narrow: keep those of the records of the state at the cursor that are wanted; how many.
 * Retry: expand the rest where it is needed; false: the search ends. */
uint64_t qb_narrow(qb_worker *w, uint64_t got);
void qb_look_up_open(qb_worker *w);
bool qb_retry_state(qb_engine *e, uint64_t number);
bool qb_retry_level(qb_engine *e);

static inline void qb_mark(const qb_worker *w, uint8_t mark) {
    w->engine->marks[w->cursor] = mark;
    w->engine->leads[w->cursor] = QB_NO_LEAD;
}

/* Whether a state will be expanded later; breadth-first: in a later level. */
static inline bool qb_is_open(const qb_engine *e, uint64_t number) {
    return e->options.order == QB_OLDEST_FIRST ? number >= e->open_from : e->marks[number] == QB_UNEXPANDED_STATE;
}

/* A state has a record of another one: the last open one is its lead (loops are mostly left last), or the first of all. */
static inline void qb_lead_to(const qb_engine *e, uint64_t source, uint64_t number) {
    uint8_t *mark = &e->marks[source];
    uint32_t *lead = &e->leads[source];
    if (*mark != QB_PARTLY && *mark != QB_PARTLY_LED) return;
    bool is_open = qb_is_open(e, number);
    if (*mark == QB_PARTLY ? is_open || number < *lead : is_open && number > *lead) *lead = (uint32_t)number;
    if (is_open) *mark = QB_PARTLY_LED;
}

/* The states of other processes (shard.h). */
void qb_shard_close(qb_shard *shard);
bool qb_fails_before(const qb_engine *e, uint64_t kind, const uint64_t *s);

/* Whether there is a level to go on with; sets the engine's status if not. */
bool qb_begin_level(qb_engine *e);
bool qb_push_level(qb_engine *e); /* the states found since the present level began are the next level */
void qb_take_snapshot(qb_engine *e);
uint64_t qb_total_errors(const qb_engine *e);
uint64_t qb_most_bytes(const qb_engine *e); /* what values, remembered calls and mail leave for the states */
/* Search with the first worker until the cursor is at `until` or the slice or the search ends; true: it is there. */
bool qb_search_alone(qb_engine *e, uint64_t until);
void qb_search_parallel(qb_engine *e);
bool qb_list_open(qb_open_list *open, uint64_t capacity);
void qb_list_close(qb_open_list *open);
void qb_search_in_order(qb_engine *e);

#endif
