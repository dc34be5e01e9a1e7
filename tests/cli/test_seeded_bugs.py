"""Bugs put into the examples: the line that is wrong is among the last five steps that are printed."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples"
BUGS = [
    ("promela/peterson.pml", ":: clear || last[stage] != _pid", ":: clear || last[stage] == _pid"),
    ("promela/floors.pml", "(last[mine] != _pid + 1 ||", "(last[mine] == _pid + 1 ||"),
    ("promela/service.pml", "customer!done", "customer!request"),
    ("promela/readers.pml", ":: wait(room);", ":: skip;"),
    ("mutex.edges", "T -> C when #C = 0", "T -> C when #C <= 1"),
    ("readers_writers.edges", "T -> C when i < 3 and s[3] != C", "T -> C when i < 3"),
    ("token_ring.edges", "T -> C when token = i ", "T -> C when token != i "),
    ("b/Scheduler0.mch", "mode(t) = waiting & running /: ran(mode)", "mode(t) = waiting"),
    ("b/PhoneBook.mch", "n : NAME & c : NUMBER & n /: listed", "n : NAME & c : NUMBER"),
    ("b/SeatBooking.mch", "& f /: dom(seat) \\/ dom(list) THEN seat(f) := c", "THEN seat(f) := c"),
    ("b/Lending.mch", "quit(p) = PRE p : members & p /: ran(loan)", "quit(p) = PRE p : members"),
    ("murphi/mesi.m", "line[i] = Exclusive ==>", "line[i] != Invalid ==>"),
]


@pytest.mark.parametrize(("name", "right", "wrong"), BUGS, ids=[name for name, _, _ in BUGS])
def test_the_faulty_line_is_shown(
    name: str, right: str, wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    assert text.count(right) == 1
    model = tmp_path / Path(name).name
    model.write_text(text.replace(right, wrong), encoding="utf-8")
    assert main(["check", str(model), "--property", "safety"]) == 1
    faulty = text[: text.index(right)].count("\n") + 1
    assert faulty in lines_of_last_steps(capsys.readouterr().out, 5)


def lines_of_last_steps(printed: str, most: int) -> list[int]:
    """The column ``line`` of the table, as a reader sees it; a step may have several rows."""
    rows = iter(printed.splitlines())
    head = next(row for row in rows if row.split()[:1] == ["step"])
    end = head.index("line") + len("line")
    steps: list[list[int]] = []
    for row in rows:
        if row.startswith("  end "):
            break
        if row[:6].strip():
            steps.append([])
        if row[end - 6 : end].strip().isdigit():
            steps[-1].append(int(row[end - 6 : end]))
    return [line for step in steps[-most:] for line in step]
