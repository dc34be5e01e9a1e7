"""Annotated quotients: equal to the unreduced graph for invariant and process formulas, with and without fairness."""

from __future__ import annotations

import random

import pytest
from annotated import (
    Annotated,
    ProcessFairness,
    build_annotated,
    check_annotated,
    check_exists_for_ever,
    check_for_all,
    unroll,
)
from naive_logic import holds_on_word, random_ctl_star, random_ltl
from symmetric_systems import Permutation, State, Whole, act, divide, explore, group, moves, random_commands

from quorbit.logic.formulas.fairness import Fairness
from quorbit.logic.formulas.parse import parse_formula
from quorbit.logic.graphs.evaluate import check
from quorbit.logic.graphs.kripke import Kripke, build_kripke
from quorbit.logic.graphs.lasso import Lasso
from quorbit.model.system.formula import Formula, Or, Proposition, map_propositions
from quorbit.model.system.formula_text import show


def holds(name: str, s: State) -> bool:
    """Propositions that no permutation changes."""
    shared, owner, locals_ = s
    return {"a": shared == 1, "b": owner >= 0, "c": 1 in locals_, "d": sum(locals_) >= 2}[name]


def holds_about(name: str, s: State, p: int) -> bool:
    """Propositions about one process, and invariant ones."""
    return {"x": s[2][p] == 1, "y": s[1] == p}[name] if name in "xy" else holds(name, s)


def whole_kripke(whole: Whole) -> Kripke:
    labels = {Proposition(n): [i for i, s in enumerate(whole.states) if holds(n, s)] for n in "abcd"}
    for p in range(whole.processes):
        for n in "xy":
            labels[Proposition((n, p))] = [i for i, s in enumerate(whole.states) if holds_about(n, s, p)]
    successors = [[t for t, _ in out] for out in whole.edges]
    return build_kripke(successors, [0], labels, [[1 << p for _, p in out] for out in whole.edges])


class Case:
    """A random system with its quotient and a notion of fairness."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        n = self.rng.randint(2, 4)
        ring = self.rng.random() < 0.5
        self.commands = random_commands(self.rng, ring)
        self.whole = explore(self.commands, n)
        self.quotient = divide(self.commands, n, group(n, ring))
        everyone = tuple(range(n))
        weak, strong = self.rng.choice([((), ()), (everyone, ()), ((), everyone), (everyone, ())])
        self.fairness, self.process_fairness = Fairness(weak, strong), ProcessFairness(weak, strong)
        self.kripke = whole_kripke(self.whole)
        self.annotated = build_annotated(n, len(self.quotient.states), [0], self.quotient.edges)
        self.processes = n

    def labels(self, names: str) -> dict[Proposition, list[int]]:
        return {Proposition(n): [i for i, s in enumerate(self.quotient.states) if holds(n, s)] for n in names}

    def concrete(self, lasso: Lasso) -> tuple[list[tuple[State, int]], int]:
        """The lasso as (state, actors) pairs of the system, and where the loop begins; every step is checked."""
        stem, loop = unroll(self.annotated, lasso)
        path = []
        for step in stem + loop:
            state = act(inverse(step.renaming), self.quotient.states[self.source(step.edge)])
            actors = renamed(self.annotated.actors[step.edge], inverse(step.renaming))
            path.append((state, actors))
        self.check_steps(path, len(stem))
        return path, len(stem)

    def source(self, edge: int) -> int:
        return next(s for s in range(self.annotated.count) if edge < self.annotated.offsets[s + 1])

    def check_steps(self, path: list[tuple[State, int]], back: int) -> None:
        for i, (state, actors) in enumerate(path):
            following = path[i + 1][0] if i + 1 < len(path) else path[back][0]
            options = [(t, 1 << p) for t, p in moves(self.commands, state)] or [(state, 0)]
            assert (following, actors) in options

    def check_fair(self, loop: list[tuple[State, int]]) -> None:
        enabled = [sum({1 << p for _, p in moves(self.commands, s)}) for s, _ in loop]
        for p in range(self.processes):
            moved = any(actors >> p & 1 for _, actors in loop)
            assert moved or p not in self.process_fairness.weak or not all(e >> p & 1 for e in enabled)
            assert moved or p not in self.process_fairness.strong or not any(e >> p & 1 for e in enabled)


def inverse(g: Permutation) -> Permutation:
    return tuple(sorted(range(len(g)), key=g.__getitem__))


def renamed(mask: int, g: Permutation) -> int:
    return sum(1 << g[i] for i in range(len(g)) if mask >> i & 1)


def check_invariant_formula(seed: int) -> None:
    case = Case(seed)
    formula = random_ltl(case.rng, 3, "abcd")
    expected = check(case.kripke, formula, case.fairness)
    found = check_annotated(case.annotated, formula, case.labels("abcd"), case.process_fairness)
    assert found.holds == expected.holds, show(formula)
    if found.lasso and not found.holds:
        path, back = case.concrete(found.lasso)
        case.check_fair(path[back:])
        word = [{n for n in "abcd" if holds(n, s)} for s, _ in path]
        assert not holds_on_word(formula, (word, back))


def check_process_formula(seed: int) -> None:
    case = Case(seed)
    body = random_ltl(case.rng, 2, "abcxyxy")
    failing = [p for p in range(case.processes) if not check(case.kripke, about(body, p), case.fairness).holds]
    found = check_for_all(
        case.annotated,
        body,
        lambda q, s, i: holds_about(str(q.expression), case.quotient.states[s], i),
        range(case.processes),
        case.process_fairness,
    )
    assert found.holds == (not failing), show(body)
    if found.failing:
        assert found.failing[1] in failing
        assert found.lasso
        path, back = case.concrete(found.lasso)
        case.check_fair(path[back:])
        word = [{n for n in "abcxy" if holds_about(n, s, found.failing[1])} for s, _ in path]
        assert not holds_on_word(body, (word, back))


def about(body: Formula, p: int) -> Formula:
    return map_propositions(body, lambda e: (e, p) if e in ("x", "y") else e)


def check_exists(seed: int) -> None:
    case = Case(seed)
    name = case.rng.choice("xy")
    formula = Or(tuple(about(parse_formula(f"<>[] {name}"), p) for p in range(case.processes)))
    found = check_exists_for_ever(
        case.annotated,
        lambda s, i: holds_about(name, case.quotient.states[s], i),
        tuple(range(case.processes)),
        case.process_fairness,
    )
    assert found.holds == check(case.kripke, formula, case.fairness).holds
    if not found.holds:
        assert found.lasso
        path, back = case.concrete(found.lasso)
        case.check_fair(path[back:])
        assert all(any(not holds_about(name, s, p) for s, _ in path[back:]) for p in range(case.processes))


@pytest.mark.parametrize("seed", range(60))
def test_invariant_ctl_star(seed: int) -> None:
    """Path quantifiers range over fair paths at every level."""
    case = Case(seed)
    formula = random_ctl_star(case.rng, 2, "abcd")
    expected = check(case.kripke, formula, case.fairness).holds
    assert check_annotated(case.annotated, formula, case.labels("abcd"), case.process_fairness).holds == expected


@pytest.mark.parametrize("seed", range(120))
def test_invariant_formulas(seed: int) -> None:
    check_invariant_formula(seed)


@pytest.mark.parametrize("seed", range(100))
def test_formulas_about_each_process(seed: int) -> None:
    check_process_formula(seed)


@pytest.mark.parametrize("seed", range(60))
def test_some_process_for_ever(seed: int) -> None:
    check_exists(seed)


@pytest.mark.soak
def test_many_symmetric_systems() -> None:
    for seed in range(1_000, 4_000):
        check_invariant_formula(seed)
        check_process_formula(seed)
        check_exists(seed)


def alternation() -> Annotated:
    """One variable that alternates between two processes: a single orbit, and an edge that swaps them."""
    return build_annotated(2, 1, [0], [(0, 0, 0b01, (1, 0))])


def test_alternation_witness() -> None:
    """`forall p: []<>(x = p)` is true, `exists p: <>[](x = p)` is false; x is process 0 in the representative."""
    graph = alternation()
    at = parse_formula("[]<> at")
    assert check_for_all(graph, at, lambda q, s, i: i == 0, (0, 1)).holds
    answer = check_exists_for_ever(graph, lambda s, i: i == 0, (0, 1))
    assert not answer.holds
    assert answer.lasso
    _, loop = unroll(graph, answer.lasso)
    assert len(loop) % 2 == 0
    assert not check_for_all(graph, parse_formula("<>[] at"), lambda q, s, i: i == 0, (0, 1)).holds


def test_quotients_are_smaller() -> None:
    case = Case(7)
    for seed in range(40):
        case = Case(seed)
        assert len(case.quotient.states) <= len(case.whole.states)
    assert any(2 * len(Case(s).quotient.states) <= len(Case(s).whole.states) for s in range(40))


def test_fairness_needs_the_permutations() -> None:
    """Three processes in turn take a token; ignoring the renaming, process 0 of the representative always moves."""
    turn = [(0, 0, 0b001, (2, 0, 1))]
    graph = build_annotated(3, 1, [0], turn)
    moving = check_for_all(graph, parse_formula("[]<> m"), lambda q, s, i: i == 0, (0, 1, 2))
    assert moving.holds
    selfish = build_annotated(3, 1, [0], [(0, 0, 0b001, (0, 1, 2)), (0, 0, 0b010, (0, 1, 2)), (0, 0, 0b100, (0, 1, 2))])
    assert not check_annotated(selfish, parse_formula("false"), {}, ProcessFairness(weak=(0, 1, 2))).holds
