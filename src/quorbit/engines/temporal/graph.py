"""The stored state graph of a System, one state per orbit if a plan is given: what temporal formulas are evaluated on.

An edge stands for a move from representative r to some u and keeps the permutation g with g·u = target, and the
processes that move in it as a bit mask of atoms (the first actor of each command on the way, as SPIN counts: the
receiver of a rendezvous does not move by itself).  A process is enabled in a state if it can begin a move there.

A state without moves is *dead*; it has no edge here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from quorbit.engines.options import SearchOptions
from quorbit.engines.replay import Reduce
from quorbit.groups.permutation import Permutation, identity
from quorbit.model.evaluate import FAULTS, Fault, Meaning, Move, Violation
from quorbit.model.formula import Proposition
from quorbit.model.system import State, System
from quorbit.result.outcome import Statistics

Progress = Callable[[Statistics], bool]  # told what is known so far; answers whether to stop
BETWEEN_REPORTS = 0.05  # seconds


class Stopped(Exception):
    """A limit was hit or the user interrupted; the message says which."""


class Broken(Exception):
    """A run-time error: the state it happens in, what it is, and whether a move makes it or a proposition."""

    def __init__(self, state: int, violation: Violation, by_move: bool) -> None:
        super().__init__(violation.message)
        self.state = state
        self.violation = violation
        self.by_move = by_move


@dataclass
class StateGraph:
    """States in the order of breadth-first search; the edges of state s are offsets[s] .. offsets[s+1]-1."""

    states: list[State] = field(default_factory=list)
    offsets: list[int] = field(default_factory=lambda: [0])
    targets: list[int] = field(default_factory=list)
    actors: list[int] = field(default_factory=list)
    permutations: list[Permutation] = field(default_factory=list)
    enabled: list[int] = field(default_factory=list)  # per state
    initial: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)  # -1 for initial states
    levels: list[int] = field(default_factory=list)
    fired: list[int] = field(default_factory=list)
    transitions: int = 0

    @property
    def count(self) -> int:
        return len(self.states)


@dataclass
class Builder:
    """A graph that grows; ``all_edges``: edges to one state that differ in actors or permutation are kept apart."""

    system: System
    reduce: Reduce | None
    options: SearchOptions
    all_edges: bool
    meaning: Meaning = field(init=False)
    graph: StateGraph = field(default_factory=StateGraph)
    numbers: dict[State, int] = field(default_factory=dict)
    known: dict[Permutation, Permutation] = field(default_factory=dict)  # equal permutations are one object

    def __post_init__(self) -> None:
        self.meaning = Meaning(self.system)
        self.graph.fired = [0] * len(self.system.commands)
        self.unmoved = identity(len(self.system.atoms))

    def reduced(self, s: State) -> tuple[State, Permutation]:
        if self.reduce is None:
            return s, self.unmoved
        r, g = self.reduce(s)
        return r, self.known.setdefault(g, g)

    def number_of(self, r: State, parent: int) -> int:
        found = self.numbers.get(r)
        if found is None:
            found = self.numbers[r] = self.graph.count
            self.graph.states.append(r)
            self.graph.parents.append(parent)
        return found

    def expand(self, s: int) -> None:
        graph = self.graph
        enabled = 0
        seen: dict[object, None] = {}
        for move in self.meaning.moves(graph.states[s]):
            for firing in move.firings:
                graph.fired[firing.command] += 1
            if move.violation is not None:
                raise Broken(s, move.violation, by_move=True)
            r, g = self.reduced(move.target)
            t = self.number_of(r, s)
            first, actors = movers(self.meaning, graph.states[s], move)
            enabled |= first
            graph.transitions += 1
            key = (t, actors, g) if self.all_edges else t
            if key not in seen:
                seen[key] = None
                graph.targets.append(t)
                graph.actors.append(actors)
                graph.permutations.append(g)
        graph.enabled.append(enabled)
        graph.offsets.append(len(graph.targets))


def fill(builder: Builder, progress: Progress | None) -> None:
    """Add all reachable states; raises ``Stopped`` and ``Broken`` and leaves the graph as far as it is known."""
    graph = builder.graph
    for s in builder.meaning.initial_states():
        graph.initial.append(builder.number_of(builder.reduced(s)[0], -1))
        graph.transitions += 1
    graph.initial[:] = dict.fromkeys(graph.initial)
    clock = Clock(builder.options)
    level_end, at = 0, 0
    while at < graph.count:
        if at == level_end:
            graph.levels.append(graph.count - level_end)
            level_end = graph.count
            clock.check_depth(len(graph.levels))
        builder.expand(at)
        at += 1
        clock.tick(graph, progress)


def movers(meaning: Meaning, s: State, move: Move) -> tuple[int, int]:
    """The process that begins a move, and all that move in it, as masks of atoms."""
    first, all_movers, at = 0, 0, s
    for k, firing in enumerate(move.firings):
        command = meaning.system.commands[firing.command]
        if command.actors:
            atom = meaning.value_of(command.actors[0])(at, meaning.environment(firing))
            all_movers |= 1 << atom
            if k == 0:
                first = 1 << atom
        if k + 1 < len(move.firings):
            at = meaning.fire(at, firing)[0]
    return first, all_movers


def evaluate_propositions(
    system: System, graph: StateGraph, propositions: tuple[Proposition, ...]
) -> dict[Proposition, bytes]:
    """In which states each proposition holds."""
    meaning = Meaning(system)
    found = {}
    for p in propositions:
        found[p] = bytes(truth_at(meaning, p, k, s) for k, s in enumerate(graph.states))
    return found


def truth_at(meaning: Meaning, p: Proposition, number: int, s: State) -> bool:
    try:
        return meaning.holds(p.expression, s)  # type: ignore[arg-type]
    except Fault as fault:
        raise Broken(number, Violation(FAULTS, fault.message, fault.span), by_move=False) from None


def summarise(graph: StateGraph, seconds: float) -> Statistics:
    return Statistics(
        states=graph.count,
        transitions=graph.transitions,
        depth=max(0, len(graph.levels) - 1),
        explore_seconds=seconds,
        levels=tuple(graph.levels),
        fired=tuple(graph.fired),
    )


class Clock:
    """Looks at limits and, now and then, at the time."""

    def __init__(self, options: SearchOptions) -> None:
        self.options = options
        self.began = self.reported = time.monotonic()

    def check_depth(self, levels: int) -> None:
        limit = self.options.max_depth
        if limit is not None and levels > limit:
            raise Stopped(f"the depth limit of {limit} was reached")

    def tick(self, graph: StateGraph, progress: Progress | None) -> None:
        limit, timeout = self.options.max_states, self.options.timeout
        if limit is not None and graph.count > limit:
            raise Stopped(f"the limit of {limit} states was reached")
        now = time.monotonic()
        if now - self.reported < BETWEEN_REPORTS:
            return
        self.reported = now
        if timeout is not None and now - self.began > timeout:
            raise Stopped(f"the time limit of {timeout:g} s was reached")
        if progress is not None and progress(summarise(graph, now - self.began)):
            raise Stopped("interrupted")
