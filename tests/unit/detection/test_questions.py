"""The symmetries of many questions about one circuit: found once where all leave the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from quorbit.detection import questions
from quorbit.detection.detect import detect, written_as_meant
from quorbit.detection.functions import by_meaning as functions
from quorbit.detection.functions.by_meaning import by_meaning
from quorbit.groups.chain import order
from quorbit.languages.circuits.load import load_with
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import System

COUNTERS = Path(__file__).parents[3] / "examples" / "circuits" / "counters.v"
EVEN = "AG EF all_full=1;\nAG EF none_full=1;\nAG !(all_full=1 * none_full=1);\n"
UNEVEN = "AG EF all_full=1;\nAG EF full[0]=1;\nAG !(full[0]=1 * full[1]=1);\n"


def counters(tmp_path: Path, formulas: str) -> System:
    """Five counters with these properties."""
    stated = tmp_path / "some.ctl"
    stated.write_text(formulas, encoding="utf-8")
    (system,) = load_with(COUNTERS, [stated], LoadOptions(defines=(("N", "5"),)))
    return system


@pytest.mark.parametrize(
    ("formulas", "orders"), [(EVEN, [120, 120, 120, 120]), (UNEVEN, [120, 120, 24, 12])], ids=["even", "uneven"]
)
def test_every_question_has_the_symmetries_it_has_alone(tmp_path: Path, formulas: str, orders: list[int]) -> None:
    system = counters(tmp_path, formulas)
    asked = [(), *((p,) for p in system.properties)]
    found = questions.groups_of(system, asked, 60.0)
    assert [order(left.group) for left in found if left.group is not None] == orders
    assert [order(detect(system, properties, meant=True).group) for properties in asked] == orders


def test_the_symmetries_that_all_have_are_found_once(tmp_path: Path) -> None:
    for formulas, is_same in ((EVEN, True), (UNEVEN, False)):
        written = written_as_meant(counters(tmp_path, formulas))
        assert (questions.same_for_all(written, 3) is not None) == is_same
        assert questions.same_for_all(written, 1) is None


def test_what_the_steps_compute_is_found_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(grounded: System, fields: Sequence[tuple[int, ...]] = ()) -> System | None:
        asked.append(len(grounded.properties))
        return by_meaning(grounded, fields)

    monkeypatch.setattr(functions, "by_meaning", counted)
    for formulas in (EVEN, UNEVEN):
        system = counters(tmp_path, formulas)
        list(questions.symmetries_of(system, [(p,) for p in system.properties]))
    assert asked == [3, 3]
