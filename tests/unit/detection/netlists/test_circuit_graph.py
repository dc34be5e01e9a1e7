"""The graph of [M97, 5.3] and the statistics of Table 7.1 on circuits small enough to work them out by hand."""

from __future__ import annotations

import pytest

from quorbit.detection.netlists.graph import draw
from quorbit.detection.netlists.refine import refine
from quorbit.graphs.automorphisms import automorphisms_on
from quorbit.languages.circuits.blif.parse import parse
from quorbit.netlists.flatten import flatten
from quorbit.netlists.netlist import Netlist
from quorbit.source.span import Source


def read(text: str, is_blif: bool = False) -> Netlist:
    return flatten(parse(Source("test", text), is_blif))


AND = ".model m\n.inputs a b\n.outputs y\n.names a b y\n11 1\n"
AND_NOT = AND.replace("11 1", "10 1")
RING = """.model ring
.table s2 -> n1
0 0
1 1
.table s1 -> n2
0 0
1 1
.latch n1 s1
.latch n2 s2
.r s1
0
.r s2
0
.end
"""


@pytest.mark.parametrize(
    ("text", "is_blif", "row"),
    [
        # two inputs, C C S S A O; colours: input, whole domain, {1}, output; degrees part A from S
        (AND, True, (8, 7, 4, 5, 5, 5, 0)),
        # {0} and {1} differ, which reaches the C vertices in the first round and the inputs in the second
        (AND_NOT, True, (8, 7, 5, 6, 6, 8, 2)),
        # per table C S S A A O, per latch C O; degrees part table from latch, one round parts S from A
        (RING, False, (16, 18, 4, 6, 6, 8, 1)),
    ],
)
def test_statistics_worked_out_by_hand(text: str, is_blif: bool, row: tuple[int, ...]) -> None:
    assert refine(draw(read(text, is_blif)).graph).row == row


def test_inputs_of_a_symmetric_gate_are_exchangeable() -> None:
    for text, order in ((AND, 2), (AND_NOT, 1)):
        drawn = draw(read(text, True), typed=True, outputs=True)
        assert automorphisms_on(drawn.graph, drawn.inputs).known_order == order


def test_resets_float_unless_they_are_asked_for() -> None:
    lopsided = RING.replace(".r s1\n0", ".r s1\n1")
    free = draw(read(lopsided), typed=True)
    tied = draw(read(lopsided), typed=True, resets=True)
    assert automorphisms_on(free.graph, free.latches).known_order == 2
    assert automorphisms_on(tied.graph, tied.latches).known_order == 1
    level = draw(read(RING), typed=True, resets=True)
    assert automorphisms_on(level.graph, level.latches).known_order == 2


def test_equality_entries_point_to_what_they_equal() -> None:
    text = ".model m\n.inputs a b c\n.outputs y\n.table a b c -> y\n.def 0\n- =a 1 =c\n"
    drawn = draw(read(text), typed=True)
    group = automorphisms_on(drawn.graph, drawn.inputs)
    assert group.known_order == 1
