"""Formulas the user types in: parsed, typed in a machine's scope and evaluated in a state."""

from __future__ import annotations

from typing import Any

from quorbit.languages.b.meaning.evaluator import Env
from quorbit.languages.b.meaning.reference import Reference
from quorbit.languages.b.syntax.cursor import describe, open_cursor
from quorbit.languages.b.syntax.definitions import expand
from quorbit.languages.b.syntax.formulas import Formula
from quorbit.languages.b.syntax.lex import END
from quorbit.languages.b.syntax.machine import Definition
from quorbit.languages.b.syntax.parse_formulas import parse_in_brackets
from quorbit.languages.b.types.infer_formulas import Inference, decide_waiting, infer
from quorbit.languages.b.types.infer_machine import settle
from quorbit.languages.b.types.types import Type
from quorbit.source.span import Source

__all__ = ["evaluate_text", "type_formula"]


def parse_text(text: str) -> Formula:
    """One formula and nothing after it."""
    cursor = open_cursor(Source("<formula>", text))
    formula = parse_in_brackets(cursor)
    if cursor.token.kind != END:
        cursor.fail(f"the formula should end here, found {describe(cursor.token)}")
    return formula


def type_formula(formula: Formula, scope: dict[str, Type], definitions: dict[str, Definition] | None = None) -> Formula:
    to = Inference(reals=True)
    typed = infer(to, scope, expand(formula, definitions or {}))
    decide_waiting(to)
    return settle(typed)


def evaluate_text(
    reference: Reference, text: str, env: Env, definitions: dict[str, Definition] | None = None
) -> tuple[Any, Type]:
    """Value and type of a formula in a state; the type of a predicate is PREDICATE, its value 0 or 1."""
    typed = type_formula(parse_text(text), reference.universe.types, definitions)
    return reference.value(typed, env), typed.type
