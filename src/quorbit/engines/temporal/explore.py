"""Temporal properties: build the graph of all states, one per orbit, and evaluate the formula on it.

The group has to leave every maximal propositional part of the formula as it is (the caller sees to that, by detecting
the symmetry of the System together with the property); then a formula of CTL* has the same truth on the quotient
[M97, Theorem 4.2].  Fairness speaks about single processes, which the quotient renames: it is a condition on threads,
followed through the permutations on the edges (logic/threads.py).

A run that ends stutters: a state without moves has an edge to itself.  Assertions are not looked at.
"""

from __future__ import annotations

import time

from quorbit.canon.layout import Layout
from quorbit.canon.minimise import reducer
from quorbit.canon.plan import Plan
from quorbit.engines.options import SearchOptions
from quorbit.engines.replay import Reduce, lift
from quorbit.engines.temporal.assertions import without_assertions
from quorbit.engines.temporal.graph import (
    Broken,
    Builder,
    Progress,
    StateGraph,
    Stopped,
    evaluate_propositions,
    fill,
    summarise,
)
from quorbit.engines.temporal.judge import judge
from quorbit.engines.temporal.lift import lift_lasso
from quorbit.engines.temporal.witness import check_lasso
from quorbit.model.formula import propositions
from quorbit.model.system import Property, System, Temporal
from quorbit.result.outcome import Outcome, Statistics, Trace, Verdict
from quorbit.source.errors import UserError

NAME = "temporal"


def explore(
    system: System,
    properties: tuple[Property, ...],
    plan: Plan | None = None,
    layout: Layout | None = None,
    options: SearchOptions | None = None,
    progress: Progress | None = None,
) -> Outcome:
    """Check temporal properties on all reachable states, one per orbit if a plan is given."""
    options = options or SearchOptions()
    if reason := refusal(system, properties, options):
        raise UserError(None, f"the temporal engine {reason}")
    system = without_assertions(system)
    reduce = None if plan is None or layout is None else reducer(layout, plan)
    outcomes = [check_property(system, p, reduce, options, progress) for p in properties if isinstance(p, Temporal)]
    return next((o for o in outcomes if o.verdict is not Verdict.HOLDS), outcomes[0])


def refusal(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    """Why this engine cannot serve these, "" if it can."""
    if not properties or not all(isinstance(p, Temporal) for p in properties):
        return "checks temporal formulas only"
    if options.threads != 1:
        return "runs in one thread"
    if options.all_errors:
        return "finds one counterexample, not all errors"
    if options.checkpoint or options.resume or options.spill:
        return "keeps its states in memory, without checkpoints"
    if options.fairness != "none" and not any(command.actors for command in system.commands):
        return "needs processes for fairness; this model has none"
    return ""


def check_property(
    system: System, p: Temporal, reduce: Reduce | None, options: SearchOptions, progress: Progress | None
) -> Outcome:
    began = time.process_time()
    builder = Builder(system, reduce, options, all_edges=options.fairness != "none")
    try:
        fill(builder, progress)
        labels = evaluate_propositions(system, builder.graph, propositions(p.formula))
        answer = judge(builder.graph, p.formula, labels, options.fairness, len(system.atoms))
    except Stopped as stopped:
        statistics = summarise(builder.graph, time.process_time() - began)
        return Outcome(Verdict.UNKNOWN, p.name, str(stopped), statistics=statistics, engine=NAME)
    except Broken as broken:
        statistics = summarise(builder.graph, time.process_time() - began)
        return report_fault(system, builder.graph, broken, reduce, statistics)
    statistics = summarise(builder.graph, time.process_time() - began)
    if answer.lasso is None:
        verdict = Verdict.HOLDS if answer.holds else Verdict.FAILS
        return Outcome(verdict, p.name, "" if answer.holds else NO_PATH, statistics=statistics, engine=NAME)
    trace = lift_lasso(system, builder.graph, answer.lasso, reduce)
    if answer.holds:
        return Outcome(Verdict.HOLDS, p.name, describe(trace, "a witness"), trace, statistics, NAME)
    check_lasso(system, trace, p.formula, options.fairness)
    return Outcome(Verdict.FAILS, p.name, describe(trace, "a counterexample"), trace, statistics, NAME)


NO_PATH = "no single run shows why"


def describe(trace: Trace, what: str) -> str:
    """What the trace is; a run that ends is said to, since its last state counts for ever."""
    if trace.loop == len(trace.steps):
        return f"{what} is a run that ends; its last state counts as repeated for ever"
    return f"{what} is an infinite run"


def report_fault(
    system: System, graph: StateGraph, broken: Broken, reduce: Reduce | None, statistics: Statistics
) -> Outcome:
    path, at = [], broken.state
    while at >= 0:
        path.append(graph.states[at])
        at = graph.parents[at]
    trace = lift(system, path[::-1], reduce, broken.violation if broken.by_move else None)
    return Outcome(Verdict.FAILS, broken.violation.property, broken.violation.message, trace, statistics, NAME)
