"""Beginnings of runs that break a formula whatever follows: never said wrongly, and at once for safety formulas."""

from __future__ import annotations

from random import Random

import pytest
from naive_logic import holds_on_word, random_ltl, random_word

from quorbit.logic.formulas.progress import find_bad_prefix
from quorbit.model.system.formula import (
    Always,
    Eventually,
    Formula,
    Implies,
    Next,
    Not,
    Or,
    Proposition,
    Until,
    WeakUntil,
)

P, Q, R = map(Proposition, "pqr")


def place(formula: Formula, letters: list[set[str]]) -> int | None:
    return find_bad_prefix(formula, [{p: p.expression in letter for p in (P, Q, R)} for letter in letters])


def test_what_is_said_to_be_broken_cannot_be_mended() -> None:
    rng, found = Random(1), 0
    for _ in range(3000):
        formula, (letters, _) = random_ltl(rng, 3), random_word(rng)
        if (k := place(formula, letters)) is None:
            continue
        found += 1
        assert k == 0 or place(formula, letters[:k]) is None
        for _ in range(8):
            more, back = random_word(rng)
            assert not holds_on_word(formula, ([*letters[: k + 1], *more], k + 1 + back)), (formula, letters, k)
    assert found > 500


@pytest.mark.parametrize(
    ("formula", "letters", "expected"),
    [
        (Always(Not(P)), [set(), set(), {"p"}, set()], 2),
        (Not(Eventually(P)), [set(), {"p"}], 1),
        (Always(Implies(P, Next(Q))), [{"p"}, {"q", "p"}, set()], 2),
        (WeakUntil(P, Q), [{"p"}, {"p"}, set()], 2),
        (Always(Or((Not(P), Next(Next(R))))), [{"p"}, set(), set()], 2),
        (Until(P, Q), [{"p"}, set()], 1),  # nothing is left to wait for
        (Eventually(P), [set(), set()], None),
        (Always(Eventually(P)), [set(), set()], None),
    ],
)
def test_where_formulas_break(formula: Formula, letters: list[set[str]], expected: int | None) -> None:
    assert place(formula, letters) == expected


def test_formulas_that_grow_too_much_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quorbit.logic.formulas.progress.MOST_PARTS", 3)
    assert place(Or((Eventually(R), Always(Implies(P, Next(Next(Q)))))), [{"p"}, {"p"}, set()]) is None
    assert place(Always(Implies(P, Next(Next(Q)))), [{"p"}, {"p"}, set()]) == 2  # where it is known to come to an end
