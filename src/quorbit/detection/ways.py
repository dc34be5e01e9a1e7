"""Ways through a step that nobody can interrupt: what places hold at the end of each, and how two become one."""

from __future__ import annotations

from dataclasses import replace

from quorbit.model.specialise.simplify import simplify
from quorbit.model.system.expression import Apply, Condition, Expr, Operator, Wrap, conjunction, negation, number
from quorbit.model.system.system import Address
from quorbit.source.frozen import frozen

Env = dict[Address, Expr]  # what places hold on the way, in terms of the stored state


@frozen
class Way:
    """How far a chain has come: under which conditions, what places hold by then, and what had to hold on the way."""

    conditions: tuple[Expr, ...]
    env: Env
    required: tuple[tuple[str, Expr], ...] = ()


def is_split(a: Way, b: Way) -> bool:
    """Whether two ways differ in the last condition only, which holds in one of them."""
    return (
        len(a.conditions) == len(b.conditions) > 0
        and a.conditions[:-1] == b.conditions[:-1]
        and are_opposite(a.conditions[-1], b.conditions[-1])
    )


def chosen(test: Expr, x: Expr, y: Expr) -> Expr:
    """x if the test holds, else y; what both add up is taken out, so that sums over all processes are sums."""
    match test:
        case Apply(Operator.NOT, (inner,)):
            return chosen(inner, y, x)
    width = next((e for e in (x, y) if isinstance(e, Wrap)), None)
    if width is None:
        return Condition(test, x, y)
    left, right = terms_of(x, width), terms_of(y, width)
    common = [e for e in left if e in right]
    if not common:
        return Condition(test, x, y)
    for e in common:
        left.remove(e)
        right.remove(e)
    term = Condition(test, total(left), total(right))
    return replace(width, operand=Apply(Operator.ADD, (*common, term)))


def terms_of(e: Expr, width: Wrap) -> list[Expr]:
    """What e adds up, as far as numbers of this width are concerned."""
    match e:
        case Wrap(operand, bits, signed) if (bits, signed) == (width.bits, width.signed):
            return terms_of(operand, width)
        case Apply(Operator.ADD, operands):
            return [term for operand in operands for term in terms_of(operand, width)]
        case _:
            return [e]


def total(terms: list[Expr]) -> Expr:
    match terms:
        case []:
            return number(0)
        case [term]:
            return term
        case _:
            return simplify(Apply(Operator.ADD, tuple(terms)))


def without(guard: Expr, known: tuple[Expr, ...]) -> Expr:
    """The guard without what is known to hold."""
    held = {part for e in known for part in conjuncts(e)}
    return conjunction([e for e in conjuncts(guard) if e not in held])


def are_opposite(a: Expr, b: Expr) -> bool:
    return simplify(negation(a)) == b or simplify(negation(b)) == a


def conjuncts(guard: Expr) -> tuple[Expr, ...]:
    return guard.operands if isinstance(guard, Apply) and guard.operator is Operator.AND else (guard,)
