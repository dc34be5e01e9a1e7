"""The kernel that compares cosets: one representative for each orbit, by brute force over the group and by counting."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from itertools import combinations, product
from random import Random

import pytest
from random_values import random_value

from quorbit.canon.classify import classify
from quorbit.canon.layout import Layout, act, layout_of, state_key
from quorbit.canon.plan import Plan
from quorbit.groups.chain import build_chain, elements
from quorbit.groups.group import Group, hypercube
from quorbit.groups.permutation import Permutation
from quorbit.machine import library
from quorbit.machine.compile.packing import lay_out, pack_state
from quorbit.machine.kernels.plan_tables import plan_record, reducer
from quorbit.model.system.system import Atom, State, System, Variable
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, TupleOf


@pytest.fixture(autouse=True)
def without_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small groups would have all their elements in tables."""
    monkeypatch.setattr("quorbit.machine.kernels.choice.MOST_TABULATED", 0)


def with_variables(n: int, *variables: Variable) -> System:
    return System("model", tuple(Atom(f"A{i}", "process") for i in range(n)), variables, ())


# Groups.


def on_points(points: list[tuple[int, ...]], moves: list[Callable[[tuple[int, ...]], tuple[int, ...]]]) -> Group:
    number = {point: k for k, point in enumerate(points)}
    return Group(len(points), tuple(tuple(number[move(point)] for point in points) for move in moves))


def exchange(x: int, k: int) -> int:
    return {k: k + 1, k + 1: k}.get(x, x)


def grid(m: int, d: int) -> Group:
    """S_m wr S_d in product action: each coordinate is permuted, and so are the coordinates."""

    def inside(k: int) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
        return lambda point: (exchange(point[0], k), *point[1:])

    def across(k: int) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
        return lambda point: tuple(point[exchange(i, k)] for i in range(d))

    moves = [*map(inside, range(m - 1)), *map(across, range(d - 1))]
    return on_points(list(product(range(m), repeat=d)), moves)


def pairs(n: int) -> Group:
    """S_n on the pairs of n things."""

    def move(k: int) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
        return lambda pair: tuple(sorted(exchange(x, k) for x in pair))

    return on_points(list(combinations(range(n), 2)), [move(k) for k in range(n - 1)])


def affine(p: int, root: int) -> Group:
    """x -> a x + b modulo a prime."""
    return Group(p, (tuple((x + 1) % p for x in range(p)), tuple(x * root % p for x in range(p))))


def alternating(n: int) -> Group:
    return Group(n, tuple(tuple({k: k + 1, k + 1: k + 2, k + 2: k}.get(a, a) for a in range(n)) for k in range(n - 2)))


def twice_and_axes(d: int) -> Group:
    """The cube on its corners, on as many things that go with them in another order, and on its axes."""
    n = 1 << d

    def both(g: Permutation) -> Permutation:
        axes = [(g[0] ^ g[1 << k]).bit_length() - 1 for k in range(d)]
        return (*g, *(n + (g[(a * 3 + 1) % n] - 1) * pow(3, -1, n) % n for a in range(n)), *(2 * n + k for k in axes))

    return Group(2 * n + d, tuple(both(g) for g in hypercube(d).generators))


# Models.


def columns(n: int) -> System:
    """Several numbers for each atom."""
    everyone = (tuple(range(n)),)
    return with_variables(
        n,
        Variable("pc", Number(0, 2), everyone),
        Variable("k", Number(0, 1), everyone),
        Variable("seen", Number(0, 5), everyone),
    )


def referring(n: int) -> System:
    """References from atoms and from elsewhere, in queues and outside."""
    everyone = tuple(range(n))
    who = AtomOf(everyone, True)
    return with_variables(
        n,
        Variable("pc", Number(0, 1), (everyone,)),
        Variable("next", who, (everyone,)),
        Variable("box", QueueOf(TupleOf((AtomOf(everyone), Number(0, 1))), 2), (everyone,)),
        Variable("turn", who),
        Variable("line", QueueOf(AtomOf(everyone), 2)),
        Variable("here", SetOf(AtomOf(everyone))),
    )


def pointing(n: int) -> System:
    """A reference from each atom, and one from elsewhere."""
    everyone = tuple(range(n))
    who = AtomOf(everyone, True)
    return with_variables(
        n, Variable("pc", Number(0, 1), (everyone,)), Variable("next", who, (everyone,)), Variable("turn", who)
    )


def related(n: int) -> System:
    """A number for each two atoms, and for each atom with itself."""
    everyone = tuple(range(n))
    return with_variables(
        n,
        Variable("pc", Number(0, 1), (everyone,)),
        Variable("knows", Number(0, 2), (everyone, everyone)),
    )


def corners_and_axes(atoms: int) -> System:
    """Corners refer to what goes with them and to axes; the things and axes to corners."""
    d = next(d for d in range(2, 6) if 2 * (1 << d) + d == atoms)
    corners, things, axes = range(1 << d), range(1 << d, 2 << d), range(2 << d, atoms)
    return with_variables(
        atoms,
        Variable("pc", Number(0, 1), (tuple(corners),)),
        Variable("along", AtomOf(tuple(axes), True), (tuple(corners),)),
        Variable("full", Number(0, 2), (tuple(things),)),
        Variable("from", AtomOf(tuple(corners), True), (tuple(things),)),
        Variable("at", AtomOf(tuple(corners), True), (tuple(axes),)),
        Variable("goal", AtomOf(tuple(corners), True)),
    )


CASES: dict[str, tuple[Callable[[int], System], Group]] = {
    "cube 3, columns": (columns, hypercube(3)),
    "cube 3, references": (referring, hypercube(3)),
    "cube 3, relation": (related, hypercube(3)),
    "cube 3, axes": (corners_and_axes, twice_and_axes(3)),
    "cube 4, columns": (columns, hypercube(4)),
    "cube 4, references": (referring, hypercube(4)),
    "cube 4, relation": (related, hypercube(4)),
    "cube 4, axes": (corners_and_axes, twice_and_axes(4)),
    "cube 5, columns": (columns, hypercube(5)),
    "cube 5, references": (pointing, hypercube(5)),
    "S3 wr S2 on 9": (referring, grid(3, 2)),
    "S4 wr S2 on 16": (pointing, grid(4, 2)),
    "S3 wr S3 on 27": (columns, grid(3, 3)),
    "S6 on 15 pairs": (referring, pairs(6)),
    "S6 on 15 pairs, relation": (related, pairs(6)),
    "affine 13": (referring, affine(13, 2)),
    "A7": (pointing, alternating(7)),
}


def random_state(system: System, random: Random) -> State:
    """Few places not at rest as a rule: such states have symmetries."""
    busy = random.choice((0.02, 0.1, 0.3, 1.0))
    return tuple(random_value(place.type, random, busy) for place in system.places)


def near(system: System, s: State, random: Random, rounds: int) -> list[State]:
    """States in which two places of one variable have changed their values, or one has another one."""
    found = []
    for _ in range(rounds):
        i = random.randrange(len(s))
        alike = [k for k, place in enumerate(system.places) if place.variable == system.places[i].variable]
        j, t = random.choice(alike), list(s)
        t[i], t[j] = t[j], t[i]
        found.append(tuple(t))
        found.append((*s[:i], random_value(system.places[i].type, random, 0.5), *s[i + 1 :]))
    return found


def least_image(layout: Layout, every: list[Permutation], s: State) -> State:
    return min((act(layout, g, s) for g in every), key=state_key)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("cases", [2, pytest.param(40, marks=pytest.mark.soak)])
def test_two_states_have_one_representative_if_an_element_leads_from_one_to_the_other(name: str, cases: int) -> None:
    model, group = CASES[name]
    system, random = model(group.degree), Random(11)
    layout, packed, every = layout_of(system), lay_out(system), list(elements(build_chain(group)))
    rounds = 3 if len(every) < 1000 else 1
    record = plan_record(system, packed, classify(layout, group, "exact"))
    assert record.nodes[0] == library.COSETS
    reduce, close = reducer(system, packed, record)
    meant: dict[State, State] = {}
    for _ in range(cases):
        s = random_state(system, random)
        for t in (s, *near(system, s, random, rounds)):
            least = least_image(layout, every, t)
            for image in (t, *(act(layout, g, t) for g in random.sample(every, 4))):
                found, g = reduce(image)
                assert act(layout, g, image) == found
                assert g in every
                assert meant.setdefault(found, least) == least
    assert len(set(meant.values())) == len(meant)
    close()


@pytest.mark.parametrize(
    "group",
    [hypercube(3), hypercube(4), grid(3, 2), affine(13, 2), alternating(7)],
    ids=["cube 3", "cube 4", "S3 wr S2", "affine 13", "A7"],
)
@pytest.mark.parametrize("cases", [8, pytest.param(100, marks=pytest.mark.soak)])
def test_where_all_look_alike_references_decide(group: Group, cases: int) -> None:
    """Each atom refers to another one, as an element of the group says, or nearly so."""
    n, random = group.degree, Random(5)
    system = pointing(n)
    layout, packed, every = layout_of(system), lay_out(system), list(elements(build_chain(group)))
    reduce, close = reducer(system, packed, plan_record(system, packed, classify(layout, group, "exact")))
    for case in range(cases):
        following = list(random.choice(every))
        if case % 2 == 1:
            i, j = random.sample(range(n), 2)
            following[i], following[j] = following[j], following[i]
        s = (*(0,) * n, *following, -1)
        images = [s, *(act(layout, g, s) for g in random.sample(every, 12))]
        assert len({reduce(image)[0] for image in images}) == 1
    close()


# All states of some small models: the orbits are counted by the states that each element fixes (Burnside).


def cycles(g: Permutation) -> int:
    left, n = set(range(len(g))), 0
    while left:
        n, a = n + 1, left.pop()
        while (a := g[a]) in left:
            left.remove(a)
    return n


def representatives(system: System, plan: Plan) -> int:
    packed, runtime = lay_out(system), library.runtime()
    record = plan_record(system, packed, plan)
    record.cache_bits = 0
    assert record.nodes[0] == library.COSETS
    assert packed.words == 1
    handle = runtime.qb_reducer_open(ctypes.byref(record))
    choices = [[*place.type.atoms, -1] if isinstance(place.type, AtomOf) else [0, 1] for place in system.places]
    states = [word for s in product(*choices) for word in pack_state(packed, s)]
    words = (ctypes.c_uint64 * len(states))(*states)
    runtime.qb_reduce_all(handle, words, len(states))
    runtime.qb_reducer_close(handle)
    return len(set(words))


@pytest.mark.parametrize(
    ("group", "known"),
    [
        (hypercube(4), 402),  # functions of 4 bits, up to exchanging and negating the bits
        (pairs(6), 156),  # graphs with 6 vertices
        (affine(13, 2), None),
        (alternating(7), 8),
    ],
    ids=["cube 4", "S6 on pairs", "affine 13", "A7"],
)
def test_as_many_representatives_as_orbits(group: Group, known: int | None) -> None:
    n = group.degree
    system = with_variables(n, Variable("x", Number(0, 1), (tuple(range(n)),)))
    every = list(elements(build_chain(group)))
    orbits = sum(2 ** cycles(g) for g in every) // len(every)
    assert known in (None, orbits)
    assert representatives(system, classify(layout_of(system), group, "exact")) == orbits


@pytest.mark.parametrize("group", [grid(3, 2), affine(11, 2), alternating(7)], ids=["S3 wr S2", "affine 11", "A7"])
def test_as_many_with_a_reference(group: Group) -> None:
    n = group.degree
    everyone = tuple(range(n))
    system = with_variables(n, Variable("x", Number(0, 1), (everyone,)), Variable("turn", AtomOf(everyone, True)))
    every = list(elements(build_chain(group)))
    fixed = sum(2 ** cycles(g) * (1 + sum(a == b for a, b in enumerate(g))) for g in every)
    plan = classify(layout_of(system), group, "exact")
    assert representatives(system, plan) == fixed // len(every)


# The choice.


def test_groups_that_are_too_large_go_down_the_chain() -> None:
    group = alternating(12)
    system = columns(12)
    record = plan_record(system, lay_out(system), classify(layout_of(system), group, "exact"))
    assert record.nodes[0] == library.REFINE


def test_an_atom_in_two_units_is_refused() -> None:
    system = columns(8)
    packed = lay_out(system)
    record = plan_record(system, packed, classify(layout_of(system), hypercube(3), "exact"))
    assert record.nodes[0] == library.COSETS
    record.nodes[record.node_count - 1] = 0
    with pytest.raises(AssertionError):
        reducer(system, packed, record)
