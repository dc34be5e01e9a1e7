"""What people write for the number of a process, and the symmetry that must be found behind it."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.machine.options import SearchOptions
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, symmetry
from quorbit.source.time_limit import time_limit

PHILOSOPHERS = """bool fork[4];
active [4] proctype phil() {
  byte left = _pid, right = (_pid + 1) % 4;
  do :: atomic { !fork[left] -> fork[left] = true }; atomic { !fork[right] -> fork[right] = true };
        fork[left] = false; fork[right] = false od
}"""
LOCK = """byte owner = 255; byte n;
proctype p(byte id) { do :: atomic { owner == 255 -> owner = id }; n++; assert(n == 1); n--; owner = 255 od }
init { byte i; atomic { i = 0; do :: i < 5 -> run p(i); i++ :: else -> break od } }"""
TOKEN = """mtype = { tok };
chan ring[3] = [1] of { mtype };
byte critical;
proctype node(byte id) {
  do :: ring[id]?tok -> critical++; assert(critical == 1); critical--; ring[(id + 1) % 3]!tok od
}
init { atomic { run node(0); run node(1); run node(2); ring[0]!tok } }"""
BY_PID = """byte level[4]; byte turn;
active [3] proctype p() {
  do :: level[_pid]++; turn = _pid; level[_pid] < 3 -> skip :: turn != _pid -> level[_pid] = 0 od
}"""
ORDERED = """byte last;
active [3] proctype p() { do :: last < _pid -> last = _pid :: last = 0 od }"""
OFFSET = """byte seat[3]; byte guest = 9;
proctype g() { do :: guest == 9 -> guest = _pid - 1; seat[_pid - 1]++; seat[_pid - 1]--; guest = 9 od }
init { atomic { run g(); run g(); run g() } }"""
WHOLE = SearchOptions(all_errors=True)


@pytest.mark.parametrize(
    ("text", "order", "structure"),
    [
        (PHILOSOPHERS, 4, "C4"),
        (LOCK, 120, "S5"),
        (TOKEN, 3, "C3"),  # the rotations move the token
        (BY_PID, 6, "S3"),  # turn is 0 at first, which is the first process: that one may be moved
        (ORDERED, 1, "trivial"),
        (OFFSET, 6, "S3"),
    ],
    ids=["philosophers", "lock", "token", "by pid", "ordered", "offset"],
)
def test_group(text: str, order: int, structure: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text, encoding="utf-8")
    found = symmetry(path)
    assert (found.order, found.structure) == (order, structure)
    plain = check(path, CheckOptions(symmetry="off", search=WHOLE)).worst
    reduced = check(path, CheckOptions(search=WHOLE)).worst
    assert reduced.verdict == plain.verdict
    assert reduced.states <= plain.states <= order * reduced.states


def test_what_looks_inside_a_number_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(ORDERED, encoding="utf-8")
    assert any("looks inside" in note for note in symmetry(path).notes)


@pytest.mark.parametrize("wide", ["a * a < 2", "a + 1 != 2147483647"], ids=["squares of squares", "far apart"])
def test_steps_between_numbers_that_are_too_large_are_left_soon(wide: str, tmp_path: Path) -> None:
    path = tmp_path / "wide.pml"
    path.write_text(f"int a = 2; active [2] proctype P() {{ byte c; do :: c < 2 && {wide} -> c++ :: a = a + 1 od }}")
    with time_limit(5):
        assert symmetry(path).order == 2
