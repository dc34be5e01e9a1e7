"""Conditions that look some steps ahead, as functions of a state and of what is chosen in the steps after it.

What is chosen in the first step has variables of its own (``Steps.choice_bits``); the steps after it get further ones
(``Steps.later``), the same for all conditions, so that these are about one and the same path.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.steps import Steps
from quorbit.model.system.formula import (
    AllPaths,
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
    children,
    walk,
)
from quorbit.model.system.formula_kinds import is_propositional


def steps_ahead(f: Formula) -> int:
    """How many steps ahead a formula looks that has no temporal operator but X."""
    inner = max(map(steps_ahead, children(f)), default=0)
    return inner + 1 if isinstance(f, Next) else inner


def is_linear(f: Formula) -> bool:
    """Whether it speaks of one path alone."""
    return not any(isinstance(part, AllPaths | SomePath) for part in walk(f))


def edge_of(steps: Steps, f: Formula, wanted: bool) -> Edge:
    """Where f has the truth value wanted on the path that is chosen.  Raises Unsupported for what no path shows, and
    for what needs more than a few steps."""
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
        case And(operands) | Or(operands) if is_about_one_path(operands):
            return gates.conjunction(edge_of(steps, g, wanted) for g in operands)
        case Implies(left, right):
            return edge_of(steps, Or((Not(left), right)), wanted)
        case Iff(left, right) if is_propositional(f):
            same = gates.equivalent(edge_of(steps, left, True), edge_of(steps, right, True))
            return same if wanted else ~same
        case Next(g):
            return steps.guard & a_step_later(steps, edge_of(steps, g, wanted))
        case AllPaths(Next() as g) | SomePath(Next() as g) if isinstance(f, SomePath) == wanted:
            return edge_of(steps, g, wanted)
    raise Unsupported("a formula that is not decided by a few steps")


def is_shown_by_steps(f: Formula, wanted: bool) -> bool:
    """Whether ``edge_of`` takes it."""
    match f:
        case Truth() | Proposition():
            return True
        case Not(g):
            return is_shown_by_steps(g, not wanted)
        case And(operands) | Or(operands):
            is_one = isinstance(f, Or) == wanted or is_about_one_path(operands)
            return is_one and all(is_shown_by_steps(g, wanted) for g in operands)
        case Implies(left, right):
            return is_shown_by_steps(Or((Not(left), right)), wanted)
        case Next(g):
            return is_shown_by_steps(g, wanted)
        case AllPaths(Next() as g) | SomePath(Next() as g):
            return isinstance(f, SomePath) == wanted and is_shown_by_steps(g, wanted)
    return isinstance(f, Iff) and is_propositional(f)


def is_about_one_path(operands: Sequence[Formula]) -> bool:
    """Two quantified formulas would each need a path of its own to be shown at once."""
    ahead = [g for g in operands if not is_propositional(g)]
    return len(ahead) <= 1 or all(map(is_linear, ahead))


def a_step_later(steps: Steps, f: Edge) -> Edge:
    """What f is in the next state: its bits are those of the next state, and what it chooses is chosen a step later."""
    gates = steps.gates
    moments = [steps.choice_bits, *steps.later]
    if not steps.choice_bits or not gates.depends_on(f, moments[-1]):
        needed = moments
    else:
        steps.later.append(tuple(gates.add_variables(len(steps.choice_bits))))
        needed = [*moments, steps.later[-1]]
    images = dict(steps.following)
    for now, then in pairwise(needed):
        images.update((b, gates.variable(c)) for b, c in zip(now, then, strict=True))
    return gates.substitute(f, images)
