"""Random programs in everyday idioms: what is found and what is stored, against the whole state graph, and
formulas about them, reduced and not."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from promela_everyday_random import everyday_program

from quorbit.detection.brute_force import alike_under, broken_state, count_orbits, moved, state_graph
from quorbit.detection.detect import Symmetry
from quorbit.detection.reveal import reveal
from quorbit.groups.chain import order
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import State, System, Temporal
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

MOST = 1_000  # states
FEW, MANY = 12, 2_000


def beginning(system: System, found: Symmetry) -> list[State]:
    """The states before those from which the symmetry was proved, where a beginning runs once."""
    if not found.late or found.composed is None:
        return []
    ends = set(Meaning(found.composed).initial_states())
    meaning = Meaning(system)
    before, waiting = list[State](), meaning.initial_states()
    for s in waiting:
        if s not in ends:
            before.append(s)
            waiting += [move.target for move in meaning.moves(s) if move.target not in waiting]
    return before


def compare(seed: int, folder: Path) -> bool:
    """Whether there was a symmetry, and few enough states to go through all."""
    path = folder / "random.pml"
    path.write_text(everyday_program(seed))
    model = load(path, LoadOptions())
    safety = tuple(p for p in model.system.properties if not isinstance(p, Temporal))
    system, found = reveal(model.system, safety)
    system, generators = ground(system), found.group.generators
    before = beginning(system, found)
    if found.late and found.composed is not None:
        system = replace(system, start=found.composed.start)
    graph = state_graph(system, MOST, generators)
    if graph is None:
        return False
    assert not any(s in graph.moves or moved(system, s, g) != s for s in before for g in generators), seed
    alike = alike_under(system, generators)
    assert all(broken_state(system, graph, g, alike) is None for g in generators), seed
    whole = SearchOptions(all_errors=True)
    reduced, plain = (
        check(model, CheckOptions(symmetry=symmetry, engine="explicit", search=whole)).results[0]
        for symmetry in ("auto", "off")
    )
    assert reduced.outcome.verdict is plain.outcome.verdict, seed
    written = check(load(path, LoadOptions(count_like="plain")), CheckOptions(symmetry="off", engine="explicit"))
    assert written.results[0].outcome.verdict is plain.outcome.verdict, seed
    goes_on = any(t is None for moves in graph.moves.values() for t, _ in moves)  # after errors, as the graph does not
    orbits = len(before) + count_orbits(system, graph, generators)
    if reduced.symmetry.exact and not goes_on and reduced.symmetry.order == order(found.group):  # ways past assertions
        assert reduced.states == orbits, seed  # are steps too, and may be fewer alike
    first = check(model, CheckOptions(engine="explicit", search=SearchOptions(por="off"))).results[0]
    assert first.outcome.verdict is plain.outcome.verdict, seed
    if first.verdict == "holds" and first.symmetry.exact:
        assert first.states == orbits, seed
    return not found.group.is_trivial


SHAPES = ("[]<> (P)", "<>[] (P)", "[] ((P) -> <> (Q))", "(P) U (Q)", "<> (P)", "[] (P)", "!<> ((P) && (Q))")
ARRAYS = re.compile(r"\b(up|seen|busy|t|place)\[(\d)\][;,]")
NUMBERS = re.compile(r"\b(n|total|holder|last|owner|id|turn)\b[^;]*;")


def random_formula(rng: Random, text: str) -> str:
    """A formula about what a program declares: about one variable, or about all slots of an array alike."""
    declared = text[: text.index("proctype")]
    alike = [
        rng.choice((" && ", " || ")).join(f"{name}[{k}] == {rng.choice('01')}" for k in range(int(size)))
        for name, size in ARRAYS.findall(declared)
    ]
    about_one = [f"{name} == {rng.randrange(3)}" for name in NUMBERS.findall(declared)]
    found = alike + about_one
    if not found:
        return ""
    return rng.choice(SHAPES).replace("P", rng.choice(found)).replace("Q", rng.choice(found))


def compare_formula(seed: int, folder: Path) -> int:
    """How many verdicts of a formula were compared, with and without fairness, reduced and not."""
    text = everyday_program(seed)
    if not (formula := random_formula(Random(seed), text)):
        return 0
    path = folder / "formula.pml"
    path.write_text(f"{text}\nltl f {{ {formula} }}\n")
    model, compared = load(path, LoadOptions()), 0
    for fairness in ("none", "weak"):
        search = SearchOptions(fairness=fairness, max_states=5_000)
        verdicts = [check(model, CheckOptions(("f",), on, search=search)).verdict for on in ("auto", "off")]
        if "unknown" not in verdicts:
            assert verdicts[0] == verdicts[1], (seed, formula, fairness)
            compared += 1
    return compared


def test_formulas_about_everyday_programs(tmp_path: Path) -> None:
    assert sum(compare_formula(seed, tmp_path) for seed in range(FEW)) > FEW


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_many_formulas_about_everyday_programs(seed: int, tmp_path: Path) -> None:
    compare_formula(seed, tmp_path)


def test_everyday_programs(tmp_path: Path) -> None:
    assert sum(compare(seed, tmp_path) for seed in range(FEW)) >= FEW // 3


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_many_everyday_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)
