"""Proofs by BDD that an exchange keeps an edge: the same answers as looking at all states, and beyond their reach."""

import random
from itertools import combinations

import pytest

from quorbit.detection.commands.partition import check_partition, infer_partitions
from quorbit.detection.commands.proof import EdgeProof
from quorbit.detection.commands.semantics import EdgeMeaning
from quorbit.groups.group import swap
from quorbit.groups.moves import permutation_of
from quorbit.groups.partition import Partition
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.model.system.command import Command, Require, assign
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Elements,
    Expr,
    Operator,
    Parameter,
    Read,
    atom,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import AtomOf, Number, SetOf
from quorbit.source.span import Source


def system_of(text: str) -> System:
    return load_source(Source("model.edges", text), LoadOptions())


def random_condition(rnd: random.Random, n: int, depth: int) -> str:
    k, a = rnd.randint(1, n), rnd.choice("AB")
    if depth and rnd.random() < 0.6:
        joined = rnd.choice([" and ", " or ", " => "])
        return joined.join(f"({random_condition(rnd, n, depth - 1)})" for _ in range(2))
    return rnd.choice(
        [
            f"s[{k}] = {a}",
            f"i = {k}",
            f"i < {k}",
            f"#{a} <= x",
            f"(count j: j != i and s[j] = {a}) = {rnd.randint(0, 2)}",
            f"x + {k} > 2",
            f"owner = {k}",
            "owner = i",
            "owner = none",
            f"forall j < {k}: s[j] = {a}",
            f"exists j > i: s[j] = {a}",
        ]
    )


def random_system(seed: int) -> System:
    rnd = random.Random(seed)
    n = rnd.choice([2, 3, 3])
    effects = rnd.sample(["x := (x + 1) % 3", "x := #A % 3", f"owner := {rnd.randint(1, n)}"], 1)
    effects = [rnd.choice([*effects, "owner := i", "owner := none"])]
    with_other = rnd.random() < 0.2
    more = ["with m"] if with_other else []
    effects += ["s[m] := B"] if with_other else []
    guard = f"({random_condition(rnd, n, 2)})" + (" and m != i" if with_other else "")
    head = f"processes {n}\nstates A, B\nshared x: 0..2 = 0\nshared owner: process or none = none\n"
    return system_of(head + " ".join(["* -> A", *more, "when", guard, "do", ", ".join(effects)]))


def check_agreement(seed: int) -> bool:
    """Whether some exchange was proved that is not plain from the start."""
    system = random_system(seed)
    points = tuple(range(len(system.atoms)))
    by_states, proof = EdgeMeaning(system, system.commands), EdgeProof(system, system.commands)
    found = []
    for a, b in combinations(points, 2):
        g = permutation_of(swap(a, b), points)
        found.append(proof.keeps(g))
        assert found[-1] == by_states.keeps(g)
    return any(found)


def test_the_same_answers_as_all_states_give() -> None:
    assert sum(check_agreement(seed) for seed in range(60)) > 10


@pytest.mark.soak
def test_the_same_answers_as_all_states_give_in_full() -> None:
    assert sum(check_agreement(seed) for seed in range(1000, 4000)) > 500


@pytest.mark.parametrize(
    ("edge", "partition"),
    [
        ("A -> B when not ({none})", ((0, 1, 2, 3, 4, 5, 6, 7, 8),)),
        ("A -> B when (s[1] = A and s[2] != B) or (s[1] != B and s[2] = A)", ((0, 1), (2, 3, 4, 5, 6, 7, 8))),
        ("A -> B when i > 5 and ({none}) or i > 5 and not ({none})", ((0, 1, 2, 3, 4), (5, 6, 7, 8))),
        ("A -> B when {weights} = 6", ((0, 1, 2, 3, 4, 5, 6, 7, 8),)),
        ("A -> B when {weights} + 2 * (count j: j = 2 and s[j] = A) = 6", ((0, 2, 3, 4, 5, 6, 7, 8), (1,))),
    ],
)
def test_edges_with_too_many_states_to_look_at(edge: str, partition: Partition) -> None:
    """9 processes in one of 3 states: 19,683 states."""
    none = " or ".join(f"s[{k}] = C" for k in range(1, 10))
    weights = " + ".join(f"2 * (count j: j = {k} and s[j] = A)" for k in range(1, 10))
    system = system_of("processes 9\nstates A, B, C\n" + edge.format(none=none, weights=weights))
    assert [found.partition for found in infer_partitions(system, ()).edges] == [partition]
    assert check_partition(system, (0,), partition)
    assert not check_partition(system, (0,), (tuple(range(8)), (8,))) or len(partition) == 1


# Systems that no diagram says.

ATOMS = tuple(Atom(str(k), "process") for k in range(3))
STATES = Variable("s", Number(0, 2), ((0, 1, 2),))
LOCAL = Read("s", (Bound("i"),))
ALL = Parameter("i", Atoms((0, 1, 2)))
FIRST = permutation_of(swap(0, 1), (0, 1, 2))
LAST = permutation_of(swap(1, 2), (0, 1, 2))


def kept(*commands: Command, variables: tuple[Variable, ...] = (STATES,)) -> tuple[bool, bool]:
    proof = EdgeProof(System("m", ATOMS, variables, commands), commands)
    return proof.keeps(FIRST), proof.keeps(LAST)


def test_requirements_are_compared() -> None:
    holds: Expr = negation(equal(Read("s", (atom(0),)), number(1)))
    effect = (Require(holds, "first is not in 1"), assign((LOCAL, number(2))))
    assert kept(Command("go", effect=effect, parameters=(ALL,), actors=(Bound("i"),))) == (False, True)
    effect = (assign((Read("s", (atom(0),)), number(2))), Require(equal(LOCAL, number(2)), "moved"))
    assert kept(Command("go", effect=effect, parameters=(ALL,), actors=(Bound("i"),))) == (False, True)


def test_commands_written_out_for_their_processes() -> None:
    def go(a: int, target: int) -> Command:
        place = Read("s", (atom(a),))
        return Command("go", equal(place, number(0)), (assign((place, number(target))),), actors=(atom(a),))

    assert kept(go(0, 1), go(1, 1), go(2, 1)) == (True, True)
    assert kept(go(0, 2), go(1, 1), go(2, 1)) == (False, True)
    assert kept(go(1, 1), go(2, 1)) == (False, True)


def test_computed_addresses() -> None:
    pointer = Variable("p", AtomOf((0, 1, 2)))
    effect = (assign((Read("s", (Read("p"),)), number(1)), (Read("p"), Bound("i"))),)
    assert kept(Command("go", effect=effect, parameters=(ALL,)), variables=(STATES, pointer)) == (True, True)


def test_what_cannot_be_said_is_not_proved() -> None:
    """A value outside its place's type, a division by zero, choices that depend on the state."""
    outside = Apply(Operator.ADD, (LOCAL, number(1)))
    assert kept(Command("go", effect=(assign((LOCAL, outside)),), parameters=(ALL,))) == (False, False)
    undefined = equal(Apply(Operator.DIVIDE, (number(1), LOCAL)), number(1))
    assert kept(Command("go", undefined, parameters=(ALL,))) == (False, False)
    members = Variable("m", SetOf(AtomOf((0, 1, 2))))
    chosen = Parameter("i", Elements(Read("m"), AtomOf((0, 1, 2))))
    assert kept(Command("go", parameters=(chosen,)), variables=(STATES, members)) == (False, False)
