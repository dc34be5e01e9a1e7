"""The beginning of a model is found without the commands of processes that do not move in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.promela.lower.places import Placement, place_program
from quorbit.languages.promela.lower.prelude import LeftOutMoves, settle
from quorbit.languages.promela.lower.system import all_flows, assemble, guess_counts, settle_early
from quorbit.languages.promela.parse.units import parse
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.read import read_source

WORKER = "byte x; proctype worker(byte n) { do :: x < n -> x++ :: else -> x = 0 od }\n"
ATOMIC = WORKER + "init { byte k; atomic { do :: k < 3 -> run worker(k); k++ :: else -> break od } }\n"
ONE_BY_ONE = WORKER + "init { run worker(1); run worker(2) }\n"
RENDEZVOUS = (
    "chan c = [0] of { byte }; byte x; proctype taker() { byte y; c ? y; x = y }\n"
    "init { atomic { run taker(); c ! 1; run taker() } }\n"
)
BLOCKED = WORKER + "init { atomic { run worker(2); x == 2; run worker(1) } }\n"
RUNS = "; ".join(f"run cell({k})" for k in range(9))
FILL = "if " + " ".join(f":: busy[{k}] = true" for k in range(9)) + " fi"
FILLED = (
    "bool busy[9]; proctype cell(byte me) { end: do :: busy[me] -> busy[me] = false od }\n"
    f"init {{ atomic {{ {'; '.join([RUNS, *[FILL] * 4])} }} }}\n"
)
PRIORITIES = WORKER + "init { atomic { run worker(1) priority 3; run worker(2) } }\n"


def placed(text: str, folder: Path, count_like: str) -> Placement:
    file = folder / "model.pml"
    file.write_text(text)
    program = parse(read_source(file), ())
    flows = all_flows(program, count_like)
    return place_program(program, flows, guess_counts(flows, 1), count_like)


@pytest.mark.parametrize("count_like", ["own", "spin"])
@pytest.mark.parametrize("text", [ATOMIC, ONE_BY_ONE, RENDEZVOUS, BLOCKED, FILLED, PRIORITIES])
def test_the_beginning_is_that_of_all_commands(text: str, count_like: str, tmp_path: Path) -> None:
    placement = placed(text, tmp_path, count_like)
    early, whole = settle_early(placement), settle(placement, assemble(placement))
    assert (early.stages, early.ends, early.starter) == (whole.stages, whole.ends, whole.starter)
    assert early.performed == whole.performed


def test_processes_that_are_created_first_and_do_not_move_need_no_commands(tmp_path: Path) -> None:
    placement = placed(ATOMIC, tmp_path, "spin")
    assert len(settle(placement, assemble(placement, ("worker",)), ("worker",)).stages) == 1


def test_a_process_that_may_move_is_not_left_out(tmp_path: Path) -> None:
    placement = placed(ONE_BY_ONE, tmp_path, "spin")
    with pytest.raises(LeftOutMoves):
        settle(placement, assemble(placement, ("worker",)), ("worker",))


def test_a_choice_with_very_many_outcomes_is_left_to_the_search(tmp_path: Path) -> None:
    """The processes are there before it, so they are known and alike."""
    assert len(settle_early(placed(FILLED, tmp_path, "own")).ends) == 1
    (tmp_path / "model.pml").write_text(FILLED)
    whole = check(tmp_path / "model.pml", CheckOptions(symmetry="off")).counted
    found = check(tmp_path / "model.pml", CheckOptions(search=SearchOptions(represented=True))).counted
    assert found.states == 16
    assert found.outcome.statistics.represented == whole.states


LAID = """bool plate[2]; byte n;
proctype guest(byte me) { do :: plate[me] -> plate[me] = false; n = 1 - n; plate[me] = true od }
init { byte k; do :: k < 2 -> plate[k] = true; k++ :: else -> break od; atomic { run guest(0); run guest(1) } }
"""


@pytest.mark.parametrize(
    ("text", "count_like", "is_one_step"),
    [
        (LAID, "own", True),
        (LAID, "spin", False),
        (LAID + "ltl both { [] (plate[0] == plate[1]) }\n", "own", False),
        (LAID + "never { do :: plate[0] == plate[1] :: else -> break od }\n", "own", False),
    ],
)
def test_what_only_the_starter_does_is_one_step_where_nobody_can_tell(
    text: str, count_like: str, is_one_step: bool, tmp_path: Path
) -> None:
    settled = settle_early(placed(text, tmp_path, count_like))
    assert len(settled.ends) == 1
    assert (len(settled.stages) == 1) == is_one_step


def test_a_formula_sees_what_is_laid_first(tmp_path: Path) -> None:
    model = tmp_path / "laid.pml"
    for text in (LAID, LAID + "ltl both { [] (plate[0] == plate[1]) }\n"):
        model.write_text(text)
        asked = "both" if "ltl" in text else "[] (plate[0] == plate[1])"
        assert check(model, CheckOptions((asked,))).verdict == "fails"
