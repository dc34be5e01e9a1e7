"""A formula with all its brackets, as a reader of it would have to write it to leave no doubt.

What is shown is read as the same formula in every dialect that has its connectives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.logic.formulas.spellings import SPIN, VIS, Dialect
from quorbit.model.system.formula import (
    Accepted,
    AllPaths,
    Always,
    And,
    Eventually,
    Exists,
    ForAll,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Release,
    SomePath,
    Truth,
    Until,
    WeakUntil,
    children,
)
from quorbit.model.system.formula_text import is_word

__all__ = ["bracketed"]

PREFIX: dict[type, str] = {Not: "!", Next: "X", Eventually: "F", Always: "G", AllPaths: "A", SomePath: "E"}
INFIX: dict[type, str] = {Implies: "->", Iff: "<->", Until: "U", Release: "R", WeakUntil: "W"}


def bracketed(formula: Formula, show_expression: Callable[[Any], str] = str, dialect: Dialect = SPIN) -> str:
    """Every operand that is not a proposition stands in brackets, but for that of a prefix operator within another."""
    both, either = ("*", "+") if dialect is VIS else ("&&", "||")

    def text(f: Formula) -> str:
        match f:
            case Truth(value):
                return ("TRUE" if value else "FALSE") if dialect is VIS else "true" if value else "false"
            case Proposition(e):
                shown = show_expression(e)
                return shown if dialect is VIS or is_word(shown) else f"({shown})"
            case ForAll(variable, sort, body) | Exists(variable, sort, body):
                word = "forall" if isinstance(f, ForAll) else "exists"
                return f"{word} {variable}{f' in {sort}' if sort else ''}: ({text(body)})"
            case Accepted(guards):
                return f"automaton({', '.join(map(text, guards))})"
            case And(operands) | Or(operands):
                return f" {both if isinstance(f, And) else either} ".join(map(part, operands)) or text(
                    Truth(isinstance(f, And))
                )
        if type(f) in PREFIX:
            return f"{PREFIX[type(f)]}({text(children(f)[0])})"
        left, right = children(f)
        return f"{part(left)} {INFIX[type(f)]} {part(right)}"

    def part(f: Formula) -> str:
        simple = isinstance(f, Proposition | Truth) or type(f) in PREFIX
        return text(f) if simple else f"({text(f)})"

    return text(formula)
