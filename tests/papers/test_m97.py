"""[M97, Tables 7.1 and 7.2]: what our wordings have in common with the published rows."""

from __future__ import annotations

from pathlib import Path

from quorbit.papers.m97 import EXAMPLES, Measured, measure, render

CIRCUITS = Path(__file__).parents[2] / "examples" / "circuits"


def test_philosophers_have_one_class_for_each_vertex_of_one() -> None:
    found = measure(CIRCUITS / "philosophers20.mv")
    assert found.statistics[5] * 20 == found.statistics[0]
    assert found.group == "C20"
    published = EXAMPLES[0].statistics
    assert published[5] * 20 == published[0]


def test_two_players() -> None:
    found = measure(CIRCUITS / "ping_pong.mv")
    assert found.statistics[5] * 2 == found.statistics[0]
    assert found.group == "S2"


def test_agreement_is_said_only_of_equal_rows() -> None:
    z4ml = EXAMPLES[2]
    same = Measured("z4ml.blif", z4ml.statistics, "S3 x S2 x S2", (0, 4, 28))
    other = Measured("z4ml.blif", (527, 929, 5, 14, 19, 108, 6), "S3 x S2 x S2", None)
    assert "z4ml: all cells of Table 7.1 agree" in render([(z4ml, [same])])
    assert any(line.startswith("z4ml: cannot be reproduced") for line in render([(z4ml, [other])]))
    assert any(line.startswith("z4ml: not measured") for line in render([(z4ml, [])]))
