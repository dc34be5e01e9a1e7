/* Algorithm 1 of [W07]: expand the unexplored states, edge by edge, piece by piece, cell by cell. */
#include "search.h"

#include <stdlib.h>
#include <string.h>

#include "unwind.h"

#if defined(_WIN32)
#define API __declspec(dllexport)
#else
#define API __attribute__((visibility("default")))
#endif

#define PIECES_BETWEEN_PAUSES 4096
#define SLOW_PIECES_BETWEEN_PAUSES 64 /* those that Python looks at */

enum { DONE = 0, MORE = 1, TOO_DEEP = 2, OUT_OF_MEMORY = 3, STOPPED = 4 };

static int32_t ask_state(Search *s, uint32_t what, uint32_t subject, uint32_t extra, const State *at) {
    s->answer_count = 0;
    return s->ask(what, subject, extra, at->shared, at->p, at->words, at->length);
}

/* New states. */

static int reach(Search *s, const State *at, uint32_t depth, uint32_t parent, uint32_t edge) {
    uint32_t node;
    int added = store_add(&s->store, at->shared, at->p, at->words, at->length, depth, parent, edge, &node);
    if (added <= 0)
        return added < 0 ? STOP : 0;
    while (s->level_count <= depth) {
        if (!make_room((void **)&s->levels, sizeof *s->levels, s->level_count, &s->level_room))
            return STOP;
        s->levels[s->level_count++] = 0;
    }
    s->levels[depth]++;
    for (uint32_t k = 0; k < s->error_count; k++) {
        int may = may_be_error(s, &s->errors[k], at);
        if (may < 0 || (may == 1 && ask_state(s, ASK_ERRORS, k, node, at) == STOP))
            return STOP;
    }
    return 0;
}

/* Events. */

typedef struct {
    Search *s;
    const Rule *rule;
    uint32_t number; /* of the rule */
    uint32_t r, shared, depth, node_partition;
    const Places *places;
    bool certain;
} Expansion;

static int follow(Expansion *x, uint32_t shared, const uint32_t *words, uint32_t length) {
    Search *s = x->s;
    s->transitions++;
    State after = {shared, x->r, words, length};
    return reach(s, &after, x->depth + 1, s->current, x->rule->edge);
}

static void note_event(Expansion *x) {
    x->s->fired[x->rule->command]++;
    if (x->r == x->node_partition)
        x->certain = true;
}

static int slow_piece(Expansion *x, const State *u) {
    Search *s = x->s;
    if (ask_state(s, ASK_EVENTS, x->number, 0, u) == STOP)
        return STOP;
    uint64_t count = s->answer_count;
    if (count == 0)
        return 0;
    uint32_t *events = malloc(count * sizeof *events); /* more will be asked meanwhile */
    if (events == NULL)
        return STOP;
    memcpy(events, s->answer, count * sizeof *events);
    int ended = 0;
    for (uint64_t k = 0; k < count && ended == 0;) {
        note_event(x);
        if (events[k] == 0) {
            k++;
            continue;
        }
        ended = follow(x, events[k + 1], events + k + 3, events[k + 2]);
        k += 3 + events[k + 2];
    }
    free(events);
    return ended;
}

/* What the rule makes of a letter: where in s->results; NOTHING: it does not run; STOP. */
static int64_t effect_of(Expansion *x, const State *u, uint32_t cell, uint32_t letter) {
    Search *s = x->s;
    uint32_t key[3] = {x->number, u->shared, letter};
    uint32_t entry = table_find(&s->effects, key, 3);
    if (entry != NOTHING)
        return s->effects.entries[entry].value;
    uint32_t *asked = malloc((u->length + 2) * sizeof *asked);
    if (asked == NULL)
        return STOP;
    memcpy(asked, u->words, u->length * sizeof *asked);
    asked[u->length] = cell;
    asked[u->length + 1] = letter;
    s->answer_count = 0;
    int kind = s->ask(ASK_EFFECT, x->number, letter, u->shared, u->p, asked, u->length + 2);
    free(asked);
    if (kind < 0)
        return STOP;
    if (kind == 0)
        return NOTHING;
    if (kind == 2) {
        note_event(x);
        return NOTHING;
    }
    if (!make_room((void **)&s->results, sizeof *s->results, s->result_count + 2, &s->result_room))
        return STOP;
    uint32_t where = (uint32_t)s->result_count;
    s->results[s->result_count++] = s->answer[0];
    s->results[s->result_count++] = s->answer[1];
    return table_add(&s->effects, key, 3, where) == NOTHING ? STOP : (int64_t)where;
}

/* The counters after one process of the cell, which begins at ``begin``, goes from one letter to another. */
static uint32_t replace_letter(const State *u, uint32_t begin, uint32_t old, uint32_t new, uint32_t *found) {
    if (old == new) {
        memcpy(found, u->words, u->length * sizeof *found);
        return u->length;
    }
    memcpy(found, u->words, begin * sizeof *found);
    uint32_t made = begin, k = begin;
    bool put = false;
    for (bool last = false; !last; k++) {
        uint32_t letter = letter_of(u->words[k]), count = count_of(u->words[k]);
        last = is_last(u->words[k]);
        if (!put && new <= letter) {
            put = true;
            found[made++] = word_of(new, new == letter ? count + 1 : 1, false);
            if (new == letter)
                continue;
        }
        count -= letter == old;
        if (count > 0)
            found[made++] = word_of(letter, count, false);
    }
    if (!put)
        found[made++] = word_of(new, 1, false);
    found[made - 1] |= 1;
    memcpy(found + made, u->words + k, (u->length - k) * sizeof *found);
    return made + u->length - k;
}

static int letter_may_move(Expansion *x, const State *u, uint32_t cell, uint32_t letter) {
    for (uint32_t k = 0; k < x->rule->own_count; k++) {
        int holds = letter_holds(x->s, x->rule->own[k], u, letter);
        if (holds != 1)
            return holds;
    }
    for (uint32_t k = 0; k < x->rule->mover_count; k++) {
        int holds = condition_holds(x->s, x->rule->movers[k], u, letter, cell);
        if (holds != 1)
            return holds;
    }
    return 1;
}

/* One process of the cell with this letter stands for all of them. */
static int move_letter(Expansion *x, const State *u, uint32_t cell, uint32_t begin, uint32_t letter) {
    Search *s = x->s;
    int may = letter_may_move(x, u, cell, letter);
    if (may != 1)
        return may;
    int64_t effect = effect_of(x, u, cell, letter);
    if (effect == STOP || effect == NOTHING)
        return effect == STOP ? STOP : 0;
    uint32_t shared = s->results[effect], new = s->results[effect + 1];
    if (!cells_expect_letter(&s->store.cells, new))
        return STOP;
    uint32_t found[u->length + 2];
    uint32_t length = replace_letter(u, begin, letter, new, found);
    note_event(x);
    return follow(x, shared, found, length);
}

static int fast_piece(Expansion *x, const State *u) {
    for (uint32_t k = 0; k < x->rule->piece_count; k++) {
        int holds = condition_holds(x->s, x->rule->pieces[k], u, NOTHING, NOTHING);
        if (holds != 1)
            return holds;
    }
    uint32_t cell = 0, at = 0;
    for (uint32_t k = 0; k < x->places->cell_count; k++) {
        for (; cell < x->places->cells[k]; cell++)
            while (!is_last(u->words[at++])) {
            }
        for (uint32_t j = at;; j++) {
            int ended = move_letter(x, u, cell, at, letter_of(u->words[j]));
            if (ended != 0)
                return ended;
            if (is_last(u->words[j]))
                break;
        }
    }
    return 0;
}

static int take_piece(void *data, const uint32_t *words, uint32_t length) {
    Expansion *x = data;
    Search *s = x->s;
    State u = {x->shared, x->r, words, length};
    uint64_t between = x->rule->is_fast ? PIECES_BETWEEN_PAUSES : SLOW_PIECES_BETWEEN_PAUSES;
    if (x->r != x->node_partition && ++s->pieces % between == 0 && ask_state(s, ASK_PAUSE, 0, 0, &u) == STOP)
        return STOP;
    return x->rule->is_fast ? fast_piece(x, &u) : slow_piece(x, &u);
}

/* Where a rule moves processes, and what forbids letters there. */
static const Places *places_of(Search *s, uint32_t rule, const State *at, uint32_t r) {
    uint32_t key[2] = {rule, r};
    uint32_t entry = table_find(&s->placed, key, 2);
    if (entry != NOTHING)
        return &s->places[s->placed.entries[entry].value];
    State asked = {at->shared, r, at->words, 0};
    if (ask_state(s, ASK_PLACES, rule, 0, &asked) == STOP)
        return NULL;
    if (!make_room((void **)&s->places, sizeof *s->places, s->place_count, &s->place_room))
        return NULL;
    uint32_t *list = malloc((s->answer_count + 1) * sizeof *list), cells = s->store.cells.all[r].count;
    uint32_t *start = malloc((cells + 1) * sizeof *start);
    if (list == NULL || start == NULL) {
        free(list);
        free(start);
        return NULL;
    }
    memcpy(list, s->answer, s->answer_count * sizeof *list);
    Places *places = &s->places[s->place_count];
    *places = (Places){list[0], list + 1, list + 1 + list[0], start};
    uint32_t at_word = 0;
    for (uint32_t cell = 0; cell < cells; cell++) {
        start[cell] = at_word;
        at_word += 1 + places->forbidding[at_word];
    }
    if (table_add(&s->placed, key, 2, (uint32_t)s->place_count) == NOTHING)
        return NULL;
    return &s->places[s->place_count++];
}

typedef struct {
    Expansion *x;
    State at; /* the state that is unwound: its letters are the witnesses */
} Unwound;

static int is_allowed(void *data, uint32_t cell, uint32_t letter) {
    Unwound *unwound = data;
    const Places *places = unwound->x->places;
    const uint32_t *list = places->forbidding + places->start[cell];
    for (uint32_t k = 1; k <= list[0]; k++) {
        int holds = letter_holds(unwound->x->s, list[k], &unwound->at, letter);
        if (holds != 1)
            return holds;
    }
    return 1;
}

static int take_unwound(void *data, const uint32_t *words, uint32_t length) {
    return take_piece(((Unwound *)data)->x, words, length);
}

static int all_allowed(Unwound *unwound) {
    uint32_t cell = 0;
    for (uint32_t k = 0; k < unwound->at.length; k++) {
        int may = is_allowed(unwound, cell, letter_of(unwound->at.words[k]));
        if (may != 1)
            return may;
        cell += is_last(unwound->at.words[k]);
    }
    return 1;
}

static uint32_t meet(Search *s, uint32_t p, uint32_t q) {
    if (p == q || q == 0)
        return p;
    uint32_t known = pair_of(&s->store.cells, p, q)->meet;
    if (known != NOTHING)
        return known;
    int32_t found = s->ask(ASK_MEET, p, q, 0, p, NULL, 0);
    if (found < 0)
        return NOTHING;
    return pair_of(&s->store.cells, p, q)->meet = (uint32_t)found;
}

static int apply_rule(Expansion *x, const State *at) {
    Search *s = x->s;
    x->r = meet(s, at->p, x->rule->q);
    if (x->r == NOTHING || (x->places = places_of(s, x->number, at, x->r)) == NULL)
        return STOP;
    Unwound unwound = {x, *at};
    if (x->r != at->p)
        return unwind(&s->store.cells, at->p, at->words, x->r, x->rule->has_each ? is_allowed : NULL, take_unwound,
                      &unwound);
    int may = x->rule->has_each ? all_allowed(&unwound) : 1;
    return may == 1 ? take_piece(x, at->words, at->length) : may;
}

/* Which rules the shared part and the letters do not rule out. */

static int some_letter_may_move(Search *s, const Rule *rule, const State *total) {
    if (rule->own_count == 0)
        return 1;
    uint32_t cell = 0;
    for (uint32_t k = 0; k < total->length; k++) {
        bool mine = rule->classes[cell / 64] >> cell % 64 & 1;
        int holds = mine;
        for (uint32_t j = 0; holds == 1 && j < rule->own_count; j++)
            holds = letter_holds(s, rule->own[j], total, letter_of(total->words[k]));
        if (holds != 0)
            return holds;
        cell += is_last(total->words[k]);
    }
    return 0;
}

static int is_candidate(Search *s, const Rule *rule, const State *total) {
    for (uint32_t k = 0; k < rule->shared_count; k++) {
        int holds = shared_holds(s, rule->shared[k], total);
        if (holds != 1)
            return holds;
    }
    int may = some_letter_may_move(s, rule, total);
    for (uint32_t k = 0; may == 1 && k < rule->symmetric_count; k++)
        may = condition_holds(s, rule->symmetric[k], total, NOTHING, NOTHING);
    return may;
}

static int find_candidates(Search *s, uint32_t g) {
    Store *store = &s->store;
    const Entry *entry = &store->totals.entries[g];
    uint32_t words[entry->length];
    memcpy(words, table_key(&store->totals, g), entry->length * sizeof *words);
    State total = {words[0], 0, words + 1, entry->length - 1};
    uint64_t head = store->rules_count;
    for (uint64_t k = 0; k <= s->rule_count; k++) {
        int may = k == 0 ? 1 : is_candidate(s, &s->rules[k - 1], &total);
        if (may < 0)
            return STOP;
        if (may == 0)
            continue;
        if (!make_room((void **)&store->rules, sizeof *store->rules, store->rules_count, &store->rules_room))
            return STOP;
        store->rules[store->rules_count++] = k == 0 ? 0 : (uint32_t)(k - 1);
    }
    store->rules[head] = (uint32_t)(store->rules_count - head - 1);
    if (head >= NOTHING)
        return STOP;
    store->groups[g].candidates = (uint32_t)head;
    return 0;
}

static int expand(Search *s, uint32_t node) {
    Store *store = &s->store;
    uint32_t g = store->nodes[node].group, length = node_length(store, node);
    if (store->groups[g].candidates == NOTHING && find_candidates(s, g) == STOP)
        return STOP;
    uint32_t words[length + 1];
    memcpy(words, node_key(store, node) + 2, length * sizeof *words);
    State at = {node_key(store, node)[0], node_key(store, node)[1], words, length};
    uint64_t head = store->groups[g].candidates;
    uint32_t count = store->rules[head];
    Expansion x = {.s = s, .shared = at.shared, .depth = store->nodes[node].depth, .node_partition = at.p};
    s->current = node;
    for (uint32_t k = 0; k < count; k++) {
        x.number = store->rules[head + 1 + k];
        x.rule = &s->rules[x.number];
        if (apply_rule(&x, &at) != 0)
            return STOP;
    }
    if (!x.certain && s->asks_stuck && ask_state(s, ASK_STUCK, node, 0, &at) == STOP)
        return STOP;
    return 0;
}

/* What Python calls. */

API Search *adaptive_open(uint32_t n, int depth_first, int forget, uint32_t commands, Ask ask) {
    Search *s = calloc(1, sizeof *s);
    if (s == NULL)
        return NULL;
    s->ask = ask;
    s->max_depth = NOTHING;
    s->fired = calloc(commands + 1, sizeof *s->fired);
    if (s->fired == NULL || !store_open(&s->store, n, depth_first, !depth_first, forget)) {
        free(s->fired);
        free(s);
        return NULL;
    }
    return s;
}

API void adaptive_close(Search *s) {
    for (uint64_t k = 0; k < s->rule_count; k++) {
        free(s->rules[k].shared);
        free(s->rules[k].classes);
    }
    for (uint64_t k = 0; k < s->condition_count; k++) {
        for (uint32_t j = 0; j < s->conditions[k].count; j++)
            free(s->conditions[k].counters[j].members);
        free(s->conditions[k].counters);
    }
    for (uint64_t k = 0; k < s->error_count; k++) {
        for (uint32_t j = 0; j < s->errors[k].each_count; j++)
            free(s->errors[k].each[j].members);
        free(s->errors[k].each);
        free(s->errors[k].conditions);
    }
    for (uint64_t k = 0; k < s->place_count; k++) {
        free(s->places[k].cells - 1);
        free(s->places[k].start);
    }
    table_free(&s->letters);
    table_free(&s->counted);
    table_free(&s->effects);
    table_free(&s->placed);
    free(s->rules);
    free(s->conditions);
    free(s->errors);
    free(s->results);
    free(s->places);
    free(s->answer);
    free(s->fired);
    free(s->levels);
    store_free(&s->store);
    free(s);
}

API int adaptive_partition(Search *s, const uint32_t *label) { return cells_add(&s->store.cells, label); }

static uint64_t *copy_bits(const Search *s, const uint64_t *bits) {
    uint64_t *copy = malloc((s->store.cells.bit_words + 1) * sizeof *copy);
    if (copy != NULL)
        memcpy(copy, bits, s->store.cells.bit_words * sizeof *copy);
    return copy;
}

/* ``counters``: clause, clipped, without self for each; ``members``: their sets of processes one after the other. */
static Counter *copy_counters(const Search *s, const uint32_t *counters, const uint64_t *members, uint32_t count) {
    Counter *copy = calloc(count + 1, sizeof *copy);
    for (uint32_t k = 0; copy != NULL && k < count; k++) {
        uint64_t *bits = copy_bits(s, members + (uint64_t)k * s->store.cells.bit_words);
        copy[k] = (Counter){counters[3 * k], counters[3 * k + 1], counters[3 * k + 2], bits};
    }
    return copy;
}

/* Its number, or -1. */
API int32_t adaptive_condition(Search *s, uint32_t kind, uint32_t clause, int by_letter, int by_cell,
                               uint32_t count, const uint32_t *counters, const uint64_t *members) {
    if (!make_room((void **)&s->conditions, sizeof *s->conditions, s->condition_count, &s->condition_room))
        return -1;
    Counter *copy = copy_counters(s, counters, members, count);
    s->conditions[s->condition_count] = (Condition){kind, clause, by_letter, by_cell, count, copy};
    return copy == NULL ? -1 : (int32_t)s->condition_count++;
}

/* ``lists``: the five lists of a rule one after the other, ``counts`` their lengths. */
API int adaptive_rule(Search *s, uint32_t q, uint32_t command, uint32_t edge, int is_fast, int has_each,
                      const uint32_t *counts, const uint32_t *lists, const uint64_t *classes) {
    if (!make_room((void **)&s->rules, sizeof *s->rules, s->rule_count, &s->rule_room))
        return 0;
    uint32_t total = counts[0] + counts[1] + counts[2] + counts[3] + counts[4];
    uint32_t *copy = malloc((total + 1) * sizeof *copy);
    uint64_t *bits = copy_bits(s, classes);
    if (copy == NULL || bits == NULL) {
        free(copy);
        free(bits);
        return 0;
    }
    memcpy(copy, lists, total * sizeof *copy);
    Rule rule = {.q = q, .command = command, .edge = edge, .is_fast = is_fast, .has_each = has_each, .classes = bits};
    rule.shared = copy, rule.shared_count = counts[0];
    rule.own = rule.shared + counts[0], rule.own_count = counts[1];
    rule.symmetric = rule.own + counts[1], rule.symmetric_count = counts[2];
    rule.pieces = rule.symmetric + counts[2], rule.piece_count = counts[3];
    rule.movers = rule.pieces + counts[3], rule.mover_count = counts[4];
    s->rules[s->rule_count++] = rule;
    return 1;
}

API int adaptive_error(Search *s, uint32_t count, const uint32_t *conditions, uint32_t each_count,
                       const uint32_t *each, const uint64_t *members) {
    if (!make_room((void **)&s->errors, sizeof *s->errors, s->error_count, &s->error_room))
        return 0;
    uint32_t *copy = malloc((count + 1) * sizeof *copy);
    Counter *counters = copy_counters(s, each, members, each_count);
    if (copy == NULL || counters == NULL) {
        free(copy);
        free(counters);
        return 0;
    }
    memcpy(copy, conditions, count * sizeof *copy);
    s->errors[s->error_count++] = (Error){count, copy, each_count, counters};
    return 1;
}

API void adaptive_limits(Search *s, uint32_t max_depth, int all_errors, int asks_stuck) {
    s->max_depth = max_depth;
    s->all_errors = all_errors;
    s->asks_stuck = asks_stuck;
}

API int adaptive_expect_letter(Search *s, uint32_t letter) {
    return letter < MOST_LETTERS && cells_expect_letter(&s->store.cells, letter);
}

API int adaptive_answer(Search *s, const uint32_t *words, uint64_t count) {
    while (s->answer_count + count > s->answer_room)
        if (!make_room((void **)&s->answer, sizeof *s->answer, s->answer_room, &s->answer_room))
            return 0;
    memcpy(s->answer + s->answer_count, words, count * sizeof *words);
    s->answer_count += count;
    return 1;
}

API void adaptive_fail(Search *s) { s->failed = true; }

API int adaptive_start(Search *s, uint32_t shared, uint32_t p, const uint32_t *words, uint32_t length) {
    State at = {shared, p, words, length};
    s->transitions++;
    return reach(s, &at, 0, NOTHING, NOTHING);
}

/* Expand so many states at most. */
API int adaptive_run(Search *s, uint64_t most) {
    for (uint64_t k = 0; k < most; k++) {
        uint32_t node = store_next(&s->store);
        if (node == NOTHING || (s->failed && !s->all_errors))
            return DONE;
        if (s->store.nodes[node].depth >= s->max_depth)
            return TOO_DEEP;
        if (expand(s, node) != 0)
            return STOPPED;
    }
    return MORE;
}

API uint32_t adaptive_current(const Search *s) { return s->current; }
API uint32_t adaptive_node_count(const Search *s) { return s->store.keys.count; }

/* shared part, partition, depth, parent, edge, whether it was forgotten, number of words; the words themselves. */
API const uint32_t *adaptive_node(const Search *s, uint32_t node, uint32_t *about) {
    const Node *here = &s->store.nodes[node];
    const uint32_t *key = node_key(&s->store, node);
    const uint32_t found[7] = {key[0], key[1], here->depth, here->parent, here->edge, here->forgotten,
                               node_length(&s->store, node)};
    memcpy(about, found, sizeof found);
    return key + 2;
}

/* reached, dropped, transitions, pieces, bytes, levels. */
API void adaptive_figures(const Search *s, uint64_t *figures) {
    uint64_t bytes = store_bytes(&s->store) + table_bytes(&s->letters) + table_bytes(&s->counted) +
                     table_bytes(&s->effects) + table_bytes(&s->placed);
    const uint64_t found[6] = {s->store.reached, s->store.dropped, s->transitions, s->pieces, bytes, s->level_count};
    memcpy(figures, found, sizeof found);
}

API const uint64_t *adaptive_fired(const Search *s) { return s->fired; }
API const uint64_t *adaptive_levels(const Search *s) { return s->levels; }
