"""Circuits: all questions about one go to the symbolic engine together, since what is reachable is the same for all."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from quorbit.detection.netlists.joined_graph import Kept, join_graphs, latch_group
from quorbit.detection.questions import groups_of
from quorbit.engines.select import CircuitOptions, check_each, choices, why_not, worst_of
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.languages.circuits.load import read_netlist
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import Property, System, Temporal
from quorbit.report.record import CheckResult, Seconds, SymmetryResult
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.isolate import Limits, Send, run_isolated
from quorbit.steps.ask import Asked, has_formulas
from quorbit.steps.describe import describe_group
from quorbit.steps.model import Model
from quorbit.steps.options import CheckOptions
from quorbit.steps.prepare import no_symmetry, not_looked_for
from quorbit.steps.question import check_question
from quorbit.steps.search import remaining_time
from quorbit.steps.watch import Interrupted, Watch, in_search, tell

SYMMETRY_SECONDS = 1.0  # of computing, to look for the symmetries that all questions about a circuit leave
ORBIT_SECONDS = 10.0  # to look at the orbits one by one, before decision diagrams get more time
FEW_CHOICES = 2**10  # of a step, for a search that takes them one by one
NOT_NEEDED = "all states were looked at together, as sets"


def wants_circuit_engine(model: Model, questions: Sequence[Asked], options: CheckOptions) -> bool:
    """Whether all questions are about properties of a circuit that the symbolic engine answers together."""
    if options.engine not in ("auto", "symbolic") or options.strategy != "auto":
        return False
    return all(
        asked.properties and not why_not("symbolic", asked.system or model.system, asked.properties, options.search)
        for asked in questions
    )


def check_circuit(
    model: Model, questions: Sequence[Asked], options: CheckOptions, watch: Watch | None
) -> Iterator[CheckResult]:
    """The answers to all questions about a System come from one call, since what is reachable is the same for all."""
    systems = {id(system): system for asked in questions for system in (asked.system or model.system,)}
    answers: dict[int, CheckResult] = {}
    first = time.monotonic()
    for turn, (key, system) in enumerate(systems.items()):
        numbers = [k for k, asked in enumerate(questions) if id(asked.system or model.system) == key]
        began = time.monotonic()
        search = share_of_time(remaining_time(options.search, model.parse_seconds + began - first), len(systems) - turn)
        batch = Batch(model, system, [questions[k] for k in numbers], replace(options, search=search), watch, began)
        results = batch.answer()
        answers.update(zip(numbers, results, strict=True))
    yield from (answers[k] for k in range(len(questions)))


@dataclass
class Batch:
    """Questions about one System, and what is known of them: answers, and the symmetries that each leaves."""

    model: Model
    system: System
    questions: Sequence[Asked]
    options: CheckOptions
    watch: Watch | None
    began: float
    known: dict[int, Outcome] = field(default_factory=dict)  # by the number of a property
    groups: list[Group | None] = field(default_factory=list)  # by question
    orbits: dict[int, SymmetryResult] = field(default_factory=dict)  # what answered a question on its orbits

    def answer(self) -> list[CheckResult]:
        try:
            self.explore()
        except Interrupted as interrupted:
            for k, p in enumerate(self.properties):
                self.known.setdefault(k, Outcome(Verdict.UNKNOWN, p.name, str(interrupted)))
        seconds = Seconds(parse=self.model.parse_seconds, explore=time.monotonic() - self.began)
        seconds = replace(seconds, total=seconds.parse + seconds.explore)
        return [self.result(k, seconds) for k in range(len(self.questions))]

    @property
    def properties(self) -> tuple[Property, ...]:
        return tuple(p for asked in self.questions for p in asked.properties)

    def numbers(self, k: int) -> range:
        """The properties of a question."""
        first = sum(len(asked.properties) for asked in self.questions[:k])
        return range(first, first + len(self.questions[k].properties))

    def explore(self) -> None:
        """BDDs and SAT for a few seconds, orbits where a question leaves symmetries, then BDDs and SAT for long."""
        looks = self.options.symmetry != "off" and self.options.quotient != "off"
        if looks:
            tell(self.watch, "detect")
            self.groups = groups_of(self.system, [asked.properties for asked in self.questions], SYMMETRY_SECONDS)
        if self.options.quotient in ("next", "relation"):
            self.ask("all")
            return
        self.ask("first")
        if looks and self.left():
            self.look_at_orbits()
        if self.left():
            self.ask("later")

    def left(self) -> list[int]:
        """The questions without an answer."""
        known = self.known
        return [
            k
            for k in range(len(self.questions))
            if not any(n in known and known[n].verdict is Verdict.FAILS for n in self.numbers(k))
            and any(n not in known or known[n].verdict is Verdict.UNKNOWN for n in self.numbers(k))
        ]

    def ask(self, stage: str) -> None:
        groups = [self.groups[k] if self.groups else None for k, a in enumerate(self.questions) for _ in a.properties]
        how = CircuitOptions(self.options.witnesses, self.generators(), tuple(groups), self.options.quotient, stage)
        search = remaining_time(self.options.search, time.monotonic() - self.began)
        check_each(self.system, self.properties, search, in_search(self.watch), how, self.known)

    def generators(self) -> tuple[Permutation, ...]:
        """Symmetries that spare work where several formulas may be images of each other: those that keep no formula."""
        many = sum(isinstance(p, Temporal) for p in self.properties) > 1
        if not many or self.options.symmetry == "off" or self.options.quotient == "off":
            return ()
        if self.whole is None:
            self.whole = groups_of(self.system, [()], SYMMETRY_SECONDS)[0]
        return () if self.whole is None else self.whole.generators

    whole: Group | None = None

    def look_at_orbits(self) -> None:
        """One state per orbit, one by one, where a step has few choices."""
        if choices(self.system.commands[0]) > FEW_CHOICES:
            return
        for k in self.left():
            group = self.groups[k]
            left = remaining_time(self.options.search, time.monotonic() - self.began).timeout
            if group is None or group.is_trivial or (left is not None and left <= 0):
                continue
            tell(self.watch, "explore")
            seconds = ORBIT_SECONDS if left is None else min(ORBIT_SECONDS, left)
            told = run_isolated(
                partial(self.explore_orbits, k), Limits(seconds, seconds, self.options.search.memory)
            ).told
            for outcome, symmetry in told:
                if outcome.verdict is not Verdict.UNKNOWN:
                    self.orbits[k] = replace(symmetry, system=self.system)
                    self.known.update(dict.fromkeys(self.numbers(k), outcome))

    def explore_orbits(self, k: int, send: Send) -> None:
        asked = replace(self.questions[k], system=None)
        engine = "temporal" if has_formulas(asked) else "explicit"
        search = replace(self.options.search, timeout=None, memory=None)
        options = replace(self.options, engine=engine, search=search)
        result = check_question(replace(self.model, system=self.system), asked, options, None)
        send((result.outcome, replace(result.symmetry, system=None)))

    def result(self, k: int, seconds: Seconds) -> CheckResult:
        asked = self.questions[k]
        own = worst_of([self.known[n] for n in self.numbers(k)])
        found = self.orbits.get(k) or self.symmetry(k, own)
        name = str(self.model.path)
        return CheckResult(self.system, name, asked.words, own, found, seconds, asked.notes, self.model.options)

    def symmetry(self, k: int, own: Outcome) -> SymmetryResult:
        group = self.groups[k] if self.groups else None
        if group is None:
            reason = f"it was not found in {SYMMETRY_SECONDS:g} s" if self.groups else "it was not to be used"
            return no_symmetry(self.system) if self.options.symmetry == "off" else not_looked_for(self.system, reason)
        order, text = describe_group(group)
        method = {"next": "by Next", "relation": "by the relation of representatives"}.get(self.options.quotient)
        reason = f"decision diagrams of the representatives, {method}" if method else NOT_NEEDED
        names = tuple(atom.name for atom in self.system.atoms)
        strategy = self.options.quotient if method else "none"
        return SymmetryResult(group, order, text, strategy, True, reason, names, system=self.system)


def share_of_time(search: SearchOptions, left: int) -> SearchOptions:
    """The time for one of the Systems that are left; what it does not need, the next ones have."""
    return search if search.timeout is None else replace(search, timeout=search.timeout / left)


def symmetry_of_outputs(model: Model) -> SymmetryResult:
    """The symmetry of a circuit without latches: permutations of its inputs that its outputs do not notice."""
    netlist = read_netlist(model.path, model.options)
    group = latch_group(join_graphs(netlist, Kept((), ())))
    order, text = describe_group(group)
    reason = "there are no latches, so the symmetry is that of the outputs as functions of the inputs"
    return SymmetryResult(group, order, text, "none", True, reason, netlist.inputs, system=model.system)
