"""State graphs by the model's meaning in Python: slow and plainly right (engines/temporal/space.py)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from quorbit.canon.minimise import Reduce
from quorbit.engines.actors import movers
from quorbit.engines.stubborn import Chooser
from quorbit.engines.temporal.space import Broken, Progress, Question, Stopped
from quorbit.groups.permutation import Permutation, identity
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import FAULTS, Fault, Meaning, Move, Violation
from quorbit.model.system.formula import Proposition
from quorbit.model.system.system import State, System
from quorbit.result.outcome import Statistics
from quorbit.source.frozen import frozen
from quorbit.source.limits import depth_reached, states_reached, time_reached

BETWEEN_REPORTS = 0.05  # seconds


@frozen
class StateGraph:
    """States are numbered by breadth-first search; the edges of state s are offsets[s] .. offsets[s+1]-1.

    Edges to one state are kept apart if fairness makes a difference between them."""

    state: Callable[[int], State]
    initial: tuple[int, ...]
    offsets: Sequence[int]
    targets: Sequence[int]
    actors: Sequence[int]
    permutations: Sequence[Permutation]
    enabled: Sequence[int]  # per state

    @property
    def count(self) -> int:
        return len(self.offsets) - 1


@frozen
class Built:
    """A graph, in which of its states each proposition holds, and how its states were reduced."""

    graph: StateGraph
    labels: dict[Proposition, bytes]
    reduce: Reduce | None
    statistics: Statistics
    failing: dict[int, Broken]  # states with a move that ends in a run-time error
    unlabelled: dict[int, Broken]  # states in which a proposition has no value
    partly: int = 0  # states that were expanded in part


def build(
    system: System,
    question: Question,
    reduce: Reduce | None,
    options: SearchOptions,
    progress: Progress | None,
    choose: Chooser | None = None,
) -> Built:
    """All reachable states, one per orbit if they are reduced, and not in every order if ``choose`` is given."""
    builder = Builder(system, reduce, options, question.fairness != "none")
    builder.choose = choose
    builder.fill(progress)
    labels = {p: builder.label(p) for p in question.propositions}
    failing, unlabelled = builder.failing, builder.unlabelled
    return Built(builder.graph(), labels, reduce, builder.statistics(), failing, unlabelled, builder.partly)


class Builder:
    """A graph that grows."""

    def __init__(self, system: System, reduce: Reduce | None, options: SearchOptions, all_edges: bool) -> None:
        self.system, self.reduce, self.options, self.all_edges = system, reduce, options, all_edges
        self.meaning = Meaning(system)
        self.unmoved = identity(len(system.atoms))
        self.began = time.process_time()
        self.states: list[State] = []
        self.numbers: dict[State, int] = {}
        self.parents: list[int] = []
        self.initial: dict[int, None] = {}
        self.offsets = [0]
        self.targets: list[int] = []
        self.actors: list[int] = []
        self.permutations: list[Permutation] = []
        self.enabled: list[int] = []
        self.known: dict[Permutation, Permutation] = {}  # equal permutations are one object
        self.levels: list[int] = []
        self.failing: dict[int, Broken] = {}
        self.unlabelled: dict[int, Broken] = {}
        self.fired = [0] * len(system.commands)
        self.transitions = 0
        self.choose: Chooser | None = None
        self.partly = 0

    def fill(self, progress: Progress | None) -> None:
        for s in self.meaning.initial_states():
            self.initial[self.number_of(self.reduced(s)[0], -1)] = None
            self.transitions += 1
        clock = Clock(self)
        level_end, at = 0, 0
        while at < len(self.states):
            if at == level_end:
                self.levels.append(len(self.states) - level_end)
                level_end = len(self.states)
                clock.check_depth()
            self.expand(at)
            at += 1
            clock.tick(progress)

    def reduced(self, s: State) -> tuple[State, Permutation]:
        if self.reduce is None:
            return s, self.unmoved
        r, g = self.reduce(s)
        return r, self.known.setdefault(g, g)

    def number_of(self, r: State, parent: int) -> int:
        found = self.numbers.get(r)
        if found is None:
            found = self.numbers[r] = len(self.states)
            self.states.append(r)
            self.parents.append(parent)
        return found

    def expand(self, s: int) -> None:
        enabled = 0
        seen: set[object] = set()
        for move in self.moves(s):
            for firing in move.firings:
                self.fired[firing.command] += 1
            if move.violation is not None:
                self.failing.setdefault(s, self.broken(s, move.violation, by_move=True))
                continue
            r, g = self.reduced(move.target)
            t = self.number_of(r, s)
            first, actors = movers(self.meaning, self.states[s], move)
            enabled |= first
            self.transitions += 1
            key = (t, actors, g) if self.all_edges else t
            if key not in seen:
                seen.add(key)
                self.targets.append(t)
                self.actors.append(actors)
                self.permutations.append(g)
        self.enabled.append(enabled)
        self.offsets.append(len(self.targets))

    def moves(self, s: int) -> Iterable[Move]:
        """All moves from a state, or those of a stubborn set if all of them lead to states that are not expanded: then
        some state on every cycle has all its moves."""
        moves = self.meaning.moves(self.states[s])
        if self.choose is None:
            return moves
        every = list(moves)
        try:
            enabled = [firing.command for firing in self.meaning.enabled(self.states[s])]
        except Fault:
            return every
        chosen = self.choose.choose(self.states[s], enabled)
        if chosen is None:
            return every
        some = [move for move in every if move.firings[0].command in chosen]
        if {move.firings[0].command for move in some} != chosen or self.closes(some, s):
            return every
        self.partly += 1
        return some

    def closes(self, moves: list[Move], s: int) -> bool:
        """Whether one of the moves may close a cycle."""
        assert self.choose is not None
        return self.choose.rules.proviso and any(self.is_expanded(move, s) for move in moves)

    def is_expanded(self, move: Move, s: int) -> bool:
        number = self.numbers.get(self.reduced(move.target)[0])
        return number is not None and number <= s and move.violation is None

    def label(self, p: Proposition) -> bytes:
        """The states with a proposition, as far as it has a value."""
        flags = bytearray(len(self.states))
        for k, s in enumerate(self.states):
            try:
                flags[k] = self.meaning.holds(p.expression, s)  # type: ignore[arg-type]
            except Fault as fault:
                violation = Violation(FAULTS, fault.message, fault.span)
                self.unlabelled.setdefault(k, self.broken(k, violation, by_move=False))
        return bytes(flags)

    def broken(self, s: int, violation: Violation, by_move: bool) -> Broken:
        path = []
        while s >= 0:
            path.append(self.states[s])
            s = self.parents[s]
        return Broken(path[::-1], violation, by_move, self.statistics())

    def graph(self) -> StateGraph:
        initial = tuple(self.initial)
        return StateGraph(
            self.states.__getitem__, initial, self.offsets, self.targets, self.actors, self.permutations, self.enabled
        )

    def statistics(self) -> Statistics:
        return Statistics(
            states=len(self.states),
            transitions=self.transitions,
            depth=max(0, len(self.levels) - 1),
            explore_seconds=time.process_time() - self.began,
            levels=tuple(self.levels),
            fired=tuple(self.fired),
        )


class Clock:
    """Looks at limits and, now and then, at the time."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder
        self.began = self.reported = time.monotonic()

    def check_depth(self) -> None:
        limit = self.builder.options.max_depth
        if limit is not None and len(self.builder.levels) > limit:
            raise self.stopped(depth_reached(limit))

    def tick(self, progress: Progress | None) -> None:
        limit, timeout = self.builder.options.max_states, self.builder.options.timeout
        if limit is not None and len(self.builder.states) > limit:
            raise self.stopped(states_reached(limit))
        now = time.monotonic()
        if now - self.reported < BETWEEN_REPORTS:
            return
        self.reported = now
        if timeout is not None and now - self.began > timeout:
            raise self.stopped(time_reached(timeout))
        if progress is not None and progress(self.builder.statistics()):
            raise self.stopped("interrupted")

    def stopped(self, message: str) -> Stopped:
        return Stopped(message, self.builder.statistics())
