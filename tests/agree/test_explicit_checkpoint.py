"""Runs that are stopped, killed and resumed end with the counts of a run left alone; threads change nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path

import pytest
from benchmarks.models.systems import counters, mail, peterson

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.cli.main import main
from quorbit.engines.explicit.explore import explore
from quorbit.groups.group import Group
from quorbit.machine import checkpoint
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import System
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError

ROOT = Path(__file__).parents[2]
KILLED = """
import sys
sys.path.insert(0, sys.argv[2])
from benchmarks.models.systems import mail
from quorbit.machine import checkpoint
from quorbit.engines.explicit.explore import explore
from quorbit.machine.options import SearchOptions
checkpoint.SECONDS_BETWEEN, checkpoint.SHARE_OF_TIME = 0.0, 1.0
system = mail(3, 3)
explore(system, system.properties, options=SearchOptions(resume=sys.argv[1], threads=int(sys.argv[3])))
"""


def counts(outcome: Outcome) -> tuple[object, ...]:
    s = outcome.statistics
    return outcome.verdict, s.states, s.transitions, s.levels, s.fired, s.errors


def broken(system: System) -> System:
    commands = [replace(c, guard=c.guard.operands[0]) if c.label == "pass" else c for c in system.commands]  # type: ignore[union-attr]
    return replace(system, commands=tuple(commands))


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize("system", [peterson(4), mail(3, 2)], ids=["peterson", "mail"])
def test_threads_change_nothing(system: System, threads: int) -> None:
    alone = explore(system, system.properties)
    together = explore(system, system.properties, options=SearchOptions(threads=threads))
    again = explore(system, system.properties, options=SearchOptions(threads=threads))
    assert counts(together) == counts(alone) == counts(again)


def test_threads_and_reduction() -> None:
    system = peterson(5)
    swaps = [(*range(a), a + 1, a, *range(a + 2, 5)) for a in range(4)]
    layout = layout_of(system)
    plan = classify(layout, Group(5, tuple(swaps)))
    outcome = explore(system, system.properties, plan, layout, SearchOptions(threads=2))
    assert outcome.statistics.states == 6039


def test_threads_find_the_same_shortest_trace() -> None:
    system = broken(peterson(4))
    found = [explore(system, system.properties, options=SearchOptions(threads=n)) for n in (1, 2, 2)]
    assert [o.verdict for o in found] == [Verdict.FAILS] * 3
    assert found[1].trace == found[2].trace
    assert found[0].trace is not None
    assert found[1].trace is not None
    assert len(found[0].trace.steps) == len(found[1].trace.steps)


def test_too_many_threads_are_refused() -> None:
    with pytest.raises(UserError, match="threads"):
        explore(counters(2, 2), (), options=SearchOptions(threads=99))


@pytest.mark.parametrize("threads", [(1, 1, 1), (1, 2, 3), (3, 1, 2)])
def test_resuming_level_by_level(tmp_path: Path, threads: tuple[int, int, int]) -> None:
    system = mail(3, 2)
    whole = explore(system, system.properties)
    directory = str(tmp_path / "run")
    for depth, n in zip((4, 9, None), threads, strict=True):
        options = SearchOptions(resume=directory, max_depth=depth, threads=n)
        last = explore(system, system.properties, options=options)
        assert (last.verdict is Verdict.UNKNOWN) == (depth is not None)
    assert counts(last) == counts(whole)


def test_a_resumed_run_has_a_trace(tmp_path: Path) -> None:
    system = broken(peterson(4))
    for depth, threads in ((5, 1), (9, 2), (None, 3)):
        options = SearchOptions(resume=str(tmp_path), max_depth=depth, threads=threads)
        outcome = explore(system, system.properties, options=options)
    assert outcome.verdict is Verdict.FAILS
    assert outcome.trace is not None
    whole = explore(system, system.properties)
    assert whole.trace is not None
    assert len(outcome.trace.steps) == len(whole.trace.steps)


def test_another_model_is_refused(tmp_path: Path) -> None:
    system = counters(3, 3)
    explore(system, (), options=SearchOptions(checkpoint=str(tmp_path)))
    with pytest.raises(UserError, match="another model"):
        explore(counters(3, 4), (), options=SearchOptions(resume=str(tmp_path)))


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    system = counters(3, 3)
    explore(system, (), options=SearchOptions(checkpoint=str(tmp_path)))
    told = json.loads((tmp_path / "quorbit-run" / "run.json").read_text())
    part = tmp_path / "quorbit-run" / told["parts"][0]["name"]
    data = bytearray(part.read_bytes())
    data[0] ^= 1
    part.write_bytes(bytes(data))
    with pytest.raises(UserError, match="damaged"):
        explore(system, (), options=SearchOptions(resume=str(tmp_path)))


def test_an_edited_run_is_refused(tmp_path: Path) -> None:
    """Without its parts it would be a search that found nothing."""
    system = counters(3, 3)
    explore(system, (), options=SearchOptions(checkpoint=str(tmp_path)))
    file = tmp_path / "quorbit-run" / "run.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "parts": []}))
    with pytest.raises(UserError, match="damaged"):
        explore(system, (), options=SearchOptions(resume=str(tmp_path)))


def test_the_files_of_the_user_stay(tmp_path: Path) -> None:
    own = [tmp_path / name for name in ("L000000.bin", "V1.bin", "run.json", "quorbit-run/L1.bin.tmp")]
    (tmp_path / "quorbit-run").mkdir()
    for file in own:
        file.write_text("mine")
    for _ in range(2):
        explore(counters(3, 3), (), options=SearchOptions(checkpoint=str(tmp_path)))
    assert [file.read_text() for file in own] == ["mine"] * len(own)


def test_two_runs_do_not_share_a_directory(tmp_path: Path) -> None:
    first = checkpoint.open_checkpoint(str(tmp_path), "", 1, 1)
    with pytest.raises(UserError, match="another run"):
        checkpoint.open_checkpoint(str(tmp_path), "", 1, 1)
    checkpoint.close_checkpoint(first)
    checkpoint.close_checkpoint(checkpoint.open_checkpoint(str(tmp_path), "", 1, 1))


def test_a_full_disk_ends_the_checkpoints_and_not_the_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(checkpoint.os, "fsync", full)
    outcome = explore(counters(3, 3), (), options=SearchOptions(checkpoint=str(tmp_path)))
    assert outcome.verdict is Verdict.HOLDS
    assert "No space left" in outcome.message
    assert not list((tmp_path / "quorbit-run").glob("*.tmp"))


def run_and_kill(directory: Path, seconds: float, threads: int) -> None:
    command = [sys.executable, "-c", KILLED, str(directory), str(ROOT), str(threads)]
    process = subprocess.Popen(command)
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@pytest.mark.parametrize("moments", [(0.9, 1.4)])
def test_killed_runs_can_be_resumed(tmp_path: Path, moments: tuple[float, ...]) -> None:
    check_kills(tmp_path, moments)


@pytest.mark.soak
def test_runs_killed_at_many_moments_can_be_resumed(tmp_path: Path) -> None:
    check_kills(tmp_path, tuple(0.3 + 0.1 * k for k in range(20)))


def check_kills(directory: Path, moments: tuple[float, ...]) -> None:
    for k, seconds in enumerate(moments):
        run_and_kill(directory, seconds, 1 + k % 2)
    system = mail(3, 3)
    outcome = explore(system, system.properties, options=SearchOptions(resume=str(directory)))
    assert (outcome.statistics.states, outcome.statistics.transitions) == (1321677, 6291271)


WIDE = """module wide(input clk, input [13:0] a);
  reg [13:0] s; initial s = 0;
  always @(posedge clk) s <= s == 0 ? a & 14'h2001 : s & ~a;
  assert property (@(posedge clk) s != 5);
endmodule
"""


@pytest.mark.parametrize("more", [(), ("--threads", "2")], ids=["one thread", "two threads"])
def test_a_circuit_with_many_choices_of_its_inputs(more: tuple[str, ...], tmp_path: Path) -> None:
    """Tables of 16,384 choices are numbers too long for Python to write in decimal."""
    model = tmp_path / "wide.v"
    model.write_text(WIDE)
    words = [str(model), "--engine", "explicit", *more]
    assert main(["check", *words, "--checkpoint", str(tmp_path / "kept")]) == 0
    assert main(["check", *words, "--resume", str(tmp_path / "kept")]) == 0
