"""EG with fairness on chains: their ends are dropped one by one, without a search for the fair sets each time."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from quorbit.bdd.open import open_manager
from quorbit.engines.symbolic.ctlstar.fixpoints import Structure
from quorbit.engines.symbolic.reach import Clock, OutOfTurn
from quorbit.model.diagrams.cases import Bdd

pytest.importorskip("oxidd")

BITS = 6
LAST = (1 << BITS) - 1


class Chain:
    """0 -> 1 -> 2 -> ..., where the last leads to itself if the chain is ``endless``."""

    def __init__(self, endless: bool) -> None:
        self.m = open_manager()
        self.bits = list(self.m.add_variables(BITS))
        self.targets = {k: [k + 1] for k in range(LAST)} | {LAST: [LAST] if endless else []}
        self.steps = 0
        self.structure = Structure(self.m, self.m.true, self.preimage, Clock())

    def point(self, k: int) -> Bdd:
        return self.m.conjunction(
            self.m.variable(b) if k >> i & 1 else ~self.m.variable(b) for i, b in enumerate(self.bits)
        )

    def preimage(self, states: Bdd) -> Bdd:
        self.steps += 1
        inside = {k for k in self.targets if self.point(k) & states != self.m.false}
        return self.m.disjunction(self.point(k) for k, ts in self.targets.items() if inside.intersection(ts))

    def numbers(self, states: Bdd) -> list[int]:
        return [k for k in self.targets if self.point(k) & states != self.m.false]


def test_a_chain_that_ends_is_dropped_in_one_step_for_each_of_its_states() -> None:
    chain = Chain(endless=False)
    odd = chain.m.variable(chain.bits[0])
    assert chain.numbers(chain.structure.eg(chain.m.true, (odd, ~odd))) == []
    assert chain.steps <= LAST + 10


@pytest.mark.parametrize(("constraint", "wanted"), [(LAST, range(LAST + 1)), (LAST - 1, ())])
def test_only_what_is_visited_again_and_again_is_fair(constraint: int, wanted: range) -> None:
    chain = Chain(endless=True)
    assert chain.numbers(chain.structure.eg(chain.m.true, (chain.point(constraint),))) == list(wanted)
    assert chain.numbers(chain.structure.eg(chain.m.true, ())) == list(range(LAST + 1))


class Impatient(Clock):
    """Interrupts now and then."""

    def __init__(self) -> None:
        super().__init__()
        self.ticks = 0

    def tick(self) -> None:
        self.ticks += 1
        if self.ticks % 3 == 2:
            raise OutOfTurn


def test_a_fixpoint_that_is_interrupted_goes_on_where_it_was() -> None:
    chain = Chain(endless=True)
    structure = Structure(chain.m, chain.m.true, chain.preimage, Impatient())

    def in_the_end(fixpoint: Callable[[], Bdd]) -> Bdd:
        while True:
            try:
                return fixpoint()
            except OutOfTurn:
                continue

    last, odd = chain.point(LAST), chain.m.variable(chain.bits[0])
    assert chain.numbers(in_the_end(lambda: structure.eu(chain.m.true, last))) == list(range(LAST + 1))
    assert chain.steps <= 2 * LAST
    assert chain.numbers(in_the_end(lambda: structure.eg(~last, ()))) == []
    assert chain.numbers(in_the_end(lambda: structure.eg(chain.m.true, (odd, last)))) == list(range(LAST + 1))
    assert chain.numbers(in_the_end(lambda: structure.eg(chain.m.true, (~odd,)))) == []
    assert not structure.searched
    assert not structure.narrowed
    assert not structure.passes
