"""Formulas, claims and labels of Promela models: the verdicts of SPIN, reduced and not, with and without fairness.

VERDICTS holds what SPIN 6.5.2 says (without and with its option -f), so that the comparison does not need it; where it
is installed, a sample of the table is asked of it anew, and all of it in the long runs.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from spin_verdicts import Pan, is_installed, properties_of

from quorbit.engines.translate import closes
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult

FOLDER = Path(__file__).parents[1] / "models" / "temporal"
VERDICTS: dict[str, dict[str, tuple[bool, bool]]] = {
    "blocked": {
        "both": (True, True),
        "twice": (True, True),
        "drained": (True, True),
        "filled": (True, True),
        "starts": (True, True),
    },
    "claim_assert": {
        "never": (False, False),
    },
    "claim_cycle": {
        "never": (False, False),
    },
    "claim_end": {
        "never": (True, True),
    },
    "ends": {
        "done": (True, True),
        "room": (True, True),
        "empties": (True, True),
        "bounded": (True, True),
        "second_first": (True, True),
        "first_first": (False, False),
        "forgets": (True, True),
    },
    "family": {
        "comes": (False, True),
        "ends": (False, True),
        "back": (False, True),
        "busy": (False, False),
    },
    "labels": {
        "accept": (False, False),
        "progress": (False, False),
    },
    "labels_good": {
        "accept": (False, False),
        "progress": (True, True),
    },
    "lock": {
        "someone": (True, True),
        "exclusive": (True, True),
        "settles": (False, False),
        "first": (False, False),
        "either": (False, False),
        "leaves": (True, True),
        "weak_order": (False, False),
    },
    "meeting": {
        "works": (True, True),
        "answers": (True, True),
        "zero": (False, False),
        "both": (False, False),
        "some": (True, True),
        "never_one": (False, False),
    },
    "philosophers": {
        "eats": (False, False),
        "again": (False, False),
        "alone": (True, True),
        "deadlock": (False, False),
        "free": (False, False),
    },
    "rota": {
        "one": (True, True),
        "two": (False, False),
        "three": (False, False),
        "four": (True, True),
        "five": (True, True),
        "six": (True, True),
        "seven": (True, True),
        "eight": (True, True),
        "nine": (False, False),
        "ten": (False, False),
        "eleven": (True, True),
    },
    "stops": {
        "reaches": (True, True),
        "stays": (True, True),
        "again": (False, False),
        "up": (True, True),
        "steps": (True, True),
        "odd": (False, False),
    },
    "turns": {
        "round": (False, False),
        "round_or_over": (False, True),
        "ends": (False, False),
        "stays": (True, True),
        "frozen": (False, False),
        "after": (True, True),
    },
    "waits": {
        "wakes": (False, False),
        "sleeps": (True, True),
        "stops": (False, False),
        "quiet": (True, True),
        "never_awake": (True, True),
    },
}
MODELS = {path.stem: path for path in sorted(FOLDER.glob("*.pml"))}
SAMPLE = ["lock", "claim_end"]


def ask(model: Model, name: str, symmetry: str, fair: bool) -> CheckResult:
    search = SearchOptions(fairness="weak" if fair else "none")
    (result,) = check(model, CheckOptions((name,), symmetry, search=search)).results
    return result


@pytest.mark.parametrize("stem", VERDICTS)
@pytest.mark.parametrize("symmetry", ["auto", "off"])
def test_verdicts_are_those_of_spin(stem: str, symmetry: str) -> None:
    model = load(MODELS[stem])
    for name, expected in VERDICTS[stem].items():
        for fair in (False, True):
            result = ask(model, name, symmetry, fair)
            assert result.verdict == ("holds" if expected[fair] else "fails"), (name, fair, result.outcome.message)
            if not expected[fair]:
                assert result.outcome.trace is not None
                assert result.outcome.trace.loop is None or closes(result.outcome.trace)


def test_there_are_enough_cases() -> None:
    assert set(VERDICTS) == set(MODELS)
    assert sum(2 * len(rows) for rows in VERDICTS.values()) >= 40
    for stem, path in MODELS.items():
        assert list(VERDICTS[stem]) == properties_of(path)


@pytest.mark.parametrize("stem", [pytest.param(s, marks=() if s in SAMPLE else pytest.mark.soak) for s in MODELS])
def test_spin_says_so(stem: str, tmp_path: Path) -> None:
    if not is_installed():
        return
    pan = Pan(MODELS[stem], tmp_path)
    for name, expected in VERDICTS[stem].items():
        assert (pan.holds(name, fair=False), pan.holds(name, fair=True)) == expected, name


def test_symmetry_is_used() -> None:
    model = load(MODELS["lock"])
    assert ask(model, "someone", "auto", fair=True).states < ask(model, "someone", "off", fair=True).states
    assert ask(model, "first", "auto", fair=False).symmetry.order == 2
