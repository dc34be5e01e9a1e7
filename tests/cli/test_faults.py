"""Whatever goes wrong around a run: exit 1 only with a counterexample, one answer, no traceback, an end in time."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

import quorbit
from quorbit.cli.interrupt import stoppable
from quorbit.cli.supervise import supervise, tell
from quorbit.source.interrupted import Interrupted

PROGRAM = [sys.executable, "-m", "quorbit"]
COMMAND = Path(sys.executable).with_name("quorbit")  # the script that starts it (bin/quorbit)
FAILING = """byte x;
active [3] proctype P() { byte a; do :: x < 60 -> x++ :: x > 0 -> x-- :: a < 5 -> a++ :: x == 50 -> assert(a < 4) od }
"""
LARGE = """byte x, y;
active [3] proctype P() { byte a; do :: x < 60 -> x++ :: x > 0 -> x-- :: y < 60 -> y++ :: y > 0 -> y-- :: a < 5 -> a++ :: a > 0 -> a-- od }
"""  # noqa: E501
ENDLESS = """byte i, x;
active [2] proctype P() { do :: d_step { x = 0; for (i : 250 .. 255) { x++ }; i = 0 } od }
"""


@pytest.fixture
def models(tmp_path: Path) -> dict[str, Path]:
    texts = {"failing": FAILING, "large": LARGE, "endless": ENDLESS}
    for name, text in texts.items():
        (tmp_path / f"{name}.pml").write_text(text)
    return {name: tmp_path / f"{name}.pml" for name in texts}


def check(model: Path, *options: str, shell: str = "", end: str = "") -> tuple[int, str, str]:
    """Run with limits that the shell sets."""
    words = " ".join(map(str, [*PROGRAM, "check", model, *options]))
    done = subprocess.run(["bash", "-c", f"{shell} {words} {end}"], capture_output=True, text=True, timeout=100)
    return done.returncode, done.stdout, done.stderr


def examine(code: int, out: str, err: str) -> str:
    """The verdict, which the exit code repeats."""
    assert "Traceback" not in err
    assert "internal error" not in out
    if out.startswith("{"):
        told = json.loads(out)
        verdict = told.get("verdict", "mistake")
        assert (verdict == "fails") == (told.get("trace") is not None)
    else:
        verdict = out.partition(":")[0].lower() if out else "mistake"
        assert out.count("FAILS:") + out.count("UNKNOWN:") + out.count("HOLDS:") <= 1
        assert verdict != "fails" or "step  process" in out
    assert code == {"holds": 0, "fails": 1, "mistake": 2, "unknown": 3}[verdict]
    return verdict


@pytest.mark.parametrize("kilobytes", [60_000, 150_000])
def test_little_memory(models: dict[str, Path], kilobytes: int) -> None:
    for name in ("failing", "large"):
        verdict = examine(*check(models[name], "--json", shell=f"ulimit -v {kilobytes};"))
        assert verdict in ("unknown", "fails" if name == "failing" else "unknown")


@pytest.mark.parametrize(
    ("shell", "options"),
    [
        ("ulimit -f 1;", ("--spill", "spilled")),
        ("ulimit -f 1;", ("--checkpoint", "kept", "--max-states", "200000")),
        ("ulimit -n 12;", ("--spill", "spilled")),
        ("ulimit -n 5;", ("--max-states", "1000")),
        ("ulimit -t 1;", ()),
        ("", ("--spill", "/proc/nowhere")),
        ("", ("--resume", "/proc/nowhere")),
        ("XDG_CACHE_HOME=/proc/nowhere HOME=/proc/nowhere", ("--max-states", "1000000")),
    ],
)
def test_little_of_other_things(models: dict[str, Path], shell: str, options: tuple[str, ...]) -> None:
    options = tuple(str(models["large"].parent / o) if o in ("spilled", "kept") else o for o in options)
    assert examine(*check(models["large"], *options, shell=shell)) in ("unknown", "mistake")


@pytest.mark.parametrize(("end", "code"), [(">&-", 1), ("2>&-", 1), (">/dev/full", 2), ("<&- >&- 2>&-", 1)])
def test_nobody_listens(models: dict[str, Path], end: str, code: int) -> None:
    found, _, err = check(models["failing"], end=end)
    assert found == code
    assert "Traceback" not in err


def test_a_reader_that_leaves(models: dict[str, Path]) -> None:
    code, _, err = check(models["failing"], "--json", end="| true; exit ${PIPESTATUS[0]}")
    assert code in (1, 3)  # as it was all written, or not
    assert err == ""


# Signals.


@pytest.mark.parametrize("moments", [8, pytest.param(300, marks=pytest.mark.soak)])
def test_signals_at_any_moment(models: dict[str, Path], moments: int) -> None:
    random = Random(moments)
    for _ in range(moments):
        model, style = models[random.choice(["failing", "large"])], random.choice([(), ("--json",)])
        process = subprocess.Popen(
            [COMMAND, "check", str(model), *style],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        send: Callable[[int, int], None] = random.choice([os.kill, os.killpg])
        for number in random.choice([[signal.SIGINT], [signal.SIGTERM], [signal.SIGINT] * 2, [signal.SIGTERM] * 2]):
            time.sleep(random.random() * 0.7)
            if process.poll() is None:
                send(process.pid, number)
        out, err = process.communicate(timeout=30)
        if process.returncode >= 0:
            examine(process.returncode, out, err)
        else:  # before it could have an answer
            assert out == ""


@pytest.mark.parametrize("moments", [20, pytest.param(300, marks=pytest.mark.soak)])
def test_an_interrupt_while_the_program_starts(models: dict[str, Path], moments: int) -> None:
    """Python itself would end with exit code 1, which says that a property fails."""
    for k in range(moments):
        command = [COMMAND, "check", str(models["large"]), "--max-states", "1000"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(0.15 * k / moments)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out[:7], err) in [(3, "UNKNOWN", ""), (-signal.SIGINT, "", "")]


LATE = """
import os, signal
from quorbit.cli import supervise

supervise.note_signals(os.pipe()[1])
set_wakeup_fd = signal.set_wakeup_fd

def interrupted(number, **named):
    found = set_wakeup_fd(number, **named)
    os.kill(os.getpid(), signal.SIGTERM)
    return found

signal.set_wakeup_fd = interrupted
supervise.forget_signals(signal.SIG_DFL)
print("the signal was lost")
"""


def test_a_signal_while_the_child_begins_is_not_lost() -> None:
    """Whoever notes it no more must be ready to end by it."""
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGTERM, "", "")


def test_an_alarm_that_somebody_else_set() -> None:
    """Who embeds the program may have one: there is no time limit that it could mean."""
    with pytest.raises(Interrupted, match=r"^terminated$"), stoppable(None):
        os.kill(os.getpid(), signal.SIGALRM)


# What a child may do.


def crash() -> int:
    os.kill(os.getpid(), signal.SIGSEGV)
    return 0


def leave() -> int:
    os._exit(1)


def hang() -> int:
    tell("limit 0.2 0.2")
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM, signal.SIGTERM])
    time.sleep(60)
    return 0


def exhaust() -> int:
    raise MemoryError


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (crash, "Segmentation fault"),
        (leave, "exit code 1"),
        (hang, "time limit of 0.2 s"),
        (exhaust, "out of memory"),
    ],
)
def test_a_child_that_does_not_answer(
    work: Callable[[], int], message: str, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    began, process = time.monotonic(), os.fork()
    if process == 0:
        tempfile.tempdir = str(tmp_path)  # for the report of a crash
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os._exit(supervise(work, ["--json"]))
    assert os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) == 3
    told = json.loads(capfd.readouterr().out)
    assert told["verdict"] == "unknown"
    assert message in told["message"]
    assert time.monotonic() - began < 10


def test_a_bug_of_ours(models: dict[str, Path], tmp_path: Path) -> None:
    spoil = "import quorbit.cli.commands.check_command as c; c.check = lambda *_: 1 // 0"
    code = f"import sys; {spoil}; from quorbit.cli.main import main; sys.exit(main())"
    for style in ((), ("--json",)):
        command = [sys.executable, "-c", code, "check", str(models["failing"]), *style]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TMPDIR": str(tmp_path)})
        assert (done.returncode, done.stderr) == (3, "")
        said = json.loads(done.stdout)["message"] if style else done.stdout
        assert "internal error: ZeroDivisionError" in said
        report = Path(said.rpartition("the report is in ")[2].strip())
        assert "Traceback" in report.read_text()


# Time limits.


def test_the_time_limit_of_the_python_interface(models: dict[str, Path]) -> None:
    began = time.monotonic()
    limits = quorbit.SearchOptions(timeout=1.0)
    assert quorbit.check(models["endless"], quorbit.CheckOptions(search=limits)).verdict in ("unknown", "fails")
    assert time.monotonic() - began < 4


@pytest.mark.parametrize("engine", ["explicit", "reference"])
def test_the_time_limit(models: dict[str, Path], engine: str) -> None:
    began = time.monotonic()
    code, out, err = check(models["large"], "--timeout", "2", "--engine", engine, "--no-native", "--json")
    assert time.monotonic() - began < 3.1 + 2  # the machine may be busy
    assert examine(code, out, err) == "unknown"
    assert "time limit of 2 s" in json.loads(out)["message"]
