"""Cases by what an address names: only as long as nothing writes what the address reads."""

from __future__ import annotations

from pathlib import Path

from quorbit.model.dependence.abstract import known_from
from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.facts import build_facts
from quorbit.model.dependence.split import Splitter
from quorbit.model.specialise.ground import ground
from quorbit.model.system.expression import Read, Use, atom, number
from quorbit.model.system.system import Atom, Definition, System, Variable
from quorbit.model.system.types import AtomOf
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


def test_a_definition_is_folded_only_if_its_owners_are_written_down() -> None:
    atoms, who = (Atom("P0", "process"), Atom("P1", "process")), Variable("who", AtomOf((0, 1)))
    definitions = (Definition("d", number(1), (0,)), Definition("d", number(2), (1,)))
    splitter = Splitter(Reader(System("owners", atoms, (who,), (), definitions=definitions)), known_from({}))
    assert splitter.folded(Use("d", (atom(1),))) == number(2)
    assert splitter.folded(Use("d", (Read("who"),))) == Use("d", (Read("who"),))
