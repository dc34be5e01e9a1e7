"""What lowering knows while it goes through a formula: what names stand for, and which are the same in every state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count, islice
from typing import Any

from quorbit.languages.b.meaning.evaluator import Endless, Env, IllDefined, Recursive, Unbounded
from quorbit.languages.b.meaning.reference import Reference
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.meaning.value_spelling import SPELLED, Spelling, is_spelled
from quorbit.languages.b.syntax.formulas import Binary, Formula, Name, Unary
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.types.types import BOOL, PREDICATE, STRING, Given, PairType, RecordType, SetOfType
from quorbit.languages.b.types.types import Type as BType
from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Read
from quorbit.model.system.types import INTEGER, TRUTH, AtomOf, SetOf, Text, TupleOf, Type
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, replace
from quorbit.source.span import Span

__all__ = ["Scope", "fault", "system_type"]

MOST_BITS = 8  # of a set whose subsets are written down; larger ones are said by an operator
LARGEST_LISTED = 200_000  # elements of a set that is listed while a machine is read


@frozen
class Scope:
    """``names``: what each name stands for in the System; ``fixed``: those with one value in all states."""

    reference: Reference
    names: dict[str, Expr]
    fixed: Env
    lowering: Callable[[Scope, Formula], Expr]  # how formulas are lowered: lower_formulas.lower
    fresh: Iterator[int] = field(default_factory=lambda: count(1))
    outer: Scope | None = None  # where constants that are infinite functions find what they mention
    valuations: tuple[Env, ...] = ()  # of the constants that differ from state to state
    symbolic: frozenset[str] = frozenset()  # names of sets that may be infinite: these are spelled

    @property
    def universe(self) -> Universe:
        return self.reference.universe

    @property
    def spelling(self) -> Spelling:
        return Spelling(self.universe, self.reference.spelled_sets)

    def lower(self, f: Formula) -> Expr:
        return self.lowering(self, f)

    @property
    def outermost(self) -> Scope:
        return self.outer or self

    def having(self, names: dict[str, Expr], symbolic: frozenset[str] | None = None) -> Scope:
        """The scope with more names; they hide fixed ones of the same name. ``symbolic``: which of these are spelled
        sets; if it is left out those that were."""
        kept = (
            {k: v for k, v in self.fixed.items() if k not in names} if names.keys() & self.fixed.keys() else self.fixed
        )
        spelled = self.symbolic if symbolic is None else (self.symbolic - names.keys()) | symbolic
        return replace(self, names={**self.names, **names}, fixed=kept, outer=self.outermost, symbolic=spelled)

    def new_name(self, name: str) -> str:
        """A parameter's name that is used nowhere else."""
        return f"{name.partition('#')[0]}#{next(self.fresh)}"


class Unlowered(UserError):
    """The operators of a System do not say this; it can be computed if all of it is a value."""


def system_type(universe: Universe, of: BType) -> Type:
    """A B type as a type of the System."""
    if is_spelled(universe, of):
        return SPELLED
    match of:
        case Given(name):
            return AtomOf(universe.atoms[name])
        case SetOfType(element):
            return SetOf(system_type(universe, element))
        case PairType(left, right):
            return TupleOf((system_type(universe, left), system_type(universe, right)))
        case RecordType(fields):
            return TupleOf(tuple(system_type(universe, t) for _, t in fields), tuple(name for name, _ in fields))
    if of in (BOOL, PREDICATE):
        return TRUTH
    return Text() if of == STRING else INTEGER


def or_none(of: Type) -> Type:
    """The type of a place that names no atom until it is written: a default that named one would tell it apart."""
    match of:
        case AtomOf(atoms):
            return AtomOf(atoms, optional=True)
        case TupleOf(parts, names):
            return TupleOf(tuple(or_none(part) for part in parts), names)
    return of


def endless(scope: Scope, s: Formula) -> tuple[Scope, Formula] | None:
    """The formula that a name of an infinite set stands for, and the scope in which it means that."""
    if not isinstance(s, Name) or s.name in scope.names or not isinstance(found := scope.fixed.get(s.name), Endless):
        return None
    if isinstance(found, Recursive):
        return None  # it has no end
    outer = scope.outermost
    return replace(outer, fixed={**outer.fixed, **found.env}), found.formula


def literal(scope: Scope, value: Any, of: BType, span: Span) -> Literal:
    return Literal(scope.spelling.value(of, value), system_type(scope.universe, of), span)


def is_fixed(scope: Scope, f: Formula) -> bool:
    return free_names(f) <= scope.fixed.keys()


def fixed_value(scope: Scope, f: Formula) -> Any:
    """The value of a formula that is the same in every state; None if it has none or an infinite one."""
    if not is_fixed(scope, f):
        return None
    try:
        value = scope.reference.value(f, scope.fixed)
    except (IllDefined, Unbounded):
        return None
    return None if isinstance(value, Endless) else value


def has_many_subsets(scope: Scope, s: Formula) -> bool:
    """A set of subsets or relations that is better gone through than written down."""
    match s:
        case Unary(op="POW" | "FIN" | "POW1" | "FIN1", argument=base):
            return not is_fixed(scope, base) or len(listed_set(scope, base) or ()) > MOST_BITS
        case Binary(op="<->", left=left, right=right):
            sides = [listed_set(scope, side) or () for side in (left, right)]
            return not is_fixed(scope, s) or len(sides[0]) * len(sides[1]) > MOST_BITS
    return False


def listed_set(scope: Scope, s: Formula) -> frozenset[Any] | None:
    """The elements of a set that is the same in every state; too many are refused."""
    if not is_fixed(scope, s):
        return None
    try:
        return bounded(scope.reference.elements(s, scope.fixed, cut=False), s.span)
    except (IllDefined, Unbounded):
        return None


def hull(scope: Scope, s: Formula) -> frozenset[Any] | None:
    """A finite set that includes a set in every state, as far as constants and forms tell."""
    if (found := listed_set(scope, s)) is not None:
        return found
    match s:
        case Binary(op="\\" | "/\\", left=left):
            return hull(scope, left)
        case Binary(op="\\/", left=left, right=right):
            first, second = hull(scope, left), hull(scope, right)
            return None if first is None or second is None else first | second
    return over_valuations(scope, s)


def over_valuations(scope: Scope, s: Formula) -> frozenset[Any] | None:
    """All elements a set has for some valuation of the constants, if it depends on nothing else."""
    varying = free_names(s) - scope.fixed.keys()
    if not scope.valuations or not varying <= scope.valuations[0].keys():
        return None
    if any(scope.names.get(name) != Read(name) for name in varying):
        return None
    found: frozenset[Any] = frozenset()
    for values in dict.fromkeys(tuple(v[name] for name in sorted(varying)) for v in scope.valuations):
        env = {**scope.fixed, **dict(zip(sorted(varying), values, strict=True))}
        try:
            found |= bounded(scope.reference.elements(s, env, cut=False), s.span)
        except IllDefined:
            continue  # for such constants the set has no value, and nothing is taken from it
        except Unbounded:
            return None
    return found


def all_of_type(scope: Scope, of: BType, span: Span) -> frozenset[Any]:
    """All values of a type; a cut of the integers is noted."""
    try:
        return bounded(scope.reference.all_values(of, span), span)
    except Unbounded as problem:
        raise UserError(span, problem.message) from None


def bounded(elements: Iterator[Any], span: Span) -> frozenset[Any]:
    found = frozenset(islice(elements, LARGEST_LISTED + 1))
    if len(found) > LARGEST_LISTED:
        raise UserError(span, f"this set has more than {LARGEST_LISTED} elements; they cannot be listed")
    return found


def fault(span: Span) -> Expr:
    """An expression without a value: an application outside the domain."""
    empty = Literal(frozenset(), SetOf(TupleOf((INTEGER, INTEGER))), span)
    return Apply(Operator.APPLY, (empty, Literal(0, INTEGER, span)), span)


def is_fault(e: Expr) -> bool:
    """A name that has no value yet stands for this."""
    return e == fault(e.span)
