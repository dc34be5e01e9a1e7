/* Clauses and conditions: looked up by what they depend on. */
#include <string.h>

#include "search.h"

static int remember(Search *s, Table *table, const uint32_t *key, uint32_t length, int found) {
    (void)s;
    if (found < 0)
        return STOP;
    return table_add(table, key, length, (uint32_t)found) == NOTHING ? STOP : found;
}

int letter_holds(Search *s, uint32_t clause, const State *at, uint32_t letter) {
    uint32_t key[3] = {clause, at->shared, letter};
    uint32_t entry = table_find(&s->letters, key, 3);
    if (entry != NOTHING)
        return (int)s->letters.entries[entry].value;
    int found = s->ask(ASK_LETTER, clause, letter, at->shared, at->p, at->words, at->length);
    return remember(s, &s->letters, key, 3, found);
}

int shared_holds(Search *s, uint32_t clause, const State *at) {
    uint32_t key[3] = {clause, at->shared, NOTHING};
    uint32_t entry = table_find(&s->letters, key, 3);
    if (entry != NOTHING)
        return (int)s->letters.entries[entry].value;
    int found = s->ask(ASK_SHARED, clause, 0, at->shared, at->p, at->words, at->length);
    return remember(s, &s->letters, key, 3, found);
}

static bool has_bit(const uint64_t *bits, uint32_t k) { return bits[k / 64] >> k % 64 & 1; }

/* How many members have a letter for which the clause holds; every cell lies inside the set or outside. */
static int count_members(Search *s, const Counter *counter, const State *at, uint32_t mover) {
    const Partition *p = &s->store.cells.all[at->p];
    int found = 0;
    const uint32_t *word = at->words;
    for (uint32_t cell = 0; cell < p->count; cell++) {
        bool inside = has_bit(counter->members, p->first[cell]);
        for (;; word++) {
            if (inside) {
                int holds = letter_holds(s, counter->clause, at, letter_of(*word));
                if (holds < 0)
                    return STOP;
                found += holds ? (int)count_of(*word) : 0;
            }
            if (is_last(*word))
                break;
        }
        word++;
    }
    if (counter->without_self) {
        int holds = letter_holds(s, counter->clause, at, mover);
        if (holds < 0)
            return STOP;
        found -= holds;
    }
    return counter->is_clipped && found > 1 ? 1 : found;
}

static int counted_holds(Search *s, uint32_t number, const State *at, uint32_t mover, uint32_t cell) {
    const Condition *condition = &s->conditions[number];
    uint32_t key[5 + condition->count];
    key[0] = number;
    key[1] = at->shared;
    key[2] = condition->by_letter ? mover : NOTHING;
    key[3] = condition->by_cell ? at->p : NOTHING;
    key[4] = condition->by_cell ? cell : NOTHING;
    for (uint32_t k = 0; k < condition->count; k++) {
        int found = count_members(s, &condition->counters[k], at, mover);
        if (found < 0)
            return STOP;
        key[5 + k] = (uint32_t)found;
    }
    uint32_t entry = table_find(&s->counted, key, 5 + condition->count);
    if (entry != NOTHING)
        return (int)s->counted.entries[entry].value;
    uint32_t asked[at->length + 1];
    memcpy(asked, at->words, at->length * sizeof *asked);
    asked[at->length] = cell;
    int found = s->ask(ASK_COUNTED, number, mover, at->shared, at->p, asked, at->length + 1);
    return remember(s, &s->counted, key, 5 + condition->count, found);
}

int condition_holds(Search *s, uint32_t number, const State *at, uint32_t mover, uint32_t cell) {
    const Condition *condition = &s->conditions[number];
    if (condition->kind == ASK_SHARED)
        return shared_holds(s, condition->clause, at);
    if (condition->kind == ASK_COUNTED)
        return counted_holds(s, number, at, mover, cell);
    int found = s->ask(ASK_SYMMETRIC, number, 0, at->shared, at->p, at->words, at->length);
    return found < 0 ? STOP : found;
}

/* Whether some letter of the cell satisfies the clause. */
static int cell_may(Search *s, uint32_t clause, const State *at, const uint32_t *word) {
    for (;; word++) {
        int holds = letter_holds(s, clause, at, letter_of(*word));
        if (holds != 0 || is_last(*word))
            return holds;
    }
}

static int each_may_hold(Search *s, const Counter *each, const State *at) {
    const Partition *p = &s->store.cells.all[at->p];
    bool meets[p->count + 1];
    memset(meets, 0, sizeof meets);
    for (uint32_t k = 0; k < s->store.cells.n; k++)
        if (has_bit(each->members, k))
            meets[p->label[k]] = true;
    const uint32_t *word = at->words;
    for (uint32_t cell = 0; cell < p->count; cell++) {
        int may = meets[cell] ? cell_may(s, each->clause, at, word) : 1;
        if (may != 1)
            return may;
        while (!is_last(*word++)) {
        }
    }
    return 1;
}

int may_be_error(Search *s, const Error *error, const State *at) {
    for (uint32_t k = 0; k < error->count; k++) {
        int holds = condition_holds(s, error->conditions[k], at, NOTHING, NOTHING);
        if (holds != 1)
            return holds;
    }
    for (uint32_t k = 0; k < error->each_count; k++) {
        int may = each_may_hold(s, &error->each[k], at);
        if (may != 1)
            return may;
    }
    return 1;
}
