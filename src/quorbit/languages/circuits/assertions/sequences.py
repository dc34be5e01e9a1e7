"""Sequences of SystemVerilog as regular expressions over ticks, and how one tick moves them on.

A letter is what is true at one tick; an atom is the number of a boolean expression.  ``moves`` are partial derivatives
[Antimirov 1996]: what can be left of a sequence after one tick, and under which condition; so the sequences reached
from one are the states of a nondeterministic automaton.  Meanings: [IEEE 1800-2017, 16.9 and annex F].

``a ##1 b`` is Then(a, b); ``a ##3 b`` has two ticks of anything between; ``a ##0 b`` is Fused: the last tick of a is
the first of b.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TypeAlias

from quorbit.source.frozen import frozen

Condition: TypeAlias = frozenset[tuple[int, bool]]  # literals that hold together; the empty one holds always
ALWAYS: Condition = frozenset()


@frozen
class Empty:
    """No tick at all."""


@frozen
class Atom:
    """One tick at which boolean expression ``number`` is true, or false if that is wanted; ``number`` < 0: any tick."""

    number: int
    wanted: bool = True


@frozen
class Then:
    first: Sequence
    second: Sequence


@frozen
class Fused:
    first: Sequence
    second: Sequence


@frozen
class Either:
    parts: frozenset[Sequence]


@frozen
class Both:
    """Both match, with the same length (``intersect``)."""

    left: Sequence
    right: Sequence


@frozen
class Star:
    """Any number of repetitions, none included."""

    body: Sequence


@frozen
class First:
    """What is left of first_match: of all these the first that ends; matches that take longer are dropped."""

    threads: frozenset[Sequence]


Sequence: TypeAlias = Empty | Atom | Then | Fused | Either | Both | Star | First
EMPTY = Empty()
TRUE = Atom(-1)
NEVER = Either(frozenset())
Moves: TypeAlias = frozenset[tuple[Condition, Sequence]]


def then(first: Sequence, second: Sequence) -> Sequence:
    """Brackets of a chain are moved to the right, so that equal rests are equal."""
    if NEVER in (first, second):
        return NEVER
    if first == EMPTY or second == EMPTY:
        return second if first == EMPTY else first
    return Then(first.first, then(first.second, second)) if isinstance(first, Then) else Then(first, second)


def fused(first: Sequence, second: Sequence) -> Sequence:
    """Nothing that is empty can share a tick."""
    return NEVER if NEVER in (first, second) or EMPTY in (first, second) else Fused(first, second)


def either(parts: Iterable[Sequence]) -> Sequence:
    found = frozenset(p for part in parts for p in (part.parts if isinstance(part, Either) else (part,)))
    return next(iter(found)) if len(found) == 1 else Either(found)


def both(left: Sequence, right: Sequence) -> Sequence:
    if NEVER in (left, right):
        return NEVER
    return left if left == right else Both(left, right)


def star(body: Sequence) -> Sequence:
    return EMPTY if body in (EMPTY, NEVER) else Star(body)


def repeated(body: Sequence, least: int, most: int | None) -> Sequence:
    """body[*least:most]; None: without a bound."""
    tail: Sequence = EMPTY
    if most is None:
        tail = star(body)
    else:
        for _ in range(most - least):
            tail = either((EMPTY, then(body, tail)))
    for _ in range(least):
        tail = then(body, tail)
    return tail


def delayed(first: Sequence, least: int, most: int | None, second: Sequence) -> Sequence:
    """first ##[least:most] second."""
    apart = then(first, then(repeated(TRUE, max(least, 1) - 1, None if most is None else max(most, 1) - 1), second))
    if least > 0:
        return apart
    together = fused(first, second)
    return together if most == 0 else either((together, apart))


def and_(left: Sequence, right: Sequence) -> Sequence:
    """Both match from the same tick; the longer one ends it."""
    anything = star(TRUE)
    return either((both(then(left, anything), right), both(left, then(right, anything))))


def within(inner: Sequence, outer: Sequence) -> Sequence:
    anything = star(TRUE)
    return both(then(anything, then(inner, anything)), outer)


@cache
def matches_empty(s: Sequence) -> bool:
    match s:
        case Empty() | Star():
            return True
        case Atom() | Fused():
            return False
        case Then(first, second) | Both(first, second):
            return matches_empty(first) and matches_empty(second)
        case Either(parts) | First(parts):
            return any(map(matches_empty, parts))


@cache
def moves(s: Sequence) -> Moves:
    """What one tick can leave of a sequence, each with its condition."""
    match s:
        case Empty():
            return frozenset()
        case Atom(number, wanted):
            return frozenset([(ALWAYS if number < 0 else frozenset([(number, wanted)]), EMPTY)])
        case Then(first, second):
            found = [(c, then(left, second)) for c, left in moves(first)]
            return kept([*found, *(moves(second) if matches_empty(first) else ())])
        case Fused(first, second):
            found = [(c, fused(left, second)) for c, left in moves(first)]
            ends = [c for c, left in moves(first) if matches_empty(left)]
            return kept([*found, *((c | d, left) for c in ends for d, left in moves(second))])
        case Either(parts):
            return kept(move for part in parts for move in moves(part))
        case Both(left, right):
            return kept((c | d, both(p, q)) for c, p in moves(left) for d, q in moves(right))
        case Star(body):
            return kept((c, then(left, s)) for c, left in moves(body))
        case First(threads):
            return first_moves(threads)


def first_moves(threads: frozenset[Sequence]) -> Moves:
    """All threads together, for every way to decide the conditions; where one ends, the others are dropped."""
    own = in_order({move for t in threads for move in moves(t)})
    found: list[tuple[Condition, Sequence]] = []
    cubes: list[tuple[Condition, frozenset[Sequence]]] = [(ALWAYS, frozenset())]
    for condition, left in own:
        cubes = [
            (cube | case, reached | {left} if case >= condition else reached)
            for cube, reached in cubes
            for case in decided(condition, cube)
        ]
    for cube, reached in cubes:
        if any(map(matches_empty, reached)):
            found.append((cube, EMPTY))
        elif reached:
            found.append((cube, First(reached)))
    return kept(found)


def decided(condition: Condition, cube: Condition) -> list[Condition]:
    """The cubes that say whether a condition holds, of those that go with what is decided already."""
    cases: list[Condition] = [condition]
    held: list[tuple[int, bool]] = []
    for number, wanted in sorted(condition):
        cases.append(frozenset([*held, (number, not wanted)]))
        held.append((number, wanted))
    return [case for case in cases if is_possible(case | cube)]


def kept(found: Iterable[tuple[Condition, Sequence]]) -> Moves:
    return frozenset((c, left) for c, left in found if left != NEVER and is_possible(c))


def in_order(found: Iterable[tuple[Condition, Sequence]]) -> list[tuple[Condition, Sequence]]:
    """The same whatever the order in which sets are walked through."""
    return sorted(found, key=lambda move: (sorted(move[0]), spelled(move[1])))


@cache
def spelled(s: Sequence) -> str:
    match s:
        case Empty():
            return "()"
        case Atom(number, wanted):
            return f"{'' if wanted else '!'}{number}"
        case Then(first, second):
            return f"({spelled(first)},{spelled(second)})"
        case Fused(first, second):
            return f"({spelled(first)}:{spelled(second)})"
        case Both(left, right):
            return f"({spelled(left)}&{spelled(right)})"
        case Either(parts):
            return f"({'|'.join(sorted(map(spelled, parts)))})"
        case First(threads):
            return f"first({'|'.join(sorted(map(spelled, threads)))})"
        case Star(body):
            return f"{spelled(body)}*"


def is_possible(condition: Condition) -> bool:
    return not any((number, not wanted) in condition for number, wanted in condition)


def reached(start: Iterable[Sequence], most: int) -> list[Sequence] | None:
    """All sequences that ticks can leave of some, in the order they are found; None if there are more than ``most``."""
    found = dict.fromkeys(start)
    waiting = list(found)
    while waiting:
        for _, left in in_order(moves(waiting.pop())):
            if left not in found:
                found[left] = None
                waiting.append(left)
        if len(found) > most:
            return None
    return list(found)


@cache
def is_live(s: Sequence) -> bool:
    """Whether some ticks complete it, if boolean expressions could be anything (weak sequences fail only where none
    could) [IEEE 1800-2017, F.5.2]."""
    seen, waiting = {s}, [s]
    while waiting:
        t = waiting.pop()
        if matches_empty(t):
            return True
        waiting += [left for _, left in moves(t) if left not in seen]
        seen.update(left for _, left in moves(t))
    return False
