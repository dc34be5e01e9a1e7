"""When ``--engine auto`` chooses adaptive reduction, what it says then, and that it is never worse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main
from quorbit.pipeline import run as pipeline

ROOT = Path(__file__).parents[2]
SMALL_CLASSES = str(ROOT / "tests" / "models" / "edges" / "resource_by_index.edges")
MUTEX = str(ROOT / "examples" / "mutex.edges")
READERS_WRITERS = str(ROOT / "examples" / "readers_writers.edges")

ALMOST = """processes 5
states N, T, C
N -> T
T -> C when #C = 0
C -> N
C -> T when #T < 3
T -> N when #C > 0{}
error both: #C > 1
"""


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, found


def is_chosen(found: dict[str, Any]) -> bool:
    return found["engine"] == "adaptive" and any("adaptive reduction was chosen" in note for note in found["notes"])


def test_chosen_where_most_commands_are_more_symmetric_than_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "check", SMALL_CLASSES)
    _, quotient = run_json(capsys, "check", SMALL_CLASSES, "--engine", "explicit")
    assert (code, found["verdict"]) == (0, quotient["verdict"])
    assert is_chosen(found)
    assert found["states"] < quotient["states"]
    assert found["symmetry"]["order"] == quotient["symmetry"]["order"]


def test_four_of_five_commands_are_enough_three_of_four_are_not(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "almost.edges"
    path.write_text(ALMOST.format(" and i != 2"))
    assert is_chosen(run_json(capsys, "check", str(path))[1])
    path.write_text(ALMOST.format(" and i != 2").replace("C -> N\n", ""))
    assert run_json(capsys, "check", str(path))[1]["engine"] == "explicit"
    assert run_json(capsys, "check", READERS_WRITERS)[1]["engine"] == "explicit"


def test_not_chosen_where_the_model_is_symmetric(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "symmetric.edges"
    path.write_text(ALMOST.format(""))
    assert run_json(capsys, "check", str(path))[1]["engine"] == "explicit"


def test_not_chosen_for_temporal_formulas_or_without_symmetry(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_json(capsys, "check", SMALL_CLASSES, "--property", "G F #T = 0")[1]["engine"] != "adaptive"
    for option in (["--symmetry", "off"], ["--strategy", "exact"], ["--threads", "2"]):
        assert run_json(capsys, "check", SMALL_CLASSES, *option)[1]["engine"] == "explicit"


def test_a_property_that_names_a_process(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "check", MUTEX, "--property", "G !(s[2] = C)")
    assert (code, found["verdict"]) == (1, "fails")
    assert is_chosen(found)
    assert len(found["trace"]) == 3


def test_given_up_where_orbits_fall_into_very_many_pieces(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The last edge tells all 15 processes apart: the usual engine answers, and the run says why."""
    classes = ", ".join(f"c{k}: {k}" for k in range(1, 16))
    weights = " + ".join(f"{k} * #B[c{k}]" for k in range(1, 16))
    edges = "A -> B when #B < 8\nB -> A when #B < 3\nA -> A when #B = 9\nB -> A when #B = 1 and #A > 2"
    text = f"processes {classes}\nstates A, B\n{edges}\nB -> A when {weights} = 7\nno deadlock check"
    path = tmp_path / "weights.edges"
    path.write_text(text)
    code, found = run_json(capsys, "check", str(path))
    assert (code, found["engine"], found["verdict"]) == (0, "explicit", "holds")
    assert any("abandoned: the orbits fall into too many pieces" in note for note in found["notes"])


def test_order_and_trace_are_options(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ("check", MUTEX, "--property", "G !(s[2] = C)")
    code, found = run_json(capsys, *asked, "--engine", "adaptive", "--search", "dfs")
    assert (code, found["engine"]) == (1, "adaptive")
    code, found = run_json(capsys, *asked, "--engine", "adaptive", "--no-trace")
    assert (code, found["trace"]) == (1, None)
    code, found = run_json(capsys, *asked, "--engine", "reference", "--search", "dfs")
    assert (code, found["error"]["message"]) == (2, "the reference engine searches breadth first")
    code, found = run_json(capsys, *asked, "--engine", "explicit", "--no-trace")
    assert (code, found["error"]["message"]) == (2, "the explicit engine keeps what a trace needs")
    code, found = run_json(capsys, *asked, "--engine", "adaptive", "--threads", "2")
    assert (code, found["error"]["message"]) == (2, "the adaptive engine runs in one thread")


def privileged(count: int) -> str:
    """Mutual exclusion in which the first process alone may go back; the quotient has some eight states a process."""
    return f"processes {count}\nstates N, T, C\nN -> T\nT -> C when #C = 0\nC -> N\nC -> T\nT -> N when i = 1\n"


@pytest.mark.parametrize("more", [1, 0, -1])
def test_chosen_whether_or_not_few_states_are_the_whole(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    path = tmp_path / "privileged.edges"
    path.write_text(privileged(12))
    quotient = run_json(capsys, "check", str(path), "--engine", "explicit")[1]
    monkeypatch.setattr(pipeline, "FEW_STATES", quotient["states"] + more)
    found = run_json(capsys, "check", str(path))[1]
    assert (is_chosen(found), found["verdict"]) == (True, "holds")
    assert found["states"] < quotient["states"]


def test_a_limit_below_that_number_is_the_users(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "privileged.edges"
    path.write_text(privileged(12))
    code, found = run_json(capsys, "check", str(path), "--max-states", "5")
    assert (code, found["verdict"], found["message"]) == (3, "unknown", "the limit of 5 states was reached")


CLIENTS = """mtype = { ask, grant, back };
chan desk = [2] of { mtype, pid };
chan answer[6] = [1] of { mtype };
byte users;
proctype client() {
  do :: desk!ask(_pid); answer[_pid]?grant; users++; assert(users == 1); users--; desk!back(_pid) od
}
proctype server() {
  pid who, other;
  do :: desk?ask(who) -> answer[who]!grant; who = 0 :: desk?back(other) -> other = 0 od
}
init { atomic { run client(); run client(); run client(); run client(); run server() } }
"""


def test_not_chosen_where_it_would_look_at_more_states(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "clients.pml"
    path.write_text(CLIENTS)
    _, orbits = run_json(capsys, "check", str(path), "--engine", "explicit")
    _, abstract = run_json(capsys, "check", str(path), "--engine", "adaptive")
    assert abstract["states"] > orbits["states"]
    _, found = run_json(capsys, "check", str(path))
    assert (found["engine"], found["states"], found["verdict"]) == ("explicit", orbits["states"], orbits["verdict"])


def test_not_tried_where_channels_alone_are_told_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Three channels of one shape with different users, and no two processes of one kind: nothing to win."""
    path = tmp_path / "lines.pml"
    path.write_text(
        "chan into = [4] of { short }; chan large = [4] of { short }; chan small = [4] of { short };\n"
        "active proctype split() { short x; do :: into?x; if :: x >= 9 -> large!x :: x < 9 -> small!x fi od }\n"
        "active proctype merge() { short x; do :: if :: large?x :: small?x fi; into!x od }\n"
        "init { into!34; into!1; into!2 }\n"
    )
    found = run_json(capsys, "check", str(path))[1]
    assert found["engine"] == "explicit"
    assert not any("adaptive" in note for note in found["notes"])


LENDERS = """chan own[2] = [1] of { bit };
chan desk = [1] of { chan };
bit flag[2];
proctype user(short me) {
  chan reply = desk;
  do
  :: atomic { flag[me] == 0 -> flag[me] = 1 }
  :: flag[me] == 0 -> break
  :: atomic { desk?reply -> if :: nfull(reply) -> reply!1 :: else fi; reply = desk }
  od;
done: false
}
init { atomic { run user(0); run user(1) } }
"""


def test_not_tried_where_it_can_permute_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """At a glance the channels could be permuted; what the commands leave together are users that refer to users."""
    path = tmp_path / "lenders.pml"
    path.write_text(LENDERS)
    code, found = run_json(capsys, "check", str(path), "--count-like", "spin")
    assert (code, found["engine"], found["verdict"]) == (1, "explicit", "fails")
    assert run_json(capsys, "check", str(path), "--count-like", "spin", "--engine", "adaptive")[0] == 2
