"""Local variables with two purposes, sets kept as bits, and numbers of processes, in other words."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.model.specialise.constants import extract_constants
from quorbit.model.specialise.start import Started, run_start
from quorbit.model.specialise.wordings.masks import spread_masks
from quorbit.model.specialise.wordings.numbers import WhichNumbers
from quorbit.model.specialise.wordings.pids import write_numbers
from quorbit.model.specialise.wordings.webs import split_webs
from quorbit.model.system.expression import Read
from quorbit.pipeline.load import load
from quorbit.pipeline.run import symmetry


def path_of(text: str, folder: Path) -> Path:
    path = folder / "model.pml"
    path.write_text(text, encoding="utf-8")
    return path


def known(text: str, folder: Path) -> Started:
    return extract_constants(run_start(load(path_of(text, folder), LoadOptions()).system))


def names(started: Started) -> set[str]:
    return {v.name for v in started.system.variables}


REUSED = """bool up[3]; byte last;
proctype p(byte me) { byte i;
  do
  :: d_step { for (i : 0 .. 2) { up[i] = false } }
  :: i = last; USE
  od }
init { atomic { run p(0); run p(1); run p(2) } }
"""


def test_two_purposes_are_two_variables(tmp_path: Path) -> None:
    found = split_webs(known(REUSED.replace("USE", "last = me; up[i] = true"), tmp_path))
    assert {"p.i (1)", "p.i (2)"} <= names(found)
    assert "p.i" not in names(found)


SEEN_TOGETHER = REUSED.replace("d_step { for (i : 0 .. 2) { up[i] = false } }", "last = (last + 1) % 3").replace(
    "USE", "if :: true -> d_step { i = 0; do :: i < 2 -> i++ :: else -> break od } :: true fi; up[i] = true"
)
OUTSIDE = REUSED.replace("USE", "last = me; up[i] = true").replace("init", "active proctype q() { p[2]:i == 1 }\ninit")
ONE = REUSED.replace("i = last; USE", "i = (i < 2 -> i + 1 : 0); up[i] = true")


@pytest.mark.parametrize(
    "text", [ONE, SEEN_TOGETHER, OUTSIDE], ids=["one purpose", "seen together", "seen from outside"]
)
def test_what_is_seen_together_stays_together(text: str, tmp_path: Path) -> None:
    started = known(text, tmp_path)
    assert split_webs(started) is started


MASK = "byte mask; active [3] proctype p() { do :: mask = mask | (1 << _pid) :: mask == 7 -> mask = 0 :: STEP od }\n"


@pytest.mark.parametrize(
    ("step", "order"),
    [
        ("true -> mask = 0", 6),
        ("mask = mask & ~(1 << _pid)", 6),
        ("(mask >> _pid) & 1 -> mask = mask ^ (1 << _pid)", 6),
        ("mask == 6 -> mask = 1", 2),
        ("mask > 3 -> mask = 0", 1),
        ("mask = mask + 1", 1),
        ("mask = ~mask", 1),
    ],
)
def test_sets_of_processes_as_bits(step: str, order: int, tmp_path: Path) -> None:
    assert symmetry(path_of(MASK.replace("STEP", step), tmp_path)).order == order


def test_bits_that_may_be_shifted_out_are_left_alone(tmp_path: Path) -> None:
    started = known(MASK.replace("STEP", "mask = mask | (1 << (mask + 1))"), tmp_path)
    assert spread_masks(started) is started


def test_numbers_are_followed_through_all_that_depends_on_each_other(tmp_path: Path) -> None:
    text = """byte a, b = 5; chan c = [1] of { byte, byte };
    active proctype p() { byte x; do :: a = b :: b = a :: c!a,3 :: c?x,_ ; b = x od }
    active proctype q() { byte y, z; do :: c?y,z :: y = z + 1 od }
    """
    started = known(text, tmp_path)
    numbers = WhichNumbers(started)
    assert numbers.numbers_of(Read("a")) == {0, 5}
    assert numbers.numbers_of(Read("p.x", ())) == {0, 5}
    assert numbers.numbers_of(Read("q.y", ())) is None
    assert numbers.numbers_of(Read("q.z", ())) == {0, 3}


def test_pairs_with_numberings_of_their_own(tmp_path: Path) -> None:
    text = """bool on[2]; active [2] proctype a() { do :: on[_pid] = true od }
    active [2] proctype b() { do :: on[_pid - 2] -> on[_pid - 2] = false od }
    """
    started = known(text, tmp_path)
    assert write_numbers(started) is not started
    assert symmetry(path_of(text, tmp_path)).order == 2
    alone = known("bool on[2]; active [2] proctype a() { do :: on[_pid] = true od }\n", tmp_path)
    assert write_numbers(alone) is alone
