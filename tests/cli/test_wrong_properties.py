"""A property that is wrong does not keep a file's others from being answered, and is told beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main

COUNTER = """module c(clk, up);
  input clk, up;
  reg [2:0] n;
  initial n = 0;
  always @(posedge clk) if (up && n != 6) n = n + 1;
endmodule
"""
FORMULAS = r"""# right
AG(n[2:0]<=6);
AG(m=1);  # no such net; and a ; in a comment
\define full n[2:0]=6
\define bad (q=1 + full=2);
AG(\full -> AX(n[2:0]=6));
AG AF (\bad);
AG(n[2:0]=6 -> );
X n[0]=1;
EF(n[2:0]=6);
"""
WRONG = {
    3: (4, "there is no net m"),
    5: (14, "there is no net q"),
    7: (8, "\\bad is not defined"),
    8: (16, "expected a proposition"),
    9: (1, "directly under a path quantifier"),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.v").write_text(COUNTER)
    (tmp_path / "p.ctl").write_text(FORMULAS)
    return tmp_path


def told(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict]:  # type: ignore[type-arg]
    code = main(["check", "c.v", *words, "--json"])
    return code, json.loads(capsys.readouterr().out)


def test_the_others_are_answered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = told(capsys, "--property", "p.ctl")
    verdicts = {int(r["property"].split(":")[1]): r["verdict"] for r in found["results"]}
    assert verdicts == {2: "holds", 6: "holds", 10: "holds", **dict.fromkeys(WRONG, "unknown")}
    assert list(verdicts) == sorted(verdicts)
    assert code == 3
    assert found["verdict"] == "unknown"
    assert found["states"] == 7
    assert "error" not in found
    errors = {r["error"]["line"]: r["error"] for r in found["results"] if "error" in r}
    assert errors.keys() == WRONG.keys()
    for line, (column, message) in WRONG.items():
        assert (errors[line]["file"], errors[line]["column"]) == ("p.ctl", column)
        assert message in errors[line]["message"]


def test_a_failure_is_the_worst(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "p.inv").write_text("m=1;\nn[2:0]<=5;\nF n[0]=1;\n")
    code, found = told(capsys, "--property", "p.inv", "--property", "p.ctl")
    assert (code, found["verdict"], found["property"]) == (1, "fails", "p.inv:2")
    assert [r["verdict"] for r in found["results"][:3]] == ["unknown", "fails", "unknown"]
    assert "no temporal operators" in found["results"][2]["message"]


def test_mistakes_are_told_as_those_that_end_a_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "c.v", "--property", "p.ctl", "--coverage", "--explain-reduction"]) == 3
    out, err = capsys.readouterr()
    assert "UNKNOWN: p.ctl:3 (there is no net m)" in out
    assert "the  engine" not in out
    assert "p.ctl:3:4: error: there is no net m\n  AG(m=1);" in err
    assert err.count("error:") == len(WRONG)


def test_a_file_without_anything_right_is_an_error(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "w.ltl").write_text("G(z=1);\nAG(n[0]=1);\n")
    code, found = told(capsys, "--property", "w.ltl")
    assert code == 2
    assert [each["line"] for each in found["errors"]] == [1, 2]
    (folder / "f.fair").write_text("n[0]=1;\n")
    assert told(capsys, "--property", "w.ltl", "--property", "f.fair") == (code, found)
    assert told(capsys, "--property", "w.ltl", "--property", "p.ctl")[0] == 3


@pytest.mark.parametrize("words", ["AG(m=1)", "w.fair", "w.txt"])
def test_what_the_others_need_has_to_be_right(words: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A formula of the command line, fairness, and a file of another kind."""
    for name in ("w.fair", "w.txt"):
        (folder / name).write_text("n[0]=1; m=1;")
    code, found = told(capsys, "--property", "p.ctl", "--property", words)
    assert code == 2
    assert "results" not in found


@pytest.mark.parametrize("words", [("formulas",), ("symmetry",), ("export", "o.btor2")])
def test_other_commands_need_all_of_them(
    words: tuple[str, ...], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([words[0], "c.v", *words[1:], "--property", "p.ctl"]) == 2
    assert capsys.readouterr().err.count("error:") == len(WRONG)


def test_lines_of_other_languages(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "m.pml").write_text("byte x;\nactive proctype P() { do :: x = (x + 1) % 3 od }\n")
    (folder / "m.txt").write_text("[](x < 3)\n[](y < 3)\n[](x < 2)\n")
    assert main(["check", "m.pml", "--property", "m.txt", "--json"]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    assert [r["verdict"] for r in results] == ["holds", "unknown", "fails"]
    assert (results[1]["error"]["line"], results[1]["error"]["column"]) == (2, 4)
    (folder / "m.txt").write_text("[](y < 3)\n[](z < 3)\n")
    assert main(["check", "m.pml", "--property", "m.txt"]) == 2


def test_build_servers_see_the_mistake_where_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "c.v", "--property", "p.ctl", "--junit", "j.xml", "--github"]) == 3
    assert "::error file=p.ctl,line=3,col=4,title=p.ctl%3A3::there is no net m" in capsys.readouterr().err
    assert (folder / "j.xml").read_text().count('type="error"') == len(WRONG)
