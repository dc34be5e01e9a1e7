"""Symmetry in the words people use: one small model for each idiom, and the group a reader sees in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.cli.main import main
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.explanations import why
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, symmetry

TWINS = """bool left, right; byte inside;
active proctype west() { do :: left = true; !right; inside++; assert(inside < 2); inside--; left = false od }
active proctype east() { do :: right = true; !left; inside++; assert(inside < 2); inside--; right = false od }
"""
TURN = """byte whose = 1;
active proctype ping() { do :: whose == 1 -> whose = 2 od }
active proctype pong() { do :: whose == 2 -> whose = 1 od }
"""
SLOTS = """bool raised[2];
active proctype one() { do :: raised[0] = true; !raised[1]; raised[0] = false od }
active proctype two() { do :: raised[1] = true; !raised[0]; raised[1] = false od }
"""
UNLIKE_TWINS = TWINS.replace("inside--; right = false", "inside--; right = false; skip")
SENTINEL = """#define N 4
byte owner = N; bool wet[N];
active [N] proctype swimmer() {
  do
  :: owner >= N -> owner = _pid; owner = N
  :: owner < N && !wet[_pid] -> wet[_pid] = true
  :: 3 >= owner && wet[_pid] -> wet[_pid] = false
  od }
"""
HALF = SENTINEL.replace("3 >= owner", "1 >= owner")  # tells the first two from the others
SHARED = """bool open[3];
proctype door(byte room) { do :: atomic { !open[room] -> open[room] = true }; open[room] = false od }
init { atomic { run door(0); run door(1); run door(2); run door(2); run door(1); run door(0) } }
"""
FIRST = """pid captain;
active [3] proctype sailor() { do :: captain = _pid :: captain == _pid -> skip od }
"""

RESET_ALL = """#define N 3
bool ill[N];
active [N] proctype patient() { byte k;
  do
  :: ill[_pid] = true
  :: d_step { ill[_pid] -> k = 0; do :: k < N -> ill[k] = false; k++ :: else -> k = 0; break od }
  od }
"""
BUT_ME = """#define N 4
mtype = { idle, busy }; mtype job[N] = idle;
active [N] proctype worker() { byte k;
  do
  :: atomic { job[_pid] == idle ->
       for (k : 0 .. N-1) { if :: k != _pid && job[k] == busy -> job[k] = idle :: else fi } }
     job[_pid] = busy
  :: atomic { job[_pid] == busy -> job[_pid] = idle }
  od }
"""
VOTES = """#define N 3
bool yes[N]; byte count; byte passed;
active [N] proctype voter() { byte k;
  do
  :: yes[_pid] = !yes[_pid]
  :: atomic { count = 0; for (k : 0 .. N-1) { if :: yes[k] -> count++ :: else fi }; assert(count <= N) }
  :: count > 1 -> passed = 1 - passed
  od }
"""
SUM = """byte credit[3]; byte total;
active [3] proctype account() { byte i;
  do
  :: credit[_pid] < 2 -> credit[_pid]++
  :: d_step { total = 0; i = 0; do :: i < 3 -> total = total + credit[i]; i++ :: else -> break od; i = 0 }
  od }
"""
LENT = """mtype = { request, grant };
chan reply[3] = [1] of { mtype }; chan desk = [1] of { chan }; chan work[2] = [1] of { chan };
proctype client(chan own) { do :: desk!own; own?grant od }
proctype clerk(chan jobs) { chan who; do :: jobs?who; who!grant od }
proctype spread() { chan who; do :: desk?who -> if :: work[0]!who :: work[1]!who fi od }
init { atomic { run clerk(work[0]); run clerk(work[1]); run spread();
  run client(reply[0]); run client(reply[1]); run client(reply[2]) } }
"""  # the number of grant is that of a channel, too; but it is never sent to a clerk
TOO_MANY = VOTES.replace("assert(count <= N)", "assert(count < N)")
CAN_BLOCK = """#define N 3
chan box[N] = [1] of { byte };
active [N] proctype node() { byte k;
  do
  :: atomic { for (k : 0 .. N-1) { box[k]!_pid } }
  :: box[_pid]?_
  od }
"""
CANNOT_BLOCK = CAN_BLOCK.replace("{ box[k]!_pid }", "{ if :: nfull(box[k]) -> box[k]!_pid :: else fi }")
INTERRUPTED = RESET_ALL.replace("d_step {", "").replace("k = 0; break od }", "k = 0; break od")


@pytest.mark.parametrize(
    ("text", "order", "structure"),
    [
        (TWINS, 2, "S2"),
        (TURN, 2, "S2"),
        (SLOTS, 2, "S2"),
        (UNLIKE_TWINS, 1, "trivial"),
        (SENTINEL, 24, "S4"),
        (HALF, 4, "S2 x S2"),
        (SHARED, 48, "S2 wr S3"),
        (FIRST, 6, "S3"),
        (RESET_ALL, 6, "S3"),
        (SUM, 6, "S3"),
        (LENT, 12, "S3 x S2"),
        (BUT_ME, 24, "S4"),
        (VOTES, 6, "S3"),
        (TOO_MANY, 6, "S3"),
        (CAN_BLOCK, 1, "trivial"),
        (CANNOT_BLOCK, 6, "S3"),
        (INTERRUPTED, 1, "trivial"),
    ],
    ids=[
        "twins",
        "turn",
        "slots",
        "unlike twins",
        "sentinel",
        "half",
        "shared ids",
        "first",
        "reset all",
        "sum",
        "channels lent by messages",
        "but me",
        "votes",
        "too many votes",
        "can block",
        "cannot block",
        "interrupted",
    ],
)
def test_the_group_a_reader_sees(text: str, order: int, structure: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text, encoding="utf-8")
    found = symmetry(path)
    assert (found.order, found.structure) == (order, structure)
    whole = SearchOptions(all_errors=True)
    reduced, plain = (
        check(path, CheckOptions(symmetry=on, engine="explicit", search=whole)).results[0] for on in ("auto", "off")
    )
    assert reduced.verdict == plain.verdict
    assert check(path, CheckOptions(engine="explicit")).verdict == plain.verdict
    assert (reduced.states < plain.states) is (order > 1)


INTERRUPTED_SENDS = CAN_BLOCK.replace("atomic { for", "k = 0; for").replace("box[k]!_pid } }", "box[k]!_pid }")
SEEN = "this counts through an array, and others see how far it is"
BLOCKS = ":5:36: `box[k]!_pid; k = k + 1` may block in the middle of a loop"


@pytest.mark.parametrize(
    ("text", "note", "first"),
    [
        (CAN_BLOCK, BLOCKS, BLOCKS),
        (INTERRUPTED, SEEN, ": put the loop at line 6 into `atomic`, where nobody sees how far it is: S3 on "),
        (INTERRUPTED_SENDS, SEEN, SEEN),  # they would block inside of atomic, too
    ],
    ids=["can block", "interrupted", "interrupted sends"],
)
def test_what_to_change(text: str, note: str, first: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text, encoding="utf-8")
    assert any(note in told for told in symmetry(path).notes)
    assert first in str(why(path)).splitlines()[0]


OWN_ARRAY = """chan in1 = [1] of { bit }; chan in2 = [1] of { bit }; chan out = [1] of { bit };
proctype worker(chan c; chan d) { do :: c?_ -> d!1 od }
active proctype user() { bit used[3]; byte k;
  do
  :: in1!1
  :: out?_ -> k = 0; do :: k < 3 -> used[k] = 0; k++ :: else -> break od
  :: used[1] = 1; used[2] = used[1]
  od }
init { atomic { run worker(in1, in2); run worker(in2, out) } }
"""


def test_a_loop_through_an_array_of_its_own_keeps_nobody_apart(tmp_path: Path) -> None:
    """What keeps the two workers apart are their channels."""
    path = tmp_path / "model.pml"
    path.write_text(OWN_ARRAY, encoding="utf-8")
    assert not any(SEEN in told for told in symmetry(path).notes)
    assert SEEN not in str(why(path))


TWO_NOBODIES = """byte holder; bool up[3]; byte last; chan box = [1] of { byte };
active [3] proctype p() { byte j;
  do
  :: holder != 3 && holder != _pid -> last = holder
  :: atomic { nempty(box) -> for (j : 0 .. 2) { if :: j != _pid -> up[j] = true :: else fi } j = 0; box?_ }
  od }
"""


def test_two_numbers_of_nobody_are_not_one(tmp_path: Path) -> None:
    """holder is always 0, and process 0 can never run: neither 0 nor 3 is anybody's."""
    path = tmp_path / "model.pml"
    path.write_text(TWO_NOBODIES, encoding="utf-8")
    assert {check(path, CheckOptions(symmetry=on)).verdict for on in ("auto", "off")} == {"holds"}


ALMOST = """byte a, b; byte n;
active proctype left() { do :: a == 0 -> a = 1 :: a == 1 && n < 2 -> n++; a = 0 od }
active proctype right() { do :: b == 0 -> b = 1 :: b == 1 && n < 3 -> n++; b = 0 od }
active proctype third() { do :: n > 0 -> n-- od }
"""


def test_what_keeps_processes_of_different_names_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "model.pml"
    path.write_text(ALMOST, encoding="utf-8")
    assert main(["why", str(path)]) == 1
    told = capsys.readouterr().out
    assert "S2 on left, right" in told
    assert ":2:" in told.splitlines()[0]
    assert "third" not in told
    path.write_text(ALMOST.replace("n < 3", "n < 2"), encoding="utf-8")
    assert main(["why", str(path)]) == 0


DIFFERENT = """chan a = [1] of { bit }; chan b = [1] of { bit }; chan c = [1] of { bit };
proctype p(chan left; chan right) { do :: left?_ -> right!1 od }
active proctype first() { do :: a!1 :: c?_ od }
init { atomic { run p(a, b); run p(b, c) } }
"""


def test_nothing_is_promised_where_many_lines_keep_them_apart(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(DIFFERENT, encoding="utf-8")
    first = str(why(path)).splitlines()[0]
    assert "other lines keep them apart as well, so that no single change makes" in first
    assert "fewer states" not in first


def test_a_position_is_not_the_counter_of_a_loop(tmp_path: Path) -> None:
    text = "bool taken[4]; proctype p(byte at) { do :: at < 3 && !taken[at + 1] -> taken[at] = false; at++ od }\n"
    path = tmp_path / "model.pml"
    path.write_text(text + "init { atomic { run p(0); run p(1) }; taken[2] = true }\n", encoding="utf-8")
    assert not any("put the loop" in note for note in symmetry(path).notes)


@pytest.mark.parametrize("text", [TWINS, TURN, SLOTS, SENTINEL], ids=["twins", "turn", "slots", "sentinel"])
def test_why_takes_the_names_that_symmetry_tells(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(text, encoding="utf-8")
    for generator in symmetry(path).to_json()["generators"]:
        assert main(["why", str(path), generator]) == 0


FOLLOWERS = """#define N 3
byte lead[N] = N; byte cur = N; byte following;
active [N] proctype node() {
  byte k;
  do
  :: atomic { cur == N -> cur = _pid; lead[_pid] = _pid }
  :: atomic { cur < N && lead[_pid] == N -> lead[_pid] = cur; following++ }
  :: atomic { cur == _pid && following == N - 1 ->
       for (k : 0 .. N-1) { assert(lead[k] == cur); lead[k] = N }
       cur = N; following = 0; k = 0 }
  od
}
"""


def test_a_loop_that_compares_the_names_in_an_array(tmp_path: Path) -> None:
    """What stands in the slot that a counter chooses is a name; the counter is not.  The states are SPIN's."""
    path = tmp_path / "followers.pml"
    path.write_text(FOLLOWERS)
    explicit = CheckOptions(engine="explicit", search=SearchOptions(por="off"))
    reduced = check(path, explicit).results[0]
    plain = check(path, CheckOptions(symmetry="off", engine="explicit", search=SearchOptions(por="off"))).results[0]
    assert (reduced.verdict, reduced.symmetry.order, reduced.states) == ("holds", 6, 4)
    assert (plain.verdict, plain.states) == ("holds", 13)
    path.write_text(FOLLOWERS.replace("lead[_pid] = cur;", "lead[_pid] = (following == 1 -> N : cur);"))
    assert [check(path, CheckOptions(symmetry=on)).results[0].verdict for on in ("auto", "off")] == ["fails", "fails"]
