"""Answers from a SAT solver about what never happens: errors of a few steps, induction, then a proof by clauses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from quorbit.engines.replay import ReplayError
from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.replay import check_trace
from quorbit.engines.symbolic.sat.bounded import find_error, prove_by_induction
from quorbit.engines.symbolic.sat.pdr import Search
from quorbit.engines.symbolic.sat.symmetry import confirmed
from quorbit.engines.symbolic.start import start_with
from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.steps import Steps
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.expression import TRUE
from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Formula,
    Iff,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    SomePath,
    Truth,
)
from quorbit.model.system.formula_kinds import is_propositional
from quorbit.model.system.system import Invariant, Property, State, System, Temporal
from quorbit.result.outcome import Outcome, Trace, Verdict

__all__ = ["answer_by_clauses", "is_about_states"]

NAME = "symbolic"
FIRST_STEPS = 12  # that are looked at before a proof by clauses is tried


def is_about_states(system: System, p: Property) -> bool:
    """Whether a property may say that some states are not reached.  Where runs may stop, AG is only about those that do
    not."""
    match p:
        case Invariant():
            return True
        case Temporal(formula=AllPaths(Always(_))):
            return all(command.guard == TRUE for command in system.commands)
    return False


def answer_by_clauses(steps: Steps, p: Property, clock: Clock, generators: Iterable[Permutation] = ()) -> Outcome:
    """Requires: is_about_states.  Raises Unsupported if the states depend on more than one step.  Those of the
    generators are used that turn out to keep the start, the steps and the property."""
    bad, beyond = bad_states(steps, p)
    symmetries = confirmed(steps, bad, generators)
    broken = f", {len(symmetries)} symmetries broken" if symmetries else ""
    errors = find_error(steps, bad, clock, beyond=beyond, symmetries=symmetries)
    proofs = prove_by_induction(steps, bad, clock, symmetries)
    for k in range(FIRST_STEPS):
        if (trace := next(errors)) is not None:
            return failure(steps, p, trace, f"SAT, runs of {len(trace.steps)} steps{broken}")
        if next(proofs):
            return Outcome(Verdict.HOLDS, p.name, engine=NAME, method=f"SAT, induction over {k + 1} steps{broken}")
    search = Search(steps, bad, clock, symmetries)
    if search.prove() is None:
        told = f"SAT, invariant of {search.invariant} clauses"
        copied = f", {search.copied} of its cubes copied along {len(symmetries)} symmetries" if symmetries else ""
        return Outcome(Verdict.HOLDS, p.name, engine=NAME, method=told + copied)
    trace = first(errors)
    return failure(steps, p, trace, f"SAT, runs of {len(trace.steps)} steps{broken}")


def first(errors: Iterator[Trace | None]) -> Trace:
    """Requires: there is an error."""
    return next(trace for trace in errors if trace is not None)


def bad_states(steps: Steps, p: Property) -> tuple[Edge, int]:
    """The states that break a property, perhaps by what is chosen in the next step; and whether that is so, 0 or 1."""
    match p:
        case Invariant(condition=condition):
            return ~steps.truth(condition) & steps.valid, 0
        case Temporal(formula=AllPaths(Always(body))):
            return edge_of(steps, body, False) & steps.valid, int(not is_propositional(body))
    raise Unsupported("a property about more than states")


def edge_of(steps: Steps, f: Formula, wanted: bool) -> Edge:
    """Where f has the truth value wanted, for some choice in the next step if f looks a step ahead."""
    gates = steps.gates
    match f:
        case Truth(value):
            return gates.true if value == wanted else gates.false
        case Proposition(e):
            found = steps.truth(e)  # type: ignore[arg-type]
            return found if wanted else ~found
        case Not(g):
            return edge_of(steps, g, not wanted)
        case Or(operands) if wanted:
            return gates.disjunction(edge_of(steps, g, True) for g in operands)
        case And(operands) if not wanted:
            return gates.disjunction(edge_of(steps, g, False) for g in operands)
        case And(operands) | Or(operands) if one_looks_ahead(operands):
            return gates.conjunction(edge_of(steps, g, wanted) for g in operands)
        case Implies(left, right):
            return edge_of(steps, Or((Not(left), right)), wanted)
        case Iff(left, right) if is_propositional(f):
            same = gates.equivalent(edge_of(steps, left, True), edge_of(steps, right, True))
            return same if wanted else ~same
        case AllPaths(Next(g)) | SomePath(Next(g)) if is_propositional(g) and isinstance(f, SomePath) == wanted:
            return steps.guard & gates.substitute(edge_of(steps, g, wanted), steps.following)
    raise Unsupported("a formula that is not decided by one step")


def one_looks_ahead(operands: Sequence[Formula]) -> bool:
    """At most one: two would each need a choice of its own to be shown at once."""
    return sum(not is_propositional(g) for g in operands) <= 1


def failure(steps: Steps, p: Property, trace: Trace, method: str) -> Outcome:
    check_error(steps.system, p, trace)
    message = (
        p.message
        if isinstance(p, Invariant)
        else " ".join(p.span.text.split())[:200]
        if isinstance(p, Temporal)
        else ""
    )
    return Outcome(Verdict.FAILS, p.name, message, trace, engine=NAME, method=method)


def check_error(system: System, p: Property, trace: Trace) -> None:
    """The run is one of the model, begins where the model does, and ends in a state that breaks the property."""
    check_trace(system, trace)
    if start_with(system, dict(enumerate(trace.start))) != trace.start:
        raise ReplayError("the trace does not begin in an initial state")
    if not is_broken(system, p, [trace.start, *(step.state for step in trace.steps)]):
        raise ReplayError("the trace does not end in an error")


def is_broken(system: System, p: Property, states: Sequence[State]) -> bool:
    meaning = SharingMeaning(system)

    def shows(f: Formula, wanted: bool, at: int) -> bool:
        match f:
            case Truth(value):
                return value == wanted
            case Proposition(e):
                return meaning.holds(e, states[at]) == wanted  # type: ignore[arg-type]
            case Not(g):
                return shows(g, not wanted, at)
            case And(operands):
                return (all if wanted else any)(shows(g, wanted, at) for g in operands)
            case Or(operands):
                return (any if wanted else all)(shows(g, wanted, at) for g in operands)
            case Implies(left, right):
                return shows(Or((Not(left), right)), wanted, at)
            case Iff(left, right):
                return (shows(left, True, at) == shows(right, True, at)) == wanted
            case AllPaths(Next(g)) | SomePath(Next(g)):
                return at + 1 < len(states) and shows(g, wanted, at + 1)
        return False

    match p:
        case Invariant(condition=condition):
            return not meaning.holds(condition, states[-1])
        case Temporal(formula=AllPaths(Always(body))):
            return shows(body, False, len(states) - (1 if is_propositional(body) else 2))
    return False
