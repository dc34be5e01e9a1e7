"""Parse Verilog expressions by precedence; a cursor over tokens that statements and modules use too."""

from __future__ import annotations

import re

from quorbit.languages.circuits.verilog.tokens import Token
from quorbit.languages.circuits.verilog.tree import (
    Binary,
    Call,
    Expr,
    Index,
    Join,
    Name,
    Number,
    Slice,
    Ternary,
    Unary,
)
from quorbit.source.errors import UserError
from quorbit.source.frozen import mutable
from quorbit.source.span import Span

LEVELS = (
    ("||",),
    ("&&",),
    ("|",),
    ("^", "~^", "^~"),
    ("&",),
    ("==", "!=", "===", "!=="),
    ("<", "<=", ">", ">="),
    ("<<", ">>", "<<<", ">>>"),
    ("+", "-"),
    ("*", "/", "%"),
    ("**",),
)
BINDING = {symbol: level for level, symbols in enumerate(LEVELS) for symbol in symbols}
ASSOCIATIVE = frozenset(["&&", "||", "&", "|", "^", "+"])
PREFIX = frozenset(["+", "-", "!", "~", "&", "|", "^", "~&", "~|", "~^", "^~"])
DEEPEST = 100
ESCAPE = re.compile(r"\\(?:([0-7]{1,3})|(.))", re.DOTALL)  # in a string
ESCAPED = {"n": "\n", "t": "\t", "v": "\v", "f": "\f", "a": "\a"}
LITERAL = re.compile(r"(\d[\d_]*)?\s*'([sS]?)([bBoOdDhH])\s*([0-9a-fA-FxXzZ?_]+)$")
WIDEST = 1 << 14
BASES = {"b": 1, "o": 3, "h": 4}


@mutable
class Cursor:
    tokens: list[Token]
    at: int = 0
    depth: int = 0

    def peek(self, ahead: int = 0) -> Token:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)]

    def next(self) -> Token:
        token = self.peek()
        self.at += 1
        return token

    def accept(self, *texts: str) -> Token | None:
        token = self.peek()
        if token.text in texts and token.kind in ("symbol", "name"):
            self.at += 1
            return token
        return None

    def expect(self, text: str) -> Token:
        token = self.accept(text)
        if token is None:
            raise self.error(f"expected {text}, not {self.peek().text or 'the end of the file'}")
        return token

    def name(self, what: str) -> Token:
        if self.peek().kind != "name":
            raise self.error(f"expected {what}, not {self.peek().text or 'the end of the file'}")
        return self.next()

    def error(self, message: str) -> UserError:
        return UserError(self.peek().span, message)


def expression(c: Cursor) -> Expr:
    c.depth += 1
    if c.depth > DEEPEST:
        raise c.error(f"expressions are nested more than {DEEPEST} levels deep")
    test = binary(c, 0)
    if c.accept("?"):
        then = expression(c)
        c.expect(":")
        test = Ternary(test, then, expression(c), test.span)
    c.depth -= 1
    return test


def binary(c: Cursor, least: int) -> Expr:
    """Operators that bind at least so tightly, by precedence climbing."""
    left = unary(c)
    while c.peek().kind == "symbol" and BINDING.get(c.peek().text, -1) >= least:
        operator = c.peek().text
        operands = [left]
        while c.peek().kind == "symbol" and c.peek().text == operator:
            c.next()
            operands.append(binary(c, BINDING[operator] + 1))
        left = chain(operator, operands)
    return left


def chain(operator: str, operands: list[Expr]) -> Expr:
    """Operands joined from left to right; a long chain whose brackets do not matter becomes a balanced tree."""
    if operator in ASSOCIATIVE and len(operands) > 8:
        half = len(operands) // 2
        left, right = chain(operator, operands[:half]), chain(operator, operands[half:])
        return Binary(operator, left, right, left.span.to(right.span))
    result = operands[0]
    for operand in operands[1:]:
        result = Binary(operator, result, operand, result.span.to(operand.span))
    return result


def unary(c: Cursor) -> Expr:
    token = c.peek()
    if token.kind == "symbol" and token.text in PREFIX:
        c.next()
        c.depth += 1
        if c.depth > DEEPEST:
            raise c.error(f"expressions are nested more than {DEEPEST} levels deep")
        operand = unary(c)
        c.depth -= 1
        return Unary(token.text, operand, token.span.to(operand.span))
    return postfix(c, primary(c))


def primary(c: Cursor) -> Expr:
    token = c.peek()
    if token.kind == "number":
        c.next()
        return number(token)
    if token.kind == "string":
        c.next()
        return string(token)
    if token.text == "(":
        c.next()
        inner = expression(c)
        c.expect(")")
        return inner
    if token.text == "{":
        return join(c)
    name = c.name("an expression")
    if c.peek().text == "(" and c.peek().kind == "symbol":
        return Call(name.text, arguments(c), name.span)
    if name.text.startswith("$"):
        return Call(name.text, (), name.span)
    return Name(clean(name.text), name.span)


def clean(text: str) -> str:
    return text[1:] if text.startswith("\\") else text


def arguments(c: Cursor) -> tuple[Expr, ...]:
    c.expect("(")
    found: list[Expr] = []
    while not c.accept(")"):
        if c.accept("@"):  # $NDset(@(posedge clk), ...)
            skip_brackets(c)
        else:
            found.append(expression(c))
        if not c.accept(",") and c.peek().text != ")":
            raise c.error("expected , or )")
    return tuple(found)


def skip_brackets(c: Cursor) -> None:
    c.expect("(")
    depth = 1
    while depth:
        token = c.next()
        if token.kind == "end":
            raise UserError(token.span, "a bracket is not closed")
        depth += (token.text == "(") - (token.text == ")")


def skip_delay(c: Cursor) -> None:
    """Delays mean nothing in a circuit: #1, #(1,2), #(1:2:3)."""
    c.expect("#")
    if c.peek().text == "(":
        skip_brackets(c)
    else:
        c.next()


def join(c: Cursor) -> Expr:
    start = c.expect("{")
    first = expression(c)
    if c.peek().text == "{":
        inner = join(c)
        c.expect("}")
        assert isinstance(inner, Join)
        return Join(inner.parts, first, start.span)
    parts = [first]
    while c.accept(","):
        parts.append(expression(c))
    c.expect("}")
    return Join(tuple(parts), None, start.span)


def postfix(c: Cursor, target: Expr) -> Expr:
    while True:
        if c.peek().text == "." and isinstance(target, Name) and c.peek(1).kind == "name":
            c.next()
            target = Name(f"{target.text}.{clean(c.next().text)}", target.span)
        elif c.accept("["):
            left = expression(c)
            if kind := c.accept(":", "+:", "-:"):
                target = Slice(target, left, expression(c), kind.text, target.span)
            else:
                target = Index(target, left, target.span)
            c.expect("]")
        else:
            return target


def number(token: Token) -> Number:
    text = token.text.replace("_", "")
    if text[0] == "'" and len(text) == 2:
        return Number(bit_of(text[1].lower()), False, token.span, fills=True)
    match = LITERAL.match(text)
    if match is None:
        if not text.isdecimal():
            raise UserError(token.span, "real numbers are not supported")
        value = int(text) if len(text) < 20 else 1 << 64
        if value >> 32:
            raise UserError(token.span, "an unsized number has at most 32 bits")
        return Number(bits_of(value, 32), True, token.span)
    width = int(match.group(1)[:6]) if match.group(1) else 32
    if not 1 <= width <= WIDEST:
        raise UserError(token.span, f"a number has 1 to {WIDEST} bits")
    return Number(digits(token.span, match.group(3).lower(), match.group(4), width), bool(match.group(2)), token.span)


def string(token: Token) -> Number:
    """A number of eight bits for each character, the last lowest [IEEE 1364-2005, 3.6]."""
    text = ESCAPE.sub(lambda m: chr(int(m[1], 8) % 256) if m[1] else ESCAPED.get(m[2], m[2]), token.text[1:-1])
    read = text.encode("utf-8") or b"\0"
    if 8 * len(read) > WIDEST:
        raise UserError(token.span, f"a number has 1 to {WIDEST} bits")
    return Number(bits_of(int.from_bytes(read, "big"), 8 * len(read)), False, token.span)


def bits_of(value: int, width: int) -> str:
    return "".join("1" if value >> i & 1 else "0" for i in range(width))


def bit_of(digit: str) -> str:
    return "?" if digit == "z" else digit


def digits(span: Span, base: str, text: str, width: int) -> str:
    """The bits of a based number, the lowest first; x where one is unknown, ? where it has no value or does not
    matter."""
    if base == "d":
        if text.isdecimal():
            return bits_of(int(text) if len(text) < 4000 else 0, width)
        return bit_of(text[0].lower()) * width
    size = BASES[base]
    bits = ""
    for digit in reversed(text.lower()):
        if digit in "xz?":
            bits += bit_of(digit) * size
        elif int(digit, 16) >> size:
            raise UserError(span, f"{digit} is not a digit of this base")
        else:
            bits += bits_of(int(digit, 16), size)
    first = text[0].lower()
    fill = bit_of(first) if first in "xz?" else "0"
    return (bits + fill * width)[:width]
