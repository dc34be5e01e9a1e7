"""The quick kernels: one representative for each orbit, whatever refers to whom; and which of them is chosen."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from random_values import random_value

from quorbit.canon.classify import classify
from quorbit.canon.layout import act, layout_of
from quorbit.canon.minimise import minimise
from quorbit.canon.plan import Enumerate, Node, Refine, SortColumns
from quorbit.groups.chain import build_chain, elements, random_element
from quorbit.groups.group import Group, hypercube, swap, symmetric
from quorbit.machine.compile.packing import lay_out
from quorbit.machine.kernels.choice import elements_of, quickest, understood
from quorbit.machine.kernels.movement import movement
from quorbit.machine.kernels.plan_tables import plan_record, reducer
from quorbit.model.system.system import Atom, State, System, Variable
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, TupleOf


def with_variables(n: int, *variables: Variable) -> System:
    return System("model", tuple(Atom(f"A{i}", "process") for i in range(n)), variables, ())


def post(n: int) -> System:
    """A queue that belongs to nobody, with two references in each message, some of which may be none."""
    everyone = tuple(range(n))
    who = AtomOf(everyone, True)
    return with_variables(
        n,
        Variable("chosen", who, (everyone,)),
        Variable("queue", QueueOf(TupleOf((who, AtomOf(everyone))), 3)),
        Variable("source", who),
    )


def boxes(n: int) -> System:
    """Queues that belong to atoms; an empty slot looks like the first atom."""
    everyone = tuple(range(n))
    message = TupleOf((Number(0, 1), AtomOf(everyone)))
    return with_variables(
        n,
        Variable("pc", Number(0, 1), (everyone,)),
        Variable("in", QueueOf(message, 2), (everyone,)),
        Variable("to", AtomOf(everyone, True), (everyone,)),
    )


def sorts(n: int) -> System:
    """Two sorts that refer to each other."""
    clients, servers = tuple(range(n // 2)), tuple(range(n // 2, n))
    return with_variables(
        n,
        Variable("at", AtomOf(servers, True), (clients,)),
        Variable("pc", Number(0, 2), (clients,)),
        Variable("has", SetOf(AtomOf(clients)), (servers,)),
        Variable("line", QueueOf(TupleOf((AtomOf(clients), AtomOf(servers, True))), 2)),
    )


def corners(n: int) -> System:
    return with_variables(n, Variable("x", Number(0, 3), (tuple(range(n)),)))


def halves(n: int) -> Group:
    cells = (range(n // 2), range(n // 2, n))
    return Group(n, moves=[swap(a, a + 1) for cell in cells for a in cell[:-1]])


def wreath(blocks: int, size: int) -> Group:
    """Symmetric in each block, and on the blocks."""
    n = blocks * size
    inside = [tuple({a: a + 1, a + 1: a}.get(b, b) for b in range(n)) for a in range(n - 1) if (a + 1) % size]
    across = [
        tuple(a + size if a // size == k else a - size if a // size == k + 1 else a for a in range(n))
        for k in range(blocks - 1)
    ]
    return Group(n, (*inside, *across))


def cyclic(n: int) -> Group:
    return Group(n, (tuple((a + 1) % n for a in range(n)),))


def random_state(system: System, random: Random) -> State:
    busy = random.choice((0.1, 0.3, 0.6, 1.0))
    return tuple(random_value(place.type, random, busy) for place in system.places)


def check(system: System, group: Group, strategy: str, cases: int, meant: bool) -> None:
    """All images of a state have one representative, one of them; ``meant``: no other orbit has the same."""
    layout, random, chain = layout_of(system), Random(3), build_chain(group)
    plan, packed = classify(layout, group, strategy), lay_out(system)
    reduce, close = reducer(system, packed, plan_record(system, packed, plan))
    for _ in range(cases):
        s = random_state(system, random)
        images = [s, *(act(layout, random_element(chain, random), s) for _ in range(3))]
        found = [reduce(t) for t in images]
        assert len({r for r, _ in found}) == 1
        for t, (r, g) in zip(images, found, strict=True):
            assert act(layout, g, t) == r
        if meant:
            assert minimise(layout, plan, found[0][0])[0] == minimise(layout, plan, s)[0]
    close()


SMALL = [
    (post, 3, symmetric(3)),
    (post, 4, cyclic(4)),
    (boxes, 4, symmetric(4)),
    (boxes, 4, wreath(2, 2)),
    (sorts, 4, halves(4)),
    (sorts, 6, halves(6)),
]
LARGE = [
    (post, 8, symmetric(8)),
    (post, 17, symmetric(17)),
    (boxes, 7, symmetric(7)),
    (boxes, 9, wreath(3, 3)),
    (boxes, 18, symmetric(18)),
    (sorts, 10, halves(10)),
    (post, 20, cyclic(20)),
    (corners, 16, hypercube(4)),
    (corners, 32, hypercube(5)),
]


@pytest.mark.parametrize("strategy", ["auto", "exact"])
@pytest.mark.parametrize(("model", "n", "group"), SMALL)
def test_small_groups(model: Callable[[int], System], n: int, group: Group, strategy: str) -> None:
    check(model(n), group, strategy, 6, meant=True)


@pytest.mark.parametrize(("model", "n", "group"), LARGE)
def test_large_groups(model: Callable[[int], System], n: int, group: Group) -> None:
    check(model(n), group, "auto", 6, meant=False)


@pytest.mark.soak
@pytest.mark.parametrize("strategy", ["auto", "exact"])
@pytest.mark.parametrize(("model", "n", "group"), [*SMALL, *LARGE])
def test_many_states(model: Callable[[int], System], n: int, group: Group, strategy: str) -> None:
    check(model(n), group, strategy, 300, meant=False)


def test_every_state_of_a_few_boxes_has_the_representative_of_its_orbit() -> None:
    """As many representatives as orbits, by enumeration."""
    system, group = sorts(4), halves(4)
    layout, packed = layout_of(system), lay_out(system)
    states = {random_state(system, Random(k)) for k in range(300)}
    every = list(elements(build_chain(group)))
    orbits = {frozenset(act(layout, g, s) for g in every) for s in states}
    reduce, close = reducer(system, packed, plan_record(system, packed, classify(layout, group)))
    assert len({reduce(s)[0] for s in states}) == len(orbits)
    close()


def test_a_value_that_joins_atoms_of_one_colour_is_not_settled() -> None:
    """The pairs of a square: all atoms look alike, but turning it once makes another state."""
    square = tuple(range(8))
    system = with_variables(8, Variable("pairs", SetOf(SetOf(AtomOf(square)))))
    layout, packed = layout_of(system), lay_out(system)
    reduce, close = reducer(system, packed, plan_record(system, packed, classify(layout, cyclic(8), "exact")))
    s: State = (frozenset(frozenset((a, a + 1)) for a in range(0, 8, 2)),)
    turned = act(layout, cyclic(8).generators[0], s)
    assert s != turned
    assert reduce(s)[0] == reduce(turned)[0]
    close()


# The choice.


def chosen(system: System, group: Group, strategy: str) -> Node:
    plan, packed = classify(layout_of(system), group, strategy), lay_out(system)
    moves = movement(packed, system.places, frozenset(range(len(system.atoms))))
    return quickest(plan, understood(plan.node), moves)


def test_small_groups_are_written_out_and_large_ones_searched() -> None:
    assert isinstance(chosen(post(3), symmetric(3), "auto"), Enumerate)
    assert isinstance(chosen(post(8), symmetric(8), "auto"), Refine)
    assert isinstance(chosen(corners(8), symmetric(8), "auto"), SortColumns)


def test_approximate_sorting_stays_as_it_is() -> None:
    assert not isinstance(chosen(post(3), symmetric(3), "sort"), Enumerate)


def test_interned_values_are_not_tabulated() -> None:
    everyone = tuple(range(3))
    system = with_variables(
        3, Variable("trail", QueueOf(AtomOf(everyone))), Variable("to", AtomOf(everyone), (everyone,))
    )
    assert isinstance(chosen(system, symmetric(3), "auto"), Refine)


def test_all_elements_of_a_chain_are_listed_once() -> None:
    node = classify(layout_of(post(6)), wreath(2, 3), "exact").node
    assert isinstance(node, Refine)
    assert sorted(elements_of(node)) == sorted(elements(build_chain(wreath(2, 3))))
