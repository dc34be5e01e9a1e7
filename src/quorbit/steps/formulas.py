"""For a formula, the further ones that its verdict decides."""

from __future__ import annotations

from quorbit.detection.derived import Derived, derive
from quorbit.model.system.system import Invariant, Temporal
from quorbit.source.errors import UserError
from quorbit.steps.ask import find_asked
from quorbit.steps.model import Model, faults_at_the_start
from quorbit.steps.options import CheckOptions


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
