"""Murphi from the command line: options and commands that say something about this language only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main

COURIER = "examples/murphi/courier.m"
MESI = "examples/murphi/mesi.m"


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])


def test_certificates_of_models_that_ask_for_formulas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    certificate = str(tmp_path / "certificate.json")
    assert main(["check", COURIER, "--certificate", certificate]) == 0
    capsys.readouterr()
    assert main(["verify-certificate", COURIER, certificate]) == 0
    assert capsys.readouterr().out.startswith("VALID")


def test_symmetry_says_what_types_were_taken_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["symmetry", MESI, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["order"] == "6"
    assert found["remarks"] == ["cache: 3 numbers that are only names"]


def test_symmetry_says_which_line_tells_members_of_a_type_apart(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "chief.m"
    model.write_text(
        "type id : 0 .. 3; var x : array [id] of boolean;\n"
        "startstate for i : id do x[i] := false; end; end;\n"
        'ruleset i : id do rule "go" !x[i] ==> begin x[i] := true; end; end;\n'
        'rule "chief" x[2] ==> begin x[2] := false; end;\n'
    )
    assert main(["symmetry", str(model), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["structure"] == "S3"
    assert found["remarks"] == [
        "id: 4 numbers that are only names, but 2 mentioned (line 4)",
        "id: id_0 and id_2 are told apart in line 4: chief has no counterpart",
    ]


@pytest.mark.parametrize(("options", "states"), [([], 388), (["--count-like", "cmurphi"], 56)])
def test_multisets_count_by_their_places_or_like_cmurphi(
    options: list[str], states: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", COURIER, "--symmetry", "off", "--property", "one ticket", "--json", *options]) == 0
    assert json.loads(capsys.readouterr().out)["states"] == states


def test_other_ways_to_count_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", MESI, "--count-like", "spin"]) == 2
    assert "--count-like cmurphi" in capsys.readouterr().err
