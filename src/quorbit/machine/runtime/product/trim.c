/* Leaving out nodes until only accepting cycles and what they reach remain (trim.h). */
#include "trim.h"

#include "memory.h"

#include <stdlib.h>

#define FULL UINT8_MAX

enum { REACH, SEED, SPREAD, COUNT, CUT };

/* Nodes that wait, and which words of their bits are not empty. */
typedef struct {
    uint64_t *bits, *words, count;
} waiting;

struct qb_trim {
    int phase;
    uint32_t mark;                 /* whose edges are looked for */
    uint64_t nodes, cursor, width; /* width: words of a set */
    uint64_t *reached, *alive, *met, *ranks;
    waiting waits;
    uint8_t *predecessors; /* of the nodes that were reached, in their order */
    uint64_t before;       /* nodes that were alive when the present round began */
    qb_log_place place;
};

void qb_trim_close(qb_trim *t) {
    if (t == NULL) return;
    free(t->reached);
    free(t->alive);
    free(t->met);
    free(t->ranks);
    free(t->waits.bits);
    free(t->waits.words);
    free(t->predecessors);
    free(t);
}

/* Sets of nodes. */

static bool has(const uint64_t *set, uint64_t node) { return set[node / 64] >> (node % 64) & 1; }

static void add(uint64_t *set, uint64_t node) { set[node / 64] |= (uint64_t)1 << (node % 64); }

static void leave_out(uint64_t *set, uint64_t node) { set[node / 64] &= ~((uint64_t)1 << (node % 64)); }

static uint64_t size_of(const uint64_t *set, uint64_t width) {
    uint64_t n = 0;
    for (uint64_t k = 0; k < width; k++) n += (uint64_t)__builtin_popcountll(set[k]);
    return n;
}

/* The first word at or after one that is not empty; width if there is none. */
static uint64_t next_word(const waiting *w, uint64_t word, uint64_t width) {
    while (word < width) {
        uint64_t rest = w->words[word / 64] >> (word % 64);
        if (rest != 0) return word + (uint64_t)__builtin_ctzll(rest);
        word += 64 - word % 64;
    }
    return width;
}

static void wait(waiting *w, uint64_t node) {
    if (has(w->bits, node)) return;
    add(w->bits, node);
    add(w->words, node / 64);
    w->count++;
}

/* The next node that waits from the cursor on, or from the beginning.  Requires that one does. */
static uint64_t next_waiting(qb_trim *t) {
    waiting *w = &t->waits;
    uint64_t word = t->cursor / 64, rest = word < t->width ? w->bits[word] >> (t->cursor % 64) << (t->cursor % 64) : 0;
    if (rest == 0) {
        word = next_word(w, word + 1, t->width);
        if (word == t->width) word = next_word(w, 0, t->width);
        rest = w->bits[word];
    }
    uint64_t node = 64 * word + (uint64_t)__builtin_ctzll(rest);
    leave_out(w->bits, node);
    if (w->bits[word] == 0) leave_out(w->words, word);
    w->count--;
    t->cursor = node + 1;
    return node;
}

/* Its place among the nodes that were reached. */
static uint64_t rank_of(const qb_trim *t, uint64_t node) {
    uint64_t before = t->reached[node / 64] & (((uint64_t)1 << (node % 64)) - 1);
    return t->ranks[node / 64] + (uint64_t)__builtin_popcountll(before);
}

/* Opening. */

static qb_trim *open_trim(const qb_product *p) {
    qb_trim *t = calloc(1, sizeof *t);
    if (t == NULL) return NULL;
    t->nodes = p->g->w->store->n * p->q.automaton_states;
    t->width = t->nodes / 64 + 1;
    t->reached = calloc(t->width, sizeof *t->reached);
    t->waits.bits = calloc(t->width, sizeof *t->waits.bits);
    t->waits.words = calloc(t->width / 64 + 1, sizeof *t->waits.words);
    if (t->reached == NULL || t->waits.bits == NULL || t->waits.words == NULL) {
        qb_trim_close(t);
        return NULL;
    }
    for (uint32_t k = 0; k < p->q.root_count; k++)
        wait(&t->waits, (uint64_t)p->q.roots[k] * p->q.automaton_states + p->q.automaton_initial);
    return t;
}

/* After all nodes were reached. */
static bool open_rest(qb_trim *t) {
    t->alive = malloc(t->width * sizeof *t->alive);
    t->met = calloc(t->width, sizeof *t->met);
    t->ranks = malloc(t->width * sizeof *t->ranks);
    if (t->alive == NULL || t->met == NULL || t->ranks == NULL) return false;
    uint64_t n = 0;
    for (uint64_t k = 0; k < t->width; k++) {
        t->ranks[k] = n;
        n += (uint64_t)__builtin_popcountll(t->reached[k]);
    }
    memcpy(t->alive, t->reached, t->width * sizeof *t->alive);
    t->predecessors = malloc(n + 1);
    t->before = n;
    return t->predecessors != NULL;
}

/* The edges of a node. */

static qb_edges edges_of(const qb_product *p, qb_trim *t, uint64_t node) {
    uint32_t state = (uint32_t)(node / p->q.automaton_states), automaton = (uint32_t)(node % p->q.automaton_states);
    if (!qb_is_expanded(p->g, state)) return qb_edges_in(p, NULL, state, automaton);
    qb_entry entry = qb_log_entry_near(&p->g->log, state, &t->place);
    return qb_edges_in(p, &entry, state, automaton);
}

static uint64_t target_of(const qb_product *p, const qb_edge *e) {
    return (uint64_t)e->state * p->q.automaton_states + e->automaton;
}

static int reach(qb_product *p, qb_trim *t) {
    uint64_t node = next_waiting(t);
    uint32_t state = (uint32_t)(node / p->q.automaton_states);
    if (qb_is_end(p, (uint32_t)(node % p->q.automaton_states))) return QB_FOUND;
    int status = qb_is_expanded(p->g, state) ? qb_need_letter(p, state) : QB_RUNNING;
    if (status != QB_RUNNING) {
        wait(&t->waits, node);
        return status;
    }
    add(t->reached, node);
    qb_edges edges = edges_of(p, t, node);
    for (qb_edge e; qb_next_edge(p, &edges, &e);)
        if (!has(t->reached, target_of(p, &e))) wait(&t->waits, target_of(p, &e));
    return QB_RUNNING;
}

static void spread(const qb_product *p, qb_trim *t) {
    uint64_t node = next_waiting(t);
    add(t->met, node);
    qb_edges edges = edges_of(p, t, node);
    for (qb_edge e; qb_next_edge(p, &edges, &e);) {
        uint64_t target = target_of(p, &e);
        if (has(t->alive, target) && !has(t->met, target)) wait(&t->waits, target);
    }
}

static void cut(const qb_product *p, qb_trim *t) {
    uint64_t node = next_waiting(t);
    leave_out(t->alive, node);
    qb_edges edges = edges_of(p, t, node);
    for (qb_edge e; qb_next_edge(p, &edges, &e);) {
        uint64_t target = target_of(p, &e);
        if (!has(t->alive, target)) continue;
        uint8_t *n = &t->predecessors[rank_of(t, target)];
        if (*n != FULL && --*n == 0) wait(&t->waits, target);
    }
}

/* One node of a pass over all that are alive: where edges with the mark lead. */
static void seed(const qb_product *p, qb_trim *t, uint64_t node) {
    qb_edges edges = edges_of(p, t, node);
    for (qb_edge e; qb_next_edge(p, &edges, &e);)
        if (e.marks >> t->mark & 1 && has(t->alive, target_of(p, &e))) wait(&t->waits, target_of(p, &e));
}

/* The same: its successors have one predecessor more. */
static void count(const qb_product *p, qb_trim *t, uint64_t node) {
    qb_edges edges = edges_of(p, t, node);
    for (qb_edge e; qb_next_edge(p, &edges, &e);) {
        if (!has(t->alive, target_of(p, &e))) continue;
        uint8_t *n = &t->predecessors[rank_of(t, target_of(p, &e))];
        if (*n != FULL) ++*n;
    }
}

/* Phases. */

static void begin(qb_trim *t, int phase) {
    t->phase = phase;
    t->cursor = 0;
    t->place = (qb_log_place){0, 0};
}

static void begin_count(qb_trim *t) {
    memset(t->predecessors, 0, size_of(t->reached, t->width) + 1);
    begin(t, COUNT);
}

static void begin_cut(qb_trim *t) {
    for (uint64_t node = 0; node < t->nodes; node++)
        if (has(t->alive, node) && t->predecessors[rank_of(t, node)] == 0) wait(&t->waits, node);
    begin(t, CUT);
}

static void begin_round(const qb_product *p, qb_trim *t) {
    t->mark = 0;
    if (p->q.all == 0) begin_count(t);
    else begin(t, SEED);
}

/* What is alive are the nodes that were met. */
static void end_spread(const qb_product *p, qb_trim *t) {
    uint64_t *met = t->met;
    t->met = t->alive;
    t->alive = met;
    memset(t->met, 0, t->width * sizeof *t->met);
    t->mark++;
    if (p->q.all >> (t->mark % 64) & 1 && t->mark < 64) begin(t, SEED);
    else begin_count(t);
}

/* QB_RUNNING: another round. */
static int end_round(const qb_product *p, qb_trim *t) {
    uint64_t alive = size_of(t->alive, t->width);
    if (alive == 0) return QB_DONE;
    if (alive == t->before) return QB_FOUND;
    t->before = alive;
    begin_round(p, t);
    return QB_RUNNING;
}

/* The nodes that wait are all dealt with, or the pass over all nodes is done. */
static int end_phase(const qb_product *p, qb_trim *t) {
    switch (t->phase) {
    case REACH:
        if (!open_rest(t)) return QB_MEMORY;
        begin_round(p, t);
        return QB_RUNNING;
    case SEED: begin(t, SPREAD); return QB_RUNNING;
    case SPREAD: end_spread(p, t); return QB_RUNNING;
    case COUNT: begin_cut(t); return QB_RUNNING;
    default: return end_round(p, t);
    }
}

/* The next node of a pass; false: there is none. */
static bool pass(const qb_product *p, qb_trim *t) {
    uint64_t word = t->cursor / 64, rest = word < t->width ? t->alive[word] >> (t->cursor % 64) << (t->cursor % 64) : 0;
    while (rest == 0 && ++word < t->width) rest = t->alive[word];
    if (rest == 0) return false;
    uint64_t node = 64 * word + (uint64_t)__builtin_ctzll(rest);
    t->cursor = node + 1;
    if (t->phase == SEED) seed(p, t, node);
    else count(p, t, node);
    return true;
}

static int advance(qb_product *p, qb_trim *t) {
    if (t->phase == SEED || t->phase == COUNT) return pass(p, t) ? QB_RUNNING : end_phase(p, t);
    if (t->waits.count == 0) return end_phase(p, t);
    if (t->phase == REACH) return reach(p, t);
    if (t->phase == SPREAD) spread(p, t);
    else cut(p, t);
    return QB_RUNNING;
}

static int trim(qb_product *p, double deadline) {
    if (p->trim == NULL && (p->trim = open_trim(p)) == NULL) return QB_MEMORY;
    int status = QB_RUNNING;
    for (uint32_t rounds = 1; status == QB_RUNNING; rounds++) {
        status = advance(p, p->trim);
        if ((rounds & 0xfff) == 0 && qb_seconds() > deadline) break;
    }
    if (status != QB_RUNNING && status != QB_LETTER) {
        qb_trim_close(p->trim);
        p->trim = NULL;
    }
    return status;
}

QB_API int qb_product_trim(qb_product *p, double seconds) {
    double began = qb_cpu_seconds();
    int status = trim(p, qb_seconds() + seconds);
    p->g->w->cpu_seconds += qb_cpu_seconds() - began;
    return status;
}
