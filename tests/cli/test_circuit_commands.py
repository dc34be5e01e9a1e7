"""Circuits on the command line: formulas in the words of VIS, several properties at once, waves for all traces."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main

LIGHT = """typedef enum {RED, GREEN, YELLOW} colour;
module light(clk, car); input clk, car; colour reg c; initial c = RED;
  always @(posedge clk) case (c) RED: if (car) c = GREEN; GREEN: c = YELLOW; YELLOW: c = RED; endcase
endmodule
"""


@pytest.fixture
def light(tmp_path: Path) -> Path:
    path = tmp_path / "light.v"
    path.write_text(LIGHT)
    return path


def test_formulas_of_files_and_of_the_command_line(light: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (light.parent / "l.ctl").write_text("#PASS\nAG(c=GREEN -> AX c=YELLOW);\n#FAIL: nobody may come\nAF c=GREEN;\n")
    (light.parent / "l.fair").write_text("!c=RED;\n")
    files = [f"--property={light.parent / name}" for name in ("l.ctl",)]
    assert main(["check", str(light), *files, "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["results"]
    assert [(r["property"], r["verdict"]) for r in found] == [("l.ctl:2", "holds"), ("l.ctl:4", "fails")]
    files.append(f"--property={light.parent / 'l.fair'}")
    assert main(["check", str(light), *files, "--json"]) == 0
    capsys.readouterr()
    assert main(["check", str(light), "--property", "G (c=YELLOW -> X c=RED)"]) == 0
    assert main(["check", str(light), "--property", "AG(d=1)"]) == 2
    assert "there is no net d" in capsys.readouterr().err


def test_fairness_of_a_file_is_about_formulas_in_words(light: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (light.parent / "l.fair").write_text("!c=RED;\n")
    asked = ["check", str(light), "--property", "AF c=GREEN"]
    assert main(asked) == 1
    assert main([*asked, "--property", str(light.parent / "l.fair")]) == 0
    assert "HOLDS: AF c=GREEN" in capsys.readouterr().out


def test_answers_found_together_share_their_time(light: Path, capsys: pytest.CaptureFixture[str]) -> None:
    formulas = [part for colour in ("RED", "GREEN", "YELLOW") for part in ("--property", f"EF c={colour}")]
    assert main(["check", str(light), *formulas, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [r["seconds"]["total"] for r in found["results"]] == [found["seconds"]["total"]] * 3


def test_what_was_read_otherwise_is_told_whatever_is_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cut.v"
    path.write_text(
        "module cut(clk); input clk; reg [1:0] s; wire w; initial s = 0; assign w = (s == 3'd5);\n"
        "always @(posedge clk) s = s + 1; endmodule\n"
    )
    assert main(["check", str(path), "--dialect", "vis", "--property", "AG(s[1:0]=1 -> w=1)", "--json"]) == 0
    assert any("cut" in note for note in json.loads(capsys.readouterr().out)["notes"])


def test_waves_of_errors_and_of_witnesses(light: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waves = light.parent / "w.vcd"
    asked = ["--property", "EF c=YELLOW", "--property", "AG !c=GREEN", "--property", "AG(c=RED + !c=RED)"]
    assert main(["check", str(light), *asked, f"--vcd={waves}"]) == 1
    assert "no waves were written" in capsys.readouterr().out
    written = sorted(path.name for path in light.parent.glob("*.vcd"))
    assert written == ["w-AG__c_GREEN.vcd", "w-EF_c_YELLOW.vcd"]
    text = (light.parent / "w-EF_c_YELLOW.vcd").read_text()
    assert "$comment c: 0 RED, 1 GREEN, 2 YELLOW $end" in text
    assert "#2\nb10 " in text
    assert "$var wire 1" in text
    assert "car" in text
    assert main(["check", str(light), "--property", "EF c=GREEN", f"--vcd={waves}"]) == 0
    assert "#1\nb01 " in waves.read_text()


def test_waves_are_for_circuits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.pml").write_text("active proctype p() { skip }")
    assert main(["check", str(tmp_path / "m.pml"), "--vcd", "x.vcd"]) == 2
    assert "--vcd is for circuits" in capsys.readouterr().err


def test_what_nobody_asked_or_looked_for_is_said(light: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(light)]) == 0
    shown = capsys.readouterr().out
    assert "HOLDS: nothing was asked" in shown
    assert "has no invariants or assertions" in shown
    asked = ["check", str(light), "--property", "EF c=GREEN", "--quotient=off"]
    assert main(asked) == 0
    assert "symmetry    not looked for" in capsys.readouterr().out
    assert main([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["symmetry"]["order"] is None


def test_the_symmetry_of_a_circuit_without_latches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gates.blif"
    path.write_text(
        ".model g\n.inputs a b c d\n.outputs x\n.names a b u\n11 1\n.names c d v\n1- 1\n-1 1\n"
        ".names u v x\n11 1\n.end\n"
    )
    assert main(["symmetry", str(path), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["order"], found["structure"]) == ("4", "S2 x S2")
    assert found["orbits"] == [["a", "b"], ["c", "d"]]
    assert main(["check", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["symmetry"]["order"] is None


def test_every_assertion_has_an_answer_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "count.v"
    path.write_text(
        "module m(clk); input clk; reg [1:0] n; initial n = 0; always @(posedge clk) n <= n + 1;\n"
        "assert never_three: n != 3; assert small: n < 4; endmodule\n"
    )
    assert main(["check", str(path), "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert [(r["property"], r["verdict"]) for r in found["results"]] == [("never_three", "fails"), ("small", "holds")]
    assert len(found["trace"]) == 4


@pytest.mark.parametrize("suffix", [".v", ".sv", ".mv", ".blif", ".aag", ".aig"])
@pytest.mark.parametrize("text", ["", "// nothing\n", "\n\n", "`ifdef NEVER\nmodule m; endmodule\n`endif\n"])
def test_files_without_a_circuit_are_located_mistakes(
    suffix: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"empty{suffix}"
    path.write_text(text)
    assert main(["check", str(path)]) == 2
    assert f"empty{suffix}:" in capsys.readouterr().err


def test_how_formulas_are_read(light: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--property", "E(c=RED + c=GREEN U c=YELLOW) -> AX c=RED", "--parsed"]
    assert main(["formulas", str(light), *asked]) == 0
    assert "  E((c=RED + c=GREEN) U c=YELLOW) -> A(X(c=RED))\n" in capsys.readouterr().out
    assert main(["formulas", str(light), *asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["formulas"][0]["parsed"].startswith("E((")


COUNTERS = """module top(clk, e0, e1, e2, e3); input clk, e0, e1, e2, e3; reg c0, c1, c2, c3; wire all, some;
initial begin c0 = 0; c1 = 0; c2 = 0; c3 = 0; end
assign all = c0 & c1 & c2 & c3; assign some = c0 | c1 | c2 | c3;
always @(posedge clk) begin if (e0) c0 <= ~c0; if (e1) c1 <= ~c1; if (e2) c2 <= ~c2; if (e3) c3 <= ~c3; end
endmodule
"""


@pytest.mark.parametrize(
    ("quotient", "states", "order"), [("auto", 16, "24"), ("next", 5, "24"), ("relation", 5, "24"), ("off", 16, None)]
)
def test_a_circuit_with_properties_reports_its_group_and_is_asked_for_quotients(
    quotient: str, states: int, order: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "counters.v"
    path.write_text(COUNTERS)
    asked = ["--property", "AG EF all=1", "--property", "AG(some=1 -> all=1)", "--quotient", quotient]
    assert main(["check", str(path), *asked, "--json"]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    assert [r["verdict"] for r in results] == ["holds", "fails"]
    assert [(r["states"], r["symmetry"]["order"]) for r in results] == [(states, order)] * 2
    assert len(results[1]["trace"]) == 2
    if quotient == "auto":  # as sets all states were looked at; of how many orbits they are
        assert results[0]["symmetry"]["effect"] == {"orbits": 5, "represented": {"exact": 16}, "idle": None}


def test_quotients_are_refused_where_they_cannot_be(light: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["check", str(light), "--property", "EF c=GREEN", "--quotient", "next"]
    assert main([*asked, "--symmetry", "off"]) == 2
    assert "--symmetry off leaves out" in capsys.readouterr().err
    assert main([*asked, "--engine", "explicit"]) == 2
    assert main(["check", str(light), "--quotient", "next"]) == 2
    assert "needs a property for --quotient next" in capsys.readouterr().err
