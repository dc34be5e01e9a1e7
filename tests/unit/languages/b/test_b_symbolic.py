"""Constants that are too large to be listed, sizes of parted sets, numbers that grow by a step below a limit."""

from __future__ import annotations

from pathlib import Path

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult


def answer(folder: Path, text: str) -> CheckResult:
    path = folder / "M.mch"
    path.write_text(text)
    return check(load(path), CheckOptions(symmetry="off")).worst


def test_large_function(tmp_path: Path) -> None:
    """A function over sets of sets has 2^64 arguments; it is applied, and what else is said of it is named."""
    text = """MACHINE M SETS S CONSTANTS many
    PROPERTIES card(S) = 6 & many = %(F).(F <: POW(S) | card(F)) & 0 < many({{}})
    VARIABLES c, n INVARIANT c <: POW(S) & n : 0..2 INITIALISATION c := {{}} || n := 0
    OPERATIONS count = n := many(c); both = c := {{}, S} END"""
    found = answer(tmp_path, text)
    assert (found.states, found.verdict) == (1 + 5, "holds")  # one set: n is 0 or 1; two sets: n is 0, 1 or 2
    assert found.notes[0].startswith("not checked: what ")
    assert "says of many, which is too large to be listed" in found.notes[0]


def test_application_of_a_comprehension(tmp_path: Path) -> None:
    text = """MACHINE M VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0
    OPERATIONS up = SELECT n < 3 THEN n := {x, y | x : 0..n & y = x + 1}(n) END END"""
    found = answer(tmp_path, text)
    assert (found.states, found.outcome.message) == (4, "deadlock")
    beyond = answer(tmp_path, text.replace("}(n)", "}(n + 1)"))
    assert beyond.verdict == "fails"
    assert beyond.outcome.message != "deadlock"


def test_projection_of_infinite_sets(tmp_path: Path) -> None:
    text = """MACHINE M VARIABLES p INVARIANT p : INTEGER * INTEGER INITIALISATION p := 0 |-> 1
    OPERATIONS swap = p := prj2(INTEGER, INTEGER)(p) |-> prj1(INTEGER, INTEGER)(p);
      outside = SELECT prj1(NATURAL1, INTEGER)(p) = 1 THEN skip END END"""
    found = answer(tmp_path, text)
    assert (found.states, found.transitions, found.verdict) == (2, 4, "holds")


def test_parted_set(tmp_path: Path) -> None:
    """One constant, two that differ, and a part that is not empty: four elements."""
    text = """MACHINE M SETS S CONSTANTS a, b, c, P
    PROPERTIES a : S & b : S & c : S & b /= c & P <: S & S = {a} \\/ {b, c} \\/ P
      & {a} /\\ {b, c} = {} & {a} /\\ P = {} & {b, c} /\\ P = {} & P /= {}
    OPERATIONS r <-- tell = r := card(S) END"""
    path = tmp_path / "M.mch"
    path.write_text(text)
    assert len(load(path).system.atoms) == 4


def test_steps_below_a_limit(tmp_path: Path) -> None:
    """n grows by 30 below 100 and falls by 40 from 20; s collects what it was, also where the invariant is broken."""
    text = """MACHINE M VARIABLES n, s INVARIANT n : NATURAL & s <: NATURAL INITIALISATION n := 0 || s := {}
    OPERATIONS up = SELECT n < 100 THEN n := n + 30 || s := s \\/ {n} END;
      down = SELECT n >= 20 THEN n := n - 40 || s := s \\/ {n} END END"""
    path = tmp_path / "M.mch"
    path.write_text(text)
    types = {v.name: str(v.type) for v in load(path).system.variables}
    assert "low=-20, high=129" in types["n"]
    assert "low=-20, high=129" in types["s"]
