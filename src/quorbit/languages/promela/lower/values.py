"""Values in the System: process numbers, channels as atoms, numbers cut to a type's bits."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.promela.lower.places import COUNT, LAST, OWN_PID, PID, Leaf, Placement, Shape, pc_name
from quorbit.languages.promela.parse.program import DataType, Expression, Kind, Predefined, Reference
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Condition,
    Enabled,
    Expr,
    Literal,
    NumberOf,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    Wrap,
    atom,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.types import NONE, Number, Truth
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["View"]

O = Operator
BYTE = DataType(Kind.BYTE)
TRUTH_VALUED = {O.NOT, O.AND, O.OR, O.EQUAL, O.LESS, O.LESS_EQUAL, O.MEMBER}


@frozen
class View:
    """Where an expression is looked at: by which process (of which proctype), what timeout is worth, and whether the
    system has stopped."""

    placement: Placement
    proctype: str
    me: Expr
    timeout: Expr = FALSE
    stopped: bool = False


def is_channel(expression: Expression) -> bool:
    return isinstance(expression, Reference) and expression.last.type.kind is Kind.CHAN


def as_truth(e: Expr) -> Expr:
    match e:
        case Literal(known):
            return TRUE if known else FALSE
        case Apply(operator) if operator in TRUTH_VALUED:
            return e
        case Quantify(quantifier=Quantifier.ALL | Quantifier.SOME) | Enabled():
            return e
        case Read() | Condition() | _:
            return negation(equal(e, number(0), e.span), e.span)


def own_pid(view: View, span: Span) -> Expr:
    if view.placement.writes_pid:
        return Read(OWN_PID, (view.me,), span=span)
    return pid_of(view.placement, view.proctype, view.me, span)


def pid_of(placement: Placement, proctype: str, process: Expr, span: Span) -> Expr:
    """The number of a process of this type: fixed if all of them are created at the start."""
    if placement.is_open(proctype):
        return number(0, span) if placement.unnumbered else Read(PID, (process,), span=span)
    by_pid = {pid: slot for slot, pid in (placement.pids or {}).items()}
    return NumberOf(process, tuple(by_pid.get(k, NONE) for k in range(max(by_pid, default=-1) + 1)), span=span)


def process_count(placement: Placement, span: Span) -> Expr:
    if placement.counts_processes:
        return Read(COUNT, span=span)
    counts = [
        Quantify(Quantifier.COUNT, Parameter("p", Atoms(slots)), is_alive(name, Bound("p")), span=span)
        for name, slots in placement.slots.items()
        if slots
    ]
    return Apply(O.ADD, tuple(counts), span) if len(counts) > 1 else counts[0]


def is_alive(proctype: str, process: Expr) -> Expr:
    return negation(equal(Read(pc_name(proctype), (process,)), number(0)))


def home(view: View, leaf: Leaf, indices: tuple[Expr, ...], span: Span) -> Expr:
    """The channel that belongs to a fixed channel variable."""
    homes = view.placement.homes
    owner = leaf.variables[0].owner
    if owner is None:
        return chosen(indices, leaf.sizes, lambda k: homes[None, leaf, k], span)
    slots = view.placement.slots[owner]
    if len(slots) == 1:
        return chosen(indices, leaf.sizes, lambda k: homes[slots[0], leaf, k], span)

    def home_in(slot: int) -> Expr:
        return chosen(indices, leaf.sizes, lambda k: homes[slot, leaf, k], span)

    pairs = [home_in(slot) for slot in slots]
    found = pairs[-1]
    for slot, pair in zip(slots[-2::-1], pairs[-2::-1], strict=True):
        found = Condition(equal(view.me, atom(slot)), pair, found, span)
    return found


def chosen(
    indices: tuple[Expr, ...], sizes: tuple[int, ...], which: Callable[[tuple[int, ...]], int], span: Span
) -> Expr:
    """An element of an array of channels."""
    if not sizes:
        return atom(which(()), span)
    flat = indices[0]
    for size, index in zip(sizes[1:], indices[1:], strict=True):
        flat = Apply(O.ADD, (Apply(O.MULTIPLY, (flat, number(size))), index), span)
    total = 1
    for size in sizes:
        total *= size
    numbering = tuple(which(unflatten(k, sizes)) for k in range(total))
    if isinstance(flat, Literal) and isinstance(flat.value, int) and 0 <= flat.value < total:
        return atom(numbering[flat.value], span)
    return AtomAt(flat, numbering, span=span)


def unflatten(k: int, sizes: tuple[int, ...]) -> tuple[int, ...]:
    found: list[int] = []
    for size in reversed(sizes):
        found.append(k % size)
        k //= size
    return tuple(reversed(found))


def as_number(view: View, e: Expr, span: Span) -> Expr:
    """A channel's number, counted from 1 in the order of creation; 0 is not a channel."""
    return NumberOf(e, view.placement.channel_atoms, 1, 0, span)


class StrangeNumber(Exception):
    """A channel variable may get a number that is not a channel's: every number up to it needs an atom."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.most = most


def as_channel(view: View, e: Expr, span: Span) -> Expr:
    """The channel with a number.  To SPIN a channel variable is a byte, which need not be the number of a channel."""
    if isinstance(e, Literal) and e.value == 0:
        return atom(NONE, span)
    e = cut(e, BYTE, view.placement)
    most = bounds(view.placement, e)[1]
    if most is None or most > len(view.placement.channel_atoms):
        raise StrangeNumber(255 if most is None else most)
    return AtomAt(e, view.placement.channel_atoms, 1, 0, span)


def cut(e: Expr, data: DataType, placement: Placement) -> Expr:
    """A number cut to the bits of a type, as C does; left alone where it surely fits."""
    low, high = bounds(placement, e)
    bits, signed = width(data)
    least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    if low is not None and high is not None and least <= low and high <= most:
        return e
    return Wrap(e, bits, signed, e.span)


def width(data: DataType) -> tuple[int, bool]:
    match data.kind:
        case Kind.BIT:
            return 1, False
        case Kind.UNSIGNED:
            return data.bits, False
        case Kind.SHORT:
            return 16, True
        case Kind.INT:
            return 32, True
        case _:
            return 8, False


def bounds(placement: Placement, e: Expr) -> tuple[int | None, int | None]:
    """Between which numbers the value surely lies."""
    match e:
        case Literal(known) if isinstance(known, int):
            return known, known
        case Read(variable):
            return read_bounds(placement, variable)
        case Wrap(_, bits, signed):
            return (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        case Apply(operator) if operator in TRUTH_VALUED:
            return 0, 1
        case Apply(O.MODULO, (a, Literal(n))) if isinstance(n, int) and n > 0 and (bounds(placement, a)[0] or 0) >= 0:
            return (0, n - 1) if bounds(placement, a)[0] is not None else (1 - n, n - 1)
        case Quantify(quantifier=Quantifier.ALL | Quantifier.SOME) | Enabled():
            return 0, 1
        case NumberOf(_, numbering, first):
            return 0, first + len(numbering)
        case Condition(_, then, other):
            (a_low, a_high), (b_low, b_high) = bounds(placement, then), bounds(placement, other)
            if a_low is None or a_high is None or b_low is None or b_high is None:
                return None, None
            return min(a_low, b_low), max(a_high, b_high)
        case _:
            return None, None


def read_bounds(placement: Placement, variable: str) -> tuple[int | None, int | None]:
    if variable in {PID, COUNT, LAST, OWN_PID}:
        return 0, 255
    match placement.leaf_types.get(variable):
        case Number(low, high):
            return low, high
        case Truth():
            return 0, 1
        case _:
            return None, None


def contents(shape: Shape, which: Expr, span: Span) -> Read:
    """The queue of a channel."""
    return Read(shape.variable, (which,), span=span)


def possible_shapes(view: View, where: Expr) -> list[Shape]:
    """The kinds of channels an expression may name."""
    placement = view.placement
    match where:
        case Literal(known) if isinstance(known, int):
            return [placement.shape_of[known]] if known in placement.shape_of else []
        case AtomAt(_, numbering, _, none) if none is None:
            found = [placement.shape_of[a] for a in numbering if a in placement.shape_of]
            return [s for i, s in enumerate(found) if s not in found[:i]]
        case Condition(_, then, other):
            both = [*possible_shapes(view, then), *possible_shapes(view, other)]
            return [s for i, s in enumerate(both) if s not in both[:i]]
        case _:
            return list(placement.shapes)


def belongs(where: Expr, atoms: tuple[int, ...]) -> Expr:
    """Whether a channel is one of these."""
    if isinstance(where, Literal):
        return TRUE if where.value in atoms else FALSE
    return disjunction([equal(where, atom(a)) for a in atoms], where.span)


def matches_something(pattern: object) -> bool:
    return not isinstance(pattern, (Reference, Predefined))
