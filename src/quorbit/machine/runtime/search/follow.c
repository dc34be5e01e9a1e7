/* Following a path of representatives (follow.h). */
#include "follow.h"

#include "memory.h"

#include <stdlib.h>

#define WAYS 64u /* looked at together */

struct qb_follow {
    qb_engine *engine;
    const uint64_t *path, *start;
    uint64_t count, k; /* states of the path; the one the run is at */
    qb_moves moves;
    uint64_t *records, *image; /* image: of one record, reduced */
    uint32_t metas[WAYS];
    int64_t *registers;
    uint64_t *states, *ends, room;
    uint32_t *commands;
    uint64_t command_count, command_room;
    uint64_t *fired; /* counted by the generator of moves, and not used */
};

QB_API uint64_t qb_path(const qb_engine *e, uint64_t state, uint64_t *words, uint64_t room) {
    uint64_t count = 0;
    for (uint64_t s = state; s != QB_NO_PARENT; s = qb_parent(e, s)) count++;
    uint64_t k = count;
    if (count <= room)
        for (uint64_t s = state; s != QB_NO_PARENT; s = qb_parent(e, s))
            qb_copy(words + --k * e->options.program.words, qb_load(&e->workers[0], s), e->options.program.words);
    return count;
}

QB_API void qb_follow_close(qb_follow *f) {
    if (f == NULL) return;
    qb_moves_close(&f->moves);
    free(f->records);
    free(f->image);
    free(f->registers);
    free(f->states);
    free(f->ends);
    free(f->commands);
    free(f->fired);
    free(f);
}

QB_API qb_follow *qb_follow_open(qb_engine *e, const uint64_t *path, uint64_t count, const uint64_t *start) {
    const qb_program *p = &e->options.program;
    qb_follow *f = calloc(1, sizeof *f);
    if (f == NULL) return NULL;
    e->stop = false; /* the search has ended */
    f->engine = e;
    f->path = path;
    f->start = start;
    f->count = count;
    f->room = count;
    f->records = malloc((uint64_t)WAYS * e->stride * sizeof *f->records);
    f->image = malloc(e->stride * sizeof *f->image);
    f->registers = calloc(p->registers, sizeof *f->registers);
    f->states = malloc((count * p->words + 1) * sizeof *f->states);
    f->ends = malloc((count + 1) * sizeof *f->ends);
    f->fired = calloc(qb_numbered(p) + 1, sizeof *f->fired);
    if (f->records && f->image && f->registers && f->states && f->ends && f->fired &&
        qb_moves_open(&f->moves, p, e->stride)) {
        f->moves.keeps_way = true;
        return f;
    }
    qb_follow_close(f);
    return NULL;
}

static const uint64_t *here(const qb_follow *f) {
    return f->k == 0 ? f->start : f->states + (f->k - 1) * f->engine->options.program.words;
}

static bool leads_on(qb_follow *f, const uint64_t *record) {
    const uint32_t words = f->engine->options.program.words;
    const uint64_t *wanted = f->path + (f->k + 1) * words;
    qb_reducer *reducer = f->engine->workers[0].reducer;
    if (reducer == NULL) return qb_equal(record, wanted, words);
    qb_copy(f->image, record, words);
    qb_reduce(reducer, f->image);
    return qb_equal(f->image, wanted, words);
}

static bool add_step(qb_follow *f, const uint64_t *record, const uint32_t *way, uint64_t length) {
    if (f->command_count + length > f->command_room) {
        uint64_t room = 2 * (f->command_count + length) + 1024;
        uint32_t *more = realloc(f->commands, room * sizeof *more);
        if (more == NULL) return false;
        f->commands = more;
        f->command_room = room;
    }
    for (uint64_t j = 0; j < length; j++) f->commands[f->command_count++] = way[j] & QB_COMMAND;
    qb_copy(f->states + f->k * f->engine->options.program.words, record, f->engine->options.program.words);
    f->ends[f->k++] = f->command_count;
    return true;
}

/* One step without transient states: records are looked at in portions. */
static int step_plainly(qb_follow *f) {
    const qb_engine *e = f->engine;
    for (uint64_t skip = 0;; skip += WAYS) {
        qb_sink sink = {f->records, f->metas, WAYS, skip, 0, f->registers, &e->stop};
        if (qb_run_next(&e->options.program, here(f), &sink) < 0) return QB_FAILED;
        uint64_t got = sink.n < skip ? 0 : sink.n - skip < WAYS ? sink.n - skip : WAYS;
        for (uint64_t j = 0; j < got; j++) {
            const uint64_t *record = f->records + j * e->stride;
            if (f->metas[j] & (QB_VIOLATION | QB_DROPPED) || !leads_on(f, record)) continue;
            return add_step(f, record, f->metas + j, 1) ? QB_RUNNING : QB_MEMORY;
        }
        if (sink.n <= skip + WAYS) return QB_FAILED;
    }
}

/* One step through transient states: ways are looked at one by one. */
static int step_through(qb_follow *f) {
    const qb_engine *e = f->engine;
    if (!qb_moves_begin(&f->moves, here(f), QB_ALL_OF_THEM)) return QB_MEMORY;
    for (int64_t r = 0; r == 0;) {
        qb_sink sink = {f->records, f->metas, 1, 0, 0, f->registers, &e->stop};
        r = qb_moves_more(&f->moves, qb_run_next, &e->options.program, &sink, f->fired, qb_seconds() + 1e9);
        if (r < 0) return r == QB_NO_MEMORY ? QB_MEMORY : QB_FAILED;
        if (sink.n == 0 || f->metas[0] & (QB_VIOLATION | QB_DROPPED) || !leads_on(f, f->records)) continue;
        return add_step(f, f->records, f->moves.way, f->moves.way_length) ? QB_RUNNING : QB_MEMORY;
    }
    return QB_FAILED;
}

QB_API int qb_follow_step(qb_follow *f, double seconds) {
    double deadline = qb_seconds() + seconds;
    for (uint32_t rounds = 1; f->k + 1 < f->count; rounds++) {
        int status = f->engine->options.transient ? step_through(f) : step_plainly(f);
        if (status != QB_RUNNING) return status;
        if ((rounds & 63) == 0 && qb_seconds() > deadline) return QB_RUNNING;
    }
    return QB_DONE;
}

QB_API void qb_follow_view(const qb_follow *f, qb_run_view *view) {
    *view = (qb_run_view){f->k, f->states, f->ends, f->commands};
}
