"""Every number and table of [W07] that can be computed."""

from itertools import permutations
from math import comb

import pytest
from tests.unit.engines.adaptive.represented_states import orbit, represented, show_node

from quorbit.detection.commands.partition import infer_partitions
from quorbit.engines.adaptive.bags import bags_of, orbit_size, subsumes, vector
from quorbit.engines.adaptive.cells import Cells
from quorbit.engines.adaptive.explore import explore, run
from quorbit.engines.adaptive.search import open_search
from quorbit.engines.reference.explore import explore as explore_reference
from quorbit.groups.chain import order
from quorbit.groups.group import Group
from quorbit.groups.partition import Partition, coarsest, finest
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.system.partitions import friends
from quorbit.model.system.system import System
from quorbit.papers.resource_controller import (
    EIGHTEEN_LARGE,
    EIGHTEEN_SMALL,
    TABLE_1,
    TABLE_1_PROCESSES,
    adaptive_states,
    fragmented,
    large_classes,
    plain_states,
    resource_controller,
    small_classes,
    standard_states,
)
from quorbit.result.outcome import Verdict
from quorbit.source.span import Source

READERS_WRITERS = """
processes 3
states N, T, C
N -> T
T -> C when forall j: s[j] != C
T -> C when i < 3 and s[3] != C
C -> N
"""


def system_of(text: str) -> System:
    return load_source(Source("model.edges", text), LoadOptions())


def reach(system: System, order: str = "bfs"):
    search = open_search(system, (), infer_partitions(system, ()), SearchOptions(search=order))
    run(search, None)
    return search


# Section 3, Figures 1 and 2.


def test_readers_writers_tree() -> None:
    system = system_of(READERS_WRITERS)
    search = reach(system)
    tree = {show_node(search.context, node): node for node in search.store.nodes()}
    parents = {name: node.parent and show_node(search.context, node.parent) for name, node in tree.items()}
    assert parents == {
        "NNN": None,
        "NNT": "NNN",
        "NTT": "NNT",
        "NNC": "NNT",
        "TTT": "NTT",
        "NTC": "NTT",
        "TTC": "TTT",
        "CC|N": "NTC",
        "CC|T": "TTC",
    }
    sizes = sorted(orbit_size(search.context.cells, node.partition, node.bags) for node in tree.values())
    assert sizes == sorted([1, 3, 3, 3, 1, 6, 3, 1, 1])
    assert (
        len(represented(search.context, search.store.nodes())) == 22 == explore_reference(system, ()).statistics.states
    )


def test_readers_writers_depth_first() -> None:
    search = reach(system_of(READERS_WRITERS), "dfs")
    assert len(search.store.nodes()) == 9


def test_inferred_partition_of_the_asymmetric_edge() -> None:
    edges = infer_partitions(system_of(READERS_WRITERS), ()).edges
    assert [edge.partition for edge in edges] == [((0, 1, 2),), ((0, 1, 2),), ((0, 1), (2,)), ((0, 1, 2),)]


# Section 4.


def test_the_partition_of_section_4_generates_eight_permutations() -> None:
    """|1,4|2,5|3,6|: the paper says six, but three exchanges that do not meet generate 2 * 2 * 2 permutations."""
    partition: Partition = ((0, 3), (1, 4), (2, 5))
    kept = [g for g in permutations(range(6)) if all(g[x] in cell for cell in partition for x in cell)]
    assert len(kept) == 8
    assert order(Group(6, kept)) == 8
    cells = Cells(coarsest(6))
    p = cells.number(partition)
    assert orbit_size(cells, p, bags_of(cells, p, (0, 1, 2, 3, 4, 5))) == 8


# Section 6: A, B, C, D are the letters 0, 1, 2, 3.

ABCD = (0, 1, 2, 3)


@pytest.mark.parametrize(
    ("partition", "size"),
    [(((0, 1, 2, 3),), 24), (((0, 1), (2, 3)), 4), (((0, 1), (2,), (3,)), 2), (finest(4), 1)],
)
def test_orbit_sizes(partition: Partition, size: int) -> None:
    cells = Cells(coarsest(4))
    p = cells.number(partition)
    bags = bags_of(cells, p, ABCD)
    assert orbit_size(cells, p, bags) == size == len(list(orbit(cells, p, bags)))


def test_the_four_orbits_are_a_descending_chain() -> None:
    cells = Cells(coarsest(4))
    chain = [((0, 1, 2, 3),), ((0, 1), (2, 3)), ((0, 1), (2,), (3,)), finest(4)]
    numbers = [cells.number(p) for p in chain]
    states = [(p, bags_of(cells, p, ABCD)) for p in numbers]
    for i, (p, s) in enumerate(states):
        for j, (q, t) in enumerate(states):
            assert subsumes(cells, p, s, q, t) == (i <= j)


A, B, C = 0, 1, 2
ONE, PAIR, ALONE = ((0, 1, 2),), ((0, 2), (1,)), finest(3)
ALL_PARTITIONS = [ONE, PAIR, ((0, 1), (2,)), ((0,), (1, 2)), ALONE]


@pytest.mark.parametrize(
    ("s", "p", "t", "others", "expected"),
    [
        ((A, B, C), ONE, (A, B, C), ALL_PARTITIONS, True),
        ((A, B, C), ONE, (B, C, A), ALL_PARTITIONS, True),
        ((A, B, C), ONE, (A, B, B), ALL_PARTITIONS, False),
        ((A, B, C), PAIR, (A, B, C), [ALONE], True),
        ((A, B, C), PAIR, (C, B, A), [ALONE], True),
        ((A, B, C), PAIR, (B, A, C), ALL_PARTITIONS, False),
        ((A, B, C), ALONE, (A, B, C), [ALONE], True),
        ((A, B, C), ALONE, (A, B, C), [PAIR], False),
    ],
)
def test_subsumption_table(s, p, t, others, expected) -> None:
    assert all(does_subsume(s, p, t, q) == expected for q in others)


def does_subsume(s, p, t, q) -> bool:
    cells = Cells(coarsest(len(s)))
    a, b = cells.number(p), cells.number(q)
    return subsumes(cells, a, bags_of(cells, a, s), b, bags_of(cells, b, t))


def test_a_finer_state_may_subsume_a_coarser_one() -> None:
    assert does_subsume((A, A), finest(2), (A, A), coarsest(2))


def test_subsumption_is_no_partial_order() -> None:
    assert does_subsume((A, B), coarsest(2), (A, B), finest(2))
    assert not does_subsume((A, B), finest(2), (A, B), coarsest(2))
    assert does_subsume((A, B), coarsest(2), (B, A), coarsest(2))


# Section 8.


def test_friends_of_the_resource_controller() -> None:
    sizes = (2, 3, 1)
    partitions = infer_partitions(system_of(resource_controller(sizes)), ())
    assert friends(partitions) == ((0, 1), (2, 3, 4), (5,))


@pytest.mark.parametrize("sizes", [(2, 2), (3, 3), (2, 3, 2)])
def test_theorem_7(sizes: tuple[int, ...]) -> None:
    """Over a set of friends no more tuples of local states are reached than standard symmetry reduction has."""
    system = system_of(resource_controller(sizes))
    search = reach(system)
    local_states = 5
    for cell in friends(infer_partitions(system, ())):
        vectors = [vector(search.context.cells, node.partition, node.bags) for node in search.store.nodes()]
        tuples = {tuple(letters[k] for k in cell) for letters in vectors}
        assert len(tuples) <= comb(len(cell) + local_states - 1, len(cell))


def test_friends_alone_make_standard_reduction() -> None:
    """If no edge tells processes apart, the abstract states are the orbits."""
    n = 4
    search = reach(system_of(f"processes {n}\nstates A, B, C\nA -> B\nB -> C\nC -> A"))
    assert len(search.store.nodes()) == comb(n + 2, n)


# Section 9.


def check_controller(sizes: tuple[int, ...], states: int) -> None:
    system = system_of(resource_controller(sizes))
    outcome = explore(system, system.properties, infer_partitions(system, system.properties))
    assert (outcome.verdict, outcome.statistics.states) == (Verdict.HOLDS, states)
    assert adaptive_states(sizes) == states


def test_eighteen_processes_adaptive() -> None:
    check_controller(small_classes(18), EIGHTEEN_SMALL[2])
    check_controller(large_classes(18), EIGHTEEN_LARGE[2])


def test_eighteen_processes_closed_forms() -> None:
    small, large = small_classes(18), large_classes(18)
    assert (plain_states(small), standard_states(small), adaptive_states(small)) == EIGHTEEN_SMALL
    assert (plain_states(large), standard_states(large), adaptive_states(large)) == (3_808_000, 397, 316)


@pytest.mark.parametrize("sizes", [(1,) * 3, (2, 2), (3, 3), (2, 2, 2), (1, 3), (3, 1, 2)])
def test_closed_forms_against_the_search(sizes: tuple[int, ...]) -> None:
    system = system_of(resource_controller(sizes))
    assert explore_reference(system, system.properties).statistics.states == plain_states(sizes)
    check_controller(sizes, adaptive_states(sizes))


@pytest.mark.parametrize("n", range(2, 19, 2))
def test_figures_3_and_4(n: int) -> None:
    check_controller(small_classes(n), adaptive_states(small_classes(n)))
    check_controller(large_classes(n), adaptive_states(large_classes(n)))


@pytest.mark.parametrize("entry", [e for e in TABLE_1 if e.k <= 3], ids=lambda e: f"{e.m}-{e.k}")
def test_table_1(entry) -> None:
    check_controller(fragmented(TABLE_1_PROCESSES, entry.k, entry.m), entry.states)


@pytest.mark.soak
@pytest.mark.parametrize("entry", [e for e in TABLE_1 if e.k > 3], ids=lambda e: f"{e.m}-{e.k}")
def test_table_1_in_full(entry) -> None:
    check_controller(fragmented(TABLE_1_PROCESSES, entry.k, entry.m), entry.states)


def test_table_1_by_closed_form() -> None:
    assert all(adaptive_states(fragmented(TABLE_1_PROCESSES, e.k, e.m)) == e.states for e in TABLE_1)


def test_an_unreachable_asymmetric_edge_costs_nothing() -> None:
    without = system_of("processes 4\nstates N, T, C, X\nN -> T\nT -> C when #C = 0\nC -> N")
    unreachable = system_of("processes 4\nstates N, T, C, X\nN -> T\nT -> C when #C = 0\nC -> N\nX -> N when i = 2")
    assert infer_partitions(unreachable, ()).edges[3].partition == ((0, 2, 3), (1,))
    assert len(reach(unreachable).store.nodes()) == len(reach(without).store.nodes())
