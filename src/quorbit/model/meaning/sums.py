"""Sums that are cut to some bits again and again, as a loop writes them that adds up in a variable.

A cut to n bits keeps sums: a term that is cut to at least n bits inside of a sum that is cut to n bits may stay uncut.
So ``cut(cut(a + b) + c)`` is ``cut(a + b + c)``, whose order cannot be seen.
"""

from __future__ import annotations

from quorbit.model.system.expression import Apply, Expr, Operator, Wrap

__all__ = ["uncut"]


def uncut(e: Expr, bits: int) -> Expr:
    """What may stand for e in a number that is cut to so many bits: its sums without inner cuts."""
    match e:
        case Wrap(operand, inner) if inner >= bits:
            return uncut(operand, bits)
        case Apply(Operator.ADD, operands):
            terms = tuple(uncut(operand, bits) for operand in operands)
            same = all(a is b for a, b in zip(terms, operands, strict=True))
            return e if same else Apply(Operator.ADD, terms, e.span)
        case _:
            return e
