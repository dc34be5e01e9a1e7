"""Uses of one place that are said to commute do so: each is done in either order to every small queue or number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

from quorbit.model.dependence.abstract import Values
from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.footprint import (
    ADD,
    HEAD,
    PEEK,
    READ,
    SET,
    TAIL,
    TAKE,
    WRITE,
    Steps,
    Use,
    commute,
    together,
)
from quorbit.model.system.command import Loop, Pick, Step, assign
from quorbit.model.system.expression import Apply, Expr, Fresh, Operator, Parameter, Read, Wrap, equal, number
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import Number, QueueOf

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


def test_a_place_that_is_given_two_constants_is_written() -> None:
    assert together([Use(SET, 0)], False, False) == Use(SET, 0)
    assert together([Use(SET, 0), Use(SET, 1)], False, False) == Use(WRITE)
    assert together([Use(ADD, 4), Use(ADD, -4)], False, False) == Use(WRITE)


# Steps: what is noted of each.

X, Y, T, Q = (Read(name) for name in "xytq")
ONE = number(1)
ELEMENT = Read("a", (), (X,))
SYSTEM = System(
    "steps",
    (Atom("P0", "process"), Atom("P1", "process")),
    (
        Variable("x", Number(0, 1)),
        Variable("y", Number(0, 1)),
        Variable("t", Number(0, 15)),
        Variable("a", Number(0, 1), (), (2,)),
        Variable("q", QueueOf(Number(0, 1), 2)),
    ),
    (),
)


def steps_of(*steps: Step) -> tuple[dict[str, list[str]], dict[str, Values]]:
    """The styles in which variables are used, and the values that they are known to have after the steps."""
    found = Steps(Reader(SYSTEM), {}, lambda i: frozenset((0, 1)))
    for step in steps:
        found.add(step)
    names = [place.variable for place in SYSTEM.places]
    uses: dict[str, list[str]] = {}
    for i, noted in found.uses.items():
        uses.setdefault(names[i], []).extend(use.style for use in noted)
    return uses, {names[i]: values for i, values in found.after.items()}


def test_an_address_that_is_not_known_writes_all_it_may_name() -> None:
    uses, after = steps_of(assign((ELEMENT, Y)))
    assert uses == {"x": [READ], "y": [READ], "a": [WRITE, WRITE]}
    assert after == {"a": None}


def test_what_reads_a_place_that_was_written_before_has_no_known_value() -> None:
    _, after = steps_of(assign((X, ONE)), assign((Y, X)))
    assert after == {"x": {1}, "y": None}
    assert steps_of(assign((Y, X)))[1] == {"y": {0, 1}}


def test_two_messages_need_more_room_than_a_guard_says() -> None:
    send = assign((Q, Apply(Operator.APPEND, (Q, ONE))))
    assert steps_of(send)[0] == {"q": [TAIL]}
    assert steps_of(send, send)[0] == {"q": [TAIL, WRITE]}


def test_an_addition_that_reads_its_place_again_is_more_than_one() -> None:
    def added(more: Expr) -> Use:
        found = steps_of(assign((T, Wrap(Apply(Operator.ADD, (T, more)), 4, False))))[0]["t"]
        return together([Use(style, 4 if style == ADD else None) for style in found], False, False)

    assert added(ONE) == Use(ADD, 4)
    assert added(T) == Use(WRITE)


def test_loops_read_their_test_and_may_leave_anything() -> None:
    uses, after = steps_of(Loop(equal(X, ONE), (assign((Y, ONE)),), 3))
    assert READ in uses["x"]
    assert after == {"y": None}


def test_choices_read_what_is_free() -> None:
    free = Fresh((0, 1), equal(X, number(0)))
    assert steps_of(Pick(Parameter("v", free), (assign((Y, ONE)),)))[0] == {"x": [READ], "y": [SET]}
