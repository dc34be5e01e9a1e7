"""Tests as functions of domains: junctions, comparisons, bounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.languages.b.solver import guesses, linear
from quorbit.languages.b.solver.cells import Domains, Prune
from quorbit.languages.b.solver.codes import NO, NOTHING, YES, Code, Rows, Truth
from quorbit.languages.b.solver.guesses import Guess
from quorbit.languages.b.solver.linear import Sum


def junction(tests: list[Truth], conjunction: bool) -> Truth:
    absorbing, neutral = (NO, YES) if conjunction else (YES, NO)
    if any(t is absorbing for t in tests):
        return absorbing
    kept = [t for t in tests if t is not neutral]
    if not kept:
        return neutral
    if len(kept) == 1:
        return kept[0]
    cells = NOTHING.union(*(t.cells for t in kept))
    run = run_junction([t.run for t in kept], conjunction)
    if conjunction or any(t.prune is None for t in kept):
        return Truth(run, cells)
    return Truth(run, cells, prune_either(kept), all(t.late for t in kept))


def run_junction(runs: list[Callable[[Domains], bool | None]], conjunction: bool) -> Callable[[Domains], bool | None]:
    stop = not conjunction

    def run(d: Domains) -> bool | None:
        answer: bool | None = conjunction
        for one in runs:
            found = one(d)
            if found is stop:
                return stop
            if found is None:
                answer = None
        return answer

    return run


def prune_either(tests: list[Truth]) -> Prune:
    """What a disjunction leaves of the domains: something only where all tests but one are false.

    The two that were last seen not to be false are asked first.
    """
    watched = [0, 1]
    runs = [t.run for t in tests]

    def prune(d: Domains) -> list[tuple[int, tuple[Any, ...]]] | None:
        first, second = watched
        if (found := runs[first](d)) or (other := runs[second](d)):
            return []
        if found is None and other is None:
            return []
        left = [k for k, answer in ((first, found), (second, other)) if answer is None]
        for k, run in enumerate(runs):
            if k in (first, second) or (answer := run(d)) is False:
                continue
            left.append(k)
            if answer or len(left) == 2:
                watched[: len(left)] = left
                return []
        if not left:
            return None
        only = tests[left[0]].prune
        assert only is not None
        return only(d)

    return prune


def negated(t: Truth) -> Truth:
    if t is YES or t is NO:
        return NO if t is YES else YES
    run = t.run

    def turned(d: Domains) -> bool | None:
        found = run(d)
        return None if found is None else not found

    return Truth(turned, t.cells)


def same(a: Truth, b: Truth) -> Truth:
    def run(d: Domains) -> bool | None:
        x, y = a.run(d), b.run(d)
        return None if x is None or y is None else x == y

    return Truth(run, a.cells | b.cells)


def late(cells: tuple[int, ...], run: Callable[[Domains], bool | None]) -> Callable[[Domains], bool | None]:
    """A test that hardly ever fails while two cells are open is not asked before."""

    def asked(d: Domains) -> bool | None:
        seen = False
        for cell in cells:
            if not isinstance(d[cell], tuple) or len(d[cell]) > 1:
                if seen:
                    return None
                seen = True
        return run(d)

    return asked


def within(x: Code, lower: Code, upper: Code) -> Truth:
    """lower <= x <= upper."""
    of, least, most = x.run, lower.run, upper.run

    def run(d: Domains) -> bool | None:
        value = of(d)
        above = guesses.less(least(d), value, 0)
        if above is False:
            return False
        below = guesses.less(value, most(d), 0)
        return False if below is False else True if above and below else None

    return Truth(run, x.cells | lower.cells | upper.cells)


def from_bounds(low: int, high: int) -> tuple[Code, Code]:
    return Code(lambda d: (low,), NOTHING), Code(lambda d: (high,), NOTHING)


def at_least(x: Code, low: int) -> Truth:
    of = x.run
    return Truth(lambda d: guesses.less((low,), of(d), 0), x.cells)


def sum_of(op: str, a: Sum | None, b: Sum | None) -> Sum | None:
    if a is None or b is None or op not in ("+", "-", "*"):
        return None
    return linear.multiply(a, b) if op == "*" else linear.add(a, b, 1 if op == "+" else -1)


def sum_of_all(rows: Rows) -> Sum | None:
    found = linear.constant(0)
    for _, test, body in rows:
        if test is not YES or body.sum is None:
            return None
        found = linear.add(found, body.sum)
    return found


def compare_sums(op: str, a: Sum, b: Sum) -> Truth:
    if op in (">", ">="):
        a, b, op = b, a, "<" if op == ">" else "<="
    s = linear.add(a, b, -1)
    if op == "<":
        s = Sum(s.factors, s.plus + 1)
    cells = frozenset(cell for cell, _ in s.factors)
    if not cells:
        return YES if (s.plus == 0, s.plus != 0, s.plus <= 0)[("=", "/=").index(op) if op in ("=", "/=") else 2] else NO
    decide, prune = LINEAR[op]
    return Truth(decide(s), cells, prune(s), op == "/=")


LINEAR = {
    "=": (linear.decide_equal, linear.prune_equal),
    "/=": (linear.decide_unequal, linear.prune_unequal),
    "<": (linear.decide_less, linear.prune_less),
    "<=": (linear.decide_less, linear.prune_less),
}
TRUTHS: dict[bool | None, Guess] = {True: (1,), False: (0,), None: (0, 1)}


def unequal(a: Guess, b: Guess) -> bool | None:
    found = guesses.equal(a, b)
    return None if found is None else not found


COMPARE: dict[str, Callable[[Guess, Guess], bool | None]] = {
    "=": guesses.equal,
    "/=": unequal,
    "<": lambda a, b: guesses.less(a, b, 1),
    "<=": lambda a, b: guesses.less(a, b, 0),
    ">": lambda a, b: guesses.less(b, a, 1),
    ">=": lambda a, b: guesses.less(b, a, 0),
}
TESTS = frozenset([*COMPARE, ":", "/:", "<:", "/<:", "<<:"])
