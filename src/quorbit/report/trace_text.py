"""A trace as text: a line for every statement with who performs it, where it is written and what changed.

    step  process    line  statement             changes
       1  reader[0]     7  mutex > 0
                        7  mutex--               mutex = 0

What does not fit the width goes on below; only what changed is told, at the start and the end what is visible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.system import State, System
from quorbit.report.told import Teller
from quorbit.report.trace import Moved, moves_of_piece, shown_pieces
from quorbit.result.outcome import Trace
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["how_it_goes_on", "trace_lines"]

MOST_STEPS = 2000  # that are shown
MOST_LINES = 8  # for one state
NARROWEST = 60
REPLACEMENT = "\ufffd"
GAP = "  "


@frozen
class Row:
    step: str
    actor: str
    line: str
    text: str
    changes: tuple[str, ...] = ()
    heading: str = ""  # a line of its own instead


def trace_lines(system: System, trace: Trace, width: int, most: int = MOST_STEPS) -> list[str]:
    """The table of at most so many steps, so many columns wide, and how the run goes on if it does so forever."""
    teller = Teller(Meaning(system))
    rows: list[Row] = []
    passed, last = 0, trace.start
    for piece in shown_pieces(trace, most):
        if piece.passed > passed:
            rows.append(heading(f"... {piece.passed - passed:,} steps are not shown ..."))
        moves = moves_of_piece(system, piece)
        for k, moved in enumerate(moves, piece.passed + 1):
            rows += loop_mark(trace, k - 1)
            rows += rows_of(k, moved)
        passed, last = piece.passed + len(moves), moves[-1].state if moves else last
    width = max(NARROWEST, width)
    return [printable(line) for line in told_lines(system, teller, trace, rows, last, width)]


def printable(text: str) -> str:
    """Names and strings of a model never become codes for the terminal."""
    return text if text.isprintable() else "".join(c if c.isprintable() else REPLACEMENT for c in text)


def told_lines(system: System, teller: Teller, trace: Trace, rows: list[Row], last: State, width: int) -> list[str]:
    first = first_row(teller, trace.start)
    rows = [*first, *rows]
    start = [] if first else state_lines("start", teller, trace.start, width)
    lines = [*start, *table_lines([titles(system), *rows], width)]
    lines = lines if rows else lines[:-1]
    if trace.loop is not None:
        return [*lines, f"  and so on forever: {how_it_goes_on(trace)}"]
    return [*lines, *(state_lines("end", teller, last, width) if trace.steps else [])]


def first_row(teller: Teller, s: State) -> list[Row]:
    """The start as a step, where the language has one that makes it."""
    starts, commands = teller.system.telling.starts, teller.system.start
    if not starts:
        return []
    label = starts[0][0]
    changes = tuple(change.said for change in teller.given(label, s) or ())
    return [Row("0", "", line_of(commands[0].span) if commands else "", label, changes)]


def loop_mark(trace: Trace, step: int) -> list[Row]:
    """Before the first step of the loop."""
    is_first = trace.loop == step and step < len(trace.steps)
    return [heading("-- from here on, over and over: --")] if is_first else []


def heading(text: str) -> Row:
    return Row("", "", "", "", heading=text)


def how_it_goes_on(trace: Trace) -> str:
    steps = len(trace.steps)
    if trace.loop is None or trace.loop == steps:
        return "nothing moves any more"
    repeated = steps - trace.loop
    return f"step {steps} again" if repeated == 1 else f"steps {trace.loop + 1} to {steps} again"


def titles(system: System) -> Row:
    if any(command.actors for command in system.commands):
        return Row("step", "process", "line", "statement", ("changes",))
    return Row("step", "", "line", "inputs" if system.synchronous else "operation", ("changes",))


def rows_of(number: int, moved: Moved) -> Iterator[Row]:
    actor = None
    for k, said in enumerate(moved.statements):
        changes = tuple(change.said for change in said.changes)
        named = "" if k and said.actor == actor else said.actor
        actor = said.actor
        yield Row("" if k else str(number), named, line_of(said.span), said.text, changes)
    if not moved.statements:
        yield Row(str(number), "", "", moved.label)


def line_of(span: Span) -> str:
    return "" if span.source is NOWHERE.source else str(span.line)


def state_lines(title: str, teller: Teller, s: State, width: int) -> list[str]:
    parts = list(teller.families(s))
    if not parts:
        return []
    head = f"  {title:5}  "
    lines = wrap(parts, width - len(head))
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES - 1], "..."]
    return [(head if k == 0 else " " * len(head)) + line for k, line in enumerate(lines)]


def table_lines(rows: Sequence[Row], width: int) -> list[str]:
    """The columns as narrow as they can be; the statement's has at most half of what is left to it and the changes."""
    step = max((len(row.step) for row in rows), default=1)
    actor = min(max((len(row.actor) for row in rows), default=0), width // 4)
    line = max(len(row.line) for row in rows) if any(row.line for row in rows[1:]) else 0
    left = 2 + sum(size + len(GAP) for size in (step, actor, line) if size)
    room = width - left
    longest = max((len(row.text) for row in rows), default=0)
    changed = max((len(change) for row in rows for change in row.changes), default=0)
    text = longest if longest + len(GAP) + changed <= room else min(longest, max(room // 2, room - len(GAP) - changed))
    out: list[str] = []
    for row in rows:
        if row.heading:
            out.append(f"  {row.heading}")
            continue
        cells = [row.step.rjust(step), *([cut(row.actor, actor).ljust(actor)] if actor else [])]
        cells += [row.line.rjust(line)] if line else []
        head = "  " + GAP.join(cells) + GAP
        out += row_lines(head, row, text, room)
    return out


def row_lines(head: str, row: Row, text: int, room: int) -> Iterator[str]:
    """A statement that is too long for its column has the changes below it."""
    blank = " " * len(head)
    said = wrap(row.text.split(" "), room, " ")
    if len(said) == 1 and len(said[0]) <= text:
        told = wrap(row.changes, room - text - len(GAP))
        yield (head + said[0].ljust(text) + GAP + (told[0] if told else "")).rstrip()
        yield from (blank + " " * text + GAP + line for line in told[1:])
        return
    yield head + said[0]
    yield from (blank + GAP + line for line in said[1:])
    yield from (blank + GAP + line for line in wrap(row.changes, room - len(GAP)))


def wrap(parts: Sequence[str], room: int, separator: str = ", ") -> list[str]:
    """Parts in lines of at most so many characters; one that is too long by itself is broken."""
    lines: list[str] = []
    for k, part in enumerate(parts):
        piece = part if k + 1 == len(parts) else part + separator.rstrip()
        if lines and len(lines[-1]) + 1 + len(piece) <= room:
            lines[-1] += " " + piece
        else:
            lines += broken(piece, room)
    return lines or ([""] if separator == " " else [])


def broken(text: str, room: int) -> Iterator[str]:
    while len(text) > room:
        at = max(text.rfind(", ", room // 3, room - 1) + 1, 0) or text.rfind(" ", room // 2, room)
        at = room if at < 0 else at + 1
        yield text[:at].rstrip()
        text = text[at:]
    yield text


def cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(0, width - 2)] + ".."
