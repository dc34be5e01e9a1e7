"""Outcomes -> CheckResults: what was found, in terms of the model as it was loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.detection.commands.orbits import with_images
from quorbit.engines.engine import Kind
from quorbit.engines.replay import ReplayError
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.translate import fault_at_the_end, translate, translate_statistics
from quorbit.engines.translate_fields import undecode
from quorbit.engines.translate_long import is_long, translate_long
from quorbit.model.meaning.evaluate import FAULTS, Fault, Meaning
from quorbit.model.system.system import Invariant, State, System, Temporal
from quorbit.model.system.telling import RAW
from quorbit.pipeline.batches import Batch
from quorbit.pipeline.case import Case
from quorbit.pipeline.covers import settle
from quorbit.pipeline.load import Model
from quorbit.pipeline.questions import Question
from quorbit.pipeline.steps import Steps
from quorbit.report.record import CheckResult, CheckResults, NotLookedFor, Seconds, SymmetryResult
from quorbit.result.outcome import Outcome, Trace, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable, replace
from quorbit.source.interrupted import Interrupted

TOLD_AS_SEARCHED = "the run is shown for the model as simplified for the search: it is very long, or time ran out"
Terms = Callable[[System, System, Outcome], tuple[Outcome, System]]  # of the loaded System, told from the one searched
WORST_FIRST = (Verdict.FAILS, Verdict.UNKNOWN, Verdict.HOLDS)


def tell(model: Model, batch: Batch, case: Case, outcomes: list[Outcome]) -> list[CheckResult]:
    """The answer to every question of the batch.  What is known stands: if the run is left now, traces are told in
    terms of the System that was searched."""
    try:
        return tell_each(model, batch, case, outcomes, in_terms_of)
    except Interrupted:
        return tell_each(model, batch, case, outcomes, as_searched)


def tell_each(model: Model, batch: Batch, case: Case, outcomes: list[Outcome], terms: Terms) -> list[CheckResult]:
    own = zip(batch.questions, by_question(batch, outcomes), symmetries_of(batch, case), strict=True)
    total = case.steps.total()  # of all of them together
    return [told_of(model, question, case, outcome, symmetry, terms, total) for question, outcome, symmetry in own]


def symmetries_of(batch: Batch, case: Case) -> list[SymmetryResult]:
    """What is said of symmetry to each question: of its first property, where they differ."""
    if not case.symmetries:
        return [case.symmetry] * len(batch.questions)
    firsts = [sum(len(q.properties) for q in batch.questions[:k]) for k in range(len(batch.questions))]
    return [case.symmetries[n] for n in firsts]


def told_of(
    model: Model, question: Question, case: Case, outcome: Outcome, symmetry: SymmetryResult, terms: Terms, total: float
) -> CheckResult:
    outcome = with_doubt(question, reached_by_images(case, outcome))
    outcome, searched = as_stored(case, outcome)
    outcome, system = terms(question.system, searched, outcome)
    simplified = system is not question.system
    return CheckResult(
        system,
        str(model.path),
        question.words,
        outcome,
        symmetry,
        case.steps.seconds(outcome.statistics, total),
        (*question.notes, *([TOLD_AS_SEARCHED] if simplified else also_violated(question, outcome))),
        model.options,
        simplified,
        question.is_safety,
    )


def as_stored(case: Case, outcome: Outcome) -> tuple[Outcome, System]:
    """The outcome and the System that was searched, with indices as they are stored where the search had them
    decoded."""
    decoded = None if case.found is None else case.found.decoded
    if decoded is None:
        return outcome, case.system
    if outcome.trace is None:
        return outcome, decoded.given
    try:
        trace = undecode(outcome.trace, decoded)
        check_trace(decoded.given, trace)
    except ReplayError as error:
        wrong = f"internal error, please report it: {error}"
        return Outcome(Verdict.UNKNOWN, message=wrong, engine=outcome.engine), decoded.given
    return replace(outcome, trace=trace), decoded.given


def also_violated(question: Question, outcome: Outcome) -> list[str]:
    """What else is wrong with the last state of a run, beside what the answer names."""
    trace = outcome.trace
    if trace is None or trace.loop is not None or question.kind is Kind.TEMPORAL:
        return []
    meaning, last = Meaning(question.system), trace.steps[-1].state if trace.steps else trace.start
    found = [p for p in question.properties if isinstance(p, Invariant) and p.name != outcome.property]
    wrong = [f"{p.name} ({p.message})" if p.message else p.name for p in found if is_broken(meaning, p, last)]
    return [f"also violated in the last state: {', '.join(wrong)}"] if wrong else []


def is_broken(meaning: Meaning, p: Invariant, s: State) -> bool:
    try:
        return not meaning.holds(p.condition, s)
    except Fault:
        return True


def by_question(batch: Batch, outcomes: list[Outcome]) -> list[Outcome]:
    """One outcome for each question: the worst of those about its properties."""
    if len(outcomes) == 1:
        return outcomes * len(batch.questions)
    left = iter(outcomes)
    return [worst_of([next(left) for _ in question.properties]) for question in batch.questions]


def worst_of(outcomes: Sequence[Outcome]) -> Outcome:
    """When all hold, the answer is about all of them."""
    worst = min(outcomes, key=lambda outcome: WORST_FIRST.index(outcome.verdict))
    return worst if worst.verdict is Verdict.FAILS or len(outcomes) == 1 else replace(worst, property="")


def reached_by_images(case: Case, outcome: Outcome) -> Outcome:
    """The search of representatives tells which statements were never reached; images reach them too."""
    if not outcome.is_complete() or case.plan is None or case.found is None:
        return outcome
    fired = with_images(case.system, case.found.group.generators, outcome.statistics.fired)
    return replace(outcome, statistics=replace(outcome.statistics, fired=fired))


def with_doubt(question: Question, outcome: Outcome) -> Outcome:
    """Where the front end had to cut something, what was found can be in doubt as well as what was not.  A formula
    about runs can be decided either way by a step that was not tried."""
    late = question.system.late_cuts()
    cut = "; ".join((*question.system.incomplete, *late))
    if cut and outcome.verdict is Verdict.HOLDS:
        message = f"no error was found, but the search was incomplete: {cut}"
        return replace(outcome, verdict=Verdict.UNKNOWN, message=message)
    if (
        cut
        and outcome.verdict is Verdict.FAILS
        and (late or question.system.doubtful or question.kind is Kind.TEMPORAL)
    ):
        message = f"{outcome.message}; but this may come from an incomplete search: {cut}"
        return replace(outcome, verdict=Verdict.UNKNOWN, message=message, trace=None)
    return outcome


def in_terms_of(loaded: System, searched: System, outcome: Outcome) -> tuple[Outcome, System]:
    """The outcome told in terms of the System that was loaded; a very long trace in those of the one searched."""
    trace = outcome.trace
    if trace is not None:
        try:
            trace = translate_long(trace, searched, loaded) if is_long(trace) else translate(trace, searched, loaded)
        except ReplayError as error:
            wrong = f"internal error, please report it: {error}"
            return Outcome(Verdict.UNKNOWN, message=wrong, engine=outcome.engine), loaded
        except (Interrupted, MemoryError):  # the verdict stands: the engine has replayed the run
            trace = None
        if trace is None:
            return as_searched(loaded, searched, outcome)
        outcome = replace(outcome, message=in_the_words_of(loaded, trace, searched, outcome))
    statistics = translate_statistics(outcome.statistics, searched, loaded)
    return replace(outcome, trace=trace, statistics=statistics), loaded


def as_searched(loaded: System, searched: System, outcome: Outcome) -> tuple[Outcome, System]:
    """The outcome as it is; the words of the loaded model read places that the one searched need not have."""
    if outcome.trace is None:
        return replace(outcome, statistics=translate_statistics(outcome.statistics, searched, loaded)), loaded
    return outcome, replace(searched, telling=RAW)


def in_the_words_of(loaded: System, trace: Trace, searched: System, outcome: Outcome) -> str:
    """The message of an outcome; a run-time error names numbers where the search had made atoms of them."""
    if outcome.property != FAULTS or outcome.trace is None or outcome.trace is trace:
        return outcome.message
    before, after = fault_at_the_end(outcome.trace, searched), fault_at_the_end(trace, loaded)
    return outcome.message.replace(before, after) if before and after else outcome.message


def leave_open(model: Model, batch: Batch, steps: Steps, reason: str = "") -> list[CheckResult]:
    """No answers, only what was known when the run was left, or the reason why nobody can answer."""
    total = steps.total()  # of all of them together
    return [open_result(model, question, steps, total, reason) for question in batch.questions]


def refused_result(model: Model, question: Question, error: UserError) -> CheckResult:
    """The answer to a question that is wrong."""
    outcome = Outcome(Verdict.UNKNOWN, message=error.message)
    unlooked = NotLookedFor("the property could not be read", question.system)
    path, options = str(model.path), model.options
    return CheckResult(
        question.system, path, question.words, outcome, unlooked, Seconds(), question.notes, options, refused=error
    )


def open_result(model: Model, question: Question, steps: Steps, total: float, reason: str) -> CheckResult:
    if question.refused is not None:
        return refused_result(model, question, question.refused.error)
    unlooked = NotLookedFor("the run ended before its answer was complete", question.system)
    outcome = Outcome(Verdict.UNKNOWN, message=reason or steps.reason, statistics=steps.known)
    seconds = steps.seconds(steps.known, total)
    return CheckResult(
        question.system,
        str(model.path),
        question.words,
        outcome,
        unlooked,
        seconds,
        question.notes,
        model.options,
        is_safety=question.is_safety,
    )


@mutable
class Known:
    """The steps of a run, its questions as far as they were asked, and the answers so far by the questions' numbers."""

    steps: Steps
    words: tuple[str, ...]  # what the user asks for
    questions: list[Question] = field(default_factory=list)
    answers: dict[int, CheckResult] = field(default_factory=dict)

    def results(self, model: Model, reason: str = "") -> CheckResults:
        """The answers in the order of the questions; those that are left stay open for a reason."""
        asked = self.questions or unasked(model, self.words)
        total = self.steps.total()
        found = (self.answers.get(k) or open_result(model, q, self.steps, total, reason) for k, q in enumerate(asked))
        return CheckResults(settle(zip(asked, found, strict=True)))


def unasked(model: Model, words: tuple[str, ...]) -> list[Question]:
    """What stands for the questions where not even these are known."""
    safety = tuple(p for p in model.system.properties if not isinstance(p, Temporal))
    return [Question(each, safety, model.system) for each in words or ("",)]
