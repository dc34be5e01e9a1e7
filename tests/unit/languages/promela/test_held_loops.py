"""Loops put into ``atomic``: the innermost ones that count, with the assignment before them."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.promela.held_loops import hold_loops
from quorbit.languages.promela.parse.program import Assignment, Selection, Sequence, Statement
from quorbit.languages.promela.parse.units import parse
from quorbit.source.read import read_source

TEXT = """byte a[3];
active proctype p() { byte i;
  do
  :: i = 0;
     do
     :: i < 3 -> a[i] = 1; i++
     :: else -> break
     od
  :: atomic { i = 0; do :: i < 3 -> i++ :: else -> break od }
  od }
"""


def sequences(body: tuple[Statement, ...]) -> list[Sequence]:
    found = [part for part in body if isinstance(part, Sequence)]
    for part in body:
        if isinstance(part, Selection):
            found += [inner for option in part.options for inner in sequences(option)]
    return found


def test_the_innermost_loop_is_held(tmp_path: Path) -> None:
    path = tmp_path / "model.pml"
    path.write_text(TEXT)
    program = parse(read_source(path), ())
    counting = next(part for part in inner_statements(program.proctypes[0].body) if part.span.line == 6)
    held, loops = hold_loops(program, [counting.span])
    assert [span.line for span in loops] == [5]
    first, second = (part for part in sequences(held.proctypes[0].body) if part.how == "atomic")
    assert [type(part) for part in first.body] == [Assignment, Selection]
    assert second in sequences(program.proctypes[0].body)


def inner_statements(body: tuple[Statement, ...]) -> list[Assignment]:
    found = [part for part in body if isinstance(part, Assignment)]
    for part in body:
        if isinstance(part, Selection):
            found += [inner for option in part.options for inner in inner_statements(option)]
    return found
