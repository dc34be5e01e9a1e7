/* A slice of a search in a thread of its own.
 *
 * One state can take long, and the caller must stay able to answer signals and to look at limits: it begins a slice and
 * waits for its end a moment at a time.  Closing waits for the thread, so no engine is freed while a thread is in it. */
#ifndef QB_APART_H
#define QB_APART_H

#include "search.h"
#include "spill.h"

#define QB_BUSY (-1)

typedef struct qb_apart qb_apart;

QB_API qb_apart *qb_apart_open(qb_engine *e, qb_spill *spill); /* spill: the search on disk, or NULL */
/* Begin a slice; requires that none is under way.  Where there can be no thread it is done when this returns. */
QB_API void qb_apart_begin(qb_apart *a, double seconds);
/* Wait so many seconds at most for its end: the status it has come to, or QB_BUSY. */
QB_API int qb_apart_await(qb_apart *a, double seconds);
/* Stop the slice that is under way, if there is one. */
QB_API void qb_apart_close(qb_apart *a);

#endif
