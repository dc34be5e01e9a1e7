/* Strong stubborn sets (engines/stubborn.py is the meaning of this file): of the commands that can run in a state, those
 * that have to be looked at there.
 *
 * What Python knows of the cases of a System comes as rows of bits, one bit per case.  A set grows from one case that can
 * happen: the least member that was not looked at brings in the row of what may not change its order with it, or, if it
 * cannot happen, the row of what may make one of its false tests true, the cheapest.  The smallest set wins.
 *
 * Each state has a mark: how it was expanded.  From every state a way must lead to one that is expanded in full, so that
 * nothing is put off forever.  So each state that is expanded in part has a lead, one of its successors, and leads never
 * make a cycle: they end in states that are expanded in full or not yet.  An open successor will do.  If there is none, a
 * successor will do whose leads do not end in the state itself; else that state is expanded in full, before the next level
 * begins (breadth-first, so that what is found does not depend on threads) or at once (other orders). */
#ifndef QB_STUBBORN_H
#define QB_STUBBORN_H

#include "quorbit.h"

enum { QB_UNEXPANDED_STATE, QB_PARTLY, QB_PARTLY_LED, QB_FULLY }; /* led: its lead is known to end elsewhere */
#define QB_NO_LEAD UINT32_MAX
enum { QB_ALL_OF_THEM, QB_CHOSEN, QB_THE_REST }; /* which records of a state are wanted */

/* A test: a field that has one of some values, up to 63, as bits; a field that is one of a range of values, `values` and
 * `entry` more, where 0 follows the greatest of 64 bits; or (QB_BY_PROGRAM) a program that tells: 1, 0, or QB_FAULT. */
enum { QB_BY_PROGRAM, QB_BY_VALUES, QB_BY_RANGE };
typedef struct {
    uint16_t word;
    uint8_t shift, width;
    uint16_t kind;
    uint16_t fails; /* it holds where the program has no answer */
    uint64_t values;
    uint64_t entry;
    uint32_t needs, stride; /* what it needs for the values of the field: the first, and how far apart; QB_ONE_ROW: one row */
} qb_test;
#define QB_ONE_ROW UINT32_MAX
#define QB_MOST_BITS 10 /* of a field for whose values there are rows */

/* What a false test of a field needs for one value of it: numbers of rows of `enabling`, and for each the number of a row of
 * `asking`: who needs no more if all of them are in the set.  The first steps on the way to where the test holds will do if
 * they are in the set already; else the nearest cases on that way that can happen or wait for something else. */
typedef struct {
    uint32_t first, first_settles, gates, gates_settle;
} qb_need;

typedef struct {
    uint32_t cases, tests, words, commands; /* words: of a row */
    uint32_t invisible, rows, needs, settling; /* invisible: a set begins with an invisible case where one can happen */
    const uint64_t *dependent, *enablers;   /* a row for each case */
    const uint64_t *enabling;               /* a row for each test: what may make it true; then rows for values of fields */
    const uint64_t *asking;                 /* a row for each test: whose test it is; then whom first steps settle */
    const uint64_t *visible, *loose;        /* a row; loose: sets are looked for that begin with these, then others */
    const uint32_t *test_starts, *test_list; /* the tests of each case */
    const uint32_t *case_starts, *case_list; /* the cases of each command, not its run-time errors */
    const uint32_t *case_commands;
    const qb_need *need_table;
    const qb_test *test_table;
    qb_program program; /* for tests that are programs */
} qb_partial_order;

typedef struct qb_chooser qb_chooser;

qb_chooser *qb_chooser_open(const qb_partial_order *order); /* NULL: no memory */
void qb_chooser_close(qb_chooser *chooser);
/* Choose among the commands of these records of a state; false: all of them have to be looked at. */
bool qb_choose(qb_chooser *chooser, const uint64_t *s, const uint32_t *metas, uint64_t n);
bool qb_is_chosen(const qb_chooser *chooser, uint32_t meta); /* of the last state */
/* A record was made by this command, which was the first on its way; all_made: every chosen command made one. */
void qb_note_made(qb_chooser *chooser, uint32_t meta);
bool qb_all_made(const qb_chooser *chooser);

QB_API bool qb_order_is_sound(const qb_partial_order *order, uint32_t words);

#endif
