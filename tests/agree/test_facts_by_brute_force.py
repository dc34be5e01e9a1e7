"""The facts that partial-order reduction rests on, against all that happens in small Systems.

Whole searches forgive much: a fact that is wrong rarely loses the only way to an error.  So each kind of fact is asked
of every state here: what a case changes, who may make a test true or false, who may happen together, whose order makes
no difference, what changes what a formula sees.  The starts are closed under the group, as the facts have to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

import pytest
from faulting_systems import faulting_system
from interleaved_systems import interleaved_system, random_formula
from nested_systems import nested_system
from random_systems import random_system
from test_partial_order_models import PAST_ERRORS, prepared

from quorbit.detection.detect import detect
from quorbit.engines.partial_order import refusal
from quorbit.engines.stubborn import SAFETY, Chooser
from quorbit.groups.permutation import Permutation
from quorbit.languages.options import LoadOptions
from quorbit.model.dependence.cases import NOBODY
from quorbit.model.dependence.facts import Row, bits_of, build_facts
from quorbit.model.meaning.evaluate import BoundExceeded, Fault, Meaning, Move
from quorbit.model.meaning.permute import permute_state
from quorbit.model.specialise.ground import ground
from quorbit.model.system.expression import Expr
from quorbit.model.system.formula import propositions
from quorbit.model.system.system import Invariant, State, System

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "tests" / "models" / "everyday").glob("*.pml"))
MOST = 250  # states of a System that is looked at
Step = tuple[int, Move]  # a move, and the case that makes it


class Graph:
    """The states that are reached from images of the start, and the moves of cases; a state where something is wrong
    already, or where only commands without cases can run, is left as it is."""

    def __init__(self, system: System, generators: Sequence[Permutation], seen: Sequence[Expr]) -> None:
        invariants = [p.condition for p in system.properties if isinstance(p, Invariant)]
        self.system, self.meaning = system, Meaning(system)
        self.facts = build_facts(system, invariants, seen, generators)
        self.chooser = Chooser(self.facts, self.meaning, SAFETY)
        self.seen = [self.meaning.value_of(e) for e in seen]
        self.invariants = [self.meaning.value_of(e) for e in invariants]
        self.truths: dict[State, list[bool | None]] = {}
        self.steps: dict[State, list[Step]] = {}
        self.active: dict[State, Row] = {}
        waiting = list(dict.fromkeys(images(system, generators, self.meaning.initial_states())))
        while waiting:
            s = waiting.pop()
            if s not in self.steps:
                self.look_at(s)
                waiting += [move.target for _, move in self.steps[s] if move.violation is None]
            if len(self.steps) > MOST:
                raise BoundExceeded("states")

    def look_at(self, s: State) -> None:
        known: dict[int, bool | None] = {}
        self.truths[s] = [self.chooser.holds(t, s, known) for t in range(len(self.facts.tests))]
        self.steps[s], self.active[s] = [], 0
        try:
            runs = frozenset(firing.command for firing in self.meaning.enabled(s))
        except Fault:
            return
        active = self.chooser.active(s, runs, known)
        if active is not None:
            of = {self.facts.cases[k].command: k for k in bits_of(active)}
            self.active[s] = active
            self.steps[s] = [(of[move.firings[0].command], move) for move in self.meaning.moves(s)]

    def moves(self, s: State, k: int) -> list[Move]:
        return [move for j, move in self.steps[s] if j == k]

    def happening(self, s: State) -> Row:
        """The cases that can happen, run-time errors of guards and broken invariants among them if tests tell."""
        row = self.active[s]
        for k, case in enumerate(self.facts.cases):
            if case.is_fault and not case.blind and all(self.truths[s][t] for t in case.tests):
                row |= 1 << k
        return row

    def is_told(self, s: State, k: int) -> bool:
        """Whether all tests of a case hold, as far as there are tests."""
        return all(self.truths[s][t] for t in self.facts.cases[k].tests)

    def errors(self, s: State) -> list[tuple[bool, list[int]]]:
        """Whether a guard cannot be evaluated and whether an invariant does not hold, and the cases that say so."""
        faults = [k for k, case in enumerate(self.facts.cases) if case.is_fault]
        watching = [k for k in faults if self.facts.cases[k].command == NOBODY]
        broken = not all(value(f, s) for f in self.invariants)
        return [(self.guards_fail(s), [k for k in faults if k not in watching]), (broken, watching)]

    def guards_fail(self, s: State) -> bool:
        try:
            self.meaning.enabled(s)
        except Fault:
            return True
        return False

    def reached(self, sources: Iterable[State], without: Row) -> Iterator[State]:
        """The states that are reached without some cases, and without those of the beginning: where one of these can
        happen nothing else can, so it is in every set."""
        without |= self.facts.beginning
        found = dict.fromkeys(sources)
        waiting = list(found)
        while waiting:
            s = waiting.pop()
            yield s
            for k, move in self.steps[s]:
                if not without >> k & 1 and move.violation is None and move.target not in found:
                    found[move.target] = None
                    waiting.append(move.target)


def images(system: System, generators: Sequence[Permutation], states: Iterable[State]) -> Iterator[State]:
    found = dict.fromkeys(states)
    waiting = list(found)
    while waiting:
        s = waiting.pop()
        yield s
        new = [t for g in generators if (t := permute_state(system, g, s)) not in found]
        found.update(dict.fromkeys(new))
        waiting += dict.fromkeys(new)


def check_effects(graph: Graph) -> None:
    """What is known before and after a case, which places it writes, and what it does to tests."""
    facts = graph.facts
    for s, steps in graph.steps.items():
        for k, move in steps:
            case, t = facts.cases[k], move.target
            assert all(s[i] in values for i, values in case.known.items())
            if move.violation is not None:
                continue
            assert all(i in case.writes for i in range(len(s)) if s[i] != t[i])
            assert all(t[i] in values for i, values in case.after.items() if values is not None)
            for n, (old, new) in enumerate(zip(graph.truths[s], graph.truths[t], strict=True)):
                if facts.beginning >> k & 1:
                    continue  # it never happens later, and nothing else before
                if old is False and new:
                    assert facts.makes_true[n] >> k & 1
                if old and new is False:
                    assert facts.makes_false[n] >> k & 1


def check_waiting(graph: Graph) -> int:
    """While none of those happens of whom one must, a false test stays false, and so does what cannot happen."""
    facts, count = graph.facts, 0
    for t in range(len(facts.tests)):
        rows: dict[Row, list[State]] = {}
        for s, truths in graph.truths.items():
            if truths[t] is False:
                ways = (facts.makes_true[t], graph.chooser.gates(t, s), graph.chooser.first_steps(t, s))
                for row in {way for way in ways if way is not None}:
                    rows.setdefault(row, []).append(s)
        for row, sources in rows.items():
            assert not any(graph.truths[s][t] for s in graph.reached(sources, row))
            count += 1
    for k, case in enumerate(facts.cases):
        if not case.is_fault:
            told = (s for s, truths in graph.truths.items() if not any(truths[t] is False for t in case.tests))
            waits = [s for s in told if not graph.active[s] >> k & 1]
            assert not any(graph.active[s] >> k & 1 for s in graph.reached(waits, facts.enablers[k]))
    return count


def check_pairs(graph: Graph) -> int:
    """Who is apart never happens in one state; who is independent ends no other and may go before it or after."""
    facts, count = graph.facts, 0
    for s, steps in graph.steps.items():
        happening = graph.happening(s)
        later = happening & ~facts.beginning  # what is broken in the beginning is seen before it goes on
        assert all(not facts.apart[k] & later & ~(1 << k) for k in bits_of(later))
        for k, move in steps:
            is_known = move.violation is None and (graph.steps[move.target] or not may_be_cut(graph, move.target))
            if is_known and not facts.beginning >> k & 1:
                ended = happening & ~graph.happening(move.target)
                assert all(facts.disabled_by[j] >> k & 1 for j in bits_of(ended) if j != k)
        for k in bits_of(graph.active[s]):
            for j in bits_of(graph.active[s] & ~facts.dependent[k] & ~((2 << k) - 1)):
                if not all(any(m.violation is None for m in graph.moves(s, n)) for n in (k, j)):
                    continue
                count += 1
                one, other = in_turn(graph, s, k, j), in_turn(graph, s, j, k)
                assert one == other or "unknown" in one | other
    return count


def may_be_cut(graph: Graph, s: State) -> bool:
    """Whether something can run in a state of which no moves are known."""
    try:
        return bool(graph.meaning.enabled(s))
    except Fault:
        return True


def in_turn(graph: Graph, s: State, first: int, second: int) -> set[object]:
    """Where two cases lead one after the other: states, or what goes wrong and in which of them."""
    found: set[object] = set()
    for a in graph.moves(s, first):
        if a.violation is not None:
            found.add((first, a.violation.message))
        elif may_be_cut(graph, a.target) and not graph.steps[a.target]:
            return found | {"unknown"}
        else:
            after = graph.moves(a.target, second)
            assert after, "the second can still run"
            found |= {b.target if b.violation is None else (second, b.violation.message) for b in after}
    return found


def check_errors(graph: Graph) -> None:
    """Whatever is wrong in a state is a case that happens there; who brings it about may make a test of it true, and
    who keeps it from being brought about depends on it."""
    for s in graph.steps:
        for wrong, watching in graph.errors(s):
            told = [k for k in watching if graph.is_told(s, k)]
            assert bool(told) if wrong else not any(sees_all(graph, k) for k in told)
    for s, steps in graph.steps.items():
        for k, move in steps:
            if move.violation is None and move.target in graph.steps and not graph.facts.beginning >> k & 1:
                for before, after in zip(graph.errors(s), graph.errors(move.target), strict=True):
                    if after[0] and not before[0]:
                        check_error(graph, s, k, [f for f in after[1] if graph.is_told(move.target, f)])


def sees_all(graph: Graph, k: int) -> bool:
    """Whether the tests of a case are all that it asks."""
    return bool(graph.facts.cases[k].tests) and not graph.facts.cases[k].blind


def check_error(graph: Graph, s: State, k: int, found: list[int]) -> None:
    """Case k leads from s to where one of the cases found happens, and nothing was wrong before."""
    facts = graph.facts
    assert any(wakes(graph, s, k, f) for f in found)
    for j, move in graph.steps[s]:
        is_left = move.violation is None and j != k and not facts.dependent[k] >> j & 1
        for after in graph.moves(move.target, k) if is_left and graph.steps.get(move.target) else ():
            kept = after.violation is not None or any(wrong for wrong, _ in graph.errors(after.target))
            assert kept or any(facts.dependent[j] >> f & 1 for f in found)


def wakes(graph: Graph, s: State, k: int, f: int) -> bool:
    """Whether case k is among those of which one must happen before case f can, whichever false test is taken."""
    false = [t for t in graph.facts.cases[f].tests if graph.truths[s][t] is False]
    rows = [graph.facts.makes_true[t] for t in false] or [graph.facts.enablers[f]]
    return all(row >> k & 1 for row in rows)


def check_visible(graph: Graph) -> None:
    """Whoever changes what a formula sees is visible, but in the beginning."""
    for s, steps in graph.steps.items():
        for k, move in steps:
            if graph.facts.beginning >> k & 1 or move.violation is not None:
                continue
            if any(value(f, s) != value(f, move.target) for f in graph.seen):
                assert graph.facts.visible >> k & 1


def value(f: object, s: State) -> object:
    try:
        return bool(f(s, {}))  # type: ignore[operator]
    except Fault:
        return None


def check(system: System, symmetric: bool, seen: Sequence[Expr] = ()) -> int:
    """How many rows and pairs were looked at; none if the System is large, or cannot be reduced."""
    if refusal(system, system.properties, None, PAST_ERRORS):
        return 0
    generators = detect(system, system.properties).group.generators if symmetric else ()
    try:
        graph = Graph(system, generators, seen)
    except (BoundExceeded, Fault):
        return 0
    check_effects(graph)
    check_visible(graph)
    check_errors(graph)
    return check_waiting(graph) + check_pairs(graph)


def check_seed(seed: int, symmetric: bool) -> int:
    system = ground(interleaved_system(seed, symmetric))
    named = propositions(random_formula(Random(seed), system))
    return check(system, symmetric, [p.expression for p in named])  # type: ignore[misc]


@pytest.mark.parametrize("symmetric", [False, True])
def test_facts_of_random_systems(symmetric: bool) -> None:
    assert sum(check_seed(seed, symmetric) for seed in range(60)) > 500


@pytest.mark.soak
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("first", range(60, 1560, 500))
def test_facts_of_random_systems_at_length(first: int, symmetric: bool) -> None:
    assert sum(check_seed(seed, symmetric) for seed in range(first, first + 500)) > 5_000


def test_facts_with_every_kind_of_expression() -> None:
    assert sum(check(ground(random_system(seed)), True) for seed in range(30)) > 50


def check_faulting(seed: int) -> int:
    system = faulting_system(seed)
    invariants = [p.condition for p in system.properties if isinstance(p, Invariant)]
    return check(system, False, invariants)


def test_facts_where_guards_and_invariants_have_no_value() -> None:
    assert sum(map(check_faulting, range(150))) > 1_000


@pytest.mark.soak
def test_facts_where_guards_and_invariants_have_no_value_at_length() -> None:
    assert sum(map(check_faulting, range(150, 3_000))) > 10_000


def check_nested(seed: int) -> int:
    return check(nested_system(seed), False)


def test_facts_of_commands_with_steps_inside() -> None:
    assert sum(map(check_nested, range(150))) > 200


@pytest.mark.soak
def test_facts_of_commands_with_steps_inside_at_length() -> None:
    assert sum(map(check_nested, range(150, 3_000))) > 5_000


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_facts_of_everyday_models(path: Path) -> None:
    check(prepared(path, "off", LoadOptions()).system, False)
