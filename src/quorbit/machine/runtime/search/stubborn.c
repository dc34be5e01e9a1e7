/* Strong stubborn sets (stubborn.h). */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* clang unrolls loops over short rows by itself; the gain is a tenth */
#endif
#include "stubborn.h"

#include "needs.h"

#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
#define TRIED UINT32_MAX
#define NOT_COUNTED UINT32_MAX
#define ENABLED_COST 100 /* of a case that can happen and would join the set; one that cannot costs 1 */

enum { UNKNOWN, FALSE_TEST, TRUE_TEST, NO_VALUE };

struct qb_chooser {
    const qb_partial_order *order;
    qb_needs needs;
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
    qb_needs_close(&c->needs);
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
    bool made = c->active && c->truths && c->asked && c->enabled && c->listed && c->registers;
    if (!qb_needs_open(&c->needs, order) || !made) {
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
    if (o->words < (o->cases + 63) / 64 || o->program.words != words || qb_verify(&o->program) >= 0) return false;
    for (uint32_t k = 0; k < o->cases; k++)
        if (o->case_commands[k] > o->commands || o->test_starts[k] > o->test_starts[k + 1]) return false;
    for (uint32_t k = 0; k < o->test_starts[o->cases]; k++)
        if (o->test_list[k] >= o->tests) return false;
    for (uint32_t k = 0; k < o->case_starts[o->commands]; k++)
        if (o->case_list[k] >= o->cases) return false;
    for (uint32_t k = 0; k < o->needs; k++) {
        const qb_need *need = &o->need_table[k];
        if (need->first >= o->rows || need->gates >= o->rows) return false;
        if (need->first_settles >= o->settling || need->gates_settle >= o->settling) return false;
    }
    if (o->rows < o->tests || o->settling < o->tests) return false;
    for (uint32_t t = 0; t < o->tests; t++) {
        const qb_test *test = &o->test_table[t];
        bool is_field = test->word < words && test->width > 0 && test->shift + test->width <= 64;
        if (test->kind == QB_BY_PROGRAM ? test->entry >= o->program.code_count : !is_field) return false;
        if (test->kind == QB_BY_VALUES && test->width > 6) return false;
        if (test->needs == QB_ONE_ROW) continue;
        if (!is_field || test->width > QB_MOST_BITS) return false;
        if (test->needs + (uint64_t)test->stride * ((1u << test->width) - 1) >= o->needs) return false;
    }
    return true;
}

/* Sets. */

static inline bool has(const uint64_t *set, uint32_t k) { return set[k / 64] >> (k % 64) & 1; }
static inline void add(uint64_t *set, uint32_t k) { set[k / 64] |= 1ull << (k % 64); }

/* How many bits; compilers for any machine make a call of the builtin. */
static inline uint32_t count(uint64_t x) {
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return (uint32_t)(x * 0x0101010101010101ull >> 56);
}

/* Tests. */

static inline uint64_t field_of(const qb_test *test, const uint64_t *s) {
    return s[test->word] >> test->shift & (test->width == 64 ? ~0ull : (1ull << test->width) - 1);
}

static uint8_t ask_program(qb_chooser *c, const qb_test *test, const uint64_t *s) {
    int64_t answer = qb_run_at(&c->order->program, (uint32_t)test->entry, s, c->registers);
    if (test->fails) return answer == QB_FAULT ? TRUE_TEST : answer < 0 ? NO_VALUE : FALSE_TEST;
    return answer < 0 ? NO_VALUE : answer > 0 ? TRUE_TEST : FALSE_TEST;
}

/* A test that has no list in `needs`.  Fields are quicker to read again than to remember; what programs say is remembered
 * until the next state. */
static uint8_t truth(qb_chooser *c, uint32_t t, const uint64_t *s) {
    const qb_test *test = &c->order->test_table[t];
    if (test->kind == QB_BY_RANGE) return field_of(test, s) - test->values <= test->entry ? TRUE_TEST : FALSE_TEST;
    if (c->truths[t] == UNKNOWN) {
        c->truths[t] = ask_program(c, test, s);
        c->asked[c->asked_count++] = t;
    }
    return c->truths[t];
}

static bool holds(qb_chooser *c, qb_asked test, const uint64_t *s) {
    if (test.field == QB_NO_FIELD) return truth(c, test.number, s) == TRUE_TEST;
    return c->needs.at[test.field][test.number].gates == QB_HOLDS;
}

static bool all_hold(qb_chooser *c, uint32_t k, const uint64_t *s) {
    const qb_partial_order *o = c->order;
    for (uint32_t i = o->test_starts[k]; i < o->test_starts[k + 1]; i++)
        if (!holds(c, c->needs.tests[i], s)) return false;
    return true;
}

/* The cases of the commands that can run, one for each, since those of one command exclude each other; false if some command
 * has none: it is of a later rank. */
static bool find_active(qb_chooser *c, const uint64_t *s) {
    const qb_partial_order *o = c->order;
    memset(c->active, 0, o->words * sizeof *c->active);
    for (uint32_t i = 0; i < c->listed_count; i++) {
        const uint32_t command = c->listed[i], end = o->case_starts[command + 1];
        uint32_t j = o->case_starts[command];
        while (j < end && !all_hold(c, o->case_list[j], s)) j++;
        if (j == end) return false;
        add(c->active, o->case_list[j]);
    }
    return true;
}

/* Growing.  The functions get how many words a row has, which the compiler knows for short rows. */

/* Join a row to a set; the members that are new and can happen, of all words together.  Nothing here overlaps: what is said
 * of that lets compilers keep the addresses and take two words at a time. */
INLINE uint64_t join_row(uint64_t *restrict whole, const uint64_t *restrict more, const uint64_t *restrict active, const uint32_t words) {
    uint64_t happening = 0;
    for (uint32_t i = 0; i < words; i++) {
        happening |= more[i] & ~whole[i] & active[i];
        whole[i] |= more[i];
    }
    return happening;
}

INLINE void settle(uint64_t *restrict done, const uint64_t *restrict settled, const uint32_t words) {
    for (uint32_t i = 0; i < words; i++) done[i] |= settled[i];
}

INLINE bool is_inside(const uint64_t *restrict row, const uint64_t *restrict whole, const uint32_t words) {
    uint64_t missing = 0;
    for (uint32_t i = 0; i < words; i++) missing |= row[i] & ~whole[i];
    return missing == 0;
}

INLINE bool have_common(const uint64_t *restrict a, const uint64_t *restrict b, const uint32_t words) {
    uint64_t common = 0;
    for (uint32_t i = 0; i < words; i++) common |= a[i] & b[i];
    return common != 0;
}

/* Join more cases to a set of which n can happen; how many can now, TRIED if a set with one of them was grown. */
INLINE uint32_t join(qb_chooser *c, const uint64_t *more, uint32_t n, const uint32_t words) {
    if (join_row(c->whole, more, c->active, words) == 0) return n;
    if (have_common(c->whole, c->tried, words)) return TRIED;
    n = 0;
    for (uint32_t i = 0; i < words; i++) n += count(c->whole[i] & c->active[i]);
    return n;
}

/* What a false test asks for: the cases to join, followed by those that need no more then. */
typedef struct {
    const uint64_t *more;
    uint32_t cost; /* of joining them, NOT_COUNTED at first */
} demand;

/* What a false test asks for.  The cases that make the first step on the way to where it holds, if all of them are in the
 * set already.  Else those of which one must happen before it holds: the nearest on that way, or all that may make it true.
 * Then nobody needs more who waits for the same place and for some of them. */
INLINE demand demand_of(const qb_chooser *c, const qb_pairs *need, const uint32_t words) {
    const uint64_t *first = c->needs.rows + need->first;
    if (need->first == need->gates) return (demand){first, NOT_COUNTED};
    return is_inside(first, c->whole, words) ? (demand){first, 0} : (demand){c->needs.rows + need->gates, NOT_COUNTED};
}

INLINE uint32_t cost_of(const qb_chooser *c, demand *d, const uint32_t words) {
    if (d->cost != NOT_COUNTED) return d->cost;
    d->cost = 0;
    for (uint32_t j = 0; j < words; j++) {
        uint64_t new = d->more[j] & ~c->whole[j];
        if (new == 0) continue;
        d->cost += count(new);
        if (new & c->active[j]) d->cost += (ENABLED_COST - 1) * count(new & c->active[j]);
    }
    return d->cost;
}

/* What a test needs; NULL if it is not false. */
INLINE const qb_pairs *need_of(qb_chooser *c, qb_asked test, const uint64_t *s) {
    if (test.field == QB_NO_FIELD) return truth(c, test.number, s) == FALSE_TEST ? &c->needs.slow[test.number] : NULL;
    const qb_pairs *need = &c->needs.at[test.field][test.number];
    return need->gates == QB_HOLDS ? NULL : need;
}

/* The cheapest demand of the false tests of case k, which cannot happen: the first steps to one of them if they are in the
 * set, else what may make it true.  Most cases have one false test: what it costs is counted only before another is asked
 * that is false, too, or that is a program, which takes longer. */
INLINE demand cheapest(qb_chooser *c, uint32_t k, const uint64_t *s, const uint32_t words) {
    const uint32_t *starts = c->order->test_starts;
    const qb_asked *end = c->needs.tests + starts[k + 1];
    demand best = {NULL, NOT_COUNTED};
    for (const qb_asked *test = c->needs.tests + starts[k]; test < end && best.cost != 0; test++) {
        if (test->field == QB_NO_FIELD && best.more != NULL && cost_of(c, &best, words) == 0) break;
        const qb_pairs *need = need_of(c, *test, s);
        if (need == NULL) continue;
        if (best.more != NULL && cost_of(c, &best, words) == 0) break;
        demand next = demand_of(c, need, words);
        if (best.more == NULL || cost_of(c, &next, words) < best.cost) best = next;
    }
    return best;
}

/* Join the cases of which one must happen before case k can. */
INLINE uint32_t join_needed(qb_chooser *c, uint32_t k, const uint64_t *s, uint32_t n, const uint32_t words) {
    demand found = cheapest(c, k, s, words);
    if (found.more == NULL) {
        add(c->done, k);
        return join(c, c->order->enablers + (uint64_t)words * k, n, words);
    }
    settle(c->done, found.more + words, words);
    return found.cost == 0 ? n : join(c, found.more, n, words);
}

/* The least member that waits to be looked at, among those that can happen or all; UINT32_MAX if there is none. */
INLINE uint32_t next_waiting(const qb_chooser *c, bool happening, const uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        uint64_t waiting = c->whole[i] & ~c->done[i] & (happening ? c->active[i] : ~0ull);
        if (waiting != 0) return 64 * i + (uint32_t)__builtin_ctzll(waiting);
    }
    return UINT32_MAX;
}

/* Grow the set of the seed; how many of it can happen, `limit` if not fewer.  Members that can happen are looked at first,
 * for they may end the search. */
INLINE uint32_t grow(qb_chooser *c, uint32_t seed, const uint64_t *s, uint32_t limit, const uint32_t words) {
    const qb_partial_order *o = c->order;
    uint32_t n = 1, k = seed;
    for (uint32_t i = 0; i < words; i++) c->whole[i] = c->done[i] = 0;
    add(c->whole, seed);
    for (uint32_t looked_at = 0; k != UINT32_MAX && n < limit; k = next_waiting(c, looked_at < n, words)) {
        if (looked_at < n) {
            looked_at++;
            add(c->done, k);
            n = join(c, o->dependent + (uint64_t)words * k, n, words);
            if (n < limit && has(o->visible, k)) n = join(c, o->visible, n, words);
        } else {
            n = join_needed(c, k, s, n, words);
        }
    }
    return n < limit ? n : limit;
}

/* The smallest set of those that begin with these seeds, if it has fewer members that can happen than the least so far. */
INLINE uint32_t try_seeds(qb_chooser *c, uint32_t from, uint64_t seeds, const uint64_t *s, uint32_t least, const uint32_t words) {
    for (; seeds != 0 && least > 1; seeds &= seeds - 1) {
        uint32_t seed = from + (uint32_t)__builtin_ctzll(seeds), n = grow(c, seed, s, least, words);
        add(c->tried, seed);
        if (n >= least) continue;
        least = n;
        for (uint32_t j = 0; j < words; j++) c->best[j] = c->whole[j] & c->active[j];
    }
    return least;
}

/* How many can happen of the smallest set.  First it is looked for among those that begin with a loose case. */
INLINE uint32_t smallest(qb_chooser *c, const uint64_t *s, const uint32_t words) {
    const qb_partial_order *o = c->order;
    bool hides = false;
    uint32_t least = c->listed_count;
    for (uint32_t i = 0; i < words; i++) c->tried[i] = 0;
    for (uint32_t i = 0; o->invisible && i < words; i++) hides = hides || (c->active[i] & ~o->visible[i]) != 0;
    for (int loose = 1; loose >= 0; loose--) {
        for (uint32_t i = 0; i < words; i++) {
            uint64_t seeds = c->active[i] & (loose ? o->loose[i] : ~o->loose[i]);
            least = try_seeds(c, 64 * i, hides ? seeds & ~o->visible[i] : seeds, s, least, words);
        }
    }
    return least;
}

static uint32_t find_smallest(qb_chooser *c, const uint64_t *s) {
    switch (c->order->words) {
    case 1: return smallest(c, s, 1);
    case 2: return smallest(c, s, 2);
    case 3: return smallest(c, s, 3);
    case 4: return smallest(c, s, 4);
    case 6: return smallest(c, s, 6);
    case 8: return smallest(c, s, 8);
    case 10: return smallest(c, s, 10);
    default: return smallest(c, s, c->order->words);
    }
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
    if (c->listed_count < 2) return false;
    qb_look_up_fields(&c->needs, s);
    if (!find_active(c, s) || find_smallest(c, s) == c->listed_count) return false;
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
