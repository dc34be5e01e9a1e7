"""Stored indices whose values are permuted: what is decoded, what is not, and what is said of both."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.detection.detect import Symmetry
from quorbit.detection.functions.choices import fewer_choices
from quorbit.detection.functions.fields import follow
from quorbit.detection.functions.influence import renamable
from quorbit.detection.indices import decode_indices, effect_of, symmetry_of
from quorbit.detection.reveal import reveal, reveal_meant
from quorbit.groups.chain import order
from quorbit.languages.options import LoadOptions
from quorbit.model.specialise.fields.decode import decode
from quorbit.model.specialise.specialise import specialise
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
NEVER_THREE = """module never(clk, go); input clk; input [1:0] go; reg [1:0] c, d; reg f, g;
  initial begin c = 0; d = 0; f = 0; g = 0; end
  always @(posedge clk) begin
    if (go[0]) c <= (c == 2) ? 0 : c + 1;
    if (go[1]) d <= (d == 2) ? 0 : d + 1;
    f <= c == 1; g <= (d == 1) | (d == 3);
  end
endmodule
"""
WIDE = """module wide(clk, go); input clk; input [16:0] go; reg [1:0] c; reg f; initial begin c = 0; f = 0; end
  always @(posedge clk) begin c <= c + (&go); f <= c == 3; end
endmodule
"""
CHOSEN = """typedef enum {A, B, C} kind; module chosen(clk); input clk; kind wire w; kind reg s, t; reg f;
  initial begin s = A; t = A; f = 0; end assign w = $ND(A, B, C);
  always @(posedge clk) begin t = s; s = w; f = w == t; end
endmodule
"""
CONSTANTS = """module constants(clk, go); input clk, go; reg [1:0] x, y; reg f; initial begin x = 0; y = 0; f = 0; end
  always @(posedge clk) begin x <= y; y <= x; f <= go & (x == y); end
endmodule
"""


def special_circuit(folder: Path, text: str) -> tuple[System, Symmetry]:
    """The circuit as detection gets it, and its symmetries without decoding."""
    model = folder / "top.v"
    model.write_text(text)
    return reveal_meant(specialise(load(model).system))


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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PICKED, ["pick"]),
        (COUNTER, ["c", "d"]),
        (Path("examples/circuits/queue.v").read_text(), []),  # no two registers or values of them are alike
        (Path("examples/circuits/philosophers20.v").read_text(), []),  # registers are, values are not
        (NEVER_THREE, ["c", "d", "go"]),  # exchanging them is seen only where 3 is known not to occur
        (WIDE, ["c"]),  # too many points to count
        (CHOSEN, ["s", "t", "w"]),  # a choice of three values is made of two sets
    ],
)
def test_what_counting_leaves_to_decode(text: str, expected: list[str], tmp_path: Path) -> None:
    system, meant = special_circuit(tmp_path, text)
    assert [field.name for field in renamable(follow(system, meant.group))] == expected


def test_values_that_do_not_occur_hide_no_exchange(tmp_path: Path) -> None:
    system, meant = special_circuit(tmp_path, NEVER_THREE)
    assert meant.group.is_trivial
    decoded = decode_indices(system, meant.group)
    assert decoded is not None
    assert effect_of(decoded) == 2


def test_exchanging_what_never_changes_is_no_effect(tmp_path: Path) -> None:
    system, meant = special_circuit(tmp_path, CONSTANTS)
    found = symmetry_of(decode(system, [f for f in follow(system, meant.group).fields if f.values == (0,)]))
    assert found is not None
    assert order(found.group) > 1
    assert effect_of(found) == 1
