/* The adaptive search: rules over counters, with what Python knows asked for once and remembered.
 *
 * Clauses about the shared part, one letter, or numbers of processes are looked up by what they depend on; so are the
 * effects of commands that change one process.  What is not known yet, and everything else, is asked of Python through
 * one function.  Its answers that are more than a number are put into a buffer by adaptive_answer. */
#ifndef QUORBIT_ADAPTIVE_SEARCH_H
#define QUORBIT_ADAPTIVE_SEARCH_H

#include "store.h"

/* What is asked.  ``subject`` and ``extra`` as said; shared, p and words are the state it is about. */
enum {
    ASK_SHARED,    /* clause: is it true */
    ASK_LETTER,    /* clause, letter: is it true */
    ASK_COUNTED,   /* condition, letter of the moving process or NOTHING, its cell behind the words: is it true */
    ASK_SYMMETRIC, /* condition: is it true */
    ASK_EFFECT,    /* rule, cell and letter in the buffer: 0 none, 1 (shared, letter) in the buffer, 2 a violation */
    ASK_EVENTS,    /* rule: (1, shared, length, words) or (0) for a violation, in the buffer, for each event */
    ASK_MEET,      /* partition, partition: the number of their meet */
    ASK_PLACES,    /* rule: in the buffer its cells, and the clauses that forbid letters in each cell of p */
    ASK_ERRORS,    /* node: look for errors in it */
    ASK_STUCK,     /* node: look for deadlocks in it */
    ASK_PAUSE,     /* look at limits */
};
#define STOP (-1000) /* an answer: end the search */

typedef int32_t (*Ask)(uint32_t what, uint32_t subject, uint32_t extra, uint32_t shared, uint32_t p,
                       const uint32_t *words, uint32_t length);

/* A condition that depends on the shared part, on how many processes of some sets have letters for which a clause is
 * true (or just whether one has), and on the letter of the moving process. */
typedef struct {
    uint32_t clause;
    bool is_clipped;   /* only whether there is one */
    bool without_self; /* the moving process does not count */
    uint64_t *members; /* the processes, as bits */
} Counter;

typedef struct {
    uint32_t kind; /* ASK_SHARED, ASK_COUNTED, ASK_SYMMETRIC */
    uint32_t clause; /* for ASK_SHARED */
    bool by_letter; /* it depends on the letter of the moving process */
    bool by_cell;   /* and on the cell that process is in */
    uint32_t count;
    Counter *counters;
} Condition;

typedef struct {
    uint32_t q, command, edge;
    bool is_fast; /* everything about it can be looked up */
    uint32_t *shared, shared_count;       /* clauses about the shared part */
    uint32_t *own, own_count;             /* clauses about the letter of the moving process */
    uint32_t *symmetric, symmetric_count; /* conditions that keep all permutations */
    uint32_t *pieces, piece_count;        /* conditions about a piece, the moving process aside */
    uint32_t *movers, mover_count;        /* conditions about a piece and the moving process */
    uint64_t *classes;                    /* the cells of the coarsest partition it can move in, as bits */
    bool has_each;
} Rule;

typedef struct {
    uint32_t cell_count, *cells; /* in which the rule moves processes */
    uint32_t *forbidding;        /* for each cell the number of clauses, then these */
    uint32_t *start;             /* where each cell's list begins */
} Places;

typedef struct {
    uint32_t count, *conditions; /* that must hold for an error, and keep all permutations */
    uint32_t each_count;
    Counter *each; /* what all members of a set must satisfy for an error */
} Error;

typedef struct {
    Store store;
    Ask ask;
    Rule *rules;
    uint64_t rule_count, rule_room;
    Condition *conditions;
    uint64_t condition_count, condition_room;
    Error *errors;
    uint64_t error_count, error_room;
    Table letters; /* clause, shared part, letter or NOTHING -> truth */
    Table counted; /* condition, shared part, letter, numbers -> truth */
    Table effects; /* rule, shared part, letter -> where in ``results`` */
    uint32_t *results;
    uint64_t result_count, result_room;
    Table placed; /* rule, partition -> number in ``places`` */
    Places *places;
    uint64_t place_count, place_room;
    uint32_t *answer;
    uint64_t answer_count, answer_room;
    uint64_t *fired;
    uint64_t *levels, level_count, level_room;
    uint64_t transitions, pieces;
    uint32_t current; /* the node that is expanded */
    uint32_t max_depth;
    bool all_errors, asks_stuck, failed;
} Search;

/* Clauses and conditions (clauses.c): 1, 0, or STOP. */
typedef struct {
    uint32_t shared, p;
    const uint32_t *words;
    uint32_t length;
} State;

int letter_holds(Search *s, uint32_t clause, const State *at, uint32_t letter);
int shared_holds(Search *s, uint32_t clause, const State *at);
/* ``mover``, ``cell``: the letter of the moving process and where it is; NOTHING: nobody moves. */
int condition_holds(Search *s, uint32_t condition, const State *at, uint32_t mover, uint32_t cell);
int may_be_error(Search *s, const Error *error, const State *at);

#endif
