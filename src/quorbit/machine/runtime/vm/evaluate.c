/* Evaluating trees over interned values (evaluate.h): lists of elements on a stack of their own. */
#include "evaluate.h"

#include "memo.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_INTERVAL 1000000

enum { DONE, FAULT, ASK }; /* what a node comes to: a value, none, not decided here */

struct qb_evaluation {
    qb_values *values;
    qb_expression *nodes;
    uint32_t *operands;
    uint32_t count, words;
    bool integer;
    int64_t low, high;
    int64_t *stack; /* elements of the sets being made */
    uint64_t top, room;
    uint32_t slots[QB_MOST_SLOTS];
    const int64_t *given;
};

typedef qb_evaluation run;

static int eval(run *r, uint32_t node, uint32_t *out);

/* The stack. */

static bool reserve(run *r, uint64_t count) {
    if (r->top + count <= r->room) return true;
    uint64_t room = r->room < 256 ? 256 : r->room;
    while (room < r->top + count) room *= 2;
    int64_t *stack = realloc(r->stack, room * sizeof *stack);
    if (stack == NULL) return false;
    r->stack = stack;
    r->room = room;
    return true;
}

static bool push(run *r, int64_t x) {
    if (!reserve(r, 1)) return false;
    r->stack[r->top++] = x;
    return true;
}

/* Push the parts of a value; false: memory is short. */
static bool push_parts(run *r, uint32_t value, uint64_t *count) {
    const int64_t *parts = qb_value_list(r->values, value, count);
    if (!reserve(r, *count)) return false;
    memcpy(r->stack + r->top, parts, *count * sizeof *parts);
    r->top += *count;
    return true;
}

/* The set of what is on the stack from `base` on, which is taken off. */
static int make_set(run *r, uint64_t base, bool sorted, uint32_t *out) {
    uint64_t n = r->top - base, kept = 0;
    int64_t *list = r->stack + base;
    if (!sorted) qb_sort_numbers(list, n);
    for (uint64_t k = 0; k < n; k++)
        if (kept == 0 || list[kept - 1] != list[k]) list[kept++] = list[k];
    *out = qb_value_sorted(r->values, QB_SET, list, kept);
    r->top = base;
    return DONE;
}

static int make_pair(run *r, int64_t a, int64_t b, uint32_t *out) {
    int64_t parts[2] = {a, b};
    *out = qb_value_sorted(r->values, QB_TUPLE, parts, 2);
    return DONE;
}

static int make_integer(run *r, int64_t x, uint32_t *out) {
    *out = qb_value_sorted(r->values, QB_INTEGER, &x, 1);
    return DONE;
}

static int64_t integer_of(run *r, uint32_t value) {
    uint64_t count;
    const int64_t *parts = qb_value_list(r->values, value, &count);
    return count == 1 ? parts[0] : 0;
}

static int64_t part_of(run *r, uint32_t value, uint32_t k) {
    uint64_t count;
    const int64_t *parts = qb_value_list(r->values, value, &count);
    return k < count ? parts[k] : -1;
}

static bool has(const int64_t *list, uint64_t count, int64_t x) {
    uint64_t low = 0, high = count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        if (list[middle] < x) low = middle + 1;
        else high = middle;
    }
    return low < count && list[low] == x;
}

static bool contains(run *r, uint32_t set, int64_t x) {
    uint64_t count;
    const int64_t *list = qb_value_list(r->values, set, &count);
    return has(list, count, x);
}

/* Operators. */

static int eval_union(run *r, uint64_t base, uint32_t a, uint32_t b, uint32_t *out) {
    uint64_t n, m, i = 0, j = 0;
    const int64_t *x = qb_value_list(r->values, a, &n), *y = qb_value_list(r->values, b, &m);
    if (!reserve(r, n + m)) return ASK;
    while (i < n || j < m)
        r->stack[r->top++] = j == m || (i < n && x[i] < y[j]) ? x[i++] : y[j++];
    return make_set(r, base, true, out);
}

static int eval_filter(run *r, uint64_t base, uint32_t a, uint32_t b, bool keep, uint32_t *out) {
    uint64_t n, m, j = 0;
    const int64_t *x = qb_value_list(r->values, a, &n), *y = qb_value_list(r->values, b, &m);
    if (!reserve(r, n)) return ASK;
    for (uint64_t i = 0; i < n; i++) {
        while (j < m && y[j] < x[i]) j++;
        if ((j < m && y[j] == x[i]) == keep) r->stack[r->top++] = x[i];
    }
    return make_set(r, base, true, out);
}

static int eval_project(run *r, uint64_t base, uint32_t relation, uint32_t k, uint32_t *out) {
    uint64_t n;
    if (!push_parts(r, relation, &n)) return ASK;
    for (uint64_t i = base; i < r->top; i++) r->stack[i] = part_of(r, (uint32_t)r->stack[i], k);
    return make_set(r, base, false, out);
}

static int eval_inverse(run *r, uint64_t base, uint32_t relation, uint32_t *out) {
    uint64_t n;
    if (!push_parts(r, relation, &n)) return ASK;
    for (uint64_t i = base; i < r->top; i++) {
        uint32_t pair = (uint32_t)r->stack[i], turned;
        make_pair(r, part_of(r, pair, 1), part_of(r, pair, 0), &turned);
        r->stack[i] = turned;
    }
    return make_set(r, base, false, out);
}

static int eval_product(run *r, uint64_t base, uint32_t a, uint32_t b, uint32_t *out) {
    uint64_t n, m;
    if (!push_parts(r, a, &n) || !push_parts(r, b, &m) || !reserve(r, n * m)) return ASK;
    for (uint64_t i = 0; i < n; i++)
        for (uint64_t j = 0; j < m; j++) {
            uint32_t pair;
            make_pair(r, r->stack[base + i], r->stack[base + n + j], &pair);
            r->stack[base + n + m + i * m + j] = pair;
        }
    r->top = base + n + m + n * m;
    memmove(r->stack + base, r->stack + base + n + m, n * m * sizeof *r->stack);
    r->top = base + n * m;
    return make_set(r, base, false, out);
}

static int eval_apply(run *r, uint32_t function, uint32_t x, uint32_t *out) {
    uint64_t n, found = 0;
    const int64_t *pairs = qb_value_list(r->values, function, &n);
    for (uint64_t i = 0; i < n; i++)
        if (part_of(r, (uint32_t)pairs[i], 0) == (int64_t)x) {
            found++;
            *out = (uint32_t)part_of(r, (uint32_t)pairs[i], 1);
        }
    return found == 1 ? DONE : FAULT;
}

/* The pairs whose part k is in the set or, without `keep`, is not. */
static int eval_restrict(run *r, uint64_t base, uint32_t relation, uint32_t k, uint32_t set, uint32_t *out) {
    uint64_t n, m;
    const int64_t *pairs = qb_value_list(r->values, relation, &n), *list = qb_value_list(r->values, set, &m);
    if (!reserve(r, n)) return ASK;
    for (uint64_t i = 0; i < n; i++)
        if (has(list, m, part_of(r, (uint32_t)pairs[i], k))) r->stack[r->top++] = pairs[i];
    return make_set(r, base, true, out);
}

static int eval_image(run *r, uint64_t base, uint32_t relation, uint32_t set, uint32_t *out) {
    uint64_t n, m;
    const int64_t *pairs = qb_value_list(r->values, relation, &n), *list = qb_value_list(r->values, set, &m);
    if (!reserve(r, n)) return ASK;
    for (uint64_t i = 0; i < n; i++)
        if (has(list, m, part_of(r, (uint32_t)pairs[i], 0))) r->stack[r->top++] = part_of(r, (uint32_t)pairs[i], 1);
    return make_set(r, base, false, out);
}

static int eval_override(run *r, uint64_t base, uint32_t a, uint32_t b, uint32_t *out) {
    uint64_t n, m;
    const int64_t *x = qb_value_list(r->values, a, &n), *y = qb_value_list(r->values, b, &m);
    if (!reserve(r, n + 2 * m)) return ASK;
    int64_t *keys = r->stack + base + n + m; /* those of b */
    for (uint64_t j = 0; j < m; j++) keys[j] = part_of(r, (uint32_t)y[j], 0);
    qb_sort_numbers(keys, m);
    for (uint64_t i = 0; i < n; i++)
        if (!has(keys, m, part_of(r, (uint32_t)x[i], 0))) r->stack[r->top++] = x[i];
    for (uint64_t j = 0; j < m; j++) r->stack[r->top++] = y[j];
    return make_set(r, base, false, out);
}

static int eval_interval(run *r, uint64_t base, int64_t low, int64_t high, uint32_t *out) {
    if (high >= low && (uint64_t)high - (uint64_t)low > LONGEST_INTERVAL) return ASK;
    for (int64_t x = low; x <= high; x++) {
        uint32_t number;
        make_integer(r, x, &number);
        if (!push(r, number)) return ASK;
    }
    return make_set(r, base, false, out);
}

static int eval_extreme(run *r, uint32_t set, bool greatest, uint32_t *out) {
    uint64_t n;
    const int64_t *list = qb_value_list(r->values, set, &n);
    if (n == 0) return FAULT;
    int64_t best = 0;
    for (uint64_t i = 0; i < n; i++) {
        int64_t x = integer_of(r, (uint32_t)list[i]);
        if (i == 0 || (greatest ? x > best : x < best)) {
            best = x;
            *out = (uint32_t)list[i];
        }
    }
    return DONE;
}

static int eval_number(run *r, uint32_t kind, int64_t a, int64_t b, uint32_t *out) {
    int64_t x;
    switch (kind) {
    case QB_E_LESS: return make_integer(r, a < b, out);
    case QB_E_LESS_EQUAL: return make_integer(r, a <= b, out);
    case QB_E_ADD: return __builtin_add_overflow(a, b, &x) ? ASK : make_integer(r, x, out);
    case QB_E_SUBTRACT: return __builtin_sub_overflow(a, b, &x) ? ASK : make_integer(r, x, out);
    default: return __builtin_mul_overflow(a, b, &x) ? ASK : make_integer(r, x, out);
    }
}

/* A quantifier.  All elements are looked at, so that a fault is met in whatever order they come; then the caller is
 * asked, who knows the order. */
static int eval_quantifier(run *r, const qb_expression *e, uint32_t *out) {
    const uint32_t *operands = r->operands + e->first;
    const uint64_t base = r->top;
    uint32_t set, value;
    int outcome = eval(r, operands[0], &set);
    if (outcome != DONE) return outcome;
    uint64_t n;
    if (!push_parts(r, set, &n)) return ASK;
    const uint64_t made = r->top;
    int64_t total = 0;
    bool all = true, some = false;
    for (uint64_t i = 0; i < n; i++) {
        r->slots[e->value] = (uint32_t)r->stack[base + i];
        if (eval(r, operands[1], &value) != DONE) return ASK;
        if (integer_of(r, value) == 0) continue;
        if (eval(r, operands[2], &value) != DONE) return ASK;
        if (e->kind == QB_E_COLLECT) {
            if (!push(r, value)) return ASK;
            continue;
        }
        int64_t x = integer_of(r, value);
        all = all && x != 0;
        some = some || x != 0;
        if (e->kind == QB_E_COUNT) total += x != 0;
        else if (e->kind == QB_E_SUM && __builtin_add_overflow(total, x, &total)) return ASK;
    }
    if (e->kind == QB_E_COLLECT) {
        outcome = make_set(r, made, false, out);
        r->top = base;
        return outcome;
    }
    r->top = base;
    return make_integer(r, e->kind == QB_E_ALL ? all : e->kind == QB_E_SOME ? some : total, out);
}

static int eval_collected(run *r, const qb_expression *e, uint32_t *out) {
    const uint64_t base = r->top;
    for (uint32_t k = 0; k < e->count; k++) {
        uint32_t value;
        int outcome = eval(r, r->operands[e->first + k], &value);
        if (outcome != DONE) return outcome;
        if (!push(r, value)) return ASK;
    }
    if (e->kind == QB_E_SET) return make_set(r, base, false, out);
    *out = qb_value_sorted(r->values, QB_TUPLE, r->stack + base, e->count);
    r->top = base;
    return DONE;
}

static int eval_big_union(run *r, uint64_t base, uint32_t sets, uint32_t *out) {
    uint64_t n, m;
    if (!push_parts(r, sets, &n)) return ASK;
    for (uint64_t i = 0; i < n; i++)
        if (!push_parts(r, (uint32_t)r->stack[base + i], &m)) return ASK;
    memmove(r->stack + base, r->stack + base + n, (r->top - base - n) * sizeof *r->stack);
    r->top -= n;
    return make_set(r, base, false, out);
}

static int eval_binary(run *r, const qb_expression *e, uint32_t a, uint32_t b, uint32_t *out) {
    const uint64_t base = r->top;
    switch (e->kind) {
    case QB_E_EQUAL: return make_integer(r, a == b, out);
    case QB_E_MEMBER: return make_integer(r, contains(r, b, a), out);
    case QB_E_SUBSET: {
        uint64_t n;
        const int64_t *list = qb_value_list(r->values, a, &n);
        bool all = true;
        for (uint64_t i = 0; i < n && all; i++) all = contains(r, b, list[i]);
        return make_integer(r, all, out);
    }
    case QB_E_UNION: return eval_union(r, base, a, b, out);
    case QB_E_INTERSECTION: return eval_filter(r, base, a, b, true, out);
    case QB_E_DIFFERENCE: return eval_filter(r, base, a, b, false, out);
    case QB_E_PRODUCT: return eval_product(r, base, a, b, out);
    case QB_E_INTERVAL: return eval_interval(r, base, integer_of(r, a), integer_of(r, b), out);
    case QB_E_OVERRIDE: return eval_override(r, base, a, b, out);
    case QB_E_IMAGE: return eval_image(r, base, a, b, out);
    case QB_E_APPLY: return eval_apply(r, a, b, out);
    case QB_E_DOMAIN_RESTRICT: return eval_restrict(r, base, b, 0, a, out);
    case QB_E_RANGE_RESTRICT: return eval_restrict(r, base, a, 1, b, out);
    default: return eval_number(r, e->kind, integer_of(r, a), integer_of(r, b), out);
    }
}

static int eval_unary(run *r, const qb_expression *e, uint32_t a, uint32_t *out) {
    const uint64_t base = r->top;
    uint64_t n;
    switch (e->kind) {
    case QB_E_NOT: return make_integer(r, integer_of(r, a) == 0, out);
    case QB_E_NEGATE: return eval_number(r, QB_E_SUBTRACT, 0, integer_of(r, a), out);
    case QB_E_MINIMUM: return eval_extreme(r, a, false, out);
    case QB_E_MAXIMUM: return eval_extreme(r, a, true, out);
    case QB_E_SIZE: qb_value_list(r->values, a, &n); return make_integer(r, (int64_t)n, out);
    case QB_E_BIG_UNION: return eval_big_union(r, base, a, out);
    case QB_E_DOMAIN: return eval_project(r, base, a, 0, out);
    case QB_E_RANGE: return eval_project(r, base, a, 1, out);
    case QB_E_INVERSE: return eval_inverse(r, base, a, out);
    default: *out = (uint32_t)part_of(r, a, (uint32_t)e->value); return DONE; /* QB_E_PART */
    }
}

/* AND and OR look at their operands from left to right and stop when they know. */
static int eval_junction(run *r, const qb_expression *e, uint32_t *out) {
    const bool stops = e->kind == QB_E_OR;
    for (uint32_t k = 0; k < e->count; k++) {
        uint32_t value;
        int outcome = eval(r, r->operands[e->first + k], &value);
        if (outcome != DONE) return outcome;
        if ((integer_of(r, value) != 0) == stops) return make_integer(r, stops, out);
    }
    return make_integer(r, !stops, out);
}

static int eval(run *r, uint32_t node, uint32_t *out) {
    const qb_expression *e = &r->nodes[node];
    const uint32_t *operands = r->operands + e->first;
    uint32_t a = 0, b = 0;
    int outcome;
    switch (e->kind) {
    case QB_E_LITERAL: *out = (uint32_t)e->value; return DONE;
    case QB_E_ID: *out = (uint32_t)r->given[e->value]; return DONE;
    case QB_E_INT: return make_integer(r, r->given[e->value], out);
    case QB_E_SLOT: *out = r->slots[e->value]; return DONE;
    case QB_E_TUPLE:
    case QB_E_SET: return eval_collected(r, e, out);
    case QB_E_AND:
    case QB_E_OR: return eval_junction(r, e, out);
    case QB_E_CONDITION:
        outcome = eval(r, operands[0], &a);
        return outcome != DONE ? outcome : eval(r, operands[integer_of(r, a) != 0 ? 1 : 2], out);
    case QB_E_OTHERWISE: {
        const uint64_t base = r->top;
        outcome = eval(r, operands[0], out);
        r->top = outcome == FAULT ? base : r->top;
        return outcome == FAULT ? eval(r, operands[1], out) : outcome;
    }
    default: break;
    }
    if (e->kind >= QB_E_ALL) return eval_quantifier(r, e, out);
    if ((outcome = eval(r, operands[0], &a)) != DONE) return outcome;
    if (e->count == 1) return eval_unary(r, e, a, out);
    if ((outcome = eval(r, operands[1], &b)) != DONE) return outcome;
    return eval_binary(r, e, a, b, out);
}

int qb_evaluate(qb_evaluation *r, const int64_t *words, int64_t *result) {
    uint32_t value = 0;
    r->top = 0;
    r->given = words;
    int outcome = eval(r, r->count - 1, &value);
    if (outcome != DONE || qb_values_failed(r->values)) return outcome == FAULT ? QB_NO_VALUE : QB_STOP;
    *result = r->integer ? integer_of(r, value) : (int64_t)value;
    return r->integer && (*result < r->low || *result > r->high) ? QB_STOP : QB_FOUND;
}

/* Opening. */

static uint32_t least_operands(uint32_t kind) {
    if (kind <= QB_E_SLOT) return 0;
    if (kind == QB_E_TUPLE || kind == QB_E_SET || kind == QB_E_AND || kind == QB_E_OR) return 0;
    if (kind == QB_E_CONDITION || kind >= QB_E_ALL) return 3;
    switch (kind) {
    case QB_E_PART:
    case QB_E_NOT:
    case QB_E_NEGATE:
    case QB_E_MINIMUM:
    case QB_E_MAXIMUM:
    case QB_E_SIZE:
    case QB_E_BIG_UNION:
    case QB_E_DOMAIN:
    case QB_E_RANGE:
    case QB_E_INVERSE: return 1;
    default: return 2;
    }
}

static bool is_sound(const qb_expression *e, uint32_t place, const uint32_t *operands, uint32_t operand_count,
                     uint32_t words) {
    if (e->kind >= QB_E_KINDS || (uint64_t)e->first + e->count > operand_count) return false;
    for (uint32_t k = 0; k < e->count; k++)
        if (operands[e->first + k] >= place) return false;
    const bool any = e->kind == QB_E_TUPLE || e->kind == QB_E_SET || e->kind == QB_E_AND || e->kind == QB_E_OR;
    if (any ? false : e->count != least_operands(e->kind)) return false;
    if ((e->kind == QB_E_ID || e->kind == QB_E_INT) && (e->value < 0 || e->value >= words)) return false;
    if ((e->kind == QB_E_SLOT || e->kind >= QB_E_ALL) && (e->value < 0 || e->value >= (int64_t)QB_MOST_SLOTS)) return false;
    return e->kind != QB_E_PART || (e->value >= 0 && e->value <= 0xffff);
}

qb_evaluation *qb_evaluation_open(qb_values *values, const qb_expression *nodes, uint32_t count, const uint32_t *operands,
                                  uint32_t operand_count, uint32_t words, bool integer, int64_t low, int64_t high) {
    if (count == 0) return NULL;
    for (uint32_t k = 0; k < count; k++)
        if (!is_sound(&nodes[k], k, operands, operand_count, words)) return NULL;
    qb_evaluation *r = calloc(1, sizeof *r);
    if (r == NULL) return NULL;
    *r = (qb_evaluation){.values = values, .count = count, .words = words, .integer = integer, .low = low, .high = high};
    r->nodes = malloc(count * sizeof *nodes);
    r->operands = malloc((operand_count + 1ull) * sizeof *operands);
    if (r->nodes == NULL || r->operands == NULL || !reserve(r, 256)) {
        qb_evaluation_close(r);
        return NULL;
    }
    memcpy(r->nodes, nodes, count * sizeof *nodes);
    memcpy(r->operands, operands, operand_count * sizeof *operands);
    return r;
}

void qb_evaluation_close(qb_evaluation *r) {
    if (r == NULL) return;
    free(r->nodes);
    free(r->operands);
    free(r->stack);
    free(r);
}
