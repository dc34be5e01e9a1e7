"""[T07, Table 1] by the command line's own measuring, as far as it is quick; all 96 cells as soak."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quorbit.papers.measure_examples import Measuring
from quorbit.papers.t07 import CORRECT, ERRONEOUS, MACHINES, Row, Run, agreement, draw, render, rows

MODELS = Path(__file__).parents[2] / "examples" / "b"


def up_to(card: int) -> list[Row]:
    machines = [replace(m, rows={k: v for k, v in m.rows.items() if k <= card}) for m in CORRECT]
    return rows(Measuring(MODELS, 60), machines)


def test_small_cards_agree() -> None:
    found = up_to(3)
    assert agreement(found) == (48, 48, 48)
    assert "1,277*" in "\n".join(render(found))


@pytest.mark.soak
def test_all_cells_agree() -> None:
    assert agreement(up_to(6)) == (96, 96, 96)


def test_a_wrong_count_is_noticed() -> None:
    """The printed misprint itself does not agree."""
    machine = CORRECT[1]
    wrong = Row(machine, 5, (Run(437, 2418, 1.0, "holds"), Run(21, 121, 0.5, "holds")))
    assert agreement([wrong]) == (3, 4, 4)
    assert agreement([Row(machine, 5, (Run(437, 2481, 1.0, "holds"), None))]) == (2, 2, 4)


def test_violation_of_phonebook_err() -> None:
    found = rows(Measuring(MODELS, 60), [ERRONEOUS])
    lines = render(found)[2:5]
    assert [line.split()[-1] for line in lines] == ["found"] * 3
    held = replace(found[0], runs=(found[0].runs[0], Run(9, 57, 0.1, "holds")))
    assert render([held])[2].endswith("NOT FOUND")


def test_figure_11() -> None:
    found = [Row(m, card, (Run(1, 1, 2.0, "holds"), Run(1, 1, 0.5, "holds"))) for m in MACHINES for card in m.rows]
    pictures = draw(found)
    assert list(pictures) == ["t07-figure11-published.svg", "t07-figure11.svg"]
    assert "Scheduler0: 5, 3.54" in pictures["t07-figure11-published.svg"]
    assert "Scheduler0: 5, 4<" in pictures["t07-figure11.svg"]
