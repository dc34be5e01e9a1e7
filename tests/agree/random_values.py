"""Random values of a type."""

from __future__ import annotations

from random import Random

from quorbit.model.system.types import NONE, AtomOf, Number, QueueOf, SetOf, TupleOf, Type, Value


def random_value(type: Type, random: Random, busy: float) -> Value:
    """``busy``: how likely it is another one than the first or none."""
    match type:
        case Number(low, high):
            return random.randint(low or 0, high or 0) if random.random() < busy else low or 0
        case AtomOf(atoms, optional):
            return NONE if optional and random.random() > busy else random.choice(atoms)
        case TupleOf(parts):
            return tuple(random_value(part, random, busy) for part in parts)
        case SetOf(element):
            return frozenset(random_value(element, random, busy) for _ in range(random.randrange(3)))
        case QueueOf(message, capacity):
            return tuple(random_value(message, random, busy) for _ in range(random.randint(0, capacity or 0)))
    raise AssertionError(type)
