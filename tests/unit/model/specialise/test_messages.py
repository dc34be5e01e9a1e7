"""What messages may hold: which channels a process may be lent, and that nothing it may be lent is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.possible.outline import Outline
from quorbit.model.specialise.possible.run import Possible
from quorbit.pipeline.load import load

LENT = """chan a = [1] of { byte }; chan b = [1] of { byte }; chan c = [1] of { byte, chan }; chan d = [1] of { chan };
active proctype giver() { do :: c!1,a :: c!2,b od }
active proctype carrier() { chan x; byte n; do :: c?n,x -> d!x od }
active proctype taker() { chan y; do :: d?y -> if :: nfull(y) -> y!7 :: full(y) -> y?_ fi od }
"""
SORTED = LENT.replace("d!x", "d!!x").replace("d?y", "d??y")


@pytest.mark.parametrize("text", [LENT, SORTED], ids=["in turn", "sorted"])
def test_every_value_that_is_met_is_possible(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text)
    system = load(path, LoadOptions(count_like="plain")).system
    meaning = Meaning(system)
    possible = Possible(Outline(system), meaning.initial_states())
    waiting = meaning.initial_states()
    seen = set(waiting)
    for s in waiting:
        for place, value in zip(system.places, s, strict=True):
            values = possible.values[place.address]
            assert values is None or value in values
        for move in meaning.moves(s):
            if move.violation is None and move.target not in seen:
                seen.add(move.target)
                waiting.append(move.target)
    assert len(waiting) > 20


def test_a_process_is_lent_only_what_is_sent(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(LENT)
    system = load(path, LoadOptions()).system
    possible = Possible(Outline(system), Meaning(system).initial_states())
    named = {
        address[0]: {system.atom_name(value) for value in values if isinstance(value, int) and value >= 0}
        for address, values in possible.values.items()
        if values is not None and address[0] in ("carrier.x", "taker.y")
    }
    assert named == {"carrier.x": {"a", "b"}, "taker.y": {"a", "b"}}
