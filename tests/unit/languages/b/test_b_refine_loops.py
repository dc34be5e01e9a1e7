"""Refinement where concrete operations have WHILE: matched when the loop ends, against the state in which it began."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.pipeline.refine import refine
from quorbit.report.record import CheckResult
from quorbit.source.errors import UserError

SUM = """MACHINE Sum VARIABLES t, k INVARIANT t : 0..10 & k : 0..4 INITIALISATION t := 0 || k := 0
OPERATIONS pick(n) = PRE n : 0..4 THEN k := n END;
  r <-- total = BEGIN t := k * (k + 1) / 2 || r := k * (k + 1) / 2 END END"""
ADDING = """IMPLEMENTATION R REFINES Sum CONCRETE_VARIABLES s, k INVARIANT s = t INITIALISATION s := 0; k := 0
OPERATIONS pick(n) = {pick};
  r <-- total = VAR i IN i := 0; s := {first};
    WHILE i < {last} DO i := i + 1; s := s + i INVARIANT i : 0..4 VARIANT {variant} END; {end} END END"""
STEPS = "BEGIN k := 0; WHILE k {less} n DO k := k + 1 INVARIANT k : NATURAL VARIANT n + 1 - k END END"
RIGHT = {"pick": "k := n", "first": "0", "last": "k", "variant": "k - i", "end": "r := s"}
WRONG = {
    "ends too early": ({"last": "k - 1"}, "the result r differs"),
    "begins where it ended": ({"first": "s"}, "the result r differs"),
    "changes a variable of both": ({"end": "r := s; k := 0"}, "k gets another value"),
    "glued wrongly": ({"end": "r := s; s := 0"}, "the gluing invariant"),
    "goes on too long": ({"pick": STEPS.format(less="<=")}, "k gets another value"),
    "does not come nearer": ({"variant": "k"}, "the loop variant does not decrease"),
}


def answer(
    folder: Path, changes: dict[str, str], options: LoadOptions | None = None, abstract: str = SUM
) -> CheckResult:
    (folder / "Sum.mch").write_text(abstract)
    (folder / "R.imp").write_text(ADDING.format(**{**RIGHT, **changes}))
    return refine(folder / "Sum.mch", folder / "R.imp", options).worst


@pytest.mark.parametrize("pick", ["k := n", STEPS.format(less="<")])
def test_loops_that_refine(tmp_path: Path, pick: str) -> None:
    """26 pairs: k and the last total are free of each other, and nothing inside a loop is a state."""
    found = answer(tmp_path, {"pick": pick}, LoadOptions(deadlock_free=True))
    assert (found.verdict, found.states) == ("holds", 26)


@pytest.mark.parametrize("name", WRONG)
def test_loops_that_do_not(tmp_path: Path, name: str) -> None:
    """The run is replayed on both machines by the reference meaning, which runs loops by itself."""
    changes, message = WRONG[name]
    found = answer(tmp_path, changes)
    assert found.verdict == "fails", found.outcome.message
    assert message in found.outcome.message
    assert found.outcome.trace is not None


def test_an_abstract_loop_is_refused(tmp_path: Path) -> None:
    abstract = SUM.replace("k := n", "WHILE k < n DO k := k + 1 INVARIANT 0 = 0 VARIANT n - k END")
    with pytest.raises(UserError, match="only the concrete operations of a pair"):
        answer(tmp_path, {}, abstract=abstract)
