"""Relations and sets of sets as words of bits; a relation over n first and m second parts is n rows of m bits.

All loops here run while the program is written.  Short names: e emitter; n, m numbers of values.
"""

from __future__ import annotations

from quorbit.machine.compile.emit import Emitter
from quorbit.machine.compile.instructions import Op, signed
from quorbit.machine.compile.masks import (
    LARGEST_UNROLLED,
    Words,
    any_bit,
    bounded_word,
    deposit,
    empty,
    extract,
    full,
    index,
    is_empty,
    move_bits,
    recode,
    spread,
    test_bit,
    the_only,
    truths,
    unify,
    words_of,
    zip_words,
)
from quorbit.machine.compile.shapes import (
    WORD,
    Bits,
    Record,
    Shape,
    Unshaped,
    count,
    join,
    set_shape,
)
from quorbit.machine.compile.values import Content, Held, Known, Mask, Never, Scalar

__all__ = [
    "apply",
    "big_intersection",
    "big_union",
    "closure",
    "compose",
    "domain",
    "domain_restrict",
    "image",
    "inverse",
    "override",
    "powerset",
    "product",
    "range_of",
    "range_restrict",
]


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
