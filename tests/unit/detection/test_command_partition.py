"""Inferred partitions of edges: valid and coarsest, by brute force over all states and permutations."""

import random
from itertools import permutations, product

import pytest

from quorbit.detection.commands.partition import check_partition, coarser_share, infer_partitions
from quorbit.groups.partition import Partition, by_label, is_finer
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.meaning.permute import permute_state
from quorbit.model.specialise.constants import extract_constants
from quorbit.model.specialise.start import run_start
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import Atoms, Bound, Parameter, Read, atom, equal, number
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import Number, values
from quorbit.source.span import Source


def system_of(text: str) -> System:
    return load_source(Source("model.edges", text), LoadOptions())


def partitions_of(text: str) -> list[Partition]:
    return [edge.partition for edge in infer_partitions(system_of(text), ()).edges]


HEAD = "processes 4\nstates A, B, C\nshared x: bool = false\nshared owner: process or none = none\n"


@pytest.mark.parametrize(
    ("edge", "partition"),
    [
        ("A -> B", ((0, 1, 2, 3),)),
        ("A -> B when i = 3", ((0, 1, 3), (2,))),
        ("A -> B when i < 3", ((0, 1), (2, 3))),
        ("A -> B when i < 3 and s[4] != C", ((0, 1), (2,), (3,))),
        ("A -> B when forall j < i: s[j] != A", ((0,), (1,), (2,), (3,))),
        ("A -> B when forall j <= 2: s[j] != B", ((0, 1), (2, 3))),
        ("A -> B when #B = 0 and x do x := false, owner := i", ((0, 1, 2, 3),)),
        ("A -> B when owner = 2", ((0, 2, 3), (1,))),
        ("A -> B do owner := 1", ((0,), (1, 2, 3))),
        ("A -> B with m when m != i and s[m] = B do s[m] := A", ((0, 1, 2, 3),)),
        ("A -> B with m when m < i", ((0,), (1,), (2,), (3,))),
        # written differently, meaning the same
        ("A -> B when s[1] = B and (s[1] = B or s[2] = C)", ((0,), (1, 2, 3))),
        ("A -> B when i = 1 or i = 2 or i >= 3", ((0, 1, 2, 3),)),
        ("A -> B when s[1] = C and s[1] != C", ((0, 1, 2, 3),)),
        ("A -> B when i <= 2 and s[i] = A or i > 2 and not s[i] != A", ((0, 1, 2, 3),)),
    ],
)
def test_partition_of_an_edge(edge: str, partition: Partition) -> None:
    assert partitions_of(HEAD + edge) == [partition]


def test_classes_matter_only_where_they_are_named() -> None:
    text = "processes a: 1..2, b: 3..4\nstates A, B\nA -> B\na: B -> A\nb: B -> A when #B[a] = 0"
    assert partitions_of(text) == [((0, 1, 2, 3),), ((0, 1), (2, 3)), ((0, 1), (2, 3))]


def test_large_edges_are_compared_by_their_terms() -> None:
    text = "processes 40\nstates A, B, C\nA -> B when i <= 10 and forall j > 35: s[j] != C"
    assert partitions_of(text) == [(tuple(range(10)), tuple(range(10, 35)), tuple(range(35, 40)))]


def test_errors_fall_into_clauses() -> None:
    system = system_of(
        "processes 3\nstates A, B\nA -> B\nerror e: s[3] = B and #B > 1\ninvariant f: #B < 2 or s[1] = A"
    )
    errors = infer_partitions(system, system.properties).errors
    assert [[clause.partition for clause in clauses] for clauses in errors[:2]] == [
        [((0, 1), (2,)), ((0, 1, 2),)],
        [((0, 1, 2),), ((0,), (1, 2))],
    ]


def test_asserted_partitions_must_pass_the_check() -> None:
    system = system_of(HEAD + "A -> B when i < 3")
    assert check_partition(system, (0,), ((0, 1), (2,), (3,)))
    assert not check_partition(system, (0,), ((0, 1, 2), (3,)))


def test_share_of_edges_that_tell_fewer_apart() -> None:
    inferred = infer_partitions(system_of(HEAD + "A -> B\nB -> C\nB -> A\nC -> A when i = 1"), ())
    assert coarser_share(inferred, ((0,), (1, 2, 3))) == 0.75
    assert coarser_share(inferred, ((0, 1, 2, 3),)) == 0


# Systems that no diagram says.

LOCAL = Read("s", (Bound("i"),))
ALL = Parameter("i", Atoms((0, 1, 2)))
ATOMS = tuple(Atom(str(k), "process") for k in range(3))
STATES = Variable("s", Number(0, 2), ((0, 1, 2),))


def test_commands_written_out_for_their_processes_are_one_edge() -> None:
    where = system_of("processes 2\nstates A, B\nA -> B").commands[0].span
    places = [Read("s", (atom(a),)) for a in range(3)]
    commands = tuple(Command("go", equal(p, number(0)), (assign((p, number(1))),), span=where) for p in places)
    edges = infer_partitions(System("m", ATOMS, (STATES,), commands), ()).edges
    assert [(edge.commands, edge.partition) for edge in edges] == [((0, 1, 2), ((0, 1, 2),))]


def test_ranks_hide() -> None:
    """A command of rank 1 runs where no other can, so it tells apart whom the others tell apart."""
    only = Command("only", equal(Bound("i"), atom(0)), (assign((LOCAL, number(1))),), (ALL,), (Bound("i"),))
    late = Command("late", effect=(assign((LOCAL, number(2))),), parameters=(ALL,), actors=(Bound("i"),), rank=1)
    edges = infer_partitions(System("m", ATOMS, (STATES,), (only, late)), ()).edges
    assert [edge.partition for edge in edges] == [((0,), (1, 2)), ((0,), (1, 2))]


def test_constants_of_processes() -> None:
    """A number that a process was started with tells it apart only where it is used."""
    mine = Read("me", (Bound("i"),))
    start = Command("start", effect=(assign(*((Read("me", (atom(a),)), number(a)) for a in range(3))),))
    free = Command("free", effect=(assign((LOCAL, number(1))),), parameters=(ALL,), actors=(Bound("i"),))
    first = Command("first", equal(mine, number(0)), (assign((LOCAL, number(2))),), (ALL,), (Bound("i"),))
    me = Variable("me", Number(0, 2), ((0, 1, 2),))
    system = extract_constants(run_start(System("m", ATOMS, (STATES, me), (free, first), (start,)))).system
    assert [e.partition for e in infer_partitions(system, ()).edges] == [((0, 1, 2),), ((0,), (1, 2))]


# By brute force.


def random_condition(rnd: random.Random, n: int, depth: int) -> str:
    k, a = rnd.randint(1, n), rnd.choice("AB")
    if depth and rnd.random() < 0.6:
        joined = rnd.choice([" and ", " or "])
        return joined.join(f"({random_condition(rnd, n, depth - 1)})" for _ in range(2))
    simple = [
        f"s[{k}] = {a}",
        f"s[{k}] != {a}",
        f"i = {k}",
        f"i < {k}",
        f"#{a} <= 1",
        "x",
        f"forall j < {k}: s[j] = {a}",
    ]
    return rnd.choice([*simple, f"forall j != i: s[j] != {a}", f"exists j > {k}: s[j] = {a}", f"s[i] = {a}"])


def random_system(seed: int) -> System:
    rnd = random.Random(seed)
    n = rnd.choice([2, 3, 3, 4])
    effect = rnd.choice(["", " do x := not x", f" do s[{rnd.randint(1, n)}] := B"])
    target = rnd.choice("AB") if "s[" not in effect else "A"
    with_other = "" if "s[" not in effect else f" and i != {effect[6]}"
    text = f"processes {n}\nstates A, B\nshared x: bool = false\n"
    text += f"* -> {target} when ({random_condition(rnd, n, 2)}){with_other}{effect}"
    return system_of(text)


def keeps(system: System, g: tuple[int, ...]) -> bool:
    """By definition: what process i does in s, process g(i) does in g(s)."""
    meaning = Meaning(system)
    return all(
        effect_of(meaning, permute_state(system, g, s), g[a]) == moved(system, g, effect_of(meaning, s, a))
        for s in product(*(tuple(values(place.type)) for place in system.places))
        for a in range(len(system.atoms))
    )


def effect_of(meaning: Meaning, s, a: int):
    if not meaning.holds(meaning.system.commands[0].guard, s, {"i": a}):
        return None
    return meaning.fire(s, Firing(0, (a,)))[0]


def moved(system: System, g: tuple[int, ...], s):
    return None if s is None else permute_state(system, g, s)


def check_coarsest(seed: int) -> None:
    system = random_system(seed)
    n = len(system.atoms)
    found = infer_partitions(system, ()).edges[0].partition
    kept = [g for g in permutations(range(n)) if keeps(system, g)]
    swaps = {(a, b) for g in kept for a, b in [tuple(x for x in range(n) if g[x] != x)[:2] or (0, 0)] if is_swap(g)}
    expected = by_label(range(n), (min([a, *(x for x, y in swaps if y == a)]) for a in range(n)))
    assert found == expected
    assert all(g in kept for g in permutations(range(n)) if is_finer(orbits_of(g), found))


def is_swap(g: tuple[int, ...]) -> bool:
    return sum(x != k for k, x in enumerate(g)) == 2


def orbits_of(g: tuple[int, ...]) -> Partition:
    label = list(range(len(g)))
    for _ in g:
        for k, x in enumerate(g):
            label[k] = label[x] = min(label[k], label[x])
    return by_label(range(len(g)), label)


@pytest.mark.parametrize("seed", range(40))
def test_valid_and_coarsest(seed: int) -> None:
    check_coarsest(seed)


@pytest.mark.soak
def test_valid_and_coarsest_in_full() -> None:
    for seed in range(10_000, 15_000):
        check_coarsest(seed)
