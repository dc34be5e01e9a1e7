"""Counters, unwinding and subsumption against their definitions."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.engines.adaptive.represented_states import orbit

from quorbit.engines.adaptive.bags import (
    bags_of,
    compositions,
    orbit_size,
    replace_letter,
    subsumes,
    total,
    unwind,
    vector,
)
from quorbit.engines.adaptive.cells import Cells, on_processes
from quorbit.engines.adaptive.store import Node, Store
from quorbit.groups.partition import Partition, by_label, coarsest, finest


@st.composite
def annotated(draw, n: int):
    labels = draw(st.lists(st.integers(0, n - 1), min_size=n, max_size=n))
    letters = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    return tuple(letters), by_label(range(n), labels)


@st.composite
def pairs(draw):
    n = draw(st.integers(1, 5))
    (s, p), (t, q) = draw(annotated(n)), draw(annotated(n))
    if draw(st.booleans()):
        t = draw(st.permutations(s))
    return s, p, tuple(t), q


@settings(max_examples=150)
@given(pairs())
def test_theorem_4_is_definition_3(case) -> None:
    s, p, t, q = case
    cells = Cells(coarsest(len(s)))
    a, b = cells.number(p), cells.number(q)
    x, y = bags_of(cells, a, s), bags_of(cells, b, t)
    assert subsumes(cells, a, x, b, y) == (set(orbit(cells, a, x)) >= set(orbit(cells, b, y)))


@pytest.mark.soak
@settings(max_examples=6000)
@given(pairs())
def test_theorem_4_is_definition_3_in_full(case) -> None:
    test_theorem_4_is_definition_3.hypothesis.inner_test(case)


@settings(max_examples=150)
@given(pairs())
def test_unwinding_covers_the_orbit_without_overlap(case) -> None:
    s, p, _, q = case
    cells = Cells(coarsest(len(s)))
    a = cells.number(p)
    r = cells.meet(a, cells.number(q))
    bags = bags_of(cells, a, s)
    parts = [set(orbit(cells, r, u)) for u in unwind(cells, a, bags, r)]
    assert set().union(*parts) == set(orbit(cells, a, bags))
    assert sum(map(len, parts)) == orbit_size(cells, a, bags)


def test_unwinding_leaves_out_what_is_forbidden() -> None:
    cells = Cells(coarsest(4))
    r = cells.number(((0, 1), (2, 3)))
    bags = bags_of(cells, 0, (0, 0, 1, 2))
    found = list(unwind(cells, 0, bags, r, lambda k, letter: not (k == 0 and letter == 1)))
    expected = [u for u in unwind(cells, 0, bags, r) if all(letter != 1 for letter, _ in u[0])]
    assert sorted(found) == sorted(expected)
    assert len(found) == 2


def test_unwinding_costs_what_it_gives() -> None:
    """[W07, section 8]: 80 processes, one of them different: 2 results, not 80!."""
    cells = Cells(coarsest(80))
    r = cells.number((tuple(range(79)), (79,)))
    assert len(list(unwind(cells, 0, bags_of(cells, 0, (0,) * 40 + (1,) * 40), r))) == 2


def test_representative_has_the_same_counters() -> None:
    cells = Cells(coarsest(5))
    p = cells.number(((0, 3), (1, 2, 4)))
    bags = bags_of(cells, p, (2, 1, 0, 0, 1))
    assert vector(cells, p, bags) == (0, 0, 1, 2, 1)
    assert bags_of(cells, p, vector(cells, p, bags)) == bags


def test_replacing_a_letter() -> None:
    cells = Cells(coarsest(3))
    bags = bags_of(cells, 0, (0, 0, 1))
    assert replace_letter(bags, 0, 0, 1) == bags_of(cells, 0, (0, 1, 1))
    assert replace_letter(bags, 0, 1, 5) == bags_of(cells, 0, (0, 0, 5))


def test_classes_are_counted_apart() -> None:
    classes: Partition = ((0, 1), (2, 3))
    cells = Cells(classes)
    first, second = bags_of(cells, 0, (0, 1, 0, 0)), bags_of(cells, 0, (0, 0, 0, 1))
    assert total(first, cells.homes(0)) != total(second, cells.homes(0))


def test_compositions() -> None:
    assert list(compositions(2, [1, 2])) == [(0, 2), (1, 1)]
    assert list(compositions(3, [1, 1])) == []


def test_partition_of_atoms_becomes_one_of_processes() -> None:
    assert on_processes(((0, 4), (1, 2), (3,)), (1, 2, 4)) == ((0, 1), (2,))


def test_store_drops_only_states_of_the_same_level_or_deeper() -> None:
    for depth, dropped in ((0, 0), (1, 1), (2, 1)):
        cells = Cells(coarsest(2))
        store = Store(cells, depth_first=False, level_safe=True, forget=False)
        fine = cells.number(finest(2))
        assert store.add(Node(0, bags_of(cells, fine, (0, 1)), fine, depth))
        assert store.add(Node(0, bags_of(cells, 0, (0, 1)), 0, 1))
        assert (store.dropped, store.reached) == (dropped, 2)


def test_store_forgets_when_no_trace_is_wanted() -> None:
    cells = Cells(coarsest(2))
    store = Store(cells, depth_first=False, level_safe=True, forget=True)
    fine = cells.number(finest(2))
    store.add(Node(0, bags_of(cells, fine, (0, 1)), fine, 1))
    store.add(Node(0, bags_of(cells, fine, (1, 0)), fine, 1))
    assert store.add(Node(0, bags_of(cells, 0, (0, 1)), 0, 1))
    assert (store.dropped, store.reached, len(store.nodes())) == (2, 1, 1)
    assert not store.add(Node(0, bags_of(cells, fine, (0, 1)), fine, 2))


def test_store_keeps_shared_parts_apart() -> None:
    cells = Cells(coarsest(2))
    store = Store(cells, depth_first=False, level_safe=True, forget=False)
    assert store.add(Node(0, bags_of(cells, 0, (0, 1)), 0, 0))
    assert store.add(Node(1, bags_of(cells, 0, (0, 1)), 0, 0))
