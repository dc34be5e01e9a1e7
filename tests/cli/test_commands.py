"""The commands and the machine interface: fields, exit codes, and what they say about known models."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tests.cli.processes import await_children, await_work

from quorbit.cli.main import main
from quorbit.languages.options import LoadOptions
from quorbit.source.errors import UserError

ROOT = Path(__file__).parents[2]
READERS_WRITERS = str(ROOT / "examples" / "readers_writers.edges")
MUTEX = str(ROOT / "examples" / "mutex.edges")
FAILING = str(ROOT / "tests" / "models" / "edges" / "no_flags.edges")
CHECK_KEYS = {
    *("verdict", "property", "states", "transitions", "depth", "seconds", "memory_bytes", "symmetry", "engine"),
    *("trace", "message"),
}
SYMMETRY_KEYS = {"order", "structure", "generators", "strategy", "exact"}
STEPS = {"parse", "detect", "classify", "compile", "explore", "total"}


def run_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    code = main([*arguments, "--json"])
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    found: dict[str, Any] = json.loads(out)
    return code, found


def run_text(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    code = main(list(arguments))
    return code, capsys.readouterr().out


def test_readers_writers_has_22_states_and_15_orbits(capsys: pytest.CaptureFixture[str]) -> None:
    code, plain = run_json(capsys, "check", READERS_WRITERS, "--symmetry", "off")
    assert (code, plain["verdict"], plain["states"], plain["symmetry"]["order"]) == (0, "holds", 22, "1")
    code, reduced = run_json(capsys, "check", READERS_WRITERS)
    assert (code, reduced["verdict"], reduced["states"], reduced["symmetry"]["order"]) == (0, "holds", 15, "2")
    assert reduced["symmetry"]["generators"] == ["(1 2)"]
    assert reduced["symmetry"]["exact"] is True


def test_adaptive_engine_needs_nine_abstract_states(capsys: pytest.CaptureFixture[str]) -> None:
    """[W07, Figure 2]"""
    code, found = run_json(capsys, "check", READERS_WRITERS, "--engine", "adaptive")
    assert (code, found["states"], found["engine"]) == (0, 9, "adaptive")


def test_fields_of_check(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = run_json(capsys, "check", MUTEX)
    assert set(found) >= CHECK_KEYS
    assert set(found["symmetry"]) >= SYMMETRY_KEYS
    assert set(found["seconds"]) == STEPS
    assert found["trace"] is None
    assert found["memory_bytes"] > 0


def test_fields_of_a_trace(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "check", FAILING)
    assert (code, found["verdict"], found["property"]) == (1, "fails", "mutex")
    start, *steps = found["trace"]
    assert start["command"] == "start"
    assert start["state"] == {"s[1]": "N", "s[2]": "N", "s[3]": "N"}
    assert [step["command"] for step in steps].count("L -> C") == 2
    for step in steps:
        assert set(step) >= {"command", "actors", "source", "state"}
        assert len(step["actors"]) == 1
        assert step["source"]["file"] == FAILING
    assert steps[0]["source"]["line"] == 7
    assert list(steps[-1]["state"].values()).count("C") == 2


def test_trace_is_a_run_of_the_diagram(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = run_json(capsys, "check", FAILING)
    states = [step["state"] for step in found["trace"]]
    for step, before, after in zip(found["trace"][1:], states, states[1:], strict=False):
        (actor,) = step["actors"]
        source, target = step["command"].split(" -> ")
        assert (before[f"s[{actor}]"], after[f"s[{actor}]"]) == (source, target)
        assert {place for place in before if before[place] != after[place]} == {f"s[{actor}]"}


def test_text_of_a_failure_names_the_changes(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run_text(capsys, "check", FAILING)
    assert code == 1
    assert "FAILS: mutex" in out
    assert out.count("= C\n") == 2
    assert "\x1b" not in out  # colours only on a terminal


def test_several_properties(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "check", FAILING, "--property", "deadlock", "--property", "mutex")
    assert code == 1
    assert [result["verdict"] for result in found["results"]] == ["holds", "fails"]
    assert found["property"] == "mutex"
    assert set(found) >= CHECK_KEYS


def test_formula_and_file_of_formulas(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "claims.txt"
    file.write_text("// two formulas\nG (#C <= 1)\nAG (forall j: s[j] = C => #C = 1);\n")
    code, found = run_json(capsys, "check", MUTEX, "--property", str(file), "--property", "G (#C < 1)")
    assert code == 1
    assert [result["verdict"] for result in found["results"]] == ["holds", "holds", "fails"]
    assert [result["property"] for result in found["results"]] == ["claims.txt:2", "claims.txt:3", "G (#C < 1)"]


def test_property_that_names_a_process_breaks_the_symmetry(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = run_json(capsys, "check", MUTEX, "--property", "G !(s[1] = C & s[2] = C)")
    assert found["symmetry"]["order"] == "2"
    assert found["symmetry"]["generators"] == ["(1 2)"]


def test_limits_answer_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "check", MUTEX, "--max-states", "3")
    assert (code, found["verdict"]) == (3, "unknown")
    assert "3 states" in found["message"]
    code, found = run_json(capsys, "check", MUTEX, "--max-depth", "2")
    assert (code, found["verdict"]) == (3, "unknown")


def test_all_errors(capsys: pytest.CaptureFixture[str]) -> None:
    _, first = run_json(capsys, "check", FAILING)
    code, found = run_json(capsys, "check", FAILING, "--all-errors", "--symmetry", "off")
    assert code == 1
    assert found["states"] > first["states"]
    assert found["errors"] > 1


def test_defines(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = tmp_path / "model.edges"
    model.write_text("const n = 2\nprocesses n\nstates A, B\nA -> B\nB -> A\n")
    assert run_json(capsys, "check", str(model), "--symmetry", "off")[1]["states"] == 4
    assert run_json(capsys, "check", str(model), "-Dn=5", "--symmetry", "off")[1]["states"] == 32
    assert run_json(capsys, "check", str(model), "-D", "n=5")[1]["states"] == 6


@pytest.mark.parametrize("strategy", ["exact", "enumerate", "chain", "minimising", "sort", "graph", "orbit"])
def test_every_exact_strategy_counts_orbits(capsys: pytest.CaptureFixture[str], strategy: str) -> None:
    _, found = run_json(capsys, "check", MUTEX, "--strategy", strategy)
    assert found["states"] == 7
    assert found["symmetry"]["strategy"] == strategy


def test_symmetry(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "symmetry", MUTEX)
    assert code == 0
    assert set(found) >= SYMMETRY_KEYS | {"degree", "orbits"}
    assert (found["order"], found["structure"], found["degree"]) == ("6", "S3", 3)
    assert found["orbits"] == [["1", "2", "3"]]
    code, out = run_text(capsys, "symmetry", MUTEX)
    assert "S3, order 6" in out


def test_why_points_at_the_edge(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "why", READERS_WRITERS, "(2 3)")
    assert (code, found["symmetry"]) == (1, False)
    line = Path(READERS_WRITERS).read_text().splitlines().index("T -> C when i < 3 and s[3] != C") + 1
    assert found["breaches"][0]["line"] == line
    assert {breach["line"] for breach in found["breaches"]} == {line, line + 3}
    code, out = run_text(capsys, "why", READERS_WRITERS, "(2 3)")
    assert code == 1
    assert "T -> C when i < 3 and s[3] != C" in out


def test_why_of_a_symmetry(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "why", READERS_WRITERS, "(1 2)")
    assert (code, found["symmetry"], found["breaches"]) == (0, True, [])


def test_why_of_all_pairs(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = run_json(capsys, "why", READERS_WRITERS)
    assert code == 1
    assert [pair["permutation"] for pair in found["pairs"]] == ["(1 3)"]
    assert run_text(capsys, "why", MUTEX)[0] == 0


def test_group_of_wreath_and_swap(capsys: pytest.CaptureFixture[str]) -> None:
    generators = "(1 2),(2 3),(4 5),(5 6),(7 8),(8 9),(10 11),(12 13)(1 4)(2 5)(3 6),(13 14)(4 7)(5 8)(6 9)"
    code, found = run_json(capsys, "group", generators)
    assert code == 0
    assert (found["order"], found["structure"], found["degree"]) == ("2592", "S3 wr S3 x S2", 14)
    assert found["orbits"] == [[1, 2, 3, 4, 5, 6, 7, 8, 9], [10, 11], [12, 13, 14]]


def test_group_minimises_a_vector(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = run_json(capsys, "group", "(1 2 3 4)", "--minimise", "4,2,3,1", "--strategy", "enumerate")
    assert found["minimised"] == [1, 4, 2, 3]
    assert found["permutation"] == "(1 2 3 4)"


def test_group_of_order_beyond_10_to_300(capsys: pytest.CaptureFixture[str]) -> None:
    generators = ",".join(f"({k} {k + 1})" for k in range(1, 200))
    code, found = run_json(capsys, "group", generators)
    assert code == 0
    assert found["structure"] == "S200"
    assert len(found["order"]) == 375
    code, out = run_text(capsys, "group", generators)
    assert "about 10^374" in out
    assert len(out.splitlines()) < 40


def test_group_of_degree_100000(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "generators.txt"
    file.write_text("(" + " ".join(map(str, range(1, 100_001))) + "),(1 2)")
    began = time.process_time()
    code, found = run_json(capsys, "group", f"@{file}", "--timeout", "60")
    assert time.process_time() - began < 20
    assert code in (0, 3)
    assert found["degree"] == 100_000
    assert len(found["orbits"]) == 1


def test_test_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.edges", tmp_path / "bad.edges"
    good.write_text("// expect: states=4 orbits=3 verdict=holds\nprocesses 2 states A, B A -> B B -> A\n")
    assert run_text(capsys, "test", str(tmp_path))[0] == 0
    bad.write_text("// expect: states=5 verdict=fails\nprocesses 2 states A, B A -> B B -> A\n")
    code, out = run_text(capsys, "test", str(tmp_path))
    assert code == 1
    assert "states=4" in out
    code, found = run_json(capsys, "test", str(tmp_path))
    assert code == 1
    assert [model["passed"] for model in found["models"]] == [False, True]


def test_test_command_expects_errors_and_refuses_unknown_words(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model = tmp_path / "model.edges"
    model.write_text("// expect: verdict=error\nprocesses 2 states A A -> Wrong\n")
    assert run_text(capsys, "test", str(tmp_path))[0] == 0
    model.write_text("// expect: verdict=error\nprocesses 2 states A A -> A\n")
    assert run_text(capsys, "test", str(tmp_path))[0] == 1
    model.write_text("// expect: colour=blue\nprocesses 2 states A A -> A\n")
    assert run_text(capsys, "test", str(tmp_path))[0] == 1


def test_reports_in_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    page, picture = tmp_path / "report.html", tmp_path / "symmetry.svg"
    assert run_text(capsys, "check", FAILING, "--html", str(page))[0] == 1
    assert '"verdict":"fails"' in page.read_text()
    assert not re.search(r"<(script|link|img)[^>]+(src|href)=", page.read_text())
    assert run_text(capsys, "symmetry", MUTEX, "--svg", str(picture))[0] == 0
    assert picture.read_text().count('<g class="o0">') == 3


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    code, out = run_text(capsys, "--help")
    assert code == 0
    assert "quorbit check mutex.edges" in out
    assert run_text(capsys, "--version")[1].startswith("quorbit 0.")
    for command in ("check", "symmetry", "why", "group", "test"):
        code, out = run_text(capsys, command, "--help")
        assert code == 0
        assert "examples:" in out


# As a process of its own.


def start(*arguments: str) -> subprocess.Popen[str]:
    program = [sys.executable, "-m", "quorbit"]
    return subprocess.Popen([*program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize(("signal_name", "reason"), [("SIGINT", "interrupted"), ("SIGTERM", "terminated")])
def test_signals_answer_unknown(tmp_path: Path, signal_name: str, reason: str) -> None:
    model = tmp_path / "long.edges"
    model.write_text("processes 14\nstates A, B, C, D\nA -> B B -> C C -> D when i > 1 D -> A when s[next(i)] != A\n")
    process = start("check", str(model), "--engine", "reference", "--symmetry", "off", "--json")
    await_work(await_children(process.pid), 1.0)
    process.send_signal(getattr(signal, signal_name))
    out, err = process.communicate(timeout=20)
    found = json.loads(out)
    assert (process.returncode, found["verdict"], found["message"]) == (3, "unknown", reason)
    assert err == ""


def test_a_signal_while_a_long_answer_is_written_does_not_tear_it(tmp_path: Path) -> None:
    model = tmp_path / "long.pml"
    model.write_text("int n; active proctype p() { do :: n < 90000 -> n++ :: else -> assert(false) od }")
    process = start("check", str(model), "--json")
    assert process.stdout is not None
    first = process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    found = json.loads(first + process.stdout.read())
    assert (process.wait(timeout=20), found["verdict"], found["trace_steps"]) == (1, "fails", 180_002)


def test_time_limit_answers_unknown(tmp_path: Path) -> None:
    model = tmp_path / "long.edges"
    model.write_text("processes 14\nstates A, B, C, D\nA -> B B -> C C -> D when i > 1 D -> A when s[next(i)] != A\n")
    process = start("check", str(model), "--timeout", "6", "--engine", "reference", "--json")
    out, _ = process.communicate(timeout=30)
    found = json.loads(out)
    assert (process.returncode, found["verdict"]) == (3, "unknown")
    assert "time limit" in found["message"]
    assert found["states"] > 0


def test_mistake_in_a_process_of_its_own() -> None:
    process = start("check", "nowhere.edges")
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (2, "")
    assert err == "error: nowhere.edges: no such file\n"


def test_start_up_is_quick() -> None:
    """Help imports no engine and no third-party library; the clock is generous, the list of modules is exact."""
    show = "print(*sorted(sys.modules), file=sys.stderr)"
    program = f"import sys; from quorbit.cli.main import main; main(['--help']); {show}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert not {"rich", "igraph", "quorbit.pipeline", "quorbit.model.system.system"} & set(loaded)
    program = "import sys, quorbit; print(*sorted(m for m in sys.modules if m.startswith('quorbit')))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["quorbit", "quorbit.source", "quorbit.source.version"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_an_answer_that_cannot_be_written_is_no_traceback() -> None:
    for options in ([], ["--json"]):
        with Path("/dev/full").open("w") as full:
            command = [sys.executable, "-m", "quorbit", "check", str(ROOT / "examples" / "mutex.edges"), *options]
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == (2, "error: the answer cannot be written: No space left on device\n")


@pytest.mark.parametrize("name", ["promela/service.pml", "circuits/queue.v"])
def test_compile_reads_a_model_as_check_does(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Code of another reading, such as memories that are not followed, would lie in the cache for nobody."""
    read: list[LoadOptions] = []

    def load(path: str, options: LoadOptions) -> NoReturn:
        read.append(options)
        raise UserError(None, "enough")

    model = str(Path(__file__).parents[2] / "examples" / name)
    for command in ("check", "compile"):
        monkeypatch.setattr(f"quorbit.cli.commands.{command}_command.load", load)
        assert main([command, model]) == 2
    assert read[0] == read[1]
    assert read[0].follow_memories
