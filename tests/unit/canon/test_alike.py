"""Which atoms are interchangeable in a state, against the group written out."""

from __future__ import annotations

from random import Random

import pytest

from quorbit.canon.alike import Alike
from quorbit.canon.layout import Layout, act
from quorbit.groups.chain import build_chain, elements
from quorbit.groups.group import Group, cyclic, dihedral, direct_product, symmetric, wreath_product
from quorbit.model.system.system import Place, State
from quorbit.model.system.types import INTEGER, NONE, AtomOf

GROUPS = {
    "S4": symmetric(4),
    "C5": cyclic(5),
    "D4": dihedral(4),
    "S3 x S2": direct_product(symmetric(3), symmetric(2)),
    "S2 wr S3": wreath_product(symmetric(2), symmetric(3)),
}


def layout_with_references(n: int) -> Layout:
    """A number and a reference to an atom for each atom, and one reference that belongs to nobody."""
    atoms = AtomOf(tuple(range(n)), True)
    numbers = tuple(Place("x", (a,), (), INTEGER) for a in range(n))
    return Layout(n, (*numbers, *(Place("r", (a,), (), atoms) for a in range(n)), Place("one", (), (), atoms)))


def random_state(random: Random, n: int) -> State:
    choices = [NONE, NONE, *range(n)]
    return (*(random.randrange(2) for _ in range(n)), *(random.choice(choices) for _ in range(n + 1)))


def classes_by_hand(layout: Layout, group: Group, s: State) -> tuple[list[tuple[int, ...]], int]:
    fixing = [g for g in elements(build_chain(group)) if act(layout, g, s) == s]
    found = {tuple(sorted({g[a] for g in fixing})) for a in range(layout.atoms) if a in group.moved}
    return sorted(found), len(fixing)


@pytest.mark.parametrize("name", list(GROUPS))
def test_against_the_whole_group(name: str) -> None:
    group, random = GROUPS[name], Random(7)
    layout = layout_with_references(group.degree)
    alike = Alike(layout, group)
    for _ in range(25):
        s = random_state(random, group.degree)
        classes, fixing = classes_by_hand(layout, group, s)
        assert sorted(tuple(sorted(found)) for found in alike.classes(s)) == classes
        assert alike.fixing(s) == fixing


def test_many_atoms_have_classes_but_no_order() -> None:
    alike = Alike(layout_with_references(20), symmetric(20))
    s = (*([0] * 10), *([1] * 10), *([NONE] * 21))
    assert sorted(map(len, alike.classes(s))) == [10, 10]
    assert alike.fixing(s) is None
