"""Conditions about states, asked of abstract states: the pieces of an orbit in which all clauses hold.

Clauses that tell nobody apart come first; an orbit is unwound clause by clause, and only those of its pieces in which
the earlier clauses hold.  So an asymmetric error is found wherever some member of the orbit has it [W07, section 7].
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.engines.adaptive.bags import unwind
from quorbit.engines.adaptive.forms import Form, form_of
from quorbit.engines.adaptive.rules import Context, Position, Rule
from quorbit.model.meaning.evaluate import Fault
from quorbit.model.system.expression import Expr
from quorbit.model.system.partitions import Clause
from quorbit.source.frozen import frozen


class ConditionFault(Exception):
    """A condition cannot be evaluated in a state."""

    def __init__(self, where: Position, fault: Fault) -> None:
        super().__init__(fault.message)
        self.where, self.fault = where, fault


@frozen
class Test:
    """A clause with its number, its form and the partition to unwind to."""

    number: int
    form: Form
    expression: Expr
    q: int


def tests_of(context: Context, clauses: tuple[Clause, ...]) -> tuple[Test, ...]:
    """The clauses as tests, those with the fewest cells first."""
    tests = []
    for clause in clauses:
        q = context.cells.meet(context.cells.coarsest, context.partition(clause))
        formed = form_of(context.shape, None, clause.expression, q == context.cells.coarsest)
        tests.append(Test(context.number(formed), formed.form, clause.expression, q))
    return tuple(sorted(tests, key=lambda test: len(context.cells.cells(test.q))))


def satisfying(context: Context, tests: tuple[Test, ...], at: Position) -> Iterator[Position]:
    """Disjoint pieces of the position's orbit that together are the states in which all tests hold."""
    if not tests:
        yield at
        return
    first, rest = tests[0], tests[1:]
    for piece in pieces(context, at, first.q):
        if holds(context, first, piece):
            yield from satisfying(context, rest, piece)


def pieces(context: Context, at: Position, q: int) -> Iterator[Position]:
    """The position taken apart until its permutations are in q."""
    r = context.cells.meet(at.p, q)
    if r == at.p:
        yield at
        return
    for bags in unwind(context.cells, at.p, at.bags, r):
        context.breathe()
        yield Position(context, at.shared, bags, r)


def holds(context: Context, test: Test, at: Position) -> bool:
    if test.form is Form.SHARED:
        return context.about_shared(test.number, test.expression, at)
    if test.form is Form.SYMMETRIC:
        return context.about_state(test.number, test.expression, at)
    try:
        return bool(context.meaning.value_of(test.expression)(at.look(), {}))
    except Fault as fault:
        raise ConditionFault(at, fault) from None


def deadlocks(context: Context, at: Position) -> Iterator[Position]:
    """The pieces of the position's orbit in which no guard holds; edges that tell nobody apart come first."""
    rules = sorted(context.rules, key=lambda rule: len(context.cells.cells(rule.q)))
    yield from without(context, rules, at)


def without(context: Context, rules: list[Rule], at: Position) -> Iterator[Position]:
    found = [at]
    for rule in rules:
        found = [piece for old in found for piece in pieces(context, old, rule.q) if not can_run(rule, piece)]
        if not found:
            return
    yield from found


def can_run(rule: Rule, at: Position) -> bool:
    return next(rule.events(at), None) is not None
