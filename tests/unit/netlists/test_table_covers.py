"""Which inputs a table leaves open and where it is ambiguous, against all points of small random tables."""

from __future__ import annotations

import random
from itertools import product

import pytest

from quorbit.netlists.covers import is_ambiguous, uncovered
from quorbit.netlists.netlist import (
    ANYTHING,
    Among,
    Anything,
    Domain,
    Entry,
    Netlist,
    Row,
    Same,
    Table,
    range_domain,
)


def random_table(rng: random.Random) -> tuple[Netlist, Table]:
    nets = [f"n{i}" for i in range(rng.randint(0, 4))]
    domains: dict[str, Domain] = {net: range_domain(rng.choice((2, 3))) for net in [*nets, "y"]}

    def entry(net: str) -> Entry:
        alike = [o for o in nets if o != net and domains[o] == domains[net]]
        if alike and rng.random() < 0.15:
            return Same(rng.choice(alike))
        size = len(domains[net])
        return ANYTHING if rng.random() < 0.4 else Among(tuple(sorted(rng.sample(range(size), rng.randint(1, size)))))

    def answer() -> Entry:
        size = len(domains["y"])
        return (
            ANYTHING
            if rng.random() < 0.05
            else Among(tuple(sorted(rng.sample(range(size), 1 + (rng.random() < 0.05)))))
        )

    rows = tuple(Row(tuple(map(entry, nets)), (answer(),)) for _ in range(rng.randint(0, 5)))
    default = (answer(),) if rng.random() < 0.3 else None
    return Netlist("n", tuple(nets), (), (), (), domains), Table(tuple(nets), ("y",), rows, default)


def matching(table: Table, point: tuple[int, ...]) -> list[Row]:
    at = dict(zip(table.inputs, point, strict=True))

    def fits(entry: Entry, k: int) -> bool:
        match entry:
            case Among(values):
                return k in values
            case Same(net):
                return at[net] == k
        return True

    return [row for row in table.rows if all(map(fits, row.inputs, point))]


def possible(entry: Entry, size: int) -> set[int]:
    return set(range(size)) if isinstance(entry, Anything) else set(entry.values)  # type: ignore[union-attr]


@pytest.mark.parametrize("block", range(5))
def test_against_all_points(block: int) -> None:
    for seed in range(block * 60, block * 60 + 60):
        netlist, table = random_table(random.Random(seed))
        points = list(product(*(range(len(netlist.domain(net))) for net in table.inputs)))
        gap = uncovered(netlist, table)
        assert (gap is None) == all(matching(table, p) for p in points)
        assert gap is None or not matching(table, gap)
        size = len(netlist.domain("y"))
        choices = []
        for p in points:
            rows = matching(table, p) or ([Row((), table.default)] if table.default else [])
            choices.append(set().union(*(possible(row.outputs[0], size) for row in rows)))
        ambiguous = any(len(c) > 1 for c in choices)
        if not any(isinstance(e, Same) for r in table.rows for e in r.inputs):
            assert is_ambiguous(netlist, table) == ambiguous
        elif ambiguous:  # a row with =x that can match nothing may count as a choice
            assert is_ambiguous(netlist, table)


def test_wide_tables_are_quick() -> None:
    n = 40
    nets = tuple(f"n{i}" for i in range(n))
    rows = [Row((*[ANYTHING] * i, Among((1,)), *[Among((0,))] * (n - 1 - i)), (Among((i % 2,)),)) for i in range(n)]
    rows.append(Row((Among((0,)),) * n, (Among((0,)),)))
    netlist, table = Netlist("n", nets, (), (), ()), Table(nets, ("y",), tuple(rows))
    assert uncovered(netlist, table) is None
    assert not is_ambiguous(netlist, table)
    assert uncovered(netlist, Table(nets, ("y",), tuple(rows[:-1]))) == (0,) * n
