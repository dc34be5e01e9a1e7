"""Parse BLIF and BLIF-MV text into a Program.

The two languages share their lines and most directives.  They differ in the rows of a table (BLIF writes a cube without
blanks, and rows name the on-set or the off-set), in ``.latch`` (BLIF has a clock and an initial value) and in
``.subckt`` (BLIF-MV names the instance).
"""

from __future__ import annotations

from quorbit.languages.circuits.blif.directives import DEFAULT, INPUTS, OUTPUTS, REFUSED, RESET, SKIPPED, TABLE
from quorbit.languages.circuits.blif.lines import ARROW, Line, entries, read_lines, split_words
from quorbit.netlists.program import Declared, Instance, Model, Program, Word, Written, WrittenLatch
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Source, Span

__all__ = ["parse"]

LARGEST_DOMAIN = 1 << 16
CLOCKS = frozenset({"fe", "re", "ah", "al", "as"})


@mutable
class Reader:
    """What is open while the lines go by."""

    source: Source
    is_blif: bool
    models: dict[str, Model] = field(default_factory=dict)
    root: str | None = None
    model: Model | None = None
    table: Written | None = None
    skipping: bool = False  # inside .exdc


def parse(source: Source, is_blif: bool) -> Program:
    reader = Reader(source, is_blif)
    for line in read_lines(source):
        read_line(reader, line)
    if not reader.models:
        raise UserError(Span(source, 0, min(1, len(source.text))), "there is no .model in this file")
    if is_blif:
        for table in (t for model in reader.models.values() for t in model.tables):
            table.default_value = table.default_value or 0  # no row at all: the constant 0
    return Program(reader.models, reader.root or next(iter(reader.models)))


def read_line(reader: Reader, line: Line) -> None:
    words = line.words
    first = words[0].text
    if not (first[0] == "." and first[1:2].isalpha()):
        if not reader.skipping:
            read_row(reader, words)
    elif reader.skipping:
        reader.skipping = first not in (".end", ".model")
        if first == ".model":
            read_directive(reader, first, words, line)
    else:
        read_directive(reader, first, words, line)


def read_directive(reader: Reader, directive: str, words: list[Word], line: Line) -> None:
    if directive in REFUSED:
        raise UserError(words[0].span, f"{directive}: {REFUSED[directive]}")
    if directive not in DEFAULT:
        reader.table = None
    if directive == ".model":
        open_model(reader, words)
    elif directive in DEFAULT:
        read_default(reader, words)
    elif directive == ".exdc":
        reader.skipping = True
    elif directive != ".end" and directive not in SKIPPED:
        read_part(reader, directive, words, line)


def read_part(reader: Reader, directive: str, words: list[Word], line: Line) -> None:
    """A directive that says something of the open model."""
    model = the_model(reader, words[0])
    if directive in INPUTS:
        model.inputs += words[1:]
    elif directive in OUTPUTS:
        model.outputs += words[1:]
    elif directive in TABLE:
        reader.table = read_header(words, line)
        model.tables.append(reader.table)
    elif directive in RESET:
        reader.table = read_reset(model, words, line)
    elif directive == ".mv":
        declare(model, words)
    elif directive == ".latch":
        model.latches.append(read_latch(words, line, reader.is_blif))
    elif directive == ".subckt":
        model.instances.append(read_instance(words, line, reader.is_blif, len(model.instances)))
    elif directive == ".root":
        reader.root = words[1].text if len(words) > 1 else model.name
    else:
        raise UserError(words[0].span, f"{directive} is not a directive of {'BLIF' if reader.is_blif else 'BLIF-MV'}")


def the_model(reader: Reader, word: Word) -> Model:
    if reader.model is None:  # BLIF lets a file begin without .model
        reader.model = Model("main", word.span)
        reader.models["main"] = reader.model
    return reader.model


def open_model(reader: Reader, words: list[Word]) -> None:
    name = words[1] if len(words) > 1 else Word("main", words[0].span)
    if name.text in reader.models:
        raise UserError(name.span, f"the model {name.text} is defined twice")
    reader.model = Model(name.text, name.span)
    reader.models[name.text] = reader.model


def read_header(words: list[Word], line: Line) -> Written:
    """Inputs and outputs of a table; without an arrow the last name is the only output."""
    names = split_words(words[1:], ARROW)
    arrows = [i for i, word in enumerate(names) if word.text == ARROW]
    if len(arrows) > 1:
        raise UserError(names[arrows[1]].span, "a table has one '->'")
    cut = arrows[0] if arrows else len(names) - 1
    inputs, outputs = names[:cut], names[cut + 1 :] if arrows else names[cut:]
    if not outputs:
        raise UserError(words[0].span, "a table needs an output")
    no_repetition(outputs, "output")
    return Written(tuple(inputs), tuple(outputs), line.span)


def no_repetition(words: list[Word], what: str) -> None:
    seen: set[str] = set()
    for word in words:
        if word.text in seen:
            raise UserError(word.span, f"{word.text} is listed twice as an {what}")
        seen.add(word.text)


def read_reset(model: Model, words: list[Word], line: Line) -> Written:
    table = read_header(words, line)
    if len(table.outputs) != 1:
        raise UserError(table.outputs[1].span, "a reset table has one output, the latch it starts")
    latch = table.outputs[0]
    if latch.text in model.resets:
        raise UserError(latch.span, f"{latch.text} has two reset tables")
    model.resets[latch.text] = table
    return table


def read_row(reader: Reader, words: list[Word]) -> None:
    table = reader.table
    if table is None:
        raise UserError(words[0].span, "a row of a table is expected only after .table, .names or .reset")
    row = cube(table, words) if reader.is_blif else entries(words)
    width = len(table.inputs) + len(table.outputs)
    if len(row) != width:
        raise UserError(row[0].span.to(row[-1].span), f"this row has {len(row)} entries, its table has {width} columns")
    if reader.is_blif:
        note_set(table, row[-1])
    table.rows.append(tuple(row))


def cube(table: Written, words: list[Word]) -> list[Word]:
    """The letters of a BLIF row, one per column."""
    row = [
        Word(c, Span(word.span.source, word.span.start + i, word.span.start + i + 1))
        for word in words
        for i, c in enumerate(word.text)
    ]
    for letter in row:
        if letter.text not in "01-":
            raise UserError(letter.span, f"a BLIF row is made of 0, 1 and -, not {letter.text!r}")
    return row


def note_set(table: Written, output: Word) -> None:
    """A BLIF table lists its on-set or its off-set; the rest has the other value."""
    if output.text == "-":
        raise UserError(output.span, "the output of a BLIF row is 0 or 1")
    rest = 1 - int(output.text)
    if table.default_value not in (None, rest):
        raise UserError(output.span, "this table mixes rows of the on-set and of the off-set")
    table.default_value = rest


def read_default(reader: Reader, words: list[Word]) -> None:
    table = reader.table
    if table is None:
        raise UserError(words[0].span, "a default stands inside a table")
    if table.default is not None:
        raise UserError(words[0].span, "this table has two defaults")
    values = entries(words[1:])
    if len(values) != len(table.outputs):
        raise UserError(
            words[0].span.to(words[-1].span),
            f"{len(values)} default values for a table with {len(table.outputs)} outputs",
        )
    table.default = tuple(values)


def declare(model: Model, words: list[Word]) -> None:
    """``.mv a, b, c size [values]``: names stand before the size, separated by commas."""
    rest = split_words(words[1:], ",")
    names = rest[:1]
    i = 1
    while i + 1 < len(rest) and rest[i].text == ",":
        names.append(rest[i + 1])
        i += 2
    if i >= len(rest) or not rest[i].text.isdecimal():
        raise UserError(words[0].span, "write .mv name, name, ... size [values]")
    size, values = rest[i], [word for word in rest[i + 1 :] if word.text != ","]
    if not 1 <= int(size.text[:9]) <= LARGEST_DOMAIN:
        raise UserError(size.span, f"a domain has 1 to {LARGEST_DOMAIN} values")
    if values and len(values) != int(size.text):
        raise UserError(size.span, f"{size.text} values are announced and {len(values)} are listed")
    no_repetition(values, "value of this domain")
    texts = tuple(v.text for v in values) or tuple(str(k) for k in range(int(size.text)))
    for name in names:
        declare_one(model, name, Declared(texts, size.span))


def declare_one(model: Model, name: Word, declared: Declared) -> None:
    known = model.domains.get(name.text)
    if known and known.values != declared.values:
        raise UserError(name.span, f"{name.text} is declared twice, with different domains")
    model.domains[name.text] = declared


def read_latch(words: list[Word], line: Line, is_blif: bool) -> WrittenLatch:
    if len(words) < 3:
        raise UserError(line.span, "a latch needs an input and an output")
    rest = words[3:]
    if len(rest) >= 2 and rest[0].text in CLOCKS:
        rest = rest[2:]
    start: int | None = None
    if rest:
        if len(rest) > 1 or rest[0].text not in ("0", "1", "2", "3"):
            raise UserError(rest[0].span, "write .latch input output [type control] [0|1|2|3]")
        start = int(rest[0].text)
    return WrittenLatch(words[1], words[2], 3 if start is None and is_blif else start, line.span)


def read_instance(words: list[Word], line: Line, is_blif: bool, number: int) -> Instance:
    rest = split_words(words[1:], "=")
    if not rest:
        raise UserError(words[0].span, "write .subckt model " + ("" if is_blif else "name ") + "formal=actual ...")
    model, rest = rest[0], rest[1:]
    named = bool(rest) and not (len(rest) > 1 and rest[1].text == "=")
    name = rest[0].text if named else f"{model.text}_{number}"
    pairs = rest[1:] if named else rest
    if (
        len(pairs) % 3
        or any(word.text != "=" for word in pairs[1::3])
        or "=" in [w.text for w in pairs[0::3] + pairs[2::3]]
    ):
        raise UserError(line.span, "the connections of a .subckt are written formal=actual")
    bindings = tuple(zip(pairs[0::3], pairs[2::3], strict=True))
    no_repetition([formal for formal, _ in bindings], "argument of this .subckt")
    return Instance(model, name, bindings, line.span)
