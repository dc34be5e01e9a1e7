"""G ⋈ H of circuits and formulas: both ways agree with each other, with the System's group, with all permutations."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import permutations

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.detection.detect import detect
from quorbit.detection.netlists.joined_graph import (
    QUOTIENT,
    SUBFORMULAS,
    Kept,
    cache_group,
    intersected_group,
    join_graphs,
    joined_group,
)
from quorbit.detection.netlists.refine import refine
from quorbit.groups.chain import build_chain, contains, order, same_group
from quorbit.groups.group import relabel
from quorbit.languages.circuits.blif.parse import parse
from quorbit.languages.circuits.properties import read_formulas
from quorbit.model.system.formula import Formula
from quorbit.netlists.flatten import flatten
from quorbit.netlists.netlist import Netlist
from quorbit.source.span import Source


def ring(n: int, first: str = "0") -> Netlist:
    """n latches in a ring, each becoming the conjunction of itself and its left neighbour."""
    text = ".model ring\n.outputs " + " ".join(f"q{i}" for i in range(n)) + "\n"
    for i in range(n):
        text += f".names q{i} q{(i - 1) % n} d{i}\n11 1\n.latch d{i} q{i} {first}\n"
    return flatten(parse(Source("ring", text), True))


def free(n: int) -> Netlist:
    """n latches, each fed by an input of its own: any permutation is a symmetry."""
    text = ".model free\n.inputs " + " ".join(f"i{k}" for k in range(n)) + "\n"
    text += "".join(f".latch i{k} q{k} 0\n" for k in range(n))
    return flatten(parse(Source("free", text), True))


def formulas(netlist: Netlist, text: str) -> tuple[Formula, ...]:
    return tuple(s.formula for s in read_formulas(Source("f.ctl", text), netlist))


def orders(netlist: Netlist, kept: Kept) -> tuple[int, int]:
    """By joining and by intersecting; they must be the same groups, not only of one order."""
    joined, intersected = joined_group(netlist, kept), intersected_group(cache_group(netlist), kept)
    assert intersected is not None
    assert same_group(joined, intersected)
    return order(joined), order(intersected)


@pytest.mark.parametrize(
    ("text", "quotient", "wholes"),
    [
        ("AG(q0=1 + q1=1 + q2=1 + q3=1 + q4=1 + q5=1);", 6, 6),
        ("AG(q0=1 * q3=1);", 2, 2),
        ("EF(q0=1 * EX q3=1);", 1, 1),
        ("AG q0=1 + AG q1=1 + AG q2=1 + AG q3=1 + AG q4=1 + AG q5=1;", 1, 6),
        ("AG(q0=1 -> AF q3=0) * AG(q3=1 -> AF q0=0);", 1, 2),
        ("A(q0=1 U q3=1);", 1, 1),
        ("AG(q0 == q3);", 2, 2),
        ("AG(q0=1 * q3=0);", 1, 1),
    ],
)
def test_rotations_that_keep_a_formula(text: str, quotient: int, wholes: int) -> None:
    netlist = ring(6)
    asked = formulas(netlist, text)
    assert orders(netlist, Kept(asked, (), QUOTIENT)) == (quotient, quotient)
    assert orders(netlist, Kept(asked, (), SUBFORMULAS)) == (wholes, wholes)


@pytest.mark.parametrize("text", ["AG(q0=1 * q3=1);", "EF(q0=1 * EX q3=1);", "AG(q1=1 + q3=1 + q5=1);"])
def test_the_group_of_the_system_is_the_same(text: str) -> None:
    netlist = ring(6)
    stated = read_formulas(Source("f.ctl", text), netlist)
    system = system_of(netlist, stated)
    found = detect(system, system.properties).group
    latches = [a for a, atom in enumerate(system.atoms) if atom.sort == "latch"]
    assert same_group(relabel(found, latches), joined_group(netlist, Kept(tuple(s.formula for s in stated))))


def test_fairness_restricts_like_formulas() -> None:
    netlist = ring(6)
    fair = formulas(netlist, "q0=1; q2=1; q4=1;")
    assert orders(netlist, Kept((), fair, QUOTIENT))[0] == 1
    assert orders(netlist, Kept((), fair, SUBFORMULAS))[0] == 3
    together = formulas(netlist, "q0=1 + q2=1 + q4=1;")
    assert orders(netlist, Kept((), together, QUOTIENT))[0] == 3
    assert orders(netlist, Kept(formulas(netlist, "AG(q0=1 * q3=1);"), together, QUOTIENT))[0] == 1


def test_two_formulas_are_not_exchanged_with_each_other() -> None:
    netlist = ring(6)
    assert orders(netlist, Kept(formulas(netlist, "AG q0=1; AG q3=1;"), (), QUOTIENT))[0] == 1
    assert orders(netlist, Kept(formulas(netlist, "AG q0=1; AG q3=1;"), (), SUBFORMULAS))[0] == 1


def test_first_values_belong_to_the_graph() -> None:
    netlist = ring(4)
    latches = (replace(netlist.latches[0], reset=None), *netlist.latches[1:])
    assert order(joined_group(netlist, Kept())) == 4
    assert order(joined_group(replace(netlist, latches=latches), Kept())) == 1


def test_too_many_images_are_left_to_joining() -> None:
    netlist = free(8)
    asked = Kept(formulas(netlist, "AG(q0=1 * q1=1 + q2=1 * q3=1);"))
    assert intersected_group(cache_group(netlist), asked, largest=50) is None
    assert order(joined_group(netlist, asked)) == 8 * 24


def random_formula(rng: random.Random, n: int, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return f"q{rng.randrange(n)}={rng.randrange(2)}"
    inner = [random_formula(rng, n, depth - 1) for _ in range(2)]
    kind = rng.choice(["*", "+", "<->", "->", "EX", "AF", "!"])
    if kind in ("EX", "AF", "!"):
        return f"{kind}({inner[0]})"
    return f"({inner[0]} {kind} {inner[1]})"


@pytest.mark.parametrize("seed", range(30))
def test_both_ways_agree_on_random_formulas(seed: int) -> None:
    rng = random.Random(seed)
    netlist = rng.choice([ring(5), ring(6), free(4), free(5)])
    n = len(netlist.latches)
    asked = formulas(
        netlist, "".join(random_formula(rng, n, rng.randint(1, 3)) + ";" for _ in range(rng.randint(1, 2)))
    )
    fair = formulas(netlist, random_formula(rng, n, 1) + ";") if rng.random() < 0.4 else ()
    found = [orders(netlist, Kept(asked, fair, purpose))[0] for purpose in (QUOTIENT, SUBFORMULAS)]
    assert found[1] % found[0] == 0  # what keeps each part keeps the whole


def test_the_group_of_a_formula_is_that_of_all_permutations_that_keep_it() -> None:
    """Where the circuit allows everything, G ⋈ H is H: the truth of the formula's one part tells which those are."""
    netlist = free(4)
    asked = Kept(formulas(netlist, "AG(q0=1 * q1=1 + q2=1 * q3=1);"))
    chain = build_chain(joined_group(netlist, asked))
    pairs = [{0, 1}, {2, 3}]
    for g in permutations(range(4)):
        keeps = all({g[i] for i in pair} in pairs for pair in pairs)
        assert contains(chain, g) == keeps


def test_statistics_of_a_joined_graph() -> None:
    """A latch fed by its input: six vertices.  The formula adds its root, an operator and two propositions; by hand."""
    netlist = free(2)
    joined = join_graphs(netlist, Kept(formulas(netlist, "AG(q0=1 + q1=1);")))
    row = refine(joined.graph).row
    # inputs, latch inputs, latches, ports and answers of the reset tables; then one or two new vertices of each kind
    assert row[0] == 2 * 5 + 4
    assert row[1] == 2 * 4 + 1 + 2 + 2
    assert row[2] == 5 + 3
    assert row[5] == 5 + 3
