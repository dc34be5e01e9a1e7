"""Files that we read back, damaged: refused in words or made anew; never a traceback, a hang or another verdict."""

from __future__ import annotations

import json
import shutil
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from random import Random

import pytest
from tests.agree.damage import damaged

from quorbit.cli.main import main
from quorbit.machine import checkpoint
from quorbit.machine.native import build, swap

HOLDING = """
byte x, y;
active [3] proctype P() { byte a; do :: x < 9 -> x++ :: y < 9 -> y++ :: a < 3 -> a++ :: a == 3 -> x = 0; a = 0 od }
"""
FAILING = HOLDING.replace("od }", ":: x == 9 && y == 3 -> assert(a != 2) od }")
native_source, load = swap.native_source, build.load


def run(*arguments: object) -> tuple[int, str]:
    """The exit code and all that was said, without a bug of ours among it."""
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out):
        code = main([str(argument) for argument in arguments])
    assert "internal error" not in out.getvalue(), out.getvalue()
    return code, out.getvalue()


def written(folder: Path, text: str) -> Path:
    model = folder / "model.pml"
    model.write_text(text)
    return model


@pytest.mark.parametrize("cases", [20, pytest.param(500, marks=pytest.mark.soak)])
def test_traces_and_answers(tmp_path: Path, cases: int) -> None:
    model, trace, random = written(tmp_path, FAILING), tmp_path / "trace.json", Random(1)
    code, answer = run("check", model, "--json")
    assert code == 1
    trace.write_text(answer)
    assert run("replay", model, trace)[0] == 1
    whole = [answer.encode(), json.dumps(json.loads(answer)["replay"]).encode()]
    for _ in range(cases):
        data = damaged(random.choice(whole), random)
        trace.write_bytes(data)
        code, out = run("replay", model, trace)
        assert code in (0, 1, 2)
        if code == 1:  # it is still a run of the model that ends in a violation
            assert "assert" in out


@pytest.mark.parametrize("cases", [15, pytest.param(400, marks=pytest.mark.soak)])
def test_certificates(tmp_path: Path, cases: int) -> None:
    model, certificate, random = written(tmp_path, HOLDING), tmp_path / "certificate.json", Random(2)
    assert run("check", model, "--certificate", certificate)[0] == 0
    whole = certificate.read_bytes()
    for _ in range(cases):
        data = damaged(whole, random)
        certificate.write_bytes(data)
        code, _ = run("verify-certificate", model, certificate, "--max-states", 5)
        assert code in (0, 1, 2)
        if code == 0:  # spaces, or how the model is read where that makes no difference
            assert json.loads(data)["answers"] == json.loads(whole)["answers"]


@pytest.mark.parametrize("cases", [25, pytest.param(700, marks=pytest.mark.soak)])
def test_checkpoints(tmp_path: Path, cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoint, "SECONDS_BETWEEN", 0.0)
    monkeypatch.setattr(checkpoint, "SHARE_OF_TIME", 1e9)
    monkeypatch.setattr("quorbit.machine.run.SLICE", 0.0)
    model, kept, used, random = written(tmp_path, FAILING), tmp_path / "kept", tmp_path / "used", Random(3)
    whole = json.loads(run("check", model, "--json")[1])
    assert run("check", model, "--checkpoint", kept, "--max-depth", 12, "--no-native")[0] == 3
    files = sorted(file.relative_to(kept) for file in kept.rglob("*.*"))
    assert len(files) > 3
    refused = 0
    for _ in range(cases):
        shutil.rmtree(used, ignore_errors=True)
        shutil.copytree(kept, used)
        file = used / random.choice(files)
        if random.random() < 0.1:
            shutil.copy(used / random.choice(files), file.with_suffix(".copy"))
            file.with_suffix(".copy").replace(file)
        else:
            file.write_bytes(damaged(file.read_bytes(), random))
        code, out = run("check", model, "--resume", used, "--json", "--no-native")
        assert code in (1, 2)
        refused += code == 2
        if code == 1:
            found = json.loads(out)
            assert (found["states"], len(found["trace"])) == (whole["states"], len(whole["trace"]))
    assert refused > cases // 2


@pytest.mark.skipif(build.find_compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize("cases", [6, pytest.param(400, marks=pytest.mark.soak)])
def test_native_code(tmp_path: Path, cases: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is damaged is not loaded; the run goes on with bytecode, or compiles again."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("quorbit.machine.run.SLICE", 0.0)
    monkeypatch.setattr(swap, "WORTH_COMPILING", 1e9)
    model, random = written(tmp_path, HOLDING), Random(4)
    whole = json.loads(run("check", model, "--json", "--no-native")[1])
    source: list[str] = []
    monkeypatch.setattr(swap, "native_source", lambda program: source.append(native_source(program)) or source[-1])
    run("check", model)
    made = build.begin(source[0])
    assert made is not None
    while not build.is_finished(made):
        pass
    library, loaded = made.target.read_bytes(), []
    monkeypatch.setattr(build, "load", lambda file: loaded.append(load(file)) or loaded[-1])
    assert run("check", model)[0] == 0
    assert all(loaded)
    assert loaded
    loaded.clear()
    for _ in range(cases):
        data = damaged(library, random)
        made.target.write_bytes(data)
        found = json.loads(run("check", model, "--json")[1])
        assert (found["verdict"], found["states"]) == (whole["verdict"], whole["states"])
        assert data == library or not any(loaded)
