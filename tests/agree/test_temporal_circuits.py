"""Random netlists and CTL* formulas: the search of states one by one, compiled and plain, against the definition."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import pytest
from naive_ctlstar import states_of
from test_circuit_ctlstar import graph_of, lowered, random_system

from quorbit.canon.layout import layout_of
from quorbit.engines.temporal.compiled_space import explored_space
from quorbit.engines.temporal.explore import explore
from quorbit.engines.temporal.stored import stored_space
from quorbit.model.system.system import System, Temporal
from quorbit.result.outcome import Verdict


def formulas(seeds: Iterable[int]) -> Iterator[tuple[int, System]]:
    for seed in seeds:
        system = random_system(random.Random(seed))
        if isinstance(system.properties[0], Temporal):
            yield seed, system


def compare(seed: int, system: System, plain: bool) -> None:
    starts, graph, meaning = graph_of(system)
    good = states_of(graph, lowered(system), meaning.holds)
    source = stored_space if plain else explored_space
    outcome = explore(system, system.properties, layout=layout_of(system), sources=(source,))
    assert outcome.verdict == (Verdict.HOLDS if all(s in good for s in starts) else Verdict.FAILS), seed
    assert outcome.statistics.states == len(graph)


@pytest.mark.parametrize("plain", [False, True])
def test_formulas_about_circuits(plain: bool) -> None:
    asked = list(formulas([*range(19), *range(20, 25)]))  # the netlist of 19 takes long to compile
    assert len(asked) > 15
    for seed, system in asked:
        compare(seed, system, plain)


@pytest.mark.soak
@pytest.mark.parametrize("block", range(10))
def test_formulas_about_circuits_often(block: int) -> None:
    for seed, system in formulas(range(5000 + block * 100, 5100 + block * 100)):
        compare(seed, system, plain=False)
