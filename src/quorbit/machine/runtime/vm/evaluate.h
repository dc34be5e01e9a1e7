/* Functions of interned values, evaluated here: the common operators on sets, relations, tuples and numbers.
 *
 * A function is a tree of nodes that reads the words of its operands.  Its value is found as the meaning of the model
 * finds it; where that depends on an order in which elements are looked at, or a number grows beyond 64 bits, the
 * function is not decided here and the caller is asked as always (memo.h). */
#ifndef QB_EVALUATE_H
#define QB_EVALUATE_H

#include "values.h"

enum {
    QB_E_LITERAL, /* value: a value's number */
    QB_E_ID,      /* value: a word that is a value's number */
    QB_E_INT,     /* value: a word that is an integer */
    QB_E_SLOT,    /* value: the slot of a bound name */
    QB_E_TUPLE,
    QB_E_SET,
    QB_E_PART, /* value: which */
    QB_E_CONDITION,
    QB_E_OTHERWISE,
    QB_E_NOT,
    QB_E_AND,
    QB_E_OR,
    QB_E_EQUAL,
    QB_E_LESS,
    QB_E_LESS_EQUAL,
    QB_E_NEGATE,
    QB_E_ADD,
    QB_E_SUBTRACT,
    QB_E_MULTIPLY,
    QB_E_MINIMUM,
    QB_E_MAXIMUM,
    QB_E_MEMBER,
    QB_E_SUBSET,
    QB_E_UNION,
    QB_E_INTERSECTION,
    QB_E_DIFFERENCE,
    QB_E_PRODUCT,
    QB_E_SIZE,
    QB_E_INTERVAL,
    QB_E_BIG_UNION,
    QB_E_DOMAIN,
    QB_E_RANGE,
    QB_E_INVERSE,
    QB_E_OVERRIDE,
    QB_E_IMAGE,
    QB_E_APPLY,
    QB_E_DOMAIN_RESTRICT,
    QB_E_RANGE_RESTRICT,
    QB_E_ALL, /* quantifiers: the set gone through, condition, body; value: the slot */
    QB_E_SOME,
    QB_E_COUNT,
    QB_E_SUM,
    QB_E_COLLECT,
    QB_E_KINDS
};
#define QB_MOST_SLOTS 16u

typedef struct {
    uint32_t kind, first, count; /* its operands: from `first` in the list of operands */
    uint32_t unused;
    int64_t value;
} qb_expression;

typedef struct qb_evaluation qb_evaluation;

/* The last node is the whole; operands come before what they are operands of.  `low` and `high`: a result that is an
 * integer lies between, else it is a value's number.  NULL: this is not a tree, or memory is short. */
qb_evaluation *qb_evaluation_open(qb_values *values, const qb_expression *nodes, uint32_t count, const uint32_t *operands,
                                  uint32_t operand_count, uint32_t words, bool integer, int64_t low, int64_t high);
void qb_evaluation_close(qb_evaluation *evaluation);
/* QB_FOUND, QB_NO_VALUE, or QB_STOP where the caller must be asked. */
int qb_evaluate(qb_evaluation *evaluation, const int64_t *words, int64_t *result);

#endif
