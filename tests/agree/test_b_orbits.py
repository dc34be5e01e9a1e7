"""Reduced searches of B machines find one state of each orbit: compared with the orbits by all permutations."""

from __future__ import annotations

import re
from math import factorial, prod
from pathlib import Path
from typing import Any

import pytest

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.detection.detect import detect
from quorbit.engines.reference.explore import explore as explore_system
from quorbit.groups.permutation import Permutation, compose, identity
from quorbit.languages.b.load import load_lowered, load_typed
from quorbit.languages.b.lower.scope import system_type
from quorbit.languages.b.meaning.explore import Animator, BState, Exploration, explore
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.system.types import order_key, permute_value
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

ROOT = Path(__file__).parents[2]
MODELS = [p for p in sorted((ROOT / "tests" / "models" / "b").glob("*.mch")) if p.stem != "constants"]
EXAMPLES = [ROOT / "examples" / "b" / f"{name}.mch" for name in ("Scheduler0", "Scheduler", "PhoneBook", "ServerFarm")]


def closure(generators: tuple[Permutation, ...], n: int) -> list[Permutation]:
    """All elements of a small group."""
    found = {identity(n): None}
    waiting = list(found)
    while waiting:
        g = waiting.pop()
        for h in (compose(g, generator) for generator in generators):
            if h not in found:
                found[h] = None
                waiting.append(h)
    return list(found)


def orbits(animator: Animator, elements: list[Permutation]) -> Exploration:
    """The search that classes states by the least of all their images; constants with one valuation are no part."""
    m = animator.machine
    varying = m.has_properties and len(list(animator.setups())) > 1
    types = [system_type(animator.universe, n.type) for n in (*(m.constants if varying else ()), *m.variables)]

    def image(s: BState, g: Permutation) -> Any:
        values = (*(s.constants if varying else ()), *(s.variables or ()))
        return tuple(order_key(permute_value(t, v, g)) for t, v in zip(types, values, strict=False))

    return explore(animator, lambda s: (s.variables is None, min(image(s, g) for g in elements)))


@pytest.mark.parametrize("path", [*MODELS, *EXAMPLES], ids=lambda p: p.stem)
def test_one_state_of_each_orbit(path: Path) -> None:
    machine, universe, _ = load_typed(path, LoadOptions())
    system = load_lowered(path, LoadOptions()).system
    group = detect(system, system.properties).group
    elements = closure(group.generators, len(system.atoms))
    layout = layout_of(system)
    reduce = reducer(layout, classify(layout, group))
    outcome = explore_system(system, system.properties, reduce, SearchOptions(all_errors=True))
    by_hand = orbits(Animator(machine, universe), elements)
    assert outcome.statistics.states + 1 == by_hand.counts[0]
    spoken_of = universe.deferred if machine.variables else ()  # what no state knows of is not permuted
    assert len(elements) >= prod(factorial(len(universe.atoms[s])) for s in spoken_of)


@pytest.mark.parametrize("path", [*MODELS, *EXAMPLES], ids=lambda p: p.stem)
def test_expected_orbits(path: Path) -> None:
    """The number in the model is that of the search, and that of the orbits of the group it used, without the root."""
    text = path.read_text(encoding="utf-8")
    wanted = re.search(r"expect:.*\borbits=(\d+)", text) or re.search(r"expect:.*\bstates=(\d+)", text)
    assert wanted
    result = check(path, CheckOptions(search=SearchOptions(all_errors=True))).worst
    machine, universe, _ = load_typed(path, LoadOptions())
    n = len(universe.names)
    assert all(a < n for a in result.symmetry.group.moved)
    elements = closure(tuple(g[:n] for g in result.symmetry.group.generators), n)
    by_hand = orbits(Animator(machine, universe, static_symmetry=True), elements)
    assert result.states == by_hand.counts[0] - 1 == int(wanted[1])


def test_a_constant_is_not_exchanged_with_other_elements() -> None:
    """[T07, 3]: entries with the reserved number and with another one are not symmetric."""
    path = ROOT / "tests" / "models" / "b" / "emergency.mch"
    machine, universe, _ = load_typed(path, LoadOptions())
    animator = Animator(machine, universe)
    found = orbits(animator, closure(detect_group(path), len(universe.names)))
    kinds = sorted(sorted(c == s.constants[0] for _, c in s.variables[0]) for s in found.states.values() if s.variables)
    assert kinds == [[], [False], [False, False], [False, True], [True], [True, True]]


def detect_group(path: Path) -> tuple[Permutation, ...]:
    system = load_lowered(path, LoadOptions()).system
    return detect(system, system.properties).group.generators
