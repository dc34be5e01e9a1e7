"""The ltl blocks of a model as properties of its System."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quorbit.languages.promela.lower.expressions import truth
from quorbit.languages.promela.lower.places import Placement
from quorbit.languages.promela.lower.values import View
from quorbit.languages.promela.parse.program import Binary, Constant, Expression, Formula, Reference, Temporal, Unary
from quorbit.languages.promela.parse.walk import walk
from quorbit.model.system import formula as logic
from quorbit.model.system.expression import atom
from quorbit.model.system.system import Invariant, Property
from quorbit.model.system.system import Temporal as TemporalProperty
from quorbit.model.system.types import NONE
from quorbit.source.errors import UserError

__all__ = ["lower_property"]


def lower_property(placement: Placement, formula: Formula) -> Property:
    """A formula as it is best checked: what holds in every state is an invariant."""
    body = formula.body
    if isinstance(body, Temporal) and body.operator == "[]":
        body = body.operands[0]
    if any(isinstance(inner, Temporal) for inner in walk(body)):
        return lower_formula(placement, formula)
    proposition_of = proposition(placement, body)
    if isinstance(proposition_of, logic.Truth):
        return lower_formula(placement, formula)
    condition = truth(View(placement, "", atom(NONE)), body)
    return Invariant(formula.name, condition, f"{formula.name} does not hold", span=formula.span)


def formula_properties(placement: Placement) -> Iterator[TemporalProperty]:
    """The formulas of a model; those that cannot be read wait to be asked for, since SPIN takes them."""
    for formula in placement.program.formulas:
        try:
            yield lower_formula(placement, formula)
        except UserError:
            continue


def lower_formula(placement: Placement, formula: Formula) -> TemporalProperty:
    return TemporalProperty(formula.name, lower_temporal(placement, formula.body), formula.span)


def lower_temporal(placement: Placement, e: Expression) -> logic.Formula:
    """Temporal operators become those of the logic; what is below them is a proposition."""
    if not any(isinstance(inner, Temporal) for inner in walk(e)):
        return proposition(placement, e)

    def inside(part: Expression) -> logic.Formula:
        return lower_temporal(placement, part)

    match e:
        case Unary("!", operand):
            return logic.Not(inside(operand))
        case Binary("&&", left, right):
            return logic.And((inside(left), inside(right)))
        case Binary("||", left, right):
            return logic.Or((inside(left), inside(right)))
        case Temporal(operator, (operand,)):
            return UNARY[operator](inside(operand))
        case Temporal(operator, (left, right)):
            return BINARY[operator](inside(left), inside(right))
        case _:
            raise UserError(e.span, "a temporal operator inside an arithmetic one; are brackets missing?")


UNARY: dict[str, Callable[[logic.Formula], logic.Formula]] = {
    "[]": logic.Always,
    "<>": logic.Eventually,
    "X": logic.Next,
    "A": logic.AllPaths,
    "E": logic.SomePath,
}
BINARY: dict[str, Callable[[logic.Formula, logic.Formula], logic.Formula]] = {
    "U": logic.Until,
    "V": logic.Release,
    "W": logic.WeakUntil,
    "->": logic.Implies,
    "<->": logic.Iff,
}


def proposition(placement: Placement, e: Expression) -> logic.Formula:
    if isinstance(e, Constant):
        return logic.Truth(e.value != 0)
    for inner in walk(e):
        if isinstance(inner, Reference) and placement.is_hidden(inner.variable):
            raise UserError(inner.span, f"'{inner.variable.name}' is never read by the model and therefore not stored")
    return logic.Proposition(truth(View(placement, "", atom(NONE)), e))
