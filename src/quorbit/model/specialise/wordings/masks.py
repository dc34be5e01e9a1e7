"""Sets of processes kept as the bits of a number, written as an array of truth values.

`arrived = arrived | (1 << id)` computes with the number of a process, and what computes looks inside; but all that it
does is to put the process into a set.  A number that is only ever taken apart into bits becomes an array of them:
`arrived[id] = true`.  Which bits there are is known beforehand, from what is written down and from the numbers that may
be shifted by; no other bit is ever set, so states and moves stay what they were.

Short names: v a variable that holds bits; k the number of a bit.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.model.specialise.simplify import simplify
from quorbit.model.specialise.start import Started, run_start
from quorbit.model.specialise.wordings.numbers import WhichNumbers
from quorbit.model.system.command import Assign, Command, Require, Step, Together, has_inner_steps
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Expr,
    Literal,
    Operator,
    Read,
    Wrap,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.mapping import expressions_in, map_system
from quorbit.model.system.properties import changed_property
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import TRUTH, Number
from quorbit.model.system.walk import expressions_of, map_parts, walk
from quorbit.source.frozen import replace

__all__ = ["spread_masks"]

BITWISE = (Operator.BIT_AND, Operator.BIT_OR, Operator.BIT_XOR)
MOST_BITS = 32


def spread_masks(started: Started) -> Started:
    """The System with such numbers as arrays of bits; the same object if there are none."""
    system = started.system
    if started.states is None or has_inner_steps(system.commands):
        return started
    candidates = candidates_in(system)
    while candidates:
        try:
            return run_start(Masks(started, candidates).system())
        except NoMask as found:
            candidates -= found.names
    return started


class NoMask(Exception):
    """Something else is done with these variables than with sets of bits."""

    def __init__(self, names: set[str]) -> None:
        super().__init__(names)
        self.names = names


def candidates_in(system: System) -> set[str]:
    """The numbers that something shifted is put into, taken from or looked for in."""
    found: set[str] = set()
    for part in (part for command in system.commands for e in expressions_of(command) for part in walk(e)):
        match part:
            case Apply(operator, operands) if operator in BITWISE and any(map(has_shift, operands)):
                found |= {e.variable for e in operands if isinstance(e, Read)}
            case Apply(Operator.SHIFT_RIGHT, (Read(variable), _)):
                found.add(variable)
    return {name for name in found if isinstance(system.variable[name].type, Number)}


def has_shift(e: Expr) -> bool:
    match e:
        case Apply(Operator.SHIFT_LEFT | Operator.SHIFT_RIGHT):
            return True
        case Apply(Operator.BIT_NOT, (inner,)) | Wrap(inner):
            return has_shift(inner)
        case _:
            return False


class Masks:
    """One System, with the variables that are taken for sets of bits."""

    def __init__(self, started: Started, names: set[str]) -> None:
        self.old, self.names = map_system(started.system, simplify), names
        self.numbers = WhichNumbers(replace(started, system=self.old))
        self.bits = self.count_bits()

    def count_bits(self) -> int:
        """How many bits may ever be set: more than any number that is shifted by, or written down beside a mask."""
        amounts = [self.greatest(x) for x in self.amounts()]
        found = max([*amounts, *(n.bit_length() - 1 for n in self.literals())], default=0) + 1
        if found > MOST_BITS:
            raise NoMask(set(self.names))
        return found

    def amounts(self) -> Iterator[Expr]:
        """What bits are shifted by."""
        for part in (part for e in expressions_in(self.old) for part in walk(e)):
            match part:
                case Apply(Operator.SHIFT_LEFT | Operator.SHIFT_RIGHT, (_, x)):
                    yield uncut(x)

    def literals(self) -> Iterator[int]:
        """The numbers that masks are set to or compared with."""
        for command in (*self.old.commands, *self.old.start):
            for step in command.effect:
                for a in step.assignments if isinstance(step, Together) else ():
                    if a.target.variable in self.names:
                        yield from plain_numbers(a.value)
            for part in (part for e in expressions_of(command) for part in walk(e)):
                if isinstance(part, Apply) and part.operator is Operator.EQUAL and self.mentions(part):
                    yield from (n for operand in part.operands for n in plain_numbers(operand))

    def mentions(self, e: Expr) -> bool:
        return any(isinstance(part, Read) and part.variable in self.names for part in walk(e))

    def greatest(self, x: Expr) -> int:
        """The greatest number that x may be, if none of them is less than 0."""
        values = self.numbers.numbers_of(x)
        if not values or min(values) < 0 or max(values) >= MOST_BITS:
            raise NoMask(set(self.names))
        return max(values)

    # The System with arrays of bits.

    def system(self) -> System:
        old = self.old
        return replace(
            old,
            variables=tuple(map(self.variable, old.variables)),
            commands=tuple(map(self.command, old.commands)),
            start=tuple(map(self.command, old.start)),
            definitions=tuple(replace(d, body=self.changed(d.body)) for d in old.definitions),
            properties=tuple(changed_property(p, self.changed) for p in old.properties),
            transient=self.changed(old.transient),
        )

    def variable(self, v: Variable) -> Variable:
        if v.name not in self.names:
            return v
        return replace(v, name=bits_of(v.name), type=TRUTH, shape=(*v.shape, self.bits))

    def command(self, command: Command) -> Command:
        return replace(
            command,
            guard=self.changed(command.guard),
            effect=tuple(map(self.step, command.effect)),
            actors=tuple(map(self.changed, command.actors)),
        )

    def step(self, step: Step) -> Step:
        match step:
            case Together(assignments):
                return Together(tuple(b for a in assignments for b in self.assigned(a)))
            case Require(condition):
                return replace(step, condition=self.changed(condition))
            case _:
                raise NoMask(set(self.names))

    def assigned(self, a: Assign) -> Iterator[Assign]:
        v, value = a.target, a.value
        if v.variable not in self.names:
            target = self.changed(v)
            assert isinstance(target, Read)
            yield replace(a, target=target, value=self.changed(value))
            return
        match value.operand if isinstance(value, Wrap) else value:
            case Apply(Operator.BIT_OR, (Read() as read, one)) | Apply(Operator.BIT_OR, (one, Read() as read)) if (
                read == v and (x := shifted_by(one)) is not None
            ):
                yield replace(a, target=self.bit_at(v, x), value=TRUE)
            case Apply(Operator.BIT_AND, (Read() as read, Apply(Operator.BIT_NOT, (one,)))) if (
                read == v and (x := shifted_by(one)) is not None
            ):
                yield replace(a, target=self.bit_at(v, x), value=FALSE)
            case Apply(Operator.BIT_XOR, (Read() as read, one)) if read == v and (x := shifted_by(one)) is not None:
                yield replace(a, target=self.bit_at(v, x), value=negation(self.bit_at(v, x)))
            case _:
                self.check(value)
                yield from (replace(a, target=self.slot(v, k), value=self.bit(value, k)) for k in range(self.bits))

    def changed(self, e: Expr) -> Expr:
        """An expression with what it asks of masks asked of their bits."""
        match e:
            case Apply(Operator.EQUAL, (left, right)) if self.reads_mask(left) or self.reads_mask(right):
                return self.compared(left, right)
            case Read(variable) if variable in self.names:
                raise NoMask({variable})
            case _:
                return map_parts(e, self.changed)

    def compared(self, left: Expr, right: Expr) -> Expr:
        """Whether two sets of bits are equal; whether one bit is in a set."""
        match left, right:
            case Apply(Operator.BIT_AND, (Read() as v, one)), _ if (x := shifted_by(one)) is not None:
                if right in (one, number(0)):
                    return self.is_in(v, x, right == one)
            case Apply(Operator.BIT_AND, (one, Read() as v)), _ if (x := shifted_by(one)) is not None:
                if right in (one, number(0)):
                    return self.is_in(v, x, right == one)
            case Apply(Operator.BIT_AND, (Apply(Operator.SHIFT_RIGHT, (Read() as v, x)), Literal(1))), Literal(0 | 1):
                return self.is_in(v, uncut(x), right == number(1))
        self.check(left)
        self.check(right)
        return conjunction([equal(self.bit(left, k), self.bit(right, k)) for k in range(self.bits)])

    def is_in(self, v: Read, x: Expr, whether: bool) -> Expr:
        return self.bit_at(v, x) if whether else negation(self.bit_at(v, x))

    def bit_at(self, v: Read, x: Expr) -> Read:
        if v.variable not in self.names:
            raise NoMask(set(self.names))
        return self.slot(v, self.changed(x))

    def slot(self, v: Read, k: Expr | int) -> Read:
        """One bit of a mask."""
        owners, indices = tuple(map(self.changed, v.owners)), tuple(map(self.changed, v.indices))
        index = number(k) if isinstance(k, int) else k
        return replace(v, variable=bits_of(v.variable), owners=owners, indices=(*indices, index))

    # Sets of bits, as expressions.

    def reads_mask(self, e: Expr) -> bool:
        """Whether e is computed from a mask, not only by means of one, as an index is."""
        match e:
            case Read(variable):
                return variable in self.names
            case Wrap(operand):
                return self.reads_mask(operand)
            case Apply(operator, operands) if operator in (*BITWISE, Operator.BIT_NOT, Operator.SHIFT_RIGHT):
                return any(map(self.reads_mask, operands))
            case _:
                return False

    def check(self, e: Expr) -> None:
        """A set of bits none of which lies beyond those that are kept."""
        if self.may_be_high(e):
            raise NoMask({part.variable for part in walk(e) if isinstance(part, Read)} & self.names or set(self.names))

    def may_be_high(self, e: Expr) -> bool:
        match e:
            case Literal(int(n)):
                return n >> self.bits != 0
            case Read(variable):
                return variable not in self.names
            case Wrap(operand, bits, _):
                return bits < self.bits or self.may_be_high(operand)
            case Apply(Operator.BIT_AND, operands):
                return all(map(self.may_be_high, operands)) or not all(map(self.is_set, operands))
            case Apply(Operator.BIT_OR | Operator.BIT_XOR, operands):
                return any(map(self.may_be_high, operands))
            case _:
                return shifted_by(e) is None

    def is_set(self, e: Expr) -> bool:
        """Whether the bits of e can be told."""
        match e:
            case Apply(Operator.BIT_NOT, (operand,)):
                return self.is_set(operand)
            case _:
                return not self.may_be_high(e)

    def bit(self, e: Expr, k: int) -> Expr:
        match e:
            case Literal(int(n)):
                return TRUE if n >> k & 1 else FALSE
            case Read():
                return self.slot(e, k)
            case Wrap(operand):
                return self.bit(operand, k)
            case Apply(Operator.BIT_AND, operands):
                return conjunction([self.bit(operand, k) for operand in operands])
            case Apply(Operator.BIT_OR, operands):
                return disjunction([self.bit(operand, k) for operand in operands])
            case Apply(Operator.BIT_XOR, (left, right)):
                return negation(equal(self.bit(left, k), self.bit(right, k)))
            case Apply(Operator.BIT_NOT, (operand,)):
                return negation(self.bit(operand, k))
            case _ if (x := shifted_by(e)) is not None:
                return equal(self.changed(x), number(k))
            case _:
                raise NoMask(set(self.names))


def bits_of(name: str) -> str:
    return f"bits of {name}"


def shifted_by(e: Expr) -> Expr | None:
    """What the one bit of e is shifted by: x in `1 << x`."""
    match e:
        case Wrap(operand):
            return shifted_by(operand)
        case Apply(Operator.SHIFT_LEFT, (Literal(1), x)):
            return uncut(x)
        case _:
            return None


def uncut(x: Expr) -> Expr:
    """What is shifted by, without the cut to five bits that C's machines make: it was found to be less."""
    match x:
        case Apply(Operator.BIT_AND, (inner, Literal(31))):
            return inner
        case _:
            return x


def plain_numbers(e: Expr) -> Iterator[int]:
    """The numbers in a computation with bits, but for those in indices and those that are shifted."""
    match e:
        case Literal(int(n)):
            yield n
        case Wrap(operand):
            yield from plain_numbers(operand)
        case Apply(operator, operands) if operator in (*BITWISE, Operator.BIT_NOT):
            for operand in operands:
                yield from plain_numbers(operand)
