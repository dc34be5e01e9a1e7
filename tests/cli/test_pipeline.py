"""The pipeline by itself: interruption, bounds that are too small, groups beyond reach, options that are refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import quorbit
from quorbit.engines.engine import Work
from quorbit.engines.reference.engine import REFERENCE
from quorbit.groups.reach import BeyondReach
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.system.system import System
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, symmetry
from quorbit.report.record import Found
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.errors import UserError
from quorbit.source.interrupted import Interrupted

ROOT = Path(__file__).parents[2]
MUTEX = ROOT / "examples" / "mutex.edges"


def test_interruption_keeps_the_answers_so_far() -> None:
    """The third question is never begun, the second is left in the middle."""
    seen: list[str] = []

    def watch(step: str, statistics: Statistics) -> bool:
        seen.append(step)
        if seen.count("classify") == 2:
            raise Interrupted("enough")
        return False

    asked = CheckOptions(properties=("mutex", "deadlock", "G (#C < 1)"), engine="reference")
    results = check(MUTEX, asked, watch)
    assert [result.verdict for result in results.results] == ["holds", "unknown", "unknown"]
    assert [result.outcome.message for result in results.results] == ["", "enough", "enough"]
    assert results.verdict == "unknown"


def test_stop_during_a_search_stops_all_questions() -> None:
    stopped = False

    def watch(step: str, statistics: Statistics) -> bool:
        nonlocal stopped
        stopped = stopped or step == "explore"
        return stopped

    model = load(MUTEX)
    asked = CheckOptions(properties=("mutex", "deadlock"), symmetry="off", search=SearchOptions(max_depth=1))
    results = check(model, asked, watch)
    assert {result.verdict for result in results.results} == {"unknown"}


def test_bounds_are_doubled_until_they_suffice(monkeypatch: pytest.MonkeyPatch) -> None:
    bounds: list[int] = []

    def read_model(path: Path, options: LoadOptions) -> System:
        bounds.append(options.bounds)
        return model.system

    def explore(work: Work) -> list[Outcome]:
        if bounds[-1] < 4:
            raise BoundExceeded("process")
        return [Outcome(Verdict.HOLDS, engine="reference")]

    model = load(MUTEX)
    monkeypatch.setattr("quorbit.pipeline.load.read_model", read_model)
    monkeypatch.setattr("quorbit.pipeline.choose.find_engine", lambda name: replace(REFERENCE, explore=explore))
    bounds.append(1)
    assert check(model, CheckOptions(engine="reference")).verdict == "holds"
    assert bounds == [1, 2, 4]


def test_group_beyond_reach_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def classify(*given: object) -> None:
        raise BeyondReach("far too large")

    monkeypatch.setattr("quorbit.pipeline.prepare.classify_group", classify)
    result = check(MUTEX).worst
    assert (result.verdict, result.states) == ("holds", 20)
    assert isinstance(result.symmetry, Found)
    assert result.symmetry.strategy == "none"
    assert "far too large" in result.symmetry.notes[0]


@pytest.mark.parametrize(
    "options",
    [
        CheckOptions(symmetry="off", strategy="chain"),
        CheckOptions(engine="reference", search=SearchOptions(threads=2)),
        CheckOptions(engine="reference", properties=("G F #C = 0",)),
        CheckOptions(engine="warp"),
        CheckOptions(engine="symbolic", strategy="chain"),
        CheckOptions(engine="adaptive", strategy="chain"),
        CheckOptions(engine="adaptive", symmetry="off"),
        CheckOptions(strategy="luck"),
    ],
)
def test_what_cannot_be_honoured_is_refused(options: CheckOptions) -> None:
    with pytest.raises(UserError):
        check(MUTEX, options)


def test_python_interface() -> None:
    model = quorbit.load(MUTEX)
    found = quorbit.symmetry(model)
    assert (found.order, found.structure) == (6, "S3")
    results = quorbit.check(model, quorbit.CheckOptions(symmetry="off"))
    assert (results.verdict, results.worst.states) == ("holds", 20)
    assert symmetry(str(MUTEX), CheckOptions(properties=("G (s[2] != C)",))).order == 2


def test_memory_limit_stops_the_search(tmp_path: Path) -> None:
    model = tmp_path / "long.edges"
    model.write_text("processes 12\nstates A, B, C, D\nA -> B B -> C C -> D when i > 1 D -> A when s[next(i)] != A\n")
    asked = CheckOptions(engine="reference", symmetry="off", search=SearchOptions(memory=1000, timeout=20))
    result = check(model, asked).worst
    assert result.verdict == "unknown"
    assert "memory limit" in result.outcome.message


def test_a_run_that_is_left_says_what_it_knew() -> None:
    def watch(step: str, statistics: Statistics) -> bool:
        if step == "explore" and statistics.states > 3:
            raise Interrupted("while it looked for the trace")
        return False

    result = check(ROOT / "examples" / "broken_mutex.edges", CheckOptions(engine="explicit"), watch).worst
    assert (result.verdict, result.outcome.message) == ("unknown", "while it looked for the trace")
    assert result.states == 8


def test_a_run_without_the_explicit_engine_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorbit.machine.library.is_available", lambda: False)
    built = "was not built when this package was installed (no C compiler was found)"
    for asked in ((), ("G F #C = 0",)):
        result = check(MUTEX, CheckOptions(properties=asked)).worst
        assert result.outcome.engine in ("reference", "temporal")
        assert f"the explicit engine {built}: the search is slow" in result.notes
    assert check(MUTEX, CheckOptions(engine="reference")).worst.notes == ()


def test_an_engine_that_refuses_late_leaves_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    """As a compiled runtime of another version does."""

    def refuse() -> None:
        raise UserError(None, "the explicit engine belongs to another version")

    monkeypatch.setattr("quorbit.machine.library.runtime", refuse)
    result = check(MUTEX, CheckOptions()).worst
    assert result.outcome.engine == "reference"
    assert "the explicit engine belongs to another version" in result.notes


def test_symmetry_of_a_model_without_variables(tmp_path: Path) -> None:
    """There is one state, and nobody looks for symmetry; the answer is that nothing moves."""
    machine = tmp_path / "Plain.mch"
    machine.write_text("MACHINE Plain SETS S = {a, b} OPERATIONS ask = skip END", encoding="utf-8")
    found = symmetry(machine)
    assert (found.order, found.structure, found.reason) == (1, "trivial", "the model has one state")


def test_processes_without_end_are_not_counted(tmp_path: Path) -> None:
    """Whether a symmetry has an effect is looked up by counting states, for which there may be no room."""
    path = tmp_path / "m.pml"
    path.write_text("byte n; proctype P() { n++; assert(n != 3); run P(); false }\ninit { run P(); run P(); false }\n")
    assert symmetry(path).order == 24
    result = check(path).results[0]
    assert (result.verdict, result.symmetry.order) == ("fails", 24)
