"""--ignore and --pref: what is not looked for, and preferences from outside."""

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError

STEPS = """MACHINE m DEFINITIONS GOAL == x = 3 VARIABLES x, f INVARIANT x : 0..2 & f : 0..3 +-> 0..3 ASSERTIONS x /= 2
INITIALISATION x :: 0..1 || f := {0 |-> 1, 1 |-> 2, 2 |-> 3} OPERATIONS step = x := f(x) END"""
PROMELA = "int a[2]; active proctype p() { byte i = 1; assert(i == 2); i = 2; a[i] = 1; i = 7 }"


def answer(path: Path, *ignored: str, **options: object) -> str:
    (result,) = check(load(path, LoadOptions(ignore=ignored, **options))).results  # type: ignore[arg-type]
    return f"{result.outcome.verdict.value}: {result.outcome.message}".split(" (")[0]


def test_kinds_of_errors_one_after_the_other(tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_text(STEPS)
    assert answer(path) == "fails: assertion violated: x /= 2"
    assert answer(path, "assertion") == "fails: invariant violated: x : 0 .. 2"
    assert answer(path, "assertion", "invariant") == "fails: goal reached"
    three = ("assertion", "invariant", "goal")
    assert answer(path, *three) == "fails: function applied outside its domain"
    assert answer(path, *three, "welldefinedness") == "fails: deadlock"
    assert answer(path, *three, "welldefinedness", "deadlock") == "holds: "
    assert answer(path, *three, "welldefinedness", deadlock="off") == "holds: "


def test_other_languages(tmp_path: Path) -> None:
    path = tmp_path / "m.pml"
    path.write_text(PROMELA)
    assert "assert" in answer(path)
    assert "index" in answer(path, "assertion")
    assert answer(path, "assertion", "welldefinedness", "deadlock") == "holds: "
    with pytest.raises(UserError, match="there is no such preference"):
        load(path, LoadOptions(preferences=(("MAXINT", "3"),)))


def test_preferences_win_over_the_text(tmp_path: Path) -> None:
    text = "MACHINE m DEFINITIONS SET_PREF_MAXINT == 4 SETS S VARIABLES x, s INVARIANT x : NAT & s <: S "
    text += "INITIALISATION x := 0 || s := {} OPERATIONS set(n) = PRE n : NAT THEN x := n END; "
    text += "add(e) = PRE e : S THEN s := s \\/ {e} END; any = ANY k WHERE k : 1..2 THEN skip END END"
    path = tmp_path / "m.mch"
    path.write_text(text)

    def count(*preferences: tuple[str, str]) -> tuple[int, int]:
        model = load(path, LoadOptions(preferences=preferences, deadlock="off"))
        (result,) = check(model).results
        return result.outcome.statistics.states, len(model.system.atoms)

    assert count()[1] == 2
    assert count(("MAXINT", "1"), ("DEFAULT_SETSIZE", "3"))[1] == 3
    assert count(("MAXINT", "1"))[0] * 5 == count(("MAXINT", "2 ** 2"))[0] * 2
    with pytest.raises(UserError, match="should end here"):
        count(("MAXINT", "1 2"))


def test_few_initialisations_leave_the_answer_open(tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    text = "MACHINE m CONSTANTS c PROPERTIES c : 1..3 VARIABLES x INVARIANT x : 1..3 INITIALISATION x :: 1..c "
    path.write_text(text + "OPERATIONS o = skip END")
    for most, expected in (("2", "unknown"), ("3", "holds")):
        assert answer(path, preferences=(("MAX_INITIALISATIONS", most),)).startswith(expected)


def test_few_operations_leave_the_answer_open(tmp_path: Path) -> None:
    """Of ten values nine are tried: nothing holds, but what is found is found; ten are all there are."""
    path = tmp_path / "m.mch"
    text = "MACHINE m VARIABLES x INVARIANT x : 0..9 INITIALISATION x := 0 "
    text += "OPERATIONS set(n) = PRE n : 0..9 THEN x := n END "
    path.write_text(text + "END")
    for most, expected in (("9", "unknown"), ("10", "holds")):
        assert answer(path, preferences=(("MAX_OPERATIONS", most),)).startswith(expected)
    path.write_text(text.replace("x : 0..9", "x : 0..4") + "END")
    assert answer(path, preferences=(("MAX_OPERATIONS", "9"),)).startswith("fails")
    with pytest.raises(UserError, match="positive number"):
        answer(path, preferences=(("MAX_OPERATIONS", "0"),))
