"""Bounds for the integers of a System, so that engines can lay its values out.

First what follows from the commands alone: ranges of all variables that are closed under every command. Where that
gives no bound, the invariant is taken for granted: then the ranges hold in all states up to the first one that violates
it, and in that one. They are provisional: a search that goes on from there may meet a value outside, and the machine is
lowered again with nothing taken for granted.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.b.lower.ranges import Range, Ranges, has_number, is_empty, join, meet, range_of, where
from quorbit.model.system.command import Command, Require, Together
from quorbit.model.system.expression import Literal
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import Number, SetOf, TupleOf, Type
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.frozen import frozen, replace

__all__ = ["narrow"]

BEFORE_WIDENING, MOST_ROUNDS, ROUNDS_BACK = 4, 400, 2
LARGEST_THRESHOLD = 1 << 20
MOST_MENTIONED = 50  # elements of a set whose numbers count as mentioned
MOST_SUMMANDS = 40


@frozen
class Assumed:
    """What the invariant says: ranges of variables, and which of them are functions."""

    ranges: dict[str, Type]
    functional: frozenset[str]


def narrow(system: System, assumed: Assumed) -> System:
    """The System with bounds for its integers as far as they can be found."""
    if not any(has_open_number(v.type) for v in system.variables):
        return system
    sure = closed_ranges(system, {}, frozenset())
    open_ones = {name for name, r in sure.items() if r is not None and has_open_number(r)}
    assumptions = {name: r for name, r in assumed.ranges.items() if name in open_ones}
    found = closed_ranges(system, assumptions, assumed.functional & assumptions.keys()) if assumptions else sure
    return replace(
        system,
        variables=tuple(with_range(v, found[v.name], found[v.name] != sure[v.name]) for v in system.variables),
    )


def has_open_number(of: Type) -> bool:
    match of:
        case Number(low, high):
            return low is None or high is None
        case SetOf(element):
            return has_open_number(element)
        case TupleOf(parts):
            return any(has_open_number(p) for p in parts)
    return False


def with_range(variable: Variable, found: Range, provisional: bool) -> Variable:
    if found is None:
        return variable
    return replace(variable, type=fitted(variable.type, found), provisional=provisional)


def fitted(of: Type, found: Range) -> Type:
    """The type with the bounds of a range; atoms keep their whole sort, so that no symmetry is lost."""
    match of, found:
        case Number(names=names), Number(low, high):
            return Number(0, 0, names) if is_empty(found) else Number(low, high, names)
        case SetOf(element), SetOf(inner):
            return SetOf(fitted(element, inner))
        case TupleOf(parts, names), TupleOf(inners) if not is_empty(found):
            return TupleOf(tuple(fitted(p, i) for p, i in zip(parts, inners, strict=True)), names)
        case ((SetOf() | TupleOf() | Number()), _) if found is None or is_empty(found):
            return blank(of)
    return of


def blank(of: Type) -> Type:
    """A type for places that never hold anything: their numbers are 0."""
    match of:
        case Number(names=names):
            return Number(0, 0, names)
        case SetOf(element):
            return SetOf(blank(element))
        case TupleOf(parts, names):
            return TupleOf(tuple(blank(p) for p in parts), names)
    return of


def closed_ranges(system: System, assumed: dict[str, Type], functional: frozenset[str]) -> dict[str, Range]:
    """Ranges that every start and every command keeps; reading a variable gives only what is assumed of it.

    Where that gives no bound and few numbers are mentioned, once more with their sums as places to stop at: what is
    below 100 and grows by 30 stays below 130.
    """
    first, is_closed = first_rounds(system, assumed, functional)
    if is_closed:
        return tighten(system, first, assumed, functional)
    thresholds = set(integers_of(system))
    found = closed_by(system, assumed, functional, first, sorted(thresholds))
    if len(thresholds) > MOST_SUMMANDS or not any(r is not None and has_open_number(r) for r in found.values()):
        return found
    sums = {a + sign * b for a in thresholds for b in thresholds for sign in (1, -1)}
    again = closed_by(system, assumed, functional, first, sorted(thresholds | sums))
    is_better = sum(has_open_number(r) for r in again.values() if r is not None) < sum(
        has_open_number(r) for r in found.values() if r is not None
    )
    return again if is_better else found


def first_rounds(system: System, assumed: dict[str, Type], functional: frozenset[str]) -> tuple[dict[str, Range], bool]:
    """The ranges after a few rounds of all commands, and whether nothing changes any more."""
    found: dict[str, Range] = {v.name: None for v in system.variables}
    for _ in range(BEFORE_WIDENING):
        after = step(system, found, assumed, functional, dict(found))
        if after == found:
            return found, True
        found = after
    return found, False


def closed_by(
    system: System,
    assumed: dict[str, Type],
    functional: frozenset[str],
    found: dict[str, Range],
    thresholds: list[int],
) -> dict[str, Range]:
    """The same, with the numbers that bounds stop at while they grow."""
    for _ in range(BEFORE_WIDENING, MOST_ROUNDS):
        after = step(system, found, assumed, functional, dict(found))
        if after == found:
            return tighten(system, found, assumed, functional)
        found = {n: widen(found[n], r, thresholds) for n, r in after.items()}
    return {v.name: v.type for v in system.variables}


def step(
    system: System,
    found: dict[str, Range],
    assumed: dict[str, Type],
    functional: frozenset[str],
    after: dict[str, Range],
) -> dict[str, Range]:
    """What all commands write, given ranges of what they read, joined to ``after``."""
    seen = {n: meet(r, assumed[n]) if n in assumed else r for n, r in found.items()}
    for command in (*system.start, *system.commands):
        apply_command(command, Ranges(seen, functional), after)
    return after


def tighten(
    system: System, found: dict[str, Range], assumed: dict[str, Type], functional: frozenset[str]
) -> dict[str, Range]:
    """What is written from closed ranges is closed too, and smaller where widening went too far."""
    for _ in range(ROUNDS_BACK):
        found = step(system, found, assumed, functional, dict.fromkeys(found))
    return found


def apply_command(command: Command, to: Ranges, after: dict[str, Range]) -> None:
    """Join what the command may write to the ranges."""
    for parameter in command.parameters:
        to = to.binding(parameter.name, parameter.domain)
    to = where(to, command.guard, True)
    for step in command.effect:
        if isinstance(step, Require):
            to = where(to, step.condition, True)
        elif isinstance(step, Together):
            written = {a.target.variable: range_of(to, a.value) for a in step.assignments}
            for name, r in written.items():
                after[name] = join(after[name], r)
            to = Ranges({**to.variables, **written}, to.functional, to.bound)


def widen(old: Range, new: Range, thresholds: list[int]) -> Range:
    """A bound that moved goes to the next number the model mentions, or away."""
    match old, new:
        case Number(low, high), Number(new_low, new_high, names):
            return Number(
                new_low if new_low == low else next((t for t in reversed(thresholds) if fits(t, new_low, -1)), None),
                new_high if new_high == high else next((t for t in thresholds if fits(t, new_high, 1)), None),
                names,
            )
        case SetOf(a), SetOf(b):
            return SetOf(widen(a, b, thresholds) or b)
        case TupleOf(xs), TupleOf(ys, names):
            return TupleOf(tuple(widen(x, y, thresholds) or y for x, y in zip(xs, ys, strict=True)), names)
    return new


def fits(threshold: int, bound: int | None, sign: int) -> bool:
    return bound is not None and sign * threshold >= sign * bound


def integers_of(system: System) -> Iterator[int]:
    """The numbers a model mentions, and their neighbours."""
    for command in (*system.start, *system.commands):
        for e in expressions_of(command):
            for part in walk(e):
                if isinstance(part, Literal):
                    yield from (n + d for n in numbers_in(part.value, part.type) for d in (-1, 0, 1))


def numbers_in(value: object, of: Type) -> Iterator[int]:
    if not has_number(of):
        return
    match of:
        case Number() if isinstance(value, int) and abs(value) <= LARGEST_THRESHOLD:
            yield value
        case SetOf(Number()) if isinstance(value, frozenset) and len(value) > MOST_MENTIONED:
            for x in (min(value), max(value)):
                yield from numbers_in(x, of.element)
        case SetOf(element) if isinstance(value, frozenset) and len(value) <= MOST_MENTIONED:
            for x in value:
                yield from numbers_in(x, element)
        case TupleOf(parts) if isinstance(value, tuple):
            for x, t in zip(value, parts, strict=True):
                yield from numbers_in(x, t)
