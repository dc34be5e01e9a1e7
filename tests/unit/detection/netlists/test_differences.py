"""Where latches begin to look different: tables, rows, first values, readers; nothing where they can be exchanged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.detection.netlists.differences import Apart, tell_apart
from quorbit.languages.circuits.blif.parse import parse
from quorbit.netlists.flatten import flatten
from quorbit.source.span import Source

TOGGLES = """.model toggles
.inputs enable
.outputs left right
.table enable left -> nleft
1 0 1
0 1 1
.default 0
.table enable right -> nright
1 0 1
0 1 1
.default 0
.latch nleft left
.reset left
0
.latch nright right
.reset right
0
.end
"""


def apart(text: str) -> Apart | None:
    return tell_apart(flatten(parse(Source("toggles.mv", text), False)), "left", "right")


@pytest.mark.parametrize(
    ("old", "new", "message", "line"),
    [
        (".reset right\n0", ".reset right\n1", "left and right start with different values", 12),
        (
            "right -> nright\n1 0 1\n0 1 1",
            "right -> nright\n1 0 1\n1 1 1",
            "the tables of nleft and nright ask for different values",
            4,
        ),
        (
            "right -> nright\n1 0 1\n0 1 1",
            "right -> nright\n1 0 1",
            "the table of nleft has 2 rows, that of nright has 1",
            4,
        ),
        (
            "right -> nright\n1 0 1\n0 1 1\n.default 0",
            "right -> nright\n1 0 1\n0 1 1\n.default 1",
            "the tables of nleft and nright give different values",
            4,
        ),
        (
            ".end",
            ".table left -> extra\n1 1\n.default 0\n.end",
            "left is read by nleft, extra, an output, right by nright, an output",
            12,
        ),
    ],
)
def test_the_table_or_latch_that_differs_is_named(old: str, new: str, message: str, line: int) -> None:
    found = apart(TOGGLES.replace(old, new))
    assert found is not None
    assert found.message == message
    assert found.span.line == line


def test_latches_that_can_be_exchanged_are_not_told_apart() -> None:
    assert apart(TOGGLES) is None


def test_a_difference_far_away_is_found() -> None:
    """Two chains of four latches that differ at their far ends."""
    text = ".model chains\n"
    for name, gate in (("a", "11 1\n"), ("b", "10 1\n")):
        for k in range(4):
            text += f".latch {name}{k} {name}{k + 1} 0\n"
        text += f".names {name}4 {name}3 {name}0\n{gate}"
    found = tell_apart(flatten(parse(Source("chains.blif", text), True)), "a2", "b2")
    assert found is not None
    assert found.message == "the tables of a0 and b0 ask for different values"
    assert found.way[-1] == ("a0", "b0")


def test_the_command_tells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "toggles.mv"
    path.write_text(TOGGLES.replace(".reset right\n0", ".reset right\n1"))
    assert main(["why", str(path), "(left right)"]) == 0
    assert "it moves the start: latch[left] is 0, in the image 1" in capsys.readouterr().out
    path.write_text(TOGGLES.replace("right -> nright\n1 0 1", "right -> nright\n1 1 1"))
    assert main(["why", str(path), "(left right)"]) == 1
    text = capsys.readouterr().out
    assert "left and right are told apart: " in text
    assert "toggles.mv:8:1: .table enable right -> nright" in text
    assert main(["why", str(path), "(left right)", "--json"]) == 1
    (found,) = json.loads(capsys.readouterr().out)["apart"]
    assert found["pair"] == ["left", "right"]
