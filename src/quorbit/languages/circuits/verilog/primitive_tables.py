"""Parse user-defined primitives: ``primitive name(out, in, ...); ... table 0 1 ? : 1; endtable endprimitive``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorbit.languages.circuits.verilog.declarations import declarations, is_declaration
from quorbit.languages.circuits.verilog.expressions import Cursor, clean, expression
from quorbit.languages.circuits.verilog.tokens import Token
from quorbit.languages.circuits.verilog.tree import Declaration, Number, TableRow, UserPrimitive
from quorbit.source.errors import UserError
from quorbit.source.span import Span

MOST_INPUTS = 10  # the standard asks for so many at least
CELL = re.compile(r"\(\s*([01xb?])\s*([01xb?])\s*\)|([01xb?rfpn*])", re.IGNORECASE)
BESIDE = re.compile(r"//[^\n]*|/\*(?s:.*?)\*/")
EITHER = {"?": "01", "b": "01", "x": ""}  # the values of a bit that is 0 or 1; x it never is
EDGES = {"r": "01", "p": "01", "f": "10", "n": "10", "*": "??"}


def read_primitive(c: Cursor, declared: list[Declaration], ports: list[str], name: Token) -> UserPrimitive:
    """What follows after the ports."""
    start = ""
    while c.peek().text != "table":
        if is_declaration(c, set()):
            declared += declarations(c, set())
        elif c.accept("initial"):
            c.name("the output")
            c.expect("=")
            start = first_value(c)
        else:
            raise c.error("expected a declaration, initial or table")
    refuse_wrong_ports(declared, ports, name.span)
    table = c.next()
    while c.peek().text != "endtable":
        if c.next().kind == "end":
            raise UserError(table.span, "this table has no endtable")
    within = Span(table.span.source, table.span.end, c.next().span.start)
    c.expect("endprimitive")
    is_stored = any(d.kind == "reg" for d in declared)
    start = start or next((d.value.bits[0] for d in declared if isinstance(d.value, Number)), "")
    rows = tuple(table_row(row, len(ports) - 1, is_stored) for row in rows_of(within))
    return UserPrimitive(clean(name.text), len(ports) - 1, rows, is_stored, start, name.span)


def first_value(c: Cursor) -> str:
    value = expression(c)
    c.expect(";")
    if not isinstance(value, Number):
        raise UserError(value.span, "the first value of a primitive is 0, 1 or x")
    return value.bits[0]


def refuse_wrong_ports(declared: list[Declaration], ports: list[str], span: Span) -> None:
    directions = {d.name: d.direction for d in declared if d.direction}
    for k, port in enumerate(ports):
        if directions.get(port) != ("input" if k else "output"):
            raise UserError(span, f"{port} has to be {'an input' if k else 'the output'} of the primitive")
    if not 1 < len(ports) <= MOST_INPUTS + 1:
        raise UserError(span, f"a primitive has between 1 and {MOST_INPUTS} inputs")


def rows_of(table: Span) -> Iterator[Span]:
    """The parts of a table that end with a semicolon."""
    text = BESIDE.sub(lambda found: " " * len(found.group()), table.text)
    at = 0
    for row in text.split(";")[:-1]:
        begin = table.start + at + len(row) - len(row.lstrip())
        yield Span(table.source, begin, table.start + at + len(row.rstrip()))
        at += len(row) + 1
    if rest := text[at:].strip():
        begin = table.start + at + text[at:].index(rest)
        raise UserError(Span(table.source, begin, begin + len(rest)), "this row has no semicolon")


def table_row(row: Span, inputs: int, is_stored: bool) -> TableRow:
    columns = [column.strip().lower() for column in BESIDE.sub("", row.text).split(":")]
    cells = tuple(cells_of(columns[0], row))
    if len(columns) != 2 + is_stored or len(cells) != inputs:
        shape = "inputs : state : next" if is_stored else "inputs : output"
        raise UserError(row, f"a row of this table is {shape}, with {inputs} inputs")
    state, after = (columns[1] if is_stored else ""), columns[-1]
    if (is_stored and state not in {"0", "1", *EITHER}) or after not in ("01x-" if is_stored else "01x"):
        raise UserError(row, "the state is 0, 1, x, ? or b; what it becomes is 0, 1, x or -")
    if sum(len(cell) == 2 for cell in cells) > 1 or (not is_stored and any(len(cell) == 2 for cell in cells)):
        raise UserError(row, "one edge in a row, and only where the output is a reg")
    return TableRow(cells, state, after, row)


def cells_of(text: str, row: Span) -> Iterator[str]:
    """Each input: what it may be, or from what it changes to what."""
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        if (found := CELL.match(text, at)) is None:
            raise UserError(row, f"{text[at]} is not a value or an edge of an input")
        before, after, one = found.groups()
        yield before + after if one is None else EDGES.get(one, one)
        at = found.end()


def values_of(symbol: str) -> str:
    return EITHER.get(symbol, symbol)
