"""Whether one machine refines another: every pair on the way between them is a model of its own, which is checked."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.language import Language
from quorbit.languages.options import LoadOptions
from quorbit.languages.registry import language_of
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.pipeline.steps import Watch
from quorbit.report.record import CheckResult, CheckResults
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

__all__ = ["refine"]


def refine(
    abstract: str | Path,
    concrete: str | Path,
    loading: LoadOptions | None = None,
    options: CheckOptions | None = None,
    watch: Watch | None = None,
) -> CheckResults:
    """The answers for all pairs from the abstract machine down to the concrete one."""
    abstract, concrete, loading = Path(abstract), Path(concrete), loading or LoadOptions()
    language = language_of(concrete, loading.language)
    if language.refinements is None:
        raise UserError(None, f"{concrete}: refinement is a relation between machines of B or Event-B")
    pairs = language.refinements(abstract, concrete, loading)
    found: list[CheckResult] = []
    for path, how in pairs:
        model = load(path, how)
        below, above = (side.name for side in model.system.telling.sides)
        for result in check(model, options, watch).results:
            found.append(told(language, model, f"{below} refines {above}", result))
    return CheckResults(tuple(found))


def told(language: Language, model: Model, words: str, result: CheckResult) -> CheckResult:
    """The answer in the words of refinement; a run that shows a failure is replayed on both machines."""
    outcome = replace(result.outcome, property=words)
    trace = outcome.trace
    if outcome.verdict is Verdict.FAILS and trace is not None and language.confirm is not None:
        wrong = language.confirm(model.path, model.options, model.system, trace)
        message = f"internal error, please report it: the run does not replay on both machines: {wrong}"
        outcome = Outcome(Verdict.UNKNOWN, words, message, engine=outcome.engine) if wrong else outcome
    return replace(result, asked=words, outcome=outcome, is_safety=False)
