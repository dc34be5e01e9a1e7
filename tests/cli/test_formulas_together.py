"""Formulas that leave the same symmetries are prepared together, those that do not by themselves; the answers are
those to each formula alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.detection.reveal import reveal
from quorbit.pipeline import batches
from quorbit.pipeline import run as pipeline
from quorbit.pipeline.case import Case
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult, Found

ROOT = Path(__file__).parents[2]
TEMPORAL = sorted((ROOT / "tests" / "models" / "temporal").glob("*.pml"))

LOCKS = """byte inside;
bool waits[3];
active [3] proctype P() {
  do
  :: waits[_pid] = true; atomic { inside == 0 -> inside++; waits[_pid] = false }; inside--
  od
}
"""


def detections(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, ...]]:
    """The names of the properties with which symmetries are looked for, each time."""
    seen: list[tuple[str, ...]] = []
    original = pipeline.detect

    def detect(case: Case) -> Case:
        seen.append(tuple(p.name for p in case.system.properties))
        return original(case)

    monkeypatch.setattr(pipeline, "detect", detect)
    return seen


def asked(path: Path, formulas: str) -> Path:
    path.write_text(LOCKS + formulas)
    return path


def told(result: CheckResult) -> tuple[object, ...]:
    found = result.symmetry
    assert isinstance(found, Found)
    return result.outcome.verdict, result.states, found.order, found.structure, found.group.generators


def assert_as_alone(path: Path, names: tuple[str, ...]) -> None:
    model = load(path)
    answers = {result.asked: result for result in check(model).results}
    for name in names:
        (alone,) = check(model, CheckOptions(properties=(name,))).results
        assert told(answers[name]) == told(alone), name


def test_formulas_about_one_counter_share_a_detection(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    formulas = "ltl a { [] (inside <= 1) } ltl b { []<> (inside == 1) } ltl c { <> (served > 2) }"
    path = asked(tmp_path / "locks.pml", formulas)
    path.write_text("byte served; " + path.read_text().replace("inside--", "inside--; served = (served + 1) % 4"))
    assert_as_alone(path, ("a", "b", "c"))
    seen = detections(monkeypatch)
    check(load(path))
    assert seen[1:] == [("a", "b"), ("c",)]  # the third reads another variable, and has other states


def test_formulas_with_the_same_parts_share_a_detection(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = asked(
        tmp_path / "locks.pml", "ltl a { <> waits[1] } ltl b { [] (waits[1] -> <> !waits[1]) } ltl c { [] !waits[1] }"
    )
    assert_as_alone(path, ("a", "b", "c"))
    seen = detections(monkeypatch)
    (_, *answers) = check(load(path)).results
    assert seen[1:] == [("a", "b", "c")]
    assert [answer.symmetry.order for answer in answers] == [2, 2, 2]


def test_formulas_that_tell_processes_apart_have_their_own_groups(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = asked(
        tmp_path / "locks.pml",
        "ltl a { <> waits[1] } ltl b { <> waits[2] } ltl c { <> (waits[0] || waits[2] || waits[1]) }",
    )
    assert_as_alone(path, ("a", "b", "c"))
    seen = detections(monkeypatch)
    (_, *answers) = check(load(path)).results
    assert seen[1:] == [("a",), ("b",), ("c",)]
    assert [answer.symmetry.order for answer in answers] == [2, 2, 6]


def test_formulas_that_are_images_of_each_other_are_not_kept_by_the_group_of_both(tmp_path: Path) -> None:
    """The exchange of 1 and 2 keeps the two formulas together, and neither of them."""
    path = asked(tmp_path / "locks.pml", "ltl a { waits[1] U waits[2] } ltl b { waits[2] U waits[1] }")
    assert_as_alone(path, ("a", "b"))
    assert [answer.symmetry.order for answer in check(load(path)).results[1:]] == [1, 1]


def test_formulas_about_an_array_share_a_detection_where_it_belongs_to_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "terms.pml"
    text = "byte led[3], term; active [3] proctype P() { do :: atomic { term < 2 -> led[term]++; term++ } od }"
    path.write_text(f"{text} ltl a {{ [] (led[0] <= 1 && led[1] <= 1) }} ltl b {{ <> (led[0] + led[1] > 1) }}")
    assert_as_alone(path, ("a", "b"))
    seen = detections(monkeypatch)
    check(load(path))
    assert seen[1:] == [("a", "b")]


def test_a_formula_that_counts_does_not_cost_another_its_identities(tmp_path: Path) -> None:
    """`last + served` looks inside of a number that names processes: the other formulas alone keep the name."""
    path = tmp_path / "last.pml"
    loop = "do :: last = _pid :: last == _pid -> served++; if :: served > 3 -> served = 0 :: else fi od"
    text = f"byte last, served; active [3] proctype P() {{ {loop} }}"
    others = "ltl b { []<> (last == 1 && served < 2) } ltl c { <> (last != 1 && served > 1) }"
    path.write_text(f"{text} ltl a {{ []<> (last + served > 3) }} {others}")
    assert_as_alone(path, ("a", "b", "c"))
    assert [answer.symmetry.order for answer in check(load(path)).results[1:]] == [1, 2, 2]


def test_what_formulas_break_is_found_out_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = asked(tmp_path / "locks.pml", "ltl a { waits[1] U waits[2] } ltl b { waits[0] U waits[2] }")
    seen: list[object] = []
    monkeypatch.setattr(batches, "reveal", lambda system, properties: seen.append(system) or reveal(system, properties))
    (_, *answers) = check(load(path)).results
    assert all(any("breaks the symmetry of the model (S3)" in note for note in answer.notes) for answer in answers)
    assert len(seen) == 1


def test_a_formula_about_nobody_is_not_asked_what_it_breaks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Two processes that add different numbers are not alike, whatever is asked of the sum."""
    path = tmp_path / "fixed.pml"
    loop = "do :: atomic { inside + rank < 4 -> inside = inside + rank } :: atomic { inside > 0 -> inside-- } od"
    text = f"byte inside; proctype P(byte rank) {{ {loop} }} init {{ atomic {{ run P(1); run P(2) }} }}"
    path.write_text(f"{text} ltl a {{ [] (inside <= 3) }} ltl b {{ []<> (inside > 0) }}")
    monkeypatch.setattr(batches, "reveal", lambda system, properties: pytest.fail("there is nothing to find out"))
    (_, *answers) = check(load(path)).results
    assert [answer.symmetry.order for answer in answers] == [1, 1]


@pytest.mark.parametrize("path", TEMPORAL, ids=lambda path: path.stem)
def test_models_with_several_formulas(path: Path) -> None:
    names = tuple(result.asked for result in check(load(path)).results[1:])
    assert_as_alone(path, names)
