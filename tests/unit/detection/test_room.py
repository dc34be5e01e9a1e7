"""Sends that cannot block because there is room for all that is ever sent, and those of which that cannot be shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.detection.brute_force import alike_under, broken_state, count_orbits, state_graph
from quorbit.detection.reveal import reveal
from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.load import load
from quorbit.model.specialise.ground import ground
from quorbit.pipeline.run import check

TELL = "i = 0; do :: i < 3 -> box[i]!7; i++ :: else -> break od; i = 0"
WRITTEN = "box[0]!7; box[1]!7; box[2]!7"
ONCE = "box[me]?m; m = 0"


def news(boss: str, worker: str, room: int = 1, first: str = "", more: str = "") -> str:
    """A boss that tells three workers something, each in a box of its own."""
    return f"""chan box[3] = [{room}] of {{ byte }}; byte n; bool up[3];
proctype boss() {{ byte i; {boss} }}
proctype w(byte me) {{ byte m; {worker} }}
init {{ byte k; atomic {{ {first} run boss(); {more} for (k : 0 .. 2) {{ run w(k) }} }} }}
"""


def order_of(text: str, folder: Path) -> int:
    """The order of the group, each generator of which is compared with the whole graph."""
    path = folder / "news.pml"
    path.write_text(text)
    plain = load(path, LoadOptions())
    system, found = reveal(plain, plain.properties)
    system, generators = ground(system), found.group.generators
    graph = state_graph(system, 20_000, generators)
    assert graph is not None
    alike = alike_under(system, generators)
    assert all(broken_state(system, graph, g, alike) is None for g in generators)
    answer = check(path).results[0]
    assert answer.states <= count_orbits(system, graph, generators) + 1
    order = answer.symmetry.order
    assert order is not None
    return order


ENOUGH = {
    "once": news(f"atomic {{ {TELL} }}", ONCE),
    "written out": news(f"atomic {{ {WRITTEN} }}", ONCE),
    "twice": news(f"atomic {{ {TELL} }}; n++; atomic {{ {TELL} }}", f"{ONCE}; {ONCE}", room=2),
    "after a loop": news(f"do :: n < 3 -> n++ :: else -> break od; atomic {{ {TELL} }}", ONCE),
    "with an answer to itself": news(f"atomic {{ {TELL} }}", f"{ONCE}; box[me]!1", room=2),
    "by two": news(f"atomic {{ {TELL} }}", ONCE, room=2, more="run boss();"),
    "in one of two ways": news(f"if :: atomic {{ {TELL} }} :: atomic {{ n = 1; {TELL} }} fi", ONCE),
    "not empty at first": news(f"atomic {{ {TELL} }}", ONCE, room=2, first="box[0]!1; box[1]!1; box[2]!1;"),
}

NOT_ENOUGH = {
    "again and again": news(f"do :: atomic {{ {TELL} }} od", f"do :: {ONCE} od"),
    "twice": news(f"atomic {{ {TELL} }}; n++; atomic {{ {TELL} }}", f"{ONCE}; {ONCE}"),
    "in a chain": news(f"atomic {{ {TELL}; {TELL} }}", f"{ONCE}; {ONCE}"),
    "with an answer to itself": news(f"atomic {{ {TELL} }}", f"box[me]!1; {ONCE}"),
    "with answers again and again": news(f"atomic {{ {TELL} }}", f"do :: {ONCE} :: box[me]!1 od", room=2),
    "by two": news(f"atomic {{ {TELL} }}", ONCE, more="run boss();"),
    "after a jump back": news(
        f"again: atomic {{ {TELL} }}; if :: n < 2 -> n++; goto again :: else fi", f"do :: {ONCE} od"
    ),
    "not empty at first": news(f"atomic {{ {TELL} }}", ONCE, first="box[0]!1; box[1]!1; box[2]!1;"),
}


@pytest.mark.parametrize("case", ENOUGH)
def test_workers_are_alike_where_there_is_room_for_all(case: str, tmp_path: Path) -> None:
    assert order_of(ENOUGH[case], tmp_path) % 6 == 0


@pytest.mark.parametrize("case", NOT_ENOUGH)
def test_workers_are_told_apart_where_a_send_may_block(case: str, tmp_path: Path) -> None:
    """Nothing less would do: how far the loop has come can be seen where it waits."""
    assert order_of(NOT_ENOUGH[case], tmp_path) % 6 != 0
