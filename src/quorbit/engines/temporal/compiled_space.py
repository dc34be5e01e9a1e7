"""The states of a System as the compiled engine finds them: on the fly for formulas of LTL, all of them for CTL*."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from quorbit.canon.layout import Layout
from quorbit.canon.minimise import Reduce
from quorbit.canon.plan import Plan
from quorbit.engines import partial_order
from quorbit.engines.actors import movers
from quorbit.engines.partial_order import PROBED, STAGES
from quorbit.engines.replay import ReplayError
from quorbit.engines.temporal.compiled_graph import Graph, label, opened_graph
from quorbit.engines.temporal.compiled_lasso import find_lasso
from quorbit.engines.temporal.compiled_product import Ask, good_roots
from quorbit.engines.temporal.compiled_search import Unfinished, search_for_lasso
from quorbit.engines.temporal.space import Broken, Edge, Progress, Question
from quorbit.groups.permutation import Permutation, identity
from quorbit.logic.automata.automaton import GeneralisedBuchi
from quorbit.logic.automata.buchi import generalised_automaton
from quorbit.logic.formulas.truth import is_true
from quorbit.logic.graphs.kripke import Flags
from quorbit.logic.graphs.lasso import Lasso
from quorbit.logic.graphs.structure import States
from quorbit.machine import library
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import Run, ask, initial_words, left_out, opened, start, state_at, summarise
from quorbit.model.dependence.facts import Facts
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.formula import Formula, Proposition
from quorbit.model.system.system import State, System
from quorbit.result.outcome import PartialOrder, Statistics
from quorbit.source.frozen import field, frozen, mutable

ALL = 2**64 - 1


@contextmanager
def explored_space(
    system: System,
    question: Question,
    plan: Plan | None,
    layout: Layout | None,
    options: SearchOptions,
    progress: Progress | None,
) -> Iterator[ExploredSpace]:
    """One state per orbit if a plan is given; states are unpacked when they are looked at."""
    with ExitStack() as opened_things:

        def begin(facts: Facts | None, like: Run | None) -> tuple[Run, Graph]:
            opening = opened(system, (), options, plan, facts, like, invisible=True, squeezed=True)
            run = opened_things.enter_context(opening)
            start(run, initial_words(run))
            return run, opened_things.enter_context(opened_graph(run, question.fairness != "none", progress))

        in_part = question.por == "on"
        facts = partial_order.facts_for_formula(system, question.propositions, plan) if in_part else None
        run, graph = begin(facts, None)
        if question.por != "auto":
            yield ExploredSpace(run, graph, question, question.reason)
        elif reason := partial_order.not_tried(system):
            yield ExploredSpace(run, graph, question, reason)
        else:
            yield UndecidedSpace(run, graph, question, begin=begin, progress=progress)


def facts_that_pay(run: Run, question: Question, progress: Progress | None) -> tuple[Facts | None, Run]:
    """The facts about the commands, if with them a search has enough fewer states, and a run that has them."""
    with opened(run.system, (), run.options, run.plan, None, run) as again:
        full, _ = first_levels(again, STAGES[1][0], progress)
    facts = partial_order.facts_for_formula(run.system, question.propositions, run.plan)
    with opened(run.system, (), run.options, run.plan, facts, run, invisible=True) as again:
        partly, everything = first_levels(again, PROBED, progress)
    return (facts if everything or partial_order.pays(full, partly) else None), again


def first_levels(run: Run, most: int, progress: Progress | None) -> tuple[Statistics, bool]:
    """The figures of so many first states, and whether these are all."""
    start(run, initial_words(run))
    with opened_graph(run, False, progress) as graph:
        try:
            everything = graph.widen(most)
        except Broken:
            everything = True  # an error ends the search in any case
        return summarise(run), everything


@mutable
class ExploredSpace:
    run: Run
    graph: Graph
    question: Question
    reason: str = ""  # why states are not expanded in part

    def __post_init__(self) -> None:
        self.meaning = Meaning(self.run.system)
        self.unmoved = identity(len(self.run.system.atoms))

    @property
    def reduce(self) -> Reduce | None:
        return self.run.reduce

    def state(self, number: int) -> State:
        return state_at(self.run, number)

    def find_path(self, automaton: GeneralisedBuchi, stutters: bool, may_end: bool) -> Lasso | None:
        return search_for_lasso(self.graph, self.ask(automaton, stutters, may_end))

    def ask(self, automaton: GeneralisedBuchi, stutters: bool, may_end: bool) -> Ask:
        """Propositions are evaluated when a state is met; those of the automaton may be formulas over them."""
        named = self.question.propositions

        def letter(bits: int) -> int:
            values = {p: bool(bits >> k & 1) for k, p in enumerate(named)}
            return sum(1 << k for k, p in enumerate(automaton.propositions) if is_true(p, values))

        roots = self.graph.initial()
        return Ask(automaton, named, (), letter, roots, self.question.fairness, stutters, may_end)

    def structure(self) -> Whole:
        self.graph.widen(ALL)
        labels = {p: label(self.run, p) for p in self.question.propositions}
        return Whole(self.graph, labels, self.question.fairness)

    def follow(self, source: int, edge: int) -> Edge:
        """Who moves and what is renamed is found out again, by the model's meaning."""
        target, wanted = self.graph.target(source, edge), self.graph.names(edge)
        s, t = self.state(source), self.state(target)
        for move in self.meaning.moves(s):
            if move.violation is None:
                found, g = self.reduce(move.target) if self.reduce else (move.target, self.unmoved)
                actors = movers(self.meaning, s, move)[1]
                if found == t and wanted in (None, self.told(actors, g)):
                    return Edge(target, actors, g)
        raise ReplayError("a step of the search is not a step of the model")

    def told(self, actors: int, g: Permutation) -> tuple[int, tuple[int, ...]]:
        """What the graph's edges tell of who moves and of the renaming: the processes are numbered among themselves."""
        processes = self.graph.processes
        mask = sum(1 << i for i, a in enumerate(processes) if actors >> a & 1)
        return mask, tuple(processes.index(g[a]) for a in processes)

    def statistics(self) -> Statistics:
        return summarise(self.run)

    def left_out(self) -> str:
        return left_out(self.run)

    def por(self) -> PartialOrder:
        if self.run.tables is None:
            return PartialOrder(reason=self.reason)
        return partial_order.used(ask(self.run).states, library.runtime().qb_partly(self.run.engine))


@mutable
class UndecidedSpace(ExploredSpace):
    """A space of which the first states are found in full; if there are more, it is decided whether the others are."""

    begin: Callable[[Facts | None, Run | None], tuple[Run, Graph]] = field(kw_only=True)
    progress: Progress | None = None
    decided: bool = False

    def find_path(self, automaton: GeneralisedBuchi, stutters: bool, may_end: bool) -> Lasso | None:
        if self.decided:
            return super().find_path(automaton, stutters, may_end)
        most = partial_order.enough_states(self.run.system)
        try:
            self.reason = partial_order.too_small(most)
            return search_for_lasso(self.graph, self.ask(automaton, stutters, may_end), most=most)
        except Unfinished:
            facts, like = facts_that_pay(self.run, self.question, self.progress)
        self.decided = True
        if facts is not None:
            self.run, self.graph = self.begin(facts, like)
            return super().find_path(automaton, stutters, may_end)
        self.reason = partial_order.TOO_FEW
        return search_for_lasso(self.graph, self.ask(automaton, stutters, may_end), first=2 * most)


@frozen
class Whole:
    """All states, for CTL*."""

    graph: Graph
    labels: dict[Proposition, Flags]
    fairness: str

    @property
    def count(self) -> int:
        return int(self.graph.view().states)

    @property
    def initial(self) -> Sequence[int]:
        return self.graph.initial()

    def label(self, p: Proposition) -> Flags:
        return self.labels[p]

    def some_path(self, path: Formula, states: States) -> Flags:
        return good_roots(self.graph, self.ask(generalised_automaton(path), states, range(self.count)))

    def find_accepted(self, automaton: GeneralisedBuchi, states: States, roots: Sequence[int]) -> Lasso | None:
        return find_lasso(self.graph, self.ask(automaton, states, roots))

    def ask(self, automaton: GeneralisedBuchi, states: States, roots: Sequence[int]) -> Ask:
        labels = tuple(states(p) for p in automaton.propositions)
        return Ask(automaton, (), labels, int, roots, self.fairness, stutters=True)
