"""Ways through transient states, as the search follows short ones and as the generator of moves follows long ones."""

from __future__ import annotations

import pytest

from quorbit.engines.explicit.explore import explore
from quorbit.languages.promela.lower.system import lower
from quorbit.languages.promela.parse.units import parse
from quorbit.machine.options import SearchOptions
from quorbit.source.span import Source

COUNT = """
byte a;
active proctype P() {
end: do :: atomic { a = 0; do :: a < %d -> a++ :: break od } od
}
"""


@pytest.mark.parametrize("most", [3, 40, 100, 200])
@pytest.mark.parametrize("threads", [1, 2])
def test_every_way_is_counted_however_long(most: int, threads: int) -> None:
    """From each state there is one way to every number, of as many steps: beyond 64 the generator finds them."""
    system = lower(parse(Source("ways.pml", COUNT % most))).system
    found = explore(system, (), options=SearchOptions(native=False, threads=threads)).statistics
    states, steps = most + 1, most * (most + 1) // 2
    assert (found.states, found.transitions, list(found.levels)) == (
        states,
        states * states + 1,
        [1, most],
    )  # and the start
    assert sorted(n for n in found.fired if n > 0) == sorted([states * steps, *3 * [states * states]])
