/* The engine's own vocabulary: words, programs, sinks, and what the parts promise each other.
 *
 * A state is `words` 64-bit words.  A program (bytecode or native code) answers three questions about a state: which
 * records does it lead to (next), how many invariants does it break (check), how many end conditions does it break
 * (stuck).  Everything else (hashing, storing, canonicalising, searching) is fixed code in this folder. */
#ifndef QB_QUORBIT_H
#define QB_QUORBIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define QB_API __declspec(dllexport)
#else
#define QB_API __attribute__((visibility("default")))
#endif

#define QB_FAULT (-1)    /* a guard without a value */
#define QB_BOUND (-2)    /* an unused atom was needed and there was none */
#define QB_OVERFLOW (-3) /* a number beyond 64 bits */
#define QB_HALTED (-5)   /* the search was stopped from outside while records beyond the capacity were counted */

#define QB_TRANSIENT (1u << 30)
#define QB_VIOLATION (1u << 31)
#define QB_DROPPED (1u << 29)
#define QB_COMMAND 0x00ffffffu

/* Where `next` puts its records: those numbered skip .. skip + capacity - 1; all are counted in n.  A record is the
 * state's words and then the program's call words; its meta word is the command's number and flags. */
typedef struct {
    uint64_t *records;
    uint32_t *metas;
    uint64_t capacity, skip, n;
    int64_t *registers; /* scratch of the machine */
    const volatile bool *stop; /* looked at while records are counted that there is no room for; NULL: nobody stops */
} qb_sink;

typedef int64_t (*qb_next)(const void *self, const uint64_t *s, qb_sink *sink);
typedef int64_t (*qb_count)(const void *self, const uint64_t *s, int64_t *registers);

typedef struct {
    uint16_t op, a, b, c;
    int64_t x, y;
} qb_instruction;

typedef struct qb_memo qb_memo; /* memo.h */

/* Bytecode, as Python hands it over; verified before it runs (program.c). */
typedef struct {
    uint32_t words, registers, call_words, commands;
    uint32_t next, check, stuck; /* entries: indices of instructions */
    uint32_t code_count, table_count, target_count;
    const qb_instruction *code;
    const int64_t *table;
    const int64_t *targets;
    qb_memo *memo; /* of the functions that are called; NULL if there are none */
    int (*call)(qb_memo *memo, uint32_t function, const int64_t *operands, int64_t *results); /* set by the engine; NULL: qb_memo_call */
    const struct qb_values *values; /* the values that states name by numbers; NULL if there are none */
    uint32_t chain_count;         /* chains: commands written as one, numbered after the commands */
    const uint32_t *chain_starts; /* chain_count + 1 of them: where the commands of each are */
    const uint32_t *chain_commands;
    const struct qb_gates *gates; /* of a circuit: `next` and `check` are these instead (gates.h); NULL: they are code */
} qb_program;

/* How many commands a meta word stands for, and which is number k of them. */
static inline bool qb_is_chain(const qb_program *p, uint32_t meta) {
    return (meta & QB_COMMAND) >= p->commands && (meta & QB_COMMAND) - p->commands < p->chain_count;
}

static inline uint32_t qb_command_count(const qb_program *p, uint32_t meta) {
    if (!qb_is_chain(p, meta)) return 1;
    const uint32_t *start = p->chain_starts + ((meta & QB_COMMAND) - p->commands);
    return start[1] - start[0];
}

static inline uint32_t qb_command_at(const qb_program *p, uint32_t meta, uint32_t k) {
    if (!qb_is_chain(p, meta)) return meta & QB_COMMAND;
    return p->chain_commands[p->chain_starts[(meta & QB_COMMAND) - p->commands] + k];
}

/* How many numbers of commands and chains there are: what was fired is counted by these while a search runs. */
static inline uint64_t qb_numbered(const qb_program *p) { return (uint64_t)p->commands + p->chain_count; }

/* -1 if the program is sound, else the index of the first instruction that is not (code_count: the program itself). */
QB_API int64_t qb_verify(const qb_program *program);
int64_t qb_run_next(const void *program, const uint64_t *s, qb_sink *sink);
int64_t qb_run_check(const void *program, const uint64_t *s, int64_t *registers);
int64_t qb_run_stuck(const void *program, const uint64_t *s, int64_t *registers);
int64_t qb_run_at(const qb_program *program, uint32_t entry, const uint64_t *s, int64_t *registers);

#endif
