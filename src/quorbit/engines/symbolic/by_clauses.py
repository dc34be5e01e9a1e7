"""Answers from a SAT solver about what never happens: errors of a few steps, induction, then a proof by clauses."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.engines.replay import ReplayError
from quorbit.engines.symbolic.bounded import find_error, prove_by_induction
from quorbit.engines.symbolic.cases import Unsupported
from quorbit.engines.symbolic.clauses import Steps
from quorbit.engines.symbolic.gates import Edge
from quorbit.engines.symbolic.layout import state_cube
from quorbit.engines.symbolic.model import start_states
from quorbit.engines.symbolic.pdr import steps_to_error
from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.replay import check_trace
from quorbit.model.expression import TRUE, Expr
from quorbit.model.formula import (
    AllPaths,
    Always,
    And,
    Formula,
    Iff,
    Implies,
    Not,
    Or,
    Proposition,
    Truth,
    is_propositional,
)
from quorbit.model.share import SharingMeaning
from quorbit.model.system import Invariant, Property, System, Temporal
from quorbit.result.outcome import Outcome, Trace, Verdict

NAME = "symbolic"
FIRST_STEPS = 12  # that are looked at before a proof by clauses is tried


def is_about_states(system: System, p: Property) -> bool:
    """Whether a property says that some states are not reached.  Where runs may stop, AG is only about those that do
    not."""
    match p:
        case Invariant():
            return True
        case Temporal(formula=AllPaths(Always(body))):
            return is_propositional(body) and all(command.guard == TRUE for command in system.commands)
    return False


def answer_by_clauses(steps: Steps, p: Property, clock: Clock) -> Outcome:
    """Requires: is_about_states."""
    bad, message = bad_states(steps, p)
    errors, proofs = find_error(steps, bad, clock), prove_by_induction(steps, bad, clock)
    for _ in range(FIRST_STEPS):
        if (trace := next(errors)) is not None:
            return failure(steps, p, message, trace)
        if next(proofs):
            return Outcome(Verdict.HOLDS, p.name, engine=NAME)
    if steps_to_error(steps, bad, clock) is None:
        return Outcome(Verdict.HOLDS, p.name, engine=NAME)
    return failure(steps, p, message, first(errors))


def first(errors: Iterator[Trace | None]) -> Trace:
    """Requires: there is an error."""
    return next(trace for trace in errors if trace is not None)


def bad_states(steps: Steps, p: Property) -> tuple[Edge, str]:
    match p:
        case Invariant(condition=condition):
            return ~steps.truth(condition) & steps.valid, p.message
        case Temporal(formula=AllPaths(Always(body))):
            return ~edge_of(steps, body) & steps.valid, p.span.text.strip()[:200]
    raise Unsupported("a property about more than states")


def edge_of(steps: Steps, f: Formula) -> Edge:
    gates = steps.gates
    match f:
        case Truth(value):
            return gates.true if value else gates.false
        case Proposition(e):
            return steps.truth(e)  # type: ignore[arg-type]
        case Not(g):
            return ~edge_of(steps, g)
        case And(operands):
            return gates.conjunction(edge_of(steps, g) for g in operands)
        case Or(operands):
            return gates.disjunction(edge_of(steps, g) for g in operands)
        case Implies(left, right):
            return ~edge_of(steps, left) | edge_of(steps, right)
        case Iff(left, right):
            return gates.equivalent(edge_of(steps, left), edge_of(steps, right))
    raise Unsupported("a temporal operator inside")


def failure(steps: Steps, p: Property, message: str, trace: Trace) -> Outcome:
    check_error(steps.system, p, trace)
    return Outcome(Verdict.FAILS, p.name, message, trace, engine=NAME)


def check_error(system: System, p: Property, trace: Trace) -> None:
    """The run is one of the model, begins where the model does, and ends in a state that breaks the property."""
    check_trace(system, trace)
    initial, layout, m = start_states(system)
    if initial & state_cube(m, layout, trace.start) == m.false:
        raise ReplayError("the trace does not begin in an initial state")
    states = [trace.start, *(step.state for step in trace.steps)]
    meaning = SharingMeaning(system)

    def holds(e: Expr) -> bool:
        return meaning.holds(e, states[-1])

    if isinstance(p, Invariant) and holds(p.condition):
        raise ReplayError("the trace does not end in an error")
