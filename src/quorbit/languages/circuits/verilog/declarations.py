"""Parse Verilog declarations: ports, wires, registers, integers, and VIS's nets of enumeration type."""

from __future__ import annotations

from quorbit.languages.circuits.verilog.expressions import Cursor, clean, expression, skip_delay
from quorbit.languages.circuits.verilog.tree import Declaration, Number, Range
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

DIRECTIONS = frozenset(["input", "output", "inout"])
NETS = frozenset(
    ["wire", "tri", "wand", "wor", "supply0", "supply1", "reg", "logic", "bit", "integer", "int", "genvar", "time"]
)
SHAPES = frozenset(["vectored", "scalared"])  # say nothing about values
REGISTERS = frozenset(["reg", "logic", "bit"])
MODERN = frozenset(["logic", "bit", "int"])  # names like any other before SystemVerilog
SUPPLIES = {"supply0": "0", "supply1": "1"}  # what all bits of such a net are


def is_declaration(c: Cursor, types: set[str]) -> bool:
    word = c.peek()
    if word.kind != "name":
        return False
    if word.text in MODERN:
        return is_type(c)
    return word.text in DIRECTIONS or word.text in NETS or (word.text in types and c.peek(1).kind == "name")


def is_type(c: Cursor) -> bool:
    """Whether a word that only SystemVerilog reserves begins a declaration here: a name follows, maybe after ranges."""
    ahead = 1
    while c.peek(ahead).text == "[":
        while c.peek(ahead).text != "]":
            if c.peek(ahead).kind == "end":
                return False
            ahead += 1
        ahead += 1
    return c.peek(ahead).kind == "name"


def declarations(c: Cursor, types: set[str], in_header: bool = False) -> list[Declaration]:
    """One declaration with all its names, up to and including the semicolon (in a header: one name)."""
    direction = token.text if (token := c.accept(*DIRECTIONS)) else ""
    kind, type_name, signed, supplied = "wire", "", False, ""
    while c.peek().kind == "name" and c.peek().text in (*NETS, *SHAPES, "signed", "unsigned", *types):
        word = c.peek().text
        if (word in MODERN or (word in types and type_name)) and c.peek(1).text in (",", ";", "=", ")"):
            break
        c.next()
        if word in SHAPES:
            continue
        if word in types:
            type_name = word
        elif word in ("signed", "unsigned"):
            signed = word == "signed"
        elif word in SUPPLIES:
            supplied = SUPPLIES[word]
        elif word not in ("tri", "wand", "wor"):
            kind = "reg" if word in REGISTERS else word
        elif word != "tri":
            raise c.error(f"{word} nets are not supported")
    if kind in ("integer", "int"):
        signed = True
    if kind in ("genvar", "time"):
        kind = "integer"
    range_ = read_range(c)
    found = [one_name(c, kind, type_name, direction, signed, range_)]
    while not in_header and c.accept(","):
        found.append(one_name(c, kind, type_name, direction, signed, range_))
    if not in_header:
        c.expect(";")
    if supplied:
        return [replace(d, value=Number(supplied, False, d.span, fills=True)) for d in found]
    return found


def one_name(c: Cursor, kind: str, type_name: str, direction: str, signed: bool, range_: Range | None) -> Declaration:
    if c.peek().text == "#":
        skip_delay(c)
    name = c.name("a name")
    array = read_range(c)
    if c.peek().text == "[":
        raise c.error("arrays have one dimension")
    value = expression(c) if c.accept("=") else None
    kind = "integer" if kind == "int" else kind
    return Declaration(clean(name.text), kind, type_name, direction, signed, range_, array, value, name.span)


def read_range(c: Cursor) -> Range | None:
    if not c.accept("["):
        return None
    left = expression(c)
    if c.accept("]"):
        raise UserError(left.span, "write a range as [left:right]")
    c.expect(":")
    right = expression(c)
    c.expect("]")
    return Range(left, right)
