"""Wide gates are the functions that their nodes are, and need fewer names."""

from __future__ import annotations

import random
from itertools import product

import pytest

from quorbit.model.diagrams.gates import Edge, Gates
from quorbit.model.diagrams.wide_gates import Choice, WideGates


def test_a_chain_is_one_conjunction() -> None:
    gates = Gates()
    gates.add_variables(4)
    a, b, c, d = map(gates.variable, range(4))
    chain = ((a & ~b) & c) & d
    assert set(WideGates(gates).inputs(chain.number >> 1)) == {a.number, b.number ^ 1, c.number, d.number}
    shared = a & b
    both = shared & c
    assert shared & d != both
    assert set(WideGates(gates).inputs(both.number >> 1)) == {shared.number, c.number}


def test_choices_and_exclusive_ors_are_found() -> None:
    gates = Gates()
    gates.add_variables(3)
    a, b, c = map(gates.variable, range(3))
    chosen, same = gates.choose(a, b, c), gates.equivalent(b, c)
    wide = WideGates(gates)
    assert isinstance(wide.of(chosen.number >> 1), Choice)
    assert isinstance(wide.of(same.number >> 1), Choice)


@pytest.mark.parametrize("seed", range(40))
def test_wide_gates_mean_what_the_graph_means(seed: int) -> None:
    gates, chance = Gates(), random.Random(seed)
    gates.add_variables(4)
    edges = [gates.variable(v) for v in range(4)]
    for _ in range(25):
        a, b, c = (f if chance.random() < 0.5 else ~f for f in chance.choices(edges, k=3))
        edges.append(chance.choice([a & b, a | b, gates.choose(a, b, c), gates.equivalent(a, b)]))
    wide = WideGates(gates)
    for values in product((False, True), repeat=4):
        narrow = {0: False, **{gates.nodes_of_variables[v]: values[v] for v in range(4)}}
        for n, operands in enumerate(gates.operands):
            if operands is not None:
                narrow[n] = all(narrow[e >> 1] != bool(e & 1) for e in operands)
        for edge in edges:
            assert value(wide, edge.number & ~1, narrow) == narrow[edge.number >> 1], seed
            assert (
                all(narrow[e >> 1] != bool(e & 1) for e in gates.conjuncts(Edge(gates, edge.number & ~1)))
                == (narrow[edge.number >> 1])
            )


def value(wide: WideGates, edge: int, leaves: dict[int, bool]) -> bool:
    """By the wide gates alone; of ``leaves`` those of variables and the constant are read."""
    match wide.of(edge >> 1):
        case None:
            found = leaves[edge >> 1]
        case Choice(c, t, e):
            found = value(wide, t if value(wide, c, leaves) else e, leaves)
        case operands:
            found = all(value(wide, e, leaves) for e in operands)
    return found != bool(edge & 1)
