"""Trees, whose operators take addresses and labels apart, and sets that VALUES gives a value."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult

SMALL = "const(10, [const(20, [const(5, [])]), const(30, [])])"
BINARY = "bin(bin(1), 2, bin(bin(3), 4, bin(5)))"


def answer(path: Path) -> CheckResult:
    return check(load(path), CheckOptions(symmetry="off")).worst


@pytest.mark.parametrize(
    "formula",
    [
        f"{SMALL} : tree(NATURAL) & {SMALL} /: tree(10..20) & {SMALL} /: btree(NATURAL) & {BINARY} : btree(1..5)",
        f"top({SMALL}) = 10 & sizet({SMALL}) = 4 & {SMALL}([1, 1]) = 5 & card(dom({SMALL})) = 4",
        f"prefix({SMALL}) = [10, 20, 5, 30] & postfix({SMALL}) = [5, 20, 30, 10] & infix({BINARY}) = [1, 2, 3, 4, 5]",
        f"sons({SMALL}) = [const(20, [const(5, [])]), const(30, [])]",
        f"arity({SMALL}, []) = 2 & arity({SMALL}, [2]) = 0",
        f"mirror({SMALL}) = const(10, [const(30, []), const(20, [const(5, [])])])",
        f"rank({SMALL}, [1, 1]) = 1 & father({SMALL}, [1, 1]) = [1] & son({SMALL}, [], 2) = [2]",
        f"subtree({SMALL}, [1]) = const(20, [const(5, [])])",
        f"left({BINARY}) = bin(1) & infix(right({BINARY})) = [3, 4, 5] & top(right({BINARY})) = 4",
        "{[] |-> 1, [2] |-> 2} /: tree(NATURAL) & {[1] |-> 2} /: tree(NATURAL) & {[] |-> 1} : tree({1})",
    ],
)
def test_what_holds_of_trees(tmp_path: Path, formula: str) -> None:
    path = tmp_path / "T.mch"
    path.write_text(f"MACHINE T ASSERTIONS {formula} OPERATIONS o = skip END")
    assert answer(path).verdict == "holds"


def test_a_tree_that_grows(tmp_path: Path) -> None:
    path = tmp_path / "T.mch"
    path.write_text("""MACHINE T VARIABLES t, at INVARIANT t : btree(1..3) & at : dom(t)
    INITIALISATION t := bin(1) || at := []
    OPERATIONS grow = PRE sizet(t) < 5 THEN t := bin(t, 2, bin(3)) || at := [] END;
      down(k) = PRE k : 1..arity(t, at) THEN at := son(t, at, k) END;
      up = PRE at /= [] THEN at := father(t, at) END END""")
    found = answer(path)
    # A tree with 1, 3 or 5 nodes and one of its nodes: 9 states. Start; grow from 4; down and up along 6 edges.
    assert (found.verdict, found.states, found.transitions) == ("holds", 9, 1 + 4 + 6 + 6)


def test_a_node_outside_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "T.mch"
    path.write_text("MACHINE T VARIABLES x INVARIANT x : INTEGER INITIALISATION x := 0 OPERATIONS o = x := top({}) END")
    assert "this is not a tree" in answer(path).outcome.message


def test_a_deferred_set_that_gets_a_value_is_a_set_of_numbers(tmp_path: Path) -> None:
    (tmp_path / "A.mch").write_text(
        "MACHINE A SETS S CONSTANTS n PROPERTIES n : S OPERATIONS o(x) = PRE x : S THEN skip END END"
    )
    concrete = tmp_path / "C.imp"
    concrete.write_text("IMPLEMENTATION C REFINES A VALUES S = 4..6; n = 5 OPERATIONS o(x) = skip END")
    found = answer(concrete)
    assert (found.verdict, found.states, found.transitions) == ("holds", 2, 1 + 1 + 3)
