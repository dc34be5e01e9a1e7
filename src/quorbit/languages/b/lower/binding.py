"""Bound names as parameters: quantifiers and collections built from the steps of a plan."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.b.lower.membership import apply, element_type, may_fail, part
from quorbit.languages.b.lower.scope import (
    Scope,
    all_of_type,
    bounded,
    fixed_value,
    has_many_subsets,
    is_fixed,
    listed_set,
    literal,
    system_type,
)
from quorbit.languages.b.meaning.evaluator import IllDefined, Unbounded
from quorbit.languages.b.meaning.plan import (
    Anything,
    Check,
    Equal,
    Member,
    OneOf,
    Range,
    Step,
)
from quorbit.languages.b.meaning.plan import Subset as SubsetStep
from quorbit.languages.b.syntax.formulas import Binary, Builtin, Formula, Name, Unary
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.types.types import BOOL, Given, PairType, SetOfType
from quorbit.languages.b.types.types import Type as BType
from quorbit.model.system import expression as out
from quorbit.model.system.expression import (
    TRUE,
    Atoms,
    Bound,
    Condition,
    Elements,
    Expr,
    Interval,
    Literal,
    Operator,
    Parameter,
    Quantify,
    conjunction,
    disjunction,
    negation,
    number,
)
from quorbit.model.system.types import TRUTH
from quorbit.model.system.types import SetOf as SetOfValues
from quorbit.source.errors import UserError
from quorbit.source.span import Span

EMPTY = Literal(frozenset(), SetOfValues(TRUTH))  # no element, so any type will do
LONG = 1000  # numbers of an interval that is better gone through than written down
O = Operator
Q = out.Quantifier
Body = Callable[[Scope], Expr]


def collect(scope: Scope, plan: tuple[Step, ...], body: Body, f: Formula) -> Expr:
    """The set of the body's values for all solutions of a plan: a union of sets for each parameter but the last."""
    sources = [k for k, step in enumerate(plan) if is_parameter(step)]
    if len(sources) > 1:
        rest = plan[sources[1] :]
        sets = nest(scope, plan[: sources[1]], Q.COLLECT, lambda inner: collect(inner, rest, body, f), f.span)
        return apply(O.BIG_UNION, sets, span=f.span)
    if not sources:
        return nest(scope, plan, Q.COLLECT, lambda inner: apply(O.SET, body(inner), span=f.span), f.span)
    return nest(scope, plan, Q.COLLECT, body, f.span)


def is_parameter(step: Step) -> bool:
    """A step that needs a parameter of its own: not a check, and no plain equation."""
    return not isinstance(step, Check) and not (isinstance(step, Equal) and isinstance(step.pattern, Name))


def nest(scope: Scope, plan: tuple[Step, ...], kind: out.Quantifier, body: Body, span: Span) -> Expr:
    """Quantifiers for the sources of a plan, the checks as their conditions."""
    checks: list[Expr] = []
    k = 0
    while k < len(plan) and isinstance(step := plan[k], Check):
        checks.append(scope.lower(step.condition))
        k += 1
    if k == len(plan):
        return with_checks(kind, checks, body(scope), span)
    source = plan[k]
    if isinstance(source, Equal) and isinstance(source.pattern, Name):
        known = scope.having({source.pattern.name: scope.lower(source.value)})
        return with_checks(kind, checks, nest(known, plan[k + 1 :], kind, body, span), span)
    parameter, inner, tests = bind_source(scope, source)
    k += 1
    while k < len(plan) and not is_parameter(step := plan[k]):
        if isinstance(step, Check):
            tests.append(inner.lower(step.condition))
        else:
            assert isinstance(step, Equal)
            assert isinstance(step.pattern, Name)
            inner = inner.having({step.pattern.name: inner.lower(step.value)})
        k += 1
    rest = nest(inner, plan[k:], kind, body, span) if k < len(plan) else body(inner)
    found = Quantify(kind, parameter, rest, conjunction(tests, span), span)
    return with_checks(kind, checks, found, span)


def with_checks(kind: out.Quantifier, checks: list[Expr], found: Expr, span: Span) -> Expr:
    """Conditions that mention no bound name of this plan."""
    if not checks or conjunction(checks) == TRUE:
        return found
    test = conjunction(checks, span)
    match kind:
        case Q.SOME:
            return conjunction([test, found], span)
        case Q.ALL:
            return disjunction([negation(test, span), found], span)
        case Q.COLLECT:
            return Condition(test, found, EMPTY, span)
    return Condition(test, found, number(1 if kind is Q.TIMES else 0), span)


def bind_source(scope: Scope, source: Step, keep: bool = False) -> tuple[Parameter, Scope, list[Expr]]:
    """A parameter for the next unknown names, the scope that knows them, and what is still to be tested.

    With ``keep`` the parameter has the name in the text, else one that nothing else has.
    """
    match source:
        case Equal(pattern, value, unknown):
            found = apply(O.SET, scope.lower(value), span=value.span)
            return bind_pattern(scope, pattern, found, value.type, unknown, keep)
        case Member(pattern, s, unknown):
            return bind_member(scope, pattern, s, unknown, keep)
        case SubsetStep(name, s):
            found = powerset(scope, s)
            return bind_pattern(scope, name, found, name.type, frozenset({name.name}), keep)
        case OneOf(name, options):
            sets = [option_set(scope, option, name) for option in options]
            found = apply(O.UNION, *sets, span=name.span)
            return bind_pattern(scope, name, found, name.type, frozenset({name.name}), keep)
        case Range(name=name):
            return bind_pattern(scope, name, interval(scope, source), name.type, frozenset({name.name}), keep)
        case Anything(name):
            return bind_anything(scope, name, keep)
    raise AssertionError(source)


def bind_member(
    scope: Scope, pattern: Formula, s: Formula, unknown: frozenset[str], keep: bool
) -> tuple[Parameter, Scope, list[Expr]]:
    atoms = given_atoms(scope, s)
    if isinstance(pattern, Name) and atoms is not None:
        name = pattern.name if keep else scope.new_name(pattern.name)
        return Parameter(name, Atoms(atoms)), scope.having({pattern.name: Bound(name, pattern.span)}), []
    bounds = wide_interval(scope, s)
    if isinstance(pattern, Name) and bounds is not None:
        name = pattern.name if keep else scope.new_name(pattern.name)
        return Parameter(name, bounds), scope.having({pattern.name: Bound(name, pattern.span)}), []
    return bind_related(scope, pattern, set_value(scope, s), element_type(s), unknown, keep)


def bind_related(
    scope: Scope, pattern: Formula, found: Expr, of: BType, unknown: frozenset[str], keep: bool
) -> tuple[Parameter, Scope, list[Expr]]:
    """A pair with a known side needs only the other side of the relation: its image under what is known."""
    match pattern:
        case Binary(op="|->", left=known, right=rest) if not unknown & free_names(known):
            relation, side = found, 1
        case Binary(op="|->", left=rest, right=known) if not unknown & free_names(known):
            relation, side = apply(O.INVERSE, found, span=pattern.span), 0
        case _:
            return bind_pattern(scope, pattern, found, of, unknown, keep)
    x = scope.lower(known)
    if may_fail(x):
        return bind_pattern(scope, pattern, found, of, unknown, keep)
    assert isinstance(of, PairType)
    image = apply(O.IMAGE, relation, apply(O.SET, x, span=known.span), span=pattern.span)
    return bind_related(scope, rest, image, (of.left, of.right)[side], unknown, keep)


def wide_interval(scope: Scope, s: Formula) -> Interval | None:
    """An interval that is the same in every state and too long to be written down."""
    match s:
        case Binary(op="..", left=left, right=right):
            low, high = fixed_value(scope, left), fixed_value(scope, right)
            if isinstance(low, int) and isinstance(high, int) and high - low >= LONG:
                return Interval(low, high)
    return None


def set_value(scope: Scope, s: Formula) -> Expr:
    """A set to be gone through; an infinite one is cut, which the reference notes."""
    if not has_many_subsets(scope, s) and listed_set(scope, s) is None and is_fixed(scope, s):
        try:
            found = bounded(scope.reference.elements(s, scope.fixed, cut=True), s.span)
            return literal(scope, found, s.type, s.span)
        except IllDefined:
            return scope.lower(s)
        except Unbounded as problem:
            raise UserError(s.span, problem.message) from None
    return scope.lower(s)


def given_atoms(scope: Scope, s: Formula) -> tuple[int, ...] | None:
    match s:
        case Name(name=name, type=SetOfType(element=Given(name=given))) if name == given and name not in scope.names:
            return scope.universe.atoms[name]
    return None


def powerset(scope: Scope, s: Formula) -> Expr:
    made = Unary(s.span, "POW", s, type=SetOfType(s.type))
    return scope.lower(made)


def option_set(scope: Scope, option: Step, name: Name) -> Expr:
    parameter, inner, tests = bind_source(scope, option)
    body = inner.names[name.name]
    if isinstance(parameter.domain, Elements) and isinstance(body, Bound) and not tests:
        return parameter.domain.set
    return Quantify(Q.COLLECT, parameter, body, conjunction(tests), name.span)


def interval(scope: Scope, source: Range) -> Expr:
    """Where a bound is missing as far as MININT or MAXINT, but at least the other bound."""
    span = source.name.span
    low, high = [bound(scope, b) for b in source.low], [bound(scope, b) for b in source.high]
    if not low or not high:
        message = f"{source.name.name} has no bound on one side: MININT..MAXINT is used"
        scope.reference.note_cut(span, f"{message}; --maxint and --minint widen this")
    least = extreme(O.MAXIMUM, low, span) if low else None
    most = extreme(O.MINIMUM, high, span) if high else None
    if least is None:
        lowest = number(scope.universe.min_int)
        least = lowest if most is None else extreme(O.MINIMUM, [lowest, most], span)
    if most is None:
        most = (
            extreme(O.MAXIMUM, [number(scope.universe.max_int), least], span) if low else number(scope.universe.max_int)
        )
    return apply(O.INTERVAL, least, most, span=span)


def extreme(operator: Operator, values: list[Expr], span: Span) -> Expr:
    return values[0] if len(values) == 1 else apply(operator, apply(O.SET, *values, span=span), span=span)


def bound(scope: Scope, b: Formula) -> Expr:
    if isinstance(b, Builtin) and b.name in ("NATURAL", "NATURAL1"):
        return number(int(b.name == "NATURAL1"))
    return scope.lower(b)


def bind_anything(scope: Scope, name: Name, keep: bool) -> tuple[Parameter, Scope, list[Expr]]:
    new = name.name if keep else scope.new_name(name.name)
    if isinstance(name.type, Given):
        domain: out.Domain = Atoms(scope.universe.atoms[name.type.name])
    elif name.type == BOOL:
        domain = Elements(literal(scope, frozenset((0, 1)), SetOfType(BOOL), name.span), TRUTH)
    else:
        values = literal(scope, all_of_type(scope, name.type, name.span), SetOfType(name.type), name.span)
        domain = Elements(values, system_type(scope.universe, name.type))
    return Parameter(new, domain), scope.having({name.name: Bound(new, name.span)}), []


def bind_pattern(
    scope: Scope, pattern: Formula, found: Expr, of: BType, unknown: frozenset[str], keep: bool
) -> tuple[Parameter, Scope, list[Expr]]:
    """A parameter for the elements of a set; names of the pattern are its parts, known parts are compared."""
    plain = pattern.name if isinstance(pattern, Name) else ""
    new = plain if keep and plain else scope.new_name(plain or "p")
    names: dict[str, Expr] = {}
    tests: list[Expr] = []
    match_pattern(scope, pattern, Bound(new, pattern.span), unknown, names, tests)
    domain = Elements(found, system_type(scope.universe, of))
    return Parameter(new, domain), scope.having(names), tests


def match_pattern(
    scope: Scope, pattern: Formula, value: Expr, unknown: frozenset[str], names: dict[str, Expr], tests: list[Expr]
) -> None:
    match pattern:
        case Name(name=name) if name in unknown and name not in names:
            names[name] = value
        case Binary(op="|->", left=left, right=right) if unknown & free_names(pattern):
            match_pattern(scope, left, part(value, 0), unknown, names, tests)
            match_pattern(scope, right, part(value, 1), unknown, names, tests)
        case _:
            tests.append(apply(O.EQUAL, value, scope.having(names).lower(pattern), span=pattern.span))


def tuple_of(scope: Scope, names: tuple[Name, ...], span: Span) -> Expr:
    value = scope.names[names[0].name]
    for name in names[1:]:
        value = apply(O.TUPLE, value, scope.names[name.name], span=span)
    return value
