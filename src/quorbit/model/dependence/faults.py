"""Which expressions may have no value, given the values that places may have (finer than model/meaning/partial.py)."""

from __future__ import annotations

from quorbit.model.dependence.abstract import Known, values_of
from quorbit.model.dependence.access import NO_DOMAINS, Domains, Reader
from quorbit.model.meaning.operators import PARTIAL
from quorbit.model.meaning.partial import NOTHING, Facts, index_inside, learned, owner_inside
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Compute,
    Condition,
    Expr,
    Literal,
    NumberOf,
    Operator,
    Quantify,
    Read,
    Use,
)
from quorbit.model.system.walk import parts

O = Operator


class Faults:
    """Whether expressions may fault; ``known``: the values that places may have."""

    def __init__(self, reader: Reader, known: Known) -> None:
        self.reader, self.known, self.system = reader, known, reader.system

    def may_fail(self, e: Expr, domains: Domains = NO_DOMAINS, facts: Facts = NOTHING) -> bool:
        match e:
            case Apply(O.FIRST | O.REST, (queue,)) if queue in facts:
                return self.may_fail(queue, domains, facts)
            case Apply(O.DIVIDE | O.MODULO, (a, b)) if self.never_zero(b):
                return self.may_fail(a, domains, facts) or self.may_fail(b, domains, facts)
            case Apply(operator) if operator in PARTIAL:
                return True
            case Apply(O.AND, operands):
                for operand in operands:
                    if self.may_fail(operand, domains, facts):
                        return True
                    facts |= learned(operand)
                return False
            case Condition(test, then, other):
                inside = self.may_fail(then, domains, facts | learned(test))
                return self.may_fail(test, domains, facts) or inside or self.may_fail(other, domains, facts)
            case NumberOf(inner, numbering) if not owner_inside(self.system, inner, numbering, domains):
                return True
            case AtomAt() | Use() | Compute():
                return True
            case Read() if not self.stays_inside(e, domains):
                return True
            case Quantify(parameter=parameter):
                domains = {**domains, parameter.name: parameter.domain}
        return any(self.may_fail(part, domains, facts) for part in parts(e))

    def never_zero(self, e: Expr) -> bool:
        values = values_of(self.reader, e, self.known)
        return values is not None and 0 not in values

    def stays_inside(self, e: Read, domains: Domains) -> bool:
        variable = self.system.variable[e.variable]
        owned = all(
            owner_inside(self.system, owner, atoms, domains) or self.is_one_of(owner, frozenset(atoms))
            for owner, atoms in zip(e.owners, variable.owners, strict=True)
        )
        return owned and all(
            index_inside(self.system, index, n, domains) or self.is_one_of(index, frozenset(range(n)))
            for index, n in zip(e.indices, variable.shape, strict=True)
        )

    def is_one_of(self, e: Expr, allowed: frozenset[int]) -> bool:
        if isinstance(e, Literal):
            return e.value in allowed
        values = values_of(self.reader, e, self.known)
        return values is not None and values <= allowed
