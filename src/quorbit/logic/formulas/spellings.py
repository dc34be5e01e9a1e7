"""How the tools spell temporal logic: operators, their binding, and which words are operators.

All spellings are accepted in every dialect; a dialect settles only what the tools disagree about: how `->` and `<->`
associate and bind, what begins a comment, and whether `!` belongs to the model's own expressions.  A word that names
something in the model (`A[1]`, a variable `F`) is never taken for an operator, except for words the dialect reserves.
Promela and B read formulas with their own expressions, so their folders have readers of their own.

`U`, `R` and `W` bind tighter than the connectives, as in SPIN, NuSMV's LTL and VIS's LTL, except directly inside the
brackets of a path quantifier: there `E(f U g)` and `E [f U g]` take whole formulas, as in the CTL of VIS and NuSMV.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from quorbit.model.system.formula import (
    AllPaths,
    Always,
    Eventually,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Release,
    SomePath,
    Until,
    WeakUntil,
)
from quorbit.source.frozen import frozen

__all__ = ["NUSMV", "VIS"]


@frozen
class Dialect:
    """left_implication: a -> b -> c is (a -> b) -> c; one_level: -> and <-> bind alike (else <-> binds tighter)."""

    name: str
    left_implication: bool
    one_level: bool
    tight_negation: bool  # `!x == 3` negates x, not the comparison: the model's own expressions read the `!`
    connectives: str  # single characters that join formulas; elsewhere they belong to the model's expressions
    comment: re.Pattern[str]
    reserved: frozenset[str]


BLANK = r"[ \t\r\n\f\v]+"
C_COMMENT = r"/\*(?s:.*?)\*/|//[^\n]*"
SPIN = Dialect(
    "SPIN",
    left_implication=True,
    one_level=True,
    tight_negation=True,
    connectives="",
    comment=re.compile(rf"(?:{BLANK}|{C_COMMENT})*"),
    reserved=frozenset(["U", "V", "W", "X", "always", "eventually", "next", "until", "stronguntil", "weakuntil"])
    | frozenset(["release", "implies", "equivalent"]),
)
NUSMV = Dialect(
    "NuSMV",
    left_implication=False,
    one_level=False,
    tight_negation=False,
    connectives="&|",
    comment=re.compile(rf"(?:{BLANK}|--[^\n]*)*"),
    reserved=frozenset(["G", "F", "X", "U", "V", "R", "A", "E", "AG", "AF", "AX", "EG", "EF", "EX", "xor", "xnor"]),
)
VIS = Dialect(
    "VIS",
    left_implication=True,
    one_level=False,
    tight_negation=False,
    connectives="*+^",
    comment=re.compile(rf"(?:{BLANK}|#[^\n]*|{C_COMMENT})*"),
    reserved=frozenset(["G", "F", "X", "U", "R", "W", "A", "E", "AG", "AF", "AX", "EG", "EF", "EX"]),
)

# Levels of binary operators, the loosest first; WHOLE is that of U, R and W between the brackets of a path quantifier.
WHOLE, IMPLIES, IFF, XOR, OR, AND, UNTIL = range(7)


@frozen
class Infix:
    level: int
    build: Callable[[Formula, Formula], Formula] | None  # None for && and ||, which take any number of operands


def exclusive(left: Formula, right: Formula) -> Formula:
    return Not(Iff(left, right))


INFIX: dict[str, Infix] = {
    **dict.fromkeys(["->", "=>", "implies"], Infix(IMPLIES, Implies)),
    **dict.fromkeys(["<->", "<=>", "equivalent", "xnor"], Infix(IFF, Iff)),
    **dict.fromkeys(["^", "xor"], Infix(XOR, exclusive)),
    **dict.fromkeys(["||", "|", "+", "\\/"], Infix(OR, None)),
    **dict.fromkeys(["&&", "&", "*", "/\\"], Infix(AND, None)),
    **dict.fromkeys(["U", "until", "stronguntil"], Infix(UNTIL, Until)),
    **dict.fromkeys(["V", "R", "release", "releases"], Infix(UNTIL, Release)),
    **dict.fromkeys(["W", "weakuntil"], Infix(UNTIL, WeakUntil)),
}

PREFIX: dict[str, Callable[[Formula], Formula]] = {
    **dict.fromkeys(["!", "~"], Not),
    **dict.fromkeys(["[]", "G", "always", "globally"], Always),
    **dict.fromkeys(["<>", "F", "eventually"], Eventually),
    **dict.fromkeys(["X", "next"], Next),
    "A": AllPaths,
    "E": SomePath,
    "AG": lambda f: AllPaths(Always(f)),
    "AF": lambda f: AllPaths(Eventually(f)),
    "AX": lambda f: AllPaths(Next(f)),
    "EG": lambda f: SomePath(Always(f)),
    "EF": lambda f: SomePath(Eventually(f)),
    "EX": lambda f: SomePath(Next(f)),
}
REPEATABLE = frozenset(["X", "AX", "EX"])  # AX:3 p
TRUTHS = {"true": True, "TRUE": True, "false": False, "FALSE": False}
QUANTIFIERS = frozenset(["forall", "exists"])

WORD = re.compile(r"[^\W\d]\w*")
INFIX_SYMBOL = re.compile(r"<->|<=>|->|=>|&&|\|\||/\\|\\/|[&|*+^]")
SELECTED = re.compile(r"\s*(?:\[\s*\d+\s*(?::\s*\d+\s*)?\]|<\*?\d+\*?>|=(?!>))")  # after a name: A[3:0], E<*1*>, X=1
PREFIX_SYMBOL = re.compile(r"\[\]|<>|!(?!=)|~")


def level_of(operator: str, dialect: Dialect) -> int:
    """How tightly an infix operator binds in the dialect."""
    level = INFIX[operator].level
    if dialect.one_level and level == IFF:
        return IMPLIES
    return level
