"""Queues as a length and words of equal slots: every queue operation as operations on words.

Slot k is in word k / per_word, from the low bits on; unused slots are zero.  A message is packed with its first part in
the highest bits, so that packed messages compare as tuples of numbers do.
"""

from __future__ import annotations

from quorbit.machine.compile.emit import Emitter
from quorbit.machine.compile.encoding import decode
from quorbit.machine.compile.instructions import Label, Op, signed
from quorbit.machine.compile.masks import bounded_word, recode
from quorbit.machine.compile.shapes import (
    GREATEST,
    ID_BITS,
    LEAST,
    NOTHING,
    WORD,
    Bits,
    Ids,
    Ints,
    Record,
    Shape,
    Slots,
    Unshaped,
    Void,
    join_optional,
    leaves,
    queue_shape,
    slot_words,
    slots_per_word,
    type_of_shape,
    width,
)
from quorbit.machine.compile.values import (
    Content,
    Held,
    Known,
    Line,
    Mask,
    Never,
    Parts,
    Scalar,
    Shared,
    flatten,
    shape_of_content,
)
from quorbit.machine.memo import Function, Special, can_fault
from quorbit.model.system.expression import Bound, Expr

__all__ = [
    "MOST_VALUES",
    "append",
    "assemble",
    "call",
    "coerce",
    "element",
    "insert_sorted",
    "queue_of",
    "rest",
    "room_after",
    "share",
    "without",
]

MASK = 2**WORD - 1
MOST_VALUES: int = 2**ID_BITS - 1


def pack(e: Emitter, content: Content, shape: Shape) -> Scalar:
    """A value of a shape in one word.  Requires: it is one of the shape's values."""
    word: Scalar = Known(0)
    for leaf, a in zip(leaves(shape), flatten(content), strict=True):
        word = e.bit_or(e.shift_left(word, Known(leaf.width)), e.wrapping_add(a, -leaf.low))
    return bounded_word(word, width(shape))


def unpack(e: Emitter, word: Scalar, shape: Shape) -> Content:
    codes: list[Scalar] = []
    at = 0
    for leaf in reversed(leaves(shape)):
        code = e.bit_and(e.shift_right(word, Known(at)), Known(signed((1 << leaf.width) - 1)))
        codes.append(e.wrapping_add(code, leaf.low))
        at += leaf.width
    return assemble(shape, codes[::-1])


def assemble(shape: Shape, found: list[Scalar]) -> Content:
    """The value with these leaves; scalars get the shape's bounds."""
    return Assembly(found).read(shape)


class Assembly:
    """Takes leaves from a list, one after the other."""

    def __init__(self, found: list[Scalar]) -> None:
        self.found = found
        self.at = 0

    def take(self) -> Scalar:
        self.at += 1
        return self.found[self.at - 1]

    def read(self, shape: Shape) -> Content:
        match shape:
            case Ints(low, high):
                a = self.take()
                return a if isinstance(a, Known) else Held(a.register, low, high)
            case Record(parts):
                return Parts(tuple(self.read(part) for part in parts))
            case Bits(element):
                return Mask(tuple(self.take() for _ in leaves(shape)), element)
            case Slots(message, capacity):
                length = self.take()
                if isinstance(length, Held):
                    length = Held(length.register, 0, capacity)
                return Line(length, tuple(self.take() for _ in slot_words(message, capacity)), message, capacity)
            case Ids(type):
                number = self.take()
                return Shared(number if isinstance(number, Known) else Held(number.register, 0, MOST_VALUES), type)
            case Void():
                return Never()


def coerce(e: Emitter, content: Content, shape: Shape) -> Content:
    """The same value in another shape; a fault where it is none of that shape's values."""
    match content, shape:
        case (Known() | Held()) as a, Ints(low, high):
            return e.require_within(a, low, high)
        case Parts(contents), Record(parts) if len(contents) == len(parts):
            return Parts(tuple(coerce(e, c, part) for c, part in zip(contents, parts, strict=True)))
        case Mask() as m, Bits(element):
            return recode(e, m, element, checked=True)
        case Line() as q, Slots(message, capacity):
            return fit(e, q, message, capacity)
        case Parts(()), Slots(message, capacity):
            return fit(e, Line(Known(0), (), None, 0), message, capacity)
        case Never(), _:
            return assemble(shape, [Known(leaf.low) for leaf in leaves(shape)])
        case Shared(), Ids():
            return content
        case _, Ids():
            return share(e, content)
        case Shared(), _:
            return narrow(e, content, shape)
        case _:
            raise Unshaped("values of different kinds meet")


# Interned values.


def call(e: Emitter, body: Expr | Special, contents: list[Content], result: Shape, narrows: bool = False) -> Content:
    """A function of values, evaluated once for all operands (memo.py)."""
    parameters = tuple(general(shape_of_content(c)) for c in contents)
    number = e.memo.declare(Function(parameters, body, result, narrows))
    found = e.call(number, [a for c in contents for a in flatten(c)], len(leaves(result)), narrows or can_fault(body))
    return assemble(result, found)


def general(shape: Shape) -> Shape:
    """One shape for all that are read alike, so that they share functions."""
    match shape:
        case Ints():
            return Ints(LEAST, GREATEST)
        case Record(parts):
            return Record(tuple(map(general, parts)))
        case Ids():
            return Ids(NOTHING)
        case _:
            return shape


def share(e: Emitter, content: Content) -> Shared:
    """The value by its number."""
    if isinstance(content, Shared):
        return content
    shape = shape_of_content(content)
    known = [a.value for a in flatten(content) if isinstance(a, Known)]
    if len(known) == len(leaves(shape)):
        codes = [(n - leaf.low) & MASK for n, leaf in zip(known, leaves(shape), strict=True)]
        return Shared(Known(e.memo.table.number_of(decode(shape, codes, e.memo.table))), type_of_shape(shape))
    found = call(e, Bound("0"), [content], Ids(type_of_shape(shape)))
    assert isinstance(found, Shared)
    return found


def narrow(e: Emitter, content: Shared, shape: Shape) -> Content:
    """An interned value in a shape of bits; a fault where that has no room for it."""
    return call(e, Bound("0"), [content], shape, narrows=True)


def fit(e: Emitter, q: Line, message: Shape | None, capacity: int) -> Line:
    """The same queue with another capacity and message shape; a fault if it does not fit."""
    e.require(Op.LE, q.length, Known(capacity))
    length = q.length if isinstance(q.length, Known) else Held(q.length.register, 0, min(q.length.high, capacity))
    n = sum(1 for _ in slot_words(message, capacity))
    if q.message is None or message is None:
        return Line(length, (Known(0),) * n, message, capacity)
    if q.message != message:
        q = recode_slots(e, q, message)
    words = list(q.words[:n]) + [Known(0)] * (n - len(q.words))
    return Line(length, tuple(words), message, capacity)


def recode_slots(e: Emitter, q: Line, message: Shape) -> Line:
    """Every message in another shape; unused slots stay zero."""
    assert q.message is not None
    w, per_word = width(message), slots_per_word(message)
    words: list[Scalar] = [Known(0)] * sum(1 for _ in slot_words(message, q.capacity))
    for k in range(q.capacity):
        code = recode_slot(e, q, k, message)
        if w:
            words[k // per_word] = e.bit_or(words[k // per_word], e.shift_left(code, Known(w * (k % per_word))))
    return Line(q.length, tuple(words), message, q.capacity)


def recode_slot(e: Emitter, q: Line, k: int, message: Shape) -> Scalar:
    """Slot k in another shape, zero if it is unused."""
    assert q.message is not None
    r, past = e.fresh(), Label()
    e.assign(r, Known(0))
    e.jump_if(Op.LE, q.length, Known(k), past)
    e.assign(r, pack(e, coerce(e, unpack(e, slot(e, q, Known(k)), q.message), message), message))
    e.place(past)
    return bounded_word(Held(r), width(message))


def slot(e: Emitter, q: Line, k: Scalar) -> Scalar:
    """The packed message in slot k.  Requires: k is the number of a slot."""
    assert q.message is not None
    w, per_word = width(q.message), slots_per_word(q.message)
    if not w:
        return Known(0)
    mask = Known(signed((1 << w) - 1))
    if isinstance(k, Known):
        return e.bit_and(e.shift_right(q.words[k.value // per_word], Known(w * (k.value % per_word))), mask)
    word: Scalar = q.words[0]
    at: Scalar = k
    for j in range(1, len(q.words)):
        here = e.compare(Op.LE, Known(j * per_word), k)
        word = e.select(here, q.words[j], word)
        at = e.select(here, e.subtract(k, Known(j * per_word)), at)
    return e.bit_and(e.shift_right(word, e.multiply(non_negative(at), Known(w))), mask)


def non_negative(a: Scalar) -> Scalar:
    return a if isinstance(a, Known) else Held(a.register, max(0, a.low), max(0, a.high))


def queue_of(e: Emitter, contents: list[Content]) -> Line:
    """The queue of these messages."""
    q = Line(Known(0), (), None, 0)
    for content in contents:
        q = append(e, q, content, room_after(q, content))
    return q


def room_after(q: Line, content: Content) -> Slots:
    """The shape of a queue with one message more."""
    message = join_optional(q.message, shape_of_content(content))
    assert message is not None
    return queue_shape(message, q.capacity + 1)


def append(e: Emitter, q: Line, content: Content, room: Slots) -> Line:
    """The queue with one message more; a fault if it does not fit into ``room``."""
    capacity, message = room.capacity, room.message
    assert message is not None
    e.require(Op.LE, q.length, Known(capacity - 1))
    q = fit(e, q, message, capacity)
    code = pack(e, coerce(e, content, message), message)
    length = clamp_length(q.length, capacity - 1)
    return Line(e.add(length, Known(1)), put_slot(e, q, length, code), message, capacity)


def clamp_length(length: Scalar, high: int) -> Scalar:
    if isinstance(length, Known):
        return length if length.value <= high else Known(high)
    return Held(length.register, max(0, length.low), max(0, min(length.high, high)))


def put_slot(e: Emitter, q: Line, k: Scalar, code: Scalar) -> tuple[Scalar, ...]:
    """The words with a message added in slot k, which is zero."""
    assert q.message is not None
    w, per_word = width(q.message), slots_per_word(q.message)
    words = list(q.words)
    if not w:
        return q.words
    if isinstance(k, Known):
        at = k.value // per_word
        words[at] = e.bit_or(words[at], e.shift_left(code, Known(w * (k.value % per_word))))
        return tuple(words)
    for j, word in enumerate(words):
        at_here = e.subtract(k, Known(j * per_word))
        moved = e.shift_left(code, e.multiply(non_negative(at_here), Known(w)))
        if len(words) > 1:
            inside = e.bit_and(e.compare(Op.LE, Known(0), at_here), e.compare(Op.LT, at_here, Known(per_word)))
            moved = e.select(inside, moved, Known(0))
        words[j] = e.bit_or(word, moved)
    return tuple(words)


def rest(e: Emitter, q: Line) -> Line:
    """The queue without its first message; a fault if it is empty."""
    e.require(Op.LT, Known(0), q.length)
    if q.message is None:
        return q
    w, per_word = width(q.message), slots_per_word(q.message)
    words = []
    for j, word in enumerate(q.words):
        moved = e.shift_right(word, Known(w))
        if j + 1 < len(q.words):
            first = e.bit_and(q.words[j + 1], Known(signed((1 << w) - 1)))
            moved = e.bit_or(moved, e.shift_left(first, Known(w * (per_word - 1))))
        words.append(moved)
    return Line(e.subtract(at_least_one(q.length), Known(1)), tuple(words), q.message, q.capacity)


def at_least_one(length: Scalar) -> Scalar:
    if isinstance(length, Known):
        return Known(max(1, length.value))
    return Held(length.register, max(1, length.low), max(1, length.high))


def element(e: Emitter, q: Line, k: Scalar) -> Content:
    """Message number k; a fault if there is none."""
    e.require(Op.LE, Known(0), k)
    e.require(Op.LT, k, q.length)
    if q.message is None or q.capacity == 0:
        e.jump(e.fault)
        return Never()
    within = Known(min(k.value, q.capacity - 1)) if isinstance(k, Known) else Held(k.register, 0, q.capacity - 1)
    return unpack(e, slot(e, q, within), q.message)


def without(e: Emitter, q: Line, k: Scalar) -> Line:
    """The queue without message number k; a fault if there is none."""
    e.require(Op.LE, Known(0), k)
    e.require(Op.LT, k, q.length)
    if q.message is None or q.capacity == 0:
        return q
    codes = [slot(e, q, Known(i)) for i in range(q.capacity)]
    kept = [
        e.select(e.compare(Op.LT, Known(i), k), code, codes[i + 1] if i + 1 < len(codes) else Known(0))
        for i, code in enumerate(codes)
    ]
    return Line(e.subtract(at_least_one(q.length), Known(1)), join_slots(e, kept, q.message), q.message, q.capacity)


def join_slots(e: Emitter, codes: list[Scalar], message: Shape) -> tuple[Scalar, ...]:
    w, per_word = width(message), slots_per_word(message)
    words: list[Scalar] = [Known(0)] * sum(1 for _ in slot_words(message, len(codes)))
    for k, code in enumerate(codes if w else ()):
        words[k // per_word] = e.bit_or(words[k // per_word], e.shift_left(code, Known(w * (k % per_word))))
    return tuple(words)


def insert_sorted(e: Emitter, q: Line, content: Content, room: Slots) -> Line:
    """The message put before the first greater one; a fault if the queue then does not fit into ``room``."""
    capacity, message = room.capacity, room.message
    assert message is not None
    if has_sets(message):
        raise Unshaped("sorted sends of sets have no order")
    if width(message) == WORD:
        raise Unshaped("sorted sends of messages of 64 bits are not supported")
    e.require(Op.LE, q.length, Known(capacity - 1))
    q = fit(e, q, message, capacity)
    code = pack(e, coerce(e, content, message), message)
    codes = [slot(e, q, Known(i)) for i in range(capacity)]
    behind: Scalar = Known(0)  # whether the new message stands before slot i
    placed: list[Scalar] = []
    for i, old in enumerate(codes):
        unused, greater = e.compare(Op.LE, q.length, Known(i)), e.compare(Op.LT, code, old)
        here = e.bit_or(unused, greater)
        first = e.bit_minus(here, behind)
        before = codes[i - 1] if i else Known(0)
        placed.append(e.select(behind, before, e.select(first, code, old)))
        behind = e.bit_or(behind, here)
    length = clamp_length(q.length, capacity - 1)
    return Line(e.add(length, Known(1)), join_slots(e, placed, message), message, capacity)


def has_sets(shape: Shape) -> bool:
    match shape:
        case Record(parts):
            return any(map(has_sets, parts))
        case Ints():
            return False
        case Void():
            return False
        case _:
            return True
