"""Expressions to instructions.

``value`` writes code that leaves a value in registers, ``branch`` code that jumps on the truth of an expression.  Where
an expression has no value the code jumps to the emitter's ``fault`` label.  The meaning is model/meaning/evaluate.py's.

Short names: env the values of the bound parameters; s, t the state looked at and the state made.
"""

from __future__ import annotations

from quorbit.machine.compile.instructions import Label, Op, field_code, signed
from quorbit.machine.compile.lower.scope import Env
from quorbit.machine.compile.lower.shared import CONTROL, SharedValues
from quorbit.machine.compile.shapes import (
    Ints,
    Shape,
    Unshaped,
)
from quorbit.machine.compile.values import (
    Content,
    Held,
    Known,
    Scalar,
)
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    AtomAt,
    Bound,
    Compute,
    Condition,
    Enabled,
    Expr,
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
from quorbit.model.system.types import NONE

O = Operator


class ExpressionLowering(SharedValues):
    """All expressions."""

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
            case Apply(O.AND | O.OR):
                return self.junction(e, env)
            case _:
                return self.value_or_call(e, env, lambda: self.value_in_bits(e, env, room))

    def value_in_bits(self, e: Expr, env: Env, room: Shape | None) -> Content:
        """The outermost operation as instructions."""
        match e:
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
            case Compute():
                raise Unshaped("a computation is a call")
            case _:
                raise AssertionError(e)

    def condition(self, test: Expr, then: Expr, other: Expr, env: Env, room: Shape | None) -> Content:
        return self.choose(
            lambda label: self.branch(test, env, label, False),
            lambda: self.value(then, env, room),
            lambda: self.value(other, env, room),
        )

    def otherwise(self, body: Expr, other: Expr, env: Env) -> Content:
        fault = Label()

        def guarded() -> Content:
            with self.e.faults_to(fault):
                return self.value(body, env)

        first = self.aside(guarded)
        if fault.used:
            return self.either(first, fault, self.aside(lambda: self.value(other, env)))
        self.e.append(first.buffer)
        self.loaded[-1].update(first.loaded)
        return first.content

    def enabled(self, actor: Scalar | None) -> Scalar:
        """Overridden where commands are known."""
        raise Unshaped("nothing is known of commands here")

    # Truth.

    def branch(self, e: Expr, env: Env, label: Label, sense: bool) -> None:
        """Jump to label where the truth of e is ``sense``; go on where it is not."""
        if self.branch_call(e, env, label, sense):
            return
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

    def branch_call(self, e: Expr, env: Env, label: Label, sense: bool) -> bool:
        """Jump on the answer of one call, if that is what e comes to."""
        if not isinstance(e, Apply | Quantify) or (isinstance(e, Apply) and e.operator in CONTROL):
            return False
        found = self.call_whole(e, env, few=True) if self.is_about_shared(e, env) else None
        if not isinstance(found, Known | Held):
            return False
        self.e.jump_on(found, sense, label)
        return True

    def branch_junction(self, operands: tuple[Expr, ...], env: Env, label: Label, sense: bool, is_and: bool) -> None:
        operands = undecided(operands, env, is_and)
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


def undecided(operands: tuple[Expr, ...], env: Env, is_and: bool) -> tuple[Expr, ...]:
    """The operands of a junction up to the first that decides it whatever the state is, without those that do not
    matter: which of several lists a parameter is in is known where its value is."""
    kept: list[Expr] = []
    for operand in operands:
        known = is_listed(operand, env)
        if known is None:
            kept.append(operand)
        elif known != is_and:
            return (*kept, TRUE if known else FALSE)
    return tuple(kept)


def is_listed(e: Expr, env: Env) -> bool | None:
    """Whether a parameter with a known value is in a list; None if e does not ask for that."""
    match e:
        case Apply(O.MEMBER, (Bound(name), Literal(frozenset() as listed))):
            value = env[name]
            return value.value in listed if isinstance(value, Known) else None
        case Apply(O.AND, (first, *_)):
            return False if is_listed(first, env) is False else None
        case _:
            return None
