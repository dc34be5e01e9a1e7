"""Shapes: how the values of a type look once they are nothing but bits.

Every scalar (number, truth value, atom, string) is an integer between two bounds; a tuple is a record of shapes; a set
is one bit for each value of its element's shape; a queue is a length and equal slots, packed into words, unused slots
zero.  What is too large for that is interned: its leaf is its number in a table (table.py).  Two values of one shape
are equal exactly if their leaves are.  A leaf is a run of at most 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type, Value
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import frozen

__all__ = [
    "GREATEST",
    "LEAST",
    "WORD",
    "Bits",
    "Ids",
    "Ints",
    "Leaf",
    "Record",
    "Shape",
    "Slots",
    "Unshaped",
    "count",
    "has_ids",
    "join",
    "join_all",
    "leaves",
    "set_shape",
    "shape_of_type",
    "shape_of_value",
    "slots_per_word",
    "type_of_shape",
    "width",
]

WORD = 64
LEAST, GREATEST = -(2**63), 2**63 - 1  # what a register holds
LARGEST_SET = 4096  # bits
LARGEST_RESULT = 256  # bits of a set that a function gives


@frozen
class Ints:
    """The integers low..high."""

    low: int
    high: int


@frozen
class Record:
    parts: tuple[Shape, ...]


@frozen
class Bits:
    """Sets of values of a shape; element None is the shape of the empty set alone."""

    element: Shape | None


@frozen
class Slots:
    """Queues of at most ``capacity`` messages; message None is the shape of the empty queue alone."""

    message: Shape | None
    capacity: int


@frozen
class Ids:
    """Values of a type by their numbers in the table; what is known of the type's numbers may be less than it says."""

    type: Type


@frozen
class Void:
    """The shape of no value: what code that is never reached computes."""


Shape = Ints | Record | Bits | Slots | Ids | Void
ID_BITS: int = 32


@frozen
class Leaf:
    """A run of bits that holds value - low."""

    width: int
    low: int = 0


class Unshaped(Exception):
    """A type whose values have no bounded shape; the message says why."""


def shape_of(type: Type, texts: int) -> Shape:
    """The shape of a type's values; strings are numbered 0..texts-1."""
    match type:
        case Number(low, high):
            return bounded(LEAST if low is None else low, GREATEST if high is None else high)
        case Truth():
            return Ints(0, 1)
        case AtomOf(atoms, optional):
            listed = (*atoms, -1) if optional or not atoms else atoms
            return Ints(min(listed), max(listed))
        case Text():
            return Ints(0, max(0, texts - 1))
        case TupleOf(parts):
            return Record(tuple(shape_of(part, texts) for part in parts))
        case SetOf(element):
            return set_shape(shape_of(element, texts))
        case QueueOf(message, capacity):
            return queue_shape(shape_of(message, texts), capacity)
        case _:
            assert_never(type)


def bounded(low: int, high: int) -> Ints:
    if low < LEAST or high > GREATEST:
        raise Unshaped("its numbers need more than 64 bits")
    return Ints(low, high)


def set_shape(element: Shape) -> Bits:
    if count(element) > LARGEST_SET:
        raise Unshaped(f"a set over more than {LARGEST_SET} values is too large to lay out in bits")
    return Bits(element)


def queue_shape(message: Shape, capacity: int | None) -> Slots:
    if capacity is None:
        raise Unshaped("a queue without a capacity cannot be laid out")
    if width(message) > WORD:
        raise Unshaped("a message of more than 64 bits cannot be laid out")
    if capacity > 4096:
        raise Unshaped("a queue of more than 4096 messages cannot be laid out")
    return Slots(message, capacity)


@cache
def count(shape: Shape | None) -> int:
    """How many values a shape has (for a queue: more than can be numbered)."""
    match shape:
        case None:
            return 0
        case Ints(low, high):
            return high - low + 1
        case Record(parts):
            total = 1
            for part in parts:
                total *= count(part)
            return total
        case Bits(element):
            n = count(element)
            return 1 << min(n, WORD)
        case Slots() | Ids():
            return 1 << WORD
        case Void():
            return 0


@cache
def leaves(shape: Shape) -> tuple[Leaf, ...]:
    match shape:
        case Ints(low, high):
            return (Leaf((high - low).bit_length(), low),)
        case Record(parts):
            return tuple(leaf for part in parts for leaf in leaves(part))
        case Bits(element):
            return tuple(Leaf(min(WORD, count(element) - at)) for at in range(0, count(element), WORD))
        case Slots(message, capacity):
            return (Leaf(capacity.bit_length()), *slot_words(message, capacity))
        case Ids():
            return (Leaf(ID_BITS),)
        case Void():
            return ()


@cache
def width(shape: Shape) -> int:
    return sum(leaf.width for leaf in leaves(shape))


def slots_per_word(message: Shape | None) -> int:
    return WORD if message is None or width(message) == 0 else WORD // width(message)


def slot_words(message: Shape | None, capacity: int) -> Iterator[Leaf]:
    w = 0 if message is None else width(message)
    per_word = slots_per_word(message)
    for at in range(0, capacity if w else 0, per_word):
        yield Leaf(w * min(per_word, capacity - at))


# Values to leaves and back; strings by their numbers.


def join(a: Shape, b: Shape) -> Shape:
    """The least shape that holds the values of both."""
    match a, b:
        case Ints(l1, h1), Ints(l2, h2):
            return Ints(min(l1, l2), max(h1, h2))
        case Record(p), Record(q) if len(p) == len(q):
            return Record(tuple(map(join, p, q)))
        case Bits(x), Bits(y):
            return join_sets(a, b, join_optional(x, y))
        case Slots(x, m), Slots(y, n):
            message = join_optional(x, y)
            return Slots(None, 0) if message is None else queue_shape(message, max(m, n))
        case (Void(), other) | (other, Void()):
            return other
        case (Ids(), _) | (_, Ids()):
            return Ids(join_types(type_of_shape(a), type_of_shape(b)))
        case (Record(()), Slots()) | (Slots(), Record(())):  # the empty tuple is the empty queue
            return b if isinstance(b, Slots) else a
        case _:
            raise Unshaped("values of different kinds meet")


def join_sets(a: Shape, b: Shape, element: Shape | None) -> Shape:
    if element is None:
        return Bits(None)
    if count(element) > LARGEST_SET:
        return Ids(join_types(type_of_shape(a), type_of_shape(b)))
    return Bits(element)


def join_optional(a: Shape | None, b: Shape | None) -> Shape | None:
    return b if a is None else a if b is None else join(a, b)


def shape_of_value(value: Value, texts: Mapping[str, int], queue: bool = False) -> Shape:
    """The least shape that holds a constant."""
    match value:
        case str():
            return Ints(texts[value], texts[value])
        case int():
            return bounded(value, value)
        case tuple() if queue:
            shapes = [shape_of_value(v, texts) for v in value]
            return queue_shape(join_all(shapes), len(value)) if shapes else Slots(None, 0)
        case tuple():
            return Record(tuple(shape_of_value(v, texts) for v in value))
        case frozenset():
            shapes = [shape_of_value(v, texts) for v in value]
            return set_shape(join_all(shapes)) if shapes else Bits(None)


def join_all(shapes: list[Shape]) -> Shape:
    joined = shapes[0]
    for shape in shapes[1:]:
        joined = join(joined, shape)
    return joined


def has_ids(shape: Shape) -> bool:
    """Whether some part of the values is interned."""
    return isinstance(shape, Ids) or (isinstance(shape, Record) and any(map(has_ids, shape.parts)))


# Types as they are known of shapes: all scalars are numbers.

NOTHING = Number(1, 0)  # the type of no value: of the elements of the empty set


def type_of_shape(shape: Shape | None) -> Type:
    match shape:
        case Ints(low, high):
            return Number(None if low == LEAST else low, None if high == GREATEST else high)
        case Record(parts):
            return TupleOf(tuple(map(type_of_shape, parts)))
        case Bits(element):
            return SetOf(type_of_shape(element))
        case Slots(message, capacity):
            return QueueOf(type_of_shape(message), capacity)
        case Ids(type):
            return type
        case _:
            return NOTHING


def join_types(a: Type, b: Type) -> Type:
    """A type that has the values of both.  Requires types of shapes."""
    match a, b:
        case (Number(1, 0), other) | (other, Number(1, 0)):
            return other
        case Number(l1, h1), Number(l2, h2):
            low, high = (
                None if l1 is None or l2 is None else min(l1, l2),
                None if h1 is None or h2 is None else max(h1, h2),
            )
            return Number(low, high)
        case TupleOf(p), TupleOf(q) if len(p) == len(q):
            return TupleOf(tuple(map(join_types, p, q)))
        case SetOf(x), SetOf(y):
            return SetOf(join_types(x, y))
        case QueueOf(x, m), QueueOf(y, n):
            return QueueOf(join_types(x, y), None if m is None or n is None else max(m, n))
        case (TupleOf(parts), QueueOf(x, n)) | (QueueOf(x, n), TupleOf(parts)):  # a tuple may be meant as a queue
            for part in parts:
                x = join_types(x, part)
            return QueueOf(x, None if n is None else max(n, len(parts)))
        case _:
            raise Unshaped("values of different kinds meet")


def shape_of_type(type: Type) -> Shape:
    """The shape of values of a type of shapes; interned where there is no other."""
    match type:
        case Number(1, 0):
            return Void()
        case SetOf(Number(1, 0)):
            return Bits(None)
        case TupleOf(parts):
            return Record(tuple(map(shape_of_type, parts)))
        case SetOf(element):
            shape = shape_of_type(element)
            return Bits(shape) if count(shape) <= LARGEST_RESULT else Ids(type)
        case QueueOf():
            return Ids(type)
        case _:
            return shape_of(type, 1)
