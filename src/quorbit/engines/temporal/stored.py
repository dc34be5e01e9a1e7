"""A space that is built whole, by the model's meaning in Python, before anything is asked of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from quorbit.canon.layout import Layout
from quorbit.canon.minimise import Reduce, reducer
from quorbit.canon.plan import Plan
from quorbit.engines import partial_order
from quorbit.engines.actors import fair_processes
from quorbit.engines.stubborn import LTL, Chooser
from quorbit.engines.temporal.graph import Built, StateGraph, build
from quorbit.engines.temporal.space import STUTTERING, Edge, Progress, Question
from quorbit.groups.permutation import Permutation, identity
from quorbit.logic.automata.automaton import GeneralisedBuchi
from quorbit.logic.graphs.evaluate import Evaluator
from quorbit.logic.graphs.kripke import Flags, Kripke
from quorbit.logic.graphs.lasso import Lasso
from quorbit.logic.graphs.product import Steps, letters_of
from quorbit.logic.graphs.stored import Stored
from quorbit.logic.graphs.structure import States
from quorbit.logic.graphs.threads import Recurrence, Threads
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.formula import Formula, Proposition
from quorbit.model.system.system import State, System
from quorbit.result.outcome import PartialOrder, Statistics
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen, replace


@contextmanager
def stored_space(
    system: System,
    question: Question,
    plan: Plan | None,
    layout: Layout | None,
    options: SearchOptions,
    progress: Progress | None,
) -> Iterator[StoredSpace]:
    """All reachable states, one per orbit if a plan is given."""
    if system.most_moves is not None:
        raise UserError(
            None, "without compiled code the temporal engine follows every move, so it cannot limit their number"
        )
    reduce = None if plan is None or layout is None else reducer(layout, plan)
    choose, reason = None, question.reason
    if question.por == "on":
        facts = partial_order.facts_for_formula(system, question.propositions, plan)
        choose = Chooser(facts, Meaning(system), LTL)
    elif question.por == "auto":
        reason = "without the compiled engine, partial-order reduction is used only with --por on"
    built = build(system, question, reduce, options, progress, choose)
    por = PartialOrder(reason=reason) if choose is None else partial_order.used(built.graph.count, built.partly)
    yield StoredSpace(built, question.fairness, len(system.atoms), por)


@frozen
class StoredSpace:
    built: Built
    fairness: str
    atoms: int
    reduction: PartialOrder

    @property
    def reduce(self) -> Reduce | None:
        return self.built.reduce

    def state(self, number: int) -> State:
        return self.built.graph.state(number)

    def follow(self, source: int, edge: int) -> Edge:
        graph = self.built.graph
        return Edge(graph.targets[edge], graph.actors[edge], graph.permutations[edge])

    def find_path(self, automaton: GeneralisedBuchi, stutters: bool, may_end: bool) -> Lasso | None:
        structure = self.close(stutters)
        states = Evaluator(structure).states
        if self.built.failing or self.built.unlabelled:
            self.refuse_followed(structure.stored.kripke, automaton, [states(p) for p in automaton.propositions])
        return structure.find_accepted(automaton, states, structure.initial)

    def refuse_followed(self, kripke: Kripke, automaton: GeneralisedBuchi, labels: list[Flags]) -> None:
        """Raises the first run-time error to which the automaton follows a run (compiled_search.py says why)."""
        letters, steps = letters_of(kripke.count, labels), Steps(automaton)
        pairs = dict.fromkeys((s, automaton.initial) for s in kripke.initial)
        waiting = deque(pairs)
        while waiting:
            s, q = waiting.popleft()
            if s in self.built.unlabelled:
                raise self.built.unlabelled[s]
            follows = {t.target for t in steps.of(q, letters[s])}
            if follows and s in self.built.failing:
                raise self.built.failing[s]
            found = dict.fromkeys((t, p) for t in kripke.successors(s) for p in follows if (t, p) not in pairs)
            pairs.update(found)
            waiting.extend(found)

    def structure(self) -> Closed:
        """The whole graph: a run-time error anywhere leaves it without a meaning."""
        for broken in (*self.built.failing.values(), *self.built.unlabelled.values()):
            raise broken
        return self.close(stutters=True)

    def close(self, stutters: bool) -> Closed:
        graph = self.built.graph
        kripke, permutations, origins = close(graph, self.built.labels, self.atoms, stutters)
        threads = fair_threads(graph, kripke, permutations, self.fairness)
        return Closed(Stored(kripke, threads=threads), origins)

    def statistics(self) -> Statistics:
        return self.built.statistics

    def por(self) -> PartialOrder:
        return self.reduction

    def left_out(self) -> str:
        return ""


@frozen
class Closed:
    """A graph in which every path goes on forever; origins: the number of each edge in the state graph."""

    stored: Stored
    origins: Sequence[int]

    @property
    def count(self) -> int:
        return self.stored.count

    @property
    def initial(self) -> Sequence[int]:
        return self.stored.initial

    def label(self, p: Proposition) -> Flags:
        return self.stored.label(p)

    def some_path(self, path: Formula, states: States) -> Flags:
        return self.stored.some_path(path, states)

    def find_accepted(self, automaton: GeneralisedBuchi, states: States, roots: Sequence[int]) -> Lasso | None:
        lasso = self.stored.find_accepted(automaton, states, roots)
        if lasso is None:
            return None
        stem, loop = (tuple(self.origins[e] for e in part) for part in (lasso.stem, lasso.loop))
        return replace(lasso, stem=stem, loop=loop)


def close(
    graph: StateGraph, labels: dict[Proposition, Flags], atoms: int, stutters: bool
) -> tuple[Kripke, Sequence[Permutation], Sequence[int]]:
    """The graph with an edge to itself at every state without moves, if these stutter; nobody is enabled there.

    Also the permutation of each edge and its number in the graph."""
    dead = bytes(graph.offsets[s] == graph.offsets[s + 1] for s in range(graph.count))
    enabled = [0 if dead[s] else graph.enabled[s] for s in range(graph.count)]
    if not stutters or not any(dead):
        kripke = Kripke(graph.offsets, graph.targets, graph.initial, labels, graph.actors, enabled, dead)
        return kripke, graph.permutations, range(len(graph.targets))
    origins, offsets, targets = list[int](), [0], list[int]()
    for s in range(graph.count):
        first, last = graph.offsets[s], graph.offsets[s + 1]
        origins.extend(range(first, last) if last > first else (STUTTERING,))
        targets.extend(graph.targets[first:last] if last > first else (s,))
        offsets.append(len(origins))
    unmoved = identity(atoms)
    actors = [graph.actors[e] if e >= 0 else 0 for e in origins]
    permutations = [graph.permutations[e] if e >= 0 else unmoved for e in origins]
    return Kripke(offsets, targets, graph.initial, labels, actors, enabled, dead), permutations, origins


def fair_threads(
    graph: StateGraph, kripke: Kripke, permutations: Sequence[Permutation], fairness: str
) -> Threads | None:
    """Weak: a process moves infinitely often or is infinitely often disabled.  Strong: it moves infinitely often if it
    is infinitely often enabled."""
    if fairness == "none":
        return None
    indices = fair_processes(graph.enabled)
    enabled = [kripke.enabled[s] for s in range(kripke.count) for _ in kripke.successors(s)]
    if fairness == "strong":
        return Threads(permutations, (Recurrence(indices, kripke.actors, enabled),))
    good = [moving | ~can for moving, can in zip(kripke.actors, enabled, strict=True)]
    return Threads(permutations, (Recurrence(indices, good),))
