"""Many ways to the same answers, one after the other, each for some seconds in a process of its own.

First all properties on the reachable states of the whole System.  Then those left, on the part of the System that they
depend on: by a SAT solver, on the reachable states with variables that are reordered, on all states there are, on a set
that holds the reachable ones and is closed.  What one way answers the next is not asked; a way that finds nothing in
its time gets more in the next round.  Some of the time is kept for the runs that show what fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from quorbit.bdd.open import is_installed
from quorbit.engines.symbolic.answers import (
    NAME,
    UNSHOWN,
    SymbolicOptions,
    Tell,
    all_states,
    answer_all,
    backwards,
)
from quorbit.engines.symbolic.approximate import approximate
from quorbit.engines.symbolic.cone import Cone, cone_of, lift_trace
from quorbit.engines.symbolic.model import Model, open_model
from quorbit.engines.symbolic.quotients.quotient import check_quotient
from quorbit.engines.symbolic.reach import Clock, OutOfTurn, Stopped
from quorbit.engines.symbolic.sat.clauses import has_solver
from quorbit.engines.symbolic.sat.several import answer_each, may_answer
from quorbit.machine.options import SearchOptions
from quorbit.model.diagrams.cases import Bdd, Unsupported
from quorbit.model.system.system import Property, System
from quorbit.result.outcome import Attempt, Outcome, Statistics, Verdict
from quorbit.source.frozen import field, frozen, mutable, replace
from quorbit.source.interrupted import Interrupted
from quorbit.source.isolate import Isolated, Limits, Send, run_isolated
from quorbit.source.limits import memory_reached, time_reached

SMALL, LARGE = 1 << 22, 1 << 26  # nodes
NO_MEMORY = "no memory left for the decision diagrams"
NO_TIME = "none of the methods finished in its time"
GLANCE_NODES = 1 << 18  # after which a glance is over, and not after a time: another member may count other states
GLANCE_SECONDS = 1.0  # where one operation goes far beyond these
SOON_SECONDS = (
    2.0  # for a SAT solver that is asked before anybody looks for symmetries, beside those for many properties
)
SOON_MORE_SECONDS = 1.0  # for each answer
MOMENT_SECONDS = 0.5  # for the same about a circuit of middle size, whatever it answers
FIRST_SECONDS, SECOND_SECONDS, CLAUSES_SECONDS, LATE_CLAUSES_SECONDS = 2.0, 5.0, 4.0, 6.0
EVERYWHERE_SECONDS, REORDERED_SECONDS = 3.0, 25.0
SMALL_SECONDS = 6.0  # for all small parts of a large circuit together
SHOW_SECONDS = 5.0  # for the run that shows one answer, after each round
EXTRA_SECONDS, MOST_EXTRA_SECONDS = 0.5, 16.0  # for each of many properties, and for all of them
MORE_SECONDS = 4.0  # for a SAT solver after each answer: what is proved of one property helps with the others
SECONDS_BY_PLACE = 0.01
LEAST_SHARE = 0.5  # seconds for one of several properties
ROUNDS, GROWTH = 3, 5
LARGE_CIRCUIT = 100  # places
FEW_PLACES = 40  # of a circuit with large expressions, whose sets of states often stay small


@frozen
class Way:
    """How to look for answers: forwards on the reachable states, or backwards on a closed set."""

    seconds: float
    library: str
    reorder: bool
    nodes: int
    universe: Callable[[Model, Clock], Bdd] | None  # None: forwards
    by_clauses: bool = False  # by a SAT solver instead, which answers about what never happens
    quotient: str = ""  # next or relation: on the representatives of the orbits instead
    more: float = 0.0  # seconds, for each answer it finds
    enough: float = float("inf")  # nodes that were made, after which it gives up between two operations

    @property
    def member(self) -> str:
        """What it is called in reports."""
        if self.by_clauses:
            return "SAT"
        if self.quotient:
            return f"quotient by {self.quotient}"
        if self.universe is None:
            return "BDDs of the reachable states" + (", reordered" if self.reorder else "")
        on = "a closed set" if self.universe is approximate else "all states"
        return f"BDDs backwards on {on}" + (", reordered" if self.reorder else "")


@mutable
class Task:
    """Properties with the same cone, by their numbers."""

    cone: Cone | None
    system: System
    numbers: list[int]


@mutable
class Portfolio:
    whole: System
    properties: Sequence[Property]
    options: SearchOptions
    symbolic: SymbolicOptions
    clock: Clock
    found: dict[int, Outcome]  # an answer stays here from the moment it is known, whatever happens later
    refused: dict[int, BaseException] = field(default_factory=dict)  # why some way could not even try, by property
    attempts: dict[int, list[Attempt]] = field(default_factory=dict)  # what was done about each property
    unshown: dict[int, tuple[Task, Way]] = field(default_factory=dict)  # who knows that it fails, without a run yet

    def run(self) -> list[Outcome]:
        everything = Task(None, self.whole, list(range(len(self.properties) or 1)))
        forwards = Way(FIRST_SECONDS, "oxidd", False, SMALL, None)
        if self.symbolic.quotient in ("next", "relation"):
            self.attempt(everything, replace(forwards, seconds=float("inf"), quotient=self.symbolic.quotient))
            self.explain_refusals()
            return self.answers()
        glance = replace(forwards, seconds=GLANCE_SECONDS, enough=GLANCE_NODES)
        if self.symbolic.stage == "clauses" and len(self.whole.places) <= FEW_PLACES:
            self.attempt(everything, glance)
        if self.symbolic.stage in ("clauses", "glance at clauses"):
            if self.can_solve():
                task = self.common_cone()
                seconds = SOON_SECONDS + self.extra_seconds(task) / 4
                at_length = replace(forwards, seconds=seconds, by_clauses=True, more=SOON_MORE_SECONDS)
                moment = replace(forwards, seconds=MOMENT_SECONDS, by_clauses=True)
                self.attempt(task, at_length if self.symbolic.stage == "clauses" else moment)
            self.give_up([k for k in everything.numbers if k not in self.found], NO_TIME)
            return self.answers()
        if self.symbolic.stage == "glance":
            self.attempt(everything, glance)
            return self.answers()
        if self.symbolic.stage != "later":
            small = self.small_tasks()
            share = max(LEAST_SHARE, min(FIRST_SECONDS, SMALL_SECONDS / max(1, len(small))))
            for task in small:
                self.attempt(task, replace(forwards, seconds=share))
            self.attempt(everything, forwards)
            if self.can_solve() and self.symbolic.stage != "sets":
                self.attempt(self.common_cone(), replace(forwards, by_clauses=True))
        if self.symbolic.stage in ("first", "sets"):
            return self.answers()
        self.attempt(self.common_cone(), replace(self.reordering(), seconds=SECOND_SECONDS))
        if self.can_solve():
            task = self.common_cone()
            seconds = self.seconds_for_clauses(task)
            self.attempt(task, replace(forwards, seconds=seconds, by_clauses=True, more=MORE_SECONDS))
        task = self.common_cone()
        only_here = sum(not may_answer(self.whole, self.properties[k]) for k in task.numbers)
        self.attempt(task, replace(self.everywhere(), seconds=EVERYWHERE_SECONDS + extra_seconds(only_here)))
        self.attempt(everything, replace(forwards, seconds=SECOND_SECONDS))
        if self.has_groups() and self.symbolic.quotient == "auto":
            self.attempt(everything, replace(forwards, seconds=SECOND_SECONDS, quotient="next"))
        self.show(SHOW_SECONDS)
        self.attempt(self.common_cone(), self.reordering())
        tasks = self.tasks()
        for turn in range(ROUNDS):
            for way in self.ways():
                for task in tasks:
                    self.attempt(task, replace(way, seconds=way.seconds * GROWTH**turn))
            self.show(SHOW_SECONDS * GROWTH**turn)
        for task in tasks:
            self.attempt(task, replace(self.reordering(), seconds=float("inf")))
        self.show(float("inf"))
        self.explain_refusals()
        return self.answers()

    def answers(self) -> list[Outcome]:
        listed = range(len(self.properties) or 1)
        return [replace(told(self.found[k]), attempts=tuple(self.attempts.get(k, ()))) for k in listed]

    def has_groups(self) -> bool:
        return any(group is not None and not group.is_trivial for group in self.symbolic.groups)

    def explain_refusals(self) -> None:
        """Where no way had an answer and one could not try, that is the reason; if all are refused, it is an error."""
        left = [k for k in self.left(range(len(self.properties) or 1)) if k in self.refused]
        if left and len(left) == len(self.found):
            raise self.refused[left[0]]
        for k in left:
            error = self.refused[k]
            words = str(error) if isinstance(error, Unsupported) else f"internal error, please report it: {error}"
            self.found[k] = replace(self.found[k], message=words)

    def ways(self) -> list[Way]:
        ways = [replace(self.everywhere(), seconds=LATE_CLAUSES_SECONDS, by_clauses=True)] if self.can_solve() else []
        ways += [Way(3.0, "oxidd", False, SMALL, approximate)] if self.properties else []
        reordering = self.reordering()
        ways += [Way(6.0, "oxidd", False, SMALL, None), self.everywhere(), reordering]
        ways.append(replace(reordering, universe=approximate))
        return ways if len(self.whole.commands) == 1 else [way for way in ways if way.universe is not approximate]

    def reordering(self) -> Way:
        """Forwards with variables that are reordered, if a library does that."""
        library, reorder = ("cudd", True) if is_installed("cudd") else ("oxidd", False)
        return Way(REORDERED_SECONDS, library, reorder, LARGE, None)

    def everywhere(self) -> Way:
        """Backwards on all states there are, which is soon done where few steps decide."""
        return Way(EVERYWHERE_SECONDS, "oxidd", False, SMALL, lambda model, clock: all_states(model))

    def can_solve(self) -> bool:
        """Whether a SAT solver may answer."""
        one_step = len(self.whole.commands) == len(self.whole.start) == 1
        return one_step and has_solver() and any(may_answer(self.whole, p) for p in self.properties)

    def tasks(self) -> list[Task]:
        """What is left, by cone, small cones first."""
        tasks: dict[tuple[int, ...], Task] = {}
        for k in self.left(range(len(self.properties) or 1)):
            cone = cone_of(self.whole, (self.properties[k],)) if self.properties else None
            key = cone.places if cone is not None else tuple(range(len(self.whole.places)))
            if key not in tasks:
                tasks[key] = Task(cone, self.whole if cone is None else cone.system, [])
            tasks[key].numbers.append(k)
        return [tasks[key] for key in sorted(tasks, key=lambda key: (len(key), key))]

    def common_cone(self) -> Task:
        """What is left, all together on what it depends on."""
        numbers = self.left(range(len(self.properties)))
        cone = cone_of(self.whole, [self.properties[k] for k in numbers]) if numbers else None
        return Task(cone, self.whole if cone is None else cone.system, numbers)

    def seconds_for_clauses(self, task: Task) -> float:
        """Many properties help each other, and a large circuit takes long to be written as clauses."""
        return CLAUSES_SECONDS + self.extra_seconds(task) + SECONDS_BY_PLACE * len(task.system.places)

    def extra_seconds(self, task: Task) -> float:
        """For those of many properties that a SAT solver may answer."""
        return extra_seconds(sum(may_answer(self.whole, self.properties[k]) for k in self.left(task.numbers)))

    def small_tasks(self) -> list[Task]:
        """Of a large circuit, the properties that depend on a small part of it: to encode the whole would take long."""
        size = len(self.whole.places)
        tasks = self.tasks() if size > LARGE_CIRCUIT else []
        return [task for task in tasks if task.cone is not None and 2 * len(task.cone.places) < size]

    def left(self, numbers: Sequence[int]) -> list[int]:
        return [k for k in numbers if k not in self.found or self.found[k].verdict is Verdict.UNKNOWN]

    def show(self, seconds: float) -> None:
        """Where a verdict is known and the run that shows it is not, look for that: by who knows the verdict, in so
        much more time than it had."""
        for k, (task, way) in list(self.unshown.items()):
            self.attempt(replace(task, numbers=[k]), replace(way, seconds=way.seconds + seconds), again=True)

    def attempt(self, task: Task, way: Way, again: bool = False) -> None:
        """``again``: also about what is answered."""
        numbers = task.numbers if again else self.left(task.numbers)
        if not numbers:
            return
        remaining = self.remaining()
        if remaining <= 0 or self.stopped():
            self.give_up(self.left(numbers), self.reason())
            return
        asked = [self.properties[k] for k in numbers] if self.properties else []
        groups = self.symbolic.groups
        symbolic = replace(self.symbolic, groups=tuple(groups[k] for k in numbers)) if groups else self.symbolic
        told: list[Any] = []
        try:
            ended = run_isolated(
                lambda send: work(task, way, asked, self.options, symbolic, send), self.limits(way, remaining), told
            )
        except Interrupted:
            self.keep(task, numbers, tuple(told), 0)
            raise
        self.note(task, numbers, ended)
        self.unshown.update((numbers[k], (task, way)) for k, outcome in ended.told if outcome.message == UNSHOWN)
        for k in numbers:
            if self.found[k].message != UNSHOWN:
                self.unshown.pop(k, None)
            answered = self.found[k].verdict is not Verdict.UNKNOWN
            why = "answered" if answered else self.why_left(way, ended)
            self.attempts.setdefault(k, []).append(Attempt(way.member, why, ended.seconds))
            if answered and not self.found[k].method:
                self.found[k] = replace(self.found[k], method=way.member)

    def why_left(self, way: Way, ended: Isolated) -> str:
        """Why a member has no answer."""
        if isinstance(ended.error, Unsupported):
            return f"not for this: {ended.error}"
        if ended.ended == "memory" or isinstance(ended.error, MemoryError):
            return "out of memory"
        if ended.ended == "time" or isinstance(ended.error, OutOfTurn):
            return "out of time" if way.enough == float("inf") else "too many nodes for a glance"
        return "not for this" if ended.ended == "finished" else ended.ended

    def limits(self, way: Way, remaining: float) -> Limits:
        return Limits(
            None if remaining == float("inf") else remaining,
            None if way.seconds == float("inf") else way.seconds,
            self.options.memory,
            self.clock.interrupted,
            way.more,
        )

    def keep(self, task: Task, numbers: list[int], told: tuple[tuple[int, Outcome], ...], peak: int) -> None:
        """Keep the answers that a child told."""
        for k, outcome in told:
            statistics = replace(outcome.statistics, memory_bytes=peak)
            if task.system is not self.whole or task.cone is not None:
                statistics = Statistics(explore_seconds=statistics.explore_seconds, memory_bytes=peak)
            outcome = replace(outcome, statistics=statistics)
            if task.cone is not None and outcome.trace is not None:
                outcome = replace(outcome, trace=lift_trace(self.whole, task.cone, outcome.trace))
            self.found[numbers[k]] = outcome

    def note(self, task: Task, numbers: list[int], ended: Isolated) -> None:
        self.keep(task, numbers, ended.told, ended.peak)
        if ended.error is not None and not isinstance(ended.error, MemoryError | OutOfTurn | Stopped):
            self.refused.update(dict.fromkeys(self.left(numbers), ended.error))
        self.give_up(self.left(numbers), self.reason() or self.why_ended(ended), ended.peak)

    def why_ended(self, ended: Isolated) -> str:
        if ended.ended == "memory":
            return memory_reached(self.options.memory)
        return NO_MEMORY if isinstance(ended.error, MemoryError) else NO_TIME

    def give_up(self, numbers: list[int], reason: str, peak: int = 0) -> None:
        for k in numbers:
            name = self.properties[k].name if self.properties else ""
            most = max(peak, self.found[k].statistics.memory_bytes if k in self.found else 0)
            self.found[k] = Outcome(
                Verdict.UNKNOWN, name, reason, statistics=Statistics(memory_bytes=most), engine=NAME
            )

    def remaining(self) -> float:
        return self.clock.remaining()

    def stopped(self) -> bool:
        return self.clock.interrupted is not None and self.clock.interrupted()

    def reason(self) -> str:
        if self.stopped():
            return "interrupted"
        return time_reached(self.options.timeout) if self.remaining() <= 0 else ""


def extra_seconds(count: int) -> float:
    """For many properties."""
    return max(0.0, min(MOST_EXTRA_SECONDS, EXTRA_SECONDS * (count - 1)))


def told(outcome: Outcome) -> Outcome:
    """As a user hears it: a failure that no run shows says whose search it was that came to its end."""
    if outcome.message != UNSHOWN:
        return outcome
    return replace(outcome, message=f"the search by {outcome.method} was completed; {UNSHOWN}")


def check_isolated(
    system: System,
    properties: Sequence[Property],
    options: SearchOptions,
    symbolic: SymbolicOptions,
    clock: Clock,
    found: dict[int, Outcome],
) -> list[Outcome]:
    """An answer for every property, in order, or one with the counts when nothing is asked; ``found`` has each as soon
    as it is known."""
    return Portfolio(system, properties, options, symbolic, clock, found).run()


def work(
    task: Task,
    way: Way,
    asked: Sequence[Property],
    options: SearchOptions,
    symbolic: SymbolicOptions,
    send: Send,
) -> None:
    """What a child does."""
    tell: Tell = lambda number, outcome: send((number, outcome))  # noqa: E731
    share = max(LEAST_SHARE, way.seconds / max(1, len(asked)))
    if way.by_clauses:
        answer_each(task.system, asked, symbolic.groups, Clock(), way.seconds, tell)
        return
    if way.quotient:
        work_on_quotients(task, way.quotient, asked, options, symbolic, tell)
        return
    model = open_model(task.system, way.library, way.reorder, way.nodes)
    clock = Clock(has_done_enough=lambda: model.m.nodes() > way.enough)
    if way.universe is None:
        answer_all(model, asked, options, symbolic, clock, tell)
        return
    if not asked:
        return
    universe = way.universe(model, clock)
    for k, p in sorted(enumerate(asked), key=lambda pair: may_answer(task.system, pair[1])):  # first what no other may
        try:
            for outcome in backwards(model, p, universe, symbolic, clock.sooner(share)):
                tell(k, outcome)
        except (Unsupported, OutOfTurn):
            continue


def work_on_quotients(
    task: Task, method: str, asked: Sequence[Property], options: SearchOptions, symbolic: SymbolicOptions, tell: Tell
) -> None:
    """Each property on the quotient by the symmetries that keep it."""
    for k, p in enumerate(asked):
        group = symbolic.groups[k] if symbolic.groups else None
        if group is None or (group.is_trivial and symbolic.quotient == "auto"):
            continue
        tell(k, check_quotient(task.system, (p,), group, method, replace(options, timeout=None))[0])
