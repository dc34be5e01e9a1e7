"""Sets as words of bits: every set operation as operations on words.

A relation over n first and m second parts is n rows of m bits.  All loops here run while the program is written.

Short names: e emitter; u, v words of a set; n, m numbers of values.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.engines.explicit.emit import Emitter
from quorbit.engines.explicit.instructions import Label, Op, signed
from quorbit.engines.explicit.shapes import (
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
    value_at,
)
from quorbit.engines.explicit.values import Content, Held, Known, Mask, Never, Parts, Scalar

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
    to = [position(element, value_at(m.element, i)) for i in range(count(m.element))]
    if checked and None in to:
        outside = words_of(sum(1 << i for i, j in enumerate(to) if j is None), len(to))
        e.require(Op.EQ, any_bit(e, zip_words(e, "bit_and", m.words, outside)), Known(0))
    return Mask(move_bits(e, m.words, to, n), element)


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
    assert isinstance(shape, Bits)
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


# Relations.


def sides(m: Mask) -> tuple[Shape, Shape]:
    match m.element:
        case Record((a, b)):
            return a, b
        case _:
            raise Unshaped("a relation is expected")


def rows(e: Emitter, m: Mask) -> list[Words]:
    a, b = sides(m)
    return [extract(e, m.words, i * count(b), count(b)) for i in range(count(a))]


def relation(e: Emitter, a: Shape, b: Shape, listed: list[Words]) -> Mask:
    """The relation with these rows."""
    shape = set_shape(Record((a, b)))
    into = list(empty(count(shape.element)))
    for i, row in enumerate(listed):
        deposit(e, into, i * count(b), row)
    return Mask(tuple(bounded_word(w, count(shape.element), WORD * j) for j, w in enumerate(into)), shape.element)


def truths(e: Emitter, found: list[Scalar]) -> Words:
    """The word(s) with bit i = found[i], each 0 or 1."""
    into = list(empty(len(found)))
    for i, truth in enumerate(found):
        deposit(e, into, i, (truth,))
    return tuple(into)


def domain(e: Emitter, m: Mask) -> Mask:
    listed = [e.compare(Op.NE, any_bit(e, row), Known(0)) for row in rows(e, m)]
    return Mask(truths(e, listed), sides(m)[0])


def union_of(e: Emitter, listed: list[Words], n: int) -> Words:
    found = empty(n)
    for row in listed:
        found = zip_words(e, "bit_or", found, row)
    return found


def range_of(e: Emitter, m: Mask) -> Mask:
    b = sides(m)[1]
    return Mask(union_of(e, rows(e, m), count(b)), b)


def inverse(e: Emitter, m: Mask) -> Mask:
    a, b = sides(m)
    n, k = count(a), count(b)
    to = [j * n + i for i in range(n) for j in range(k)]
    return Mask(move_bits(e, m.words, to, n * k), Record((b, a)))


def image(e: Emitter, m: Mask, s: Mask) -> Mask:
    a, b = sides(m)
    s = recode(e, s, a)
    picked = [spread(e, test_bit(e, s.words, Known(i)), row) for i, row in enumerate(rows(e, m))]
    return Mask(union_of(e, picked, count(b)), b)


def domain_restrict(e: Emitter, s: Mask, m: Mask) -> Mask:
    a, b = sides(m)
    s = recode(e, s, a)
    return relation(e, a, b, [spread(e, test_bit(e, s.words, Known(i)), row) for i, row in enumerate(rows(e, m))])


def range_restrict(e: Emitter, m: Mask, s: Mask) -> Mask:
    a, b = sides(m)
    s = recode(e, s, b)
    return relation(e, a, b, [zip_words(e, "bit_and", row, s.words) for row in rows(e, m)])


def product(e: Emitter, s: Mask, t: Mask) -> Mask:
    if s.element is None or t.element is None:
        return Mask((), None)
    listed = [spread(e, test_bit(e, s.words, Known(i)), t.words) for i in range(count(s.element))]
    return relation(e, s.element, t.element, listed)


def override(e: Emitter, f: Mask, h: Mask) -> Mask:
    f, h = unify(e, f, h)
    a, b = sides(f)
    listed = []
    for old, new in zip(rows(e, f), rows(e, h), strict=True):
        listed.append(zip_words(e, "bit_or", spread(e, is_empty(e, new), old), new))
    return relation(e, a, b, listed)


def compose(e: Emitter, r: Mask, s: Mask) -> Mask:
    """First r, then s."""
    (a, b), (b2, c) = sides(r), sides(s)
    if count(a) * count(b) > LARGEST_UNROLLED:
        raise Unshaped("relations are too large to be composed in bits")
    s = recode(e, s, Record((b, c))) if b != b2 else s
    follow = rows(e, s)
    listed = []
    for row in rows(e, r):
        steps = [spread(e, test_bit(e, row, Known(j)), after) for j, after in enumerate(follow)]
        listed.append(union_of(e, steps, count(c)))
    return relation(e, a, c, listed)


def closure(e: Emitter, r: Mask) -> Mask:
    """Warshall's algorithm."""
    shape = join(*sides(r))
    n = count(shape)
    if n * n > LARGEST_UNROLLED:
        raise Unshaped("a relation is too large for its closure in bits")
    listed = rows(e, recode(e, r, Record((shape, shape))))
    for k in range(n):
        for i in range(n):
            listed[i] = zip_words(e, "bit_or", listed[i], spread(e, test_bit(e, listed[i], Known(k)), listed[k]))
    return relation(e, shape, shape, listed)


def apply(e: Emitter, f: Mask, x: Content) -> Content:
    """The value of a function; a fault unless exactly one pair fits."""
    if f.element is None:
        e.jump(e.fault)
        return Never()
    a, b = sides(f)
    k = index(e, x, a, e.fault)
    return the_only(e, Mask(row_at(e, f, k), b))


def row_at(e: Emitter, f: Mask, k: Scalar) -> Words:
    a, b = sides(f)
    n = count(b)
    if isinstance(k, Known):
        return extract(e, f.words, k.value * n, n)
    if len(f.words) == 1:
        word = e.shift_right(f.words[0], e.multiply(k, Known(n)))
        return (e.bit_and(word, Known(signed((1 << n) - 1))),)
    listed = rows(e, f)
    found = listed[0]
    for i in range(1, count(a)):
        here = e.compare(Op.EQ, k, Known(i))
        found = tuple(e.select(here, x, y) for x, y in zip(listed[i], found, strict=True))
    return found


# Sets of sets.


def containing(n: int, j: int) -> int:
    """Which of the 2^n subsets of n elements contain element j, as bits."""
    return sum(1 << s for s in range(2**n) if s >> j & 1)


def powerset(e: Emitter, m: Mask) -> Mask:
    n = count(m.element)
    shape = set_shape(Bits(m.element))
    found = full(2**n)
    for j in range(n):
        without = words_of(containing(n, j) ^ ((1 << 2**n) - 1), 2**n)
        present = test_bit(e, m.words, Known(j))
        all_ones = e.immediate(Op.MULI, present, -1, -1, 0) if isinstance(present, Held) else Known(-present.value)
        found = tuple(e.bit_and(w, e.bit_or(all_ones, x)) for w, x in zip(found, without, strict=True))
    return Mask(found, shape.element)


def inner_sets(m: Mask) -> Shape | None:
    match m.element:
        case Bits(element):
            return element
        case None:
            return None
        case _:
            raise Unshaped("a set of sets is expected")


def big_union(e: Emitter, m: Mask) -> Mask:
    inner = inner_sets(m)
    n = count(inner)
    found = []
    for j in range(n):
        with_j = words_of(containing(n, j), 2**n)
        found.append(e.compare(Op.NE, any_bit(e, zip_words(e, "bit_and", m.words, with_j)), Known(0)))
    return Mask(truths(e, found), inner)


def big_intersection(e: Emitter, m: Mask) -> Mask:
    e.require(Op.NE, any_bit(e, m.words), Known(0))
    inner = inner_sets(m)
    n = count(inner)
    found = []
    for j in range(n):
        without_j = words_of(containing(n, j) ^ ((1 << 2**n) - 1), 2**n)
        found.append(is_empty(e, zip_words(e, "bit_and", m.words, without_j)))
    return Mask(truths(e, found), inner)


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
