"""Sets as words of bits: every set operation as operations on words.

All loops here run while the program is written.

Short names: e emitter; u, v words of a set; n, m numbers of values.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from quorbit.machine.compile.emit import Emitter
from quorbit.machine.compile.encoding import value_at
from quorbit.machine.compile.instructions import Label, Op, signed
from quorbit.machine.compile.shapes import (
    GREATEST,
    LEAST,
    WORD,
    Bits,
    Ints,
    Record,
    Shape,
    Unshaped,
    Void,
    count,
    join,
    set_shape,
)
from quorbit.machine.compile.values import Content, Held, Known, Mask, Never, Parts, Scalar

__all__ = [
    "any_bit",
    "bounded_word",
    "clamp",
    "content_at",
    "empty",
    "highest",
    "index",
    "interval",
    "is_empty",
    "lowest",
    "single",
    "size",
    "test_bit",
    "the_only",
    "unify",
    "zip_words",
]

Words = tuple[Scalar, ...]
LARGEST_UNROLLED = 4096  # bit operations written out for one operator of the model


def words_of(mask: int, n: int) -> Words:
    """The words of a constant set of n bits."""
    return tuple(Known(signed(mask >> at & (2**WORD - 1))) for at in range(0, n, WORD))


def full(n: int) -> Words:
    return words_of((1 << n) - 1, n)


def empty(n: int) -> Words:
    return words_of(0, n)


def word_bounds(n: int, at: int = 0) -> tuple[int, int]:
    """The bounds of a word that holds bits at.. of n."""
    return (0, (1 << (n - at)) - 1) if n - at < WORD else (LEAST, GREATEST)


def zip_words(e: Emitter, f: str, u: Words, v: Words) -> Words:
    return tuple(getattr(e, f)(a, b) for a, b in zip(u, v, strict=True))


def any_bit(e: Emitter, u: Words) -> Scalar:
    """0 exactly if no bit is set."""
    if not u:
        return Known(0)
    found = u[0]
    for w in u[1:]:
        found = e.bit_or(found, w)
    return found


def is_empty(e: Emitter, u: Words) -> Scalar:
    return e.compare(Op.EQ, any_bit(e, u), Known(0))


def spread(e: Emitter, truth: Scalar, u: Words) -> Words:
    """u where truth is 1, nothing where it is 0."""
    if isinstance(truth, Known):
        return u if truth.value else tuple(Known(0) for _ in u)
    all_ones = e.immediate(Op.MULI, truth, -1, -1, 0)
    return tuple(e.bit_and(all_ones, w) for w in u)


def extract(e: Emitter, u: Words, at: int, n: int) -> Words:
    """Bits at..at+n-1."""
    found = []
    for k in range(at, at + n, WORD):
        width = min(WORD, at + n - k)
        low, shift = divmod(k, WORD)
        word = e.shift_right(u[low], Known(shift))
        if shift and shift + width > WORD:
            word = e.bit_or(word, e.shift_left(u[low + 1], Known(WORD - shift)))
        found.append(e.bit_and(word, Known(signed((1 << width) - 1))))
    return tuple(found)


def deposit(e: Emitter, into: list[Scalar], at: int, u: Words) -> None:
    """Add the bits u from bit ``at`` on.  Requires: they fit."""
    for k, word in enumerate(u):
        low, shift = divmod(at + k * WORD, WORD)
        if word == Known(0):
            continue
        into[low] = e.bit_or(into[low], e.shift_left(word, Known(shift)))
        if shift and low + 1 < len(into):
            into[low + 1] = e.bit_or(into[low + 1], e.shift_right(word, Known(WORD - shift)))


def move_bits(e: Emitter, u: Words, to: Sequence[int | None], n: int) -> Words:
    """Bit i goes to bit to[i] of n; bits that go nowhere are lost.  Bits that move equally far move together."""
    groups: dict[tuple[int, int, int], int] = {}
    for i, j in enumerate(to):
        if j is not None:
            key = (i // WORD, j // WORD, j % WORD - i % WORD)
            groups[key] = groups.get(key, 0) | 1 << (i % WORD)
    if len(groups) > LARGEST_UNROLLED:
        raise Unshaped("a relation is too large to be turned in bits")
    found = list(empty(n))
    for (source, target, distance), mask in groups.items():
        part = e.bit_and(u[source], Known(signed(mask)))
        moved = e.shift_left(part, Known(distance)) if distance >= 0 else e.shift_right(part, Known(-distance))
        found[target] = e.bit_or(found[target], moved)
    return tuple(found)


def recode(e: Emitter, m: Mask, element: Shape | None, checked: bool = False) -> Mask:
    """The same set over another element shape; elements it has not are a fault if checked, else lost."""
    if m.element == element:
        return m
    n = count(element)
    if m.element is None or element is None:
        if checked and m.element is not None:
            e.require(Op.EQ, any_bit(e, m.words), Known(0))
        return Mask(empty(n), element)
    to = positions(m.element, element)
    if checked and None in to:
        outside = words_of(sum(1 << i for i, j in enumerate(to) if j is None), len(to))
        e.require(Op.EQ, any_bit(e, zip_words(e, "bit_and", m.words, outside)), Known(0))
    return Mask(move_bits(e, m.words, to, n), element)


@cache
def positions(of: Shape, within: Shape) -> tuple[int | None, ...]:
    """The numbers in a shape of all values of another one."""
    return tuple([position(within, value_at(of, i)) for i in range(count(of))])


def position(shape: Shape, value: object) -> int | None:
    """The number of a value in a shape, if it is one of its values."""
    match shape, value:
        case Ints(low, high), int(n):
            return n - low if low <= n <= high else None
        case Record(parts), tuple(values):
            index = 0
            for part, v in zip(parts, values, strict=True):
                k = position(part, v)
                if k is None:
                    return None
                index = index * count(part) + k
            return index
        case Bits(element), frozenset() as s:
            places = [position(element, v) if element is not None else None for v in s]
            return None if None in places else sum(1 << k for k in places if k is not None)
        case _:
            raise Unshaped("a set of queues cannot be laid out")


def unify(e: Emitter, a: Mask, b: Mask) -> tuple[Mask, Mask]:
    shape = join(Bits(a.element), Bits(b.element))
    if not isinstance(shape, Bits):
        raise Unshaped("sets over too many values meet")
    return recode(e, a, shape.element), recode(e, b, shape.element)


# Elements.


def index(e: Emitter, content: Content, shape: Shape | None, outside: Label) -> Scalar:
    """The number of a value in a shape; to ``outside`` where it is none of its values."""
    match shape, content:
        case Ints(low, high), (Known() | Held()) as a:
            e.jump_if(Op.LT, a, Known(low), outside)
            e.jump_if(Op.LT, Known(high), a, outside)
            return clamp(e.subtract(a, Known(low)), high - low)
        case Record(parts), Parts(contents) if len(parts) == len(contents):
            found: Scalar = Known(0)
            for part, content in zip(parts, contents, strict=True):
                k = index(e, content, part, outside)
                found = e.add(e.multiply(found, Known(count(part))), k)
            return found
        case Bits(element), Mask() as m:
            inner = recode_or_leave(e, m, element, outside)
            if len(inner.words) > 1:
                raise Unshaped("a set of sets of more than 64 elements is too large")
            return inner.words[0] if inner.words else Known(0)
        case ((None | Void()), _):
            e.jump(outside)
            return Known(0)
        case _, Never():
            return Known(0)
        case _:
            raise Unshaped("values of different kinds meet")


def clamp(a: Scalar, high: int) -> Scalar:
    """a, known to be in 0..high where it is used."""
    if isinstance(a, Known):
        return a if 0 <= a.value <= high else Known(0)
    return Held(a.register, 0, high)


def recode_or_leave(e: Emitter, m: Mask, element: Shape | None, outside: Label) -> Mask:
    with e.faults_to(outside):
        return recode(e, m, element, checked=True)


def content_at(e: Emitter, shape: Shape | None, k: Scalar) -> Content:
    """The value with number k."""
    match shape:
        case Ints(low, high):
            a = e.add(k, Known(low))
            return a if isinstance(a, Known) else Held(a.register, max(a.low, low), min(a.high, high))
        case Record(parts):
            found: list[Content] = []
            for part in reversed(parts[1:]):
                found.append(content_at(e, part, remainder(e, k, count(part))))
                k = quotient(e, k, count(part))
            found.append(content_at(e, parts[0], k))
            return Parts(tuple(reversed(found)))
        case Bits(element):
            return Mask((k,) if count(element) else (), element)
        case _:
            raise Unshaped("a set of queues cannot be laid out")


def quotient(e: Emitter, k: Scalar, n: int) -> Scalar:
    """k / n.  Requires k >= 0."""
    if isinstance(k, Known) or n == 1:
        return Known(k.value // n) if isinstance(k, Known) else k
    if n & (n - 1) == 0:
        return e.shift_right(k, Known(n.bit_length() - 1))
    return e.binary(Op.DIV, k, Known(n), 0, max(0, k.high) // n)


def remainder(e: Emitter, k: Scalar, n: int) -> Scalar:
    if isinstance(k, Known) or n == 1:
        return Known(k.value % n) if isinstance(k, Known) else Known(0)
    if n & (n - 1) == 0:
        return e.bit_and(k, Known(n - 1))
    return e.binary(Op.MOD, k, Known(n), 0, n - 1)


def test_bit(e: Emitter, u: Words, k: Scalar) -> Scalar:
    """Bit k, as 0 or 1.  Requires: k is the number of a bit."""
    if not u:
        return Known(0)
    if isinstance(k, Known):
        return e.bit_and(e.shift_right(u[k.value // WORD], Known(k.value % WORD)), Known(1))
    word: Scalar = u[0]
    at: Scalar = k
    if len(u) > 1:
        high = e.shift_right(k, Known(6))
        at = e.bit_and(k, Known(63))
        for j in range(1, len(u)):
            word = e.select(e.compare(Op.EQ, high, Known(j)), u[j], word)
    return e.bit_and(e.shift_right(word, at), Known(1))


def single(e: Emitter, k: Scalar, n: int) -> Words:
    """The set of bit k alone, of n bits."""
    if isinstance(k, Known):
        return words_of(1 << k.value, n)
    if n <= WORD:
        bit = e.shift_left(Known(1), k)
        return (bounded_word(bit, n),)
    high, at = e.shift_right(k, Known(6)), e.bit_and(k, Known(63))
    bit = e.shift_left(Known(1), at)
    return tuple(e.select(e.compare(Op.EQ, high, Known(j)), bit, Known(0)) for j in range(-(-n // WORD)))


def bounded_word(a: Scalar, n: int, at: int = 0) -> Scalar:
    """a word, with the bounds that follow from its number of bits."""
    return a if isinstance(a, Known) else Held(a.register, *word_bounds(n, at))


def lowest(e: Emitter, u: Words) -> Scalar:
    """The number of the lowest bit.  Requires: there is one."""
    found = e.unary(Op.CTZ, u[-1], 0, WORD) if not isinstance(u[-1], Known) else Known(low_bit(u[-1].value))
    found = e.add(found, Known(WORD * (len(u) - 1)))
    for j in range(len(u) - 2, -1, -1):
        here = e.add(e.unary(Op.CTZ, u[j], 0, WORD), Known(WORD * j))
        found = e.select(e.compare(Op.NE, u[j], Known(0)), here, found)
    return found


def low_bit(n: int) -> int:
    n &= 2**WORD - 1
    return (n & -n).bit_length() - 1 if n else WORD


def highest(e: Emitter, u: Words) -> Scalar:
    found: Scalar = e.unary(Op.TOP, u[0], -1, WORD - 1)
    for j in range(1, len(u)):
        here = e.add(e.unary(Op.TOP, u[j], -1, WORD - 1), Known(WORD * j))
        found = e.select(e.compare(Op.NE, u[j], Known(0)), here, found)
    return found


def size(e: Emitter, m: Mask) -> Scalar:
    total: Scalar = Known(0)
    n = count(m.element)
    for j, w in enumerate(m.words):
        at_most = min(WORD, n - WORD * j)
        ones = Known((w.value & (2**WORD - 1)).bit_count()) if isinstance(w, Known) else e.unary(Op.POP, w, 0, at_most)
        total = e.add(total, ones)
    return total


def the_only(e: Emitter, m: Mask) -> Content:
    """The only element; a fault unless there is exactly one."""
    if m.element is None:
        e.jump(e.fault)
        return Never()
    e.require(Op.EQ, size(e, m), Known(1))
    k = lowest(e, m.words)
    return content_at(e, m.element, clamp(k, count(m.element) - 1))


def truths(e: Emitter, found: list[Scalar]) -> Words:
    """The word(s) with bit i = found[i], each 0 or 1."""
    into = list(empty(len(found)))
    for i, truth in enumerate(found):
        deposit(e, into, i, (truth,))
    return tuple(into)


def interval(e: Emitter, a: Scalar, b: Scalar) -> Mask:
    """The numbers from a to b."""
    if b.high < a.low:
        return Mask((), None)
    shape = set_shape(Ints(a.low, b.high))
    if isinstance(a, Known) and isinstance(b, Known):
        return Mask(full(count(shape.element)), shape.element)
    found = []
    for n in range(a.low, b.high + 1):
        above, below = e.compare(Op.LE, a, Known(n)), e.compare(Op.LE, Known(n), b)
        found.append(e.bit_and(above, below))
    return Mask(truths(e, found), shape.element)
