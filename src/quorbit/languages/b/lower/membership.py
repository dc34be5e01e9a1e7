"""Whether a value belongs to a set, without building the set; and small pieces that all of lowering uses."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.b.lower.scope import Scope, Unlowered, endless, literal, system_type
from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import SET_MAKERS
from quorbit.languages.b.syntax.formulas import (
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Formula,
    Name,
    Record,
    SetOf,
    Unary,
)
from quorbit.languages.b.types.types import Free, Given, PairType, SetOfType
from quorbit.languages.b.types.types import Type as BType
from quorbit.model.meaning.operators import PARTIAL
from quorbit.model.system import expression as out
from quorbit.model.system.expression import (
    TRUE,
    Bound,
    Condition,
    Elements,
    Expr,
    Operator,
    Parameter,
    Part,
    Quantify,
    conjunction,
    disjunction,
    negation,
    number,
)
from quorbit.model.system.walk import walk
from quorbit.source.span import Span

__all__ = ["apply"]

O = Operator
Q = out.Quantifier
LONG = 1000  # numbers that are rather compared with their bounds than listed


def member(scope: Scope, x: Expr, of: BType, s: Formula) -> Expr:
    """Whether x belongs to the set; a set that is the whole type says nothing."""
    if is_whole_type(scope, s):
        return TRUE
    match s:
        case Builtin(name="NATURAL" | "NATURAL1" as name):
            return apply(O.LESS_EQUAL, number(int(name == "NATURAL1")), x, span=s.span)
        case Builtin(name="NAT" | "NAT1" | "INT" as name):
            least = {"NAT": 0, "NAT1": 1, "INT": scope.universe.min_int}[name]
            return between(x, number(least), number(scope.universe.max_int), s.span)
        case Binary(op="..", left=left, right=right):
            return between(x, scope.lower(left), scope.lower(right), s.span)
        case Unary(op="POW" | "FIN" | "POW1" | "FIN1" as op, argument=argument):
            inside = subset_of(scope, x, argument)
            return inside if op in ("POW", "FIN") else conjunction([inside, is_not_empty(scope, x, of, s.span)], s.span)
        case Unary(op="tree" | "btree"):
            raise Unlowered(s.span, "this depends on the state")
        case Unary(op=op, argument=argument) if op in SET_MAKERS:
            return is_sequence(scope, x, op, of, argument, s.span)
        case Binary(op=op) if op in ARROW:
            return is_relation(scope, x, s)
        case Binary(op="×", left=left, right=right):
            pairs = [member(scope, part(x, k), side.type, side) for k, side in enumerate((left, right))]
            return conjunction(pairs, s.span)
        case Binary(op="\\/" | "/\\" as op, left=left, right=right):
            both = [member(scope, x, of, left), member(scope, x, of, right)]
            return (disjunction if op == "\\/" else conjunction)(both, s.span)
        case Binary(op="\\", left=left, right=right):
            return conjunction([member(scope, x, of, left), negation(member(scope, x, of, right), s.span)], s.span)
        case SetOf(items=items):
            return disjunction([apply(O.EQUAL, x, scope.lower(i), span=s.span) for i in items], s.span)
        case Record(op="struct", fields=fields):
            return conjunction([member(scope, part(x, k), v.type, v) for k, (_, v) in enumerate(fields)], s.span)
        case Comprehension(names=names, predicate=predicate):
            return scope.having(parts_of(names, x)).lower(predicate)
        case Unary(op="id", argument=argument) if isinstance(of, PairType):
            same = apply(O.EQUAL, part(x, 0), part(x, 1), span=s.span)
            return conjunction([same, member(scope, part(x, 0), of.left, argument)], s.span)
        case Binary(op="<|" | "<<|" as op, left=left, right=right) if isinstance(of, PairType):
            inside = member(scope, part(x, 0), of.left, left)
            return conjunction([inside if op == "<|" else negation(inside), member(scope, x, of, right)], s.span)
        case Binary(op="|>" | "|>>" as op, left=left, right=right) if isinstance(of, PairType):
            inside = member(scope, part(x, 1), of.right, right)
            return conjunction([inside if op == "|>" else negation(inside), member(scope, x, of, left)], s.span)
        case Binder(op="%", names=names, predicate=predicate, body=body):
            inner = scope.having(parts_of(names, part(x, 0)))
            return conjunction([inner.lower(predicate), apply(O.EQUAL, part(x, 1), inner.lower(body), span=s.span)])
        case Name() if (found := endless(scope, s)) is not None:
            return member(found[0], x, of, found[1])
    return apply(O.MEMBER, x, scope.lower(s), span=s.span)


def between(x: Expr, low: Expr, high: Expr, span: Span) -> Expr:
    return conjunction([apply(O.LESS_EQUAL, low, x, span=span), apply(O.LESS_EQUAL, x, high, span=span)], span)


def is_whole_type(scope: Scope, s: Formula) -> bool:
    """Whether a set has all values of its type, seen from its form."""
    match s:
        case Builtin(name="INTEGER" | "STRING" | "BOOL" | "REAL" | "FLOAT"):
            return True
        case Name(name=name, type=SetOfType(element=Given(name=given) | Free(name=given))):
            return name == given and name not in scope.names
        case Unary(op="POW" | "FIN", argument=argument):
            return is_whole_type(scope, argument)
        case Binary(op="×" | "<->", left=left, right=right):
            return is_whole_type(scope, left) and is_whole_type(scope, right)
        case Record(op="struct", fields=fields):
            return all(is_whole_type(scope, v) for _, v in fields)
    return False


def is_not_empty(scope: Scope, x: Expr, of: BType, span: Span) -> Expr:
    return negation(apply(O.EQUAL, x, literal(scope, frozenset(), of, span), span=span), span)


def subset(scope: Scope, left: Formula, right: Formula) -> Expr:
    x = scope.lower(left)
    return evaluated(x, subset_of(scope, x, right))


def subset_of(scope: Scope, x: Expr, s: Formula) -> Expr:
    """Whether all elements of x belong to s; s is built only if it is small."""
    if is_whole_type(scope, s):
        return TRUE
    if is_long(scope, s) or is_large_set(s) or isinstance(s, Comprehension):
        return every(scope, x, s, lambda e: member(scope, e, element_type(s), s))
    return apply(O.SUBSET, x, scope.lower(s), span=s.span)


def is_long(scope: Scope, s: Formula) -> bool:
    """A set that is infinite, or numbers up to a large MAXINT: to be tested, not to be listed."""
    if endless(scope, s) is not None:
        return True
    if not isinstance(s, Builtin):
        return False
    return s.name in ("NATURAL", "NATURAL1", "INTEGER", "STRING") or (
        s.name in ("NAT", "NAT1", "INT") and scope.universe.max_int - scope.universe.min_int > LONG
    )


def element_type(s: Formula) -> BType:
    assert isinstance(s.type, SetOfType)
    return s.type.element


def every(scope: Scope, x: Expr, s: Formula, condition: Callable[[Expr], Expr]) -> Expr:
    name = scope.new_name("e")
    body = condition(Bound(name, s.span))
    if body == TRUE:
        return TRUE
    domain = Elements(x, system_type(scope.universe, element_type(s)))
    return Quantify(Q.ALL, Parameter(name, domain), body, span=s.span)


def is_relation(scope: Scope, r: Expr, s: Binary) -> Expr:
    """r : A +-> B and its kin, without building the set of relations."""
    arrow, span = ARROW[s.op], s.span
    domain, image = apply(O.DOMAIN, r, span=span), apply(O.RANGE, r, span=span)
    tests: list[Expr] = []
    if arrow.function:
        tests.append(same_size(domain, r, span))
    if arrow.injective:
        tests.append(same_size(image, r, span))
    tests.append(
        apply(O.EQUAL, domain, scope.lower(s.left), span=span) if arrow.total else subset_of(scope, domain, s.left)
    )
    tests.append(
        apply(O.EQUAL, image, scope.lower(s.right), span=span) if arrow.surjective else subset_of(scope, image, s.right)
    )
    return conjunction(tests, span)


def same_size(a: Expr, b: Expr, span: Span) -> Expr:
    return apply(O.EQUAL, apply(O.SIZE, a, span=span), apply(O.SIZE, b, span=span), span=span)


def is_sequence(scope: Scope, x: Expr, op: str, of: BType, s: Formula, span: Span) -> Expr:
    """x : seq(S) and its kin: a function on 1..n."""
    domain, image, size = (apply(o, x, span=span) for o in (O.DOMAIN, O.RANGE, O.SIZE))
    tests = [
        apply(O.EQUAL, domain, apply(O.INTERVAL, number(1), size, span=span), span=span),
        same_size(domain, x, span),
    ]
    if op in ("iseq", "iseq1", "perm"):
        tests.append(same_size(image, x, span))
    if op in ("seq1", "iseq1"):
        tests.append(is_not_empty(scope, x, of, span))
    whole = apply(O.EQUAL, image, scope.lower(s), span=span) if op == "perm" else subset_of(scope, image, s)
    return conjunction([*tests, whole], span)


def is_large_set(f: Formula) -> bool:
    """Sets of sets, relations or tuples are listed only where a list is needed."""
    return (isinstance(f, Unary) and f.op in SET_MAKERS) or (isinstance(f, Binary) and f.op in (*ARROW, "×"))


def evaluated(x: Expr, test: Expr) -> Expr:
    """A test of x that is ill-defined where x is, also when the answer does not depend on x."""
    if not may_fail(x) or surely_evaluates(test, x):
        return test
    return conjunction([apply(O.EQUAL, x, x, span=x.span), test], test.span)


def surely_evaluates(test: Expr, x: Expr) -> bool:
    if test is x:
        return True
    match test:
        case out.Apply(operator=O.AND | O.OR, operands=operands):
            return surely_evaluates(operands[0], x)
        case out.Apply(operands=operands):
            return any(surely_evaluates(operand, x) for operand in operands)
        case Condition(test=condition):
            return surely_evaluates(condition, x)
        case Quantify(parameter=Parameter(domain=Elements(set=s))):
            return surely_evaluates(s, x)
        case Part(tuple=whole):
            return surely_evaluates(whole, x)
    return False


def may_fail(e: Expr) -> bool:
    """Whether evaluating the expression may have no result."""
    return any(
        isinstance(part, out.NumberOf | out.AtomAt | out.Compute)
        or (isinstance(part, out.Apply) and part.operator in PARTIAL)
        for part in walk(e)
    )


def parts_of(names: tuple[Name, ...], value: Expr) -> dict[str, Expr]:
    """The names of a tuple ((a, b), c) as parts of its value."""
    found: dict[str, Expr] = {}
    for name in reversed(names[1:]):
        value, found[name.name] = part(value, 0), part(value, 1)
    found[names[0].name] = value
    return found


def part(value: Expr, k: int) -> Expr:
    if isinstance(value, out.Apply) and value.operator is O.TUPLE:
        return value.operands[k]
    return Part(value, k, value.span)


def apply(operator: Operator, *operands: Expr, span: Span) -> Expr:
    return out.Apply(operator, operands, span)
