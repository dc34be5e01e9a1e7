"""The command line as such: help by subject and language, slips of the pen, what is installed, completion."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib import metadata
from pathlib import Path

import pytest

from quorbit.cli.answer import terminal_width
from quorbit.cli.arguments.parser import ONE_LANGUAGE
from quorbit.cli.commands import completion_command, doctor_command
from quorbit.cli.main import main
from quorbit.cli.registry import COMMANDS, build_parser
from quorbit.source.suggest import did_you_mean

FLOORS = "examples/promela/floors.pml"


def told(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(list(words)) == 2
    return capsys.readouterr().err.strip()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["chek", FLOORS], "there is no command chek; did you mean check?"),
        (["frobnicate"], "there is no command frobnicate; see quorbit --help"),
        (["check", FLOORS, "--symetry", "off"], "quorbit check has no option --symetry; did you mean --symmetry?"),
        (["check", FLOORS, "--symmetry", "of"], "--symmetry of: choose one of auto, off; did you mean off?"),
        (["symmetry", FLOORS, "--threads", "2"], "symmetry has no option --threads; check, refine have it"),
        (["check", FLOORS, FLOORS], f"{FLOORS} is one argument too many; see quorbit check --help"),
        (["check", "examples/promela/flors.pml"], f"no such file; did you mean {FLOORS}?"),
        (["check", FLOORS, "--property", "enterd"], "did you mean entered?"),
        (["eval", FLOORS, "flor + 1"], "'flor' is not declared; did you mean floor?"),
        ([FLOORS], f"say what to do with {FLOORS}: quorbit check {FLOORS}, or another command"),
        (
            ["check", "examples"],
            "examples is a folder, not a model: there is no machine (.bum) in it; quorbit test examples",
        ),
    ],
)
def test_slips_are_told_with_what_was_meant(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert message in told(capsys, *words)


def test_a_constant_that_is_not_there_is_told_with_one_that_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", FLOORS, "-D", "NN=2", "--property", "safety"]) == 0
    assert "the model does not mention NN; did you mean N?" in capsys.readouterr().err


def test_nothing_is_suggested_for_nothing_alike() -> None:
    assert did_you_mean("x", ["counter"]) == ""
    assert did_you_mean("Counter", ["counters", "counter"]) == "; did you mean counter?"


@pytest.mark.parametrize(("model", "shown"), [("m.pml", "promela"), ("m.mch", "b"), ("m.blif", "circuits")])
def test_help_about_a_model_leaves_out_other_languages(
    capsys: pytest.CaptureFixture[str], model: str, shown: str
) -> None:
    assert main(["check", model, "--help"]) == 0
    text = capsys.readouterr().out
    assert [name for name, title in ONE_LANGUAGE.items() if title in text] == [shown]


def test_help_groups_the_options_of_every_language(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--help"]) == 0
    text = capsys.readouterr().out
    places = [text.index(f"{title}:") for title in ("the model", "what is checked", "reduction", "limits", "output")]
    assert places == sorted(places)
    assert all(title in text for title in ONE_LANGUAGE.values())
    assert max(map(len, text.splitlines())) <= 90


def test_the_doctor_finds_everything_here(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = {each["subject"]: each["status"] for each in json.loads(capsys.readouterr().out)["findings"]}
    assert found["engine"] == found["igraph"] == found["shtab"] == "ok"


def test_the_doctor_says_how_to_get_what_is_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor_command, "version", nothing)
    monkeypatch.setattr(doctor_command, "find_compiler", lambda: None)
    assert main(["doctor"]) == 3  # igraph is needed
    text = capsys.readouterr().out
    assert "pip install 'quorbit[sat]'" in text
    assert "pip install 'quorbit[native]'" in text


def test_completion_in_a_real_shell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "bash"]) == 0
    script = tmp_path / "quorbit"
    script.write_text(capsys.readouterr().out)
    ask = "COMP_WORDS=(quorbit {}); COMP_CWORD=1; _shtab_quorbit quorbit {} quorbit; echo ${{COMPREPLY[*]}}"
    done = subprocess.run(
        ["bash", "-c", f"source {script}; {ask.format('sym', 'sym')}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["symmetry"]


def test_completion_without_shtab(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "shtab", None)
    assert "pip install 'quorbit[completion]'" in told(capsys, "completion", "bash")


def test_every_command_has_an_example() -> None:
    program = build_parser()
    assert set(program.commands) == set(COMMANDS)
    for name, parser in program.commands.items():
        assert f"quorbit {name}" in (parser.epilog or ""), name
    assert {"MODEL", "FILE"} <= completion_command.FILES


@pytest.mark.parametrize("said", ["100", "37", "0", "", "-3", "wide"])
def test_the_width_of_the_terminal_is_found_as_the_library_finds_it(monkeypatch: pytest.MonkeyPatch, said: str) -> None:
    monkeypatch.setenv("COLUMNS", said)
    assert terminal_width() == shutil.get_terminal_size().columns
