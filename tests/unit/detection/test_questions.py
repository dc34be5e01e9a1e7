"""The symmetries of many questions about one circuit: found once where all leave the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from quorbit.detection import indices, questions
from quorbit.detection.detect import detect, written_as_meant
from quorbit.detection.functions import by_meaning as functions
from quorbit.detection.functions.by_meaning import by_meaning
from quorbit.groups.chain import order
from quorbit.groups.group import Group, trivial
from quorbit.languages.circuits.load import lower_for, read_circuit
from quorbit.languages.options import LoadOptions
from quorbit.model.specialise.fields.field import Field
from quorbit.model.system.system import Property, System

CIRCUITS = Path(__file__).parents[3] / "examples" / "circuits"
EVEN = "AG EF all_full=1;\nAG EF none_full=1;\nAG !(all_full=1 * none_full=1);\n"
TURN = """module turn(clk, req, full);
  input clk; input [2:0] req; output full;
  reg [1:0] who; reg [2:0] has;
  initial begin who = 0; has = 0; end
  assign full = has[0] & has[1] & has[2];
  always @(posedge clk) begin
    who = (who == 2) ? 0 : who + 1;
    has[0] = (who == 0) & req[0];
    has[1] = (who == 1) & req[1];
    has[2] = (who == 2) & req[2];
  end
endmodule
"""
UNEVEN = "AG EF all_full=1;\nAG EF full[0]=1;\nAG !(full[0]=1 * full[1]=1);\n"


def counters(tmp_path: Path, formulas: str) -> System:
    """Five counters with these properties."""
    stated = tmp_path / "some.ctl"
    stated.write_text(formulas, encoding="utf-8")
    (system,) = systems_of(CIRCUITS / "counters.v", stated, LoadOptions(defines=(("N", "5"),)))
    return system


def systems_of(path: Path, stated: Path, options: LoadOptions) -> list[System]:
    return list(lower_for(path, read_circuit(path, options), [stated], options).systems)


@pytest.mark.parametrize(
    ("formulas", "orders"), [(EVEN, [120, 120, 120, 120]), (UNEVEN, [120, 120, 24, 12])], ids=["even", "uneven"]
)
def test_every_question_has_the_symmetries_it_has_alone(tmp_path: Path, formulas: str, orders: list[int]) -> None:
    system = counters(tmp_path, formulas)
    asked = [(), *((p,) for p in system.properties)]
    found = questions.groups_of(system, asked, 60.0)
    assert [order(left.group) for left in found if left.group is not None] == orders
    assert [order(detect(system, properties, meant=True).group) for properties in asked] == orders


def test_the_symmetries_that_all_have_are_found_once(tmp_path: Path) -> None:
    for formulas, is_same in ((EVEN, True), (UNEVEN, False)):
        written = written_as_meant(counters(tmp_path, formulas))
        assert (questions.same_for_all(written, 3) is not None) == is_same
        assert questions.same_for_all(written, 1) is None


def test_what_the_steps_compute_is_found_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(grounded: System, fields: Sequence[tuple[int, ...]] = ()) -> System | None:
        asked.append(len(grounded.properties))
        return by_meaning(grounded, fields)

    monkeypatch.setattr(functions, "by_meaning", counted)
    for formulas in (EVEN, UNEVEN):
        system = counters(tmp_path, formulas)
        list(questions.symmetries_of(system, [(p,) for p in system.properties]))
    assert asked == [3, 3]


def test_what_the_steps_compute_is_given_up_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too large without any question is too large with each; all have the symmetries they have alone."""
    asked: list[int] = []

    def too_large(grounded: System, fields: Sequence[tuple[int, ...]] = ()) -> System | None:
        asked.append(len(grounded.properties))
        return None

    monkeypatch.setattr(functions, "by_meaning", too_large)
    system = counters(tmp_path, UNEVEN)
    alone = [detect(system, (p,), meant=True).group for p in system.properties]
    del asked[:]
    found = list(questions.symmetries_of(system, [(p,) for p in system.properties]))
    assert [symmetry.group for symmetry in found] == alone
    assert asked == [3, 0]


@pytest.mark.parametrize("name", ["philosophers20.mv", "arbiter.v", "fifos.v", "ping_pong.mv", "encoded.v", "cache.v"])
def test_together_and_alone_questions_leave_the_same(name: str) -> None:
    path = CIRCUITS / name
    for system in systems_of(path, path.with_suffix(".ctl"), LoadOptions()):
        asked = [(p,) for p in system.properties]
        together = questions.groups_of(system, asked, 60.0)
        alone = [questions.groups_of(system, [each], 60.0)[0] for each in asked]
        assert [sizes_of(left) for left in together] == [sizes_of(left) for left in alone]


def sizes_of(left: questions.Left) -> tuple[int, int | None, int]:
    """The orders of the groups, and how many fields are decoded."""
    assert left.group is not None
    if left.decoded is None or left.decoded.decoded is None:
        return order(left.group), None, 0
    return order(left.group), order(left.decoded.group), len(left.decoded.decoded.fields)


def test_indices_are_decoded_once_where_that_gives_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    path = CIRCUITS / "philosophers20.mv"
    (system,) = systems_of(path, path.with_suffix(".ctl"), LoadOptions())
    asked = [(p,) for p in system.properties]
    group = next(questions.symmetries_of(system, asked)).group
    assert questions.worth_decoding(system, {0: group, 1: group}, asked) == []
    assert questions.worth_decoding(system, {0: group}, asked) == [(0, group)]


def test_functions_that_are_too_large_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where not even the steps can be written, no question can; one that decodes other fields is asked by itself."""
    path = CIRCUITS / "encoded.v"
    (system,) = systems_of(path, path.with_suffix(".ctl"), LoadOptions())
    asked = dict(enumerate((p,) for p in system.properties))
    group = trivial(len(system.atoms))
    assert indices.fields_of(system, (), group)
    monkeypatch.setattr(functions, "MOST_WRITTEN", 0)
    assert indices.gaining(system, group, asked) == []
    fields_of = indices.fields_of

    def fewer_of_the_first(system: System, properties: tuple[Property, ...], known: Group) -> list[Field]:
        found = fields_of(system, properties, known)
        return found[1:] if properties == asked[0] else found

    monkeypatch.setattr(indices, "fields_of", fewer_of_the_first)
    assert indices.gaining(system, group, asked) == [0]


def test_indices_of_several_questions_are_decoded_where_that_gives_more(tmp_path: Path) -> None:
    stated = tmp_path / "two.ctl"
    stated.write_text("AG EF full=1;\nAG AF full=0;\n", encoding="utf-8")
    model = tmp_path / "turn.v"
    model.write_text(TURN, encoding="utf-8")
    (system,) = systems_of(model, stated, LoadOptions())
    found = questions.groups_of(system, [(p,) for p in system.properties], 60.0)
    assert [sizes_of(left) for left in found] == [(1, 3, 1), (1, 3, 1)]
