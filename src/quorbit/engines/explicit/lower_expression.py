"""Expressions to instructions.

``value`` writes code that leaves a value in registers, ``branch`` code that jumps on the truth of an expression.  Where
an expression has no value the code jumps to the emitter's ``fault`` label.  The meaning is model/evaluate.py's.

Short names: env the values of the bound parameters; s, t the state looked at and the state made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from quorbit.engines.explicit import lines, masks
from quorbit.engines.explicit.emit import Emitter
from quorbit.engines.explicit.instructions import BOUND, Label, Op, field_code, signed
from quorbit.engines.explicit.layout import Field, StateLayout
from quorbit.engines.explicit.shapes import (
    GREATEST,
    LEAST,
    Ints,
    Shape,
    Slots,
    Unshaped,
    count,
    encode,
    join,
    join_all,
    leaves,
    set_shape,
    shape_of_value,
)
from quorbit.engines.explicit.values import (
    Content,
    Held,
    Known,
    Line,
    Mask,
    Never,
    Parts,
    Scalar,
    flatten,
    shape_of_content,
)
from quorbit.model.evaluate import wrap
from quorbit.model.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Condition,
    Domain,
    Elements,
    Enabled,
    Expr,
    Fresh,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system import System
from quorbit.model.types import NONE, QueueOf, TupleOf, Type, Value

Env = dict[str, Content]
O = Operator
FEW_OPERANDS = 8  # a set of so many written elements needs no bits
UNROLLED = 16  # a quantifier over at most so many constants is written out


@dataclass
class View:
    """Which state expressions read: s; or the state being made, with what is known of it.

    ``written`` are the contents of places that were assigned at constant addresses, ``dirty`` the variables assigned
    elsewhere: only these are read from t, the others are still as in s."""

    makes: bool = False
    written: dict[int, Content] = field(default_factory=dict)
    dirty: set[str] = field(default_factory=set)


class ExpressionLowering:
    """Writes the code of expressions of one System."""

    def __init__(self, system: System, layout: StateLayout) -> None:
        self.system = system
        self.layout = layout
        self.e = Emitter(layout.words)
        self.view = View()
        self.first_place = {v.name: 0 for v in system.variables}
        for i in range(len(system.places) - 1, -1, -1):
            self.first_place[system.places[i].variable] = i
        self.loaded: list[dict[tuple[int, int], Content]] = [{}]  # what is in registers, by scope
        self.using: list[tuple[str, tuple[int, ...]]] = []
        self.kept: list[Env] = []
        self.plain: dict[int, bool] = {}  # by the id of a definition's body

    # Scopes: what was loaded inside one need not be there outside.

    def scoped(self, write: Callable[[], object]) -> None:
        self.loaded.append({})
        write()
        self.loaded.pop()

    def known_load(self, key: tuple[int, int]) -> Content | None:
        for scope in reversed(self.loaded):
            if key in scope:
                return scope[key]
        return None

    # Values.

    def value(self, e: Expr, env: Env, room: Shape | None = None) -> Content:
        """The value of e.  ``room``: the shape it is going to be stored in, if that is known."""
        match e:
            case Literal(value, type):
                return self.constant(value, type)
            case Bound(name):
                return env[name]
            case Read():
                return self.read(e, env)
            case Use():
                return self.use(e, env)
            case Apply():
                return self.apply(e, env, room)
            case Part(inner, k):
                return self.part(inner, k, env)
            case Condition(test, then, other):
                return self.condition(test, then, other, env, room)
            case Wrap(operand, bits, is_signed):
                return self.wrap(self.scalar(operand, env), bits, is_signed)
            case Quantify():
                return self.quantify(e, env)
            case NumberOf(atom, numbering, first, none):
                numbers = {a: first + k for k, a in enumerate(numbering)}
                return self.e.look_up(numbers | ({} if none is None else {NONE: none}), self.scalar(atom, env))
            case AtomAt(n, numbering, first, none):
                atoms = {first + k: a for k, a in enumerate(numbering)}
                return self.e.look_up(atoms | ({} if none is None else {none: NONE}), self.scalar(n, env))
            case Enabled(actor):
                return self.enabled(None if actor is None else self.scalar(actor, env))
            case Otherwise(body, other):
                return self.otherwise(body, other, env)

    def scalar(self, e: Expr, env: Env) -> Scalar:
        found = self.value(e, env)
        if isinstance(found, Never):
            return Known(0)
        if not isinstance(found, Known | Held):
            raise Unshaped("a number is expected")
        return found

    def mask(self, e: Expr, env: Env) -> Mask:
        found = self.value(e, env)
        if isinstance(found, Never):
            return Mask((), None)
        if not isinstance(found, Mask):
            raise Unshaped("a set is expected")
        return found

    def line(self, e: Expr, env: Env) -> Line:
        found = self.value(e, env)
        if isinstance(found, Never) or (isinstance(found, Parts) and not found.parts):
            return Line(Known(0), (), None, 0)
        if not isinstance(found, Line):
            raise Unshaped("a queue is expected")
        return found

    def constant(self, value: Value, type: Type) -> Content:
        if isinstance(value, str):
            return Known(self.layout.texts.setdefault(value, len(self.layout.texts)))
        if isinstance(value, tuple) and isinstance(type, TupleOf) and len(type.parts) == len(value):
            return Parts(tuple(self.constant(v, t) for v, t in zip(value, type.parts, strict=True)))
        shape = shape_of_value(value, self.layout.texts, isinstance(type, QueueOf))
        codes = encode(shape, value, self.layout.texts)
        found = [Known(signed(code + leaf.low)) for code, leaf in zip(codes, leaves(shape), strict=True)]
        return lines.assemble(shape, list(found))

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

    def condition(self, test: Expr, then: Expr, other: Expr, env: Env, room: Shape | None) -> Content:
        return self.choose(
            lambda label: self.branch(test, env, label, False),
            lambda: self.value(then, env, room),
            lambda: self.value(other, env, room),
        )

    def choose(
        self, leave: Callable[[Label], None], then: Callable[[], Content], other: Callable[[], Content]
    ) -> Content:
        """then(), or other() where ``leave`` jumps to the label it gets."""
        shape = self.joined_shape([then, other])
        registers = [self.e.fresh() for _ in leaves(shape)]
        otherwise, past = Label(), Label()

        def first() -> None:
            leave(otherwise)
            self.keep(then(), shape, registers)

        self.scoped(first)
        self.e.jump(past)
        self.e.place(otherwise)
        self.scoped(lambda: self.keep(other(), shape, registers))
        self.e.place(past)
        return lines.assemble(shape, [Held(r) for r in registers])

    def joined_shape(self, writes: list[Callable[[], Content]]) -> Shape:
        """The shape that holds all these values; nothing stays written."""
        shapes = []
        for write in writes:
            with self.e.scratch():
                self.scoped(lambda write=write: shapes.append(shape_of_content(write())))  # type: ignore[misc]
        return join_all(shapes)

    def keep(self, content: Content, shape: Shape, registers: list[int]) -> None:
        for r, a in zip(registers, flatten(lines.coerce(self.e, content, shape)), strict=True):
            self.e.assign(r, a)

    def otherwise(self, body: Expr, other: Expr, env: Env) -> Content:
        if self.is_safe(body, env):
            return self.value(body, env)
        fault = Label()

        def guarded() -> Content:
            with self.e.faults_to(fault):
                return self.value(body, env)

        shape = self.joined_shape([guarded, lambda: self.value(other, env)])
        registers = [self.e.fresh() for _ in leaves(shape)]
        past = Label()
        self.scoped(lambda: self.keep(guarded(), shape, registers))
        self.e.jump(past)
        self.e.place(fault)
        self.scoped(lambda: self.keep(self.value(other, env), shape, registers))
        self.e.place(past)
        return lines.assemble(shape, [Held(r) for r in registers])

    def is_safe(self, e: Expr, env: Env) -> bool:
        """Whether e always has a value, whatever the state."""
        fault = Label()
        with self.e.scratch(), self.e.faults_to(fault):
            self.scoped(lambda: self.touch(e, env))
        return not fault.used

    def touch(self, e: Expr, env: Env) -> None:
        self.value(e, env)

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

    # Places.

    def read(self, e: Read, env: Env) -> Content:
        at = self.address(e, env)
        shape = self.layout.shapes[self.first_place[e.variable]]
        if isinstance(at, Known):
            return self.read_place(at.value, e.variable)
        base = self.layout.words if e.variable in self.view.dirty or self.assigned(e.variable) else 0
        found = [self.load_entry(e.variable, k, at, base, leaf.low) for k, leaf in enumerate(leaves(shape))]
        return lines.assemble(shape, found)

    def assigned(self, variable: str) -> bool:
        return self.view.makes and any(self.system.places[i].variable == variable for i in self.view.written)

    def read_place(self, i: int, variable: str) -> Content:
        if i in self.view.written:
            return self.view.written[i]
        base = self.layout.words if variable in self.view.dirty else 0
        known = self.known_load((base, i))
        if known is None:
            known = lines.assemble(self.layout.shapes[i], [self.e.load(base, f) for f in self.layout.fields[i]])
            if base == 0:
                self.loaded[-1][base, i] = known
        return known

    def load_entry(self, variable: str, k: int, at: Held, base: int, low: int) -> Scalar:
        """Leaf k of the place number ``at`` of a variable."""
        r = self.e.fresh()
        self.e.buffer.put(Op.LDX, r, at.register, base, self.entries(variable, k), signed(low))
        return Held(r)

    def entries(self, variable: str, k: int) -> int:
        """The table of where leaf k of each place of a variable is."""
        first = self.first_place[variable]
        n = self.places_of(variable)
        return self.e.table_of(tuple(field_entry(self.layout.fields[first + i][k]) for i in range(n)))

    def places_of(self, variable: str) -> int:
        v = self.system.variable[variable]
        n = 1
        for d in (*map(len, v.owners), *v.shape):
            n *= d
        return n

    def address(self, e: Read, env: Env) -> Scalar:
        """The number of the place: in the System if it is constant, else within the variable."""
        v = self.system.variable[e.variable]
        owners = [self.scalar(owner, env) for owner in e.owners]
        self.refuse_missing(e, owners)
        indices = [self.scalar(index, env) for index in e.indices]
        if len(owners) != len(v.owners) or len(indices) != len(v.shape) or not self.places_of(e.variable):
            self.e.jump(self.e.fault)
            return Known(self.first_place[e.variable])
        at: Scalar = Known(0)
        for atoms, owner in zip(v.owners, owners, strict=True):
            at = self.e.add(self.e.multiply(at, Known(len(atoms))), self.owner_position(atoms, owner))
        for n, index in zip(v.shape, indices, strict=True):
            at = self.e.add(self.e.multiply(at, Known(n)), self.e.require_within(index, 0, n - 1))
        return Known(self.first_place[e.variable] + at.value) if isinstance(at, Known) else at

    def owner_position(self, atoms: tuple[int, ...], owner: Scalar) -> Scalar:
        first = atoms[0]
        if atoms == tuple(range(first, first + len(atoms))):
            return self.e.subtract(self.e.require_within(owner, first, atoms[-1]), Known(first))
        return self.e.look_up({a: k for k, a in enumerate(atoms)}, owner)

    def refuse_missing(self, e: Read, owners: list[Scalar]) -> None:
        """A parameter that is no atom where one is needed: there are too few of them."""
        if any(NONE in atoms for atoms in self.system.variable[e.variable].owners):
            return
        for owner, a in zip(e.owners, owners, strict=True):
            if isinstance(owner, Bound) and a.low <= NONE <= a.high:
                fine = Label()
                self.e.jump_if(Op.NE, a, Known(NONE), fine)
                self.e.end(BOUND)
                self.e.place(fine)

    # Definitions.

    def use(self, e: Use, env: Env) -> Content:
        owners = [self.scalar(owner, env) for owner in e.owners]
        if all(isinstance(a, Known) for a in owners):
            return self.definition(e.definition, tuple(a.value for a in owners if isinstance(a, Known)), env)
        rows = [key for key in self.system.definition if key[0] == e.definition and len(key[1]) == len(owners)]
        return self.use_among(e.definition, rows, owners, env)

    def use_among(self, name: str, rows: list[tuple[str, tuple[int, ...]]], owners: list[Scalar], env: Env) -> Content:
        """The definition whose owners are these, found while the program runs."""
        (_, atoms), *others = rows
        if not others:
            for a, owner in zip(atoms, owners, strict=True):
                self.e.require(Op.EQ, owner, Known(a))
            return self.definition(name, atoms, env)

        def leave(label: Label) -> None:
            for a, owner in zip(atoms, owners, strict=True):
                self.e.jump_if(Op.NE, owner, Known(a), label)

        return self.choose(
            leave, lambda: self.definition(name, atoms, env), lambda: self.use_among(name, others, owners, env)
        )

    def definition(self, name: str, owners: tuple[int, ...], env: Env) -> Content:
        """A definition's value; what was computed before in this scope is used again, so shared parts stay shared."""
        key = (name, owners)
        if key in self.using:
            raise Unshaped(f"the definition {name} uses itself")
        body = self.system.definition[key]
        known = self.known_definition(key, env)
        if known is None:
            self.using.append(key)
            known = self.value(body, env)
            self.using.pop()
            self.remember_definition(key, env, known)
        return known

    def known_definition(self, key: tuple[str, tuple[int, ...]], env: Env) -> Content | None:
        if self.view.makes:
            return None
        return self.known_load((id(self.system.definition[key]), id(env)))

    def remember_definition(self, key: tuple[str, tuple[int, ...]], env: Env, found: Content) -> None:
        if not self.view.makes:
            self.kept.append(env)  # so that its id stays its own
            self.loaded[-1][id(self.system.definition[key]), id(env)] = found

    # Truth.

    def branch(self, e: Expr, env: Env, label: Label, sense: bool) -> None:
        """Jump to label where the truth of e is ``sense``; go on where it is not."""
        match e:
            case Apply(O.NOT, (operand,)):
                self.branch(operand, env, label, not sense)
            case Apply(O.AND | O.OR as operator, operands):
                self.branch_junction(operands, env, label, sense, operator is O.AND)
            case Apply(O.EQUAL, (a, b)):
                self.branch_equal(a, b, env, label, sense)
            case Apply(O.LESS | O.LESS_EQUAL as operator, (a, b)):
                op = Op.LT if operator is O.LESS else Op.LE
                left, right = self.scalar(a, env), self.scalar(b, env)
                (self.e.jump_if if sense else self.e.jump_unless)(op, left, right, label)
            case Quantify(quantifier=Quantifier.ALL | Quantifier.SOME):
                self.branch_quantify(e, env, label, sense)
            case _:
                self.e.jump_on(self.scalar(e, env), sense, label)

    def branch_junction(self, operands: tuple[Expr, ...], env: Env, label: Label, sense: bool, is_and: bool) -> None:
        if sense != is_and:  # the first operand that decides jumps
            for operand in operands:  # what one loads is there for the next, which is reached only through it
                self.branch(operand, env, label, sense)
            return
        past = Label()

        def write() -> None:
            for operand in operands[:-1]:
                self.branch(operand, env, past, not sense)
            if operands:
                self.branch(operands[-1], env, label, sense)
            else:
                self.e.jump(label)

        self.scoped(write)
        self.e.place(past)

    def branch_equal(self, a: Expr, b: Expr, env: Env, label: Label, sense: bool) -> None:
        if self.branch_field(a, b, env, label, sense) or self.branch_field(b, a, env, label, sense):
            return
        left, right = self.value(a, env), self.value(b, env)
        if isinstance(left, Known | Held) and isinstance(right, Known | Held):
            (self.e.jump_if if sense else self.e.jump_unless)(Op.EQ, left, right, label)
        else:
            self.e.jump_on(self.equal(left, right), sense, label)

    def branch_field(self, a: Expr, b: Expr, env: Env, label: Label, sense: bool) -> bool:
        """Compare a place with a constant in one instruction, if that is what this is."""
        if not isinstance(a, Read) or not isinstance(b, Literal | Bound) or a.variable in self.view.dirty:
            return False
        i = self.constant_place(a, env)
        n = self.value(b, env)
        if i is None or not isinstance(n, Known) or i in self.view.written or self.known_load((0, i)) is not None:
            return False
        shape = self.layout.shapes[i]
        if not isinstance(shape, Ints):
            return False
        (f,) = self.layout.fields[i]
        if not shape.low <= n.value <= shape.high or not f.width:
            return False
        self.e.buffer.put(
            Op.JFEQ if sense else Op.JFNE, f.word, c=field_code(f.shift, f.width), x=label, y=signed(n.value - f.low)
        )
        return True

    def constant_place(self, e: Read, env: Env) -> int | None:
        """The number of the place in the System, if its address is constant and right."""
        values: list[int] = []
        for part in (*e.owners, *e.indices):
            content = self.value(part, env) if isinstance(part, Literal | Bound) else None
            if not isinstance(content, Known):
                return None
            values.append(content.value)
        n = len(e.owners)
        return self.system.index.get((e.variable, tuple(values[:n]), tuple(values[n:])))

    def truth(self, write: Callable[[Label], None]) -> Scalar:
        """1, or 0 where ``write`` jumps to the label it gets."""
        r, no = self.e.fresh(), Label()
        self.e.assign(r, Known(0))
        self.scoped(lambda: write(no))
        self.e.assign(r, Known(1))
        self.e.place(no)
        return Held(r, 0, 1)

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
            case _:
                return Known(0)

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

    # Operators.

    def apply(self, x: Apply, env: Env, room: Shape | None) -> Content:
        operator, operands = x.operator, x.operands
        if operator in (O.AND, O.OR):
            return self.junction(x, env)
        if operator in ARITHMETIC or operator in COMPARISONS:
            return self.apply_numbers(operator, operands, env)
        if operator in (O.QUEUE, O.APPEND, O.INSERT_SORTED, O.FIRST, O.REST, O.ELEMENT, O.WITHOUT):
            return self.apply_queue(operator, operands, env, room)
        match operator:
            case O.NOT:
                return self.e.compare(Op.EQ, self.scalar(operands[0], env), Known(0))
            case O.EQUAL:
                return self.equal(self.value(operands[0], env), self.value(operands[1], env))
            case O.TUPLE:
                return Parts(tuple(self.value(operand, env) for operand in operands))
            case O.SET:
                return self.set_of([self.value(operand, env) for operand in operands])
            case O.MEMBER:
                return self.member(operands[0], operands[1], env)
            case O.SIZE:
                found = self.value(operands[0], env)
                match found:
                    case Mask():
                        return masks.size(self.e, found)
                    case Line(length):
                        return length
                    case Parts(parts):
                        return Known(len(parts))
                    case Never():
                        return Known(0)
                    case _:
                        raise Unshaped("a set or a queue is expected")
            case O.INTERVAL:
                return masks.interval(self.e, self.scalar(operands[0], env), self.scalar(operands[1], env))
            case O.APPLY:
                return masks.apply(self.e, self.mask(operands[0], env), self.value(operands[1], env))
            case _:
                return self.apply_sets(operator, [self.mask(operand, env) for operand in operands])

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

    def choose_scalar(
        self, leave: Callable[[Label], None], then: Callable[[], Content], other: Callable[[], Content]
    ) -> Scalar:
        found = self.choose(leave, then, other)
        assert isinstance(found, Known | Held)
        return found

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

    def apply_queue(self, operator: Operator, operands: tuple[Expr, ...], env: Env, room: Shape | None) -> Content:
        if operator is O.QUEUE:
            return lines.queue_of(self.e, [self.value(operand, env) for operand in operands])
        q = self.line(operands[0], env)
        match operator:
            case O.APPEND | O.INSERT_SORTED:
                content = self.value(operands[1], env)
                fits = room if isinstance(room, Slots) and room.message is not None else lines.room_after(q, content)
                return (lines.append if operator is O.APPEND else lines.insert_sorted)(self.e, q, content, fits)
            case O.FIRST:
                return lines.element(self.e, q, Known(0))
            case O.REST:
                return lines.rest(self.e, q)
            case O.ELEMENT:
                return lines.element(self.e, q, self.scalar(operands[1], env))
            case _:
                return lines.without(self.e, q, self.scalar(operands[1], env))

    def set_of(self, contents: list[Content]) -> Mask:
        if not contents:
            return Mask((), None)
        shape = set_shape(join_all([shape_of_content(c) for c in contents])).element
        found = masks.empty(count(shape))
        for content in contents:
            k = masks.index(self.e, content, shape, self.e.fault)
            found = masks.zip_words(self.e, "bit_or", found, masks.single(self.e, k, count(shape)))
        return Mask(found, shape)

    def member(self, x: Expr, s: Expr, env: Env) -> Scalar:
        if isinstance(s, Apply) and s.operator is O.INTERVAL:
            a, low, high = (self.scalar(part, env) for part in (x, *s.operands))
            return self.e.bit_and(self.e.compare(Op.LE, low, a), self.e.compare(Op.LE, a, high))
        if isinstance(s, Apply) and s.operator is O.SET and len(s.operands) <= FEW_OPERANDS:
            return self.is_one_of(x, s.operands, env)
        content, m = self.value(x, env), self.mask(s, env)
        if m.element is None:
            return Known(0)
        r, outside = self.e.fresh(), Label()
        k = masks.index(self.e, content, m.element, outside)
        found = masks.test_bit(self.e, m.words, k)
        if not outside.used:
            return found
        past = Label()
        self.e.assign(r, found)
        self.e.jump(past)
        self.e.place(outside)
        self.e.assign(r, Known(0))
        self.e.place(past)
        return Held(r, 0, 1)

    def is_one_of(self, x: Expr, operands: tuple[Expr, ...], env: Env) -> Scalar:
        content = self.value(x, env)
        listed = [self.value(operand, env) for operand in operands]
        found: Scalar = Known(0)
        for other in listed:
            found = self.e.bit_or(found, self.equal(content, other))
        return found

    def apply_sets(self, operator: Operator, found: list[Mask]) -> Content:
        e = self.e
        match operator:
            case O.UNION | O.INTERSECTION:
                return self.fold_sets("bit_or" if operator is O.UNION else "bit_and", found)
            case O.DIFFERENCE:
                return self.fold_sets("bit_minus", found)
            case O.SUBSET:
                a, b = masks.unify(e, *found)
                return masks.is_empty(e, masks.zip_words(e, "bit_minus", a.words, b.words))
            case O.MINIMUM | O.MAXIMUM:
                return self.extreme(found[0], operator is O.MINIMUM)
            case O.CHOICE:
                return masks.the_only(e, found[0])
        if any(m.element is None for m in found) and operator not in (O.POWERSET, O.BIG_UNION, O.BIG_INTERSECTION):
            return self.apply_empty(operator, found)
        return SET_OPERATIONS[operator](e, *found)

    def apply_empty(self, operator: Operator, found: list[Mask]) -> Mask:
        """Operators on relations where one operand is known to be empty."""
        if operator is O.OVERRIDE:
            return found[0] if found[1].element is None else found[1]
        return Mask((), None)

    def fold_sets(self, f: str, found: list[Mask]) -> Mask:
        total = found[0]
        for m in found[1:]:
            a, b = masks.unify(self.e, total, m)
            total = Mask(masks.zip_words(self.e, f, a.words, b.words), a.element)
        return total

    def extreme(self, m: Mask, least: bool) -> Content:
        self.e.require(Op.NE, masks.any_bit(self.e, m.words), Known(0))
        if not isinstance(m.element, Ints):
            if m.element is None:
                return Known(0)
            raise Unshaped("a set of numbers is expected")
        k = masks.lowest(self.e, m.words) if least else masks.highest(self.e, m.words)
        return masks.content_at(self.e, m.element, masks.clamp(k, count(m.element) - 1))

    # Quantifiers.

    def quantify(self, x: Quantify, env: Env) -> Content:
        match x.quantifier:
            case Quantifier.ALL | Quantifier.SOME:
                return self.truth(lambda no: self.branch(x, env, no, False))
            case Quantifier.COLLECT:
                return self.collect(x, env)
            case _:
                return self.total(x, env)

    def branch_quantify(self, x: Quantify, env: Env, label: Label, sense: bool) -> None:
        """ALL: the first body that is false decides; SOME: the first that is true."""
        deciding = x.quantifier is Quantifier.SOME
        decided_to = label if sense == deciding else Label()

        def write(value: Content) -> None:
            inner = {**env, x.parameter.name: value}
            skip = Label()
            self.branch(x.condition, inner, skip, False)
            self.branch(x.body, inner, decided_to, deciding)
            self.e.place(skip)

        self.scoped(lambda: self.each(x.parameter.name, x.parameter.domain, env, write))
        if decided_to is not label:
            self.e.jump(label)
            self.e.place(decided_to)

    def total(self, x: Quantify, env: Env) -> Scalar:
        """COUNT, SUM, TIMES: a register adds up."""
        times = x.quantifier is Quantifier.TIMES
        total, bounds = self.e.copy(Known(int(times))), [0, 0]

        def write(value: Content) -> None:
            inner, skip = {**env, x.parameter.name: value}, Label()
            self.branch(x.condition, inner, skip, False)
            if x.quantifier is Quantifier.COUNT:
                self.branch(x.body, inner, skip, False)
                self.e.buffer.put(Op.ADDI, total.register, total.register, y=1)
            else:
                a = self.scalar(x.body, inner)
                bounds[0], bounds[1] = min(bounds[0], a.low), max(bounds[1], a.high)
                self.e.buffer.put(Op.MULO if times else Op.ADDO, total.register, total.register, self.e.register(a))
            self.e.place(skip)

        n = self.each(x.parameter.name, x.parameter.domain, env, write)
        if x.quantifier is Quantifier.COUNT:
            return Held(total.register, 0, n)
        low, high = (LEAST, GREATEST) if times else (max(LEAST, n * bounds[0]), min(GREATEST, n * bounds[1]))
        return Held(total.register, low, high)

    def collect(self, x: Quantify, env: Env) -> Mask:
        """The set of the bodies."""
        shapes: list[Shape] = []

        def look(value: Content) -> None:
            shapes.append(shape_of_content(self.value(x.body, {**env, x.parameter.name: value})))

        with self.e.scratch():
            self.scoped(lambda: self.each(x.parameter.name, x.parameter.domain, env, look))
        if not shapes:
            return Mask((), None)
        shape = set_shape(join_all(shapes)).element
        words = [self.e.copy(w) for w in masks.empty(count(shape))]

        def write(value: Content) -> None:
            inner, skip = {**env, x.parameter.name: value}, Label()
            self.branch(x.condition, inner, skip, False)
            k = masks.index(self.e, self.value(x.body, inner), shape, self.e.fault)
            for into, bit in zip(words, masks.single(self.e, k, count(shape)), strict=True):
                if bit != Known(0):
                    self.e.buffer.put(Op.OR, into.register, into.register, self.e.register(bit))
            self.e.place(skip)

        self.each(x.parameter.name, x.parameter.domain, env, write)
        n = count(shape)
        return Mask(tuple(masks.bounded_word(Held(w.register), n, 64 * j) for j, w in enumerate(words)), shape)

    def each(
        self, name: str, domain: Domain, env: Env, write: Callable[[Content], None], unrolled: int = UNROLLED
    ) -> int:
        """Write code for every value of a domain, written out or as a loop; at most how many values there are."""
        match domain:
            case Atoms(atoms):
                return self.each_constant(atoms, write, unrolled)
            case Interval(low, high):
                return self.each_constant(range(low, high + 1), write, unrolled)
            case Elements(set=Apply(O.INTERVAL, (Literal(int(low)), Literal(int(high))))):
                return self.each_constant(range(low, high + 1), write, unrolled)
            case Elements(set=Apply(O.INTERVAL, (a, b))):
                return self.each_between(self.scalar(a, env), self.scalar(b, env), write)
            case Elements(set=Apply(O.SET, operands)) if len(operands) <= FEW_OPERANDS:
                return self.each_listed([self.value(operand, env) for operand in operands], write)
            case Elements(set=s):
                return self.each_element(self.mask(s, env), write)
            case Fresh():
                self.scoped(lambda: write(self.fresh_atom(name, domain, env)))
                return 1

    def each_constant(self, values: tuple[int, ...] | range, write: Callable[[Content], None], unrolled: int) -> int:
        if len(values) <= unrolled:
            for v in values:
                self.scoped(lambda v=v: write(Known(v)))  # type: ignore[misc]
            return len(values)
        low, high = min(values), max(values)
        dense = tuple(values) == tuple(range(low, high + 1))
        counter, again = self.e.copy(Known(low if dense else 0)), Label()
        self.e.place(again)
        if dense:
            value: Scalar = Held(counter.register, low, high)
        else:
            index = Held(counter.register, 0, len(values) - 1)
            value = self.e.look_up(dict(enumerate(values)), index)
        self.scoped(lambda: write(value))
        self.e.buffer.put(Op.ADDI, counter.register, counter.register, y=1)
        self.e.buffer.put(Op.JLEI, counter.register, x=again, y=high if dense else len(values) - 1)
        return len(values)

    def each_between(self, a: Scalar, b: Scalar, write: Callable[[Content], None]) -> int:
        """A loop over the numbers from a to b."""
        if b.high < a.low:
            return 0
        counter, again, past = self.e.copy(a), Label(), Label()
        self.e.place(again)
        now = Held(counter.register, a.low, b.high)
        self.e.buffer.put(Op.JLT, self.e.register(b), counter.register, x=past)
        self.scoped(lambda: write(self.e.copy(now)))
        self.e.jump_if(Op.EQ, Held(counter.register), Known(GREATEST), past)
        self.e.buffer.put(Op.ADDI, counter.register, counter.register, y=1)
        self.e.jump(again)
        self.e.place(past)
        return b.high - a.low + 1

    def each_listed(self, contents: list[Content], write: Callable[[Content], None]) -> int:
        """Each of a few values, equal ones once."""
        for k, content in enumerate(contents):

            def once(k: int = k, content: Content = content) -> None:
                skip = Label()
                for earlier in contents[:k]:
                    self.e.jump_on(self.equal(earlier, content), True, skip)
                write(content)
                self.e.place(skip)

            self.scoped(once)
        return len(contents)

    def each_element(self, m: Mask, write: Callable[[Content], None]) -> int:
        """A loop over the bits that are set."""
        n = count(m.element)
        if n <= 8:
            for k in range(n):
                self.scoped(lambda k=k: self.if_bit(m, k, write))  # type: ignore[misc]
        elif len(m.words) == 1:
            self.each_bit(m, m.words[0], Known(0), write)
        else:
            self.each_word(m, write)
        return n

    def if_bit(self, m: Mask, k: int, write: Callable[[Content], None]) -> None:
        skip = Label()
        self.e.jump_on(masks.test_bit(self.e, m.words, Known(k)), False, skip)
        write(masks.content_at(self.e, m.element, Known(k)))
        self.e.place(skip)

    def each_bit(self, m: Mask, word: Scalar, first: Scalar, write: Callable[[Content], None]) -> None:
        left, again, past = self.e.copy(word), Label(), Label()
        self.e.place(again)
        self.e.buffer.put(Op.JZ, left.register, x=past)
        at = self.e.unary(Op.CTZ, left, 0, 63)
        less = self.e.immediate(Op.ADDI, left, -1)
        assert isinstance(less, Held)
        self.e.buffer.put(Op.AND, left.register, left.register, less.register)
        k = masks.clamp(self.e.add(at, first), count(m.element) - 1)
        self.scoped(lambda: write(masks.content_at(self.e, m.element, k)))
        self.e.jump(again)
        self.e.place(past)

    def each_word(self, m: Mask, write: Callable[[Content], None]) -> None:
        n = len(m.words)
        block, again = self.e.fresh(n), Label()
        for k, word in enumerate(m.words):
            self.e.assign(block + k, word)
        j = self.e.copy(Known(0))
        self.e.place(again)
        word_now = self.e.fresh()
        self.e.buffer.put(Op.LDR, word_now, j.register, block, n)
        first = self.e.shift_left(Held(j.register, 0, n - 1), Known(6))
        self.each_bit(m, Held(word_now), first, write)
        self.e.buffer.put(Op.ADDI, j.register, j.register, y=1)
        self.e.buffer.put(Op.JLTI, j.register, x=again, y=n)

    def fresh_atom(self, name: str, domain: Fresh, env: Env) -> Scalar:
        """The first atom that is free, or NONE."""
        r, found = self.e.fresh(), Label()

        def write(a: Content) -> None:
            assert isinstance(a, Known | Held)
            taken = Label()
            self.branch(domain.free, {**env, name: a}, taken, False)
            self.e.assign(r, a)
            self.e.jump(found)
            self.e.place(taken)

        self.each_constant(domain.atoms, write, UNROLLED)
        self.e.assign(r, Known(NONE))
        self.e.place(found)
        return Held(r, min((NONE, *domain.atoms)), max((NONE, *domain.atoms)))

    def enabled(self, actor: Scalar | None) -> Scalar:
        """Overridden where commands are known."""
        raise Unshaped("nothing is known of commands here")


def field_entry(f: Field) -> int:
    """A field as an entry of a table for LDX and STX."""
    return f.word | f.shift << 16 | f.width << 24


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
SET_OPERATIONS: dict[Operator, Callable[..., Content]] = {
    O.PRODUCT: masks.product,
    O.POWERSET: masks.powerset,
    O.BIG_UNION: masks.big_union,
    O.BIG_INTERSECTION: masks.big_intersection,
    O.DOMAIN: masks.domain,
    O.RANGE: masks.range_of,
    O.INVERSE: masks.inverse,
    O.COMPOSE: masks.compose,
    O.OVERRIDE: masks.override,
    O.IMAGE: masks.image,
    O.DOMAIN_RESTRICT: masks.domain_restrict,
    O.RANGE_RESTRICT: masks.range_restrict,
    O.CLOSURE: masks.closure,
}
