"""The canonical-state function: one representative per orbit (Burnside), Figure 4.2 as printed does not reach that."""

from __future__ import annotations

from itertools import product
from math import comb, gcd

import pytest

from quorbit.engines.symbolic.model import Model, open_model
from quorbit.engines.symbolic.quotients.canonical import (
    exact_xi,
    identity_vector,
    orbit_relation,
    printed_xi,
    representatives,
)
from quorbit.groups.group import Group, cyclic, dihedral, direct_product, symmetric
from quorbit.groups.permutation import act
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import Number


def bits(n: int, values: int = 2) -> Model:
    """n places, one for each atom, and nothing that happens."""
    atoms = tuple(Atom(f"a{i}", "s") for i in range(n))
    return open_model(System("bits", atoms, (Variable("x", Number(0, values - 1), (tuple(range(n)),)),), ()))


def necklaces(n: int, k: int) -> int:
    return sum(k ** gcd(r, n) for r in range(n)) // n


def bracelets(n: int, k: int) -> int:
    turned = sum(k ** gcd(r, n) for r in range(n))
    flipped = n * k ** ((n + 1) // 2) if n % 2 else n // 2 * (k ** (n // 2) + k ** (n // 2 + 1))
    return (turned + flipped) // (2 * n)


CASES = (
    [(symmetric(n), 2, comb(n + 1, 1)) for n in (3, 6, 10)]
    + [(symmetric(n), 3, comb(n + 2, 2)) for n in (3, 5)]
    + [(cyclic(n), 2, necklaces(n, 2)) for n in (4, 7, 10)]
    + [(dihedral(n), 2, bracelets(n, 2)) for n in (4, 7, 9)]
    + [(cyclic(4), 3, necklaces(4, 3)), (dihedral(5), 4, bracelets(5, 4))]
    + [(direct_product(symmetric(3), cyclic(4)), 2, comb(4, 1) * necklaces(4, 2))]
)


@pytest.mark.parametrize(("group", "values", "orbits"), CASES)
def test_one_representative_for_every_orbit(group: Group, values: int, orbits: int) -> None:
    model = bits(group.degree, values)
    m = model.m
    fixed = representatives(model, exact_xi(model, group))
    real = m.conjunction(is_value(model, i) for i in range(group.degree))
    assert m.count(fixed & real, len(model.layout.present)) == orbits


def is_value(model: Model, i: int) -> object:
    coded = model.layout.places[i]
    m = model.m
    codes = []
    for k in range(len(coded.values)):
        codes.append(m.conjunction(m.variable(b) if k >> j & 1 else ~m.variable(b) for j, b in enumerate(coded.bits)))
    return m.disjunction(codes)


@pytest.mark.parametrize("group", [cyclic(5), symmetric(4), dihedral(6)])
def test_xi_is_the_greatest_of_the_orbit(group: Group) -> None:
    model = bits(group.degree)
    m, n = model.m, group.degree
    xi = exact_xi(model, group)
    for s in product((0, 1), repeat=n):
        cube = m.conjunction(
            m.variable(b) if v else ~m.variable(b) for b, v in zip(model.layout.present, s, strict=True)
        )
        image = tuple(int(cube & f != m.false) for f in xi)
        assert image == max(orbit(group, s))


def orbit(group: Group, s: tuple[int, ...]) -> set[tuple[int, ...]]:
    found = {s}
    stack = [s]
    while stack:
        t = stack.pop()
        for g in group.generators:
            u = act(g, t)
            if u not in found:
                found.add(u)
                stack.append(u)
    return found


State = tuple[int, ...]


def printed_on_arrays(n: int, generators: tuple[tuple[int, ...], ...]) -> dict[State, State]:
    """Figure 4.2 of [M97] once more, state by state."""
    states = list(product((0, 1), repeat=n))
    xi = {s: s for s in states}
    for g in generators:
        tau, eta = {s: act(g, s) for s in states}, dict(xi)
        while True:
            before = eta
            eta = {s: max(before[s], tau[before[s]]) for s in states}
            tau = {s: tau[tau[s]] for s in states}
            if eta == before:
                break
        old = xi
        xi = {s: max(eta[t] for t in states if old[t] == s) if old[s] == s else old[s] for s in states}
        while (again := {s: xi[xi[s]] for s in states}) != xi:
            xi = again
    return xi


@pytest.mark.parametrize("group", [cyclic(4), cyclic(6), symmetric(5), dihedral(5)])
def test_figure_4_2_as_printed_stays_in_the_orbit(group: Group) -> None:
    model = bits(group.degree)
    m, n = model.m, group.degree
    xi = printed_xi(model, group.generators)
    expected = printed_on_arrays(n, group.generators)
    for s, t in expected.items():
        cube = m.conjunction(
            m.variable(b) if v else ~m.variable(b) for b, v in zip(model.layout.present, s, strict=True)
        )
        assert tuple(int(cube & f != m.false) for f in xi) == t
        assert t in orbit(group, s)


def test_figure_4_2_as_printed_is_not_canonical() -> None:
    images = set(printed_on_arrays(4, cyclic(4).generators).values())
    assert len(images) > necklaces(4, 2)


def test_the_identity_is_canonical_for_the_trivial_group() -> None:
    model = bits(3)
    assert exact_xi(model, Group(3)) == identity_vector(model)


@pytest.mark.parametrize("group", [symmetric(4), cyclic(5), dihedral(4), direct_product(symmetric(2), cyclic(3))])
def test_the_orbit_relation_is_equality_of_representatives(group: Group) -> None:
    """[M97, 4.4.1] against xi."""
    model = bits(group.degree)
    m, layout = model.m, model.layout
    xi = exact_xi(model, group)
    after = m.rename(dict(zip(layout.present, layout.following, strict=True)))
    same = m.conjunction(m.equivalent(f, m.substitute(f, after)) for f in xi)
    assert orbit_relation(model, group.generators) == same
