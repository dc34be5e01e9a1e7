/* Strong stubborn sets (stubborn.h). */
#include "stubborn.h"

#include <stdlib.h>
#include <string.h>

#define ENABLED_COST 100 /* of a case that can happen and would join the set; one that cannot costs 1 */

enum { UNKNOWN, FALSE_TEST, TRUE_TEST, NO_VALUE };

struct qb_chooser {
    const qb_partial_order *order;
    uint64_t *active, *whole, *done, *best, *tried; /* sets of cases */
    uint8_t *truths;                        /* of tests in the present state */
    uint32_t *asked;                        /* the tests that were asked, to forget them */
    uint32_t asked_count;
    uint8_t *enabled, *chosen, *made; /* for each command */
    uint32_t *listed;                 /* the commands that can run */
    uint32_t listed_count;
    int64_t *registers;
};

void qb_chooser_close(qb_chooser *c) {
    if (c == NULL) return;
    free(c->active);
    free(c->truths);
    free(c->asked);
    free(c->enabled);
    free(c->listed);
    free(c->registers);
    free(c);
}

qb_chooser *qb_chooser_open(const qb_partial_order *order) {
    qb_chooser *c = calloc(1, sizeof *c);
    if (c == NULL) return NULL;
    const uint64_t commands = order->commands + 1ull;
    c->order = order;
    c->active = calloc(5ull * order->words + 1, sizeof *c->active);
    c->truths = calloc(order->tests + 1ull, sizeof *c->truths);
    c->asked = calloc(order->tests + 1ull, sizeof *c->asked);
    c->enabled = calloc(3 * commands, sizeof *c->enabled);
    c->listed = calloc(commands, sizeof *c->listed);
    c->registers = calloc(order->program.registers + 1ull, sizeof *c->registers);
    if (!c->active || !c->truths || !c->asked || !c->enabled || !c->listed || !c->registers) {
        qb_chooser_close(c);
        return NULL;
    }
    c->whole = c->active + order->words;
    c->done = c->whole + order->words;
    c->best = c->done + order->words;
    c->tried = c->best + order->words;
    c->chosen = c->enabled + commands;
    c->made = c->chosen + commands;
    return c;
}

/* Whether all numbers stay inside their arrays; states have so many words. */
QB_API bool qb_order_is_sound(const qb_partial_order *o, uint32_t words) {
    if (o->words != (o->cases + 63) / 64 || o->program.words != words || qb_verify(&o->program) >= 0) return false;
    for (uint32_t k = 0; k < o->cases; k++)
        if (o->case_commands[k] > o->commands || o->test_starts[k] > o->test_starts[k + 1]) return false;
    for (uint32_t k = 0; k < o->test_starts[o->cases]; k++)
        if (o->test_list[k] >= o->tests) return false;
    for (uint32_t k = 0; k < o->case_starts[o->commands]; k++)
        if (o->case_list[k] >= o->cases) return false;
    for (uint32_t t = 0; t < o->tests; t++) {
        const qb_test *test = &o->test_table[t];
        bool is_field = test->word < words && test->width > 0 && test->shift + test->width <= 64;
        if (test->kind == QB_BY_PROGRAM ? test->entry >= o->program.code_count : !is_field) return false;
        if (test->kind == QB_BY_VALUES && test->width > 6) return false;
    }
    return true;
}

/* Sets. */

static inline const uint64_t *row(const qb_partial_order *o, const uint64_t *rows, uint32_t k) { return rows + (uint64_t)k * o->words; }
static inline bool has(const uint64_t *set, uint32_t k) { return set[k / 64] >> (k % 64) & 1; }
static inline void add(uint64_t *set, uint32_t k) { set[k / 64] |= 1ull << (k % 64); }

/* How many bits; compilers for any machine make a call of the builtin. */
static inline uint32_t count(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (uint32_t)(x * 0x0101010101010101ull >> 56);
}

/* Join more cases to the set; how many of the new ones can happen, UINT32_MAX / 2 if a set with one of them was grown.
 * lowest: of the words in which some wait. */
static inline uint32_t join(qb_chooser *c, const uint64_t *more, uint32_t *lowest) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->order->words; i++) {
        uint64_t new = more[i] & ~c->whole[i], happening = new & c->active[i];
        if (new == 0) continue;
        c->whole[i] |= new;
        if (i < *lowest) *lowest = i;
        if (happening == 0) continue;
        if (happening & c->tried[i]) return UINT32_MAX / 2;
        n += count(happening);
    }
    return n;
}

/* Tests. */

static uint8_t find_truth(qb_chooser *c, const qb_test *test, const uint64_t *s) {
    uint64_t field = s[test->word] >> test->shift & (test->width == 64 ? ~0ull : (1ull << test->width) - 1);
    if (test->kind == QB_BY_VALUES) return test->values >> field & 1 ? TRUE_TEST : FALSE_TEST;
    if (test->kind == QB_BY_VALUE) return field == test->values ? TRUE_TEST : FALSE_TEST;
    int64_t answer = qb_run_at(&c->order->program, (uint32_t)test->entry, s, c->registers);
    if (test->fails) return answer == QB_FAULT ? TRUE_TEST : answer < 0 ? NO_VALUE : FALSE_TEST;
    return answer < 0 ? NO_VALUE : answer > 0 ? TRUE_TEST : FALSE_TEST;
}

static inline uint8_t truth(qb_chooser *c, uint32_t t, const uint64_t *s) {
    if (c->truths[t] == UNKNOWN) {
        c->truths[t] = find_truth(c, &c->order->test_table[t], s);
        c->asked[c->asked_count++] = t;
    }
    return c->truths[t];
}

static bool all_hold(qb_chooser *c, uint32_t k, const uint64_t *s) {
    const qb_partial_order *o = c->order;
    for (uint32_t i = o->test_starts[k]; i < o->test_starts[k + 1]; i++)
        if (truth(c, o->test_list[i], s) != TRUE_TEST) return false;
    return true;
}

/* The cases of the commands that can run; false if that is not one for each, or some are not of the first rank. */
static bool find_active(qb_chooser *c, const uint64_t *s) {
    const qb_partial_order *o = c->order;
    memset(c->active, 0, o->words * sizeof *c->active);
    for (uint32_t i = 0; i < c->listed_count; i++) {
        uint32_t command = c->listed[i], found = 0;
        if (!o->is_first[command]) return false;
        for (uint32_t j = o->case_starts[command]; j < o->case_starts[command + 1]; j++) {
            if (!all_hold(c, o->case_list[j], s)) continue;
            add(c->active, o->case_list[j]);
            found++;
        }
        if (found != 1) return false;
    }
    return true;
}

/* Growing. */

/* The cases of which one must happen before case k can: for the cheapest of its false tests.  Then whoever has that test
 * needs no more, so all of them are done. */
static const uint64_t *needed(qb_chooser *c, uint32_t k, const uint64_t *s) {
    const qb_partial_order *o = c->order;
    const uint64_t *best = row(o, o->enablers, k), *settled = NULL;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = o->test_starts[k]; i < o->test_starts[k + 1]; i++) {
        uint32_t t = o->test_list[i];
        if (truth(c, t, s) != FALSE_TEST) continue;
        const uint64_t *enabling = row(o, o->makes_true, t);
        uint64_t cost = 0;
        for (uint32_t j = 0; j < o->words; j++) {
            uint64_t new = enabling[j] & ~c->whole[j];
            if (new == 0) continue;
            cost += count(new);
            if (new & c->active[j]) cost += (ENABLED_COST - 1) * (uint64_t)count(new & c->active[j]);
            if (cost >= least) break;
        }
        if (cost >= least) continue;
        least = cost;
        best = enabling;
        settled = row(o, o->asking, t);
        if (cost == 0) break;
    }
    for (uint32_t j = 0; settled != NULL && j < o->words; j++) c->done[j] |= settled[j];
    return best;
}

/* Grow the set of the seed; how many of it can happen, `limit` if not fewer. */
static uint32_t grow(qb_chooser *c, uint32_t seed, const uint64_t *s, uint32_t limit) {
    const qb_partial_order *o = c->order;
    uint32_t n = 1;
    memset(c->whole, 0, 2ull * o->words * sizeof *c->whole); /* and done */
    add(c->whole, seed);
    for (uint32_t i = seed / 64; i < o->words;) {
        uint64_t waiting = c->whole[i] & ~c->done[i];
        if (waiting == 0) {
            i++;
            continue;
        }
        uint32_t k = 64 * i + (uint32_t)__builtin_ctzll(waiting);
        add(c->done, k);
        if (has(c->active, k)) {
            n += join(c, row(o, o->dependent, k), &i);
            if (n < limit && has(o->visible, k)) n += join(c, o->visible, &i);
        } else {
            n += join(c, needed(c, k, s), &i);
        }
        if (n >= limit) return limit;
    }
    return n;
}

static uint32_t find_smallest(qb_chooser *c, const uint64_t *s) {
    const qb_partial_order *o = c->order;
    bool hides = false;
    uint32_t least = c->listed_count;
    memset(c->tried, 0, o->words * sizeof *c->tried);
    for (uint32_t i = 0; o->invisible && i < o->words; i++) hides = hides || (c->active[i] & ~o->visible[i]) != 0;
    for (uint32_t i = 0; i < o->words; i++) {
        for (uint64_t seeds = hides ? c->active[i] & ~o->visible[i] : c->active[i]; seeds != 0; seeds &= seeds - 1) {
            uint32_t seed = 64 * i + (uint32_t)__builtin_ctzll(seeds), n = grow(c, seed, s, least);
            add(c->tried, seed);
            if (n >= least) continue;
            least = n;
            for (uint32_t j = 0; j < o->words; j++) c->best[j] = c->whole[j] & c->active[j];
            if (least == 1) return least;
        }
    }
    return least;
}

/* Choosing. */

static void forget(qb_chooser *c) {
    for (uint32_t i = 0; i < c->asked_count; i++) c->truths[c->asked[i]] = UNKNOWN;
    for (uint32_t i = 0; i < c->listed_count; i++) {
        uint32_t command = c->listed[i];
        c->enabled[command] = c->chosen[command] = c->made[command] = 0;
    }
    c->asked_count = c->listed_count = 0;
}

static void list_enabled(qb_chooser *c, const uint32_t *metas, uint64_t n) {
    for (uint64_t i = 0; i < n; i++) {
        uint32_t command = metas[i] & QB_COMMAND;
        if (command >= c->order->commands || c->enabled[command]) continue;
        c->enabled[command] = 1;
        c->listed[c->listed_count++] = command;
    }
}

bool qb_choose(qb_chooser *c, const uint64_t *s, const uint32_t *metas, uint64_t n) {
    const qb_partial_order *o = c->order;
    forget(c);
    list_enabled(c, metas, n);
    if (c->listed_count < 2 || !find_active(c, s) || find_smallest(c, s) == c->listed_count) return false;
    for (uint32_t i = 0; i < o->words; i++)
        for (uint64_t left = c->best[i]; left != 0; left &= left - 1)
            c->chosen[o->case_commands[64 * i + (uint32_t)__builtin_ctzll(left)]] = 1;
    return true;
}

bool qb_is_chosen(const qb_chooser *c, uint32_t meta) {
    uint32_t command = meta & QB_COMMAND;
    return command < c->order->commands && c->chosen[command];
}

void qb_note_made(qb_chooser *c, uint32_t meta) {
    if ((meta & QB_COMMAND) < c->order->commands) c->made[meta & QB_COMMAND] = 1;
}

bool qb_all_made(const qb_chooser *c) {
    for (uint32_t i = 0; i < c->listed_count; i++)
        if (c->chosen[c->listed[i]] && !c->made[c->listed[i]]) return false;
    return true;
}
