"""The same models in other words: ids by argument or by ``_pid``, arrays or channels, tables written down, arithmetic.

The group must be that of the model, and the specialised System must have as many states as the text says."""

from math import factorial
from pathlib import Path

import pytest

from quorbit.detection.reveal import reveal
from quorbit.engines.reference.explore import explore
from quorbit.groups.chain import order
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.specialise.specialise import searchable, settle, specialise
from quorbit.model.system.system import System
from quorbit.papers.promela_families import hypercube

N = 4
IDS = range(N)
PRIORITIES = (0, 1, 0, 1)


def allocator_with_a_table() -> str:
    """Nothing but numbers written down leads to the priorities, which only the first step writes."""
    asks = " || ".join(f"line[{i}]?[1]" for i in IDS)
    choose = " ".join(f":: rank[{i}] == wanted && line[{i}]?[1] -> served = {i}; break" for i in IDS)
    ranks = " ".join(f"rank[{i}] = {p};" for i, p in enumerate(PRIORITIES))
    return f"""
    chan line[{N}] = [1] of {{ byte }};
    byte rank[{N}];
    proctype client(byte id) {{ do :: line[id]!1; line[id]?2 od }}
    proctype allocator() {{ byte served = 255, wanted;
      do :: atomic {{ ({asks}); wanted = 1; do {choose} :: else -> wanted-- od; wanted = 0;
                      line[served]?1; line[served]!2; served = 255 }} od }}
    init {{ atomic {{ {ranks} {" ".join(f"run client({i});" for i in IDS)} run allocator() }} }}"""


def handshakes() -> str:
    """Channels without a buffer leave no trace once their two ends are known."""
    names = ", ".join(f"line{i}" for i in IDS)
    return f"""
    chan {" = [0] of { bit }, ".join(names.split(", "))} = [0] of {{ bit }};
    proctype client(chan line) {{ do :: line!1 od }}
    proctype server() {{ do {" ".join(f":: line{i}?1" for i in IDS)} od }}
    init {{ atomic {{ {" ".join(f"run client(line{i});" for i in IDS)} run server() }} }}"""


def cube_by_arithmetic(d: int) -> str:
    """The way to the goal is found with exclusive or; at first the goal is 0, so only dimensions are exchanged."""
    nodes = range(2**d)
    away = " ".join(f":: ((goal ^ id) & {1 << k}) != 0 -> wire[id ^ {1 << k}]!1" for k in range(d))
    return f"""
    chan wire[{2**d}] = [1] of {{ bit }};
    byte goal;
    proctype node(byte id) {{
      do :: atomic {{ wire[id]?1; if :: goal == id -> if {" ".join(f":: goal = {p}" for p in nodes)} fi :: else fi }};
         if {away} :: goal == id -> wire[id]!1 fi
      od }}
    init {{ atomic {{ {" ".join(f"run node({p});" for p in nodes)}
      if {" ".join(f":: wire[{p}]!1; goal = {p}" for p in nodes)} fi }} }}"""


WORDINGS = {
    "a table of priorities": (allocator_with_a_table(), 4),
    "handshakes": (handshakes(), factorial(N)),
    "a square by arithmetic": (cube_by_arithmetic(2), 2),
    "a cube by arithmetic": (cube_by_arithmetic(3), 6),
    "a cube": (hypercube(3), 48),
}


def loaded(text: str, folder: Path) -> System:
    path = folder / "model.pml"
    path.write_text(text, encoding="utf-8")
    return load(path, LoadOptions())


@pytest.mark.parametrize("name", WORDINGS)
def test_the_group_is_found(name: str, tmp_path: Path) -> None:
    text, expected = WORDINGS[name]
    system = loaded(text, tmp_path)
    assert order(reveal(system, system.properties)[1].group) == expected


@pytest.mark.parametrize("name", ["a table of priorities", "handshakes", "a square by arithmetic"])
def test_the_meaning_stays(name: str, tmp_path: Path) -> None:
    system = loaded(WORDINGS[name][0], tmp_path)
    plain = explore(settle(system), system.properties)
    special = specialise(system).system
    found = explore(searchable(special), special.properties)
    assert found.verdict is plain.verdict
    assert (found.statistics.states, found.statistics.transitions) == (
        plain.statistics.states,
        plain.statistics.transitions,
    )


def test_a_value_that_something_else_computes_with_is_left_alone(tmp_path: Path) -> None:
    """The goal is also counted up, so questions about it are not answered one by one."""
    text = cube_by_arithmetic(2).replace("do ::", "do :: goal == 1 -> goal = goal + 1 ::", 1)
    found = specialise(loaded(text, tmp_path))
    special, pins = found.system, found.pins
    assert pins
    assert not any(c.parameters and len(c.parameters[0].domain.atoms) == 1 for c in special.commands)  # type: ignore[union-attr]
