"""Elaborate user-defined primitives: functions, latches, and flip-flops with one clock.

A table is read for inputs that are 0 or 1.  What no row says is x, which may be either value here.  Rows without an
edge go before those with one; where such a row gives a value whatever the clock is, it sets or resets asynchronously.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from quorbit.languages.circuits.telling import HELD
from quorbit.languages.circuits.verilog.elaboration import Elaboration, drive
from quorbit.languages.circuits.verilog.primitive_tables import values_of
from quorbit.languages.circuits.verilog.registers import latch
from quorbit.languages.circuits.verilog.tree import TableRow, UserPrimitive
from quorbit.netlists.builder import ONE, ZERO
from quorbit.source.errors import UserError
from quorbit.source.span import Span

Values = tuple[str, ...]  # of the inputs, each "0" or "1"


def drive_by_table(x: Elaboration, p: UserPrimitive, output: str, inputs: Sequence[str], span: Span) -> None:
    """The output of an instance; ``inputs``: its bits."""
    if p.start in ("0", "1"):
        x.starts[output] = x.b.constant(p.start == "1")
    if not p.is_stored:
        drive(x, output, by_rows(x, p, p.rows, inputs, ""))
        return
    clock = clock_of(p)
    if clock is None:
        x.held[output + HELD] = (output, span)
        drive(x, output, by_rows(x, p, p.rows, inputs, output + HELD))
        return
    column, rises = clock
    if p.name not in x.tables:
        refuse_other_changes(p, column, rises)
        x.tables.add(p.name)
    levels = [row for row in p.rows if edge_in(row) is None]
    acting = [
        (when(x, [r for r in levels if r.after == value], inputs, ""), net) for value, net in (("1", ONE), ("0", ZERO))
    ]
    edges = [row for row in p.rows if is_active(row, column, rises)]
    after = by_rows(x, p, edges, inputs, output, levels)
    for condition, value in acting:
        after = x.b.choose(condition, value, after)
    x.clocks.setdefault(("posedge" if rises else "negedge", inputs[column]), span)
    latch(x, output, after, span, [each for each in acting if each[0] != ZERO])


def edge_in(row: TableRow) -> int | None:
    return next((k for k, cell in enumerate(row.cells) if len(cell) == 2), None)


def clock_of(p: UserPrimitive) -> tuple[int, bool] | None:
    """The input whose edges change the output, and whether those that rise do; None if there are only levels."""
    if all(edge_in(row) is None for row in p.rows):
        return None
    found = {
        (k, before == "0")
        for row in p.rows
        if (k := edge_in(row)) is not None and row.after != "-"
        for before, after in product(values_of(row.cells[k][0]), values_of(row.cells[k][1]))
        if before != after and not is_idle(row)
    }
    if len(found) != 1:
        raise UserError(
            p.span, "a primitive that is not a function, a latch or a flip-flop with one edge is not supported"
        )
    return found.pop()


def is_idle(row: TableRow) -> bool:
    """Whether a row says in another way that the output stays."""
    return row.after == row.state


def is_active(row: TableRow, column: int, rises: bool) -> bool:
    return edge_in(row) == column and changes(row.cells[column], *("01" if rises else "10"))


def by_rows(
    x: Elaboration,
    p: UserPrimitive,
    rows: Sequence[TableRow],
    inputs: Sequence[str],
    state: str,
    first: Sequence[TableRow] = (),
) -> str:
    """The value that rows give; either one where none of them does.  ``first``: rows that go before them."""
    up, down, stay = (when(x, [r for r in rows if r.after == value], inputs, state) for value in "10-")
    value = up
    if not is_complete(p, rows, first):
        either = x.b.fresh()
        x.b.choice(either, (0, 1))
        value = x.b.choose(x.b.disjoin((up, down)), up, either)
    return x.b.choose(stay, state, value) if stay != ZERO else value


def when(x: Elaboration, rows: Iterable[TableRow], inputs: Sequence[str], state: str) -> str:
    """The bit that tells whether one of some rows applies, but for its edge."""
    return x.b.disjoin([x.b.conjoin(literals(x, row, inputs, state)) for row in rows])


def literals(x: Elaboration, row: TableRow, inputs: Sequence[str], state: str) -> Iterator[str]:
    pairs = [*zip(row.cells, inputs, strict=True), *([(row.state, state)] if state else [])]
    for symbol, net in pairs:
        if len(symbol) == 1:
            allowed = values_of(symbol)
            if len(allowed) < 2:
                yield ZERO if not allowed else net if allowed == "1" else x.b.invert(net)


def applies(row: TableRow, values: Values, state: str) -> bool:
    """Whether the levels of a row fit; an edge is not looked at."""
    fits = all(len(cell) == 2 or v in values_of(cell) for cell, v in zip(row.cells, values, strict=True))
    return fits and (not row.state or state in values_of(row.state))


def outcome(p: UserPrimitive, rows: Iterable[TableRow], values: Values, state: str) -> str:
    """What rows say about values of the inputs: 0, 1, - or x."""
    found = {row.after: row for row in rows if applies(row, values, state)}
    if len(found) > 1:
        raise UserError(list(found.values())[1].span, f"the table of {p.name} has two rows for the same values")
    return next(iter(found), "x")


def is_complete(p: UserPrimitive, rows: Sequence[TableRow], first: Sequence[TableRow]) -> bool:
    """Whether rows give a value for all values of the inputs and of the state where none goes before them."""
    states = ("0", "1") if p.is_stored else ("",)
    left = [
        (values, state)
        for values, state in product(product("01", repeat=p.inputs), states)
        if not any(applies(row, values, state) for row in first)
    ]
    return all(outcome(p, rows, values, state) != "x" for values, state in left)


def refuse_other_changes(p: UserPrimitive, clock: int, rises: bool) -> None:
    """Only the edge of the clock and what sets or resets may change the output, for a step is one edge of the clock."""
    levels = [row for row in p.rows if edge_in(row) is None]
    for values, state in product(product("01", repeat=p.inputs), "01"):
        other = (*values[:clock], "1" if values[clock] == "0" else "0", *values[clock + 1 :])
        now = outcome(p, levels, values, state)
        if now == "-" and (values[clock] == "1") != rises:
            continue
        if any(applies(row, values, state) for row in levels):
            if {outcome(p, levels, each, s) for each in (values, other) for s in "01"} != {now}:
                raise UserError(p.span, f"levels of {p.name} depend on its clock or on its state: not supported")
            continue
        for k in range(p.inputs):
            if k == clock and (values[k] == "1") == rises:
                continue
            before = "1" if values[k] == "0" else "0"
            rows = [r for r in p.rows if edge_in(r) == k and changes(r.cells[k], before, values[k])]
            if outcome(p, rows, values, state) not in ("-", state):
                raise UserError(
                    p.span, f"{p.name} changes its output, or leaves it open, when input {k + 1} changes: not supported"
                )


def changes(cell: str, before: str, after: str) -> bool:
    return before in values_of(cell[0]) and after in values_of(cell[1])
