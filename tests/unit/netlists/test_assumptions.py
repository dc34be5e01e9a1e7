"""Assumptions that leave no run are found out, by what they say at first and by what they force later."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.languages.circuits.load import read_netlist
from quorbit.languages.options import LoadOptions
from quorbit.netlists.assumptions import excludes_every_run

COUNTER = """module m(input clk, input a, input b); reg [2:0] n; reg u; initial n = 0;
  always @(posedge clk) begin n <= n + a; u <= b; end
  {assumed}
  x: assert property (n != 7 || !u);
endmodule
"""


@pytest.mark.parametrize(
    ("assumed", "none"),
    [
        ("", False),
        ("assume property (a);", False),
        ("assume property (a); assume property (!a);", True),
        ("assume property (n == 1);", True),
        ("assume property (n < 5);", False),
        ("assume property (n < 5 && a);", True),  # only after five steps
        ("assume property (u == b);", False),
        ("assume property (u && !b);", True),
    ],
)
def test_what_is_left(assumed: str, none: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.v").write_text(COUNTER.replace("{assumed}", assumed))
    assert excludes_every_run(read_netlist(tmp_path / "m.v", LoadOptions())) == none
    main(["check", str(tmp_path / "m.v")])
    assert ("the assumptions exclude every run" in capsys.readouterr().out) == none


def test_the_same_by_walking_all_states(tmp_path: Path) -> None:
    """Random conditions on a counter of four states and an input, against a search for a cycle that keeps to them."""
    rng = random.Random(5)
    found = set()
    for _ in range(12):
        allowed = {pair for pair in product(range(4), range(2)) if rng.random() < 0.4}
        moves = {(n, a): rng.randrange(4) for n, a in product(range(4), range(2))}
        cases = " ".join(f"{{2'd{n}, 1'd{a}}}: q <= {moves[n, a]};" for n, a in moves)
        says = " || ".join(f"(q == {n} && a == {a})" for n, a in sorted(allowed)) or "0"
        text = f"""module m(input clk, input a); reg [1:0] q; initial q = 0;
          always @(posedge clk) case ({{q, a}}) {cases} endcase
          assume property ({says}); x: assert property (1);
        endmodule"""
        (tmp_path / "m.v").write_text(text)
        alive = set(range(4))
        for _ in range(5):
            alive = {n for n in alive if any((n, a) in allowed and moves[n, a] in alive for a in range(2))}
        none = 0 not in alive
        assert excludes_every_run(read_netlist(tmp_path / "m.v", LoadOptions())) == none, text
        found.add(none)
    assert found == {True, False}
