"""The whole way, in order: load -> ask -> choose -> specialise -> detect -> classify -> explore -> tell.

    load        text      -> Model        its System, read by the language's own folder          load.py
    ask         Model     -> Questions    what the user wants to know of it                      questions.py
    choose      Question  -> Engines      who answers, and who follows if that one cannot        choose.py
    specialise  System    -> System       simplified for the properties asked for                prepare.py
    detect      System    -> Group        the symmetry that the properties leave                 prepare.py
    classify    Group     -> Plan         how the engine uses it                                 prepare.py
    explore     Plan      -> Outcomes     the search                                             explore.py
    tell        Outcomes  -> CheckResults in terms of the model as it was loaded                 tell.py

A ``Case`` (case.py) passes from specialise to tell.  ``check`` goes the whole way, ``symmetry`` as far as classify.
"""

from __future__ import annotations

from quorbit.engines.adaptive.engine import ADAPTIVE
from quorbit.engines.engine import Engine, Guide
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import BoundExceeded
from quorbit.model.system.system import Property, System
from quorbit.pipeline.adapt import FEW_STATES, infer_if_promising, limit_adaptive, limited, may_adapt
from quorbit.pipeline.batches import Batch, Shared, batches_of, split_conjuncts
from quorbit.pipeline.case import Case
from quorbit.pipeline.choose import choose, why_it_cannot
from quorbit.pipeline.describe import symmetry_of_outputs
from quorbit.pipeline.explore import explore
from quorbit.pipeline.load import Given, Model, faults_at_the_start, load, load_larger
from quorbit.pipeline.notes import notes_about
from quorbit.pipeline.options import CheckOptions, refuse_combinations
from quorbit.pipeline.prepare import classify, detect, nothing_to_move, specialise
from quorbit.pipeline.questions import Question, ask, ask_together
from quorbit.pipeline.steps import Steps, Watch
from quorbit.pipeline.tell import Known, leave_open, tell
from quorbit.report.record import CheckResult, CheckResults, Found
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.interrupted import Interrupted
from quorbit.source.time_limit import time_limit

__all__ = ["MOST_DOUBLINGS", "check", "prepare", "symmetry"]
MOST_DOUBLINGS = 10  # of the bounds a front end chooses by itself


def check(model: Given, options: CheckOptions | None = None, watch: Watch | None = None) -> CheckResults:
    """Answer every question about a model; the bounds that its front end chose by itself are doubled until they do."""
    options = options or CheckOptions()
    refuse_combinations(options)
    model = model if isinstance(model, Model) else load(model, LoadOptions(follow_memories=True))
    known = Known(Steps(watch, model.parse_seconds), options.properties)
    try:
        with time_limit(options.search.timeout), faults_at_the_start():
            for _ in range(MOST_DOUBLINGS):
                try:
                    answer_all(model, options, known)
                    return known.results(model)
                except BoundExceeded:
                    model = load_larger(model)
                    known = Known(Steps(watch, model.parse_seconds), options.properties)
            raise UserError(None, f"{model.path}: the number of processes grows without bound")
    except Interrupted as reason:  # beside the questions
        return known.results(model, str(reason))


def answer_all(model: Model, options: CheckOptions, known: Known) -> None:
    """Questions that one engine answers together are asked together; an answer stays known whatever happens later."""
    steps = known.steps
    known.questions, engines = choose_each(ask(model, options))
    batches = batches_of(known.questions, engines)
    shared = Shared(batches)
    for k, batch in enumerate(batches):
        steps.left = len(batches) - k if batch.engines[0].together else 1
        results = answer(model, batch, steps, shared, bool(known.answers))
        known.answers.update(zip(batch.numbers, results, strict=True))


def symmetry(model: Given, options: CheckOptions | None = None, watch: Watch | None = None) -> Found:
    """The symmetry of a model together with the properties asked for, and the plan that would use it."""
    options = options or CheckOptions()
    model = model if isinstance(model, Model) else load(model)
    if not options.properties and (of_outputs := symmetry_of_outputs(model)) is not None:
        return of_outputs
    with faults_at_the_start():
        case = prepare(*ask_together(model, options), replace(options, symmetry="auto"), watch)
    return case.symmetry if isinstance(case.symmetry, Found) else nothing_to_move(case)


def prepare(
    system: System, properties: tuple[Property, ...], options: CheckOptions, watch: Watch | None = None
) -> Case:
    """The System and the plan as an engine gets them that looks at one state per orbit."""
    case = Case(replace(system, properties=properties), Guide.PLAN, options, Steps(watch))
    return lead(case)


def choose_each(questions: list[Question]) -> tuple[list[Question], list[tuple[Engine, ...]]]:
    """The engines of every question; a formula that the options leave to nobody is not checked, which is said."""
    chosen, engines, notes = [], [], list[str]()
    for question in questions:
        try:
            able: tuple[Engine, ...] = ()
            if question.refused is None:
                question, able = choose_for_stated(question) if question.is_stated else (question, choose(question))
            engines.append(able)
            chosen.append(question)
        except UserError as refusal:
            if not question.is_stated:
                raise
            notes.append(f"not checked: {question.words}: {refusal.message}")
    return [replace(chosen[0], notes=(*notes, *chosen[0].notes)), *chosen[1:]], engines


def choose_for_stated(question: Question) -> tuple[Question, tuple[Engine, ...]]:
    """What a model states is checked by another engine where the one that the user named cannot: its verdict is the
    model's, whatever is asked of the others."""
    try:
        return question, choose(question)
    except UserError as refusal:
        options = replace(question.options, engine="auto")
        if options == question.options:
            raise
        notes = (*question.notes, f"checked by another engine, since {refusal.message}")
        return replace(question, options=options, notes=notes), choose(replace(question, options=options))


def answer(model: Model, batch: Batch, steps: Steps, shared: Shared, is_known: bool) -> list[CheckResult]:
    """The questions of a batch; a conjunction by one conjunct of each class that the model's symmetries make.  Once
    the run is interrupted the questions that are left stay open, and what is known stands."""
    results: list[CheckResult] = []
    try:
        steps.begin()
        for part in split_conjuncts(batch, steps):
            results = attempt(model, part, steps, shared)
            if any(result.outcome.verdict is not Verdict.HOLDS for result in results):
                break
    except Interrupted as interrupted:
        steps.reason = str(interrupted)
        results = leave_open(model, batch, steps)
    except MemoryError:
        if not is_known:
            raise
        steps.reason = "out of memory"
        results = leave_open(model, batch, steps)
    except UserError as refusal:
        if not all(question.is_stated for question in batch.questions):
            raise
        if batch.limits.por == "on":
            return answer(model, without_por(batch, refusal.message), steps, shared, is_known)
        results = leave_open(model, batch, steps, refusal.message)
    return results


def without_por(batch: Batch, why: str) -> Batch:
    """The same where partial-order reduction is no condition: what a model states has one verdict."""
    options = replace(batch.options, search=replace(batch.limits, por="off"))
    asked = tuple(replace(question, options=options) for question in batch.questions)
    return replace(batch, questions=asked).noted(f"checked without partial-order reduction, since {why}")


def attempt(model: Model, batch: Batch, steps: Steps, shared: Shared) -> list[CheckResult]:
    """Engine after engine: if one refuses the model after all, the next one that can serve."""
    case, refusals = None, list[str]()
    for engine in batch.engines:
        if case is not None and any(why_it_cannot(engine, question) for question in batch.questions):
            continue
        if case is None or case.guide is not engine.guide:
            case = Case(batch.system, engine.guide, batch.options, steps)
            case = shared.case_of(batch, case, lead) or lead(case, engine)
            shared.learn(case)
        noted = batch.noted(*refusals, *notes_about(engine, batch, case, shared))
        try:
            if may_adapt(batch, case):
                return adapt(model, noted, case, engine)
            if engine.guide is Guide.GENERATORS:
                case, outcomes = explore_by_sets(engine, case)
                return tell(model, noted, case, outcomes)
            return tell(model, noted, case, explore(engine, case))
        except UserError as error:
            refusal = error
            refusals.append(error.message)
    raise refusal


def lead(case: Case, engine: Engine | None = None) -> Case:
    """From the question to what guides an engine."""
    case = specialise(case)
    case = answer_soon(engine, case) if engine is not None and engine.guide is Guide.GENERATORS else case
    return classify(detect(case))


def answer_soon(engine: Engine, case: Case) -> Case:
    """Late, as the one below."""
    from quorbit.pipeline.orbits import answer_soon as answer

    return answer(engine, case)


def explore_by_sets(engine: Engine, case: Case) -> tuple[Case, list[Outcome]]:
    """Few runs need it, and it takes long to load."""
    from quorbit.pipeline.orbits import explore_sets

    return explore_sets(engine, case)


def adapt(model: Model, batch: Batch, case: Case, engine: Engine) -> list[CheckResult]:
    """Few states are searched at once.  Then adaptive reduction is tried where it promises most, and kept unless it
    looks at more states than there are orbits; at last all orbits are searched."""
    limits = case.options.search
    few = FEW_STATES if limits.max_states is None else min(FEW_STATES, limits.max_states)
    first = tell(model, batch, case, explore(engine, limited(case, replace(limits, max_states=few))))
    known = first[0].outcome.verdict is not Verdict.UNKNOWN
    if not known and first[0].states < few:
        return first
    adaptive, note = infer_if_promising(case)
    if adaptive is not None:
        most = first[0].states if known else limits.max_states  # with more it is not a reduction
        second = tell(model, batch.noted(note), adaptive, explore(ADAPTIVE, limit_adaptive(adaptive, most)))
        if second[0].outcome.verdict is not Verdict.UNKNOWN:
            return second
        batch = batch.noted(f"adaptive reduction was tried and abandoned: {second[0].outcome.message}")
    return first if known else tell(model, batch, case, explore(engine, case))
