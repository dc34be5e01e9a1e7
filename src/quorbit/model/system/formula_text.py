"""Formulas as text, with as few brackets as can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

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
from quorbit.model.system.formula_kinds import is_state_formula

__all__ = ["is_word", "show"]

# How tightly an operator binds when shown; -> and <-> are bracketed among each other, since the tools disagree on them.
LOOSEST, IMPLIES, OR, AND, UNTIL, UNARY = range(6)


SYMBOLS: dict[type, tuple[str, int]] = {
    Iff: ("<->", IMPLIES),
    Implies: ("->", IMPLIES),
    Or: ("||", OR),
    And: ("&&", AND),
    Until: ("U", UNTIL),
    WeakUntil: ("W", UNTIL),
    Release: ("V", UNTIL),
    Not: ("!", UNARY),
    Next: ("X ", UNARY),
    Eventually: ("<>", UNARY),
    Always: ("[]", UNARY),
    AllPaths: ("A ", UNARY),
    SomePath: ("E ", UNARY),
}


def show(formula: Formula, show_expression: Callable[[Any], str] = str) -> str:
    """The formula in SPIN's spelling, with A and E for path quantifiers; expressions other than names are bracketed."""
    return show_within(formula, LOOSEST, show_expression)


def show_within(formula: Formula, level: int, show_expression: Callable[[Any], str], whole: bool = False) -> str:
    """``whole``: between the brackets of a path quantifier, where U, V and W bind loosest when they are read."""
    match formula:
        case Truth(value):
            return "true" if value else "false"
        case Proposition(expression):
            text = show_expression(expression)
            return text if is_word(text) else f"({text})"
        case ForAll(variable, sort, body) | Exists(variable, sort, body):
            word = "forall" if isinstance(formula, ForAll) else "exists"
            ranging = f"{variable} in {sort}" if sort else variable
            return bracket(f"{word} {ranging}: {show_within(body, LOOSEST, show_expression)}", level > LOOSEST)
        case And(()) | Or(()):
            return "true" if isinstance(formula, And) else "false"
        case And((only,)) | Or((only,)):
            return show_within(only, level, show_expression, whole)
        case Accepted(guards):
            return f"automaton({', '.join(show_within(f, LOOSEST, show_expression) for f in guards)})"
        case AllPaths() | SomePath():
            return show_quantifier(formula, level, show_expression)
    symbol, binding = SYMBOLS[type(formula)]
    bracketed = level > binding or (whole and binding == UNTIL and level > LOOSEST)
    within = whole and not bracketed and binding < UNTIL
    parts = [show_within(f, binding + (binding < UNARY), show_expression, within) for f in children(formula)]
    return bracket(symbol + parts[0] if len(parts) == 1 else f" {symbol} ".join(parts), bracketed)


def show_quantifier(formula: AllPaths | SomePath, level: int, show_expression: Callable[[Any], str]) -> str:
    symbol, inner = SYMBOLS[type(formula)][0], formula.operand
    if SYMBOLS.get(type(inner), ("", UNARY))[1] == UNARY:
        text = show_within(inner, UNARY, show_expression)
    else:
        text = bracket(show_within(inner, LOOSEST, show_expression, True), True)
    return bracket(symbol + text, level == UNARY and is_state_formula(inner))  # E p U q is refused


def is_word(text: str) -> bool:
    return all(c.isalnum() or c in "_@.[]" for c in text)


def bracket(text: str, needed: bool) -> str:
    return f"({text})" if needed else text
