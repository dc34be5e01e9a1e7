"""Values while a program is written: constants, registers, and what is made of them.

Tuples are taken apart at once, sets are words of bits, queues a length and words of slots: after this nothing but
registers is left.  Every scalar carries its bounds, so that most checks are decided while the program is written.
"""

from __future__ import annotations

from quorbit.machine.compile.shapes import GREATEST, LEAST, Bits, Ids, Ints, Record, Shape, Slots, Void
from quorbit.model.system.types import Type
from quorbit.source.frozen import frozen

__all__ = [
    "Content",
    "Held",
    "Known",
    "Line",
    "Mask",
    "Never",
    "Parts",
    "Scalar",
    "Shared",
    "flatten",
    "shape_of_content",
]


@frozen
class Known:
    value: int

    @property
    def low(self) -> int:
        return self.value

    @property
    def high(self) -> int:
        return self.value


@frozen
class Held:
    """The content of a register, known to be in low..high."""

    register: int
    low: int = LEAST
    high: int = GREATEST

    def __post_init__(self) -> None:
        if self.high < self.low:  # code that is never reached; no bounds are better than contradictory ones
            object.__setattr__(self, "high", self.low)


Scalar = Known | Held


@frozen
class Parts:
    """A tuple."""

    parts: tuple[Content, ...]


@frozen
class Mask:
    """A set: bit i of word j stands for value number 64 j + i of the element's shape."""

    words: tuple[Scalar, ...]
    element: Shape | None


@frozen
class Line:
    """A queue: its length and the words of its slots; unused slots are zero."""

    length: Scalar
    words: tuple[Scalar, ...]
    message: Shape | None
    capacity: int


@frozen
class Shared:
    """An interned value by its number; ``type`` is what is known of it (shapes.py)."""

    number: Scalar
    type: Type


@frozen
class Never:
    """What is computed after a certain fault: code that is never reached."""


Content = Known | Held | Parts | Mask | Line | Shared | Never


def shape_of_content(content: Content) -> Shape:
    match content:
        case Known() | Held():
            return Ints(content.low, content.high)
        case Parts(parts):
            return Record(tuple(map(shape_of_content, parts)))
        case Mask(_, element):
            return Bits(element)
        case Line(_, _, message, capacity):
            return Slots(message, capacity)
        case Shared(_, type):
            return Ids(type)
        case Never():
            return Void()


def flatten(content: Content) -> list[Scalar]:
    """The leaves, in the order of ``shapes.leaves``."""
    match content:
        case Known() | Held():
            return [content]
        case Parts(parts):
            return [leaf for part in parts for leaf in flatten(part)]
        case Mask(words):
            return list(words)
        case Line(length, words):
            return [length, *words]
        case Shared(number):
            return [number]
        case Never():
            return []
