"""Some latches are named; the inputs and the other latches follow, or no symmetry does it."""

from __future__ import annotations

from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.detection.detect import Symmetry
from quorbit.detection.netlists.extend import extend_mapping
from quorbit.groups.group import trivial
from quorbit.groups.permutation import Permutation
from quorbit.languages.circuits.blif.parse import parse
from quorbit.model.system.system import System
from quorbit.netlists.flatten import flatten
from quorbit.pipeline.explanations import explain
from quorbit.source.span import Source


def ring(n: int) -> System:
    """Cells that take the value of their left neighbour when their own input says so."""
    lines = [".model ring", ".inputs " + " ".join(f"c{i}" for i in range(n))]
    for i in range(n):
        lines += [f".names c{i} s{i} s{(i - 1) % n} n{i}", "01- 1", "1-1 1", f".latch n{i} s{i} 0"]
    return system_of(flatten(parse(Source("ring.blif", "\n".join([*lines, ".end", ""])), True)), [])


def moving(system: System, pairs: dict[str, str]) -> Permutation:
    numbers = {atom.name: a for a, atom in enumerate(system.atoms)}
    return tuple(numbers[pairs.get(atom.name, atom.name)] for atom in system.atoms)


def test_inputs_follow_the_latches() -> None:
    system = ring(5)
    turn = moving(system, {f"s{i}": f"s{(i + 1) % 5}" for i in range(5)})
    whole, breaches = explain(system, Symmetry(trivial(len(turn))), turn)
    assert breaches == ()
    assert whole == moving(system, {f"{x}{i}": f"{x}{(i + 1) % 5}" for x in "sc" for i in range(5)})


def test_a_mapping_that_no_symmetry_extends() -> None:
    system = ring(5)
    swap = moving(system, {"s0": "s1", "s1": "s0"})
    assert extend_mapping(system, swap) is None
    assert explain(system, Symmetry(trivial(len(swap))), swap)[1]
