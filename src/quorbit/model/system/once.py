"""What is found for an object, once: a front end that writes a procedure out in many places uses the same steps for all
of them, and whoever goes through the steps keeps it so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

__all__ = ["Once"]

Thing = TypeVar("Thing")
Found = TypeVar("Found")


class Once(Generic[Thing, Found]):
    """Answers by the id of a thing, which is kept, so that its id stays its own."""

    def __init__(self, find: Callable[[Thing], Found]) -> None:
        self.find = find
        self.known: dict[int, tuple[Thing, Found]] = {}

    def __call__(self, thing: Thing) -> Found:
        known = self.known.get(id(thing))
        if known is None:
            known = self.known[id(thing)] = thing, self.find(thing)
        return known[1]
