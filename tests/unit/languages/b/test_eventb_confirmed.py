"""Failures of public packages whose records name none, each in the smallest development that shows it and worked out by
hand: a sum that leaves its range before it is halved, a theorem nobody proved, an abstract event that cannot follow."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.languages.b.rodin_files import write_rodin

from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult

HALVES = """machine Middle
var low mid pc
inv typing: mid ∈ 0 ‥ 3
event INITIALISATION
act act1: low ≔ 0
act act2: mid ≔ 0
act act3: pc ≔ 0
event add
grd grd1: pc = 0
act act1: mid ≔ low + {high}
act act2: pc ≔ 1
event halve
grd grd1: pc = 1
act act1: mid ≔ mid ÷ 2
act act2: low ≔ mid ÷ 2
act act3: pc ≔ 2
event again
grd grd1: pc = 2
act act1: pc ≔ 0
"""
FLOORS = """context Floors
const n top
axm axm1: n = 2
axm axm2: top = n {minus} 1
machine Lift sees Floors
var f
inv inv1: f ∈ 0 ‥ top
thm thm1: n + 1 = top + 1
event INITIALISATION
act act1: f ≔ 0
event up
grd grd1: f < top
act act1: f ≔ f + 1
event down
grd grd1: f > 0
act act1: f ≔ f − 1
"""
ROOM = """context People
set P
const most
axm axm1: most = {most}
machine Room sees People
var s
inv inv1: s ⊆ P
event INITIALISATION
act act1: s ≔ ∅
event enter
any p
grd grd1: p ∈ P ∖ s
act act1: s ≔ s ∪ {{p}}
event leave
any p
grd grd1: p ∈ s
act act1: s ≔ s ∖ {{p}}
machine Counter refines Room sees People
var n
inv inv1: n = card(s)
event INITIALISATION
act act1: n ≔ 0
event in refines enter
grd grd1: n < most
with p: p ∈ P ∖ s
act act1: n ≔ n + 1
event out refines leave
grd grd1: n > 0
with p: p ∈ s
act act1: n ≔ n − 1
"""
LIST = """context People
set P
machine Room sees People
var s
inv inv1: s ⊆ P
event INITIALISATION
act act1: s ≔ ∅
event enter
any p
grd grd1: p ∈ P ∖ s
act act1: s ≔ s ∪ {{p}}
event empty
act act1: s ≔ ∅
machine Queue refines Room sees People
var q k
inv inv1: q ∈ 1 ‥ k → P
inv inv2: ran(q) = s
event INITIALISATION
act act1: q ≔ ∅
act act2: k ≔ 0
event enter refines enter
any p
grd grd1: p ∈ P
grd grd2: k < 2
{new}
act act1: q ≔ q ∪ {{k + 1 ↦ p}}
act act2: k ≔ k + 1
event empty refines empty
act act1: q ≔ ∅
act act2: k ≔ 0
"""


def ask(folder: Path, text: str, machine: str) -> CheckResult:
    write_rodin(folder, text)
    search = SearchOptions(all_errors=True)
    loaded = load(folder / f"{machine}.bum", LoadOptions(set_sizes=(("P", 2),) if "set P" in text else ()))
    return check(loaded, CheckOptions(search=search)).worst


@pytest.mark.parametrize(
    ("text", "machine", "message"),
    [
        (HALVES.format(high=3), "Middle", "typing"),  # low = 1 and high = 3: the sum 4 is not in 0..3
        (FLOORS.format(minus="−"), "Lift", "thm1"),  # 2 + 1 = 1 + 1
        (ROOM.format(most=3), "Counter", "witness"),  # the third of two people
        (
            LIST.format(new="grd grd3: 0 = 0"),
            "Queue",
            "enter occurs where enter, which it refines, cannot",
        ),  # the same person twice
    ],
)
def test_failures(tmp_path: Path, text: str, machine: str, message: str) -> None:
    found = ask(tmp_path, text, machine)
    assert found.verdict == "fails"
    assert message in found.outcome.message
    assert found.outcome.trace is not None


@pytest.mark.parametrize(
    ("text", "machine"),
    [
        (HALVES.format(high=2), "Middle"),  # low stays below 2, so the sum is at most 3
        (FLOORS.format(minus="+ 0 ∗"), "Lift"),
        (ROOM.format(most=2), "Counter"),
        (LIST.format(new="grd grd3: p ∉ ran(q)"), "Queue"),
    ],
)
def test_the_same_without_the_mistake(tmp_path: Path, text: str, machine: str) -> None:
    assert ask(tmp_path, text, machine).verdict == "holds"
