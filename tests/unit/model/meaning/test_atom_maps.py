"""Arithmetic on the number of one atom is the map that it computes."""

from __future__ import annotations

import pytest

from quorbit.model.meaning.atom_maps import atom_map
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Condition,
    Expr,
    NumberOf,
    Operator,
    Read,
    atom,
    equal,
    number,
)
from quorbit.model.system.system import Variable
from quorbit.model.system.types import AtomOf, Type

ATOMS = (4, 5, 6)
X, Y = Read("x"), Read("y")


def at(e: Expr) -> AtomAt:
    return AtomAt(e, ATOMS, 1)


def rotated(*parts: Expr) -> Expr:
    """The sum of some numbers, modulo three, from one on."""
    whole = Apply(Operator.MODULO, (Apply(Operator.ADD, parts), number(3)))
    return Apply(Operator.ADD, (whole, number(1)))


def test_a_step_round_a_ring() -> None:
    assert atom_map(at(rotated(NumberOf(X, ATOMS, 1), number(0))), {}) == (X, ((4, 5), (5, 6), (6, 4)))


@pytest.mark.parametrize(
    "e",
    [
        NumberOf(X, ATOMS, 1),  # nothing is computed
        rotated(NumberOf(X, ATOMS, 1), NumberOf(Y, ATOMS, 1)),  # two atoms are looked at
        rotated(NumberOf(X, ATOMS, 1), Y),  # a stored number is
        Apply(Operator.ADD, (NumberOf(X, ATOMS, 1), number(1))),  # from the last atom it leads nowhere
    ],
)
def test_no_maps(e: Expr) -> None:
    assert atom_map(at(e), {}) is None


@pytest.mark.parametrize(
    ("type", "is_map"),
    [(AtomOf(ATOMS), True), (AtomOf((*ATOMS, 7)), False), (AtomOf(ATOMS, True), False)],
    ids=["numbered", "one has no number", "nobody has no number"],
)
def test_a_step_written_as_a_choice(type: Type, is_map: bool) -> None:
    """`x == last -> first : x + 1` has a value for an atom without a number, about which the pairs say nothing."""
    step = Condition(equal(X, atom(6)), number(1), Apply(Operator.ADD, (NumberOf(X, ATOMS, 1), number(1))))
    found = atom_map(at(step), {"x": Variable("x", type)})
    assert found == ((X, ((4, 5), (5, 6), (6, 4))) if is_map else None)
