"""Adaptive symmetry reduction: reachability for systems that are only almost symmetric [W07, Algorithms 1 and 2].

An abstract state is annotated with a partition of the processes: only processes of one cell may be exchanged.  It is
at first as coarse as the initial states permit and becomes finer along a path whenever an edge that tells processes
apart is taken.  A state whose orbit lies inside that of another one is not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

from quorbit.engines.adaptive.applicable import is_applicable
from quorbit.engines.adaptive.conditions import pieces, satisfying
from quorbit.engines.adaptive.errors import check_deadlock, check_invariant, note_failure, note_move
from quorbit.engines.adaptive.kernel_search import run_kernel
from quorbit.engines.adaptive.limits import Progress, Stopped
from quorbit.engines.adaptive.options import refuse
from quorbit.engines.adaptive.rotation import explore_rotations
from quorbit.engines.adaptive.rules import Event, Position
from quorbit.engines.adaptive.search import Search, open_search, start, summarise, watch_limits
from quorbit.engines.adaptive.store import Node
from quorbit.engines.adaptive.trace import Failure, lift
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import ENDLESS, FAULTS, LONGEST_TRANSIENT, Violation
from quorbit.model.system.partitions import Partitions
from quorbit.model.system.system import Invariant, Property, System
from quorbit.result.outcome import Outcome, Verdict, among_all_errors
from quorbit.source.limits import depth_reached


def explore(
    system: System,
    properties: tuple[Property, ...],
    partitions: Partitions,
    options: SearchOptions | None = None,
    progress: Progress | None = None,
    kernel: bool = True,
) -> Outcome:
    """Check the safety properties on all reachable states, kept as few abstract ones as subsumption permits.

    Requires: the partitions were inferred for this System and these properties.  ``kernel`` False: in Python alone."""
    options = options or SearchOptions()
    refuse(properties, options)
    rotations = partitions.rotations
    if rotations is not None and is_applicable(system, (rotations.ring,)) is None:
        return explore_rotations(system, properties, rotations, options, progress)
    began = time.process_time()
    search = open_search(system, properties, partitions, options)
    message, verdict = "", Verdict.HOLDS
    try:
        if not kernel or not run_kernel(search, progress):
            search = open_search(system, properties, partitions, options)
            run(search, progress)
    except Stopped as stopped:
        message, verdict = str(stopped), Verdict.UNKNOWN
    statistics = summarise(search, time.process_time() - began)
    if search.failure is None:
        return Outcome(verdict, message=message, statistics=statistics, engine="adaptive")
    violation = search.failure.violation
    trace = lift(search.context, search.failure) if search.options.trace else None
    outcome = Outcome(Verdict.FAILS, violation.property, violation.message, trace, statistics, "adaptive")
    return among_all_errors(outcome, message) if search.options.all_errors else outcome


def run(search: Search, progress: Progress | None) -> None:
    """The search in Python: the meaning of what the kernel does."""
    tick = watch_limits(search, progress)
    for initial in start(search):
        reach(search, initial)
    while (node := search.store.next()) is not None:
        if search.failure and not search.options.all_errors:
            return
        limit = search.options.max_depth
        if limit is not None and node.depth >= limit:
            raise Stopped(depth_reached(limit))
        expand(search, node)
        tick()


# Steps.


def expand(search: Search, node: Node) -> None:
    """All moves from the states that the node represents, through transient states."""
    certain = False  # whether every state of the orbit has a move
    stack = [(node, 0)]
    while stack:
        at, length = stack.pop()
        here = Position(search.context, at.shared, at.bags, at.partition, at.total)
        for rule in search.context.candidates(here):
            search.slow += 1
            for event in rule.candidate_events(here):
                search.fired[rule.c] += 1
                certain = certain or (at is node and event.r == node.partition and search.transient is None)
                if event.violation is not None:
                    note_move(search, at, event)
                else:
                    stack.extend(follow(search, node, at, rule.edge, event, length))
    if not certain:
        check_deadlock(search, node)


def follow(search: Search, node: Node, at: Node, edge: int, event: Event, length: int) -> Iterator[tuple[Node, int]]:
    """Store what the event leads to; what is transient is handed back to be followed further."""
    parent = at if search.options.trace else None
    if search.transient is None:
        search.transitions += 1
        reach(search, Node(event.shared, event.bags, event.r, node.depth + 1, parent, edge))
        return
    for piece, passing in by_transience(search, Position(search.context, event.shared, event.bags, event.r)):
        after = Node(piece.shared, piece.bags, piece.p, node.depth + 1, parent, edge, stored=not passing)
        if not passing:
            search.transitions += 1
            reach(search, after)
        elif length >= LONGEST_TRANSIENT:
            endless = Violation(FAULTS, ENDLESS)
            note_failure(search, Failure(after, piece, endless, None, by_move=True))
        else:
            yield after, length + 1


def by_transience(search: Search, at: Position) -> Iterator[tuple[Position, bool]]:
    """The position in pieces that are transient or not as a whole."""
    tests, cells = search.transient or (), search.context.cells
    q = cells.coarsest
    for test in tests:
        q = cells.meet(q, test.q)
    for piece in pieces(search.context, at, q):
        yield piece, any(True for _ in satisfying(search.context, tests, piece))


def reach(search: Search, node: Node) -> None:
    """Algorithm 2: add the state unless something subsumes it, and look for errors in it."""
    if not search.store.add(node):
        return
    while len(search.levels) <= node.depth:
        search.levels.append(0)
    search.levels[node.depth] += 1
    here = Position(search.context, node.shared, node.bags, node.partition, node.total)
    for p, tests in zip(search.properties, search.errors, strict=True):
        if isinstance(p, Invariant):
            check_invariant(search, node, here, p, tests)
