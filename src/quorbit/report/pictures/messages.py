"""Which messages a step of a run sends and receives, seen from how the channels change."""

from __future__ import annotations

from quorbit.model.meaning.show import show_value
from quorbit.model.system.system import Place, State, System
from quorbit.model.system.types import QueueOf, Value
from quorbit.source.frozen import frozen

__all__ = ["Event", "events_of", "queues_of"]


@frozen
class Event:
    """What happens to a channel (the number of its place) in one step.  ``kind``: "send" puts a message into it at a
    position, "receive" takes the one at a position out, "reset" leaves as many as ``at`` says, unknown which."""

    kind: str
    queue: int
    channel: str
    at: int
    text: str = ""


def queues_of(system: System, s: State) -> dict[int, int]:
    """How many messages each channel holds."""
    pairs = enumerate(zip(system.places, s, strict=True))
    return {i: len(value) for i, (place, value) in pairs if is_channel(system, place) and isinstance(value, tuple)}


def is_channel(system: System, place: Place) -> bool:
    """A queue of messages, not a value that is spelled."""
    return isinstance(place.type, QueueOf) and system.telling.spelled is None


def events_of(system: System, s: State, t: State) -> tuple[Event, ...]:
    """What happens to the channels between two states."""
    changed = (i for i, place in enumerate(system.places) if is_channel(system, place) and s[i] != t[i])
    return tuple(event(system, i, s[i], t[i]) for i in changed)


def event(system: System, i: int, before: Value, after: Value) -> Event:
    assert isinstance(before, tuple)
    assert isinstance(after, tuple)
    place = system.places[i]
    if len(after) == len(before) + 1 and (k := last_extra(after, before)) is not None:
        return Event("send", i, channel_name(system, place), k, message_text(system, place, after[k]))
    if len(before) == len(after) + 1 and (k := first_extra(before, after)) is not None:
        return Event("receive", i, channel_name(system, place), k, message_text(system, place, before[k]))
    return Event("reset", i, channel_name(system, place), len(after))


def last_extra(longer: tuple[Value, ...], shorter: tuple[Value, ...]) -> int | None:
    """Where the one message is that the longer queue has and the shorter one has not; of equal ones the last."""
    return max(extras(longer, shorter), default=None)


def first_extra(longer: tuple[Value, ...], shorter: tuple[Value, ...]) -> int | None:
    """Of equal messages the first: a message put into a queue stands behind its equals, the one taken before them."""
    return min(extras(longer, shorter), default=None)


def extras(longer: tuple[Value, ...], shorter: tuple[Value, ...]) -> list[int]:
    return [k for k in range(len(longer)) if longer[:k] == shorter[:k] and longer[k + 1 :] == shorter[k:]]


def channel_name(system: System, place: Place) -> str:
    return system.atom_name(place.owners[0]) if len(place.owners) == 1 else place.variable


def message_text(system: System, place: Place, message: Value) -> str:
    assert isinstance(place.type, QueueOf)
    return show_value(system, place.type.message, message).removeprefix("(").removesuffix(")")
