"""``quorbit simulate``: runs at random and by hand, what they print, the files they leave."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main

ROOT = Path(__file__).parents[2]
MODELS = ROOT / "tests" / "models"
MUTEX = str(ROOT / "examples" / "mutex.edges")
BROKEN = str(ROOT / "examples" / "broken_mutex.edges")
BUFFERED = str(MODELS / "promela" / "buffered.pml")
PRINTS = """mtype = { ack, msg };
mtype:colour = { red, green };
mtype:colour c = green;
byte seen;
proctype P(byte n) {
    byte k = 3;
    atomic {
        printf("P %d \\"%%\\" %c\\n", n, 'a' + n);
        k = k + n;
        printf("k=%d %x %o\\t%e %e %u\\n", k, 255, 8, c, msg, 7);
        seen = n + 40;
    }
    printf("seen %d", seen)
}
init { run P(1) }
"""


@pytest.fixture
def model(tmp_path: Path) -> Any:
    def write(text: str, name: str = "m.pml") -> str:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return str(path)

    return write


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    return code, capsys.readouterr().out


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code, out = run(capsys, *arguments, "--json")
    found: dict[str, Any] = json.loads(out)
    return code, found


def by_hand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, *arguments: str) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(words.split()) + "\n"))
    _, out = run(capsys, *arguments)
    return out


def test_one_seed_gives_one_run(capsys: pytest.CaptureFixture[str]) -> None:
    runs = [run_json(capsys, "simulate", MUTEX, "--seed", seed, "--steps", "30")[1] for seed in ("5", "5", "6")]
    assert runs[0] == runs[1]
    assert runs[0]["trace"] != runs[2]["trace"]
    assert (runs[0]["steps"], runs[0]["verdict"], runs[0]["seed"]) == (30, None, 5)


def test_steps_say_who_where_and_what(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run(capsys, "simulate", MUTEX, "--steps", "1", "--seed", "2")
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("  0: start  s = (N, N, N)")
    assert f"{MUTEX}:7  [N -> T]" in lines[1]
    assert lines[2].strip().endswith("]: N -> T")
    assert lines[3] == "stopped after 1 steps"


def test_printf_is_as_spin_prints_it(capsys: pytest.CaptureFixture[str], model: Any) -> None:
    code, out = run(capsys, "simulate", model(PRINTS), "--quiet")
    assert code == 0
    assert out.startswith('P 1 "%" b\nk=4 ff 10\tgreen msg 7\nseen 41')


def test_printf_of_every_step_in_json(capsys: pytest.CaptureFixture[str], model: Any) -> None:
    _, found = run_json(capsys, "simulate", model(PRINTS))
    assert [step["printed"] for step in found["trace"][1:] if step["printed"]] == [
        'P 1 "%" b\n',
        "k=4 ff 10\tgreen msg 7\n",
        "seen 41",
    ]
    assert found["trace"][1]["command"] == "run P(1)"
    assert found["trace"][-1]["state"]["c"] == "green"


def test_violations_end_the_run_with_code_1(capsys: pytest.CaptureFixture[str], model: Any) -> None:
    code, found = run_json(capsys, "simulate", model("byte x; init { x = 3; assert(x < 3); x = 4 }"))
    assert (code, found["verdict"], found["property"], found["steps"]) == (1, "fails", "assertions", 2)
    code, found = run_json(capsys, "simulate", model("byte x; init { x = 3; x == 4 }"))
    assert (code, found["property"], found["message"]) == (1, "end states", "invalid end state")
    code, found = run_json(capsys, "simulate", model("byte x, a[2]; init { x = 3; a[x] = 4 }"))
    assert (code, found["property"]) == (1, "run-time errors")


def test_invariants_are_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    answers = [run_json(capsys, "simulate", BROKEN, "--seed", str(seed)) for seed in range(12)]
    failing = [found for code, found in answers if code == 1]
    assert failing
    assert {found["property"] for found in failing} == {"mutex"}
    for found in failing:
        assert list(found["trace"][-1]["state"].values()).count("C") == 2


def test_a_process_that_creates_processes(capsys: pytest.CaptureFixture[str], model: Any) -> None:
    """More than the front end reckons with at first."""
    text = "byte n; proctype P() { n++; if :: n < 20 -> run P() :: else fi; n == 99 } init { run P() }"
    code, found = run_json(capsys, "simulate", model(text), "--steps", "200")
    assert (code, found["property"]) == (1, "end states")
    assert found["trace"][-1]["state"]["n"] == 20
    assert sum(step["command"] == "run P()" for step in found["trace"]) == 20


def test_by_hand(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    out = by_hand(monkeypatch, capsys, "1 1 s u x 99 q", "simulate", BUFFERED, "--interactive")
    assert "  1: P  line 6  i < 4" in out
    assert "q: [] -> [0]" in out
    assert "took one step back" in out
    assert "choose 1 to 2" in out
    assert out.splitlines()[-2] == "stopped after 1 steps"


def test_nothing_to_undo_and_the_end_of_the_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = by_hand(monkeypatch, capsys, "u", "simulate", MUTEX, "--interactive")
    assert "nothing to undo" in out
    assert "stopped after 0 steps" in out


def test_initial_states_are_chosen(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    starts = str(MODELS / "edges" / "starts.edges")
    out = by_hand(monkeypatch, capsys, "77 2 q", "simulate", starts, "--interactive")
    shown = next(line.split(": ", 1)[1] for line in out.splitlines() if line.startswith("  2: "))
    assert out.splitlines()[-1].endswith(shown)


def test_chart_as_text(capsys: pytest.CaptureFixture[str], model: Any) -> None:
    text = """chan q = [1] of { byte }; chan r = [0] of { byte };
        active proctype A() { q!7; r!8 } active proctype B() { byte x; q?x; r?x }"""
    _, out = run(capsys, "simulate", model(text), "--chart", "-", "--quiet")
    rows = out.splitlines()
    assert rows[0].split() == ["A", "B"]
    assert "q ! 7" in rows[1]
    assert "q ? 7" in rows[2]
    assert "r!8 / r?x" in rows[3]
    assert rows[3].rstrip().endswith("->|")


def test_chart_as_svg(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "c.svg"
    run(capsys, "simulate", BUFFERED, "--chart", str(file), "--steps", "40")
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    names = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text") if e.get("class") == "name"]
    assert names == ["P", "C"]
    titles = [e.text for e in root.iter("{http://www.w3.org/2000/svg}title")]
    assert "q: 0" in titles


def test_inputs_beyond_counting(capsys: pytest.CaptureFixture[str]) -> None:
    """Twenty philosophers have a million moves from every state; a walk draws one."""
    file = str(ROOT / "examples" / "circuits" / "philosophers20.mv")
    code, found = run_json(capsys, "simulate", file, "--steps", "5")
    assert (code, found["steps"]) == (0, 5)
    assert found["trace"][0]["state"] != found["trace"][-1]["state"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--interactive", "--json"], "choose one"),
        (["--steps", "0"], "positive"),
        (["--seed", "x"], "invalid int"),
        (["--count-like", "spin"], "has no option --count-like"),
        (["--trace", "/no/such/folder/t.json"], "No such file"),
    ],
)
def test_mistakes(capsys: pytest.CaptureFixture[str], arguments: list[str], message: str) -> None:
    assert main(["simulate", MUTEX, *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.out + captured.err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("simulate", "replay", "animate", "eval", "graph"):
        code, out = run(capsys, command, "--help")
        assert code == 0
        assert f"quorbit {command} " in out.split("examples:")[1]
