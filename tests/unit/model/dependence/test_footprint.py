"""Uses of one place that are said to commute do so: each is done in either order to every small queue or number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from quorbit.model.dependence.footprint import ADD, HEAD, PEEK, READ, SET, TAIL, TAKE, WRITE, Use, commute, together

Doing = Callable[[tuple[int, ...]], tuple[tuple[int, ...], object]]  # what it leaves, and what it has seen

QUEUES = [q for n in range(1, 3) for q in product((0, 1), repeat=n)]  # that can be taken from, and have room
NUMBERS = [(n,) for n in range(256)]


def wrapped(n: int, bits: int, signed: bool) -> int:
    low = n & ((1 << bits) - 1)
    return low - (1 << bits) if signed and low >> (bits - 1) else low


def adding(more: int, bits: int, signed: bool) -> Doing:
    return lambda s: ((wrapped(s[0] + more, bits, signed),), None)


def setting(value: int) -> Doing:
    return lambda s: ((value,), None)


def sending(message: int) -> Doing:
    return lambda s: ((*s, message), None)


ON_QUEUES: list[tuple[Use, Doing]] = [
    (Use(READ), lambda s: (s, s)),
    (Use(HEAD), lambda s: (s[1:], s[:1])),
    *((Use(TAIL), sending(m)) for m in (0, 1)),
    (Use(WRITE), lambda s: (s[::-1], None)),
]
ON_NUMBERS: list[tuple[Use, Doing]] = [
    (Use(READ), lambda s: (s, s)),
    *((Use(SET, v), setting(v)) for v in (0, 1)),
    *(
        (Use(ADD, -bits if signed else bits), adding(n, bits, signed))
        for bits in (4, 8)
        for signed in (0, 1)
        for n in (1, 7)
    ),
    (Use(WRITE), lambda s: ((3 * s[0],), None)),
]


def clashes(uses: list[tuple[Use, Doing]], states: list[tuple[int, ...]]) -> Iterator[tuple[Use, Use]]:
    """Uses whose order can be told from what they leave or have seen."""
    for (a, do_a), (b, do_b) in product(uses, repeat=2):
        for s in states:
            t, seen_a = do_a(s)
            end, seen_b = do_b(t)
            u, first_b = do_b(s)
            other, then_a = do_a(u)
            if (end, seen_a, seen_b) != (other, then_a, first_b):
                yield a, b
                break


def test_no_two_uses_that_commute_can_be_told_apart() -> None:
    for uses, states in ((ON_QUEUES, QUEUES), (ON_NUMBERS, NUMBERS)):
        found = list(clashes(uses, states))
        assert len(found) > 10
        assert not [pair for pair in found if commute(*pair)]


def test_a_send_and_a_receive_commute() -> None:
    assert commute(Use(HEAD), Use(TAIL))
    assert commute(Use(TAIL), Use(HEAD))


def test_a_queue_that_may_be_full_or_empty_is_written() -> None:
    assert together([Use(TAIL)], filled=False, roomy=True) == Use(TAIL)
    assert together([Use(TAIL)], filled=True, roomy=False) == Use(WRITE)
    assert together([Use(PEEK), Use(TAKE)], filled=True, roomy=False) == Use(HEAD)
    assert together([Use(PEEK), Use(TAKE)], filled=False, roomy=True) == Use(WRITE)
