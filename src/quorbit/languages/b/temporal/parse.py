"""Text to Formula, by ProB's grammar of LTL and CTL.

From loose to tight: ``<=>``, ``=>``, ``or``, ``&``, then ``U R W S T``, then what stands before its operand:
``not G F X H O Y`` (also written together: ``GF``), path quantifiers. Operators of one level group to the left. An atom
is read by whoever knows the machine (atoms.py).
"""

from __future__ import annotations

import re
from collections.abc import Callable

from quorbit.languages.b.temporal.steps import Past, Read
from quorbit.model.system.expression import Enabled
from quorbit.model.system.formula import (
    AllPaths,
    Always,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Proposition,
    Release,
    SomePath,
    Truth,
    Until,
    WeakUntil,
    conjoin,
    disjoin,
)
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["parse_temporal"]

DEEPEST = 150
DEAD = Not(Proposition(Enabled()))
BLANK = re.compile(r"\s*")
WORD = re.compile(r"[^\W\d]\w*")
CHAIN = re.compile(r"[GFXHOY]+")
SIGN = re.compile(r"<=>|<->|=>|->|&&|&|\|\||\||!|\(")
LEVELS: tuple[dict[str, Callable[[Formula, Formula, Span], Formula]], ...] = (
    dict.fromkeys(("<=>", "<->"), lambda a, b, at: Iff(a, b)),
    dict.fromkeys(("=>", "->"), lambda a, b, at: Implies(a, b)),
    dict.fromkeys(("or", "||", "|"), lambda a, b, at: disjoin((a, b))),
    dict.fromkeys(("and", "&", "&&"), lambda a, b, at: conjoin((a, b))),
    {
        "U": lambda a, b, at: Until(a, b),
        "R": lambda a, b, at: Release(a, b),
        "W": lambda a, b, at: WeakUntil(a, b),
        "S": lambda a, b, at: Proposition(Past("S", (a, b), at)),
        "T": lambda a, b, at: Proposition(Past("T", (a, b), at)),
    },
)


def after(formula: Formula) -> Formula:
    """X f: there is a next state, and f holds in it. (A run that ends goes on by stuttering where it is checked.)"""
    return conjoin((Not(DEAD), Next(formula)))


PREFIX: dict[str, Callable[[Formula], Formula]] = {
    "not": Not,
    "!": Not,
    "G": Always,
    "F": Eventually,
    "X": after,
    "AG": lambda f: AllPaths(Always(f)),
    "AF": lambda f: AllPaths(Eventually(f)),
    "EG": lambda f: SomePath(Always(f)),
    "EF": lambda f: SomePath(Eventually(f)),
    "EX": lambda f: SomePath(after(f)),
    "AX": lambda f: AllPaths(disjoin((DEAD, Next(f)))),
}


def parse_temporal(span: Span, read: Read) -> Formula:
    """The formula that is the whole text; ``read`` gets the rest of the text and gives an atom and where it ends."""
    parser = Parser(span, read)
    formula = parser.binary(0)
    if parser.at < span.end:
        raise parser.error("expected an operator or the end of the formula")
    return formula


class Parser:
    """A position in a text; every method reads something from there and moves on."""

    def __init__(self, span: Span, read: Read) -> None:
        self.span = span
        self.read = read
        self.depth = 0
        self.at = span.start
        self.move(span.start)

    def move(self, to: int) -> None:
        found = BLANK.match(self.span.source.text, to, self.span.end)
        self.at = found.end() if found else to

    def word(self, kind: re.Pattern[str] = WORD) -> str:
        found = kind.match(self.span.source.text, self.at, self.span.end)
        return found.group() if found else ""

    def error(self, message: str) -> UserError:
        return UserError(Span(self.span.source, self.at, min(self.at + 1, self.span.end)), message)

    def binary(self, level: int) -> Formula:
        if level == len(LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while (operator := self.word() or self.word(SIGN)) in LEVELS[level]:
            here = Span(self.span.source, self.at, self.at + len(operator))
            self.move(self.at + len(operator))
            left = LEVELS[level][operator](left, self.binary(level + 1), here)
        return left

    def unary(self) -> Formula:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(f"the formula is nested more than {DEEPEST} levels deep")
        formula = self.operand()
        self.depth -= 1
        return formula

    def operand(self) -> Formula:
        word = self.word() or self.word(SIGN)
        if word in ("EX", "AX") and self.begins(len(word), "["):
            return self.next_by(word)
        if word in ("A", "E"):
            self.move(self.at + 1)
            return (AllPaths if word == "A" else SomePath)(self.binary(len(LEVELS) - 1))
        if word in PREFIX:
            self.move(self.at + len(word))
            return PREFIX[word](self.unary())
        if CHAIN.fullmatch(word):
            return self.prefixed(word[0])
        if word in ("true", "false", "TRUE", "FALSE"):
            self.move(self.at + len(word))
            return Truth(word.lower() == "true")
        if word == "(":
            return self.bracketed()
        formula, end = self.read(Span(self.span.source, self.at, self.span.end))
        self.move(end)
        return formula

    def begins(self, after: int, sign: str) -> bool:
        found = BLANK.match(self.span.source.text, self.at + after, self.span.end)
        return found is not None and self.span.source.text.startswith(sign, found.end(), self.span.end)

    def prefixed(self, letter: str) -> Formula:
        """One operator of one letter; others may follow in the same word."""
        here = Span(self.span.source, self.at, self.at + 1)
        self.move(self.at + 1)
        operand = self.unary()
        return PREFIX[letter](operand) if letter in PREFIX else Proposition(Past(letter, (operand,), here))

    def bracketed(self) -> Formula:
        opened = Span(self.span.source, self.at, self.at + 1)
        self.move(self.at + 1)
        formula = self.binary(0)
        if not self.begins(0, ")"):
            raise UserError(opened, "this ( is not closed") if self.at >= self.span.end else self.error("expected )")
        self.move(self.at + 1)
        return formula

    def next_by(self, word: str) -> Formula:
        """EX [op] f: some step of the operation leads to f; AX [op] f: all its steps do. Without f: some, every step is
        one of the operation."""
        self.move(self.at + 2)
        taken, end = self.read(Span(self.span.source, self.at, self.span.end))
        self.move(end)
        if self.is_complete():
            return SomePath(taken) if word == "EX" else AllPaths(disjoin((DEAD, taken)))
        operand = self.unary()
        if word == "EX":
            return SomePath(conjoin((taken, after(operand))))
        return AllPaths(disjoin((Not(taken), after(operand))))

    def is_complete(self) -> bool:
        """Whether no operand begins here."""
        word = self.word() or self.word(SIGN)
        return self.at >= self.span.end or self.begins(0, ")") or any(word in level for level in LEVELS)
