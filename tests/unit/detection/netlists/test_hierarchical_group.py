"""Symmetries found model by model: the same as those of the flat circuit, or some of them, and with fewer vertices."""

from __future__ import annotations

import random

import pytest

from quorbit.detection.netlists.hierarchical_group import hierarchical_group
from quorbit.detection.netlists.joined_graph import Kept, joined_group
from quorbit.groups.chain import is_subgroup, order, same_group
from quorbit.languages.circuits.blif.parse import parse
from quorbit.netlists.flatten import flatten
from quorbit.netlists.program import Program
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def read(text: str, is_blif: bool = True) -> Program:
    return parse(Source("test", text), is_blif)


CELL = """.model cell
.inputs left right
.outputs out
.names left right out next
11- 1
1-1 1
-11 1
.latch next out 0
"""


def ring(n: int, directed: bool = False) -> str:
    """n cells, each connected with its two neighbours; the cells do not tell left from right."""
    text = ".model ring\n"
    for i in range(n):
        left, right = f"q{(i - 1) % n}", f"q{(i + 1) % n}"
        text += f".subckt cell left={left} right={left if directed else right} out=q{i}\n"
    return text + ".end\n" + CELL


@pytest.mark.parametrize(("n", "directed", "expected"), [(5, False, 10), (6, False, 12), (6, True, 6)])
def test_a_ring_of_cells(n: int, directed: bool, expected: int) -> None:
    program = read(ring(n, directed))
    found = hierarchical_group(program)
    assert order(found.group) == expected
    assert same_group(found.group, joined_group(flatten(program), Kept()))
    assert (found.parts, found.instances) == (2, n)


# A pair of latches, each fed by an input of the pair: the inputs can be exchanged if the latches are.
PAIR = """.model pair
.inputs a b
.outputs y
.latch a p 0
.latch b q 0
.names p q y
11 1
"""


def test_latches_go_along_when_ports_are_permuted() -> None:
    text = ".model top\n.inputs i j k l\n.outputs z\n.subckt pair a=i b=j y=u\n.subckt pair a=k b=l y=v\n"
    program = read(text + ".names u v z\n11 1\n.end\n" + PAIR)
    found = hierarchical_group(program)
    assert order(found.group) == 8
    assert same_group(found.group, joined_group(flatten(program), Kept()))


# Inside, two chains that can be exchanged without the ports seeing it.
HIDDEN = """.model hidden
.inputs a
.outputs y
.latch a p 0
.latch a q 0
.names p q y
1- 1
-1 1
"""


def test_symmetries_inside_an_instance_belong_to_every_instance() -> None:
    text = ".model top\n.inputs i\n.outputs z\n.subckt hidden a=i y=u\n.subckt hidden a=u y=v\n.subckt hidden a=v y=z\n"
    program = read(text + ".end\n" + HIDDEN)
    found = hierarchical_group(program)
    assert order(found.group) == 2**3
    assert same_group(found.group, joined_group(flatten(program), Kept()))


# Two wires that cross the cell: input k goes to output k, so inputs and outputs move together only.
COLUMNS = """.model columns
.inputs a b
.outputs x y
.latch a x 0
.latch b y 0
"""


def test_an_inside_that_ties_ports_together_is_drawn() -> None:
    text = ".model top\n.inputs i j k l\n.outputs m n o p\n.subckt columns a=i b=j x=m y=n\n"
    program = read(text + ".subckt columns a=k b=l x=o y=p\n.end\n" + COLUMNS)
    found = hierarchical_group(program)
    assert order(found.group) == 24
    assert same_group(found.group, joined_group(flatten(program), Kept()))


def test_models_within_models() -> None:
    text = ".model top\n.inputs i j\n.outputs z\n.subckt two a=i y=u\n.subckt two a=j y=v\n.names u v z\n11 1\n.end\n"
    text += ".model two\n.inputs a\n.outputs y\n.subckt hidden a=a y=u\n.subckt hidden a=a y=v\n"
    text += ".names u v y\n1- 1\n-1 1\n.end\n"
    program = read(text + HIDDEN)
    found = hierarchical_group(program)
    assert order(found.group) == (2**2 * 2) ** 2 * 2
    assert same_group(found.group, joined_group(flatten(program), Kept()))
    assert (found.parts, found.instances) == (3, 6)


def test_domains_come_from_outside_and_from_inside() -> None:
    outside = ".model top\n.mv i,q 3\n.inputs i\n.outputs q r\n.subckt keep a=i y=q\n.mv j,r 2\n.subckt keep a=j y=r\n"
    outside += ".names j\n0\n1\n.end\n.model keep\n.inputs a\n.outputs y\n.latch a y\n.reset y\n0\n.end\n"
    program = read(outside, False)
    assert order(hierarchical_group(program).group) == 1
    inside = ".model top\n.inputs i j\n.outputs q r\n.mv i,j 3\n.subckt keep a=i y=q\n.subckt keep a=j y=r\n.end\n"
    inside += ".model keep\n.mv a,y 3\n.inputs a\n.outputs y\n.latch a y\n.reset y\n0\n.end\n"
    program = read(inside, False)
    assert order(hierarchical_group(program).group) == 2


def test_first_values_are_seen() -> None:
    text = ring(6).replace(".subckt cell left=q5", ".subckt other left=q5")
    program = read(text + CELL.replace(".model cell", ".model other").replace("out 0", "out 1"))
    assert order(hierarchical_group(program).group) == 2


def random_hierarchy(rng: random.Random) -> str:
    """A root whose instances all feed two symmetric gates, of a model of gates and instances of another such model."""
    first, second = random_model(rng, "one", []), random_model(rng, "two", ["one"])
    root, inputs = ".model top\n.inputs a b c\n.outputs y z\n", ["a", "b", "c"]
    chosen = rng.choice(["one", "two"])
    count = rng.randint(2, 4)
    for k in range(count):
        bound = [rng.choice(inputs) for _ in inputs] if rng.random() < 0.3 else inputs
        root += f".subckt {chosen} a={bound[0]} b={bound[1]} c={bound[2]} y=s{k} z=t{k}\n"
    for prefix, output in (("s", "y"), ("t", "z")):
        root += f".names {' '.join(f'{prefix}{k}' for k in range(count))} {output}\n{'1' * count} 1\n"
    return root + ".end\n" + second + first


def random_model(rng: random.Random, name: str, inner: list[str]) -> str:
    nets = ["a", "b", "c"]
    text = f".model {name}\n.inputs a b c\n.outputs y z\n"
    for k in range(rng.randint(2, 4)):
        x, y = rng.sample(nets, 2)
        gate = rng.choice(["11 1\n", "1- 1\n-1 1\n", "10 1\n", "10 1\n01 1\n"])
        text += f".names {x} {y} g{k}\n{gate}"
        if rng.random() < 0.6:
            text += f".latch g{k} l{k} {rng.choice([0, 0, 1])}\n"
            nets.append(f"l{k}")
        nets.append(f"g{k}")
    for k in range(rng.randint(2, 3) if inner else 0):
        x, y, z = (rng.choice(nets) for _ in range(3))
        text += f".subckt {rng.choice(inner)} a={x} b={y} c={z} y=s{k} z=t{k}\n"
        nets += [f"s{k}", f"t{k}"]
    return text + f".names {rng.choice(nets)} y\n1 1\n.names {rng.choice(nets)} z\n1 1\n.end\n"


@pytest.mark.parametrize("seed", range(40))
def test_every_symmetry_found_is_one_of_the_flat_circuit(seed: int) -> None:
    program = read(random_hierarchy(random.Random(seed)))
    found, netlist = hierarchical_group(program).group, flatten(program)
    assert found.degree == len(netlist.latches)
    assert found.is_trivial or is_subgroup(found, joined_group(netlist, Kept()))


def test_mistakes_are_told() -> None:
    with pytest.raises(UserError, match="there is no model cell"):
        hierarchical_group(read(ring(3).replace(CELL, ".model unused\n.end\n")))
    with pytest.raises(UserError, match="contains itself"):
        hierarchical_group(read(".model top\n.inputs a\n.subckt top a=a\n.end\n"))
