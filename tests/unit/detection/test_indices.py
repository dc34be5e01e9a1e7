"""Stored indices whose values are permuted: what is decoded, what is not, and what is said of both."""

from __future__ import annotations

from pathlib import Path

from quorbit.detection.detect import Symmetry
from quorbit.detection.functions.choices import fewer_choices
from quorbit.detection.reveal import reveal
from quorbit.groups.chain import order
from quorbit.languages.options import LoadOptions
from quorbit.model.system.expression import Elements, Literal
from quorbit.model.system.system import System
from quorbit.pipeline.explanations import why
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

PICKED = """module picked(clk, pick, wide); input clk; input [1:0] pick; input [5:0] wide; reg [3:0] f; reg w;
  initial begin f = 0; w = 0; end
  always @(posedge clk) begin f[pick] <= ~f[pick]; w <= &wide; end
endmodule
"""
COUNTER = """module counter(clk, up); input clk, up; reg [1:0] c, d; initial begin c = 0; d = 0; end
  always @(posedge clk) begin if (up) c <= c + 1; d <= d + 1; end
endmodule
"""


def revealed(folder: Path, text: str) -> tuple[System, Symmetry]:
    model = folder / "top.v"
    model.write_text(text)
    return reveal(load(model).system, ())


def test_an_input_that_names_cells_moves_with_them(tmp_path: Path) -> None:
    system, found = revealed(tmp_path, PICKED)
    assert found.decoded is not None
    assert [field.name for field in found.decoded.fields] == ["pick"]
    restricted = [a for a, atom in enumerate(system.atoms) if atom.name.startswith(("f<", "pick="))]
    assert len(restricted) == 8
    assert order(found.group) == 24 * 720  # the lines of `wide` are alike, and too many for an index
    assert "not looked at as encoded indices, since they have more than 16 values: wide" in found.notes


def test_one_choice_for_each_value_of_a_decoded_input(tmp_path: Path) -> None:
    system, _ = revealed(tmp_path, PICKED)
    (parameter,) = fewer_choices(system).commands[0].parameters
    assert isinstance(parameter.domain, Elements)
    assert isinstance(parameter.domain.set, Literal)
    assert len(parameter.domain.set.value) == 4 * 2  # type: ignore[arg-type]


def test_a_counter_that_nobody_reads_names_nothing(tmp_path: Path) -> None:
    _, found = revealed(tmp_path, COUNTER)
    assert found.decoded is None


def test_where_much_is_known_nothing_is_decoded_and_that_is_said() -> None:
    loaded = load("examples/circuits/counters.v", LoadOptions(defines=(("N", "10"),)))
    _, found = reveal(loaded.system, ())
    assert order(found.group) == 3_628_800
    assert found.decoded is None
    assert found.notes == ("no index was decoded, since more than 1,000,000 symmetries are known without that",)


def test_a_run_is_told_with_the_index_as_it_is_stored(tmp_path: Path) -> None:
    model = tmp_path / "top.v"
    model.write_text(PICKED)
    asked = CheckOptions(properties=("AG !(f<0>=1 * f<1>=1 * f<2>=1 * f<3>=1)",), engine="explicit")
    (result,) = check(load(model), asked).results
    assert result.verdict == "fails"
    assert result.outcome.trace is not None
    assert len(result.outcome.trace.steps) == 4
    names = [result.system.atoms[place.owners[0]].name for place in result.system.places]
    assert not any("=" in name for name in names)
    chosen = {frozenset(step.firings[0].binding[0]) for step in result.outcome.trace.steps}  # type: ignore[arg-type]
    assert len(chosen) == 4  # every value of `pick` once


def test_why_completes_an_exchange_by_the_values_that_name_the_cells(tmp_path: Path) -> None:
    model = tmp_path / "top.v"
    model.write_text(PICKED)
    assert str(why(load(model), "(f<0> f<1>)")).strip() == "(f<0> f<1>)(pick=0 pick=1) is a symmetry"
