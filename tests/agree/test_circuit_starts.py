"""Rings whose cells start differently: the quotient by symmetries that do not keep the start, against the whole."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from circuit_random import random_formula
from test_circuit_cone import ring
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.registry import find_engine
from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.properties import Stated
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.formula import And, Formula, Or, Proposition, map_propositions
from quorbit.model.system.system import Invariant, System
from quorbit.netlists.netlist import Among, Netlist, Row, Table
from quorbit.netlists.propositions import NetIs
from quorbit.pipeline.explore import explore
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.report.record import Found
from quorbit.result.outcome import Outcome, Trace, Verdict
from quorbit.source.span import NOWHERE


def token_ring(rng: random.Random, n: int) -> Netlist:
    """A random ring in which one or two cells start with 1."""
    netlist = ring(rng, n)
    ones = rng.sample(range(n), rng.choice((1, 2)))
    latches = []
    for i, latch in enumerate(netlist.latches):
        reset = Table((), (latch.output,), (Row((), (Among((int(i in ones),)),)),))
        latches.append(replace(latch, reset=reset))
    return replace(netlist, latches=tuple(latches))


def symmetric_formula(rng: random.Random, n: int) -> Formula:
    """A random formula about one cell, said of all cells or of some; often about neighbours."""
    shape = random_formula(rng, Netlist("one", (), ("s0",), (), ()), 3)
    join = rng.choice((And, Or))
    distance = rng.randrange(2)

    def everywhere(e: object) -> Formula:
        assert isinstance(e, NetIs)
        cells = [(i, (i + distance) % n) for i in range(n)]
        return join(
            tuple(Or((Proposition(NetIs(f"s{i}", e.values)), Proposition(NetIs(f"s{j}", (1,))))) for i, j in cells)
        )

    return map_propositions(shape, everywhere)


def reduced(system: System, engine: str) -> tuple[Outcome, bool]:
    """The answer, and whether symmetries were used that do not keep the start."""
    case = prepare(system, system.properties, CheckOptions())
    assert isinstance(case.symmetry, Found)
    return explore(find_engine(engine), case)[0], bool(case.symmetry.moving)


def starts_well(system: System, trace: Trace) -> bool:
    return trace.start in SharingMeaning(system).initial_states()


def compare(seed: int) -> bool:
    """Whether symmetries that do not keep the start were used."""
    rng = random.Random(seed)
    n = rng.choice((3, 4, 5))
    netlist = token_ring(rng, n)
    system = system_of(netlist, [Stated("p", "ctl", symmetric_formula(rng, n), NOWHERE)])
    (whole,) = check_all(system, system.properties)
    engine = "explicit" if isinstance(system.properties[0], Invariant) else "temporal"
    found, moving = reduced(system, engine)
    assert found.verdict is whole.verdict, seed
    assert whole.verdict in (Verdict.HOLDS, Verdict.FAILS)
    if found.trace is not None:
        assert starts_well(system, found.trace), seed
    return moving


def test_quotients_from_starts_that_are_not_symmetric() -> None:
    assert sum(compare(seed) for seed in range(16)) >= 12


@pytest.mark.soak
def test_quotients_from_starts_that_are_not_symmetric_in_1000_cases() -> None:
    assert sum(compare(seed) for seed in range(3000, 4000)) >= 700


def test_orbits_are_counted_only_of_symmetries_that_keep_the_start() -> None:
    system = system_of(token_ring(random.Random(1), 4), [])
    asked = CheckOptions(search=SearchOptions(represented=True))
    assert not prepare(system, (), asked).symmetry.to_json()["moves_start"]
    assert prepare(system, (), CheckOptions()).symmetry.to_json()["moves_start"]
