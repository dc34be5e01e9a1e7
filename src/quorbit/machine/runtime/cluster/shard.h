/* One owner of a search that several processes share, on one machine or on many, which tell each other of states in bytes.
 *
 * Every state belongs to one of the owners, by a hash of what it is (structure.h), which no numbering and no process
 * decides.  A level is worked off in steps, and whoever drives the owners waits for all of them after each:
 *     qb_expand, again and again: what belongs to others goes into an outbox for each of them (message.h); qb_take: what
 *         others have sent is looked up and stored;
 *     with partial order (stubborn.h): qb_note_open, what the owners say of the states they were sent; then qb_expand_rest,
 *         again and again: states that were expanded in part and lead to none of the next level are expanded in full;
 *     qb_prepare: the owner says how many states are new, with a checksum, and that nothing is missing;
 *     qb_commit: the new states are the next level.
 * Until all owners have prepared, qb_abort forgets what was found: it goes back to any earlier level.  Messages carry the
 * epoch in which they were sent; each commit and each abort begins another, and what comes late or twice is dropped.  No
 * parents are kept: a trace is found by expanding the levels again (qb_predecessor). */
#ifndef QB_SHARD_H
#define QB_SHARD_H

#include "message.h"
#include "search.h"
#include "structure.h"

#define QB_MOST_SHARDS 4096u

/* What qb_take and qb_restore answer, if not how many states were new. */
enum { QB_LATE = -1, QB_DAMAGED = -2, QB_NO_ROOM = -3 };

/* The sources of rows that were sent, in their order. */
typedef struct {
    uint32_t *sources;
    uint64_t n, room;
} qb_asked;

struct qb_shard {
    uint32_t owner, owners;
    uint64_t epoch;
    qb_structure structure;
    uint64_t *row; /* one state of a message */
    qb_outbox *boxes; /* for each owner; that of the owner itself holds what is exported */
    uint64_t *taken;  /* messages of this epoch from each owner */
    uint64_t boxed;   /* bytes in all outboxes */
    uint64_t *sent;   /* states sent lately, one for each of some bits of the hash: without it three times as many are sent */
    uint64_t sent_mask;
    uint64_t sent_count, sent_bytes; /* since the owner was opened */
    qb_asked *asked; /* partial order: for each owner, the sources of the states it was sent in this level */
};

/* What an owner says of the level that was expanded. */
typedef struct {
    uint64_t found, checksum; /* the new states: how many, and the sum of their hashes */
    uint64_t transitions, errors, failure_kind;
    uint64_t bytes, sent_count, sent_bytes;
    uint64_t partly; /* states of the level that was expanded which were expanded in part */
    double cpu_seconds; /* since the owner was opened */
} qb_level_report;

/* Share the states with others, before there are any; `fields`: where states name interned values.  false: no memory. */
QB_API bool qb_own(qb_engine *e, uint32_t owner, uint32_t owners, qb_values *values, const qb_field *fields, uint32_t field_count);
/* The same with states: those that belong to others now are dropped. */
QB_API bool qb_own_again(qb_engine *e, uint32_t owner, uint32_t owners);
QB_API bool qb_seed(qb_engine *e, const uint64_t *states, uint64_t count); /* initial states, of which it takes its own */

QB_API uint64_t qb_expand(qb_engine *e, uint64_t most_bytes, double seconds); /* how many states; ends early with full outboxes */
QB_API uint64_t qb_left(const qb_engine *e); /* states of the level that are not expanded */
QB_API const void *qb_outbox_of(qb_engine *e, uint32_t owner, uint64_t seq, uint64_t *bytes); /* the message, NULL: empty */
QB_API void qb_empty_outbox(qb_engine *e, uint32_t owner);
/* How many states were new.  `bits`, if given: for each record whether it leads beyond the committed levels. */
QB_API int64_t qb_take(qb_engine *e, const void *message, uint64_t bytes, uint8_t *bits);
/* Partial order.  `bits`: what an owner has answered (qb_take) about rows that it was sent, from the given one on. */
QB_API void qb_note_open(qb_engine *e, uint32_t owner, uint64_t first, uint64_t rows, const uint8_t *bits);
/* Expand the rest of states that lead to none of the next level; how many states may be left to look at. */
QB_API uint64_t qb_expand_rest(qb_engine *e, uint64_t most_bytes, double seconds);
/* false: messages are missing, of which `sent` says how many each owner sent. */
QB_API bool qb_prepare(qb_engine *e, const uint64_t *sent, qb_level_report *report);
QB_API void qb_worst(const qb_engine *e, uint64_t *s); /* the least failing state; requires an error in this level */
QB_API bool qb_commit(qb_engine *e, uint64_t epoch);
QB_API void qb_abort(qb_engine *e, uint64_t levels, uint64_t epoch); /* back to so many committed levels */

/* The states of a level as messages of about so many bytes, those that belong to `owner` of `owners` (0: all): the number
 * of the first state that is not in it.  From qb_level_start(level) to qb_level_start(level + 1). */
QB_API uint64_t qb_level_start(const qb_engine *e, uint64_t level);
QB_API uint64_t qb_export(qb_engine *e, uint64_t from, uint64_t to, uint32_t owner, uint32_t owners, uint64_t most_bytes,
                          const void **message, uint64_t *bytes);
/* Take back states of a level: those that belong to this owner.  qb_restore_level ends the level. */
QB_API int64_t qb_restore(qb_engine *e, const void *message, uint64_t bytes);

/* Look for the least state of a level that leads to a state, from number *at on; `best` is the least so far if *found.
 * QB_RUNNING: time was up; QB_DONE; else what went wrong. */
QB_API int qb_predecessor(qb_engine *e, uint64_t level, const uint64_t *target, uint64_t *at, uint64_t *best, bool *found,
                          double seconds);
/* States in messages of their own, so that others understand them. */
QB_API const void *qb_tell_state(qb_engine *e, const uint64_t *s, uint64_t *bytes);
QB_API bool qb_read_state(qb_engine *e, const void *message, uint64_t bytes, uint64_t *s);
QB_API int qb_order(const qb_engine *e, const uint64_t *a, const uint64_t *b); /* negative, zero, positive */

#endif
