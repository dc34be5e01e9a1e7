/* Ways through transient states (moves.h). */
#include "moves.h"

#include "memory.h"
#include "store.h"

#include <stdlib.h>

static bool make_room(qb_moves *m, uint64_t nodes) {
    if (m->n + nodes <= m->capacity) return true;
    uint64_t capacity = (m->n + nodes) * 2;
    qb_node *more_nodes = realloc(m->nodes, capacity * sizeof *m->nodes);
    if (more_nodes == NULL) return false;
    m->nodes = more_nodes;
    uint64_t *more_states = realloc(m->states, capacity * m->stride * sizeof *m->states);
    if (more_states == NULL) return false;
    m->states = more_states;
    m->capacity = capacity;
    return true;
}

static bool make_scratch(qb_moves *m, uint64_t records) {
    uint64_t *more = realloc(m->scratch.records, records * m->made * sizeof *more);
    if (more == NULL) return false;
    m->scratch.records = more;
    uint32_t *metas = realloc(m->scratch.metas, records * sizeof *metas);
    if (metas == NULL) return false;
    m->scratch.metas = metas;
    uint32_t *firsts = realloc(m->firsts, records * sizeof *firsts);
    if (firsts == NULL) return false;
    m->firsts = firsts;
    m->scratch.capacity = records;
    return true;
}

bool qb_moves_open(qb_moves *m, const qb_program *program, uint32_t stride) {
    memset(m, 0, sizeof *m);
    m->program = program;
    m->words = program->words;
    m->made = program->words + program->call_words;
    m->stride = stride;
    return make_room(m, 64) && make_scratch(m, 64);
}

void qb_moves_close(qb_moves *m) {
    free(m->nodes);
    free(m->states);
    free(m->scratch.records);
    free(m->scratch.metas);
    free(m->firsts);
    free(m->way);
    memset(m, 0, sizeof *m);
}

bool qb_moves_begin(qb_moves *m, const uint64_t *s, int wanted) {
    m->n = 0;
    m->wanted = wanted;
    m->moved = false;
    if (!make_room(m, 1)) return false;
    qb_copy(m->states, s, m->words);
    for (uint32_t k = m->words; k < m->stride; k++) m->states[k] = 0;
    m->nodes[0] = (qb_node){0, 0, QB_NO_COMMAND, 0, false};
    m->n = 1;
    return true;
}

/* Run next on the top node; its records are in the scratch sink. */
static int64_t run_next(qb_moves *m, qb_next next, const void *self, int64_t *registers) {
    for (;;) {
        m->scratch.n = m->scratch.skip = 0;
        m->scratch.registers = registers;
        int64_t r = next(self, m->states + (m->n - 1) * m->stride, &m->scratch);
        if (r < 0 || m->scratch.n <= m->scratch.capacity) return r;
        if (!make_scratch(m, m->scratch.n * 2)) return QB_NO_MEMORY;
    }
}

/* The hash of the calls on the way: that of the way before, and this call. */
static void add_call(const qb_moves *m, const uint64_t *before, uint64_t *record) {
    uint64_t h = before[m->made], i = before[m->made + 1];
    for (uint32_t k = m->words; k < m->made; k++) {
        h = qb_mix(h ^ record[k], 0x9e3779b97f4a7c15ull) + record[k];
        i = qb_mix(i + record[k], 0xd6e8feb86659fd93ull) ^ h;
    }
    record[m->made] = h + 1;
    record[m->made + 1] = i;
}

/* Which of the commands that can run in the state to begin with: all of them, if no choice is to be made. */
static void choose(qb_moves *m) {
    for (uint64_t k = 0; k < m->scratch.n; k++) m->firsts[k] = qb_command_at(m->program, m->scratch.metas[k], 0);
    if (!qb_choose(m->chooser, m->states, m->firsts, m->scratch.n)) m->wanted = QB_ALL_OF_THEM;
}

static bool is_wanted(const qb_moves *m, uint32_t meta) {
    return m->wanted == QB_ALL_OF_THEM || qb_is_chosen(m->chooser, qb_command_at(m->program, meta, 0)) == (m->wanted == QB_CHOSEN);
}

static void note_made(const qb_moves *m, uint64_t node) {
    while (node != 0 && m->nodes[node].parent != 0) node = m->nodes[node].parent;
    if (node != 0) qb_note_made(m->chooser, qb_command_at(m->program, m->nodes[node].meta, 0));
}

/* A chosen command that leads nowhere is not known to keep the others waiting: then the rest is wanted too. */
static bool needs_rest(qb_moves *m) {
    if (m->wanted != QB_CHOSEN || qb_all_made(m->chooser)) return false;
    m->wanted = QB_THE_REST;
    m->nodes[0].expanded = false;
    m->n = 1;
    return true;
}

/* Whether a way goes on forever: it is back in the transient state where it was, or has been in more of them than any
 * way that ends. */
static bool is_endless(const qb_moves *m, const qb_node *before, uint32_t meta, uint32_t depth, const uint64_t *record) {
    const bool transient = (meta & QB_TRANSIENT) != 0;
    if (depth - !transient > QB_LONGEST_TRANSIENT) return true;
    return transient && before->depth > 0 && qb_equal(m->states + before->anchor * m->stride, record, m->words);
}

/* A node on top of the stack, behind the one with this number; requires room. */
static void add_node(qb_moves *m, uint64_t top, uint32_t meta, const uint64_t *record) {
    const uint32_t before = m->nodes[top].depth, depth = before + qb_command_count(m->program, meta);
    if (is_endless(m, &m->nodes[top], meta, depth, record)) meta = (meta & ~QB_TRANSIENT) | QB_VIOLATION;
    const bool doubled = (before ^ depth) > before; /* the depth has passed a power of two */
    m->nodes[m->n] = (qb_node){top, doubled ? m->n : m->nodes[top].anchor, meta, depth, false};
    qb_copy(m->states + m->n * m->stride, record, m->made);
    if (m->stride > m->made) add_call(m, m->states + top * m->stride, m->states + m->n * m->stride);
    m->n++;
}

static int64_t expand(qb_moves *m, qb_next next, const void *self, int64_t *registers) {
    uint64_t top = m->n - 1;
    int64_t r = run_next(m, next, self, registers);
    if (r == QB_FAULT) { /* no guard has a meaning here: the way ends in this violation */
        m->nodes[top].meta |= QB_VIOLATION;
        if (top == 0) m->wanted = QB_ALL_OF_THEM;
        return 0;
    }
    if (r < 0) return r;
    if (!make_room(m, m->scratch.n)) return QB_NO_MEMORY;
    m->nodes[top].expanded = true;
    if (top == 0 && m->wanted != QB_ALL_OF_THEM) choose(m);
    for (uint64_t k = m->scratch.n; k-- > 0;)
        if (top != 0 || is_wanted(m, m->scratch.metas[k])) add_node(m, top, m->scratch.metas[k], m->scratch.records + k * m->made);
    return 0;
}

static void count_path(const qb_moves *m, uint64_t node, uint64_t *fired) {
    for (; node != 0; node = m->nodes[node].parent) fired[m->nodes[node].meta & QB_COMMAND]++;
}

/* The commands from the root to a node. */
static bool keep_way(qb_moves *m, uint64_t node) {
    uint64_t length = m->nodes[node].depth;
    if (length > m->way_room) {
        uint32_t *more = realloc(m->way, 2 * length * sizeof *more);
        if (more == NULL) return false;
        m->way = more;
        m->way_room = 2 * length;
    }
    m->way_length = length;
    for (; node != 0; node = m->nodes[node].parent)
        for (uint32_t k = qb_command_count(m->program, m->nodes[node].meta); k-- > 0;)
            m->way[--length] = qb_command_at(m->program, m->nodes[node].meta, k);
    return true;
}

static bool is_way(const qb_node *node) {
    return (node->meta & QB_VIOLATION) || (node->depth > 0 && !(node->meta & QB_TRANSIENT));
}

int64_t qb_moves_more(qb_moves *m, qb_next next, const void *self, qb_sink *sink, uint64_t *fired, double deadline) {
    for (uint64_t steps = 1; m->n > 0 || needs_rest(m); steps++) {
        uint64_t top = m->n - 1;
        qb_node *node = &m->nodes[top];
        if (node->expanded) {
            m->n--;
        } else if (is_way(node)) {
            if (sink->n >= sink->capacity) return 0;
            if (m->keeps_way && !keep_way(m, top)) return QB_NO_MEMORY;
            qb_copy(sink->records + sink->n * m->stride, m->states + top * m->stride, m->stride);
            sink->metas[sink->n++] = node->meta;
            count_path(m, top, fired);
            if (m->wanted == QB_CHOSEN) note_made(m, top);
            m->moved = true;
            m->n--;
        } else {
            int64_t r = expand(m, next, self, sink->registers);
            if (r < 0) return r;
        }
        if ((steps & 0xfff) == 0 && qb_seconds() > deadline) return 0;
    }
    return 1;
}
