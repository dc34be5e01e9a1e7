/* From a path of representatives to a run of the unreduced program.
 *
 * The search finds a path r0, r1, ...; the run begins in a concrete initial state s0 of r0's orbit and takes at each step
 * a way whose end has the representative r(k+1).  There is one wherever the plan gives each orbit one representative.
 * It is found with the bytecode, whatever the search ran with, so the run is also a second look at the path.  Works in
 * slices, for paths may have millions of states. */
#ifndef QB_FOLLOW_H
#define QB_FOLLOW_H

#include "search.h"

typedef struct {
    uint64_t steps;           /* found so far */
    const uint64_t *states;   /* after each step */
    const uint64_t *ends;     /* for each step, the number of commands up to its end */
    const uint32_t *commands; /* of all steps, one after the other */
} qb_run_view;

typedef struct qb_follow qb_follow;

/* The states from an initial one to this one: their number; their words, if there is room for so many. */
QB_API uint64_t qb_path(const qb_engine *e, uint64_t state, uint64_t *words, uint64_t room);
/* `path`: the words of `count` representatives; it must live on.  NULL: no memory. */
QB_API qb_follow *qb_follow_open(qb_engine *e, const uint64_t *path, uint64_t count, const uint64_t *start);
/* QB_RUNNING, QB_DONE, QB_MEMORY, or QB_FAILED: no way of the program leads on. */
QB_API int qb_follow_step(qb_follow *f, double seconds);
QB_API void qb_follow_view(const qb_follow *f, qb_run_view *view);
QB_API void qb_follow_close(qb_follow *f);

#endif
