"""Random programs in everyday idioms: what is found and what is stored, against the whole state graph."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from promela_everyday_random import everyday_program

from quorbit.detection.brute_force import alike_under, broken_state, count_orbits, moved, state_graph
from quorbit.detection.detect import Symmetry
from quorbit.detection.reveal import reveal
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
    if reduced.symmetry.exact and not goes_on:
        assert reduced.states == len(before) + count_orbits(system, graph, generators), seed
    first = check(model, CheckOptions(engine="explicit")).results[0]
    assert first.outcome.verdict is plain.outcome.verdict, seed
    return not found.group.is_trivial


def test_everyday_programs(tmp_path: Path) -> None:
    assert sum(compare(seed, tmp_path) for seed in range(FEW)) >= FEW // 3


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(FEW, MANY))
def test_many_everyday_programs(seed: int, tmp_path: Path) -> None:
    compare(seed, tmp_path)
