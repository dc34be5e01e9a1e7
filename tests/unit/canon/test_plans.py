"""Plans on states and groups of many kinds: inside the orbit, unique where they say exact, and the papers' traps."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.canon.classify import STRATEGIES, References, classify, references
from quorbit.canon.layout import Layout, act, vector_layout
from quorbit.canon.minimise import minimise
from quorbit.canon.plan import InTurn, Refine, SortColumns
from quorbit.groups.chain import build_chain, contains, elements, random_element
from quorbit.groups.group import (
    Group,
    alternating,
    cyclic,
    dihedral,
    direct_product,
    hypercube,
    symmetric,
    trivial,
    wreath_product,
)
from quorbit.groups.parse import parse_generators
from quorbit.model.system.system import Place, State
from quorbit.model.system.types import NONE, TRUTH, AtomOf, Number, QueueOf, SetOf, TupleOf, values
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def group_of(text: str) -> Group:
    return parse_generators(Source("group", text))


GROUPS = {
    "trivial": trivial(3),
    "S4": symmetric(4),
    "C5": cyclic(5),
    "D5": dihedral(5),
    "A4": alternating(4),
    "cube3": hypercube(3),
    "S2 x S3": direct_product(symmetric(2), symmetric(3)),
    "C3 x S2": direct_product(cyclic(3), symmetric(2)),
    "S2 wr S3": wreath_product(symmetric(2), symmetric(3)),
    "C3 wr S2": wreath_product(cyclic(3), symmetric(2)),
    "S2 wr S2 wr S2": wreath_product(wreath_product(symmetric(2), symmetric(2)), symmetric(2)),
    "S3 on columns": group_of("(1 2)(4 5),(2 3)(5 6)"),
    "S3 on crossed columns": group_of("(1 3)(5 2),(3 4)(2 6)"),
    "crossed wreath": group_of("(1 2),(3 4),(1 4)(2 3)"),
    "S4 on a cube": group_of("(1 2)(5 6)(9 10)(13 14),(1 2 4 8)(3 6 12 9)(5 10)(7 14 13 11)"),
}


def layout_with(group: Group, kind: str) -> Layout:
    """One number for each atom, and references of some kind to the atoms."""
    n = group.degree
    everyone = tuple(range(n))
    one = AtomOf(everyone, True)
    places = [Place("x", (a,), (), Number(0, 2)) for a in everyone]
    match kind:
        case "outside":
            places += [Place("turn", (), (k,), one) for k in range(2)]
            places.append(Place("line", (), (), QueueOf(one, 2)))
            places.append(Place("members", (), (), SetOf(AtomOf(everyone))))
        case "across":
            places += [Place("friend", (a,), (), one) for a in everyone]
        case "matrix":
            places += [Place("flag", (a, b), (), TRUTH) for a in everyone for b in everyone]
        case "nested":
            places.append(Place("r", (), (), SetOf(TupleOf((AtomOf(everyone), AtomOf(everyone))))))
    return Layout(n, tuple(places))


def random_state(layout: Layout, rng: Random) -> State:
    def value(place: Place) -> object:
        match place.type:
            case SetOf(element):
                choices = list(values(element))
                return frozenset(rng.sample(choices, rng.randint(0, min(3, len(choices)))))
            case QueueOf(message):
                return tuple(rng.choice(list(values(message))) for _ in range(rng.randint(0, 2)))
            case AtomOf(atoms):
                return rng.choice([NONE, *atoms])
            case _:
                return rng.choice(list(values(place.type)))

    return tuple(value(place) for place in layout.places)  # type: ignore[misc]


@pytest.mark.parametrize("name", GROUPS)
@pytest.mark.parametrize("kind", ["plain", "outside", "across", "matrix", "nested"])
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_representatives(name: str, kind: str, strategy: str) -> None:
    """The representative is an image of the state by an element of the group, and unique if the plan says so."""
    group = GROUPS[name]
    layout = layout_with(group, kind)
    chain = build_chain(group)
    try:
        plan = classify(layout, group, strategy)
    except UserError:
        assert strategy in ("sort", "minimising", "graph", "hash-marker")
        return
    rng = Random(name + kind)
    for _ in range(4):
        s = random_state(layout, rng)
        found = set()
        for g in [random_element(chain, rng) for _ in range(4)]:
            t = act(layout, g, s)
            representative, h = minimise(layout, plan, t)
            assert contains(chain, h)
            assert act(layout, h, t) == representative
            found.add(representative)
        assert len(found) == 1 or not plan.exact


@pytest.mark.parametrize("name", [name for name in GROUPS if name != "S4 on a cube"])
def test_exact_plans_do_not_merge_orbits(name: str) -> None:
    """Different representatives for different orbits, on every state of two values (Burnside's count)."""
    group = GROUPS[name]
    layout = vector_layout(group.degree)
    states = [tuple(k >> a & 1 for a in range(group.degree)) for k in range(2**group.degree)]
    fixed = sum(2 ** cycle_count(g) for g in elements(build_chain(group)))
    orbits = fixed // len(list(elements(build_chain(group))))
    for strategy in ("auto", "exact", "enumerate", "chain", "orbit"):
        plan = classify(layout, group, strategy)
        assert len({minimise(layout, plan, s)[0] for s in states}) == orbits


def cycle_count(g: tuple[int, ...]) -> int:
    seen: set[int] = set()
    count = 0
    for a in range(len(g)):
        count += a not in seen
        while a not in seen:
            seen.add(a)
            a = g[a]
    return count


def test_section_4_3_of_dm09() -> None:
    """Enumeration and chain give the minimum, the exact plan one state for 24 images, the minimising set two."""
    group = GROUPS["S4 on a cube"]
    layout = vector_layout(14)
    s = (6, 10, 3, 6, 3, 5, 7, 10, 4, 8, 2, 1, 9, 3)
    least = (6, 6, 3, 10, 1, 4, 9, 10, 5, 3, 7, 8, 3, 2)
    images = [act(layout, g, s) for g in elements(build_chain(group))]
    assert len(images) == 24
    for strategy, expected in [("enumerate", 1), ("chain", 1), ("exact", 1), ("orbit", 1), ("minimising", 2)]:
        plan = classify(layout, group, strategy)
        found = {minimise(layout, plan, t)[0] for t in images}
        assert len(found) == expected
        if strategy in ("enumerate", "chain", "orbit"):
            assert found == {least}


def test_theorem_6_of_dm09_is_false_as_printed() -> None:
    """S3 on columns (1,5), (3,2), (4,6): the column swaps do not make this state less, yet it is not the least."""
    group = GROUPS["S3 on crossed columns"]
    layout = vector_layout(6)
    s, least = (0, 0, 1, 0, 0, 1), (0, 0, 0, 1, 1, 0)
    minimising = classify(layout, group, "minimising")
    assert not minimising.exact
    assert minimise(layout, minimising, s)[0] == s
    assert minimise(layout, classify(layout, group, "enumerate"), s)[0] == least
    sorting = classify(layout, group)
    assert sorting.exact
    assert minimise(layout, sorting, s)[0] == minimise(layout, sorting, least)[0]


def test_the_order_inside_blocks_is_transported() -> None:
    """Blocks {1,2}, {3,4} whose exchange turns them round: each sorted by itself gives two representatives."""
    group = GROUPS["crossed wreath"]
    layout = vector_layout(4)
    plan = classify(layout, group, "sort")
    assert isinstance(plan.node, InTurn)
    assert minimise(layout, plan, (1, 2, 3, 4))[0] == minimise(layout, plan, (4, 3, 2, 1))[0]


def test_the_choice_follows_the_references() -> None:
    group = symmetric(4)
    expected = {"plain": References.NONE, "outside": References.OUTSIDE, "across": References.ACROSS,
                "matrix": References.ACROSS, "nested": References.ACROSS}  # fmt: skip
    for kind, where in expected.items():
        layout = layout_with(group, kind)
        assert references(layout, group) is where
        node = classify(layout, group).node
        assert isinstance(node, Refine if where is References.ACROSS else SortColumns)


def test_a_large_group_is_not_enumerated() -> None:
    with pytest.raises(UserError, match="order"):
        classify(vector_layout(20), symmetric(20), "enumerate")


def test_large_groups_are_sorted() -> None:
    layout = vector_layout(60)
    group = wreath_product(symmetric(5), symmetric(12))
    plan = classify(layout, group)
    rng = Random(1)
    s = tuple(rng.randrange(3) for _ in range(60))
    t = act(layout, random_element(build_chain(group), rng), s)
    assert plan.exact
    assert minimise(layout, plan, s)[0] == minimise(layout, plan, t)[0]


def six(entries: st.SearchStrategy[int]) -> st.SearchStrategy[list[int]]:
    return st.lists(entries, min_size=6, max_size=6)


@settings(max_examples=60)
@given(six(st.integers(0, 2)), st.permutations(range(6)), six(st.integers(-1, 5)))
def test_processes_that_refer_to_each_other(local: list[int], order: list[int], friends: list[int]) -> None:
    """S6 with a reference from each process to another: the exact plan knows all 720 images of a state."""
    group = symmetric(6)
    layout = layout_with(group, "across")
    plan = classify(layout, group)
    s: State = (*local, *friends)
    assert minimise(layout, plan, act(layout, tuple(order), s))[0] == minimise(layout, plan, s)[0]
