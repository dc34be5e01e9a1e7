"""Where an expression has no value, as conditions: mostly an index that is outside of its array.

Such conditions say more than that evaluating the expression fails: which values of which places they ask for.
"""

from __future__ import annotations

from quorbit.model.dependence.addresses import STRICT, address_of, misses
from quorbit.model.dependence.faults import Faults
from quorbit.model.dependence.split import Splitter
from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Read, negation

__all__ = ["failing_where"]

O = Operator


def failing_where(splitter: Splitter, faults: Faults, e: Expr) -> tuple[Expr, ...] | None:
    """Conditions that hold together just where e, which may fail, has no value; None if they are not seen."""
    match e:
        case Read():
            return missing_place(splitter, faults, e)
        case Apply(operator, operands) if operator in STRICT | {O.AND, O.OR}:
            dangerous = [k for k, part in enumerate(operands) if faults.may_fail(part)]
            if len(dangerous) != 1:
                return None
            found = failing_where(splitter, faults, operands[dangerous[0]])
            return None if found is None else (*looked_at_after(operator, operands[: dangerous[0]]), *found)
        case _:
            return None


def missing_place(splitter: Splitter, faults: Faults, e: Read) -> tuple[Expr, ...] | None:
    """Where one part of an address is outside; the others are known."""
    unknown = [k for k, part in enumerate(address_of(e)) if not isinstance(part, Literal)]
    if len(unknown) != 1 or not all(is_valid(splitter, e, k) for k in range(len(address_of(e))) if k != unknown[0]):
        return None
    part = address_of(e)[unknown[0]]
    if not splitter.is_open(part) or faults.may_fail(part):
        return None
    return (misses(splitter.address(part, [(e, unknown[0])])),)


def is_valid(splitter: Splitter, e: Read, k: int) -> bool:
    part = address_of(e)[k]
    return isinstance(part, Literal) and part.value in splitter.valid(e, k)[0]


def looked_at_after(operator: Operator, operands: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """What holds where the operand after these is looked at."""
    match operator:
        case O.AND:
            return operands
        case O.OR:
            return tuple(map(negation, operands))
        case _:
            return ()
