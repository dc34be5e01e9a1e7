"""The symbolic engine's answers: one Outcome per property, with a trace where one path shows it."""

from __future__ import annotations

import os
from collections.abc import Sequence

from quorbit.bdd.open import is_installed
from quorbit.engines.engine import Progress, Work
from quorbit.engines.symbolic.answers import NAME, SymbolicOptions, all_states, answer_all, backwards, last_of
from quorbit.engines.symbolic.cone import cone_of, lift_trace
from quorbit.engines.symbolic.model import Model, open_model
from quorbit.engines.symbolic.portfolio import LARGE, NO_MEMORY, SMALL, check_isolated
from quorbit.engines.symbolic.reach import Clock, OutOfTurn, Stopped
from quorbit.machine.options import SearchOptions
from quorbit.model.diagrams.bits import powerset_members
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.system.command import Together
from quorbit.model.system.expression import FALSE, Elements, Fresh
from quorbit.model.system.formula import AllPaths
from quorbit.model.system.formula_kinds import is_ltl, is_propositional
from quorbit.model.system.system import NoDeadlock, Property, System, Temporal
from quorbit.result.outcome import Outcome, Statistics, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.interrupted import Interrupted
from quorbit.source.isolate import CAN_FORK

FIRST_SECONDS = 10.0  # for all properties together, before each is tried on its own


def check_all(
    system: System,
    properties: Sequence[Property],
    options: SearchOptions | None = None,
    symbolic: SymbolicOptions | None = None,
    progress: Progress | None = None,
    found: dict[int, Outcome] | None = None,
) -> list[Outcome]:
    """An answer for every property, in order, or one with the counts when nothing is asked; ``found`` gets each as soon
    as it is known, for a caller who may be interrupted.

    The reachable states are computed once where that is not too much.  Where it is, every property is tried on the part
    of the System it depends on, then with reordered variables."""
    options, symbolic = options or SearchOptions(), symbolic or SymbolicOptions()
    refuse(options)
    interrupted = None if progress is None else lambda: progress(Statistics())
    clock = Clock(options.timeout, interrupted)
    library, reorder = (symbolic.library, symbolic.reorder) if symbolic.library != "auto" else ("oxidd", False)
    try:
        if symbolic.isolate and CAN_FORK and symbolic.library == "auto" and options.max_depth is None:
            return check_isolated(system, properties, options, symbolic, clock, {} if found is None else found)
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


def explore_each(work: Work) -> list[Outcome]:
    """The answer to each of many properties, which share what they can; they last as long as all of them together."""
    began = computed_so_far()
    asked = tuple(map(on_all_paths, work.properties))
    how = SymbolicOptions(
        witnesses=work.witnesses,
        generators=work.generators,
        isolate=True,
        groups=work.groups,
        quotient=work.quotient,
        stage=work.stage,
    )
    known: dict[int, Outcome] = {}
    try:
        found = check_all(work.system, asked, work.options, how, work.progress, known)
    except Interrupted as interrupted:
        found = [known.get(k, outcome) for k, outcome in enumerate(unknown(asked, str(interrupted)))]
        if not known:
            raise
    seconds = computed_so_far() - began
    return [replace(o, statistics=replace(o.statistics, explore_seconds=seconds)) for o in found]


def computed_so_far() -> float:
    """CPU seconds of this process and of those it has waited for."""
    here = os.times()
    return here.user + here.system + here.children_user + here.children_system


def on_all_paths(p: Property) -> Property:
    """A formula of LTL is meant for all runs; this engine wants that written."""
    if isinstance(p, Temporal) and is_ltl(p.formula) and not is_propositional(p.formula):
        return replace(p, formula=AllPaths(p.formula))
    return p


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
        for attempt in (forwards, anywhere):
            turn = clock if nodes == LARGE and attempt is anywhere else clock.sooner(FIRST_SECONDS)
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


def anywhere(model: Model, p: Property, options: SearchOptions, symbolic: SymbolicOptions, clock: Clock) -> Outcome:
    """On all states there are, reachable or not."""
    return last_of(backwards(model, p, all_states(model), symbolic, clock))


def refusal(system: System, properties: Sequence[Property], options: SearchOptions) -> str:
    """Why this engine cannot serve, as far as that is seen without encoding the System; "" if it may."""
    if not is_installed("oxidd"):
        return "needs the package oxidd"
    if options.threads != 1 or options.all_errors or options.max_states:
        return "runs in one thread, stops at the first error and counts no states on the way"
    if any(isinstance(p, NoDeadlock) and p.stuttering for p in properties):
        return "does not see moves that leave the state as it is (--deadlock stuttering)"
    if system.transient != FALSE or any(c.rank or c.turn for c in system.commands):
        return "does not support atomic sections and priorities"
    if not all(isinstance(step, Together) for c in system.commands for step in c.effect):
        return "does not follow assertions and branches inside commands"
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
