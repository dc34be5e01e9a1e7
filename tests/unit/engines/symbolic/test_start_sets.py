"""Start sets with many free bits, and answers that stay when something else fails."""

from __future__ import annotations

from tests.unit.languages.circuits.lowered_netlists import system_of

from quorbit.bdd.open import open_manager
from quorbit.engines.symbolic import portfolio
from quorbit.engines.symbolic.answers import SymbolicOptions
from quorbit.engines.symbolic.model import open_model
from quorbit.engines.symbolic.reach import Clock
from quorbit.engines.symbolic.start import initial_states, start_with
from quorbit.languages.circuits.blif.parse import parse
from quorbit.languages.circuits.properties import read_properties
from quorbit.machine.options import SearchOptions
from quorbit.model.diagrams.bits import lay_out_bits
from quorbit.model.diagrams.cases import Unsupported
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.system import System
from quorbit.netlists.flatten import flatten
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.isolate import Isolated
from quorbit.source.span import Source


def memory(bits: int) -> System:
    """Bits that keep whatever they start with."""
    lines = [".model memory", ".inputs", ".outputs b0", *(f".latch b{k} b{k} 2" for k in range(bits)), ".end", ""]
    return system_of(flatten(parse(Source("memory.blif", "\n".join(lines)), True)), [])


def test_thousands_of_free_bits_are_a_product() -> None:
    system = memory(2000)
    m = open_manager()
    layout = lay_out_bits(m, system)
    assert initial_states(m, system, layout, -1, system.start[0]) == m.true
    wanted = {k: k % 2 for k in range(0, 2000, 7)}
    s = start_with(system, wanted)
    assert s is not None
    assert all(s[i] == value for i, value in wanted.items())


def test_start_sets_are_those_of_the_meaning() -> None:
    text = """.model m
.inputs i
.latch x x 2
.latch y y 1
.latch z z 2
.end
"""
    system = system_of(flatten(parse(Source("m.blif", text), True)), [])
    model = open_model(system)
    starts = set(Meaning(system).initial_states())
    assert model.count(model.initial) == len(starts) == 4
    assert all(start_with(system, dict(enumerate(s))) == s for s in starts)
    assert start_with(system, {1: 0}) is None


class Refusing(portfolio.Portfolio):
    """Every way answers about the first property and then cannot go on."""

    def attempt(self, task: portfolio.Task, way: portfolio.Way) -> None:
        numbers = self.left(task.numbers)
        if numbers:
            told = ((0, Outcome(Verdict.HOLDS, "first")),) if numbers[0] == 0 else ()
            self.note(task, numbers, Isolated(told, "error", Unsupported("a formula of this kind")))


def test_an_answer_stays_when_another_property_is_refused() -> None:
    netlist = flatten(parse(Source("m.blif", ".model m\n.latch b0 b0 2\n.end\n"), True))
    system = system_of(netlist, read_properties(Source("p.ctl", "AG b0=0; AG b0=1;"), ".ctl", netlist))
    found = Refusing(system, system.properties, SearchOptions(), SymbolicOptions(), Clock(), {}).run()
    assert [(o.verdict.value, o.message) for o in found] == [("holds", ""), ("unknown", "a formula of this kind")]
