"""Properties of SystemVerilog about one attempt, and what one tick leaves of them.

An attempt begins at a tick.  ``after`` takes a property and what is true at a tick to the property that the attempt
has from the next tick on: TRUE, it has passed; FALSE, it has failed.  So the properties reached from one are the states
of a deterministic automaton [IEEE 1800-2017, 16.12 and annex F].  A sequence is weak: it fails where nothing could
complete it any more; a strong one also fails if it is never completed, and so do ``s_eventually`` and ``s_until``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

from quorbit.languages.circuits.assertions.sequences import Condition, Sequence, is_live, matches_empty, moves, spelled
from quorbit.source.frozen import frozen

Known: TypeAlias = dict[int, bool]  # what is known of the atoms at a tick


class Undecided(Exception):
    """What follows depends on this atom."""

    def __init__(self, atom: int) -> None:
        super().__init__(atom)
        self.atom = atom


@frozen
class Constant:
    value: bool


@frozen
class Matches:
    """One of some sequences is completed; ``strong``: some day."""

    threads: frozenset[Sequence]
    strong: bool = False


@frozen
class Avoids:
    """None of some sequences is ever completed; ``strong``: and some day none can be any more."""

    threads: frozenset[Sequence]
    strong: bool = False


@frozen
class Implies:
    """Wherever one of some sequences is completed, the property holds from that tick on."""

    threads: frozenset[Sequence]
    then: Property


@frozen
class Follows:
    """Somewhere one of some sequences is completed and the property holds from that tick on (``#-#``)."""

    threads: frozenset[Sequence]
    then: Property


@frozen
class All:
    parts: frozenset[Property]


@frozen
class Any:
    parts: frozenset[Property]


@frozen
class Later:
    """So many ticks later."""

    ticks: int
    body: Property


@frozen
class Always:
    body: Property


@frozen
class Eventually:
    """s_eventually."""

    body: Property


@frozen
class Until:
    """The left at every tick before the right; ``strong``: the right some day."""

    left: Property
    right: Property
    strong: bool = False


Property: TypeAlias = Constant | Matches | Avoids | Implies | Follows | All | Any | Later | Always | Eventually | Until
TRUE, FALSE = Constant(True), Constant(False)


def all_of(parts: Iterable[Property]) -> Property:
    found = frozenset(p for part in parts for p in (part.parts if isinstance(part, All) else (part,)) if p != TRUE)
    if FALSE in found:
        return FALSE
    return All(found) if len(found) > 1 else next(iter(found), TRUE)


def any_of(parts: Iterable[Property]) -> Property:
    found = frozenset(p for part in parts for p in (part.parts if isinstance(part, Any) else (part,)) if p != FALSE)
    if TRUE in found:
        return TRUE
    return Any(found) if len(found) > 1 else next(iter(found), FALSE)


def negated(p: Property) -> Property:
    match p:
        case Constant(value):
            return Constant(not value)
        case Matches(threads, strong):
            return Avoids(threads, not strong)
        case Avoids(threads, strong):
            return Matches(threads, not strong)
        case Implies(threads, then):
            return Follows(threads, negated(then))
        case Follows(threads, then):
            return Implies(threads, negated(then))
        case All(parts):
            return any_of(map(negated, parts))
        case Any(parts):
            return all_of(map(negated, parts))
        case Later(ticks, body):
            return Later(ticks, negated(body))
        case Always(body):
            return Eventually(negated(body))
        case Eventually(body):
            return Always(negated(body))
        case Until(left, right, strong):  # before any tick with the right comes one without the left
            return Until(negated(right), all_of((negated(left), negated(right))), not strong)


def after(p: Property, known: Known) -> Property:
    """What is left of a property after a tick; raises Undecided where that needs to know more."""
    match p:
        case Constant():
            return p
        case Matches(threads, strong):
            left = left_of(threads, known)
            if any(map(matches_empty, left)):
                return TRUE
            return Matches(left, strong) if left else FALSE
        case Avoids(threads, strong):
            left = left_of(threads, known)
            if any(map(matches_empty, left)):
                return FALSE
            return Avoids(left, strong) if left else TRUE
        case Implies(threads, then):
            left = left_of(threads, known)
            now = after(then, known) if any(map(matches_empty, left)) else TRUE
            more = going_on(left)
            return all_of((now, Implies(more, then))) if more else now
        case Follows(threads, then):
            left = left_of(threads, known)
            now = after(then, known) if any(map(matches_empty, left)) else FALSE
            more = going_on(left)
            return any_of((now, Follows(more, then))) if more else now
        case All(parts):
            return all_of(after(part, known) for part in ordered(parts))
        case Any(parts):
            return any_of(after(part, known) for part in ordered(parts))
        case Later(ticks, body):
            return after(body, known) if ticks == 0 else body if ticks == 1 else Later(ticks - 1, body)
        case Always(body):
            return all_of((after(body, known), p))
        case Eventually(body):
            return any_of((after(body, known), p))
        case Until(left_side, right):
            return any_of((after(right, known), all_of((after(left_side, known), p))))


def cannot_hold(p: Property) -> bool:
    """Whether an attempt fails whatever the ticks are, for its sequences match nothing."""
    match p:
        case Matches(threads):
            return not any(map(is_live, threads))
        case All(parts):
            return any(map(cannot_hold, parts))
        case Any(parts):
            return all(map(cannot_hold, parts))
    return p == FALSE


def left_of(threads: frozenset[Sequence], known: Known) -> frozenset[Sequence]:
    """What a tick leaves of some sequences, without what nothing could complete."""
    found = {left for s in sorted(threads, key=spelled) for c, left in moves(s) if is_true(c, known) and is_live(left)}
    return frozenset(found)


def is_true(condition: Condition, known: Known) -> bool:
    for number, wanted in sorted(condition):
        if number not in known:
            raise Undecided(number)
        if known[number] != wanted:
            return False
    return True


def going_on(left: frozenset[Sequence]) -> frozenset[Sequence]:
    return frozenset(s for s in left if moves(s))


def ordered(parts: frozenset[Property]) -> list[Property]:
    return sorted(parts, key=shown)


@cache
def shown(p: Property) -> str:
    """The same text for equal properties, in every run."""
    match p:
        case Constant(value):
            return str(value)
        case Matches(threads, strong) | Avoids(threads, strong):
            return f"{type(p).__name__}{'!' if strong else ''}{listed(map(spelled, threads))}"
        case Implies(threads, then) | Follows(threads, then):
            return f"{type(p).__name__}{listed(map(spelled, threads))}{shown(then)}"
        case All(parts) | Any(parts):
            return f"{type(p).__name__}{listed(map(shown, parts))}"
        case Later(ticks, body):
            return f"Later{ticks}{shown(body)}"
        case Always(body) | Eventually(body):
            return f"{type(p).__name__}{shown(body)}"
        case Until(left_side, right, strong):
            return f"Until{'!' if strong else ''}{shown(left_side)}{shown(right)}"


def listed(parts: Iterable[str]) -> str:
    return f"({';'.join(sorted(parts))})"


def pending(p: Property) -> int:
    """How many parts of a property must happen some day: an attempt that waits for one for ever has failed."""
    match p:
        case Matches(_, strong) | Avoids(_, strong):
            return int(strong)
        case Follows() | Eventually():
            return 1
        case Until(strong=strong):
            return int(strong)
        case All(parts):
            return sum(map(pending, parts))
        case Any(parts):
            return min(map(pending, parts))
        case Constant() | Implies() | Later() | Always():
            return 0


def children(p: Property) -> tuple[Property, ...]:
    match p:
        case Implies(_, then) | Follows(_, then):
            return (then,)
        case All(parts) | Any(parts):
            return tuple(ordered(parts))
        case Later(_, body) | Always(body) | Eventually(body):
            return (body,)
        case Until(left, right):
            return left, right
        case Constant() | Matches() | Avoids():
            return ()
