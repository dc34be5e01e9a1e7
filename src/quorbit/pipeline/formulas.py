"""For a formula, the further ones that its verdict decides."""

from __future__ import annotations

from functools import partial

from quorbit.detection.derived import Derived, derive
from quorbit.languages.registry import language_of
from quorbit.logic.formulas.bracketed import bracketed
from quorbit.model.meaning.show import show_expression
from quorbit.model.system.system import Invariant, Temporal
from quorbit.pipeline.load import Model, faults_at_the_start
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import find_questions
from quorbit.source.errors import UserError

__all__ = ["formulas", "readings"]


def readings(model: Model, options: CheckOptions) -> list[tuple[str, str]]:
    """How every property asked for was read: its name, and its formula with all brackets."""
    if (own := language_of(model.path, model.options.language).readings) is not None:
        return own(model.path, model.options, options.properties)
    found = []
    for question in find_questions(model, options):
        for p in question.properties:
            match p:
                case Temporal(formula=formula):
                    shown = partial(show_expression, question.system)
                    found.append((p.name, bracketed(formula, shown)))
                case Invariant(condition=condition):
                    found.append((p.name, show_expression(question.system, condition)))
    return found


def formulas(model: Model, options: CheckOptions, most: int) -> list[Derived]:
    """For every formula asked for, the further ones that have the same verdict."""
    found = []
    for question in find_questions(model, options):
        for p in question.properties:
            if not isinstance(p, Temporal | Invariant):
                raise UserError(None, f"{p.name} is not a formula")
            with faults_at_the_start():
                found.append(derive(question.system, p, most))
    return found
