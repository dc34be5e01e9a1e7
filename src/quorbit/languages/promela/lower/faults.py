"""Values that are computed only because computing them may go wrong.

SPIN's verifier evaluates what it does not need: the value given to a variable that nobody reads, the arguments of
printf, a message that nobody takes.  An index out of range or a channel that was never given is an error there too.
"""

from __future__ import annotations

from quorbit.languages.promela.lower.expressions import value
from quorbit.languages.promela.lower.places import is_fixed_channel
from quorbit.languages.promela.lower.ranges import interval
from quorbit.languages.promela.lower.values import View
from quorbit.languages.promela.parse.program import Binary, Constant, Expression, Poll, Probe, Reference, RemoteVariable
from quorbit.languages.promela.parse.walk import walk
from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.system.command import Require, Step
from quorbit.model.system.expression import FALSE, TRUE, Expr, Otherwise, conjunction, disjunction, equal, negation
from quorbit.source.span import Span


def evaluations(view: View, expressions: tuple[Expression, ...]) -> list[Step]:
    """The steps that compute these values and forget them."""
    found = [e for e in expressions if may_go_wrong(view, e)]
    return [Require(disjunction([computed(view, e), TRUE]), "run-time error", FAULTS, e.span) for e in found]


def goes_wrong(view: View, expressions: tuple[Expression, ...], span: Span) -> Expr:
    """Whether one of these values cannot be computed; FALSE if all surely can."""
    found = [computed(view, e) for e in expressions if may_go_wrong(view, e)]
    return negation(Otherwise(conjunction(found), FALSE, span), span) if found else FALSE


def computed(view: View, e: Expression) -> Expr:
    """True if e has a value; equal to itself, so that nobody looks inside it."""
    found = value(view, e)
    return equal(found, found, e.span)


def may_go_wrong(view: View, e: Expression) -> bool:
    return any(is_risky(view, part) for part in walk(e))


def is_risky(view: View, e: Expression) -> bool:
    """Whether e itself may have no value though its parts have."""
    match e:
        case Reference():
            return leaves_array(view, e)
        case Poll() if any(shape.capacity == 0 for shape in view.placement.shapes):
            return True
        case Probe(_, channel) | Poll(channel):
            return not is_fixed_channel(view.placement, view.placement.leaf_of(channel))
        case Binary("/" | "%", _, right):
            low, high = interval(right, view.placement.uses.wide)
            return low <= 0 <= high
        case RemoteVariable(index=index):
            return index is not None and not isinstance(index, Constant)
        case _:
            return False


def leaves_array(view: View, reference: Reference) -> bool:
    for step in reference.path:
        if step.variable.length is not None and step.index is not None:
            low, high = interval(step.index, view.placement.uses.wide)
            if low < 0 or high >= step.variable.length:
                return True
    return False
