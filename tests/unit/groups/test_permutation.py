"""Permutations as tuples: the conventions everything else relies on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from quorbit.groups.moves import cycles_of_moves, moves_of, permutation_of
from quorbit.groups.permutation import (
    act,
    compose,
    cycles,
    from_cycles,
    identity,
    inverse,
    is_odd,
    show,
    support,
    transpositions,
)

permutations = st.integers(1, 12).flatmap(lambda n: st.permutations(range(n)).map(tuple))
pairs = st.integers(1, 9).flatmap(lambda n: st.tuples(*[st.permutations(range(n)).map(tuple)] * 2))


def test_the_one_convention() -> None:
    assert act(from_cycles(3, (0, 1, 2)), (7, 5, 4)) == (4, 7, 5)


@given(pairs)
def test_composition_acts_first_g_then_h(pair: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    g, h = pair
    s = [10 + i * i for i in range(len(g))]
    assert act(compose(g, h), s) == act(h, act(g, s))
    assert compose(g, inverse(g)) == identity(len(g))


@given(permutations)
def test_transpositions_do_what_the_permutation_does(g: tuple[int, ...]) -> None:
    s = [10 + i for i in range(len(g))]
    swapped = list(s)
    for i, j in transpositions(g):
        swapped[i], swapped[j] = swapped[j], swapped[i]
    assert tuple(swapped) == act(g, s)
    assert len(transpositions(g)) == len(g) - len(cycles(g)) - (len(g) - len(support(g)))
    assert is_odd(g) == (len(transpositions(g)) % 2 == 1)


@given(permutations)
def test_cycles_and_moves_describe_the_permutation(g: tuple[int, ...]) -> None:
    assert from_cycles(len(g), *cycles(g)) == g
    assert cycles_of_moves(moves_of(g)) == cycles(g)
    assert permutation_of(moves_of(g), range(len(g))) == g


def test_show() -> None:
    g = from_cycles(5, (0, 1), (2, 4, 3))
    assert show(g) == "(1 2)(3 5 4)"
    assert show(g, "abcde") == "(a b)(c e d)"
    assert show(identity(5)) == "()"
