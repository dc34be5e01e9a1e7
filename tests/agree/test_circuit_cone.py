"""The cone of influence and the quotient answer as the whole System does."""

from __future__ import annotations

import random

import pytest
from circuit_random import random_formula, random_netlist
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.detection.detect import detect
from quorbit.engines.symbolic.cone import cone_of
from quorbit.engines.symbolic.explore import SymbolicOptions, answer_alone, check_all
from quorbit.engines.symbolic.quotients.quotient import check_quotient
from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.replay import check_trace
from quorbit.languages.circuits.properties import Stated
from quorbit.machine.options import SearchOptions
from quorbit.model.system.formula import And, Formula, Or, Proposition, map_propositions
from quorbit.netlists.netlist import ANYTHING, Among, Latch, Netlist, Row, Table
from quorbit.netlists.propositions import NetIs
from quorbit.result.outcome import Verdict
from quorbit.source.span import NOWHERE


def compare_cone(seed: int) -> bool:
    """Whether a cone smaller than the whole was compared."""
    rng = random.Random(seed)
    netlist = random_netlist(rng)
    system = system_of(netlist, [Stated("p", "ctl", random_formula(rng, netlist, 3), NOWHERE)])
    (p,) = system.properties
    (whole,) = check_all(system, (p,))
    alone = answer_alone(system, p, SearchOptions(), SymbolicOptions(), Clock())
    assert alone.verdict == whole.verdict, seed
    if alone.trace is not None:
        check_trace(system, alone.trace)
    return cone_of(system, (p,)) is not None


def test_the_cone_of_a_property_decides_it() -> None:
    assert sum(compare_cone(seed) for seed in range(20)) > 3


@pytest.mark.soak
def test_the_cone_of_a_property_decides_it_in_1000_cases() -> None:
    assert sum(compare_cone(seed) for seed in range(2000, 3000)) > 100


def ring(rng: random.Random, n: int) -> Netlist:
    """n equal cells in a ring: the next value of a cell is a random function of itself, its neighbour and a choice."""
    rows = []
    for k in range(8):
        inputs = tuple(Among((k >> i & 1,)) for i in range(3))
        rows.append(Row(inputs, (Among((rng.randrange(2),)) if rng.random() < 0.9 else ANYTHING,)))
    tables, latches = [], []
    start = rng.choice([(0,), (1,), (0, 1)])
    for i in range(n):
        tables.append(Table((), (f"c{i}",), (Row((), (ANYTHING,)),)))
        tables.append(Table((f"s{i}", f"s{(i + 1) % n}", f"c{i}"), (f"n{i}",), tuple(rows)))
        reset = Table((), (f"s{i}",), tuple(Row((), (Among((v,)),)) for v in start))
        latches.append(Latch(f"n{i}", f"s{i}", reset))
    return Netlist("ring", (), (), tuple(tables), tuple(latches))


def symmetric_formula(rng: random.Random, n: int) -> Formula:
    """A random formula over one proposition, which is then said of all cells or of some cell."""
    single = Netlist("one", (), ("s0",), (), ())
    shape = random_formula(rng, single, 3)
    join = rng.choice((And, Or))

    def everywhere(e: object) -> Formula:
        assert isinstance(e, NetIs)
        return join(tuple(Proposition(NetIs(f"s{i}", e.values)) for i in range(n)))

    return map_propositions(shape, everywhere)


def compare_quotient(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.choice((3, 4))
    netlist = ring(rng, n)
    system = system_of(netlist, [Stated("p", "ctl", symmetric_formula(rng, n), NOWHERE)])
    group = detect(system, system.properties).group
    assert (group.known_order or 0) >= n
    (whole,) = check_all(system, system.properties)
    for method in ("next", "relation"):
        (reduced,) = check_quotient(system, system.properties, group, method)
        assert reduced.verdict == whole.verdict, (seed, method)
        assert reduced.statistics.states <= whole.statistics.states
        assert (reduced.trace is None) == (reduced.verdict is Verdict.HOLDS)  # replayed before it is handed out
    assert whole.verdict in (Verdict.HOLDS, Verdict.FAILS)


@pytest.mark.parametrize("seed", range(12))
def test_quotients_answer_as_the_whole(seed: int) -> None:
    compare_quotient(seed)


@pytest.mark.soak
def test_quotients_answer_as_the_whole_in_1000_cases() -> None:
    for seed in range(5000, 6000):
        compare_quotient(seed)
