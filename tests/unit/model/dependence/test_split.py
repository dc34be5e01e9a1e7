"""Cases by what an address names: only as long as nothing writes what the address reads."""

from __future__ import annotations

from pathlib import Path

from quorbit.model.dependence.facts import build_facts
from quorbit.model.specialise.ground import ground
from quorbit.pipeline.load import load

INDEX_CHANGES = """
var a: array [0..1] of 0..2; i: 0..1;
startstate begin a[0] := 0; a[1] := 0; i := 0; end;
rule "first the index" a[i] = 0 ==> begin a[i] := 2; i := 1 - i; a[i] := 1; end;
"""


def test_an_index_that_changes_on_the_way_names_another_place_then(tmp_path: Path) -> None:
    (tmp_path / "model.m").write_text(INDEX_CHANGES, encoding="utf-8")
    system = ground(load(tmp_path / "model.m").system)
    elements = {k for k, place in enumerate(system.places) if place.variable.startswith("a")}
    cases = build_facts(system).cases
    assert len(elements) == len(cases) == 2
    assert all(elements <= case.uses.keys() for case in cases)
