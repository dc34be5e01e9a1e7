"""Sets that cannot be listed are not therefore infinite; relations and sets of which one is infinite."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult

RELATION = "{1 |-> 2, -1 |-> 3, 2 |-> -5}"
BELOW = "{x, y | x : NATURAL & y : 0..x}"


def answer(folder: Path, formula: str) -> CheckResult:
    path = folder / "M.mch"
    constants = f"CONSTANTS r, f PROPERTIES r = {RELATION} & f = {BELOW}"
    path.write_text(f"MACHINE M {constants} ASSERTIONS {formula} OPERATIONS o = skip END")
    return check(load(path), CheckOptions()).worst


@pytest.mark.parametrize(
    "formula",
    [
        "r[NATURAL] = {2, -5}",
        "NATURAL <| r = {1 |-> 2, 2 |-> -5} & NATURAL <<| r = {-1 |-> 3}",
        "r |> NATURAL = {1 |-> 2, -1 |-> 3} & r |>> NATURAL = {2 |-> -5}",
        "f[{2, 1}] = 0..2 & {1} <| f = {1 |-> 0, 1 |-> 1} & ({5 |-> 1} ; f) = {5 |-> 0, 5 |-> 1}",
        "NATURAL /= {} & {x | x > 5} /= 1..3 & %x.(x : NATURAL | x) /= {} & {x | x : INTEGER} /= {1}",
        "not(NATURAL <: 0..100) & not({x | x > 7} <: 1..10)",
        "3 : dom(f) & -1 /: dom(f) & 3 : ran(f)",
    ],
)
def test_what_holds(tmp_path: Path, formula: str) -> None:
    assert answer(tmp_path, formula).verdict == "holds"


@pytest.mark.parametrize(
    "formula",
    [
        "{x | x * x * x = 27} = {3}",
        "{x | x * x = 49 & x > 0} = {7}",
        "not({x | x > 7} <: 1..100)",
        "{x | x : NATURAL & x * x < 10} <: 0..3",
        '{x | STRING_APPEND(x, "c") = "abc"} = {"ab"}',
        '#x.(STRING_APPEND(x, "c") = "abc")',
    ],
)
def test_what_holds_is_never_said_to_fail(tmp_path: Path, formula: str) -> None:
    """These are finite, but found only by trying: the answer may stay open."""
    assert answer(tmp_path, formula).verdict in ("holds", "unknown")


def test_infinite_relations_in_a_state(tmp_path: Path) -> None:
    path = tmp_path / "M.mch"
    path.write_text("""MACHINE M VARIABLES n, m INVARIANT n : 0..2 & m : 0..9
    ASSERTIONS (%i.(i : INTEGER | i * n))[0..m] = {k | k : 0..20 & #j.(j : 0..m & k = j * n)};
      0..m <| (%i.(i : INTEGER | i + n)) = %i.(i : 0..m | i + n); {x, y | x : NATURAL & y : x..x + n}[{m}] = m..m + n
    INITIALISATION n :: 0..2 || m :: {0, 5, 9} OPERATIONS o = skip END""")
    found = check(load(path), CheckOptions(symmetry="off")).worst
    assert (found.verdict, found.states) == ("holds", 9)


@pytest.mark.parametrize(
    "formula",
    [
        "3 : g(1) & 1 /: g(1) & dom(g) = 1..2",
        "{x, s | x : 1..2 & s = {y | y * y * y = x}} /= {}",
        "{1 |-> {2}} = {x, s | x = 1 & s = {y | y * y * y = 8}}",
        "closure1(%x.(x : NATURAL & x < 5 | x + 1))[{3}] = {4, 5}",
    ],
)
def test_sets_that_are_not_listed_inside_values(tmp_path: Path, formula: str) -> None:
    path = tmp_path / "M.mch"
    path.write_text(f"""MACHINE M ABSTRACT_CONSTANTS g PROPERTIES g = %x.(x : 1..2 | {{y | y > x}})
    ASSERTIONS {formula} OPERATIONS o = skip END""")
    assert check(load(path), CheckOptions()).worst.verdict in ("holds", "unknown")


def test_a_sum_bounds_the_values_of_a_function(tmp_path: Path) -> None:
    """Six kinds of coins make 100 in one way."""
    path = tmp_path / "M.mch"
    path.write_text("""MACHINE M CONSTANTS c, n
    PROPERTIES c = {16, 17, 23, 24, 39, 40} & n : c --> NATURAL & SIGMA(x).(x : c | n(x) * x) = 100 END""")
    assert check(load(path), CheckOptions()).worst.states == 2
