"""What values are called that became atoms: ``balancer@12`` for a location, the name of a message, else
``variable=12``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.model.specialise.identities.classes import ELEMENT
from quorbit.model.system.system import Variable
from quorbit.model.system.types import Number, QueueOf, SetOf, TupleOf, Type

__all__ = ["LOCATION", "names_of_values"]

LOCATION = "@"  # the last letter of a variable that holds a location in a program


def names_of_values(variable: Variable, path: str, values: Iterable[int], taken: set[str]) -> Iterator[str]:
    """A name for each value of a part of the variable; none of those that are taken already."""
    type = part_at(variable.type, [step for step in path.split(".") if step])
    for n in values:
        plain = enumerated(type, n)
        yield plain if plain is not None and plain not in taken else long_name(variable.name + path, n)


def enumerated(type: Type, n: int) -> str | None:
    if isinstance(type, Number) and type.low is not None and 0 <= n - type.low < len(type.names):
        return type.names[n - type.low] or None
    return None


def long_name(name: str, n: int) -> str:
    return f"{name}{n}" if name.endswith(LOCATION) else f"{name}={n}"


def part_at(type: Type, steps: list[str]) -> Type:
    for step in steps:
        match type:
            case QueueOf(inner) | SetOf(inner) if step == ELEMENT:
                type = inner
            case TupleOf(parts):
                type = parts[int(step)]
    return type
