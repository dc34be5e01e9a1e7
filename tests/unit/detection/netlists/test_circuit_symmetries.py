"""Symmetries of netlists: the graph of [M97], the semantic one, and the proof on the next-state functions."""

from __future__ import annotations

from math import factorial
from pathlib import Path

import pytest
from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.bdd.open import open_manager
from quorbit.detection.detect import detect
from quorbit.detection.netlists.semantic_graph import circuit_group
from quorbit.groups.chain import order
from quorbit.languages.circuits.aiger.read import parse_aiger
from quorbit.languages.circuits.blif.parse import parse
from quorbit.languages.circuits.load import read_netlist
from quorbit.languages.options import LoadOptions
from quorbit.netlists.flatten import flatten
from quorbit.netlists.netlist import Latch, Netlist
from quorbit.netlists.next_functions import build_functions, is_preserved
from quorbit.source.span import Source

MODELS = Path(__file__).parents[4]


def read(text: str, is_blif: bool = True) -> Netlist:
    return flatten(parse(Source("test", text), is_blif))


# Four latches; each goes to 1 when all are 1, the conjunction being a tree of gates with two inputs.
TREE = """.model tree
.names a b x
11 1
.names x c y
11 1
.names y d z
11 1
""" + "".join(f".latch z {n} 0\n" for n in "abcd")

# The majority of three latches, written so that its rows are not symmetric.
MAJORITY = """.model majority
.names a b c z
11- 1
101 1
011 1
""" + "".join(f".latch z {n} 0\n" for n in "abc")


@pytest.mark.parametrize(("text", "written", "meant"), [(TREE, 2, 24), (MAJORITY, 2, 6)])
def test_what_a_table_computes_shows_more_than_how_it_is_written(text: str, written: int, meant: int) -> None:
    netlist = read(text)
    assert order(circuit_group(netlist, semantic=False)) == written
    assert order(circuit_group(netlist)) == meant


def test_an_and_inverter_graph_hides_nothing() -> None:
    """x1 or x2 or x3 or x4 as negated conjunctions of two; each latch becomes the disjunction."""
    text = "aag 7 0 4 0 3\n" + "".join(f"{2 * k} 15\n" for k in range(1, 5)) + "10 3 5\n12 10 7\n14 12 9\n"
    assert order(circuit_group(parse_aiger("or.aag", text.encode()))) == factorial(4)


def test_only_permutations_that_preserve_the_functions_pass() -> None:
    text = ".model m\n.names a b z\n10 1\n.names a b y\n11 1\n.latch z a 0\n.latch y b 0\n.latch y c 0\n"
    functions = build_functions(read(text), open_manager())
    assert is_preserved(functions, {})
    assert not is_preserved(functions, {"a": "b", "b": "a"})
    assert not is_preserved(functions, {"b": "c", "c": "b"})
    assert not is_preserved(functions, {"a": "b"})
    assert is_preserved(build_functions(read(TREE), open_manager()), {"a": "d", "d": "a"})


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("examples/circuits/philosophers20.mv", 20),
        ("examples/circuits/philosophers20.v", 20),
        ("examples/circuits/ping_pong.mv", 2),
        ("examples/circuits/ping_pong.v", 2),
        ("tests/models/circuits/philosophers5.mv", 5),
        ("tests/models/circuits/philosophers5.v", 5),
    ],
)
def test_three_ways_to_the_same_group(file: str, expected: int) -> None:
    netlist = read_netlist(MODELS / file, LoadOptions())
    assert order(circuit_group(netlist, semantic=False)) == expected
    assert order(circuit_group(netlist)) == expected
    system = system_of(netlist, [])
    assert detect(system, ()).group.known_order == expected


def test_not_every_group_is_made_that_way() -> None:
    """[M97, 6.4.6] chains sub-circuits that permute by coset representatives; for the trivial group all of these are
    the identity, every latch feeds itself, and all permutations of the latches are symmetries."""
    latches = tuple(Latch(f"s{i}", f"s{i}", None) for i in range(3))
    system = system_of(Netlist("chain", (), (), (), latches), [])
    assert detect(system, ()).group.known_order == 6
