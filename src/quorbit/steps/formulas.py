"""For a formula, the further ones that its verdict decides."""

from __future__ import annotations

from quorbit.detection.derived import Derived, derive
from quorbit.languages.registry import formula_readings
from quorbit.logic.formulas.bracketed import bracketed
from quorbit.model.meaning.show import show_expression
from quorbit.model.system.system import Invariant, Temporal
from quorbit.source.errors import UserError
from quorbit.steps.ask import find_asked
from quorbit.steps.model import Model, faults_at_the_start
from quorbit.steps.options import CheckOptions


def readings(model: Model, options: CheckOptions) -> list[tuple[str, str]]:
    """How every property asked for was read: its name, and its formula with all brackets."""
    if (own := formula_readings(model.path)) is not None:
        return own(model.path, model.options, options.properties)
    found = []
    for asked in find_asked(model, options):
        system = asked.system or model.system
        for p in asked.properties:
            match p:
                case Temporal(formula=formula):
                    found.append((p.name, bracketed(formula, lambda e: show_expression(system, e))))  # noqa: B023
                case Invariant(condition=condition):
                    found.append((p.name, show_expression(system, condition)))
    return found


def formulas(model: Model, options: CheckOptions, most: int) -> list[Derived]:
    """For every formula asked for, the further ones that have the same verdict."""
    found = []
    for asked in find_asked(model, options):
        for p in asked.properties:
            if not isinstance(p, Temporal | Invariant):
                raise UserError(None, f"{p.name} is no formula")
            with faults_at_the_start():
                found.append(derive(asked.system or model.system, p, most))
    return found
