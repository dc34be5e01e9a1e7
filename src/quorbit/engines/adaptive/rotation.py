"""Adaptive reduction for rings: states annotated with a group of rotations instead of a partition [W07, section 10].

The annotation d stands for the rotations by multiples of d (d divides the length n of the ring; d = n: none).  The
meet of two is their least common multiple, and unwinding d to e gives at most e/d states.  As the rotations commute,
(s, d) subsumes (t, e) exactly if t and t turned by e are both in the orbit of s.  An orbit has at most n members, so
errors and deadlocks are looked for in each of them.

Short names: l letters; d, e annotations; m how far something is turned.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from math import lcm

from quorbit.engines.adaptive.limits import Clock, Progress, Stopped
from quorbit.engines.adaptive.shape import Shape, shape_of
from quorbit.engines.adaptive.trace import find_firing
from quorbit.engines.replay import ReplayError, check
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import FAULTS, Fault, Firing, Meaning, Violation
from quorbit.model.system.partitions import Rotations
from quorbit.model.system.system import Assertions, Invariant, NoDeadlock, Property, State, System
from quorbit.result.outcome import Outcome, Statistics, Step, Trace, Verdict, among_all_errors
from quorbit.source.frozen import distinct, field, mutable
from quorbit.source.limits import depth_reached

Letters = tuple[int, ...]
PER_STATE = 500  # bytes, roughly


@distinct
class RingNode:
    shared: int
    letters: Letters  # the least ones of the orbit, in the order of the ring
    d: int
    depth: int
    parent: RingNode | None = None
    edge: int = -1
    waiting: bool = True


@mutable
class RingFailure:
    node: RingNode
    letters: Letters
    violation: Violation
    firing: Firing | None = None
    by_move: bool = False


@mutable
class RingSearch:
    shape: Shape
    meaning: Meaning
    rotations: Rotations
    properties: tuple[Property, ...]
    options: SearchOptions
    groups: dict[tuple[int, Letters], dict[int, dict[Letters, RingNode]]] = field(default_factory=dict)
    unexplored: deque[RingNode] = field(default_factory=deque)
    reached: int = 0
    transitions: int = 0
    levels: list[int] = field(default_factory=list)
    fired: list[int] = field(default_factory=list)
    errors: int = 0
    failure: RingFailure | None = None

    @property
    def n(self) -> int:
        return len(self.rotations.ring)

    def state(self, shared: int, letters: Letters) -> State:
        return self.shape.decode(shared, letters)

    def nodes(self) -> list[RingNode]:
        return [node for group in self.groups.values() for table in group.values() for node in table.values()]


def explore_rotations(
    system: System,
    properties: tuple[Property, ...],
    rotations: Rotations,
    options: SearchOptions,
    progress: Progress | None,
) -> Outcome:
    began = time.process_time()
    search = open_ring(system, properties, rotations, options)
    message, verdict = "", Verdict.HOLDS
    try:
        run_ring(search, progress)
    except Stopped as stopped:
        message, verdict = str(stopped), Verdict.UNKNOWN
    statistics = summarise(search, time.process_time() - began)
    if search.failure is None:
        return Outcome(verdict, message=message, statistics=statistics, engine="adaptive")
    violation = search.failure.violation
    trace = lift(search, search.failure) if options.trace else None
    outcome = Outcome(Verdict.FAILS, violation.property, violation.message, trace, statistics, "adaptive")
    return among_all_errors(outcome, message) if search.options.all_errors else outcome


def open_ring(
    system: System, properties: tuple[Property, ...], rotations: Rotations, options: SearchOptions
) -> RingSearch:
    """Requires: the ring's atoms are numbered in their order, so that processes are positions in the ring."""
    shape = shape_of(system, (rotations.ring,))
    search = RingSearch(shape, Meaning(system), rotations, properties, options)
    search.fired = [0] * len(system.commands)
    return search


# Rotations.


def turn(letters: Letters, m: int) -> Letters:
    """Every letter goes m places on."""
    m %= len(letters)
    return letters[-m:] + letters[:-m] if m else letters


def least(letters: Letters, d: int) -> Letters:
    return min(turn(letters, m) for m in range(0, len(letters), d))


def orbit(letters: Letters, d: int) -> list[Letters]:
    return list(dict.fromkeys(turn(letters, m) for m in range(0, len(letters), d)))


def unwind(letters: Letters, d: int, e: int) -> list[Letters]:
    """One state for each orbit under e inside the orbit under d.  Requires: d divides e."""
    return list(dict.fromkeys(least(turn(letters, m), e) for m in range(0, e, d)))


def is_subsumed(search: RingSearch, group: dict[int, dict[Letters, RingNode]], node: RingNode) -> bool:
    for d, table in group.items():
        home = least(node.letters, d)
        if home in table and least(turn(node.letters, node.d), d) == home:
            return True
    return False


# The search.


def run_ring(search: RingSearch, progress: Progress | None) -> None:
    clock = Clock(search.options, progress)
    for node in start(search):
        reach(search, node)
    while search.unexplored:
        breadth_first = search.options.search == "bfs"
        node = search.unexplored.popleft() if breadth_first else search.unexplored.pop()
        if search.failure and not search.options.all_errors:
            return
        if not node.waiting:
            continue
        node.waiting = False
        if search.options.max_depth is not None and node.depth >= search.options.max_depth:
            raise Stopped(depth_reached(search.options.max_depth))
        expand(search, node)
        clock.tick(search.reached, search.reached * PER_STATE, lambda seconds: summarise(search, seconds))


def start(search: RingSearch) -> Iterator[RingNode]:
    """An initial state may be turned only as far as the results are initial too."""
    states = search.meaning.initial_states()
    known = {search.shape.encode(s) for s in states}
    for s in states:
        search.transitions += 1
        shared, letters = search.shape.encode(s)
        divisors = [d for d in range(1, search.n + 1) if search.n % d == 0]
        d = next(d for d in divisors if all((shared, t) in known for t in orbit(letters, d)))
        yield RingNode(shared, least(letters, d), d, 0)


def reach(search: RingSearch, node: RingNode) -> None:
    group = search.groups.setdefault((node.shared, least(node.letters, 1)), {})
    if is_subsumed(search, group, node):
        return
    drop_subsumed(search, group, node)
    group.setdefault(node.d, {})[node.letters] = node
    search.unexplored.append(node)
    search.reached += 1
    while len(search.levels) <= node.depth:
        search.levels.append(0)
    search.levels[node.depth] += 1
    check_invariants(search, node)


def drop_subsumed(search: RingSearch, group: dict[int, dict[Letters, RingNode]], node: RingNode) -> None:
    """Only states of the same or a deeper level, so that errors are found at minimum distance."""
    earliest = node.depth if search.options.search == "bfs" else 0
    mine = {node.d: {node.letters: node}}
    for table in group.values():
        for other in list(table.values()):
            if other.waiting and other.depth >= earliest and is_subsumed(search, mine, other):
                other.waiting = False
                if not search.options.trace:
                    del table[other.letters]
                    search.reached -= 1


def expand(search: RingSearch, node: RingNode) -> None:
    parent = node if search.options.trace else None
    for edge, step in enumerate(search.rotations.steps):
        e = lcm(node.d, step)
        for letters in unwind(node.letters, node.d, e):
            s = search.state(node.shared, letters)
            for firing in firings(search, node, edge, letters, s):
                t, violation = search.meaning.fire(s, firing)
                search.fired[firing.command] += 1
                if violation is not None:
                    note_move(search, node, letters, violation, firing)
                    continue
                search.transitions += 1
                shared, after = search.shape.encode(t)
                reach(search, RingNode(shared, least(after, e), e, node.depth + 1, parent, edge))
    check_deadlock(search, node)


def firings(search: RingSearch, node: RingNode, edge: int, letters: Letters, s: State) -> Iterator[Firing]:
    try:
        yield from edge_firings(search, edge, s)
    except Fault as fault:
        note_move(search, node, letters, Violation(FAULTS, fault.message, fault.span), None)


def edge_firings(search: RingSearch, edge: int, s: State) -> Iterator[Firing]:
    for c in search.rotations.edges[edge]:
        command = search.shape.system.commands[c]
        for env in search.meaning.bindings(command, s):
            yield Firing(c, tuple(env[p.name] for p in command.parameters))


# Errors.


def check_invariants(search: RingSearch, node: RingNode) -> None:
    for p in search.properties:
        if isinstance(p, Invariant):
            for letters in orbit(node.letters, node.d):
                violation = violated(search, p, search.state(node.shared, letters))
                if violation is not None:
                    note_failure(search, RingFailure(node, letters, violation))
                    break


def violated(search: RingSearch, p: Invariant, s: State) -> Violation | None:
    try:
        holds = search.meaning.holds(p.condition, s)
    except Fault as fault:
        return Violation(FAULTS, fault.message, fault.span)
    return None if holds else Violation(p.name, p.message or f"{p.name} does not hold", p.span)


def check_deadlock(search: RingSearch, node: RingNode) -> None:
    for p in search.properties:
        if isinstance(p, NoDeadlock):
            for letters in orbit(node.letters, node.d):
                if is_bad_end(search, p, search.state(node.shared, letters)):
                    note_failure(search, RingFailure(node, letters, Violation(p.name, p.message, p.span)))
                    break


def is_bad_end(search: RingSearch, p: NoDeadlock, s: State) -> bool:
    meaning = search.meaning
    stuck = meaning.guard_fault(s) is None and not meaning.enabled(s)
    return stuck and not meaning.holds(p.allowed, s)


def note_move(
    search: RingSearch, node: RingNode, letters: Letters, violation: Violation, firing: Firing | None
) -> None:
    asked = any(isinstance(p, Assertions) and p.name == violation.property for p in search.properties)
    if violation.property == FAULTS or asked:
        note_failure(search, RingFailure(node, letters, violation, firing, by_move=True))


def note_failure(search: RingSearch, failure: RingFailure) -> None:
    search.errors += 1
    if search.failure is None:
        search.failure = failure


def summarise(search: RingSearch, seconds: float) -> Statistics:
    return Statistics(
        states=search.reached,
        transitions=search.transitions,
        depth=max(0, len(search.levels) - 1),
        memory_bytes=search.reached * PER_STATE,
        explore_seconds=seconds,
        levels=tuple(search.levels),
        fired=tuple(search.fired),
        errors=search.errors,
    )


# Traces.


def lift(search: RingSearch, failure: RingFailure) -> Trace:
    """Backwards from the failure, as trace.py does for partitions; then replayed."""
    node, letters = failure.node, failure.letters
    states = [search.state(node.shared, letters)]
    while node.parent is not None:
        letters = predecessor(search, node, letters)
        node = node.parent
        states.append(search.state(node.shared, letters))
    states.reverse()
    meaning = search.meaning
    steps = [Step((find_firing(meaning, s, t),), t) for s, t in pairwise(states)]
    if failure.by_move:
        last = meaning.fire(states[-1], failure.firing)[0] if failure.firing else states[-1]
        steps.append(Step((failure.firing,) if failure.firing else (), last))
    trace = Trace(states[0], tuple(steps))
    check(meaning, trace, failure.violation if failure.by_move else None)
    return trace


def predecessor(search: RingSearch, node: RingNode, letters: Letters) -> Letters:
    """The letters of a state of the parent's orbit from which the edge leads to the given one of the node's orbit."""
    parent = node.parent
    assert parent is not None
    for before in unwind(parent.letters, parent.d, node.d):
        s = search.state(parent.shared, before)
        for firing in edge_firings(search, node.edge, s):
            t, violation = search.meaning.fire(s, firing)
            shared, after = search.shape.encode(t)
            if violation is None and shared == node.shared and least(after, node.d) == node.letters:
                m = next(m for m in range(0, search.n, node.d) if turn(after, m) == letters)
                return turn(before, m)
    raise ReplayError("a step of the abstract path is not a step of the model")
