"""Which atoms the messages in queues can hold, part by part, as far as a glance at the commands tells: so it is known
which channels a process may be lent by messages, and what is never sent to which.

Numbers in messages are not followed: they may travel far, and it would take time for nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set

from quorbit.model.system.expression import Apply, Condition, Expr, Literal, Operator, Read
from quorbit.model.system.system import Address, State, System
from quorbit.model.system.types import AtomOf, QueueOf, TupleOf, Type, Value
from quorbit.model.system.walk import walk

__all__ = ["Messages"]

Values = Set[Value] | None  # None: anything
NOTHING: frozenset[Value] = frozenset()
MOST_HELD = 300  # values of one part


class Messages:
    """For each queue of tuples and each part of its messages that is an atom the values that this may have."""

    def __init__(self, system: System, addresses: Callable[[Read], list[Address]]) -> None:
        """``addresses``: the places that an expression may name."""
        found = {v.name: atom_parts(v.type) for v in system.variables}
        self.parts = {name: parts for name, parts in found.items() if parts}
        self.system = system
        self.addresses = addresses
        self.held: dict[tuple[Address, int], set[Value] | None] = {}

    def start(self, s: State) -> None:
        """What the messages of an initial state hold."""
        for place, value in zip(self.system.places, s, strict=True):
            if place.variable in self.parts:
                self.add(place.address, lambda k, messages=value: {m[k] for m in messages})  # type: ignore[misc]

    def add(self, address: Address, held: Callable[[int], Values]) -> bool:
        """Note what is written to a queue, by part; whether that is new."""
        new = False
        for k in self.parts[address[0]]:
            known = self.held.setdefault((address, k), set())
            if known is None:
                continue
            values = held(k)
            if values is None or len(known | values) > MOST_HELD:
                self.held[address, k] = None
                new = True
            elif not values <= known:
                known |= values
                new = True
        return new

    def of(self, queue: Expr, k: int, abstract: Callable[[Expr], Values]) -> Values:
        """What part k of a message may be that is in this queue; ``abstract``: the values of an expression."""
        match queue:
            case Literal(tuple(messages)):
                return {m[k] for m in messages}  # type: ignore[index]
            case Read(variable) if k in self.parts.get(variable, ()):
                return union([self.held.get((address, k), NOTHING) for address in self.addresses(queue)])
            case Apply(Operator.APPEND, (inner, Apply(Operator.TUPLE, parts))):
                return union([self.of(inner, k, abstract), abstract(parts[k])])
            case Apply(Operator.APPEND, (inner, Literal(tuple(message)))):
                return union([self.of(inner, k, abstract), {message[k]}])
            case Apply(Operator.REST, (inner,)):
                return self.of(inner, k, abstract)
            case Condition(_, then, other):
                return union([self.of(then, k, abstract), self.of(other, k, abstract)])
            case _:
                return None

    def queues_in(self, e: Expr) -> Iterator[Address]:
        """The queues on whose messages it may depend what an expression is."""
        for part in walk(e):
            if isinstance(part, Read) and part.variable in self.parts:
                yield from self.addresses(part)


def atom_parts(type: Type) -> tuple[int, ...]:
    """The numbers of the parts of a queue's messages that are atoms."""
    message = type.message if isinstance(type, QueueOf) else None
    parts = message.parts if isinstance(message, TupleOf) else ()
    return tuple(k for k, part in enumerate(parts) if isinstance(part, AtomOf))


def union(found: list[Values]) -> Values:
    known = [values for values in found if values is not None]
    return NOTHING.union(*known) if len(known) == len(found) else None
