/* Verify a program before it runs: every register, field, table and label an instruction names exists, every way
 * through the code ends in an instruction that returns.  What a verified program does is then total: the machine has no
 * operation without a result, and indices that are only known at run time are compared with the bounds checked here. */
#include "gates.h"
#include "memo.h"
#include "ops.h"
#include "quorbit.h"

static const char *const OPERANDS[] = {
#define X(name, operands) operands,
    QB_OPERATIONS(X)
#undef X
};

static const char *const NAMES[] = {
#define X(name, operands) #name,
    QB_OPERATIONS(X)
#undef X
};

QB_API const char *qb_operation_name(uint32_t op) { return op < OP_COUNT ? NAMES[op] : ""; }
QB_API const char *qb_operation_operands(uint32_t op) { return op < OP_COUNT ? OPERANDS[op] : ""; }

static bool is_table(const qb_program *p, int64_t x, uint32_t count) {
    uint64_t start = (uint64_t)x & 0xffffffffu, n = (uint64_t)x >> 32;
    (void)p;
    return x >= 0 && start + n <= count;
}

static bool is_field(uint16_t c) {
    uint32_t shift = c & 0xff, width = c >> 8;
    return width >= 1 && width <= 64 && shift + width <= 64;
}

/* Entries of the tables of LDX and STX: word | shift << 16 | width << 24. */
static bool is_entry(const qb_program *p, int64_t entry) {
    uint64_t e = (uint64_t)entry, word = e & 0xffff, shift = e >> 16 & 0xff, width = e >> 24;
    return word < p->words && width <= 64 && shift + width <= 64 && shift < 64;
}

static bool are_entries(const qb_program *p, int64_t x) {
    uint64_t start = (uint64_t)x & 0xffffffffu, n = (uint64_t)x >> 32;
    for (uint64_t i = 0; i < n; i++)
        if (!is_entry(p, p->table[start + i])) return false;
    return true;
}

static bool is_operand(const qb_program *p, char kind, int64_t value) {
    switch (kind) {
    case 'd': case 'r': return value >= 0 && value < p->registers;
    case 'f': return is_field((uint16_t)value);
    case 'l': return value >= 0 && value < p->code_count;
    case 't': return is_table(p, value, p->table_count);
    case 's': return is_table(p, value, p->target_count);
    case 'w': return value == 0 || value == (int64_t)p->words;
    case 'b': return value >= 1 && value <= 63;
    case 'n': return true;
    default: return value == 0;
    }
}

static bool is_sound(const qb_program *p, const qb_instruction *i) {
    if (i->op >= OP_COUNT) return false;
    const char *kinds = OPERANDS[i->op];
    if (!is_operand(p, kinds[0], i->a) || !is_operand(p, kinds[1], i->b) || !is_operand(p, kinds[2], i->c) ||
        !is_operand(p, kinds[3], i->x) || !is_operand(p, kinds[4], i->y))
        return false;
    switch (i->op) {
    case OP_LDX: case OP_STX: return are_entries(p, i->x);
    case OP_LDR: return i->x >= 0 && i->x <= p->registers && i->c + i->x <= p->registers;
    case OP_STR: return i->x >= 0 && i->x <= p->registers && i->a + i->x <= p->registers;
    case OP_EMIT:
        return (uint64_t)i->b + p->call_words <= p->registers && i->y >= 0 && i->y <= 0xffffffffll &&
               ((uint64_t)i->y & QB_COMMAND) < (uint64_t)p->commands + p->chain_count;
    case OP_CALL: return qb_memo_fits(p->memo, i->y, i->a, i->b, p->registers);
    default: return true;
    }
}

/* A chain has at least two commands. */
static bool are_chains(const qb_program *p) {
    for (uint32_t k = 0; k < p->chain_count; k++) {
        uint32_t first = p->chain_starts[k], end = p->chain_starts[k + 1];
        if (end < first + 2 || end > 0x7fffffff) return false;
        for (uint32_t i = first; i < end; i++)
            if (p->chain_commands[i] >= p->commands) return false;
    }
    return true;
}

QB_API int64_t qb_verify(const qb_program *p) {
    if (p->words == 0 || p->words > 0x7fff || p->registers > 0xffff || p->registers < 2 * p->words ||
        p->code_count == 0 || p->next >= p->code_count || p->check >= p->code_count || p->stuck >= p->code_count ||
        !are_chains(p) || (p->gates != NULL && !qb_gates_sound(p)))
        return p->code_count;
    for (uint32_t k = 0; k < p->code_count; k++)
        if (!is_sound(p, &p->code[k])) return k;
    for (uint32_t k = 0; k < p->target_count; k++)
        if (p->targets[k] < 0 || p->targets[k] >= p->code_count) return p->code_count;
    uint16_t last = p->code[p->code_count - 1].op;
    return last == OP_END || last == OP_RET || last == OP_JMP ? -1 : (int64_t)p->code_count - 1;
}
