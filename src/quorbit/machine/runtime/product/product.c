/* The search for an accepting cycle (product.h). */
#include "product.h"

#include "fair.h"
#include "memory.h"
#include "trim.h"

#include <stdlib.h>

#define BEGIN UINT32_MAX /* the place of a frame whose edges nobody has looked at */

/* Opening and closing. */

QB_API void qb_product_close(qb_product *p) {
    if (p == NULL) return;
    qb_names_close(&p->letters);
    free(p->registers);
    free(p->key);
    qb_letters_close(&p->letter_of);
    qb_trim_close(p->trim);
    free(p->node_slots);
    free(p->rows);
    free(p->steps);
    free(p->nodes);
    free(p->open);
    free(p->frames);
    free(p->components);
    free(p->core);
    free(p->core_ends);
    free(p->place_in);
    free(p);
}

static bool open_parts(qb_product *p) {
    uint32_t registers = 0, bits = p->q.program_count / 2 + p->q.label_count;
    for (uint32_t k = 0; k < p->q.program_count; k++) {
        const qb_program *program = &p->q.programs[k];
        if (program->words != p->g->e->options.program.words || qb_verify(program) >= 0) return false;
        if (program->registers > registers) registers = program->registers;
    }
    p->registers = calloc(registers + 1ull, sizeof *p->registers);
    p->key = calloc(bits / 32 + 1ull, sizeof *p->key);
    return p->registers != NULL && p->key != NULL && qb_names_open(&p->letters, bits / 32 + 1);
}

/* NULL if a program is unsound or memory is short.  The arrays of the question stay the caller's and must live on. */
QB_API qb_product *qb_product_open(qb_graph *g, const qb_question *question) {
    qb_product *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->g = g;
    p->q = *question;
    if (!open_parts(p)) {
        qb_product_close(p);
        return NULL;
    }
    return p;
}

bool qb_grow_array(void **array, uint64_t *room, uint64_t needed, size_t size) {
    if (needed <= *room) return true;
    uint64_t more_room = *room < 64 ? 64 : *room;
    while (more_room < needed) more_room *= 2;
    void *more = realloc(*array, more_room * size);
    if (more == NULL) return false;
    *array = more;
    *room = more_room;
    return true;
}

#define GROW(array, room, needed) qb_grow_array((void **)&(array), &(room), (needed), sizeof *(array))

/* Letters. */

static int64_t is_broken(qb_product *p, uint32_t program, uint32_t state) {
    return qb_run_check(&p->q.programs[program], qb_load(p->g->w, state), p->registers);
}

/* A proposition holds where its negation is broken; where it has no value, both are. */
static bool add_bit(qb_product *p, uint32_t proposition, uint32_t state) {
    int64_t yes = is_broken(p, 2 * proposition + 1, state);
    if (yes < 0) return false;
    if (!p->q.certain[proposition]) {
        int64_t no = is_broken(p, 2 * proposition, state);
        if (no < 0 || (yes > 0) == (no > 0)) return false;
    }
    if (yes > 0) p->key[proposition / 32] |= 1u << (proposition % 32);
    return true;
}

static int name_letter(qb_product *p, uint32_t state) {
    uint32_t programs = p->q.program_count / 2;
    memset(p->key, 0, p->letters.length * sizeof *p->key);
    for (uint32_t k = 0; k < programs; k++)
        if (!add_bit(p, k, state)) {
            p->bad_state = state;
            p->bad_proposition = k;
            return QB_NO_VALUE;
        }
    for (uint32_t k = 0; k < p->q.label_count; k++)
        if (p->q.labels[k][state]) p->key[(programs + k) / 32] |= 1u << ((programs + k) % 32);
    int64_t name = qb_name_of(&p->letters, p->key);
    return name >= 0 && qb_set_letter(&p->letter_of, state, (uint32_t)name) ? QB_RUNNING : QB_MEMORY;
}

int qb_need_letter(qb_product *p, uint32_t state) {
    if (qb_letter_of(&p->letter_of, state) == QB_NO_LETTER) {
        int status = name_letter(p, state);
        if (status != QB_RUNNING) return status;
    }
    uint32_t letter = qb_letter_of(&p->letter_of, state);
    if (letter < p->row_count) return QB_RUNNING;
    p->missing_letter = letter;
    return QB_LETTER;
}

/* The row of the letter that was asked for; letters are asked for in the order of their numbers. */
QB_API bool qb_product_row(qb_product *p, const uint32_t *counts, const uint32_t *targets, const uint64_t *marks) {
    uint64_t width = p->q.automaton_states + 1ull, total = 0;
    for (uint32_t q = 0; q < p->q.automaton_states; q++) total += counts[q];
    if (!GROW(p->rows, p->row_room, (p->row_count + 1) * width)) return false;
    if (!GROW(p->steps, p->step_room, p->step_count + total)) return false;
    uint64_t *row = p->rows + p->row_count * width;
    row[0] = p->step_count;
    for (uint32_t q = 0; q < p->q.automaton_states; q++) row[q + 1] = row[q] + counts[q];
    for (uint64_t k = 0; k < total; k++) {
        if (targets[k] >= p->q.automaton_states) return false;
        p->steps[p->step_count + k] = (qb_step_to){targets[k], 0, marks[k]};
    }
    p->step_count += total;
    p->row_count++;
    return true;
}

/* Nodes. */

static void place_node(qb_product *p, uint32_t node) {
    uint64_t at = qb_node_home(p, p->nodes[node].state, p->nodes[node].automaton);
    while (p->node_slots[at] != 0) at = (at + 1) & (p->node_slot_room - 1);
    p->node_slots[at] = node + 1;
}

/* The table is at most three quarters full. */
static bool grow_node_slots(qb_product *p) {
    if (4 * (p->node_count + 1) <= 3 * p->node_slot_room) return true;
    uint64_t room = p->node_slot_room == 0 ? 1024 : 2 * p->node_slot_room;
    uint32_t *slots = calloc(room, sizeof *slots);
    if (slots == NULL) return false;
    free(p->node_slots);
    p->node_slots = slots;
    p->node_slot_room = room;
    for (uint64_t v = 0; v < p->node_count; v++) place_node(p, (uint32_t)v);
    return true;
}

static uint32_t add_node(qb_product *p, uint32_t state, uint32_t automaton) {
    if (p->node_count >= QB_LEFT_GOOD || !GROW(p->nodes, p->node_room, p->node_count + 1)) return QB_NO_NODE;
    if (!grow_node_slots(p)) return QB_NO_NODE;
    p->nodes[p->node_count] = (qb_pair){state, automaton, QB_LEFT};
    place_node(p, (uint32_t)p->node_count);
    return (uint32_t)p->node_count++;
}

/* Go to a new node, by an edge with these marks. */
static bool visit(qb_product *p, uint32_t state, uint32_t automaton, uint64_t marks, uint32_t mover) {
    uint32_t v = add_node(p, state, automaton);
    if (v == QB_NO_NODE || !GROW(p->open, p->open_room, p->open_count + 1) ||
        !GROW(p->frames, p->depth_room, p->depth + 1) ||
        !GROW(p->components, p->component_room, p->component_count + 1))
        return false;
    p->nodes[v].place = (uint32_t)p->open_count;
    p->components[p->component_count++] = (qb_component){0, marks, (uint32_t)p->open_count, 0, false, false};
    p->open[p->open_count++] = v;
    p->frames[p->depth++] = (qb_frame){v, 0, BEGIN, 0, mover};
    if (p->depth > p->deepest) p->deepest = p->depth;
    return true;
}

/* Components. */

static uint64_t size_of(const qb_product *p, const qb_component *c) { return p->open_count - c->place; }

/* An edge from the top component back to an open node: all components in between are one. */
static qb_component *merge(qb_product *p, uint32_t place, uint64_t marks) {
    qb_component whole = {marks, 0, place, 0, true, false};
    for (;; p->component_count--) {
        qb_component *top = &p->components[p->component_count - 1];
        whole.marks |= top->marks;
        whole.good |= top->good;
        if (top->judged > whole.judged) whole.judged = top->judged;
        if (top->place <= place) {
            whole.place = top->place;
            whole.before = top->before;
            *top = whole;
            return top;
        }
        whole.marks |= top->before;
    }
}

bool qb_keep_core(qb_product *p, const uint32_t *nodes, uint64_t n) {
    if (p->q.aim == QB_FIND_ROOTS) return true;
    if (!GROW(p->core, p->core_room, p->core_count + n)) return false;
    if (!GROW(p->core_ends, p->core_set_room, p->core_sets + 1)) return false;
    memcpy(p->core + p->core_count, nodes, n * sizeof *nodes);
    p->core_count += n;
    p->core_ends[p->core_sets++] = p->core_count;
    return true;
}

/* Whether the top component has an accepting cycle, which is then kept: 1 yes, 0 no, -1 no memory. */
static int find_cycle(qb_product *p, const qb_component *c) {
    if (!c->cyclic || (p->q.all & ~c->marks)) return 0;
    if (p->q.fairness != QB_UNFAIR) return qb_find_fair(p, p->open + c->place, size_of(p, c));
    return qb_keep_core(p, p->open + c->place, size_of(p, c)) ? 1 : -1;
}

/* The top component has grown.  Whether a cycle in it is fair is looked at when it has become twice as large. */
static int judge_open(qb_product *p, qb_component *c) {
    if (p->q.aim != QB_FIND_FIRST || size_of(p, c) < 2ull * c->judged || (p->q.all & ~c->marks)) return QB_RUNNING;
    c->judged = (uint32_t)size_of(p, c);
    int found = find_cycle(p, c);
    return found < 0 ? QB_MEMORY : found > 0 ? QB_FOUND : QB_RUNNING;
}

/* The top component is complete. */
static int close_component(qb_product *p, qb_component *c) {
    if (c->judged != size_of(p, c)) {
        int found = find_cycle(p, c);
        if (found < 0) return QB_MEMORY;
        if (found > 0 && p->q.aim == QB_FIND_FIRST) return QB_FOUND;
        c->good |= found > 0;
    }
    while (p->open_count > c->place)
        p->nodes[p->open[--p->open_count]].place = c->good ? QB_LEFT_GOOD : QB_LEFT;
    p->component_count--;
    if (c->good && p->component_count > 0) c[-1].good = true;
    return QB_RUNNING;
}

/* All edges of the top node are done; if it is the first of its component, the component is complete. */
static int leave(qb_product *p) {
    uint32_t v = p->frames[p->depth - 1].node;
    qb_component *c = &p->components[p->component_count - 1];
    int status = c->place == p->nodes[v].place ? close_component(p, c) : QB_RUNNING;
    if (status == QB_RUNNING) p->depth--;
    return status;
}

/* The search. */

/* The first process that moves on an edge; UINT32_MAX if none does. */
static uint32_t mover_of(const qb_product *p, uint64_t edge) {
    const qb_graph *g = p->g;
    if (p->q.fairness == QB_UNFAIR || edge == QB_STUTTER) return UINT32_MAX;
    const uint32_t *set = qb_key(&g->sets, qb_log_naming(&g->log, edge).movers);
    for (uint32_t i = 0; i < g->cast.process_count; i++)
        if (qb_bit(set, i)) return i;
    return UINT32_MAX;
}

/* The same, as it is called after the edge. */
static uint32_t mover_after(const qb_product *p, uint64_t edge) {
    uint32_t mover = mover_of(p, edge);
    return mover == UINT32_MAX ? mover : qb_renamed(p, edge, mover);
}

/* A search for fair cycles lets the processes move in turn, as a fair scheduler would: where the first edge is whose mover
 * comes after the last. */
static uint64_t first_in_turn(const qb_product *p, const qb_edges *edges, uint32_t last) {
    if (last == UINT32_MAX || edges->stutters) return 0;
    qb_edges once = *edges;
    once.last_step = once.step == once.last_step ? once.step : once.step + 1;
    for (qb_edge edge; qb_next_edge(p, &once, &edge);) {
        uint32_t mover = mover_of(p, edge.edge);
        if (mover != UINT32_MAX && mover > last) return edge.edge - edges->entry.name;
    }
    return 0;
}

static uint64_t last_edge(const qb_product *p, const qb_edges *edges) {
    uint64_t last = 0;
    qb_edges once = *edges;
    if (edges->stutters || once.step == once.last_step) return 0;
    once.last_step = once.step + 1;
    for (qb_edge edge; qb_next_edge(p, &once, &edge);) last = edge.edge - edges->entry.name;
    return last;
}

static uint64_t first_edge(const qb_product *p, const qb_edges *edges, uint32_t last_mover) {
    if (p->q.fairness != QB_UNFAIR) return first_in_turn(p, edges, last_mover);
    return p->q.last_first ? last_edge(p, edges) : 0;
}

static int follow(qb_product *p, const qb_edge *edge) {
    uint32_t w = qb_find_node(p, edge->state, edge->automaton);
    if (w == QB_NO_NODE) {
        bool good = visit(p, edge->state, edge->automaton, edge->marks, mover_after(p, edge->edge));
        return good ? QB_RUNNING : QB_MEMORY;
    }
    uint32_t place = p->nodes[w].place;
    if (place == QB_LEFT_GOOD) p->components[p->component_count - 1].good = true;
    if (place >= QB_LEFT_GOOD) return QB_RUNNING;
    return judge_open(p, merge(p, place, edge->marks));
}

/* Where the automaton cannot go on, nobody asks what the model does: an error there breaks nothing. */
static int need_edges(qb_product *p, uint32_t state, uint32_t automaton) {
    if (qb_is_expanded(p->g, state) || !p->q.expands) return QB_RUNNING;
    const uint64_t *row = qb_row(p, state, automaton);
    return row[0] == row[1] ? QB_RUNNING : qb_graph_expand(p->g, state);
}

/* Where the edges of a node are gone on with; a frame begins with a step of its own, and notes the place after each edge. */
static void go_on(qb_edges *edges, const qb_frame *frame) {
    edges->step += frame->step;
    if (frame->at == BEGIN) return;
    edges->at = frame->at;
    edges->turned = frame->turned != 0;
}

static void note_place(const qb_edges *edges, uint64_t first, qb_frame *frame) {
    frame->step = (uint32_t)(edges->step - first);
    frame->at = (uint32_t)edges->at;
    frame->turned = edges->turned;
}

/* The top node is accepted whatever follows: it stands for a cycle. */
static int end_here(qb_product *p, uint32_t node) {
    qb_component *c = &p->components[p->component_count - 1];
    if (!qb_keep_core(p, &node, 1)) return QB_MEMORY;
    if (p->q.aim == QB_FIND_FIRST) return QB_FOUND;
    c->good = true;
    c->judged = 1;
    return leave(p);
}

/* The edges of the top node, until one leads to a new node. */
static int advance(qb_product *p) {
    uint32_t v = p->frames[p->depth - 1].node, state = p->nodes[v].state;
    if (qb_is_end(p, p->nodes[v].automaton)) return end_here(p, v);
    int status = qb_need_letter(p, state);
    if (status == QB_RUNNING) status = need_edges(p, state, p->nodes[v].automaton);
    if (status != QB_RUNNING) return status;
    qb_edges edges = qb_edges_of(p, v);
    uint64_t depth = p->depth, first = edges.step;
    edges.begin = edges.at = first_edge(p, &edges, p->frames[depth - 1].mover);
    go_on(&edges, &p->frames[depth - 1]);
    while (status == QB_RUNNING && p->depth == depth) {
        qb_edge edge;
        if (!qb_next_edge(p, &edges, &edge)) return leave(p);
        note_place(&edges, first, &p->frames[depth - 1]);
        status = follow(p, &edge);
    }
    return status;
}

static int start_root(qb_product *p) {
    uint32_t state = p->q.roots[p->root++];
    if (qb_find_node(p, state, p->q.automaton_initial) != QB_NO_NODE) return QB_RUNNING;
    return visit(p, state, p->q.automaton_initial, 0, UINT32_MAX) ? QB_RUNNING : QB_MEMORY;
}

static int search(qb_product *p, uint64_t most_nodes, double deadline) {
    for (uint32_t rounds = 1;; rounds++) {
        if (p->depth == 0 && p->root == p->q.root_count) return QB_DONE;
        if (p->node_count >= most_nodes) return QB_RUNNING;
        int status = p->depth == 0 ? start_root(p) : advance(p);
        if (status != QB_RUNNING) return status;
        if ((rounds & 0x3ff) == 0 && qb_seconds() > deadline) return QB_RUNNING;
    }
}

QB_API int qb_product_step(qb_product *p, uint64_t most_nodes, double seconds) {
    double began = qb_cpu_seconds();
    int status = search(p, most_nodes, qb_seconds() + seconds);
    p->g->w->cpu_seconds += qb_cpu_seconds() - began;
    return status;
}

/* Answers. */

QB_API void qb_product_view_of(const qb_product *p, qb_product_view *view) {
    *view = (qb_product_view){p->node_count, p->deepest,         p->core_sets, p->missing_letter,
                              p->bad_state,  p->bad_proposition, NULL};
    if (p->missing_letter < p->letters.n) view->key = qb_key(&p->letters, p->missing_letter);
}

QB_API void qb_product_good(const qb_product *p, uint8_t *flags) {
    for (uint32_t k = 0; k < p->q.root_count; k++) {
        uint32_t v = qb_find_node(p, p->q.roots[k], p->q.automaton_initial);
        flags[k] = v != QB_NO_NODE && p->nodes[v].place == QB_LEFT_GOOD;
    }
}

bool qb_place_nodes(qb_product *p, const uint32_t *nodes, uint64_t n) {
    uint64_t old = p->place_room;
    if (!GROW(p->place_in, p->place_room, p->node_count)) return false;
    if (p->place_room > old) memset(p->place_in + old, 0, (p->place_room - old) * sizeof *p->place_in);
    for (uint64_t k = 0; k < n; k++) p->place_in[nodes[k]] = (uint32_t)k + 1;
    return true;
}

void qb_unplace_nodes(qb_product *p, const uint32_t *nodes, uint64_t n) {
    for (uint64_t k = 0; k < n; k++) p->place_in[nodes[k]] = 0;
}
