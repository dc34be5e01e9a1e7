/* The register machine.  Registers are 64-bit integers: first the words of the state looked at (s), then those of the
 * state being made (t), then what the program uses.  Arithmetic is done on unsigned integers and so wraps; every
 * operation has a result for all operands. */
#include "gates.h"
#include "memo.h"
#include "ops.h"
#include "quorbit.h"

#include <string.h>

#define U(n) ((uint64_t)(n))
#define I(n) ((int64_t)(n))

static inline uint64_t mask_of(uint32_t width) { return width >= 64 ? ~0ull : (1ull << width) - 1; }

static inline int64_t wrap(int64_t n, uint32_t bits, bool is_signed) {
    uint64_t u = U(n) & mask_of(bits);
    return is_signed && u >> (bits - 1) ? I(u | ~mask_of(bits)) : I(u);
}

static inline int64_t divide(int64_t a, int64_t b) { return b == 0 ? 0 : b == -1 ? I(0 - U(a)) : a / b; }
static inline int64_t modulo(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
static inline int64_t shift_left(int64_t a, int64_t n) { return n < 0 || n > 63 ? 0 : I(U(a) << n); }
static inline int64_t shift_right(int64_t a, int64_t n) { return n < 0 || n > 63 ? 0 : I(U(a) >> n); }

static inline int64_t shift_arithmetic(int64_t a, int64_t n) {
    uint32_t k = n < 0 || n > 63 ? 63 : (uint32_t)n;
    return a < 0 ? I(~(~U(a) >> k)) : I(U(a) >> k);
}

static inline int64_t get_field(uint64_t word, uint32_t shift, uint32_t width) {
    return I(word >> shift & mask_of(width));
}

static inline uint64_t set_field(uint64_t word, uint32_t shift, uint32_t width, int64_t code) {
    uint64_t mask = mask_of(width) << shift;
    return (word & ~mask) | (U(code) << shift & mask);
}

/* false: the search was stopped. */
static inline bool emit(const qb_program *p, const int64_t *r, const qb_instruction *i, qb_sink *sink) {
    uint64_t k = sink->n++ - sink->skip;
    if (k >= sink->capacity) return sink->stop == NULL || !*sink->stop;
    uint32_t words = p->words, calls = p->call_words;
    uint64_t *record = sink->records + k * (words + calls);
    for (uint32_t j = 0; j < words; j++) record[j] = U(r[words + j]);
    for (uint32_t j = 0; j < calls; j++) record[words + j] = U(r[i->b + j]);
    sink->metas[k] = (uint32_t)i->y;
    return true;
}

/* Requires a verified program; r has p->registers registers, the first of which hold s. */
static int64_t run(const qb_program *p, uint32_t entry, int64_t *r, qb_sink *sink) {
    static const void *const LABELS[] = {
#define X(name, operands) &&do_##name,
        QB_OPERATIONS(X)
#undef X
    };
    const qb_instruction *const code = p->code;
    const int64_t *const table = p->table;
    const qb_instruction *i = code + entry;
    const uint32_t words = p->words;

#define GO goto *LABELS[i->op]
#define NEXT do { i++; GO; } while (0)
#define JUMP(target) do { i = code + (target); GO; } while (0)
#define WHEN(condition) do { if (condition) JUMP(i->x); NEXT; } while (0)
#define SET(value) do { r[i->a] = (value); NEXT; } while (0)
#define A r[i->a]
#define B r[i->b]
#define C r[i->c]
#define SHIFT (i->c & 0xff)
#define WIDTH ((uint32_t)i->c >> 8)
#define START (U(i->x) & 0xffffffffu)
#define COUNT (U(i->x) >> 32)
    GO;
do_END: return i->x;
do_RET: return A;
do_JMP: JUMP(i->x);
do_JZ: WHEN(A == 0);
do_JNZ: WHEN(A != 0);
do_JEQ: WHEN(A == B);
do_JNE: WHEN(A != B);
do_JLT: WHEN(A < B);
do_JLE: WHEN(A <= B);
do_JEQI: WHEN(A == i->y);
do_JNEI: WHEN(A != i->y);
do_JLTI: WHEN(A < i->y);
do_JLEI: WHEN(A <= i->y);
do_JGTI: WHEN(A > i->y);
do_JGEI: WHEN(A >= i->y);
do_JFEQ: WHEN(get_field(U(A), SHIFT, WIDTH) == i->y);
do_JFNE: WHEN(get_field(U(A), SHIFT, WIDTH) != i->y);
do_SWITCH:
    if (U(A) < COUNT) JUMP(p->targets[START + U(A)]);
    NEXT;
do_SWF: {
    uint64_t k = U(get_field(U(A), SHIFT, WIDTH));
    if (k < COUNT) JUMP(p->targets[START + k]);
    NEXT;
}
do_LI: SET(i->y);
do_MOV: SET(B);
do_ADD: SET(I(U(B) + U(C)));
do_SUB: SET(I(U(B) - U(C)));
do_MUL: SET(I(U(B) * U(C)));
do_ADDO: if (__builtin_add_overflow(B, C, &A)) return QB_OVERFLOW; NEXT;
do_SUBO: if (__builtin_sub_overflow(B, C, &A)) return QB_OVERFLOW; NEXT;
do_MULO: if (__builtin_mul_overflow(B, C, &A)) return QB_OVERFLOW; NEXT;
do_ADDI: SET(I(U(B) + U(i->y)));
do_MULI: SET(I(U(B) * U(i->y)));
do_DIV: SET(divide(B, C));
do_MOD: SET(modulo(B, C));
do_AND: SET(B & C);
do_OR: SET(B | C);
do_XOR: SET(B ^ C);
do_ANDN: SET(B & ~C);
do_ANDI: SET(B & i->y);
do_ORI: SET(B | i->y);
do_XORI: SET(B ^ i->y);
do_SHL: SET(shift_left(B, C));
do_SHR: SET(shift_right(B, C));
do_SAR: SET(shift_arithmetic(B, C));
do_SHLI: SET(shift_left(B, i->y));
do_SHRI: SET(shift_right(B, i->y));
do_POP: SET(__builtin_popcountll(U(B)));
do_CTZ: SET(B == 0 ? 64 : __builtin_ctzll(U(B)));
do_TOP: SET(B == 0 ? -1 : 63 - __builtin_clzll(U(B)));
do_EQ: SET(B == C);
do_NE: SET(B != C);
do_LT: SET(B < C);
do_LE: SET(B <= C);
do_EQI: SET(B == i->y);
do_NEI: SET(B != i->y);
do_LTI: SET(B < i->y);
do_LEI: SET(B <= i->y);
do_GTI: SET(B > i->y);
do_GEI: SET(B >= i->y);
do_SEL: SET(r[i->x] != 0 ? B : C);
do_WRAP: SET(wrap(B, i->c, i->y != 0));
do_LDF: SET(I(U(get_field(U(B), SHIFT, WIDTH)) + U(i->y)));
do_STF: SET(I(set_field(U(A), SHIFT, WIDTH, I(U(B) - U(i->y)))));
do_STC: SET((A & i->x) | i->y);
do_LDX: {
    uint64_t k = U(B);
    if (k >= COUNT) SET(0);
    uint64_t e = U(table[START + k]);
    SET(I(U(get_field(U(r[i->c + (e & 0xffff)]), e >> 16 & 0xff, (uint32_t)(e >> 24))) + U(i->y)));
}
do_STX: {
    uint64_t k = U(B);
    if (k >= COUNT) NEXT;
    uint64_t e = U(table[START + k]);
    int64_t *word = &r[i->a + (e & 0xffff)];
    *word = I(set_field(U(*word), e >> 16 & 0xff, (uint32_t)(e >> 24), I(U(C) - U(i->y))));
    NEXT;
}
do_LUT: {
    uint64_t k = U(B) - U(i->y);
    SET(k < COUNT ? table[START + k] : INT64_MIN);
}
do_LDR: SET(U(B) < U(i->x) ? r[i->c + B] : 0);
do_STR: if (U(B) < U(i->x)) r[i->a + B] = C; NEXT;
do_COPY:
    for (uint32_t j = 0; j < words; j++) r[words + j] = r[j];
    NEXT;
do_CNT: SET(I(sink->n));
do_EMIT: if (!emit(p, r, i, sink)) return QB_HALTED; JUMP(i->x);
do_CALL: {
    int outcome = (p->call == NULL ? qb_memo_call : p->call)(p->memo, (uint32_t)i->y, r + i->b, r + i->a);
    if (outcome == QB_FOUND) NEXT;
    if (outcome == QB_NO_VALUE) JUMP(i->x);
    return QB_OVERFLOW;
}
}

int64_t qb_run_next(const void *self, const uint64_t *s, qb_sink *sink) {
    const qb_program *p = self;
    if (p->gates != NULL) return qb_gates_next(p, s, sink);
    memcpy(sink->registers, s, p->words * sizeof *s);
    return run(p, p->next, sink->registers, sink);
}

int64_t qb_run_at(const qb_program *p, uint32_t entry, const uint64_t *s, int64_t *registers) {
    qb_sink none = {0};
    memcpy(registers, s, p->words * sizeof *s);
    return run(p, entry, registers, &none);
}

int64_t qb_run_check(const void *self, const uint64_t *s, int64_t *registers) {
    const qb_program *p = self;
    if (p->gates != NULL) return qb_gates_check(p, s, registers);
    return qb_run_at(p, p->check, s, registers);
}

int64_t qb_run_stuck(const void *self, const uint64_t *s, int64_t *registers) {
    const qb_program *p = self;
    return qb_run_at(p, p->stuck, s, registers);
}
