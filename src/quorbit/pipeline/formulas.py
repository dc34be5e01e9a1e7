"""For a formula, the further ones that its verdict decides."""

from __future__ import annotations

from quorbit.detection.derived import Derived, derive
from quorbit.model.system.system import Invariant, Temporal
from quorbit.pipeline.load import Model, faults_at_the_start
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import find_questions
from quorbit.source.errors import UserError


def formulas(model: Model, options: CheckOptions, most: int) -> list[Derived]:
    """For every formula asked for, the further ones that have the same verdict."""
    found = []
    for question in find_questions(model, options):
        for p in question.properties:
            if not isinstance(p, Temporal | Invariant):
                raise UserError(None, f"{p.name} is no formula")
            with faults_at_the_start():
                found.append(derive(question.system, p, most))
    return found
