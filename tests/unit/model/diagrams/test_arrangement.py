"""The order of variables in which words take turns, and when it is taken."""

from __future__ import annotations

from pathlib import Path

from quorbit.engines.symbolic.model import better_order, open_model
from quorbit.languages.circuits.load import load
from quorbit.languages.options import LoadOptions
from quorbit.model.diagrams.arrangement import bit_of, interleaved
from quorbit.model.system.system import System

LARGEST = """module largest(clk, in); parameter N = 12; input clk; input [N-1:0] in; reg [N-1:0] most, last;
  initial begin most = 0; last = 0; end
  always @(posedge clk) begin if (last > most) most = last; last = in; end
endmodule
"""


def system_of(tmp_path: Path, text: str) -> System:
    path = tmp_path / "design.v"
    path.write_text(text)
    return load(path, LoadOptions())


def test_bits_of_one_significance_stand_together(tmp_path: Path) -> None:
    system = system_of(tmp_path, LARGEST)
    order = interleaved(system)
    assert order is not None
    numbers = [found[1] for item in order if (found := bit_of(system, item)) is not None]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == 36


def test_words_that_are_compared_take_turns(tmp_path: Path) -> None:
    system = system_of(tmp_path, LARGEST)
    assert better_order(system) is not None
    model = open_model(system)
    assert sum(model.m.size(part) for part in model.relations[0].parts) < 1000  # 49,000 if one word is above the other


def test_one_word_stays_as_it_is(tmp_path: Path) -> None:
    text = "module one(clk); input clk; reg [7:0] s; initial s = 0; always @(posedge clk) s = s + 1; endmodule"
    assert interleaved(system_of(tmp_path, text)) is None
