"""What refinement means in Event-B: events that split, merge and are new, witnesses, variants, theorems."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.languages.b.rodin_files import write_rodin

from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.refine import refine
from quorbit.pipeline.run import check

ABSTRACT = """
machine M0
var x
inv inv1: x ∈ 0 ‥ 4
event INITIALISATION
act act1: x ≔ 0
event even
grd grd1: x mod 2 = 0
grd grd2: x < 4
act act1: x ≔ x + 1
event odd
grd grd1: x mod 2 = 1
act act1: x ≔ x + 1
event jump
any p
grd grd1: p ∈ 0 ‥ 4
grd grd2: p < x
act act1: x ≔ p
"""
START = """
machine M1 refines M0
var y
inv glue: x = y
event INITIALISATION
act act1: y ≔ 0
"""
MERGED = "event step refines even,odd\ngrd grd1: y < {most}\nact act1: y ≔ y + 1\n"
JUMP = "event back refines jump\ngrd grd1: y > 0\nwith p: {witness}\nact act1: y ≔ {value}\n"


def verdict(folder: Path, text: str) -> tuple[str, str]:
    answer = refine("M0", write_rodin(folder, text) / "M1.bum").worst
    return answer.verdict, answer.outcome.message


def test_merged_events(tmp_path: Path) -> None:
    assert verdict(tmp_path, ABSTRACT + START + MERGED.format(most=4)) == ("holds", "")
    failed, message = verdict(tmp_path, ABSTRACT + START + MERGED.format(most=5))
    assert failed == "fails"
    assert "no step even or odd of M0 matches it" in message


@pytest.mark.parametrize(
    ("witness", "value", "expected"),
    [
        ("p = y − 1", "y − 1", "holds"),
        ("p = y'", "y − 1", "holds"),
        ("p ∈ 0 ‥ y − 1", "0", "holds"),  # some value that the witness allows
        ("p = 0", "y − 1", "fails"),
        ("p = y", "y − 1", "fails"),
        ("p = y + 5", "y − 1", "fails"),
    ],
)
def test_witness_of_a_parameter(tmp_path: Path, witness: str, value: str, expected: str) -> None:
    text = ABSTRACT + START + MERGED.format(most=4) + JUMP.format(witness=witness, value=value)
    assert verdict(tmp_path, text)[0] == expected


CHOOSE = """
machine M0
var x done
inv inv1: x ∈ 0 ‥ 3
event INITIALISATION
act act1: x ≔ 0
act act2: done ≔ FALSE
event choose
grd grd1: done = FALSE
act act1: x :∈ 0 ‥ 3
act act2: done ≔ TRUE
machine M1 refines M0
var lo hi done
inv glue: x = 2 ∗ hi + lo
inv inv2: lo ∈ 0 ‥ 1
inv inv3: hi ∈ 0 ‥ 1
event INITIALISATION
act act1: lo ≔ 0
act act2: hi ≔ 0
act act3: done ≔ FALSE
event choose refines choose
grd grd1: done = FALSE
with x': {witness}
act act1: lo :∈ 0 ‥ 1
act act2: hi :∈ {hi}
act act3: done ≔ TRUE
"""


@pytest.mark.parametrize(
    ("witness", "hi", "expected"),
    [
        ("x' = 2 ∗ hi' + lo'", "0 ‥ 1", "holds"),
        ("x' = 2 ∗ lo' + hi'", "0 ‥ 1", "fails"),
        ("x' = 2 ∗ hi' + lo'", "0 ‥ 2", "fails"),
    ],
)
def test_witness_of_a_variable(tmp_path: Path, witness: str, hi: str, expected: str) -> None:
    """The levels together, as check has them, and the pair: four choices, each with one abstract value."""
    text = CHOOSE.format(witness=witness, hi=hi)
    assert verdict(tmp_path, text)[0] == expected
    alone = check(load(tmp_path / "M1.bum", LoadOptions(deadlock="off"))).worst
    assert alone.verdict == expected
    if expected == "holds":
        assert (alone.states, alone.transitions) == (5, 5)


VARIANTS = """
machine M0
var x
inv inv1: x ∈ 0 ‥ 1
event INITIALISATION
act act1: x ≔ 0
event flip
act act1: x ≔ 1 − x
machine M1 refines M0
var x s n
inv inv2: s ⊆ 0 ‥ 2
inv inv3: n ∈ 0 ‥ 3
variant {variant}
event INITIALISATION extends INITIALISATION
act act2: s ≔ 0 ‥ 2
act act3: n ≔ 3
event flip refines flip
act act1: x ≔ 1 − x
act act2: s ≔ 0 ‥ 2
act act3: n ≔ 3
event drop {status}
any e
grd grd1: e ∈ s
grd grd2: n > 0
act act1: s ≔ {drop}
act act2: n ≔ n − {step}
"""


@pytest.mark.parametrize(
    ("variant", "status", "drop", "step", "expected"),
    [
        ("n", "convergent", "s", "1", "holds"),
        ("n", "convergent", "s", "0", "fails"),
        ("n", "anticipated", "s", "0", "holds"),
        ("n", "", "s", "0", "holds"),
        ("n − 5", "convergent", "s", "1", "fails"),  # below zero
        ("s", "convergent", "s ∖ {e}", "0", "holds"),
        ("s", "convergent", "s", "1", "fails"),
        ("s", "anticipated", "s", "1", "holds"),
    ],
)
def test_variants(tmp_path: Path, variant: str, status: str, drop: str, step: str, expected: str) -> None:
    text = VARIANTS.format(variant=variant, status=status, drop=drop, step=step)
    found, message = verdict(tmp_path, text)
    assert found == expected, message
    assert expected == "holds" or "the variant" in message


def test_new_event_must_skip(tmp_path: Path) -> None:
    """A new event that changes a variable of the abstract machine is not matched."""
    text = VARIANTS.format(variant="n", status="", drop="s", step="1").replace(
        "act act2: n ≔ n −", "act act3: x ≔ 1\nact act2: n ≔ n −"
    )
    found, message = verdict(tmp_path, text)
    assert found == "fails"
    assert "x gets another value than in M0" in message


def test_deadlock_freedom(tmp_path: Path) -> None:
    """The concrete machine stops at 3, the abstract one does not."""
    write_rodin(tmp_path, ABSTRACT + START + MERGED.format(most=3))
    path = tmp_path / "M1.bum"
    assert refine("M0", path).verdict == "holds"
    answer = refine("M0", path, LoadOptions(deadlock_free=True)).worst
    assert answer.verdict == "fails"
    assert answer.outcome.message == "M1 has no step here, but M0 has one"


def test_theorems(tmp_path: Path) -> None:
    """A theorem that does not follow is found; one that takes too long is named."""
    text = ABSTRACT.replace("event INIT", "thm thm1: x ≠ 3\nevent INIT")
    found = check(load(write_rodin(tmp_path, text) / "M0.bum")).worst
    assert (found.verdict, found.outcome.property) == ("fails", "M0.thm1")
    long = "thm long: ∀a,b,c,d,e·a ∈ 0‥9 ∧ b ∈ 0‥9 ∧ c ∈ 0‥9 ∧ d ∈ 0‥9 ∧ e ∈ 0‥9 ⇒ a + b + c + d + e ≥ 0\nevent INIT"
    write_rodin(tmp_path, ABSTRACT.replace("event INIT", long))
    found = check(load(tmp_path / "M0.bum", LoadOptions(deadlock="off"))).worst
    assert found.verdict == "holds"
    assert found.notes[0].startswith("not checked: theorem M0.long")
