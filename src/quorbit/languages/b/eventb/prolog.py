"""Prolog terms as ProB's packages hold them: atoms, numbers, texts, variables, compound terms and lists; no operators.

One pass over the tokens with a stack of its own, so that no depth of nesting can exhaust Python's.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Source, Span

LIST = "[]"  # the functor of a list; its arguments are the elements
DEEPEST = 2000  # nested brackets: formulas that people write have a few dozen
TOKEN = re.compile(
    r"""(?P<space>(?:\s|%[^\n]*|/\*.*?\*/)+)
    |(?P<number>-?\d+(?:\.\d+)?)
    |(?P<quoted>'(?:[^'\\]|\\x[0-9A-Fa-f]+\\|\\[0-7]+\\|\\.|'')*')
    |(?P<text>"(?:[^"\\]|\\x[0-9A-Fa-f]+\\|\\[0-7]+\\|\\.|"")*")
    |(?P<variable>[A-Z_]\w*)
    |(?P<atom>\w+|\[\]|\{\}|[-+*/\\^<>=~:?@\#&$]+|[!;])
    |(?P<end>\.(?=\s|%|$))
    |(?P<mark>[()\[\],|])""",
    re.VERBOSE | re.DOTALL,
)
ESCAPE = re.compile(r"\\x([0-9A-Fa-f]+)\\|\\([0-7]+)\\|\\(\n)|\\(.)|''|\"\"", re.DOTALL)
LETTERS = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


@frozen
class Term:
    """functor(arguments); an atom, a number, a text or a variable has no arguments; a list has the functor []."""

    functor: str
    arguments: tuple[Term, ...]
    start: int  # where it begins in the text
    kind: str = "atom"  # or number, text, variable, list

    def __str__(self) -> str:
        return f"{self.functor}/{len(self.arguments)}"


@frozen
class Token:
    kind: str
    text: str
    start: int


class Open:
    """A compound term or list whose end has not been met."""

    def __init__(self, functor: str, start: int, close: str) -> None:
        self.functor, self.start, self.close = functor, start, close
        self.arguments: list[Term] = []

    def closed(self) -> Term:
        kind = "list" if self.close == "]" else "atom"
        return Term(self.functor, tuple(self.arguments), self.start, kind)


def read_terms(source: Source) -> Iterator[Term]:
    """The clauses of a text, one after the other."""
    tokens = tokenise(source)
    for first in tokens:
        yield read_term(source, first, tokens)


def tokenise(source: Source) -> Iterator[Token]:
    position, text = 0, source.text
    while position < len(text):
        found = TOKEN.match(text, position)
        if found is None:
            what = (
                "this text has no end" if text[position] in "'\"" or text.startswith("/*", position) else "not Prolog"
            )
            raise UserError(at(source, position), f"{what}; the package may be cut or damaged")
        if found.lastgroup != "space":
            yield Token(found.lastgroup or "", found.group(), position)
        position = found.end()


def at(source: Source, position: int) -> Span:
    return Span(source, position, position + 1)


def read_term(source: Source, first: Token, rest: Iterator[Token]) -> Term:
    """A term and the full stop after it."""
    stack: list[Open] = []
    token: Token | None = first
    while True:
        token = token or next_of(source, rest)
        if token.text == "[" and token.kind == "mark":
            stack.append(Open(LIST, token.start, "]"))
            token = None
        else:
            done, token = read_simple(source, token, rest, stack)
            while done is not None:
                if not stack:
                    if token.kind != "end":
                        raise UserError(at(source, token.start), "a full stop is expected after a fact")
                    return done
                stack[-1].arguments.append(done)
                done, token = after_argument(source, token, rest, stack)
        if len(stack) > DEEPEST:
            raise UserError(at(source, stack[-1].start), f"terms are nested more than {DEEPEST} deep")


def read_simple(
    source: Source, token: Token, rest: Iterator[Token], stack: list[Open]
) -> tuple[Term | None, Token | None]:
    """A term without brackets, with the token after it; an opening bracket after a name goes to the stack."""
    if token.kind in ("mark", "end"):
        if token.text == "]" and stack and stack[-1].close == "]" and not stack[-1].arguments:
            return stack.pop().closed(), next_of(source, rest)
        raise UserError(at(source, token.start), f"a term is expected, found '{token.text}'")
    following = next_of(source, rest)
    is_next = following.start == token.start + len(token.text)
    if token.kind in ("atom", "quoted") and following.text == "(" and following.kind == "mark" and is_next:
        stack.append(Open(name_of(token), token.start, ")"))
        return None, None
    kind = {"quoted": "atom"}.get(token.kind, token.kind)
    if token.text == LIST:
        kind = "list"
    return Term(name_of(token), (), token.start, kind), following


def after_argument(
    source: Source, token: Token | None, rest: Iterator[Token], stack: list[Open]
) -> tuple[Term | None, Token]:
    """What follows an argument: a comma and then more, or the bracket that closes the term."""
    assert token is not None
    if token.kind == "mark" and token.text in (",", "|"):
        return None, next_of(source, rest)
    if token.kind == "mark" and token.text == stack[-1].close:
        return stack.pop().closed(), next_of(source, rest)
    raise UserError(at(source, token.start), f"',' or '{stack[-1].close}' is expected, found '{token.text}'")


def next_of(source: Source, rest: Iterator[Token]) -> Token:
    for token in rest:
        return token
    raise UserError(at(source, max(0, len(source.text) - 1)), "the file ends inside a term; the package is cut")


def name_of(token: Token) -> str:
    if token.kind not in ("quoted", "text"):
        return token.text
    return ESCAPE.sub(unescape, token.text[1:-1])


def unescape(found: re.Match[str]) -> str:
    hexadecimal, octal, newline, letter = found.groups()
    code = int(hexadecimal, 16) if hexadecimal else int(octal, 8) if octal else None
    if code is not None:
        return chr(code) if code <= 0x10FFFF else "\ufffd"
    if newline:
        return ""
    return LETTERS.get(letter, letter) if letter else found.group()[0]
