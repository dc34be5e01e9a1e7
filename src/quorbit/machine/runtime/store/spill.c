/* Search with the states on disk (spill.h). */
#define _GNU_SOURCE
#include "spill.h"

#include "memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define PIECE 16384u           /* states read at once */
#define BUFFERED 2048u         /* candidates of a bucket kept in memory */
#define CACHE_BITS 16u
#define PATH_LENGTH 4096u

enum { EXPANDING, COLLECTING };

typedef struct {
    FILE *states, *candidates;
    uint64_t n, candidate_count;       /* records in the files */
    uint64_t level_start, level_end;   /* the present level's stretch */
    uint64_t *level_ends, level_room;
    uint64_t *buffer;
    uint32_t buffered;
} bucket;

struct qb_spill {
    qb_engine *engine; /* one worker, whose store holds a piece of the level, then a bucket */
    char directory[PATH_LENGTH];
    uint32_t bucket_count, at; /* at: the bucket being expanded or collected */
    bucket *buckets;
    uint64_t *cache;
    uint64_t read; /* states of the present bucket's stretch that were read */
    int phase;
    uint64_t states, level_states;
    uint64_t *failure; /* the words of the state the first failure is about */
    uint64_t failure_level; /* and the number of its level */
    bool failed;
    int disk_error; /* errno of what the disk refused first */
};

static uint32_t words_of(const qb_spill *p) { return p->engine->options.program.words; }

static FILE *open_file(const qb_spill *p, const char *kind, uint32_t number) {
    char path[PATH_LENGTH + 64];
    snprintf(path, sizeof path, "%s/%s-%04u.bin", p->directory, kind, number);
    return fopen(path, "w+b");
}

QB_API void qb_spill_close(qb_spill *p) {
    if (p == NULL) return;
    for (uint32_t k = 0; p->buckets != NULL && k < p->bucket_count; k++) {
        bucket *b = &p->buckets[k];
        if (b->states != NULL) fclose(b->states);
        if (b->candidates != NULL) fclose(b->candidates);
        free(b->buffer);
        free(b->level_ends);
    }
    free(p->buckets);
    free(p->cache);
    free(p->failure);
    free(p);
}

/* Takes over an engine of one worker without states; the directory must exist. */
QB_API qb_spill *qb_spill_open(qb_engine *e, const char *directory, uint32_t buckets) {
    if (e->worker_count != 1 || buckets == 0 || buckets > QB_MOST_BUCKETS || strlen(directory) >= PATH_LENGTH)
        return NULL;
    qb_spill *p = calloc(1, sizeof *p);
    if (p == NULL) return NULL;
    p->engine = e;
    p->bucket_count = buckets;
    strcpy(p->directory, directory);
    p->buckets = calloc(buckets, sizeof *p->buckets);
    p->cache = calloc((words_of(p) + 1ull) << CACHE_BITS, sizeof *p->cache);
    p->failure = calloc(words_of(p), sizeof *p->failure);
    bool good = p->buckets != NULL && p->cache != NULL && p->failure != NULL &&
                e->store.capacity >= PIECE + QB_CAPACITY;
    for (uint32_t k = 0; good && k < buckets; k++) {
        bucket *b = &p->buckets[k];
        b->states = open_file(p, "states", k);
        b->candidates = open_file(p, "candidates", k);
        b->buffer = malloc((uint64_t)BUFFERED * words_of(p) * sizeof *b->buffer);
        good = b->states != NULL && b->candidates != NULL && b->buffer != NULL;
    }
    if (good) return p;
    qb_spill_close(p);
    return NULL;
}

/* What the disk refuses ends the search; the reason is kept. */
static bool done(qb_spill *p, bool good) {
    if (!good && p->disk_error == 0) p->disk_error = errno == 0 ? EIO : errno;
    return good;
}

static int shortage(const qb_spill *p) { return p->disk_error == 0 ? QB_MEMORY : QB_DISK; }

/* Why the disk refused; 0: it did not. */
QB_API int qb_spill_error(const qb_spill *p) { return p->disk_error; }

static bool seek(qb_spill *p, FILE *file, uint64_t records) {
    return done(p, fseeko(file, (off_t)(records * words_of(p) * sizeof(uint64_t)), SEEK_SET) == 0);
}

static bool read_records(qb_spill *p, FILE *file, uint64_t *records, uint64_t n) {
    return done(p, fread(records, words_of(p) * sizeof(uint64_t), n, file) == n);
}

static bool write_records(qb_spill *p, FILE *file, const uint64_t *records, uint64_t n) {
    return done(p, fwrite(records, words_of(p) * sizeof(uint64_t), n, file) == n);
}

/* Candidates. */

static bool flush(qb_spill *p, bucket *b) {
    bool good = write_records(p, b->candidates, b->buffer, b->buffered);
    b->candidate_count += b->buffered;
    b->buffered = 0;
    return good;
}

/* false: the disk is full. */
static bool add_candidate(qb_spill *p, const uint64_t *s) {
    uint32_t words = words_of(p);
    uint64_t hash = qb_hash(s, words);
    uint64_t *seen = p->cache + (hash >> 24 & ((1u << CACHE_BITS) - 1)) * (words + 1ull);
    if (seen[words] && qb_equal(seen, s, words)) return true;
    qb_copy(seen, s, words);
    seen[words] = 1;
    bucket *b = &p->buckets[qb_owner(hash, p->bucket_count)];
    qb_copy(b->buffer + (uint64_t)b->buffered++ * words, s, words);
    return b->buffered < BUFFERED || flush(p, b);
}

QB_API bool qb_spill_start(qb_spill *p, const uint64_t *states, uint64_t count) {
    qb_worker *w = &p->engine->workers[0];
    for (uint64_t k = 0; k < count; k++) {
        qb_copy(w->records, states + k * words_of(p), words_of(p));
        if (w->reducer != NULL) qb_reduce(w->reducer, w->records);
        w->transitions++;
        if (!add_candidate(p, w->records)) return false;
    }
    p->phase = COLLECTING;
    p->at = 0;
    return true;
}

/* Remember the state of the first failure, while it is still in the worker's store. */
static void note_failure(qb_spill *p) {
    qb_worker *w = &p->engine->workers[0];
    if (p->failed || w->errors == 0) return;
    qb_copy(p->failure, w->store->arena + w->failure_state * words_of(p), words_of(p));
    p->failure_level = p->engine->level_count - (p->phase == EXPANDING ? 1 : 0);
    p->failed = true;
}

/* Expanding. */

static void empty_store(qb_store *store) {
    qb_table *table = &store->tables[0];
    memset(table->slots, 0, table->size * sizeof *table->slots);
    store->n = table->n = 0;
}

/* Read the next piece of the level into the worker's store; 0: there is none, or the disk fails. */
static uint64_t read_piece(qb_spill *p) {
    qb_worker *w = &p->engine->workers[0];
    for (; p->at < p->bucket_count; p->at++, p->read = 0) {
        bucket *b = &p->buckets[p->at];
        uint64_t left = b->level_end - b->level_start - p->read, n = left < PIECE ? left : PIECE;
        if (n == 0) continue;
        if (!seek(p, b->states, b->level_start + p->read) || !read_records(p, b->states, w->store->arena, n)) {
            p->engine->status = QB_DISK;
            return 0;
        }
        p->read += n;
        return n;
    }
    return 0;
}

/* Expand a piece of the level; true: the level is expanded. */
static bool expand_piece(qb_spill *p) {
    qb_engine *e = p->engine;
    qb_worker *w = &e->workers[0];
    if (w->cursor == w->level_end) {
        uint64_t n = read_piece(p);
        w->cursor = 0;
        w->calls.source = UINT64_MAX; /* numbers begin again */
        w->level_end = w->store->n = n;
        if (n == 0) return true;
    }
    qb_fill(w);
    if (w->partial) return false;
    note_failure(p);
    if (w->status != QB_RUNNING) e->status = w->status;
    if (e->orbits_failed) e->status = QB_MEMORY;
    for (uint64_t k = 0; k < w->n; k++)
        if (!add_candidate(p, w->records + k * e->stride)) e->status = QB_DISK;
    return false;
}

/* Collecting. */

/* Insert the records of a file, from the start; `fresh`: those that are new are new states of the model. */
static bool insert_file(qb_spill *p, FILE *file, uint64_t count, bool fresh) {
    uint32_t words = words_of(p);
    qb_engine *e = p->engine;
    qb_worker *w = &e->workers[0];
    if (!seek(p, file, 0)) return false;
    while (count > 0) {
        uint64_t n = count < QB_CAPACITY ? count : QB_CAPACITY;
        if (!qb_store_grow(w->store, n, qb_most_bytes(e))) return false;
        if (!read_records(p, file, w->records, n)) return false;
        const qb_table *table = &e->store.tables[0];
        for (uint64_t k = 0; k < n; k++) {
            w->hashes[k] = qb_hash(w->records + k * words, words);
            qb_prefetch_slots(table, w->hashes[k], QB_NARROW_BITS);
        }
        for (uint64_t k = 0; k < n; k++)
            if (qb_store_add(w->store, w->records + k * words, w->hashes[k], QB_NO_PARENT) && fresh)
                qb_meet(w, w->store->n - 1);
        note_failure(p);
        count -= n;
    }
    return true;
}

static bool write_new(qb_spill *p, bucket *b) {
    uint32_t words = words_of(p);
    qb_store *store = &p->engine->store;
    uint64_t n = store->n - b->n;
    if (!seek(p, b->states, b->n) || !write_records(p, b->states, store->arena + b->n * words, n) ||
        !done(p, fflush(b->states) == 0))
        return false;
    b->n = store->n;
    return true;
}

/* The new states of one bucket; true: all buckets are done. */
static bool collect_bucket(qb_spill *p) {
    qb_engine *e = p->engine;
    bucket *b = &p->buckets[p->at];
    if (b->candidate_count + b->buffered == 0) {
        b->level_start = b->level_end = b->n;
        return ++p->at == p->bucket_count;
    }
    empty_store(&e->store);
    bool good = flush(p, b) && done(p, fflush(b->candidates) == 0) && insert_file(p, b->states, b->n, false) &&
                insert_file(p, b->candidates, b->candidate_count, true);
    uint64_t before = b->n;
    if (!good || !write_new(p, b)) {
        e->status = shortage(p);
        return false;
    }
    p->states += b->n - before;
    p->level_states += b->n - before;
    b->candidate_count = 0;
    rewind(b->candidates);
    b->level_start = before;
    b->level_end = b->n;
    return ++p->at == p->bucket_count;
}

static bool push_end(bucket *b, uint64_t level) {
    if (level >= b->level_room) {
        uint64_t room = b->level_room == 0 ? 256 : 2 * b->level_room;
        uint64_t *more = realloc(b->level_ends, room * sizeof *more);
        if (more == NULL) return false;
        b->level_ends = more;
        b->level_room = room;
    }
    b->level_ends[level] = b->level_end;
    return true;
}

/* All new states are known: they are the next level. */
static void begin_level(qb_spill *p) {
    qb_engine *e = p->engine;
    qb_worker *w = &e->workers[0];
    p->phase = EXPANDING;
    p->at = 0;
    p->read = 0;
    if (w->errors > 0 && !e->options.all_errors) {
        e->status = QB_FAILED;
        return;
    }
    if (p->level_states == 0) {
        e->status = QB_DONE;
        return;
    }
    for (uint32_t k = 0; k < p->bucket_count; k++)
        if (!push_end(&p->buckets[k], e->level_count)) e->status = QB_MEMORY;
    empty_store(w->store);
    w->cursor = w->level_end = w->store->n = 0;
    if (!qb_push_level(e)) e->status = QB_MEMORY;
    if (e->status != QB_RUNNING) return;
    e->levels[e->level_count - 1] = p->level_states;
    p->level_states = 0;
    if (e->level_count > e->options.most_depth) e->status = QB_DEPTH;
}

static void step(qb_spill *p) {
    qb_engine *e = p->engine;
    if (p->phase == EXPANDING) {
        if (expand_piece(p)) {
            p->phase = COLLECTING;
            p->at = 0;
        }
        if (e->workers[0].errors > 0 && !e->options.all_errors && e->status == QB_RUNNING) e->status = QB_FAILED;
    } else if (collect_bucket(p)) {
        begin_level(p);
    }
    if (e->status == QB_RUNNING && e->options.most_states > 0 && p->states > e->options.most_states)
        e->status = QB_STATES;
}

QB_API int qb_spill_step(qb_spill *p, double seconds) {
    qb_engine *e = p->engine;
    double began = qb_cpu_seconds();
    e->deadline = qb_seconds() + seconds;
    do step(p);
    while (e->status == QB_RUNNING && qb_seconds() < e->deadline);
    e->workers[0].cpu_seconds += qb_cpu_seconds() - began;
    return e->status;
}

QB_API void qb_spill_ask(const qb_spill *p, qb_report *report) {
    qb_ask(p->engine, report);
    report->states = p->states;
    report->failure_state = p->failure_level;
    report->failure_kind = p->failed ? p->engine->workers[0].failure_kind : QB_NOTHING;
    report->bytes += (uint64_t)p->bucket_count * BUFFERED * words_of(p) * sizeof(uint64_t) +
                     ((words_of(p) + 1ull) << CACHE_BITS) * sizeof(uint64_t);
}

QB_API void qb_spill_failure(const qb_spill *p, uint64_t *s) { qb_copy(s, p->failure, words_of(p)); }

/* Traces: no parents are kept; a predecessor is found by expanding the level before again. */

static bool leads_to(qb_spill *p, const uint64_t *s, const uint64_t *target) {
    qb_engine *e = p->engine;
    qb_worker *w = &e->workers[0];
    uint32_t words = words_of(p);
    qb_copy(w->store->arena, s, words);
    w->cursor = w->skip = 0;
    w->moving = false;
    w->level_end = 1;
    while (w->cursor < w->level_end && w->status == QB_RUNNING) {
        qb_fill(w);
        for (uint64_t k = 0; k < w->n; k++)
            if (qb_equal(w->records + k * e->stride, target, words)) return true;
    }
    return false;
}

/* target := a state of the level that leads to it; false: there is none. */
QB_API bool qb_spill_predecessor(qb_spill *p, uint64_t level, uint64_t *target) {
    uint32_t words = words_of(p);
    uint64_t *rows = malloc((uint64_t)PIECE * words * sizeof *rows);
    bool found = false;
    p->engine->deadline = qb_seconds() + 1e9;
    p->engine->stop = false;
    p->engine->workers[0].status = QB_RUNNING;
    for (uint32_t k = 0; rows != NULL && k < p->bucket_count && !found && level < p->engine->level_count; k++) {
        bucket *b = &p->buckets[k];
        uint64_t at = level == 0 ? 0 : b->level_ends[level - 1], end = b->level_ends[level];
        while (at < end && !found) {
            uint64_t n = end - at < PIECE ? end - at : PIECE;
            if (!seek(p, b->states, at) || !read_records(p, b->states, rows, n)) break;
            for (uint64_t j = 0; j < n && !found; j++)
                if ((found = leads_to(p, rows + j * words, target))) qb_copy(target, rows + j * words, words);
            at += n;
        }
    }
    free(rows);
    return found;
}
