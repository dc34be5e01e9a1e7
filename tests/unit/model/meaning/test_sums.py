"""Sums that are cut again and again, and the same cut once."""

from __future__ import annotations

from random import Random

import pytest

from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.sums import uncut
from quorbit.model.system.expression import Apply, Expr, Operator, Wrap, number
from quorbit.model.system.system import System


def random_sum(rng: Random, depth: int) -> Expr:
    if not depth:
        return number(rng.randrange(-30, 30))
    terms = tuple(random_sum(rng, depth - 1) for _ in range(rng.randint(1, 3)))
    e: Expr = Apply(rng.choice((Operator.ADD, Operator.ADD, Operator.MULTIPLY)), terms) if len(terms) > 1 else terms[0]
    return Wrap(e, rng.choice((4, 8, 16)), rng.random() < 0.5) if rng.random() < 0.7 else e


@pytest.mark.parametrize("seed", range(30))
def test_a_cut_sum_is_the_same_without_inner_cuts(seed: int) -> None:
    rng = Random(seed)
    meaning = Meaning(System("", (), (), (), ()))
    for _ in range(20):
        inner, bits, signed = random_sum(rng, 3), rng.choice((4, 8)), rng.random() < 0.5
        cut, shorter = Wrap(inner, bits, signed), Wrap(uncut(inner, bits), bits, signed)
        assert meaning.value_of(cut)((), {}) == meaning.value_of(shorter)((), {})


def test_narrow_cuts_stay() -> None:
    narrow = Apply(Operator.ADD, (Wrap(number(9), 4, False), number(1)))
    assert uncut(narrow, 8) is narrow
    assert uncut(Wrap(narrow, 8, True), 8) is narrow
