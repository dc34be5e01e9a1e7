"""Places that expressions name by an address that is written down."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.model.system.expression import Apply, Condition, Expr, Literal, Operator, Read, Wrap
from quorbit.model.system.system import Address
from quorbit.model.system.types import Value

__all__ = ["literal_values", "static_address"]


def static_address(e: Read) -> Address | None:
    """The address of the place, if it is written down."""
    owners, indices = literal_values(e.owners), literal_values(e.indices)
    return None if owners is None or indices is None else (e.variable, owners, indices)  # type: ignore[return-value]


def literal_values(parts: tuple[Expr, ...]) -> tuple[Value, ...] | None:
    found = []
    for part in parts:
        if not isinstance(part, Literal):
            return None
        found.append(part.value)
    return tuple(found)


def addresses_of(e: Expr) -> Iterator[Address]:
    """The places on whose values it depends what an expression is taken to be."""
    match e:
        case Read():
            if (address := static_address(e)) is not None:
                yield address
        case Condition(_, then, other):
            yield from addresses_of(then)
            yield from addresses_of(other)
        case Wrap(operand):
            yield from addresses_of(operand)
        case Apply(Operator.MODULO, (operand, _)):
            yield from summed_addresses(operand)


def summed_addresses(e: Expr) -> Iterator[Address]:
    """The same for something of which a remainder is taken, which is looked at through sums and differences."""
    match e:
        case Apply(Operator.ADD | Operator.SUBTRACT, operands):
            for operand in operands:
                yield from summed_addresses(operand)
        case _:
            yield from addresses_of(e)
