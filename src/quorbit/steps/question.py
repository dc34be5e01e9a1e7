"""One question about a model: which System it is asked of, and which of its conjuncts need to be checked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from quorbit.model.specialise.after_errors import go_on
from quorbit.model.specialise.without_assertions import without_assertions
from quorbit.model.system.system import Assertions, Temporal
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Verdict
from quorbit.source.later import later
from quorbit.steps.ask import Asked, has_formulas
from quorbit.steps.model import Model
from quorbit.steps.options import CheckOptions
from quorbit.steps.search import check_one
from quorbit.steps.watch import Watch, tell

if TYPE_CHECKING:
    from quorbit.detection import conjuncts
else:
    conjuncts = later("quorbit.detection.conjuncts")


def check_question(model: Model, asked: Asked, options: CheckOptions, watch: Watch | None) -> CheckResult:
    """A conjunction is answered by one conjunct of each class that the model's symmetries make."""
    if asked.system is not None:
        model, asked = replace(model, system=asked.system), replace(asked, system=None)
    if not any(isinstance(p, Assertions) for p in asked.properties):
        model = replace(model, system=without_assertions(model.system))
    elif options.search.all_errors:
        model = replace(model, system=go_on(model.system))
    if options.search.fairness != "none" and asked.words and not has_formulas(asked):
        options = replace(options, search=replace(options.search, fairness="none"))
        asked = replace(asked, notes=(*asked.notes, "fairness makes no difference to what is true of finite runs"))
    if options.symmetry == "off" or options.engine not in ("auto", "temporal"):
        return check_one(model, asked, options, watch)
    parts = [c for p in asked.properties if isinstance(p, Temporal) for c in split(model, p, watch)]
    if len(parts) < 2 and not any(count > 1 for _, count in parts):
        return check_one(model, asked, options, watch)
    total = sum(count for _, count in parts)
    note = f"{len(parts)} of {total} conjuncts checked, the others are their images under symmetries of the model"
    results = []
    for p, _ in parts:
        part = Asked(asked.words, (p,), (*asked.notes, note))
        results.append(check_one(model, part, options, watch))
        if results[-1].outcome.verdict is not Verdict.HOLDS:
            break
    return results[-1]


def split(model: Model, p: Temporal, watch: Watch | None) -> list[tuple[Temporal, int]]:
    """One conjunct of each class, and how many it stands for."""
    tell(watch, "detect")
    found = conjuncts.one_per_class(model.system, p)
    return list(zip(found.representatives, found.sizes, strict=True))
