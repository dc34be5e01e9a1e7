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


def test_waves_of_errors_and_of_witnesses(light: Path, capsys: pytest.CaptureFixture[str]) -> None:
    waves = light.parent / "w.vcd"
    asked = ["--property", "EF c=YELLOW", "--property", "AG !c=GREEN", "--property", "AG(c=RED + !c=RED)"]
    assert main(["check", str(light), *asked, f"--vcd={waves}"]) == 1
    assert "no waves are written" in capsys.readouterr().out
    written = sorted(path.name for path in light.parent.glob("*.vcd"))
    assert written == ["w-AG__c_GREEN.vcd", "w-EF_c_YELLOW.vcd"]
    text = (light.parent / "w-EF_c_YELLOW.vcd").read_text()
    assert "sYELLOW" in text
    assert "$var wire 1" in text
    assert "car" in text
    assert main(["check", str(light), "--property", "EF c=GREEN", f"--vcd={waves}"]) == 0
    assert "sGREEN" in waves.read_text()


def test_waves_are_for_circuits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.pml").write_text("active proctype p() { skip }")
    assert main(["check", str(tmp_path / "m.pml"), "--vcd", "x.vcd"]) == 2
    assert "--vcd is for circuits" in capsys.readouterr().err
