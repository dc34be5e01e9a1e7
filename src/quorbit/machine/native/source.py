"""A program as C: the same instructions, one statement each, for a compiler to make fast.

The text holds integers and names like r12 and L7 only: nothing that a model's author wrote comes into it.
"""

from __future__ import annotations

from quorbit.machine.compile.instructions import HALTED, MISSING, OPERATIONS, OVERFLOW, Op, Program

__all__ = ["native_source"]

Row = tuple[int, int, int, int, int, int]

PRELUDE = """typedef long long i64;
typedef unsigned long long u64;
typedef unsigned int u32;
typedef struct { u64 *records; u32 *metas; u64 capacity, skip, n; i64 *registers; const volatile _Bool *stop; } sink;
typedef struct {
    u32 sizes[10]; const void *code, *table, *targets, *memo;
    int (*call)(const void *memo, u32 function, const i64 *operands, i64 *results);
} program;
#define API __attribute__((visibility("default")))
#define MASK(w) ((w) >= 64 ? ~0ull : (1ull << (w)) - 1)
#define GET(word, s, w) ((i64)((u64)(word) >> (s) & MASK(w)))
#define PUT(word, s, w, v) ((i64)(((u64)(word) & ~(MASK(w) << (s))) | ((u64)(v) << (s) & (MASK(w) << (s)))))
static inline i64 divide(i64 a, i64 b) { return b == 0 ? 0 : b == -1 ? (i64)(0 - (u64)a) : a / b; }
static inline i64 modulo(i64 a, i64 b) { return b == 0 || b == -1 ? 0 : a % b; }
static inline i64 left(i64 a, i64 n) { return n < 0 || n > 63 ? 0 : (i64)((u64)a << n); }
static inline i64 right(i64 a, i64 n) { return n < 0 || n > 63 ? 0 : (i64)((u64)a >> n); }
static inline i64 arithmetic(i64 a, i64 n) {
    u32 k = n < 0 || n > 63 ? 63 : (u32)n;
    return a < 0 ? (i64)~(~(u64)a >> k) : (i64)((u64)a >> k);
}
static inline i64 cut(i64 n, u32 bits, int is_signed) {
    u64 u = (u64)n & MASK(bits);
    return is_signed && u >> (bits - 1) ? (i64)(u | ~MASK(bits)) : (i64)u;
}
static inline i64 ones(i64 n) {
    u64 x = (u64)n;
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    return (i64)(((x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full) * 0x0101010101010101ull >> 56);
}
"""

EXPRESSIONS = {  # what the destination becomes
    Op.LI: "{y}",
    Op.MOV: "{b}",
    Op.ADD: "{b} + {c}",
    Op.SUB: "{b} - {c}",
    Op.MUL: "{b} * {c}",
    Op.ADDI: "{b} + {y}",
    Op.MULI: "{b} * {y}",
    Op.DIV: "divide({b}, {c})",
    Op.MOD: "modulo({b}, {c})",
    Op.AND: "{b} & {c}",
    Op.OR: "{b} | {c}",
    Op.XOR: "{b} ^ {c}",
    Op.ANDN: "{b} & ~{c}",
    Op.ANDI: "{b} & {y}",
    Op.ORI: "{b} | {y}",
    Op.XORI: "{b} ^ {y}",
    Op.SHL: "left({b}, {c})",
    Op.SHR: "right({b}, {c})",
    Op.SAR: "arithmetic({b}, {c})",
    Op.SHLI: "left({b}, {y})",
    Op.SHRI: "right({b}, {y})",
    Op.POP: "ones({b})",
    Op.CTZ: "{b} == 0 ? 64 : __builtin_ctzll((u64){b})",
    Op.TOP: "{b} == 0 ? -1 : 63 - __builtin_clzll((u64){b})",
    Op.EQ: "{b} == {c}",
    Op.NE: "{b} != {c}",
    Op.LT: "{b} < {c}",
    Op.LE: "{b} <= {c}",
    Op.EQI: "{b} == {y}",
    Op.NEI: "{b} != {y}",
    Op.LTI: "{b} < {y}",
    Op.LEI: "{b} <= {y}",
    Op.GTI: "{b} > {y}",
    Op.GEI: "{b} >= {y}",
    Op.SEL: "{x} != 0 ? {b} : {c}",
    Op.WRAP: "cut({b}, {bits}, {y})",
    Op.LDF: "(i64)((u64)GET({b}, {shift}, {width}) + (u64){y})",
    Op.STF: "PUT({a}, {shift}, {width}, (u64){b} - (u64){y})",
    Op.STC: "({a} & {n}) | {y}",
    Op.CNT: "(i64)n",
}
CONDITIONS = {  # jumps
    Op.JZ: "{a} == 0",
    Op.JNZ: "{a} != 0",
    Op.JEQ: "{a} == {b}",
    Op.JNE: "{a} != {b}",
    Op.JLT: "{a} < {b}",
    Op.JLE: "{a} <= {b}",
    Op.JEQI: "{a} == {y}",
    Op.JNEI: "{a} != {y}",
    Op.JLTI: "{a} < {y}",
    Op.JLEI: "{a} <= {y}",
    Op.JGTI: "{a} > {y}",
    Op.JGEI: "{a} >= {y}",
    Op.JFEQ: "GET({a}, {shift}, {width}) == {y}",
    Op.JFNE: "GET({a}, {shift}, {width}) != {y}",
}
ENDS = (Op.END, Op.RET, Op.JMP, Op.EMIT)  # the next row does not follow
CHECKED = {
    Op.ADDO: "__builtin_saddll_overflow",
    Op.SUBO: "__builtin_ssubll_overflow",
    Op.MULO: "__builtin_smulll_overflow",
}


class Writer:
    """Lines of C; owns braces and indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def label(self, name: str) -> None:
        self.lines.append(f"{name}:;")

    def block(self, head: str) -> Writer:
        """What is written inside a ``with`` of it stands in braces."""
        self.line(head + " {")
        self.depth += 1
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        self.depth -= 1
        self.line("}")

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def native_source(program: Program) -> str:
    """The C text of a program: the functions native_next, native_check and native_stuck."""
    out = Writer()
    entries = ", ".join(integer(n) for n in program.table) or "0"
    out.line(f"static const i64 table[] = {{{entries}}};")
    write_next(out, program)
    for name in ("check", "stuck"):
        write_count(out, program, name)
    return PRELUDE + out.text()


def write_next(out: Writer, program: Program) -> None:
    body = Body(program, "next")
    with out.block("API i64 native_next(const void *self, const u64 *s, sink *k)"):
        out.line("(void)self;")
        out.line("u64 *const records = k->records; u32 *const metas = k->metas;")
        out.line("const u64 capacity = k->capacity, skip = k->skip; u64 n = k->n;")
        out.line("const volatile _Bool *const stop = k->stop; (void)stop;")
        body.write(out, "{ k->n = n; return %s; }")


def write_count(out: Writer, program: Program, name: str) -> None:
    body = Body(program, name)
    with out.block(f"API i64 native_{name}(const void *self, const u64 *s, i64 *registers)"):
        out.line("(void)self, (void)registers;")
        out.line("u64 *const records = 0; u32 *const metas = 0; const u64 capacity = 0, skip = 0; u64 n = 0;")
        out.line("const volatile _Bool *const stop = 0; (void)stop;")
        out.line("(void)records, (void)metas, (void)capacity, (void)skip, (void)n;")
        body.write(out, "return %s;")


class Body:
    """The instructions that can be reached from one entry, as statements."""

    def __init__(self, program: Program, entry: str) -> None:
        self.program = program
        self.rows = [(OPERATIONS[row[0]], row) for row in program.code]
        self.entry = program.entries[entry]
        self.targets: dict[int, list[int]] = {}  # where each row may jump
        self.reached = self.find_reached()
        self.labels = {target for targets in self.targets.values() for target in targets}
        self.indexed = self.find_indexed()
        self.leave = ""
        self.records: dict[int, str] = {}  # what a record is made of, by the first register of its call

    def find_reached(self) -> list[int]:
        waiting = [self.entry]
        while waiting:
            k = waiting.pop()
            if k not in self.targets:
                op, row = self.rows[k]
                self.targets[k] = self.find_targets(op, row)
                waiting.extend(self.targets[k])
                if op not in ENDS:
                    waiting.append(k + 1)
        return sorted(self.targets)

    def find_targets(self, op: Op, row: Row) -> list[int]:
        if op.operands[3] == "l":
            return [row[4]]
        if op.operands[3] == "s":
            start, count = row[4] & 0xFFFFFFFF, row[4] >> 32
            return self.program.targets[start : start + count]
        return []

    def find_indexed(self) -> set[int]:
        """Registers that are named by a number known only at run time: they stay in memory."""
        found: set[int] = set()
        for k in self.reached:
            op, (_, a, _, c, x, _) = self.rows[k]
            match op:
                case Op.LDX:
                    found.update(range(c, c + self.program.words))
                case Op.STX:
                    found.update(range(a, a + self.program.words))
                case Op.LDR:
                    found.update(range(c, c + x))
                case Op.STR:
                    found.update(range(a, a + x))
                case _:
                    pass
        return found

    def register(self, r: int) -> str:
        return f"d[{r}]" if r in self.indexed else f"r{r}"

    def write(self, out: Writer, leave: str) -> None:
        self.leave = leave
        words = self.program.words
        used = sorted({*range(2 * words), *(r for k in self.reached for r in self.named(k))} - self.indexed)
        for at in range(0, len(used), 16):
            out.line("i64 " + ", ".join(f"r{r} = 0" for r in used[at : at + 16]) + ";")
        if self.indexed:
            out.line(f"i64 d[{max(self.indexed) + 1}];")
            for r in sorted(self.indexed):
                out.line(f"d[{r}] = 0;")
        for j in range(words):
            out.line(f"{self.register(j)} = (i64)s[{j}]; (void){self.register(words + j)};")
        self.labels.add(self.entry)
        out.line(f"goto L{self.entry};")
        for k in self.reached:
            if k in self.labels:
                out.label(f"L{k}")
            self.write_row(out, *self.rows[k])

    def named(self, k: int) -> list[int]:
        op, (_, a, b, c, x, y) = self.rows[k]
        kinds = zip(op.operands, (a, b, c, x), strict=False)
        found = [value for kind, value in kinds if kind in "dr"]
        if op is Op.EMIT:
            found += range(b, b + self.program.call_words)
        if op is Op.CALL:
            operands, results = self.program.functions[y]
            found += [*range(a, a + results), *range(b, b + operands)]
        return found

    def write_row(self, out: Writer, op: Op, row: Row) -> None:
        _, a, b, c, x, y = row
        reg = self.register
        parts = {
            "a": reg(a) if op.operands[0] in "dr" else "",
            "b": reg(b) if op.operands[1] in "dr" else "",
            "c": reg(c) if op.operands[2] in "dr" else "",
            "x": reg(x) if op.operands[3] in "dr" else "",
            "y": integer(y),
            "n": integer(x),
            "shift": c & 0xFF,
            "width": c >> 8,
            "bits": c,
        }
        if op in EXPRESSIONS:
            out.line(f"{parts['a']} = {EXPRESSIONS[op].format_map(parts)};")
        elif op in CONDITIONS:
            out.line(f"if ({CONDITIONS[op].format_map(parts)}) goto L{x};")
        elif op in CHECKED:
            out.line(f"if ({CHECKED[op]}({parts['b']}, {parts['c']}, &{parts['a']})) {self.leave % OVERFLOW}")
        else:
            self.write_special(out, op, row, parts)

    def write_special(self, out: Writer, op: Op, row: Row, parts: dict[str, object]) -> None:
        _, a, b, c, x, y = row
        start, count = x & 0xFFFFFFFF, x >> 32
        words = self.program.words
        match op:
            case Op.END:
                out.line(self.leave % integer(x))
            case Op.RET:
                out.line(self.leave % self.register(a))
            case Op.JMP:
                out.line(f"goto L{x};")
            case Op.SWITCH | Op.SWF:
                code = parts["a"] if op is Op.SWITCH else "GET({a}, {shift}, {width})".format_map(parts)
                with out.block(f"switch ({code})"):
                    for k, target in enumerate(self.program.targets[start : start + count]):
                        out.line(f"case {k}: goto L{target};")
            case Op.LDX:
                with out.block(f"if ((u64){parts['b']} < {count})"):
                    out.line(f"u64 e = (u64)table[{start} + {parts['b']}];")
                    word = f"d[{c} + (e & 0xffff)]"
                    out.line(f"{parts['a']} = (i64)((u64)GET({word}, (e >> 16 & 63), (e >> 24)) + (u64){parts['y']});")
                out.line(f"else {parts['a']} = 0;")
            case Op.STX:
                with out.block(f"if ((u64){parts['b']} < {count})"):
                    out.line(f"u64 e = (u64)table[{start} + {parts['b']}]; i64 *w = &d[{a} + (e & 0xffff)];")
                    out.line(f"*w = PUT(*w, (e >> 16 & 63), (e >> 24), (u64){parts['c']} - (u64){parts['y']});")
            case Op.LUT:
                with out.block(""):
                    out.line(f"u64 e = (u64){parts['b']} - (u64){parts['y']};")
                    out.line(f"{parts['a']} = e < {count} ? table[{start} + e] : {integer(MISSING)};")
            case Op.LDR:
                out.line(f"{parts['a']} = (u64){parts['b']} < {x} ? d[{c} + {parts['b']}] : 0;")
            case Op.STR:
                out.line(f"if ((u64){parts['b']} < {x}) d[{a} + {parts['b']}] = {parts['c']};")
            case Op.COPY:
                out.line(" ".join(f"{self.register(words + j)} = {self.register(j)};" for j in range(words)))
            case Op.EMIT:
                self.write_emit(out, b, y)
                out.line(f"goto L{x};")
            case Op.CALL:
                self.write_call(out, row)
            case _:
                raise AssertionError(op)

    def write_call(self, out: Writer, row: Row) -> None:
        _, a, b, _, fault, function = row
        operands, results = self.program.functions[function]
        with out.block(""):
            listed = ", ".join(self.register(b + k) for k in range(operands))
            out.line(f"i64 in[{max(1, operands)}] = {{{listed or '0'}}}, found[{max(1, results)}];")
            out.line(
                f"int outcome = ((const program *)self)->call(((const program *)self)->memo, {function}u, in, found);"
            )
            out.line(f"if (outcome == 1) goto L{fault};")
            out.line(f"if (outcome != 0) {self.leave % OVERFLOW}")
            out.line(" ".join(f"{self.register(a + k)} = found[{k}];" for k in range(results)))

    def write_emit(self, out: Writer, calls: int, meta: int) -> None:
        words, call_words = self.program.words, self.program.call_words
        with out.block(""):
            out.line("u64 at = n++ - skip;")
            with out.block("if (at < capacity)"):
                out.line(f"u64 *o = records + at * {words + call_words};")
                if calls not in self.records:
                    named = [*range(words, 2 * words), *range(calls, calls + call_words)]
                    stores = [f"o[{j}] = (u64){self.register(r)};" for j, r in enumerate(named)]
                    self.records[calls] = " ".join(stores)
                out.line(self.records[calls])
                out.line(f"metas[at] = {meta}u;")
            out.line(f"else if (stop && *stop) {self.leave % HALTED}")


def integer(n: int) -> str:
    """A number as a C constant of type i64."""
    return "(-9223372036854775807ll - 1)" if n == MISSING else f"{n}ll" if n >= 0 else f"({n}ll)"
