"""What counts as a deadlock, where the user has a word in it (``--deadlock``)."""

from __future__ import annotations

from quorbit.model.system.system import NoDeadlock, Property, System
from quorbit.source.frozen import replace

__all__ = ["with_deadlock"]


def with_deadlock(system: System, meaning: str) -> System:
    """The System with deadlock meaning: no move at all ("stuck"), no move to another state ("stuttering"), nothing
    ("off"), or what its language says ("model")."""
    if meaning == "model":
        return system
    own = [p for p in system.properties if isinstance(p, NoDeadlock)]
    others: list[Property] = [p for p in system.properties if not isinstance(p, NoDeadlock)]
    if meaning == "off":
        return replace(system, properties=tuple(others))
    asked = [replace(p, stuttering=meaning == "stuttering") for p in own or [NoDeadlock()]]
    return replace(system, properties=(*others, *asked))
