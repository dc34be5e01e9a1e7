"""Errors of abstract states: what is violated in which piece of an orbit, and by which move."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.engines.adaptive.conditions import ConditionFault, Test, deadlocks, pieces, satisfying
from quorbit.engines.adaptive.rules import Event, Position
from quorbit.engines.adaptive.search import Search
from quorbit.engines.adaptive.store import Node
from quorbit.engines.adaptive.trace import Failure
from quorbit.model.meaning.evaluate import FAULTS, Violation
from quorbit.model.system.system import Assertions, Invariant, NoDeadlock


def check_invariant(search: Search, node: Node, here: Position, p: Invariant, tests: tuple[Test, ...]) -> None:
    try:
        for bad in satisfying(search.context, tests, here):
            violation = Violation(p.name, p.message or f"{p.name} does not hold", p.span)
            note_failure(search, Failure(node, bad, violation))
            return
    except ConditionFault as found:
        violation = Violation(FAULTS, found.fault.message, found.fault.span)
        note_failure(search, Failure(node, found.where, violation))


def check_deadlock(search: Search, node: Node) -> None:
    """Some states of an orbit may be stuck where others can move: decided by unwinding."""
    asked = [(p, t) for p, t in zip(search.properties, search.errors, strict=True) if isinstance(p, NoDeadlock)]
    if not asked:
        return
    here = Position(search.context, node.shared, node.bags, node.partition, node.total)
    for stuck in stuck_pieces(search, here):
        for p, tests in asked:
            for bad in satisfying(search.context, tests, stuck):
                note_failure(search, Failure(node, bad, Violation(p.name, p.message, p.span)))
                return


def stuck_pieces(search: Search, here: Position) -> Iterator[Position]:
    if search.transient is None:
        yield from deadlocks(search.context, here)
        return
    cells, q = search.context.cells, here.p
    for rule in search.context.rules:
        q = cells.meet(q, rule.q)
    for test in search.transient:
        q = cells.meet(q, test.q)
    for piece in pieces(search.context, here, q):  # all permutations of a piece keep all edges: one member will do
        if next(search.context.meaning.moves(piece.state), None) is None:
            yield piece


def note_move(search: Search, at: Node, event: Event) -> None:
    """A command that violates something: run-time errors always count, assertions if they were asked for."""
    violation = event.violation
    assert violation is not None
    asked = any(isinstance(p, Assertions) and p.name == violation.property for p in search.properties)
    if violation.property == FAULTS or asked:
        where = Position(search.context, at.shared, event.piece, event.r)
        note_failure(search, Failure(at, where, violation, event.firing, by_move=True))


def note_failure(search: Search, failure: Failure) -> None:
    search.found += 1
    if search.failure is None:
        search.failure = failure
