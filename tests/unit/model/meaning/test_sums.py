"""Sums that are cut again and again and begin with some number, and the same sums in one form."""

from __future__ import annotations

from random import Random

import pytest

from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.sums import as_sum
from quorbit.model.system.expression import FALSE, TRUE, Apply, Condition, Expr, Operator, Wrap, number
from quorbit.model.system.system import System


def random_sum(rng: Random, depth: int) -> Expr:
    if not depth:
        first = number(rng.randrange(-30, 30))
        return first if rng.random() < 0.5 else Condition(rng.choice((TRUE, FALSE)), first, number(rng.randrange(9)))
    terms = tuple(random_sum(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    e: Expr = Apply(rng.choice((Operator.ADD, Operator.ADD, Operator.MULTIPLY)), terms) if len(terms) > 1 else terms[0]
    return Wrap(e, rng.choice((4, 8, 16)), rng.random() < 0.5) if rng.random() < 0.7 else e


@pytest.mark.parametrize("seed", range(30))
def test_the_value_stays(seed: int) -> None:
    rng = Random(seed)
    meaning = Meaning(System("", (), (), (), ()))
    for _ in range(20):
        cut = Wrap(random_sum(rng, 3), rng.choice((4, 8)), rng.random() < 0.5)
        chosen = Condition(rng.choice((TRUE, FALSE)), number(rng.randrange(-9, 9)), number(rng.randrange(-9, 9)))
        for e in (cut, chosen):
            assert meaning.value_of(e)((), {}) == meaning.value_of(as_sum(e))((), {})


def test_narrow_cuts_stay() -> None:
    narrow = Apply(Operator.ADD, (Wrap(number(9), 4, False), Wrap(number(9), 4, True)))
    assert as_sum(Wrap(Wrap(narrow, 8, True), 8, False)) == Wrap(narrow, 8, False)


def test_who_counts_himself_first_and_who_does_last() -> None:
    def voted(k: int, yes: int, no: int) -> Condition:
        return Condition(Apply(Operator.LESS, (number(k), number(3))), number(yes), number(no))

    first = Wrap(Apply(Operator.ADD, (voted(1, 2, 1), voted(2, 1, 0))), 8, False)
    last = Wrap(
        Apply(Operator.ADD, (Wrap(Apply(Operator.ADD, (voted(1, 1, 0), voted(2, 1, 0))), 8, False), number(1))),
        8,
        False,
    )
    assert as_sum(first) == as_sum(last)
    assert as_sum(voted(1, 2, 1)) == as_sum(Wrap(Apply(Operator.ADD, (voted(1, 1, 0), number(1))), 8, False))


def test_a_sum_that_may_be_cut_stays_cut() -> None:
    wide = Wrap(Apply(Operator.ADD, (number(255), Condition(TRUE, number(1), number(0)))), 8, False)
    assert isinstance(as_sum(wide), Wrap)
