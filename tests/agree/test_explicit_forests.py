"""The kernel for products and wreath products: all images of a state have one representative, and it is one of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain as joined
from random import Random

import pytest
from random_values import random_value

from quorbit.canon.classify import classify
from quorbit.canon.layout import act, layout_of
from quorbit.canon.plan import Node, Plan, Refine
from quorbit.groups.chain import build_chain, elements, order, random_element
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.machine.compile.packing import lay_out
from quorbit.machine.kernels.forest import forest_table, steps_of, suits_forest, units_of
from quorbit.machine.kernels.movement import movement
from quorbit.machine.kernels.plan_tables import node_table, plan_record, reducer
from quorbit.machine.library import FOREST
from quorbit.model.system.system import Atom, State, System, Variable
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, TupleOf

Sorts = tuple[tuple[int, ...], ...]


def exchange(pairs: list[tuple[int, int]], n: int) -> Permutation:
    images = list(range(n))
    for a, b in pairs:
        images[a], images[b] = b, a
    return tuple(images)


def tiers(blocks: int, clients: int, more: int = 0) -> tuple[int, Sorts, Group]:
    """Blocks of a server with its line, and of clients with their boxes; ``more`` atoms that stay."""
    size = 2 + 2 * clients
    n = blocks * size + more
    servers, lines = (tuple(range(k, blocks * size, size)) for k in (0, 1))
    boxes = tuple(b * size + 2 + 2 * k + 1 for b in range(blocks) for k in range(clients))
    people = tuple(b - 1 for b in boxes)
    swaps = [
        exchange(
            [
                (people[b * clients + k], people[b * clients + k + 1]),
                (boxes[b * clients + k], boxes[b * clients + k + 1]),
            ],
            n,
        )
        for b in range(blocks)
        for k in range(clients - 1)
    ]
    across = [exchange([(b * size + k, (b + 1) * size + k) for k in range(size)], n) for b in range(blocks - 1)]
    return n, (servers, lines, people, boxes), Group(n, (*swaps, *across))


def nested() -> tuple[int, Sorts, Group]:
    """S2 wr S2 wr S2 on eight atoms."""
    halves = [exchange([(a, a + 1)], 8) for a in (0, 2, 4, 6)]
    quarters = [exchange([(a, a + 2), (a + 1, a + 3)], 8) for a in (0, 4)]
    return 8, (tuple(range(8)),), Group(8, (*halves, *quarters, exchange([(a, a + 4) for a in range(4)], 8)))


def two_sorts() -> tuple[int, Sorts, Group]:
    """S3 on three atoms and their boxes, S3 on three others: S3 x S3."""
    first = [exchange([(a, a + 1), (a + 3, a + 4)], 9) for a in (0, 1)]
    return 9, ((0, 1, 2), (3, 4, 5), (6, 7, 8)), Group(9, (*first, *(exchange([(a, a + 1)], 9) for a in (6, 7))))


def system_of(n: int, sorts: Sorts, random: Random) -> System:
    """Places of all the kinds that the kernel is for; references lead from sort to sort as chance has it."""
    variables = [Variable("holder", AtomOf(random.choice(sorts), True))]
    anyone = tuple(sorted(joined.from_iterable(sorts)))
    for k, sort in enumerate(sorts):
        to = random.choice((*sorts, anyone))
        variables.append(Variable(f"pc{k}", Number(0, 1), (sort,)))
        variables.append(Variable(f"to{k}", AtomOf(to, True), (sort,)))
        if random.random() < 0.4:
            variables.append(Variable(f"at{k}", AtomOf(random.choice(sorts)), (sort,)))
        if random.random() < 0.4:
            message = TupleOf((Number(0, 1), AtomOf(random.choice(sorts))))
            variables.append(Variable(f"queue{k}", QueueOf(message, 2), (sort,) if random.random() < 0.5 else ()))
        if random.random() < 0.3:
            variables.append(Variable(f"has{k}", SetOf(AtomOf(to)), (sort,)))
    return System("forest", tuple(Atom(f"A{i}", "process") for i in range(n)), tuple(variables), ())


def states(system: System, group: Group, random: Random, cases: int) -> Iterator[State]:
    """Random states, and states that some symmetry leaves alone: of every orbit of places under it one value."""
    layout, chain = layout_of(system), build_chain(group)
    for k in range(cases):
        busy = random.choice((0.1, 0.4, 1.0))
        s = tuple(random_value(place.type, random, busy) for place in system.places)
        if k % 2:
            g = random_element(chain, random)
            for _ in range(6):  # places that g moves take over what it brings there, as long as that changes anything
                t = act(layout, g, s)
                s = tuple(b if random.random() < 0.8 else a for a, b in zip(s, t, strict=True))
        yield s


SHAPES = [tiers(2, 2), tiers(2, 3), tiers(3, 2, more=1), tiers(1, 4), nested(), two_sorts()]
NAMES = ["S2 wr S2", "S3 wr S2", "S2 wr S3", "S4", "S2 wr S2 wr S2", "S3 x S3"]


def check(shape: tuple[int, Sorts, Group], seed: int, cases: int, most: int) -> None:
    n, sorts, group = shape
    random = Random(seed)
    system = system_of(n, sorts, random)
    layout, packed = layout_of(system), lay_out(system)
    plan = classify(layout, group, "exact")
    record = plan_record(system, packed, plan, counting=True)  # the plan's own kernel, whatever were quicker
    assert node_table(plan.node, n, None)[0] == record.nodes[0] == FOREST
    reduce, close = reducer(system, packed, record)
    chain = build_chain(group)
    every = list(elements(chain)) if order(group) <= most else None
    for s in states(system, group, random, cases):
        r, g = reduce(s)
        assert act(layout, g, s) == r
        for h in every or [random_element(chain, random) for _ in range(most)]:
            t, g = reduce(act(layout, h, s))
            assert t == r
            assert act(layout, g, act(layout, h, s)) == r
    close()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", SHAPES, ids=NAMES)
def test_one_representative_for_each_orbit(shape: tuple[int, Sorts, Group], seed: int) -> None:
    check(shape, seed, 6, 40)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3, 60))
@pytest.mark.parametrize("shape", SHAPES, ids=NAMES)
def test_many_states_have_one_representative_for_each_orbit(shape: tuple[int, Sorts, Group], seed: int) -> None:
    check(shape, seed, 20, 130)


def sorting_of(plan: Plan) -> Node:
    assert isinstance(plan.node, Refine)
    assert plan.node.sorting is not None
    return plan.node.sorting


def test_atoms_that_move_together_are_one_unit() -> None:
    n, sorts, group = tiers(2, 3)
    system = System("tiers", tuple(Atom(f"A{i}", "process") for i in range(n)), (), ())
    sorting = sorting_of(classify(layout_of(system), group, "exact"))
    units = units_of(steps_of(sorting))
    assert sorted(joined.from_iterable(units)) == sorted(a for sort in sorts for a in sort)
    assert sorted(map(sorted, units)) == sorted([[a, a + 1] for a in range(0, n, 2)])
    assert forest_table(sorting, tuple([0] * n))[:2] == [8, 3]


def test_relations_of_three_are_left_to_the_chain() -> None:
    everyone = tuple(range(4))
    who = AtomOf(everyone)
    system = System(
        "many",
        tuple(Atom(f"A{i}", "process") for i in everyone),
        (Variable("triples", SetOf(TupleOf((who, who, who)))),),
        (),
    )
    plan = classify(layout_of(system), Group(4, [exchange([(a, a + 1)], 4) for a in range(3)]))
    moves = movement(lay_out(system), system.places, frozenset(everyone))
    assert not suits_forest(sorting_of(plan), moves)
