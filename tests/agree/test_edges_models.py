"""Edge diagrams through every plan and engine: known counts, random diagrams, and a second reading of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from quorbit.canon.classify import STRATEGIES, classify
from quorbit.canon.layout import act, layout_of
from quorbit.canon.minimise import reducer
from quorbit.cli.main import main
from quorbit.detection.detect import detect
from quorbit.engines.reference.explore import explore
from quorbit.groups.chain import build_chain, elements
from quorbit.languages.edges.load import load, load_source
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.system import System
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError
from quorbit.source.span import Source

ROOT = Path(__file__).parents[2]
MODELS = sorted([*(ROOT / "tests" / "models" / "edges").glob("*.edges"), *(ROOT / "examples").glob("*.edges")])


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_models_meet_their_expectations(path: Path) -> None:
    assert main(["test", str(path)]) == 0


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_every_strategy_agrees_on_models(path: Path) -> None:
    compare_strategies(load(path, LoadOptions()))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_automatic_engine_agrees_with_the_reference(path: Path, symmetry: str) -> None:
    chosen = check(path, CheckOptions(symmetry=symmetry, adapt=False)).worst
    reference = check(path, CheckOptions(symmetry=symmetry, engine="reference")).worst
    assert chosen.verdict == reference.verdict
    if chosen.verdict == "holds":
        assert (chosen.states, chosen.transitions) == (reference.states, reference.transitions)
    elif chosen.outcome.trace is not None and reference.outcome.trace is not None:
        assert len(chosen.outcome.trace.steps) == len(reference.outcome.trace.steps)


def compare_strategies(system: System) -> int:
    """Every plan that serves gives the plain verdict and, if it is exact, one state per orbit; answers how many did."""
    plain = explore(system, system.properties)
    group = detect(system, system.properties).group
    layout, served = layout_of(system), 0
    orbits = count_orbits(system) if plain.verdict is Verdict.HOLDS else 0
    for strategy in STRATEGIES:
        try:
            plan = classify(layout, group, strategy)
        except UserError:
            continue
        served += 1
        outcome = explore(system, system.properties, reducer(layout, plan))
        assert (outcome.verdict, outcome.property) == (plain.verdict, plain.property)
        if plain.verdict is Verdict.HOLDS:
            states = outcome.statistics.states
            assert states == orbits if plan.exact else orbits <= states <= plain.statistics.states
        else:
            assert outcome.trace is not None
            assert plain.trace is not None
            assert len(outcome.trace.steps) == len(plain.trace.steps)
    return served


def count_orbits(system: System) -> int:
    """Orbits of reachable states, by applying every element of the group."""
    group = detect(system, system.properties).group
    layout, moved = layout_of(system), list(elements(build_chain(group)))
    seen: set[object] = set()
    count = 0
    for s in reachable(system):
        if s not in seen:
            count += 1
            seen.update(act(layout, g, s) for g in moved)
    return count


def reachable(system: System) -> list[tuple[object, ...]]:
    meaning = Meaning(system)
    found = dict.fromkeys(meaning.initial_states())
    waiting = list(found)
    while waiting:
        for move in meaning.moves(waiting.pop()):
            if move.target not in found:
                found[move.target] = None
                waiting.append(move.target)
    return list(found)


# Random diagrams.  A guard is a text and what it means, written down apart from the package.

States = tuple[str, ...]
Guard = tuple[str, Callable[[States, int], bool]]


def random_guard(rng: Random, names: str, n: int, depth: int = 2) -> Guard:
    if depth and rng.random() < 0.5:
        (a, f), (b, g) = (random_guard(rng, names, n, depth - 1) for _ in range(2))
        return rng.choice(
            [
                (f"({a} and {b})", lambda s, i: f(s, i) and g(s, i)),
                (f"({a} or {b})", lambda s, i: f(s, i) or g(s, i)),
                (f"not ({a})", lambda s, i: not f(s, i)),
                (f"({a} => {b})", lambda s, i: not f(s, i) or g(s, i)),
            ]
        )
    x, y, k, c = rng.choice(names), rng.choice(names), rng.randint(0, n), rng.randint(1, n)
    return rng.choice(
        [
            (f"#{x} <= {k}", lambda s, i: s.count(x) <= k),
            (f"#{x} != #{y}", lambda s, i: s.count(x) != s.count(y)),
            (f"(forall j: s[j] != {x})", lambda s, i: x not in s),
            (f"(exists j != i: s[j] = {x})", lambda s, i: any(s[j] == x for j in range(n) if j != i - 1)),
            (f"(forall j < i: s[j] = {x})", lambda s, i: all(s[j] == x for j in range(i - 1))),
            (f"s[{c}] = {x}", lambda s, i: s[c - 1] == x),
            (f"i <= {c}", lambda s, i: i <= c),
            (f"i != {c}", lambda s, i: i != c),
            (f"s[next(i)] = {x}", lambda s, i: s[i % n] == x),
            (f"s[prev(i)] in {{{x}, {y}}}", lambda s, i: s[i - 2] in (x, y)),
            (f"(exists j: j = i + 1 and s[j] = {x})", lambda s, i: i < n and s[i] == x),
            (f"(count j: s[j] = {x} and j > i) = 1", lambda s, i: s[i:].count(x) == 1),
        ]
    )


def random_diagram(seed: int) -> tuple[str, set[States]]:
    """A diagram, and the states that can be reached in it."""
    rng = Random(seed)
    n, names = rng.randint(1, 4), "ABC"[: rng.randint(2, 3)]
    edges = [(rng.choice(names), rng.choice(names), random_guard(rng, names, n)) for _ in range(rng.randint(2, 5))]
    symmetric = rng.random() < 0.5
    if symmetric:  # else few random diagrams have symmetries
        edges = [edge for edge in edges if not re.search(r"s\[\d|[ij] [<>!]?=|i \+|j [<>] i|next|prev", edge[2][0])]
    text = f"processes {n}\nstates {', '.join(names)}\nno deadlock check\n"
    text += "".join(f"{a} -> {b} when {guard}\n" for a, b, (guard, _) in edges)
    start: States = (names[0],) * n
    found, waiting = {start}, [start]
    while waiting:
        s = waiting.pop()
        for a, b, (_, holds) in edges:
            for i in range(1, n + 1):
                t = (*s[: i - 1], b, *s[i:])
                if s[i - 1] == a and holds(s, i) and t not in found:
                    found.add(t)
                    waiting.append(t)
    return text, found


def compare_random(seed: int) -> None:
    text, expected = random_diagram(seed)
    system = load_source(Source("random.edges", text), LoadOptions())
    names = system.variables[0].type.names  # type: ignore[union-attr]
    found = {tuple(names[v] for v in s) for s in reachable(system)}  # type: ignore[index]
    assert found == expected, text
    assert compare_strategies(system) > 0
    claim = Random(seed).choice(
        ["invariant v: #B < 2", "error v: s[1] = B and #A > 0", "invariant v: #A > 0 or #B > 1"]
    )
    compare_strategies(load_source(Source("random.edges", text + claim), LoadOptions()))


@pytest.mark.parametrize("seed", range(60))
def test_random_diagrams(seed: int) -> None:
    compare_random(seed)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(20))
def test_many_random_diagrams(block: int) -> None:
    for seed in range(1000 + 100 * block, 1100 + 100 * block):
        compare_random(seed)
