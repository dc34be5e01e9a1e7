"""Functions with a field at one of its values: what is left of an expression, with constants folded.

A word that is read from a memory is `address = 0 and word 0, or address = 1 and word 1, ...`, however the choice is
written: a function is taken apart by the values of the fields that it reads.

Short names: k the number of a source, v the number of one of its values.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from math import prod

from quorbit.detection.functions.canonical import all_of, any_of, opposite_of, parity_of
from quorbit.detection.functions.tables import FieldSource, Sources, bits_of
from quorbit.model.system.expression import FALSE, TRUE, Apply, Condition, Expr, Literal, Operator, Use
from quorbit.model.system.walk import map_parts

MOST_WAYS = 64  # values of all fields of a function together


class Cofactors:
    """Of the expressions over some sources; ``is_truth`` says which are 0 or 1 by how they are made."""

    def __init__(self, sources: Sources, is_truth: Callable[[Expr], bool]) -> None:
        self.sources, self.is_truth = sources, is_truth
        self.known: dict[tuple[int, int, int], tuple[Expr, Expr]] = {}

    def taken_apart(self, e: Expr) -> list[tuple[list[Expr], Expr]]:
        """For all combinations of the values of the fields that e reads: that they have these, and what is left of e.
        Nothing if it reads none, or if the combinations are too many."""
        listed = self.sources.listed
        fields = [k for k in bits_of(self.sources.of(e)) if isinstance(listed[k], FieldSource)]
        if not fields or prod(len(listed[k].values) for k in fields) > MOST_WAYS:
            return []
        found = []
        for values in product(*(range(len(listed[k].values)) for k in fields)):
            left = e
            for k, v in zip(fields, values, strict=True):
                left = self.of(left, k, v)
            found.append(([listed[k].tests[v] for k, v in zip(fields, values, strict=True)], left))
        return found

    def of(self, e: Expr, k: int, v: int) -> Expr:
        """e where source k has its value v."""
        if not self.sources.of(e) >> k & 1:
            return e
        known = self.known.get((id(e), k, v))
        if known is None:
            self.sources.spend(1)
            known = self.known[id(e), k, v] = (e, self.find(e, k, v))
        return known[1]

    def find(self, e: Expr, k: int, v: int) -> Expr:
        if (in_field := self.sources.in_field(e)) is not None:
            return TRUE if in_field[1] == v else FALSE
        match e:
            case Use():
                return self.of(self.sources.body(e), k, v)
            case Condition(test, then, other):
                decided = self.of(test, k, v)
                if isinstance(decided, Literal):
                    return self.of(then if decided.value else other, k, v)
                return Condition(decided, self.of(then, k, v), self.of(other, k, v))
            case Apply(Operator.NOT, (operand,)):
                left = self.of(operand, k, v)
                return opposite_of(left) if self.is_truth(left) else Apply(Operator.NOT, (left,))
            case Apply(Operator.BIT_AND | Operator.AND | Operator.BIT_OR | Operator.OR as operator, operands):
                left_of = [self.of(operand, k, v) for operand in operands]
                if all(map(self.is_truth, left_of)):
                    return all_of(left_of) if operator in (Operator.BIT_AND, Operator.AND) else any_of(left_of)
                return Apply(operator, tuple(left_of))
            case Apply(Operator.BIT_XOR, operands):
                return self.parity([self.of(operand, k, v) for operand in operands])
        return map_parts(e, lambda part: self.of(part, k, v))

    def parity(self, operands: list[Expr]) -> Expr:
        """Without its constants, if all operands are truth values."""
        if not all(map(self.is_truth, operands)):
            return Apply(Operator.BIT_XOR, tuple(operands))
        rest = [e for e in operands if not isinstance(e, Literal)]
        is_odd = sum(bool(e.value) for e in operands if isinstance(e, Literal)) % 2 == 1
        whole = FALSE if not rest else rest[0] if len(rest) == 1 else parity_of(rest)
        return opposite_of(whole) if is_odd else whole
