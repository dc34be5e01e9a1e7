"""Traces as their authors would tell them: statements after preprocessing, operations with arguments, words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.path import Path as StoredPath
from quorbit.model.system.system import State
from quorbit.model.system.telling import RAW
from quorbit.model.system.types import Value
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.as_json import checks_object
from quorbit.report.itf import itf_object
from quorbit.report.record import CheckResult
from quorbit.report.text import Paint, show_check
from quorbit.report.told import Teller
from quorbit.report.trace_text import broken, trace_lines, wrap

SEMAPHORE = """byte s = 1, t; mtype = { red, green };
mtype light = red; chan c = [1] of { mtype, byte };
inline P(x) { atomic {
  x > 0 -> x-- } }
#define FREE(x) (x == 0)
active proctype A() { byte own;
  FREE(t) -> P(s);
  own = 2; light = green; c!green, own;
  assert(light == red || own > N)
}
"""
LIBRARY = """MACHINE Library SETS MEMBER; STATE = {here, lent}
VARIABLES members, books INVARIANT members <: MEMBER & books : MEMBER +-> STATE & card(members) < 2 & card(books) < 3
INITIALISATION members := {} || books := {}
OPERATIONS
ok <-- join(m) = PRE m : MEMBER - members THEN members := members \\/ {m} || books(m) := lent || ok := TRUE END
END
"""
COUNTER = """module m(input clk, input [1:0] by, input go); reg [2:0] count = 0; reg [1:0] mem [0:1];
always @(posedge clk) if (go) count <= count + by;
always @(*) assert(count != 5);
endmodule
"""


def failing(folder: Path, name: str, text: str, *properties: str) -> CheckResult:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    result = check(path, CheckOptions(properties)).worst
    assert result.verdict == "fails"
    return result


def lines_of(result: CheckResult, width: int = 80) -> list[str]:
    assert result.outcome.trace is not None
    return trace_lines(result.system, result.outcome.trace, width)


def steps_of(result: CheckResult) -> list[dict[str, Any]]:
    return result.to_json()["trace"]  # type: ignore[no-any-return]


def test_promela_statements_after_preprocessing(tmp_path: Path) -> None:
    result = failing(tmp_path, "s.pml", SEMAPHORE.replace("N", "2"))
    text = "\n".join(lines_of(result))
    said = [(each["line"], each["text"]) for step in steps_of(result) for each in step["statements"]]
    assert said == [
        (7, "t == 0"),
        (4, "s > 0"),
        (4, "s--"),
        (8, "own = 2"),
        (8, "light = green"),
        (8, "c!green, own"),
        (9, "assert(light == red || own > 2)"),
    ]
    assert "A.own = 2" in text
    assert "c = [(green, 2)]" in text
    assert "A@" not in text
    assert "in control" not in text


def test_raw_hides_nothing(tmp_path: Path) -> None:
    result = failing(tmp_path, "s.pml", SEMAPHORE.replace("N", "2"))
    raw = replace(result, system=replace(result.system, telling=RAW))
    assert "A@[A]" in "\n".join(lines_of(raw))
    assert "A@[A]" in steps_of(result)[1]["state"]  # the machine interface has every place


def test_operations_with_arguments_and_results(tmp_path: Path) -> None:
    result = failing(tmp_path, "Library.mch", LIBRARY)
    last = steps_of(result)[-1]
    assert last["text"] == "join(MEMBER2) --> TRUE"
    assert (last["arguments"], last["results"]) == ({"m": "MEMBER2"}, {"ok": "TRUE"})
    assert last["changed"]["books"] == ["{MEMBER1 |-> lent}", "{MEMBER1 |-> lent, MEMBER2 |-> lent}"]
    assert "INITIALISED" not in "\n".join(lines_of(result))


def test_arguments_stand_in_the_order_of_the_text(tmp_path: Path) -> None:
    """Whatever order the operation's parameters are searched in."""
    path = tmp_path / "Lending.mch"
    path.write_text(
        "MACHINE Lending SETS PERSON; BOOK VARIABLES members, loan\n"
        "INVARIANT members <: PERSON & loan : BOOK +-> members & loan = {}\n"
        "INITIALISATION members, loan := PERSON, {}\n"
        "OPERATIONS borrow(p, b) = PRE p : members & b : BOOK - dom(loan) THEN loan(b) := p END\nEND\n"
    )
    step = checks_object(check(path))["trace"][-1]
    assert step["text"] == "borrow(PERSON1, BOOK1)"
    assert step["commands"] == ["borrow(PERSON1, BOOK1)"]
    assert list(step["arguments"]) == ["p", "b"]


def test_circuits_are_told_in_words(tmp_path: Path) -> None:
    result = failing(tmp_path, "m.v", COUNTER)
    text = "\n".join(lines_of(result))
    assert "count = 5" in text
    assert "<" not in text
    assert steps_of(result)[-1]["arguments"].keys() == {"by", "go"}
    assert steps_of(result)[-1]["changed"]["count"][1] == "5"


def test_a_loop_is_shown_once(tmp_path: Path) -> None:
    text = "byte x; active proctype P() { x = 3; do :: x = 1; x = 2 od }"
    result = failing(tmp_path, "l.pml", text, "<> [] (x == 1)")
    lines = lines_of(result)
    trace = result.outcome.trace
    assert trace is not None
    assert sum("over and over" in line for line in lines) == 1
    assert lines[-1].startswith("  and so on forever: step")
    assert sum(line.lstrip()[:1].isdigit() for line in lines) == len(trace.steps)


@pytest.mark.parametrize("width", [60, 80, 132])
def test_lines_fit(tmp_path: Path, width: int) -> None:
    wide = LIBRARY.replace("card(members) < 2", "card(members) < 4").replace("card(books) < 3", "card(books) < 5")
    path = tmp_path / "Library.mch"
    path.write_text(wide.replace("MEMBER;", "MEMBER = {a_member_with_a_long_name, another_one, third, fourth};"))
    result = check(path).worst
    assert result.verdict == "fails"
    assert max(map(len, lines_of(result, width))) <= width


def test_control_characters_do_not_reach_the_terminal(tmp_path: Path) -> None:
    machine = LIBRARY.replace("ok := TRUE", 'ok := "\x1b[31mred"')
    assert "\x1b" not in show_check(failing(tmp_path, "Library.mch", machine), Paint())


def test_itf(tmp_path: Path) -> None:
    result = failing(tmp_path, "s.pml", SEMAPHORE.replace("N", "2"))
    trace = result.outcome.trace
    assert trace is not None
    found = itf_object(result.system, trace, "s.pml", "")
    assert len(found["states"]) == len(trace.steps) + 1
    last = found["states"][-1]
    assert set(found["vars"]) == set(last) - {"#meta"}
    assert last["light"] == "green"
    assert last["A.own"] == {"#map": [["A", 2]]}
    assert "loop" not in found


def test_wrapping() -> None:
    assert wrap(["aaa", "bbb", "ccc"], 9) == ["aaa, bbb,", "ccc"]
    assert list(broken("x = {aa, bb, cc}", 10)) == ["x = {aa,", "bb, cc}"]


def test_results_of_several(tmp_path: Path) -> None:
    path = tmp_path / "s.pml"
    path.write_text(SEMAPHORE.replace("N", "2"))
    found = checks_object(check(path, CheckOptions(("safety", "[] (s < 2)"))))
    assert found["trace"][-1]["text"].startswith("assert")


GROWING = """MACHINE Growing
VARIABLES n, seen INVARIANT n : NATURAL & seen <: NATURAL
INITIALISATION n, seen := 0, {}
OPERATIONS Add = SELECT n < 400 THEN n, seen := n + 1, (seen \\/ {n}) - {n - 390} END
END
"""


def test_of_a_large_set_the_elements_that_come_and_go_are_told(tmp_path: Path) -> None:
    result = failing(tmp_path, "Growing.mch", GROWING)
    assert result.outcome.trace is not None
    lines = trace_lines(result.system, result.outcome.trace, 80)
    assert "seen gains {300}" in next(line for line in lines if "n = 301" in line)
    assert "seen gains {395}, loses {5}" in " ".join(lines)
    assert any("seen = {0, 1, 2}" in line for line in lines)  # small sets whole
    last = checks_object(check(tmp_path / "Growing.mch"))["trace"][-1]
    assert len(last["state"]["seen"]) == 390
    assert last["changed"]["seen"][1].endswith("398, 399}")


def test_a_value_is_put_into_words_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a step leaves is what the next one finds; a state of a long run is unpacked once."""
    result = failing(tmp_path, "Growing.mch", GROWING)
    assert result.outcome.trace is not None
    counts = {"worded": 0, "unpacked": 0}
    worded, unpacked = Teller.text_of, StoredPath.state

    def word(self: Teller, i: int, value: Value) -> str:
        counts["worded"] += isinstance(value, frozenset) and len(value) > 1
        return worded(self, i, value)

    def unpack(self: StoredPath, layout: StateLayout, k: int) -> State:
        counts["unpacked"] += 1
        return unpacked(self, layout, k)

    monkeypatch.setattr(Teller, "text_of", word)
    monkeypatch.setattr(StoredPath, "state", unpack)
    trace_lines(result.system, result.outcome.trace, 80)
    assert len(result.outcome.trace.steps) == 400
    assert counts["worded"] <= 402
    assert 0 < counts["unpacked"] <= 402
