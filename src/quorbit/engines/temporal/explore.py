"""Temporal properties: look for a run that breaks the formula, or evaluate it on all states; one state per orbit.

The group has to leave every maximal propositional part of the formula as it is (the caller sees to that, by detecting
the symmetry of the System together with the property); then a formula of CTL* has the same truth on the quotient
[M97, Theorem 4.2].  Fairness speaks about single processes, which the quotient renames: it is a condition on threads,
followed through the permutations on the edges (logic/graphs/threads.py).

A run that ends stutters: a state without moves has an edge to itself.  Assertions are not looked at.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from quorbit.canon.layout import Layout
from quorbit.canon.minimise import Reduce, reducer
from quorbit.canon.plan import Plan
from quorbit.engines import partial_order
from quorbit.engines.engine import Work, moves_left_out
from quorbit.engines.replay import lift
from quorbit.engines.temporal.compiled_space import explored_space
from quorbit.engines.temporal.judge import judge
from quorbit.engines.temporal.lift import lift_lasso
from quorbit.engines.temporal.space import Broken, Progress, Question, Space, SpaceSource, Stopped
from quorbit.engines.temporal.stored import stored_space
from quorbit.engines.temporal.witness import check_lasso, cut_where_broken
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.without_assertions import without_assertions
from quorbit.model.system.formula import propositions
from quorbit.model.system.formula_kinds import is_ltl
from quorbit.model.system.system import Property, System, Temporal
from quorbit.result.outcome import Outcome, Trace, Verdict
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

NAME = "temporal"


def explore(
    system: System,
    properties: tuple[Property, ...],
    plan: Plan | None = None,
    layout: Layout | None = None,
    options: SearchOptions | None = None,
    progress: Progress | None = None,
    sources: Sequence[SpaceSource] = (stored_space,),
) -> Outcome:
    """Check temporal properties on all reachable states, one per orbit if a plan is given.

    ``sources``: ways to find the states, the best first; one that cannot serve the model raises UserError."""
    options = options or SearchOptions()
    if reason := refusal_of_options(properties, options):
        raise UserError(None, f"the temporal engine {reason}")
    system = without_assertions(system)
    formulas = [p for p in properties if isinstance(p, Temporal)]
    try:
        outcomes = [check_property(system, p, plan, layout, options, progress, sources) for p in formulas]
    except Refused as refused:
        raise UserError(None, f"--por on cannot be used here: {refused}") from None
    return next((o for o in outcomes if o.verdict is not Verdict.HOLDS), outcomes[0])


def explore_spaces(work: Work) -> Outcome:
    """The same for what the pipeline asks; the states come from the compiled engine where that can serve."""
    sources = (explored_space, stored_space)
    return explore(work.system, work.properties, work.plan, work.layout, work.options, work.progress, sources)


def refusal(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    """Why this engine cannot serve these, "" if it can; asked about the model as it was loaded."""
    if options.fairness != "none" and not has_processes(system):
        return "needs processes for fairness; this model has none"
    return refusal_of_options(properties, options)


def refusal_of_options(properties: tuple[Property, ...], options: SearchOptions) -> str:
    if not properties or not all(isinstance(p, Temporal) for p in properties):
        return "checks temporal formulas only"
    if options.threads != 1:
        return "runs in one thread"
    if options.all_errors:
        return "finds one counterexample, not all errors"
    return ""


def has_processes(system: System) -> bool:
    """Whether somebody moves; what only happens in a fixed order in the beginning may have no actors."""
    return any(command.actors for command in system.commands) or any(atom.sort == "process" for atom in system.atoms)


def check_property(
    system: System,
    p: Temporal,
    plan: Plan | None,
    layout: Layout | None,
    options: SearchOptions,
    progress: Progress | None,
    sources: Sequence[SpaceSource],
) -> Outcome:
    *others, last = sources
    for source in others:
        try:
            return check_with(source, system, p, plan, layout, options, progress)
        except UserError:
            continue
    return check_with(last, system, p, plan, layout, options, progress)


def check_with(
    source: SpaceSource,
    system: System,
    p: Temporal,
    plan: Plan | None,
    layout: Layout | None,
    options: SearchOptions,
    progress: Progress | None,
) -> Outcome:
    question = ask(system, p, plan, options)
    try:
        with source(system, question, plan, layout, options, progress) as space:
            try:
                return judge_property(system, p, space, options.fairness)
            except Broken as broken:  # each space has representatives of its own
                return replace(report_fault(system, broken, space.reduce), por=space.por())
    except Stopped as stopped:
        return Outcome(Verdict.UNKNOWN, p.name, str(stopped), statistics=stopped.statistics, engine=NAME)
    except Broken as broken:  # while all states were stored
        return report_fault(system, broken, None if plan is None or layout is None else reducer(layout, plan))


def ask(system: System, p: Temporal, plan: Plan | None, options: SearchOptions) -> Question:
    """What is to be known of the states; refuses partial-order reduction where the formula would see it."""
    named = propositions(p.formula)
    if options.por == "off":
        return Question(named, options.fairness)
    reason = partial_order.refusal(system, (p,), plan, options)
    if reason and options.por == "on":
        raise Refused(reason)
    return Question(named, options.fairness, "off" if reason else options.por, reason)


class Refused(Exception):
    """Partial-order reduction was asked for and cannot be used, whichever way states are found."""


def judge_property(system: System, p: Temporal, space: Space, fairness: str) -> Outcome:
    began = time.process_time()
    built = space.statistics().explore_seconds
    answer = judge(space, p.formula, fairness)
    trace = None if answer.lasso is None else lift_lasso(system, space, answer.lasso, fairness != "none")
    if trace is not None and not answer.holds:
        check_lasso(system, trace, p.formula, fairness)
        if fairness == "none" and is_ltl(p.formula):
            trace = cut_where_broken(system, trace, p.formula)
    statistics = replace(space.statistics(), explore_seconds=built + time.process_time() - began)
    verdict = Verdict.HOLDS if answer.holds else Verdict.FAILS
    if (label := space.left_out()) and (answer.holds or not is_ltl(p.formula)):
        message = moves_left_out(system, label)
        return Outcome(Verdict.UNKNOWN, p.name, message, None, statistics, NAME, space.por())
    return Outcome(verdict, p.name, describe(verdict, trace), trace, statistics, NAME, space.por())


def describe(verdict: Verdict, trace: Trace | None) -> str:
    """What the trace is; a run that ends is said to, since its last state counts forever."""
    if trace is None:
        return "" if verdict is Verdict.HOLDS else "no single run shows why"
    what = "a witness" if verdict is Verdict.HOLDS else "a counterexample"
    if trace.loop is None:
        return "its last state breaks the formula, whatever follows"
    if trace.loop == len(trace.steps):
        return f"{what} is a run that ends; its last state counts as repeated forever"
    return f"{what} is an infinite run"


def report_fault(system: System, broken: Broken, reduce: Reduce | None) -> Outcome:
    violation = broken.violation
    trace = lift(system, broken.path, reduce, violation if broken.by_move else None)
    return Outcome(Verdict.FAILS, violation.property, violation.message, trace, broken.statistics, NAME)
