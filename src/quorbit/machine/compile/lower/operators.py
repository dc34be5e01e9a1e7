"""Operators on numbers and truth values, equality of all values."""

from __future__ import annotations

from quorbit.machine.compile import masks
from quorbit.machine.compile import queues as lines
from quorbit.machine.compile.instructions import Label, Op
from quorbit.machine.compile.lower.places import Places
from quorbit.machine.compile.lower.scope import Env
from quorbit.machine.compile.shapes import (
    GREATEST,
    LEAST,
    Unshaped,
    join,
)
from quorbit.machine.compile.values import (
    Content,
    Held,
    Known,
    Line,
    Mask,
    Never,
    Parts,
    Scalar,
    Shared,
    flatten,
    shape_of_content,
)
from quorbit.model.meaning.evaluate import wrap
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Expr,
    Literal,
    Operator,
    Read,
    Use,
)

O = Operator


class Operators(Places):
    """Arithmetic, comparison, equality, junctions without jumps."""

    def part(self, inner: Expr, k: int, env: Env) -> Content:
        found = self.value(inner, env)
        match found:
            case Parts(parts):
                return parts[k]
            case Line():
                return lines.element(self.e, found, Known(k))
            case Never():
                return found
            case _:
                raise Unshaped("a tuple is expected")

    def wrap(self, a: Scalar, bits: int, is_signed: bool) -> Scalar:
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if is_signed else (0, (1 << bits) - 1)
        if isinstance(a, Known):
            return Known(wrap(a.value, bits, is_signed))
        if low <= a.low and a.high <= high:
            return a
        if bits > 63:
            raise Unshaped("numbers of more than 63 bits cannot be cut")
        r = self.e.fresh()
        self.e.buffer.put(Op.WRAP, r, a.register, bits, y=int(is_signed))
        return Held(r, low, high)

    def equal(self, a: Content, b: Content) -> Scalar:
        match a, b:
            case (Known() | Held()) as x, (Known() | Held()) as y:
                return self.e.compare(Op.EQ, x, y)
            case Parts(p), Parts(q):
                return self.all_equal(list(p), list(q)) if len(p) == len(q) else Known(0)
            case Mask() as m, Mask() as k:
                m, k = masks.unify(self.e, m, k)
                return self.all_equal(list(m.words), list(k.words))
            case ((Line() | Parts()), (Line() | Parts())):
                return self.equal_queues(a, b)
            case (Shared(), _) | (_, Shared()):
                return self.e.compare(Op.EQ, lines.share(self.e, a).number, lines.share(self.e, b).number)
            case _:
                return Known(0)

    def present(self, a: Content, absent: Content) -> Content:
        """a, after a fault where it is the value that stands for none."""
        if not isinstance(a, Held) or not isinstance(absent, Known):
            self.e.require(Op.EQ, self.equal(a, absent), Known(0))
            return a
        self.e.require(Op.NE, a, absent)
        return Held(a.register, a.low + (a.low == absent.value), a.high - (a.high == absent.value))

    def all_equal(self, xs: list[Content], ys: list[Content]) -> Scalar:
        found: Scalar = Known(1)
        for x, y in zip(xs, ys, strict=True):
            found = self.e.bit_and(found, self.equal(x, y))
        return found

    def equal_queues(self, a: Content, b: Content) -> Scalar:
        p, q = self.as_line(a), self.as_line(b)
        shape = join(shape_of_content(p), shape_of_content(q))
        x, y = lines.coerce(self.e, p, shape), lines.coerce(self.e, q, shape)
        return self.all_equal(list(flatten(x)), list(flatten(y)))

    def as_line(self, a: Content) -> Line:
        match a:
            case Line():
                return a
            case Parts(parts):
                return lines.queue_of(self.e, list(parts))
            case Never():
                return Line(Known(0), (), None, 0)
            case _:
                raise Unshaped("a queue is expected")

    def junction(self, x: Apply, env: Env) -> Scalar:
        """Without jumps if every operand is a truth value that always exists."""
        is_and = x.operator is O.AND
        if all(self.is_plain_truth(operand, env) for operand in x.operands):
            found: Scalar = Known(int(is_and))
            for operand in x.operands:
                a = self.scalar(operand, env)
                a = a if a.low >= 0 and a.high <= 1 else self.e.compare(Op.NE, a, Known(0))
                found = self.e.bit_and(found, a) if is_and else self.e.bit_or(found, a)
            return found
        return self.truth(lambda no: self.branch(x, env, no, False))

    def is_plain_truth(self, e: Expr, env: Env) -> bool:
        """Cheap to compute and without faults, so that it may be computed even where it does not matter."""
        match e:
            case Literal() | Bound():
                return True
            case Read():
                return self.constant_place(e, env) is not None
            case Use(owners=owners):
                return all(isinstance(o, Literal) for o in owners) and self.is_plain_definition(e, env)
            case Apply(O.NOT | O.AND | O.OR | O.EQUAL, operands):
                return all(self.is_plain_truth(operand, env) for operand in operands)
            case _:
                return False

    def is_plain_definition(self, e: Use, env: Env) -> bool:
        owners = tuple(o.value for o in e.owners if isinstance(o, Literal))
        body = self.system.definition.get((e.definition, owners))  # type: ignore[arg-type]
        if body is None:
            return False
        if id(body) not in self.plain:
            self.plain[id(body)] = False  # a definition that uses itself is refused elsewhere
            self.plain[id(body)] = self.is_plain_truth(body, env)
        return self.plain[id(body)]

    def apply_numbers(self, operator: Operator, operands: tuple[Expr, ...], env: Env) -> Content:
        found = [self.scalar(operand, env) for operand in operands]
        if operator in COMPARISONS:
            return self.e.compare(COMPARISONS[operator], found[0], found[1])
        if len(found) == 1:
            return self.unary(operator, found[0])
        total = found[0]
        for a in found[1:]:
            total = self.binary(operator, total, a)
        return total

    def unary(self, operator: Operator, a: Scalar) -> Scalar:
        match operator:
            case O.NEGATE:
                return self.e.subtract(Known(0), a)
            case O.BIT_NOT:
                return self.e.subtract(Known(-1), a)
            case _:
                return a

    def binary(self, operator: Operator, a: Scalar, b: Scalar) -> Scalar:
        match operator:
            case O.ADD:
                return self.e.add(a, b)
            case O.SUBTRACT:
                return self.e.subtract(a, b)
            case O.MULTIPLY:
                return self.e.multiply(a, b)
            case O.DIVIDE | O.MODULO:
                return self.divide(operator is O.MODULO, a, b)
            case O.POWER:
                return self.power(a, b)
            case O.BIT_AND:
                return self.e.bit_and(a, b)
            case O.BIT_OR:
                return self.e.bit_or(a, b)
            case O.BIT_XOR:
                return self.e.bit_xor(a, b)
            case O.SHIFT_LEFT:
                return self.shift(a, b)
            case _:
                return self.shift(a, self.e.subtract(Known(0), b))

    def divide(self, modulo: bool, a: Scalar, b: Scalar) -> Scalar:
        self.e.require(Op.NE, b, Known(0))
        if isinstance(a, Known) and isinstance(b, Known):
            n = 0 if b.value == 0 else abs(a.value) // abs(b.value) * (1 if (a.value < 0) == (b.value < 0) else -1)
            return self.e.constant(a.value - b.value * n if modulo else n)
        if a.low == LEAST and b.low <= -1 <= b.high:
            self.e.overflow_if(Op.EQ, a, Known(LEAST))
        most = max(abs(a.low), abs(a.high))
        if modulo:
            most = min(most, max(0, abs(b.low) - 1, abs(b.high) - 1))
        low, high = (0 if a.low >= 0 and (modulo or b.low >= 0) else -most), most
        return self.e.binary(Op.MOD if modulo else Op.DIV, a, b, max(low, LEAST), min(high, GREATEST))

    def shift(self, a: Scalar, b: Scalar) -> Scalar:
        """Left by b, right by -b; a fault unless it is at most 64."""
        b = self.e.require_within(b, -64, 64)
        if isinstance(b, Known):
            return self.shift_by(a, b.value)
        if b.low >= 0:
            return self.shift_left_by(a, b)
        right = self.e.subtract(Known(0), b)
        if b.high <= 0:
            return self.e.binary(Op.SAR, a, right, min(a.low, 0), max(a.high, 0))
        return self.choose_scalar(
            lambda label: self.e.jump_if(Op.LT, b, Known(0), label),
            lambda: self.shift_left_by(a, Held(b.register, 0, 64)),
            lambda: self.e.binary(Op.SAR, a, right, min(a.low, 0), max(a.high, 0)),
        )

    def shift_by(self, a: Scalar, n: int) -> Scalar:
        if n >= 0:
            return self.e.multiply(a, self.e.constant(1 << n)) if n < 63 else self.shift_left_by(a, Known(n))
        if isinstance(a, Known):
            return Known(a.value >> -n)
        return self.e.binary(Op.SAR, a, Known(-n), a.low >> -n, a.high >> -n)

    def shift_left_by(self, a: Scalar, n: Scalar) -> Scalar:
        """a * 2^n; without an answer where that needs more than 64 bits."""
        if n.high > 62:
            past = Label()
            self.e.jump_if(Op.EQ, a, Known(0), past)
            self.e.overflow_if(Op.LT, Known(62), n)
            self.e.place(past)
        power = self.e.shift_left(Known(1), n)
        return self.e.multiply(a, Held(self.e.register(power), 0, 1 << min(62, n.high)))

    def power(self, a: Scalar, b: Scalar) -> Scalar:
        self.e.require(Op.LE, Known(0), b)
        if isinstance(a, Known) and isinstance(b, Known) and b.value <= 64:
            return self.e.constant(a.value ** max(0, b.value))
        left, total, again, past = self.e.copy(b), self.e.copy(Known(1)), Label(), Label()
        big = Label()
        self.e.jump_if(Op.LT, a, Known(-1), big)
        self.e.jump_if(Op.LT, Known(1), a, big)
        parity = self.e.bit_and(left, Known(1))  # powers of -1, 0, 1 depend on b = 0 and on the parity alone
        self.e.jump_if(Op.LT, left, Known(2), big)
        self.e.assign(left.register, self.e.bit_or(parity, Known(2)))
        self.e.place(big)
        self.e.place(again)
        self.e.buffer.put(Op.JLEI, left.register, x=past, y=0)
        self.e.buffer.put(Op.MULO, total.register, total.register, self.e.register(a))
        self.e.buffer.put(Op.ADDI, left.register, left.register, y=-1)
        self.e.jump(again)
        self.e.place(past)
        return Held(total.register, 0 if a.low >= 0 else LEAST, GREATEST)


ARITHMETIC = frozenset(
    {
        O.NEGATE,
        O.ADD,
        O.SUBTRACT,
        O.MULTIPLY,
        O.DIVIDE,
        O.MODULO,
        O.POWER,
        O.BIT_AND,
        O.BIT_OR,
        O.BIT_XOR,
        O.BIT_NOT,
        O.SHIFT_LEFT,
        O.SHIFT_RIGHT,
    }
)
COMPARISONS = {O.LESS: Op.LT, O.LESS_EQUAL: Op.LE}
