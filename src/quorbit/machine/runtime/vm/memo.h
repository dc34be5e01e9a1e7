/* Functions of values that are evaluated once for all operands they meet.
 *
 * What the register machine has no instruction for is asked of the caller (Python, by the meaning of the model) the
 * first time, and remembered: for a function and the words of its operands, the words of its results.  The table is a
 * cache: when it has grown too large it is emptied. */
#ifndef QB_MEMO_H
#define QB_MEMO_H

#include "evaluate.h"
#include "quorbit.h"

enum { QB_FOUND, QB_NO_VALUE, QB_STOP }; /* what a call comes to: results, a fault, the search must stop */

/* Writes the results; answers one of the above. */
typedef int (*qb_miss)(uint32_t function, const int64_t *operands, int64_t *results);

QB_API qb_memo *qb_memo_open(qb_miss miss, uint64_t most_bytes);
QB_API void qb_memo_close(qb_memo *memo);
/* A function with so many words of operands and results: its number. */
QB_API uint32_t qb_memo_declare(qb_memo *memo, uint32_t operands, uint32_t results);
/* Evaluate a function here, as far as that goes (evaluate.h); false: it cannot be. */
QB_API bool qb_memo_evaluate(qb_memo *memo, uint32_t function, qb_values *values, const qb_expression *nodes,
                             uint32_t count, const uint32_t *operands, uint32_t operand_count, bool integer, int64_t low,
                             int64_t high);
QB_API uint64_t qb_memo_bytes(const qb_memo *memo);
QB_API void qb_memo_limit(qb_memo *memo, uint64_t most_bytes); /* it forgets what it knows rather than grow beyond */
QB_API uint64_t qb_memo_misses(const qb_memo *memo);
/* Whether a function exists and the registers from these on have room for its operands and results. */
bool qb_memo_fits(const qb_memo *memo, int64_t function, uint32_t results, uint32_t operands, uint32_t registers);
/* Requires that it fits. */
QB_API int qb_memo_call(qb_memo *memo, uint32_t function, const int64_t *operands, int64_t *results);
/* The same of what is remembered; else QB_STOP, and the thread has missed something (values.h).  Several threads may do
 * this at the same time, as long as none calls. */
int qb_memo_peek(qb_memo *memo, uint32_t function, const int64_t *operands, int64_t *results);

#endif
