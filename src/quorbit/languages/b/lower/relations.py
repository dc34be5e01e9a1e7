"""Operators on relations and sequences that the System has no word for, said with the words it has.

A sequence is a function on 1..n; operands are the lowered operands, ``f`` the formula they come from.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.b.lower.scope import Scope, Unlowered, all_of_type, fault, literal, system_type
from quorbit.languages.b.syntax.formulas import Binary, Formula, SequenceOf, Unary
from quorbit.languages.b.types.types import PairType, SetOfType
from quorbit.languages.b.types.types import Type as BType
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Condition,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    conjunction,
    number,
)
from quorbit.source.span import Span

O = Operator
Operands = tuple[Expr, ...]
Lower = Callable[[Scope, Operands, Formula], Expr]


def made(operator: Operator, *operands: Expr, span: Span) -> Expr:
    return Apply(operator, operands, span)


def pair_type(r: Formula) -> PairType:
    assert isinstance(r.type, SetOfType)
    assert isinstance(r.type.element, PairType)
    return r.type.element


def for_each(
    scope: Scope,
    r: Expr,
    of: BType,
    body: Callable[[Expr], Expr],
    span: Span,
    condition: Callable[[Expr], Expr] | None = None,
    kind: Quantifier = Quantifier.COLLECT,
) -> Expr:
    """The bodies for all elements of r, which are of type ``of``."""
    name = scope.new_name("q")
    p = Bound(name, span)
    domain = Elements(r, system_type(scope.universe, of))
    return Quantify(kind, Parameter(name, domain), body(p), condition(p) if condition else TRUE, span)


def pair(a: Expr, b: Expr, span: Span) -> Expr:
    return Apply(O.TUPLE, (a, b), span)


# Relations.


def without_domain(scope: Scope, operands: Operands, f: Formula) -> Expr:
    s, r = operands
    kept = made(O.DIFFERENCE, made(O.DOMAIN, r, span=f.span), s, span=f.span)
    return made(O.DOMAIN_RESTRICT, kept, r, span=f.span)


def without_range(scope: Scope, operands: Operands, f: Formula) -> Expr:
    r, s = operands
    kept = made(O.DIFFERENCE, made(O.RANGE, r, span=f.span), s, span=f.span)
    return made(O.RANGE_RESTRICT, r, kept, span=f.span)


def identity(scope: Scope, operands: Operands, f: Formula) -> Expr:
    assert isinstance(f, Unary)
    assert isinstance(f.argument.type, SetOfType)
    return for_each(scope, operands[0], f.argument.type.element, lambda x: pair(x, x, f.span), f.span)


def lower_closure(scope: Scope, r: Expr, f: Unary) -> Expr:
    """The reflexive closure has the identity of the whole type."""
    of = pair_type(f.argument).left
    whole = frozenset((x, x) for x in all_of_type(scope, of, f.span))
    return made(O.UNION, made(O.CLOSURE, r, span=f.span), literal(scope, whole, f.type, f.span), span=f.span)


def direct_product(scope: Scope, operands: Operands, f: Formula) -> Expr:
    """{x |-> (y |-> z) | x |-> y : r and x |-> z : s}"""
    assert isinstance(f, Binary)
    r, s = operands

    def inner(p: Expr) -> Expr:
        return for_each(
            scope,
            s,
            pair_type(f.right),
            lambda q: pair(Part(p, 0), pair(Part(p, 1), Part(q, 1), f.span), f.span),
            f.span,
            lambda q: made(O.EQUAL, Part(p, 0), Part(q, 0), span=f.span),
        )

    return made(O.BIG_UNION, for_each(scope, r, pair_type(f.left), inner, f.span), span=f.span)


def parallel_product(scope: Scope, operands: Operands, f: Formula) -> Expr:
    assert isinstance(f, Binary)
    r, s = operands

    def inner(p: Expr) -> Expr:
        return for_each(
            scope,
            s,
            pair_type(f.right),
            lambda q: pair(pair(Part(p, 0), Part(q, 0), f.span), pair(Part(p, 1), Part(q, 1), f.span), f.span),
            f.span,
        )

    return made(O.BIG_UNION, for_each(scope, r, pair_type(f.left), inner, f.span), span=f.span)


def iterated(scope: Scope, operands: Operands, f: Formula) -> Expr:
    r, n = operands
    assert isinstance(f, Binary)
    if not isinstance(n, Literal) or not isinstance(n.value, int):
        raise Unlowered(f.right.span, "iterate needs a number that is the same in every state")
    if n.value < 0:
        return fault(f.span)
    if n.value == 0:
        whole = frozenset((x, x) for x in all_of_type(scope, pair_type(f.left).left, f.span))
        return literal(scope, whole, f.type, f.span)
    found = r
    for _ in range(n.value - 1):
        found = made(O.COMPOSE, found, r, span=f.span)
    return found


def projection(k: int) -> Lower:
    def lower(scope: Scope, operands: Operands, f: Formula) -> Expr:
        whole = made(O.PRODUCT, *operands, span=f.span)
        return for_each(scope, whole, pair_type(f).left, lambda p: pair(p, Part(p, k), f.span), f.span)

    return lower


def to_sets(scope: Scope, operands: Operands, f: Formula) -> Expr:
    """fnc(r): every x of the domain with the set of its images."""
    assert isinstance(f, Unary)
    r = operands[0]
    domain = made(O.DOMAIN, r, span=f.span)

    def with_image(x: Expr) -> Expr:
        return pair(x, made(O.IMAGE, r, made(O.SET, x, span=f.span), span=f.span), f.span)

    return for_each(scope, domain, pair_type(f.argument).left, with_image, f.span)


def from_sets(scope: Scope, operands: Operands, f: Formula) -> Expr:
    """rel(f): x with every element of its image."""
    assert isinstance(f, Unary)
    of = pair_type(f.argument)
    assert isinstance(of.right, SetOfType)
    element = of.right.element

    def inner(p: Expr) -> Expr:
        return for_each(scope, Part(p, 1), element, lambda y: pair(Part(p, 0), y, f.span), f.span)

    return made(O.BIG_UNION, for_each(scope, operands[0], of, inner, f.span), span=f.span)


def remainder(scope: Scope, operands: Operands, f: Formula) -> Expr:
    """B's mod is defined for a natural number by a positive one."""
    a, b = operands
    tests = []
    if not (isinstance(a, Literal) and isinstance(a.value, int) and a.value >= 0):
        tests.append(made(O.LESS_EQUAL, number(0), a, span=f.span))
    if not (isinstance(b, Literal) and isinstance(b.value, int) and b.value > 0):
        tests.append(made(O.LESS, number(0), b, span=f.span))
    found = made(O.MODULO, a, b, span=f.span)
    return Condition(conjunction(tests, f.span), found, fault(f.span), f.span) if tests else found


RELATIONS: dict[str, Lower] = {
    "<<|": without_domain,
    "|>>": without_range,
    "id": identity,
    "><": direct_product,
    "||": parallel_product,
    "iterate": iterated,
    "prj1": projection(0),
    "prj2": projection(1),
    "fnc": to_sets,
    "rel": from_sets,
    "mod": remainder,
}


# Sequences.

SEQUENCE_OPERANDS = {
    **dict.fromkeys(("size", "first", "last", "front", "tail", "rev", "conc", "<-", "/|\\", "\\|/"), (0,)),
    "->": (1,),
    "^": (0, 1),
}  # which operands must be sequences


def demand_sequences(operands: Operands, f: Unary | Binary) -> Operands:
    """Operands that must be sequences and are not so by their form are compared with 1..n."""
    formulas = (f.argument,) if isinstance(f, Unary) else (f.left, f.right)
    checked = list(operands)
    for k in SEQUENCE_OPERANDS.get(f.op, ()):
        if not is_sequence_by_form(formulas[k]):
            s, span = operands[k], formulas[k].span
            indices = made(O.INTERVAL, number(1), size(s, span), span=span)
            checked[k] = demand(made(O.EQUAL, made(O.DOMAIN, s, span=span), indices, span=span), s, span)
    return tuple(checked)


def is_sequence_by_form(f: Formula) -> bool:
    return isinstance(f, SequenceOf) or getattr(f, "op", "") in SEQUENCE_RESULTS


SEQUENCE_RESULTS = frozenset(["front", "tail", "rev", "^", "->", "<-", "/|\\", "\\|/", "conc"])


def size(s: Expr, span: Span) -> Expr:
    return made(O.SIZE, s, span=span)


def moved(scope: Scope, s: Expr, of: PairType, by: Expr, span: Span) -> Expr:
    """The sequence with its indices moved up."""
    return for_each(scope, s, of, lambda p: pair(made(O.ADD, Part(p, 0), by, span=span), Part(p, 1), span), span)


def single(x: Expr, at: Expr, span: Span) -> Expr:
    return made(O.SET, pair(at, x, span), span=span)


def demand(condition: Expr, value: Expr, span: Span) -> Expr:
    return Condition(condition, value, fault(span), span)


def first(scope: Scope, operands: Operands, f: Formula) -> Expr:
    return made(O.APPLY, operands[0], number(1), span=f.span)


def last(scope: Scope, operands: Operands, f: Formula) -> Expr:
    return made(O.APPLY, operands[0], size(operands[0], f.span), span=f.span)


def front(scope: Scope, operands: Operands, f: Formula) -> Expr:
    s, span = operands[0], f.span
    shorter = made(O.INTERVAL, number(1), made(O.SUBTRACT, size(s, span), number(1), span=span), span=span)
    return demand(is_some(s, span), made(O.DOMAIN_RESTRICT, shorter, s, span=span), span)


def is_some(s: Expr, span: Span) -> Expr:
    return made(O.LESS, number(0), size(s, span), span=span)


def tail(scope: Scope, operands: Operands, f: Formula) -> Expr:
    return demand(is_some(operands[0], f.span), dropped(scope, operands[0], number(1), f), f.span)


def dropped(scope: Scope, s: Expr, n: Expr, f: Formula) -> Expr:
    span = f.span
    return for_each(
        scope,
        s,
        pair_type(f),
        lambda p: pair(made(O.SUBTRACT, Part(p, 0), n, span=span), Part(p, 1), span),
        span,
        lambda p: made(O.LESS, n, Part(p, 0), span=span),
    )


def reversed_sequence(scope: Scope, operands: Operands, f: Formula) -> Expr:
    s, span = operands[0], f.span
    after = made(O.ADD, size(s, span), number(1), span=span)
    return for_each(
        scope, s, pair_type(f), lambda p: pair(made(O.SUBTRACT, after, Part(p, 0), span=span), Part(p, 1), span), span
    )


def joined(scope: Scope, operands: Operands, f: Formula) -> Expr:
    s, t = operands
    return made(O.UNION, s, moved(scope, t, pair_type(f), size(s, f.span), f.span), span=f.span)


def put_first(scope: Scope, operands: Operands, f: Formula) -> Expr:
    x, s = operands
    return made(O.UNION, single(x, number(1), f.span), moved(scope, s, pair_type(f), number(1), f.span), span=f.span)


def put_last(scope: Scope, operands: Operands, f: Formula) -> Expr:
    s, x = operands
    at = made(O.ADD, size(s, f.span), number(1), span=f.span)
    return made(O.UNION, s, single(x, at, f.span), span=f.span)


def fits(s: Expr, n: Expr, span: Span) -> Expr:
    inside = [made(O.LESS_EQUAL, number(0), n, span=span), made(O.LESS_EQUAL, n, size(s, span), span=span)]
    return conjunction(inside, span)


def take(scope: Scope, operands: Operands, f: Formula) -> Expr:
    s, n = operands
    kept = made(O.DOMAIN_RESTRICT, made(O.INTERVAL, number(1), n, span=f.span), s, span=f.span)
    return demand(fits(s, n, f.span), kept, f.span)


def drop(scope: Scope, operands: Operands, f: Formula) -> Expr:
    s, n = operands
    return demand(fits(s, n, f.span), dropped(scope, s, n, f), f.span)


def all_joined(scope: Scope, operands: Operands, f: Formula) -> Expr:
    """conc(s): the k-th part starts after the sizes of those before it."""
    assert isinstance(f, Unary)
    s, span, of = operands[0], f.span, pair_type(f.argument)

    def inner(p: Expr) -> Expr:
        before = for_each(
            scope,
            s,
            of,
            lambda q: size(Part(q, 1), span),
            span,
            lambda q: made(O.LESS, Part(q, 0), Part(p, 0), span=span),
            Quantifier.SUM,
        )
        return moved(scope, Part(p, 1), pair_type(f), before, span)

    return made(O.BIG_UNION, for_each(scope, s, of, inner, span), span=span)


SEQUENCES: dict[str, Lower] = {
    "first": first,
    "last": last,
    "front": front,
    "tail": tail,
    "rev": reversed_sequence,
    "^": joined,
    "->": put_first,
    "<-": put_last,
    "/|\\": take,
    "\\|/": drop,
    "conc": all_joined,
}
