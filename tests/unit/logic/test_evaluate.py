"""CTL* on stored graphs, with and without fairness, against the reference and against hand-made cases."""

from __future__ import annotations

import random

import pytest
from naive_logic import Graph, holds_in_states, holds_on_word, random_ctl_star, random_graph, random_ltl

from quorbit.logic.automata.buchi import buchi_automaton, generalised_automaton
from quorbit.logic.formulas.fairness import Fairness
from quorbit.logic.formulas.parse import parse_formula
from quorbit.logic.formulas.spellings import NUSMV
from quorbit.logic.graphs.evaluate import Answer, check, check_never, evaluate
from quorbit.logic.graphs.kripke import Kripke, build_kripke, members
from quorbit.model.system.formula import Always, And, Eventually, Formula, Implies, Not, Proposition, SomePath
from quorbit.model.system.formula_text import show


def as_kripke(graph: Graph, actors: list[list[int]] | None = None) -> Kripke:
    names = sorted(set().union({"p", "q", "r", "e0", "e1", "m0", "m1"}, *graph.labels))
    labels = {Proposition(n): [s for s, found in enumerate(graph.labels) if n in found] for n in names}
    return build_kripke(graph.successors, [0], labels, actors)


def check_case(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_graph(rng)
    formula = random_ctl_star(rng, rng.randint(1, 3))
    assert set(members(evaluate(as_kripke(graph), formula))) == holds_in_states(formula, graph), show(formula)


@pytest.mark.parametrize("seed", range(300))
def test_ctl_star_like_the_reference(seed: int) -> None:
    check_case(seed)


@pytest.mark.soak
def test_ctl_star_like_the_reference_often() -> None:
    for seed in range(10_000, 20_000):
        check_case(seed)


def ctl_over(rng: random.Random, depth: int) -> Formula:
    texts = ["AG ({})", "AF ({})", "AX ({})", "EG ({})", "EF ({})", "EX ({})", "A[({}) U ({})]", "E[({}) U ({})]"]
    texts += ["A[({}) V ({})]", "E[({}) V ({})]", "!({})", "({}) & ({})", "({}) | ({})", "({}) <-> ({})"]

    def text(d: int) -> str:
        return rng.choice(texts).format(text(d - 1), text(d - 1)) if d else rng.choice("pqr")

    return parse_formula(text(depth), dialect=NUSMV)


@pytest.mark.parametrize("seed", range(120))
def test_ctl_by_fixpoints(seed: int) -> None:
    rng = random.Random(seed)
    graph, formula = random_graph(rng), ctl_over(rng, 3)
    assert set(members(evaluate(as_kripke(graph), formula))) == holds_in_states(formula, graph), show(formula)


def follow(kripke: Kripke, answer: Answer) -> tuple[list[int], list[int]]:
    """The states of the lasso's stem and loop; the edges must fit together and the loop must close."""
    assert answer.lasso
    at, stem, loop = answer.lasso.start, [], []
    for part, found in ((answer.lasso.stem, stem), (answer.lasso.loop, loop)):
        for edge in part:
            assert kripke.offsets[at] <= edge < kripke.offsets[at + 1]
            found.append(at)
            at = kripke.targets[edge]
    assert loop
    assert at == loop[0]
    return stem, loop


@pytest.mark.parametrize("seed", range(80))
def test_lassos_show_the_answer(seed: int) -> None:
    rng = random.Random(seed)
    graph, formula = random_graph(rng), random_ltl(rng, 3)
    kripke = as_kripke(graph)
    for asked in (formula, SomePath(formula)):
        answer = check(kripke, asked)
        if answer.holds == isinstance(asked, SomePath):
            stem, loop = follow(kripke, answer)
            word = [graph.labels[s] for s in stem + loop]
            assert holds_on_word(formula, (word, len(stem))) == answer.holds


@pytest.mark.parametrize("seed", range(40))
def test_never_claims(seed: int) -> None:
    """The automaton of the negation as a claim, with accepting states and with marks, gives the formula's verdict."""
    rng = random.Random(seed)
    kripke, formula = as_kripke(random_graph(rng)), random_ltl(rng, 2)
    expected = check(kripke, formula).holds
    for automaton in (buchi_automaton(Not(formula)), generalised_automaton(Not(formula))):
        answer = check_never(kripke, automaton)
        assert answer.holds == expected
        if not answer.holds:
            follow(kripke, answer)


def test_dead_states_stutter() -> None:
    kripke = build_kripke([[1], []], [0], {Proposition("p"): [1]})
    assert check(kripke, parse_formula("<>[] p")).holds
    assert check(kripke, parse_formula("AG EX true", dialect=NUSMV)).holds
    assert check(kripke, parse_formula("AF AG p", dialect=NUSMV)).holds
    assert kripke.dead == b"\0\1"


def two_walkers() -> Kripke:
    """Processes 0 and 1 each flip a bit of their own; state = bits; p says that bit 1 is set."""
    successors = [[s ^ 1, s ^ 2] for s in range(4)]
    return build_kripke(successors, [0], {Proposition("p"): [2, 3]}, [[1, 2]] * 4)


def test_weak_and_strong_fairness() -> None:
    starved = parse_formula("[]<> p")
    kripke = two_walkers()
    answer = check(kripke, starved)
    assert not answer.holds
    assert set(follow(kripke, answer)[1]) <= {0, 1}
    assert check(kripke, starved, Fairness(weak=(1,))).holds
    assert check(kripke, starved, Fairness(strong=(1,))).holds
    assert not check(kripke, starved, Fairness(weak=(0,))).holds


def test_strong_fairness_is_stronger() -> None:
    """Process 1 is enabled in every other state only."""
    kripke = build_kripke([[1], [0, 2], [2]], [0], {Proposition("p"): [2]}, [[1], [1, 2], [1]])
    assert not check(kripke, parse_formula("<> p"), Fairness(weak=(0, 1))).holds
    assert check(kripke, parse_formula("<> p"), Fairness(strong=(0, 1))).holds


def test_fairness_constraints() -> None:
    kripke = build_kripke([[0, 1], [0, 1]], [0], {Proposition("p"): [1]})
    constraint = Fairness(constraints=(Proposition("p"),))
    assert not check(kripke, parse_formula("AF p", dialect=NUSMV)).holds
    assert check(kripke, parse_formula("AF p", dialect=NUSMV), constraint).holds
    assert check(kripke, parse_formula("AG AF p", dialect=NUSMV), constraint).holds
    assert not check(kripke, parse_formula("AF AG p", dialect=NUSMV), constraint).holds
    assert not check(kripke, parse_formula("EG !p", dialect=NUSMV), constraint).holds


def line_graph(graph: Graph, actors: list[list[int]]) -> tuple[Graph, list[int]]:
    """Edges as states, labelled with the enabled (e0, e1) and the moving (m0, m1) processes; the source of each."""
    edges = [(s, i) for s, found in enumerate(graph.successors) for i in range(len(found))]
    numbers = {edge: n for n, edge in enumerate(edges)}
    successors, labels = [], []
    for s, i in edges:
        t = graph.successors[s][i]
        successors.append([numbers[t, j] for j in range(len(graph.successors[t]))])
        enabled = {f"e{k}" for k in (0, 1) for mask in actors[s] if mask >> k & 1}
        labels.append(graph.labels[s] | enabled | {f"m{k}" for k in (0, 1) if actors[s][i] >> k & 1})
    return Graph(successors, labels), [s for s, _ in edges]


def fair(k: int, strong: bool) -> Formula:
    enabled, moves = Proposition(f"e{k}"), Always(Eventually(Proposition(f"m{k}")))
    return Implies(Always(Eventually(enabled)) if strong else Eventually(Always(enabled)), moves)


@pytest.mark.parametrize("seed", range(120))
def test_fairness_is_what_its_formula_says(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_graph(rng, "pq", 4)
    actors = [[rng.randrange(4) for _ in found] for found in graph.successors]
    weak = tuple(k for k in (0, 1) if rng.random() < 0.5)
    strong = tuple(k for k in (0, 1) if k not in weak)
    formula = random_ltl(rng, 2, "pq")
    found = evaluate(as_kripke(graph, actors), SomePath(formula), Fairness(weak, strong))
    lines, sources = line_graph(graph, actors)
    demanded = And((formula, *(fair(k, False) for k in weak), *(fair(k, True) for k in strong)))
    on_lines = evaluate(as_kripke(lines), SomePath(demanded))
    assert {s for s, flag in zip(sources, on_lines, strict=True) if flag} == set(members(found)), show(formula)


@pytest.mark.parametrize("seed", range(40))
def test_fairness_like_the_reference(seed: int) -> None:
    rng = random.Random(seed)
    graph = random_graph(rng, "pq", 3)
    actors = [[rng.randrange(2) for _ in found] for found in graph.successors]
    strong = rng.random() < 0.5
    formula = random_ltl(rng, 1, "pq")
    found = evaluate(as_kripke(graph, actors), SomePath(formula), Fairness((), (0,)) if strong else Fairness((0,)))
    lines, sources = line_graph(graph, actors)
    expected = holds_in_states(SomePath(And((formula, fair(0, strong)))), lines)
    assert {sources[n] for n in expected} == set(members(found)), show(formula)


@pytest.mark.parametrize("seed", range(60))
def test_fair_ctl_equals_fair_ctl_star(seed: int) -> None:
    """The fixpoints under fairness against the automata: E f and E(f && true U true) take different ways."""
    rng = random.Random(seed)
    graph = random_graph(rng)
    kripke = as_kripke(graph, [[rng.randrange(4) for _ in found] for found in graph.successors])
    fairness = Fairness((0,), (1,))
    path = random_ltl(rng, 1)
    eventually_always = Always(Eventually(Proposition("any")))
    labelled = Kripke(**{**vars(kripke), "labels": {**kripke.labels, Proposition("any"): b"\1" * kripke.count}})
    assert evaluate(labelled, SomePath(path), fairness) == evaluate(
        labelled, SomePath(And((path, eventually_always))), fairness
    )


def test_formulas_with_many_propositions() -> None:
    """Large propositional parts are labels; the same formula over few propositions keeps its parts."""
    names = [f"x{i}" for i in range(400)]
    labels = {Proposition(n): [0] if i else [0, 1] for i, n in enumerate(names)}
    kripke = build_kripke([[1], [0]], [0], labels)
    everything = " && ".join(names)
    assert check(kripke, parse_formula(f"[]<>({everything})")).holds
    assert not check(kripke, parse_formula(f"[]({everything})")).holds
    assert check(kripke, parse_formula(f"AG ({everything} -> AX !({everything}))")).holds


def test_large_graphs_take_linear_time() -> None:
    """A ring of 10,000 states: no recursion and no squares."""
    n = 10_000
    kripke = build_kripke([[(s + 1) % n] for s in range(n)], [0], {Proposition("p"): [n - 1]})
    assert check(kripke, parse_formula("AG AF p", dialect=NUSMV)).holds
    assert check(kripke, parse_formula("[]<> p")).holds
    assert not check(kripke, parse_formula("<>[] p")).holds
