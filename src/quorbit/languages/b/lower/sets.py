"""Sets given by a description: listed now if they are the same in every state, else collected in the state."""

from __future__ import annotations

from typing import Any

from quorbit.languages.b.lower.binding import collect, tuple_of
from quorbit.languages.b.lower.membership import apply, element_type, member
from quorbit.languages.b.lower.scope import (
    Scope,
    Unlowered,
    all_of_type,
    bounded,
    has_many_subsets,
    hull,
    listed_set,
    literal,
    system_type,
)
from quorbit.languages.b.meaning.arrows import ARROW, Arrow, relations
from quorbit.languages.b.meaning.evaluator import ENDLESS_MAKERS
from quorbit.languages.b.meaning.plan import Member, Step, safe_plan
from quorbit.languages.b.syntax.formulas import Binary, Builtin, Comprehension, Formula, Name, Record, Unary
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.types.types import PairType, SetOfType
from quorbit.languages.b.types.types import Type as BType
from quorbit.model.system import expression as out
from quorbit.model.system.expression import Bound, Elements, Expr, Operator, Parameter, Quantify

O = Operator
Q = out.Quantifier


def lower_listed(scope: Scope, s: Formula) -> Expr:
    """A set given by a description: as a literal if it is the same in every state, else collected in the state."""
    if (found := None if has_many_subsets(scope, s) else listed_set(scope, s)) is not None:
        return literal(scope, found, s.type, s.span)
    match s:
        case Binary(op="<->", left=left, right=right):
            pairs = apply(O.PRODUCT, scope.lower(left), scope.lower(right), span=s.span)
            return apply(O.POWERSET, pairs, span=s.span)
        case Unary(op="POW" | "FIN", argument=argument):
            return apply(O.POWERSET, scope.lower(argument), span=s.span)
        case Unary(op="POW1" | "FIN1", argument=argument):
            empty = literal(scope, frozenset({frozenset()}), s.type, s.span)
            return apply(O.DIFFERENCE, apply(O.POWERSET, scope.lower(argument), span=s.span), empty, span=s.span)
        case Comprehension(names=names, predicate=predicate):
            plan = safe_plan(names, conjuncts(predicate))
            return collect(scope, plan, lambda inner: tuple_of(inner, names, s.span), s)
        case Binary(op="×", left=left, right=right):
            return apply(O.PRODUCT, scope.lower(left), scope.lower(right), span=s.span)
        case Record(op="struct", fields=fields):
            return collect_record(scope, s, fields)
        case Builtin():
            raise Unlowered(s.span, f"{s.name} is infinite and cannot be used as a value here")
    return filtered_type(scope, s)


def filtered_type(scope: Scope, s: Formula) -> Expr:
    """A set of relations that depends on the state: those values of the type that belong to it."""
    if not isinstance(s, Unary | Binary) or (isinstance(s, Unary) and s.op in ENDLESS_MAKERS):
        raise Unlowered(s.span, "this set is infinite or cannot be listed")
    name = scope.new_name("r")
    of = element_type(s)
    values = literal(scope, candidates(scope, s, of), s.type, s.span)
    domain = Elements(values, system_type(scope.universe, of))
    condition = member(scope, Bound(name, s.span), of, s)
    return Quantify(Q.COLLECT, Parameter(name, domain), Bound(name, s.span), condition, s.span)


def candidates(scope: Scope, s: Unary | Binary, of: BType) -> frozenset[Any]:
    """A set of relations between whole types that includes the one between sets that depend on the state."""
    match of:
        case SetOfType(element=PairType(left, right)) if isinstance(s, Binary) and ARROW[s.op].function:
            sides = [side_values(scope, s.left, left), side_values(scope, s.right, right)]
            arrow = Arrow(injective=ARROW[s.op].injective)
            return bounded(relations(arrow, sides[0], sides[1]), s.span)
    return all_of_type(scope, of, s.span)


def side_values(scope: Scope, side: Formula, of: BType) -> frozenset[Any]:
    found = hull(scope, side)
    return all_of_type(scope, of, side.span) if found is None else found


def collect_record(scope: Scope, s: Record, fields: tuple[tuple[str, Formula], ...]) -> Expr:
    names = tuple(Name(v.span, name, type=element_type(v)) for name, v in fields)
    steps: tuple[Step, ...] = tuple(Member(n, v, frozenset({n.name})) for n, (_, v) in zip(names, fields, strict=True))
    return collect(scope, steps, lambda inner: apply(O.TUPLE, *(inner.names[n.name] for n in names), span=s.span), s)
