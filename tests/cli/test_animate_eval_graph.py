"""``quorbit animate``, ``quorbit eval``, ``quorbit graph`` and the coverage of ``quorbit check``."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "models"
MUTEX = str(ROOT / "examples" / "mutex.edges")
BOOKING = str(ROOT / "examples" / "b" / "SeatBooking.mch")
HOUSE = str(MODELS / "b" / "house.mch")


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out + captured.err


def type_in(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_animate_a_machine(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    type_in(monkeypatch, "1", "1", "limit + 1", "u", "1", "q")
    code, out = run(capsys, "animate", HOUSE)
    assert code == 0
    assert "  1: SETUP_CONSTANTS" in out
    assert "l.press(USER1)" in out
    assert "\n2\n" in out


def test_animate_another_language(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    type_in(monkeypatch, "1", "u", "q")
    code, out = run(capsys, "animate", MUTEX)
    assert code == 0
    assert "s = (N" in out
    assert "s[1]: N -> T" in out


def test_animate_has_no_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys, "animate", MUTEX, "--json")
    assert (code, json.loads(out)["error"]["message"][:7]) == (2, "animate")


@pytest.mark.parametrize(
    ("model", "expression", "value"),
    [
        (BOOKING, "card(dom(seat)) + 2", "2"),
        (BOOKING, "seat = {}", "true"),
        (HOUSE, "{1 |-> TRUE} \\/ {2 |-> FALSE}", "{1 |-> TRUE, 2 |-> FALSE}"),
        (HOUSE, "limit", "1"),
        (MUTEX, "#N", "3"),
        (MUTEX, "s[1] = N and s[2] = T", "false"),
        (MUTEX, "s[2]", "N"),
        (MUTEX, "forall i: s[i] = N", "true"),
    ],
)
def test_eval(capsys: pytest.CaptureFixture[str], model: str, expression: str, value: str) -> None:
    assert run(capsys, "eval", model, expression) == (0, f"{value}\n")


def test_eval_promela_before_and_after(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model, file = tmp_path / "m.pml", str(tmp_path / "t.json")
    declarations = "mtype = { a, b }; mtype m = a; byte x = 4; chan q = [2] of { byte };"
    model.write_text(declarations + "init { byte k = 5; q!x; x = x + k; m = b }", encoding="utf-8")
    assert run(capsys, "eval", str(model), "x * 2 + len(q)") == (0, "8\n")
    run(capsys, "simulate", str(model), "--trace", file)
    assert run(capsys, "eval", str(model), "x * 2 + len(q)", "--after", file) == (0, "19\n")
    assert run(capsys, "eval", str(model), "m", "--after", file) == (0, "b\n")
    code, out = run(capsys, "eval", str(model), "m == b", "--after", file, "--json")
    assert (code, json.loads(out)["value"]) == (0, "1")


MURPHI = """
type id: scalarset(2); place: enum { idle, busy };
var at: array[id] of place; n: 0..5; holder: id;
startstate begin for i: id do at[i] := idle; end; n := 2; undefine holder; end;
ruleset i: id do rule "go" at[i] = idle ==> begin at[i] := busy; n := n + 1; holder := i; end; end;
"""


@pytest.fixture
def murphi(tmp_path: Path) -> str:
    model = tmp_path / "m.m"
    model.write_text(MURPHI, encoding="utf-8")
    return str(model)


def test_eval_murphi_before_and_after(capsys: pytest.CaptureFixture[str], murphi: str, tmp_path: Path) -> None:
    assert run(capsys, "eval", murphi, "n = 2 ? n + 2 : 0") == (0, "4\n")
    assert run(capsys, "eval", murphi, "forall i: id do at[i] = idle end & isundefined(holder)") == (0, "true\n")
    file = str(tmp_path / "t.json")
    run(capsys, "simulate", murphi, "--trace", file)  # until nobody can go
    assert run(capsys, "eval", murphi, "n", "--after", file) == (0, "4\n")
    assert run(capsys, "eval", murphi, "exists i: id do at[i] = idle end", "--after", file) == (0, "false\n")
    code, out = run(capsys, "eval", murphi, "holder", "--after", file)
    assert (code, out[:3]) == (0, "id_")


@pytest.mark.parametrize(
    ("expression", "message"),
    [("holder", "undefined"), ("at", "this is an array"), ("n * zz", "<expression>:1:5: error: zz is not declared")],
)
def test_eval_murphi_mistakes(capsys: pytest.CaptureFixture[str], murphi: str, expression: str, message: str) -> None:
    code, out = run(capsys, "eval", murphi, expression)
    assert code == 2
    assert message in out


@pytest.mark.parametrize(
    ("model", "expression", "message"),
    [
        (BOOKING, "1 +", "<expression>:1:4"),
        (BOOKING, "1 / 0", "division by zero"),
        (BOOKING, "nobody", "nobody"),
        (BOOKING, "1 + TRUE", "<expression>:1"),
        (MUTEX, "s[9]", "9"),
        (MUTEX, "#N )", "should end here"),
        (MUTEX, "", "<expression>:1:1"),
        (str(MODELS / "promela" / "buffered.pml"), "[] (x > 1)", "<expression>:1"),
        (str(MODELS / "promela" / "buffered.pml"), "zz", "not declared"),
        (str(ROOT / "examples" / "circuits" / "ping_pong.mv"), "a", "circuits cannot be evaluated"),
        ("missing.mch", "1", "no such file"),
    ],
)
def test_eval_mistakes(capsys: pytest.CaptureFixture[str], model: str, expression: str, message: str) -> None:
    code, out = run(capsys, "eval", model, expression)
    assert code == 2
    assert message in out


def graph(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    code, out = run(capsys, "graph", *arguments, "--json")
    assert code == 0
    found: dict[str, Any] = json.loads(out)
    return found


def test_graph_counts_what_check_counts(capsys: pytest.CaptureFixture[str]) -> None:
    for model in (MUTEX, str(MODELS / "promela" / "buffered.pml"), HOUSE):
        for symmetry in ("off", "auto"):
            code, out = run(capsys, "check", model, "--symmetry", symmetry, "--engine", "reference", "--json")
            assert code == 0
            found = graph(capsys, model, "--symmetry", symmetry)
            assert len(found["states"]) == json.loads(out)["states"]
            assert [s["number"] for s in found["states"] if s["initial"]] == [0]
            assert {m["from"] for m in found["moves"]} <= {s["number"] for s in found["states"]}


def test_graph_as_dot(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "g.dot"
    assert run(capsys, "graph", MUTEX, "--dot", str(file)) == (0, "7 states, 18 moves, symmetry S3\n")
    text = file.read_text(encoding="utf-8")
    assert text.startswith('digraph "mutex" {')
    assert text.count("peripheries=2") == 1
    assert text.count("fontsize=9") == 18
    assert '  0 -> 1 [label="N -> T(1)", fontsize=9];' in text.splitlines()


def test_graph_shows_errors(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / 'odd".pml'
    model.write_text("byte x; init { x = 3; assert(x < 3) }", encoding="utf-8")
    found = graph(capsys, str(model))
    assert [s["error"] for s in found["states"] if s["error"]] == ["assertion violated: assert(x < 3)"]
    code, out = run(capsys, "graph", str(model), "--dot", "-")
    assert code == 0
    assert "color=red" in out
    assert '"odd\\"' in out or '\\"' in out


def test_graph_refuses_what_is_too_large(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "g.dot"
    code, out = run(capsys, "graph", MUTEX, "--dot", str(file), "--max-states", "3")
    assert (code, out) == (3, "UNKNOWN: there are more than 3 states; --max-states N allows more\n")
    assert not file.exists()
    code, out = run(capsys, "graph", str(ROOT / "examples" / "circuits" / "philosophers20.mv"), "--json")
    assert (code, json.loads(out)["verdict"]) == (3, "unknown")


def test_graph_wants_to_know_where(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys, "graph", MUTEX)
    assert code == 2
    assert "--dot FILE" in out


UNREACHED = """byte x; bool f;
proctype P() {
    do
    :: x < 2 -> x++
    :: x >= 5 ->
        x = 0;
        f = 1
    :: else ->
        x = 1
    od;
    f = 0
}
init {
    atomic { run P(); run P() };
    if
    :: x == 9 ->
        f = 1
    :: x == 1 -> skip
    fi
}
"""


def test_unreached_statements(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Those that pan reports (lines 6, 7, 11, 17), and the conditions that never hold."""
    model = tmp_path / "u.pml"
    model.write_text(UNREACHED, encoding="utf-8")
    code, out = run(capsys, "check", str(model), "--engine", "reference", "--json")
    assert code == 0
    coverage = json.loads(out)["coverage"]
    assert coverage["complete"] is True
    assert [(u["line"], u["statement"]) for u in coverage["unreached"]] == [
        (5, "x >= 5"),
        (6, "x = 0"),
        (7, "f = 1"),
        (11, "f = 0"),
        (16, "x == 9"),
        (17, "f = 1"),
    ]
    code, out = run(capsys, "check", str(model), "--engine", "reference")
    assert "unreached   6 of" in out
    assert f"{model}:11 f = 0" in out


def test_coverage_of_operations(capsys: pytest.CaptureFixture[str]) -> None:
    _, out = run(capsys, "check", HOUSE, "--coverage", "--engine", "reference")
    assert [line.split()[1:] for line in out.splitlines() if line.endswith("  wrong")] == [["never", "wrong"]]
