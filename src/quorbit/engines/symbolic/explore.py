"""The symbolic engine's answers: one Outcome per property, with a trace where one path shows it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from quorbit.bdd.open import is_installed
from quorbit.engines.options import SearchOptions
from quorbit.engines.symbolic.cases import Bdd, Unsupported
from quorbit.engines.symbolic.check import Checker
from quorbit.engines.symbolic.cone import cone_of, lift_trace
from quorbit.engines.symbolic.layout import is_coded, powerset_members, state_cube
from quorbit.engines.symbolic.model import Model, open_model
from quorbit.engines.symbolic.reach import Clock, OutOfTurn, Reached, Stopped, reach
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.symbolic.trace import path_to, trace_of
from quorbit.engines.symbolic.witness import Run, model_walker, show_path
from quorbit.model.command import Require
from quorbit.model.expression import FALSE, Elements, Fresh
from quorbit.model.formula import AllPaths, And, Formula, Iff, Implies, Not, Or, SomePath, negate
from quorbit.model.system import Invariant, NoDeadlock, Property, System, Temporal
from quorbit.result.outcome import Outcome, Statistics, Trace, Verdict
from quorbit.source.errors import UserError

NAME = "symbolic"
SMALL, LARGE = 1 << 22, 1 << 26  # nodes
FIRST_SECONDS = 10.0  # for all properties together, before each is tried on its own
NO_MEMORY = "no memory left for the decision diagrams"
Progress = Callable[[Statistics], bool]


@dataclass(frozen=True)
class SymbolicOptions:
    """library: oxidd, cudd, or auto (oxidd, and cudd with reordering when that runs out of memory)."""

    library: str = "auto"
    reorder: bool = False
    witnesses: bool = False  # a trace also for an E formula that holds


def check_all(
    system: System,
    properties: Sequence[Property],
    options: SearchOptions | None = None,
    symbolic: SymbolicOptions | None = None,
    progress: Progress | None = None,
) -> list[Outcome]:
    """An answer for every property, in order, or one with the counts when nothing is asked.

    The reachable states are computed once where that is not too much.  Where it is, every property is tried on the part
    of the System it depends on, then with reordered variables."""
    options, symbolic = options or SearchOptions(), symbolic or SymbolicOptions()
    refuse(options)
    interrupted = None if progress is None else lambda: progress(Statistics())
    clock = Clock(options.timeout, interrupted)
    library, reorder = (symbolic.library, symbolic.reorder) if symbolic.library != "auto" else ("oxidd", False)
    try:
        if symbolic.library != "auto":
            return answer_all(open_model(system, library, reorder, LARGE), properties, options, symbolic, clock)
        try:
            first = clock.sooner(FIRST_SECONDS)
            return answer_all(open_model(system, library, reorder, SMALL), properties, options, symbolic, first)
        except (MemoryError, OutOfTurn):
            if not properties:
                return answer_all(open_model(system, library, reorder, LARGE), (), options, symbolic, clock)
            return [answer_alone(system, p, options, symbolic, clock) for p in properties]
    except Stopped as stopped:
        return unknown(properties, str(stopped))
    except MemoryError:
        return unknown(properties, NO_MEMORY)
    except Unsupported as missing:
        raise UserError(None, f"the symbolic engine cannot check this model: {missing}") from None


def unknown(properties: Sequence[Property], reason: str) -> list[Outcome]:
    names = [p.name for p in properties] or [""]
    return [Outcome(Verdict.UNKNOWN, name, reason, engine=NAME) for name in names]


def answer_alone(
    system: System, p: Property, options: SearchOptions, symbolic: SymbolicOptions, clock: Clock
) -> Outcome:
    """One property on its cone; its counts are not those of the whole System, so none are given."""
    cone = cone_of(system, (p,))
    part = system if cone is None else cone.system
    last = ("cudd", True, LARGE) if is_installed("cudd") else ("oxidd", False, LARGE)
    retries = [("oxidd", False, SMALL), last]
    for library, reorder, nodes in retries:
        for attempt in (forwards, backwards):
            turn = clock if nodes == LARGE and attempt is backwards else clock.sooner(FIRST_SECONDS)
            try:
                found = attempt(open_model(part, library, reorder, nodes), p, options, symbolic, turn)
            except (MemoryError, OutOfTurn):
                continue
            except Stopped as stopped:
                return Outcome(Verdict.UNKNOWN, p.name, str(stopped), engine=NAME)
            trace = found.trace if cone is None or found.trace is None else lift_trace(system, cone, found.trace)
            return replace(found, trace=trace, statistics=Statistics(explore_seconds=found.statistics.explore_seconds))
    return Outcome(Verdict.UNKNOWN, p.name, NO_MEMORY, engine=NAME)


def forwards(model: Model, p: Property, options: SearchOptions, symbolic: SymbolicOptions, clock: Clock) -> Outcome:
    """On the reachable states."""
    return answer_all(model, (p,), options, symbolic, clock)[0]


def backwards(model: Model, p: Property, options: SearchOptions, symbolic: SymbolicOptions, clock: Clock) -> Outcome:
    """On all states there are, reachable or not, which may need far fewer steps."""
    checker = Checker(model, all_states(model), clock)
    if isinstance(p, Temporal):
        return answer_temporal(model, checker, p, p.formula, symbolic)
    if not isinstance(p, Invariant):
        raise MemoryError("a deadlock is looked for among the reachable states")
    bad = checker.universe & ~model.truth(p.condition)
    if model.initial & checker.structure.eu(checker.universe, bad) == model.m.false:
        return Outcome(Verdict.HOLDS, p.name, engine=NAME)
    start = model.pick(model.initial & checker.structure.eu(checker.universe, bad))
    run = Run([state_cube(model.m, model.layout, start)])
    model_walker(checker).walk_to(run, checker.universe, bad)
    trace = trace_of(model, [model.pick(point) for point in run.points])
    check_trace(model.system, trace)
    return Outcome(Verdict.FAILS, p.name, p.message, trace, engine=NAME)


def all_states(model: Model) -> Bdd:
    return model.m.conjunction(is_coded(model.m, coded, coded.bits) for coded in model.layout.places)


def refusal(system: System, properties: Sequence[Property], options: SearchOptions) -> str:
    """Why this engine cannot serve, as far as that is seen without encoding the System; "" if it may."""
    if not is_installed("oxidd"):
        return "needs the package oxidd"
    if options.threads != 1 or options.all_errors or options.max_states:
        return "runs in one thread, stops at the first error and counts no states on the way"
    if system.transient != FALSE or any(c.rank or c.turn for c in system.commands):
        return "knows no atomic sections and no priorities"
    if any(isinstance(step, Require) for c in system.commands for step in c.effect):
        return "does not check assertions inside commands"
    for command in (*system.commands, *system.start):
        for parameter in command.parameters:
            if isinstance(parameter.domain, Elements | Fresh) and powerset_members(parameter.domain) is None:
                return "cannot choose from sets that depend on the state"
    return ""


def refuse(options: SearchOptions) -> None:
    for name, value in (("all_errors", options.all_errors), ("max_states", options.max_states)):
        if value:
            raise UserError(None, f"the symbolic engine does not honour {name}")
    if options.threads != 1:
        raise UserError(None, "the symbolic engine runs in one thread")


def answer_all(
    model: Model, properties: Sequence[Property], options: SearchOptions, symbolic: SymbolicOptions, clock: Clock
) -> list[Outcome]:
    began = time.process_time()
    reached = reach(model, clock, max_depth=options.max_depth)
    statistics = Statistics(
        states=model.count(reached.states),
        depth=len(reached.rings) - 1,
        levels=tuple(model.count(r) for r in reached.rings),
    )
    if not properties:
        counted = replace(statistics, explore_seconds=time.process_time() - began)
        return [Outcome(Verdict.HOLDS, statistics=counted, engine=NAME)]
    checker = Checker(model, reached.states, clock)
    found = []
    for p in properties:
        outcome = answer(model, reached, checker, p, symbolic)
        seconds = time.process_time() - began
        found.append(replace(outcome, statistics=replace(statistics, explore_seconds=seconds)))
        began = time.process_time()
    return found


def answer(model: Model, reached: Reached, checker: Checker, p: Property, symbolic: SymbolicOptions) -> Outcome:
    match p:
        case Invariant():
            return answer_safety(model, reached, p, ~model.truth(p.condition))
        case NoDeadlock():
            return answer_safety(model, reached, p, ~model.preimage(model.m.true) & ~model.truth(p.allowed))
        case Temporal(formula=formula):
            return answer_temporal(model, checker, p, formula, symbolic)
    raise Unsupported("assertions inside commands")


def answer_safety(model: Model, reached: Reached, p: Invariant | NoDeadlock, bad: Bdd) -> Outcome:
    """No reachable state is bad."""
    if reached.states & bad == model.m.false:
        return Outcome(Verdict.HOLDS, p.name, engine=NAME)
    trace = trace_of(model, path_to(model, reached, bad))
    check_trace(model.system, trace)
    return Outcome(Verdict.FAILS, p.name, p.message, trace, engine=NAME)


def answer_temporal(
    model: Model, checker: Checker, p: Temporal, formula: Formula, symbolic: SymbolicOptions
) -> Outcome:
    if len(model.system.commands) != 1 and checker.universe & ~model.preimage(checker.universe) != model.m.false:
        # Constraints of a circuit cut paths on purpose; elsewhere it is open what a formula says of a run that stops.
        raise Unsupported("a temporal formula on a model that can stop")
    states = checker.states(formula)
    wrong = model.initial & ~states
    if wrong != model.m.false:
        trace = explain(model, checker, formula, wrong, False)
        return Outcome(Verdict.FAILS, p.name, p.span.text.strip()[:200], trace, engine=NAME)
    witness = None
    if symbolic.witnesses and model.initial != model.m.false:
        witness = explain(model, checker, formula, model.initial, True)
    return Outcome(Verdict.HOLDS, p.name, trace=witness, engine=NAME)


def explain(model: Model, checker: Checker, formula: Formula, starts: Bdd, truth: bool) -> Trace | None:
    """A run from one of the starts that shows why the formula is true (or false) there; None if no single run does."""
    start = model.pick(starts)
    run = Run([state_cube(model.m, model.layout, start)])
    if not explain_at(checker, formula, run, truth):
        return trace_of(model, [start])
    trace = trace_of(model, [model.pick(point) for point in run.points], run.loop)
    check_trace(model.system, trace)
    return trace


def explain_at(checker: Checker, formula: Formula, run: Run, truth: bool) -> bool:
    """Extend the run by what shows the truth value at its last point; whether there is such a thing."""

    def holds(f: Formula) -> bool:
        return bool(run.points[-1] & checker.states(f) != checker.m.false)

    match formula:
        case Not(f):
            return explain_at(checker, f, run, not truth)
        case And(fs) | Or(fs):
            decisive = [f for f in fs if holds(f) == truth]
            return any(explain_at(checker, f, run, truth) for f in decisive[:1] if decisive)
        case Implies(left, right):
            if truth and holds(right):
                return explain_at(checker, right, run, True)
            return explain_at(checker, left, run, False) if truth else explain_at(checker, right, run, False)
        case Iff(left, right):
            return explain_at(checker, right, run, holds(right))
        case SomePath(p) if truth:
            show_path(checker, run, checker.normaliser.path(p))
            return True
        case AllPaths(p) if not truth:
            show_path(checker, run, checker.normaliser.path(negate(p)))
            return True
    return False
