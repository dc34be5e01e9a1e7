"""Adaptive symmetry reduction: reachability for systems that are only almost symmetric [W07, Algorithms 1 and 2].

An abstract state is annotated with a partition of the processes: only processes of one cell may be exchanged.  It is
at first as coarse as the initial states permit and becomes finer along a path whenever an edge that tells processes
apart is taken.  A state whose orbit lies inside that of another one is not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from quorbit.engines.adaptive.applicable import choose_classes, is_applicable
from quorbit.engines.adaptive.bags import Bags, bags_of, orbit_size
from quorbit.engines.adaptive.cells import Cells, on_processes
from quorbit.engines.adaptive.conditions import ConditionFault, Test, deadlocks, pieces, satisfying, tests_of
from quorbit.engines.adaptive.limits import Clock, Progress, Stopped
from quorbit.engines.adaptive.options import refusal_of_options, refuse
from quorbit.engines.adaptive.rotation import explore_rotations
from quorbit.engines.adaptive.rules import Context, Event, Position
from quorbit.engines.adaptive.shape import shape_of
from quorbit.engines.adaptive.store import Node, Store
from quorbit.engines.adaptive.trace import Failure, lift
from quorbit.engines.options import SearchOptions
from quorbit.groups.partition import by_label
from quorbit.model.evaluate import FAULTS, LONGEST_TRANSIENT, Violation
from quorbit.model.expression import FALSE
from quorbit.model.partitions import Partitions
from quorbit.model.system import Assertions, Invariant, NoDeadlock, Property, System
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.errors import UserError

PIECES_PER_STATE = 10  # are welcome


@dataclass
class Search:
    """What the search knows so far."""

    context: Context
    store: Store
    properties: tuple[Property, ...]
    errors: tuple[tuple[Test, ...], ...]  # one for each property
    transient: tuple[Test, ...] | None
    options: SearchOptions
    levels: list[int] = field(default_factory=list)
    fired: list[int] = field(default_factory=list)
    transitions: int = 0
    found: int = 0
    failure: Failure | None = None


def explore(
    system: System,
    properties: tuple[Property, ...],
    partitions: Partitions,
    options: SearchOptions | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Check the safety properties on all reachable states, kept as few abstract ones as subsumption permits.

    Requires: the partitions were inferred for this System and these properties."""
    options = options or SearchOptions()
    refuse(properties, options)
    rotations = partitions.rotations
    if rotations is not None and is_applicable(system, (rotations.ring,)) is None:
        return explore_rotations(system, properties, rotations, options, progress)
    began = time.process_time()
    search = open_search(system, properties, partitions, options)
    message, verdict = "", Verdict.HOLDS
    try:
        run(search, progress)
    except Stopped as stopped:
        message, verdict = str(stopped), Verdict.UNKNOWN
    statistics = summarise(search, time.process_time() - began)
    if search.failure is None:
        return Outcome(verdict, message=message, statistics=statistics, engine="adaptive")
    violation = search.failure.violation
    trace = lift(search.context, search.failure) if search.options.trace else None
    return Outcome(Verdict.FAILS, violation.property, violation.message, trace, statistics, "adaptive")


def refusal(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    """Why this engine cannot serve these, "" if it can; models are refused when it runs."""
    return refusal_of_options(options)


def open_search(
    system: System, properties: tuple[Property, ...], partitions: Partitions, options: SearchOptions
) -> Search:
    chosen = choose_classes(system, partitions.classes)
    if not chosen.permuted:
        reason = "; ".join(chosen.reasons) or "the model has no two processes of one kind"
        raise UserError(None, f"the adaptive engine cannot treat this model: {reason}")
    shape = shape_of(system, chosen.permuted)
    cells = Cells(on_processes(partitions.classes, shape.atoms))
    context = Context(shape, partitions, cells)
    depth_first = options.search == "dfs"
    store = Store(cells, depth_first, not depth_first, not options.trace)
    errors = tuple(tests_of(context, clauses) for clauses in partitions.errors)
    transient = None if system.transient == FALSE else tests_of(context, partitions.transient)
    search = Search(context, store, properties, errors, transient, options)
    search.fired = [0] * len(system.commands)
    return search


def run(search: Search, progress: Progress | None) -> None:
    clock = Clock(search.options, progress)

    def tick() -> None:
        check_pieces(search)
        clock.tick(search.store.reached, search.store.bytes, lambda seconds: summarise(search, seconds))

    search.context.pause = tick
    for initial in start(search):
        reach(search, initial)
    while (node := search.store.next()) is not None:
        if search.failure and not search.options.all_errors:
            return
        limit = search.options.max_depth
        if limit is not None and node.depth >= limit:
            raise Stopped(f"the depth limit of {limit} was reached")
        expand(search, node)
        tick()


def check_pieces(search: Search) -> None:
    """Where orbits fall into very many pieces, this is the wrong way to search."""
    most = search.options.pieces
    if most is not None and search.context.breaths > most + PIECES_PER_STATE * search.store.reached:
        raise Stopped("the orbits fall into too many pieces")


# Initial states.


def start(search: Search) -> Iterator[Node]:
    """The initial states as abstract ones.

    The coarsest annotation is right only if all permutations of a state are initial too; else a state starts with the
    processes in equal local states together, which represents nothing but itself."""
    context, cells = search.context, search.context.cells
    orbits: dict[tuple[int, Bags], list[tuple[int, ...]]] = {}
    for s in context.meaning.initial_states():
        search.transitions += 1
        shared, letters = context.shape.encode(s)
        orbits.setdefault((shared, bags_of(cells, cells.coarsest, letters)), []).append(letters)
    for (shared, bags), members in orbits.items():
        if len(members) == orbit_size(cells, cells.coarsest, bags):
            yield Node(shared, bags, cells.coarsest, 0)
            continue
        for letters in members:
            alike = cells.number(by_label(range(cells.n), letters))
            p = cells.meet(cells.coarsest, alike)
            yield Node(shared, bags_of(cells, p, letters), p, 0)


# Steps.


def expand(search: Search, node: Node) -> None:
    """All moves from the states that the node represents, through transient states."""
    certain = False  # whether every state of the orbit has a move
    stack = [(node, 0)]
    while stack:
        at, length = stack.pop()
        here = Position(search.context, at.shared, at.bags, at.partition, at.total)
        for rule in search.context.candidates(here):
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
            endless = Violation(FAULTS, "an atomic section never ends")
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


# Errors.


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


def summarise(search: Search, seconds: float) -> Statistics:
    return Statistics(
        states=search.store.reached,
        transitions=search.transitions,
        depth=max(0, len(search.levels) - 1),
        memory_bytes=search.store.bytes,
        explore_seconds=seconds,
        levels=tuple(search.levels),
        fired=tuple(search.fired),
        errors=search.found,
    )
