"""Which symmetries a machine keeps where constants, properties or operations name elements, and that the states which
representatives stand for are exactly those of the search without symmetry."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult

MACHINES = {
    # several valuations of a constant that is a relation between the elements: no element is told apart
    "a relation as constant": (
        "SETS S CONSTANTS r PROPERTIES card(S) = 4 & r : S <-> S & card(r) = 2",
        "x := x \\/ r[{p}] \\/ {p}",
        24,
    ),
    "a set and an element": (
        "SETS S CONSTANTS c, d PROPERTIES card(S) = 5 & c <: S & card(c) = 2 & d : S",
        "IF p : c THEN x := x \\/ {d} ELSE x := x \\/ {p} END",
        24,  # of S4: one element may be taken for d
    ),
    # one element of an enumerated set is named, in the properties or in an operation: the others are alike
    "named in the properties": (
        "SETS S = {a, b, c, d, e} CONSTANTS k PROPERTIES k : S & k /= a",
        "IF p = k THEN x := {} ELSE x := x \\/ {p} END",
        24,
    ),
    "named in an operation": ("SETS S = {none, p1, p2, p3, p4}", "IF p = none THEN x := S - x ELSE x := {p} END", 24),
    "two named": ("SETS S = {u, v, p1, p2, p3}", "IF p : {u, v} THEN x := {} ELSE x := x \\/ {p} END", 12),
    "named in order": ("SETS S = {u, v, p1, p2, p3}", "IF p = u THEN x := {v} ELSE x := x \\/ {p} END", 6),
}


def answer(folder: Path, head: str, step: str, symmetry: str) -> CheckResult:
    path = folder / "M.mch"
    path.write_text(
        f"MACHINE M {head} VARIABLES x, t INVARIANT x <: S & t <: S INITIALISATION x := {{}} || t := {{}}\n"
        f"OPERATIONS go(p) = PRE p : S & p /: t THEN {step} || t := {{p}} END END"
    )
    search = SearchOptions(all_errors=True, represented=symmetry == "auto")
    return check(load(path, LoadOptions()), CheckOptions(symmetry=symmetry, search=search)).worst


@pytest.mark.parametrize("name", MACHINES)
def test_symmetry(tmp_path: Path, name: str) -> None:
    head, step, order = MACHINES[name]
    reduced, plain = (answer(tmp_path, head, step, symmetry).to_json() for symmetry in ("auto", "off"))
    assert reduced["symmetry"]["order"] == str(order)
    assert int(reduced["represented"]) == plain["states"] > reduced["states"]
    assert reduced["verdict"] == plain["verdict"] == "holds"
