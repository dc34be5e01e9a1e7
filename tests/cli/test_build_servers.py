"""What build servers are told: JUnit and SARIF that follow their schemas, annotations, and text that stays text."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import xmlschema
import yaml

from quorbit.cli.main import main
from quorbit.languages.registry import read_model
from quorbit.pipeline import load as pipeline_load
from quorbit.report.findings.finding import Finding, Place, Status
from quorbit.report.findings.github import github_lines
from quorbit.report.findings.junit import junit_text
from quorbit.report.findings.sarif import sarif_text

SCHEMAS = Path("tests/schemas")
HOSTILE = "a\x1b[31m<b>&\"']]>\n::error::%0A\x00,é\udc80"


def sarif(text: str) -> list[dict[str, Any]]:
    """The results of a SARIF file that follows its schema."""
    told = json.loads(text)
    jsonschema.validate(told, json.loads((SCHEMAS / "sarif-schema-2.1.0.json").read_text()))
    results: list[dict[str, Any]] = told["runs"][0]["results"]
    return results


def junit(text: str) -> dict[str, Any]:
    schema = xmlschema.XMLSchema(SCHEMAS / "jenkins-junit.xsd")
    schema.validate(text)
    told: dict[str, Any] = schema.to_dict(text)
    return told["testsuite"][0]


def ask(tmp_path: Path, model: str, *options: str) -> tuple[int, dict[str, Any], list[dict[str, Any]]]:
    files = ["--junit", str(tmp_path / "j.xml"), "--sarif", str(tmp_path / "s.json")]
    code = main(["check", model, *files, *options])
    return code, junit((tmp_path / "j.xml").read_text()), sarif((tmp_path / "s.json").read_text())


def test_a_violation_with_its_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, suite, results = ask(tmp_path, "examples/broken_mutex.edges", "--github")
    assert code == 1
    assert (suite["@tests"], suite["@failures"]) == ("1", "1")
    [violation] = results
    place = violation["locations"][0]["physicalLocation"]
    assert (place["artifactLocation"]["uri"], place["region"]["startLine"]) == ("examples/broken_mutex.edges", 8)
    steps = violation["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in steps]
    assert lines == [7, 7, 8, 8]
    err = capsys.readouterr().err
    assert "::error file=examples/broken_mutex.edges,line=8,col=1,title=mutex::" in err


def test_lines_that_break_a_symmetry(tmp_path: Path) -> None:
    code, suite, results = ask(tmp_path, "examples/readers_writers.edges")
    assert code == 0
    assert suite["@failures"] == suite["@errors"] == "0"
    assert [each["ruleId"] for each in results] == ["broken-symmetry"]
    assert results[0]["locations"][0]["physicalLocation"]["region"]["startLine"] == 10
    assert ask(tmp_path, "examples/readers_writers.edges", "--symmetry", "off")[2] == []


@pytest.mark.parametrize("options", [("--sarif", "s.json"), ("--html", "page.html")])
def test_the_model_is_read_once(
    options: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    read: list[Path] = []
    monkeypatch.setattr(
        pipeline_load, "read_model", lambda path, given: (read.append(path), read_model(path, given))[1]
    )
    kind, file = options
    assert main(["check", "examples/readers_writers.edges", kind, str(tmp_path / file)]) == 0
    assert len(read) == 1
    assert "no counterpart" in (tmp_path / file).read_text(encoding="utf-8")


def test_a_mistake_is_a_finding(tmp_path: Path) -> None:
    model = tmp_path / "odd name & <x>.pml"
    model.write_text("int x;\nactive proctype P() { y = 1 }\n")
    code, suite, results = ask(tmp_path, str(model))
    assert code == 2
    assert suite["@errors"] == "1"
    assert results[0]["ruleId"] == "mistake"
    assert results[0]["locations"][0]["physicalLocation"]["region"] == {"startLine": 2, "startColumn": 23}


def test_an_answer_that_is_open(tmp_path: Path) -> None:
    code, suite, results = ask(tmp_path, "examples/mutex.edges", "--max-states", "3")
    assert code == 3
    assert suite["@errors"] == "1"
    assert results[0]["level"] == "warning"


def test_expectations(tmp_path: Path) -> None:
    file = tmp_path / "t.xml"
    model = tmp_path / "m.edges"
    model.write_text("// expect: states=21\n" + Path("examples/mutex.edges").read_text().split("\n", 1)[1])
    assert main(["test", str(model), "--junit", str(file)]) == 1
    suite = junit(file.read_text())
    assert suite["@failures"] == "1"
    assert suite["testcase"][0]["failure"][0]["@message"] == "states=20"


def test_text_of_models_stays_text() -> None:
    finding = Finding(HOSTILE, Status.FAILS, HOSTILE, Place(HOSTILE, 1, 1, HOSTILE), (Place(HOSTILE, 1, 1, HOSTILE),))
    suite = junit(junit_text([(HOSTILE, [finding])]))
    assert suite["@name"].startswith("a\\x1b[31m<b>")
    assert sarif(sarif_text([finding]))[0]["message"]["text"] == f"{HOSTILE}: {HOSTILE}"
    [line] = github_lines([finding])
    assert line.count("\n") == 0
    assert line.count("::") == 2 + HOSTILE.count("::")  # those of the message, which has no end
    assert "\x1b" not in line


def test_the_action_runs(tmp_path: Path) -> None:
    """The last step of the action, as a workflow runs it."""
    steps = yaml.safe_load(Path("action.yml").read_text())["runs"]["steps"]
    here = {
        "MODELS": "examples/broken_mutex.edges\nexamples/b\n",
        "OPTIONS": "--max-states 100",
        "SARIF": str(tmp_path),
    }
    done = subprocess.run(
        ["bash", "-c", steps[-1]["run"]],
        capture_output=True,
        text=True,
        env={**here, "PATH": f"{Path('.venv/bin').resolve()}:/usr/bin:/bin", "HOME": str(tmp_path)},
    )
    assert done.returncode == 1
    assert "::error file=examples/broken_mutex.edges" in done.stderr
    assert "models as expected" in done.stdout
    assert sarif((tmp_path / "broken_mutex.edges.sarif").read_text())
