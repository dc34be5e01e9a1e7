"""Parts of addresses that have to be found out (``a[i]``), and what follows where such a part names no place."""

from __future__ import annotations

from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Read, Use, conjunction, equal, negation
from quorbit.source.frozen import frozen

__all__ = ["STRICT", "Address", "address_of", "has_no_value", "misses"]

O = Operator
STRICT = frozenset(
    {O.NOT, O.EQUAL, O.LESS, O.LESS_EQUAL, O.ADD, O.SUBTRACT, O.MULTIPLY, O.NEGATE}
)  # look at all operands


@frozen
class Address:
    """A part of an address that is to be found out: the values it may have there, and whether it may have others."""

    expression: Expr
    literals: tuple[Literal, ...]
    others: bool


def address_of(e: Expr) -> tuple[Expr, ...]:
    """What names the place that is read, or the definition that is used."""
    match e:
        case Read(owners=owners, indices=indices):
            return (*owners, *indices)
        case Use(owners=owners):
            return owners
        case _:
            return ()


def misses(address: Address) -> Expr:
    """That the address names no place of those variables."""
    return conjunction([negation(equal(address.expression, literal)) for literal in address.literals])


def has_no_value(e: Expr, address: Address) -> bool:
    """Whether e certainly has no value where the address names no place: it is looked at, whatever else holds."""
    match e:
        case Read():
            parts = address_of(e)
            return address.expression in parts or any(has_no_value(part, address) for part in parts)
        case Apply(operator, operands) if operator in STRICT:
            return any(has_no_value(part, address) for part in operands)
        case Apply(O.AND, operands):
            return has_no_value(operands[0], address)
        case Apply(O.OR, operands):
            possible = [part for part in operands if not is_missed(part, address)]
            return bool(possible) and has_no_value(possible[0], address)
        case _:
            return False


def is_missed(e: Expr, address: Address) -> bool:
    """Whether e says that the address has one of its values."""
    return any(e == equal(address.expression, literal) for literal in address.literals)
