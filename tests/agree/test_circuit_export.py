"""Circuits written as AIGER and BTOR2 and read back answer as they did, and Berkeley ABC says the same of the AIGER."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from circuit_random import random_netlist
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.engines.symbolic.explore import check_all
from quorbit.languages.circuits.aiger.read import parse_aiger
from quorbit.languages.circuits.aiger.write import write_aiger
from quorbit.languages.circuits.btor.read import parse_btor
from quorbit.languages.circuits.btor.write import write_btor
from quorbit.netlists.gate_circuit import gate_circuit
from quorbit.netlists.netlist import Claim, Netlist
from quorbit.source.span import Source


def random_claims(rng: random.Random) -> Netlist:
    """Random tables with bad states, justice, sometimes constraints and fairness."""
    plain = random_netlist(rng)
    nets = [*plain.inputs, *(latch.output for latch in plain.latches), *(t.outputs[0] for t in plain.tables)]
    bits = [net for net in nets if len(plain.domain(net)) == 2] or [""]
    if bits == [""]:
        return random_claims(rng)
    claims = [Claim(f"bad{k}", "never", (rng.choice(bits),)) for k in range(rng.randint(1, 2))]
    claims += [Claim("again", "not always eventually", tuple(rng.choices(bits, k=2)))] if rng.random() < 0.5 else []
    constraints = (rng.choice(bits),) if rng.random() < 0.4 else ()
    fairness = (rng.choice(bits),) if rng.random() < 0.4 else ()
    return replace(plain, claims=tuple(claims), constraints=constraints, fairness=fairness)


def verdicts(netlist: Netlist) -> dict[str, str]:
    system = system_of(netlist, ())
    outcomes = check_all(system, system.properties)
    return {p.name: o.verdict.value for p, o in zip(system.properties, outcomes, strict=True)}


def compare(seed: int) -> set[str]:
    netlist = random_claims(random.Random(seed))
    circuit = gate_circuit(netlist)
    expected = verdicts(netlist)
    for binary in (False, True):
        assert verdicts(parse_aiger("r", write_aiger(circuit, binary))) == expected
    assert verdicts(parse_btor(Source("r", write_btor(circuit)))) == expected
    return set(expected.values())


def test_what_is_written_answers_as_before() -> None:
    assert set().union(*(compare(seed) for seed in range(14))) == {"holds", "fails"}


@pytest.mark.soak
@pytest.mark.parametrize("start", range(1000, 3000, 50))
def test_what_is_written_answers_as_before_in_2000_cases(start: int) -> None:
    for seed in range(start, start + 50):
        compare(seed)


def compare_with_abc(folder: Path, seed: int) -> str:
    rng = random.Random(seed)
    netlist = random_claims(rng)
    netlist = replace(netlist, claims=netlist.claims[:1], fairness=(), outputs=())
    (folder / "r.aig").write_bytes(write_aiger(gate_circuit(netlist), True))
    said = subprocess.run(
        ["berkeley-abc", "-q", "read r.aig; logic; undc; strash; zero; fold; pdr"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    ).stdout
    fails = "was asserted" in said
    assert fails or re.search("Property proved|trivially", said), said
    (verdict,) = verdicts(netlist).values()
    assert verdict == ("fails" if fails else "holds"), (seed, said)
    return verdict


@pytest.mark.skipif(shutil.which("berkeley-abc") is None, reason="Berkeley ABC is the judge here")
def test_abc_agrees(tmp_path: Path) -> None:
    assert {compare_with_abc(tmp_path, seed) for seed in range(15)} == {"holds", "fails"}


@pytest.mark.soak
@pytest.mark.skipif(shutil.which("berkeley-abc") is None, reason="Berkeley ABC is the judge here")
def test_abc_agrees_in_500_cases(tmp_path: Path) -> None:
    for seed in range(5000, 5500):
        compare_with_abc(tmp_path, seed)
