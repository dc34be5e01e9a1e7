"""Assignments that do not depend on each other are gathered into one step, and the effect stays what it was."""

from __future__ import annotations

import random

import pytest

from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.specialise.gather import Gathering
from quorbit.model.system.command import Command, Require, Step, Together, assign
from quorbit.model.system.expression import TRUE, Apply, Expr, Operator, Read, number
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import Number

SIZE = 3
SYSTEM = System("gather", (), (Variable("a", Number(0, 9), (), (SIZE,)), Variable("x", Number(0, 9))), (), ())


def element(k: int | Expr) -> Read:
    return Read("a", (), (number(k) if isinstance(k, int) else k,))


def gathered(*steps: Step) -> tuple[Step, ...]:
    return Gathering().gather(steps)


def test_what_is_independent_happens_at_once() -> None:
    steps = [assign((element(k), number(k))) for k in range(SIZE)]
    assert gathered(*steps) == (Together(tuple(a for step in steps for a in step.assignments)),)


def test_what_reads_a_result_stays_behind() -> None:
    first, second = assign((element(0), number(1))), assign((Read("x"), element(0)))
    assert gathered(first, second) == (first, second)
    assert len(gathered(second, first)) == 1  # the old value is read before it is overwritten


def test_one_place_is_written_in_order() -> None:
    first, second = assign((Read("x"), number(1))), assign((Read("x"), number(2)))
    assert gathered(first, second) == (first, second)


def test_nothing_passes_what_may_end_the_run() -> None:
    first, second = assign((element(0), number(1))), assign((element(1), number(1)))
    demand = Require(TRUE, "")
    assert gathered(first, demand, second) == (first, demand, second)


@pytest.mark.parametrize("seed", range(40))
def test_the_effect_stays_what_it_was(seed: int) -> None:
    rng = random.Random(seed)
    steps = tuple(assign(*random_pairs(rng)) for _ in range(rng.randint(2, 6)))
    s = tuple(rng.randint(0, 2) for _ in SYSTEM.places)
    meaning = Meaning(SYSTEM)
    before = meaning.run_effect(Command("c", effect=steps), s, {})
    assert meaning.run_effect(Command("c", effect=gathered(*steps)), s, {}) == before


def random_pairs(rng: random.Random) -> list[tuple[Read, Expr]]:
    """Assignments to different places, known or not."""
    if rng.random() < 0.3:
        return [(element(Apply(Operator.MODULO, (random_value(rng), number(SIZE)))), random_value(rng))]
    targets = rng.sample([element(0), element(1), element(2), Read("x")], rng.randint(1, 2))
    return [(target, random_value(rng)) for target in targets]


def random_value(rng: random.Random) -> Expr:
    value: Expr = rng.choice([number(rng.randint(0, 2)), Read("x"), element(rng.randrange(SIZE))])
    return Apply(Operator.MODULO, (Apply(Operator.ADD, (value, number(1))), number(SIZE)))
