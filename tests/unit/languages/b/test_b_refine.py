"""Refinement of classical B: twenty pairs of machines, half of them wrong, and what is said about them."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.refine import refine
from quorbit.pipeline.run import check, symmetry
from quorbit.source.errors import UserError

COUNTER = """MACHINE Counter VARIABLES n INVARIANT n : 0..3 INITIALISATION n := 0
OPERATIONS up = SELECT n < 3 THEN n := n + 1 END; reset = n := 0; r <-- get = r := n END"""
MEMBERS = """MACHINE Members SETS S VARIABLES s INVARIANT s <: S INITIALISATION s := {}
OPERATIONS add(x) = PRE x : S & x /: s THEN s := s \\/ {x} END;
  drop(x) = PRE x : s THEN s := s - {x} END;
  r <-- empty = r := bool(s = {}) END"""
PICK = """MACHINE Pick SETS S VARIABLES p, done INVARIANT p : S & done : BOOL INITIALISATION p :: S || done := FALSE
OPERATIONS choose = SELECT done = FALSE THEN p :: S || done := TRUE END; r <-- show = SELECT done = TRUE THEN r := p END
END"""
STACK = """MACHINE Stack VARIABLES q INVARIANT q : seq(0..1) & size(q) <= 2 INITIALISATION q := []
OPERATIONS push(x) = PRE x : 0..1 & size(q) < 2 THEN q := q <- x END;
  r <-- pop = PRE q /= [] THEN r := last(q) || q := front(q) END END"""

COUNT_BITS = """REFINEMENT R REFINES Counter VARIABLES a, b INVARIANT a : 0..1 & b : 0..1 & n = 2 * a + b
INITIALISATION a := 0 || b := 0
OPERATIONS up = SELECT {guard} THEN IF b = 0 THEN b := 1 ELSE a := 1 || b := {low} END END;
  reset = BEGIN a := 0 || b := 0 END; r <-- get = r := {get} END"""
COUNT_DOWN = """REFINEMENT R REFINES Counter VARIABLES m INVARIANT m : 0..3 & n = 3 - m INITIALISATION m := {start}
OPERATIONS up = SELECT m > 0 THEN m := m - 1 END; reset = m := {reset}; r <-- get = r := 3 - m END"""
REST = """REFINEMENT R REFINES Members VARIABLES t INVARIANT t <: S & s = S - t INITIALISATION t := S
OPERATIONS add(x) = t := t - {{x}}; drop(x) = t := {drop}; r <-- empty = r := bool(t = {empty}) END"""
COUNTED = """REFINEMENT R REFINES Members VARIABLES s, c INVARIANT c : NATURAL & c = card(s)
INITIALISATION s := {{}} || c := 0
OPERATIONS add(x) = BEGIN s := s \\/ {{x}} || c := c + {step} END; drop(x) = BEGIN s := s - {{x}} || c := c - 1 END;
  r <-- empty = r := bool(c = {none}) END"""
CHOSEN = """REFINEMENT R REFINES Pick VARIABLES p, done INITIALISATION p :: S || done := FALSE
OPERATIONS choose = SELECT done = FALSE THEN {choose} END; r <-- show = SELECT {guard} THEN r := p END END"""
LATER = """REFINEMENT R REFINES Pick VARIABLES c, done INVARIANT c <: S & card(c) <= 1 & {glue}
INITIALISATION c := {{}} || done := FALSE
OPERATIONS choose = SELECT done = FALSE THEN ANY x WHERE x : S THEN c := {{x}} || done := TRUE END END;
  r <-- show = SELECT done = TRUE THEN ANY x WHERE x : c THEN r := x END END END"""
CELLS = """REFINEMENT R REFINES Stack VARIABLES f, top INVARIANT top : 0..2 & f : 1..2 --> 0..1 & q = 1..top <| f
INITIALISATION top := 0 || f := {{1 |-> 0, 2 |-> 0}}
OPERATIONS push(x) = BEGIN f({at}) := x || top := top + 1 END;
  r <-- pop = BEGIN r := f({read}) || top := top - 1 END END"""
FULL = """REFINEMENT R REFINES Stack VARIABLES q INVARIANT q : seq(0..1) INITIALISATION q := []
OPERATIONS push(x) = PRE {pre} THEN q := q <- x END; r <-- pop = BEGIN r := last(q) || q := front(q) END END"""

PAIRS = {
    "bits": (COUNTER, COUNT_BITS.format(guard="2 * a + b < 3", low=0, get="2 * a + b"), ""),
    "bits that stop early": (COUNTER, COUNT_BITS.format(guard="a = 0", low=0, get="2 * a + b"), ""),
    "bits without carry": (COUNTER, COUNT_BITS.format(guard="2 * a + b < 3", low=1, get="2 * a + b"), "gluing"),
    "bits that overflow": (COUNTER, COUNT_BITS.format(guard="0 = 0", low=0, get="2 * a + b"), "guard"),
    "bits read wrongly": (COUNTER, COUNT_BITS.format(guard="2 * a + b < 3", low=0, get="a + b"), "result r"),
    "downwards": (COUNTER, COUNT_DOWN.format(start=3, reset=3), ""),
    "downwards, wrong start": (COUNTER, COUNT_DOWN.format(start=0, reset=3), "INITIALISATION"),
    "downwards, wrong reset": (COUNTER, COUNT_DOWN.format(start=3, reset=0), "gluing"),
    "the rest": (MEMBERS, REST.format(drop="t \\/ {x}", empty="S"), ""),
    "the rest, dropping all": (MEMBERS, REST.format(drop="S", empty="S"), "gluing"),
    "the rest, wrong test": (MEMBERS, REST.format(drop="t \\/ {x}", empty="{}"), "result r"),
    "counted": (MEMBERS, COUNTED.format(step=1, none=0), ""),
    "counted twice": (MEMBERS, COUNTED.format(step=2, none=0), "gluing"),
    "a choice made smaller": (PICK, CHOSEN.format(choose="done := TRUE", guard="done = TRUE"), ""),
    "a choice kept": (PICK, CHOSEN.format(choose="p :: S || done := TRUE", guard="done = TRUE"), ""),
    "shown too early": (PICK, CHOSEN.format(choose="p :: S || done := TRUE", guard="0 = 0"), "guard"),
    "chosen later": (PICK, LATER.format(glue="(done = TRUE => c = {p})"), ""),
    "cells": (STACK, CELLS.format(at="top + 1", read="top"), ""),
    "cells, one off": (STACK, CELLS.format(at="top", read="top"), ""),
    "a wider precondition": (STACK, FULL.format(pre="x : 0..1"), ""),
}
WRONG = {
    "bits without carry",
    "bits that overflow",
    "bits read wrongly",
    "downwards, wrong start",
    "downwards, wrong reset",
    "the rest, dropping all",
    "the rest, wrong test",
    "counted twice",
    "shown too early",
    "cells, one off",
}


def write(folder: Path, abstract: str, concrete: str) -> tuple[Path, Path]:
    above, below = folder / f"{abstract.split()[1]}.mch", folder / "R.ref"
    above.write_text(abstract)
    below.write_text(concrete)
    return above, below


@pytest.mark.parametrize("name", PAIRS)
def test_pairs(tmp_path: Path, name: str) -> None:
    abstract, concrete, reason = PAIRS[name]
    answer = refine(*write(tmp_path, abstract, concrete)).worst
    assert answer.verdict == ("fails" if name in WRONG else "holds"), answer.outcome.message
    assert reason in answer.outcome.message
    assert (answer.outcome.trace is not None) == (name in WRONG)


def test_both_runs_are_told(tmp_path: Path) -> None:
    """A pair of runs: each machine's own variables, steps and arguments."""
    above, below = write(tmp_path, *PAIRS["the rest, dropping all"][:2])
    runs = refine(above, below).worst.to_json()["runs"]
    mine, its = ({step["text"]: step["state"] for step in run["trace"]} for run in runs)
    assert [run["machine"] for run in runs] == ["R", "Members"]
    assert all("t" in state and "s" not in state for state in mine.values())
    assert all("s" in state and "t" not in state for state in its.values())
    assert any(text.startswith("add(") for text in mine), mine
    assert any(text.startswith("add(") for text in its), its


def test_symmetry_of_a_pair(tmp_path: Path) -> None:
    """Elements of S are exchanged in both machines at once; without that the same answer with more states."""
    above, below = write(tmp_path, *PAIRS["the rest"][:2])
    pair = load(below, LoadOptions(refines=str(above), set_sizes=(("S", 4),)))
    assert symmetry(pair).order == 24
    assert check(pair).worst.states == 6  # how many are in s, and the valuation of no constants
    assert below.name in str(pair.path)


def test_deadlock_freedom_is_asked_for(tmp_path: Path) -> None:
    above, below = write(tmp_path, *PAIRS["bits that stop early"][:2])
    stuck = below.read_text().replace("reset = BEGIN a := 0 || b := 0 END", "reset = SELECT 0 = 1 THEN a := 0 END")
    below.write_text(stuck.replace("r <-- get = r := 2 * a + b", "r <-- get = SELECT a = 0 THEN r := b END"))
    assert refine(above, below).verdict == "holds"
    answer = refine(above, below, LoadOptions(deadlock_free=True)).worst
    assert answer.verdict == "fails"
    assert "R has no step here, but Counter has one" in answer.outcome.message


def test_chain_to_an_implementation(tmp_path: Path) -> None:
    """Every refinement on the way is checked; a wrong one is named."""
    above, _ = write(tmp_path, COUNTER, PAIRS["downwards"][1])
    last = tmp_path / "I.imp"
    text = """IMPLEMENTATION I REFINES R CONCRETE_VARIABLES k INVARIANT k : 0..6 & k = 2 * m INITIALISATION k := 6
OPERATIONS up = SELECT k > 0 THEN k := k - 2 END; reset = BEGIN k := 6 END; r <-- get = r := 3 - k / 2 END"""
    last.write_text(text)
    answers = refine(above, last).results
    assert [(a.asked, a.verdict) for a in answers] == [("R refines Counter", "holds"), ("I refines R", "holds")]
    last.write_text(text.replace("k := k - 2", "k := k - 1"))
    assert [a.verdict for a in refine(above, last).results] == ["holds", "fails"]


def test_refinement_alone(tmp_path: Path) -> None:
    """A refinement is a machine of its own, and what was not checked is said."""
    _, below = write(tmp_path, *PAIRS["bits without carry"][:2])
    answer = check(load(below)).worst
    assert answer.verdict == "holds"
    assert answer.notes[0].startswith("not checked: that this refines Counter")


@pytest.mark.parametrize(
    ("abstract", "concrete", "message"),
    [
        (MEMBERS, PAIRS["bits"][1], "does not refine"),
        (COUNTER, "MACHINE M VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 END", "refines nothing"),
        (COUNTER, PAIRS["bits"][1].replace("r <-- get", "q <-- get").replace("r :=", "q :="), "results of get"),
        (COUNTER, COUNT_DOWN.format(start=3, reset=3).replace("reset = m := 3;", ""), "no operation reset"),
    ],
)
def test_what_is_no_refinement(tmp_path: Path, abstract: str, concrete: str, message: str) -> None:
    above, below = write(tmp_path, abstract, concrete)
    (tmp_path / "Counter.mch").write_text(COUNTER)
    with pytest.raises(UserError, match=message):
        refine(above, below)


def test_sizes_agree(tmp_path: Path) -> None:
    """Sizes of sets that the two machines give differently are refused."""
    abstract = MEMBERS.replace("VARIABLES", "DEFINITIONS scope_S == 1..3 VARIABLES")
    concrete = PAIRS["the rest"][1].replace("VARIABLES", "DEFINITIONS scope_S == 1..2 VARIABLES")
    with pytest.raises(UserError, match=r"scope_S is 1 \.\. 2 here and 1 \.\. 3"):
        refine(*write(tmp_path, abstract, concrete))
    agreed = write(tmp_path, abstract, concrete.replace("1..2", "1..3"))
    assert refine(*agreed).worst.states == 5
