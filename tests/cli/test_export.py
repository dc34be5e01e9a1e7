"""``quorbit export``: what is written answers as the circuit did, and what cannot be written is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quorbit.cli.main import main

COUNTER = """typedef enum {OFF, ON, BUSY} mode;
module counter(clk, go); input clk, go; mode reg m; reg [2:0] n; initial begin m = OFF; n = 2; end
  always @(posedge clk) begin
    case (m) OFF: if (go) m = ON; ON: m = BUSY; BUSY: begin m = OFF; n = n + 2; end endcase
  end
  even: assert property (n[0] == 0);
  small: assert property (n < 6);
  tried: cover property (n == 0);
endmodule
"""


@pytest.fixture
def counter(tmp_path: Path) -> Path:
    path = tmp_path / "counter.v"
    path.write_text(COUNTER)
    return path


def answers(path: Path, *options: str, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    main(["check", str(path), *options, "--json"])
    found = json.loads(capsys.readouterr().out)
    return {r["property"]: (r["verdict"], r["states"]) for r in found.get("results", [found])}


@pytest.mark.parametrize("suffix", [".aag", ".aig", ".btor2"])
def test_what_is_written_answers_as_before(suffix: str, counter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = counter.with_suffix(suffix)
    assert main(["export", str(counter), str(target)]) == 0
    told = capsys.readouterr().out
    assert "latches     5" in told
    assert "left out    tried: covers" in told
    before = answers(counter, capsys=capsys)
    assert before.pop("tried")[0] == "holds"
    assert answers(target, capsys=capsys) == before == {"even": ("holds", 12), "small": ("fails", 12)}


def test_words_come_back(counter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = counter.with_suffix(".btor2")
    assert main(["export", str(counter), str(target), "--property", "even"]) == 0
    assert main(["check", str(target), "--property", "AG(n<=4)"]) == 1
    assert "n = 6" in capsys.readouterr().out


def test_properties_of_files_are_written(counter: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (counter.parent / "c.inv").write_text("n[0]=0;\nn<6;\n")
    (counter.parent / "c.ltl").write_text("!(G F m=BUSY);\n")
    (counter.parent / "c.fair").write_text("m=ON;\n")
    target = counter.with_suffix(".aag")
    files = [f"--property={counter.parent / name}" for name in ("c.inv", "c.ltl", "c.fair")]
    assert main(["export", str(counter), str(target), *files, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["bad"], told["justice"], told["fairness"], told["left_out"]) == (2, 1, 1, [])
    found = answers(target, capsys=capsys)
    assert {name: verdict for name, (verdict, _) in found.items()} == {
        "c.inv:1": "holds",
        "c.inv:2": "fails",
        "c.ltl:1": "fails",
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["counter.v", "counter.blif"], "a circuit is written as .aag, .aig, .btor2"),
        (["counter.v", "c.aag", "--property", "AG EF m=OFF"], "cannot be written in these formats"),
        (["counter.v", "missing/c.aag"], "No such file or directory"),
        (["m.pml", "c.aag"], "only circuits can be exported"),
    ],
)
def test_refusals(
    words: list[str],
    message: str,
    counter: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(counter.parent)
    Path("m.pml").write_text("init { skip }")
    assert main(["export", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_latch_that_is_not_what_is_seen_has_a_name_of_its_own(tmp_path: Path) -> None:
    """ABC refuses an output with the name of a latch and another value."""
    model, file = tmp_path / "m.mv", tmp_path / "m.aag"
    model.write_text(
        ".model m\n.inputs a\n.outputs q\n.latch a q\n.reset q\n0\n1\n.latch q r\n.r q -> r\n0 1\n1 0\n.end\n"
    )
    assert main(["export", str(model), str(file), "--property", "AG(q=0 + r=0)"]) == 0
    names = [line for line in file.read_text().splitlines() if line.startswith(("l", "o"))]
    assert "o0 q" in names
    assert "l1 r$stored" in names
