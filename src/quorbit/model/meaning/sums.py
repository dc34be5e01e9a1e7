"""Sums as a loop writes them that adds up in a variable: cut to some bits again and again, begun with some number.

A cut to n bits keeps sums: a term that is cut to at least n bits inside of a sum that is cut to n bits may stay uncut.
So ``cut(cut(a + b) + c)`` is ``cut(a + b + c)``, whose order cannot be seen.  A choice of two numbers is the lesser one
and what is added to it under the condition: whoever counts himself first and then one of the others has
``c ? 2 : 1``, and whoever counts himself last ``cut((c ? 1 : 0) + 1)``.
"""

from __future__ import annotations

from quorbit.model.system.expression import Apply, Condition, Expr, Literal, Operator, Wrap, number
from quorbit.model.system.types import Number

__all__ = ["as_sum"]


def as_sum(e: Condition | Wrap) -> Expr:
    """The same value as a sum of one number and terms that can be as little as 0; e itself if it is none.  What is not
    changed by its cut stays uncut."""
    if isinstance(e, Condition):
        low = least(e)
        return e if not low else Apply(Operator.ADD, (number(low), above(e, low)), e.span)
    terms = terms_of(e.operand, e.bits)
    constant = sum(least(term) for term in terms)
    others = [above(term, least(term)) for term in terms if not isinstance(term, Literal) or not is_number(term)]
    operands = (number(constant), *others) if constant or not others else tuple(others)
    total = operands[0] if len(operands) == 1 else Apply(Operator.ADD, operands, e.span)
    return total if fits(constant, others, e) else Wrap(total, e.bits, e.signed, e.span)


def terms_of(e: Expr, bits: int) -> list[Expr]:
    """What e adds up in a number that is cut to so many bits."""
    match e:
        case Wrap(operand, inner) if inner >= bits:
            return terms_of(operand, bits)
        case Apply(Operator.ADD, operands):
            return [term for operand in operands for term in terms_of(operand, bits)]
        case _:
            return [e]


def least(term: Expr) -> int:
    """A number, or the lesser of two that are chosen from; 0 for everything else."""
    match term:
        case Literal(int(value)) if is_number(term):
            return value
        case Condition(_, Literal(int(then)) as x, Literal(int(other)) as y) if is_number(x) and is_number(y):
            return min(then, other)
        case _:
            return 0


def above(term: Expr, low: int) -> Expr:
    """What a choice of two numbers adds to the lesser one."""
    match term:
        case Condition(test, Literal(int(then)), Literal(int(other)), span) if low:
            return Condition(test, number(then - low), number(other - low), span)
        case _:
            return term


def fits(constant: int, others: list[Expr], cut: Wrap) -> bool:
    """Whether a number plus choices of numbers is what it is without the cut."""
    greatest = constant
    for term in others:
        match term:
            case Condition(_, Literal(int(then)) as x, Literal(int(other)) as y) if is_number(x) and is_number(y):
                greatest += max(then, other)
            case _:
                return False
    half = 1 << (cut.bits - 1)
    return -half <= constant and greatest < half if cut.signed else constant >= 0 and greatest < 2 * half


def is_number(e: Literal) -> bool:
    return isinstance(e.type, Number) and not e.type.names
