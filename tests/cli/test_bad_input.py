"""Whatever is wrong with the input: exit 2, a message of one screen that says where, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from quorbit.cli.main import main

GOOD = "processes 2\nstates A, B\nA -> B\nB -> A\n"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def refuse(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The message of a command that must fail with exit 2, as text and as JSON."""
    code, out, err = run(capsys, *arguments)
    assert code == 2
    assert out == ""
    assert 0 < len(err.splitlines()) < 40
    assert "Traceback" not in err
    code, out, _ = run(capsys, *arguments, "--json")
    assert code == 2
    error = json.loads(out)["error"]
    assert set(error) == {"file", "line", "column", "message"}
    assert error["message"] in err.replace("\n", " ") or error["message"][:200] in err
    return err


def write(folder: Path, text: str, name: str = "model.edges") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_empty_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "is empty" in refuse(capsys, "check", write(tmp_path, ""))


def test_only_blanks(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "is empty" in refuse(capsys, "check", write(tmp_path, "  \n\n"))


def test_binary_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "model.edges"
    path.write_bytes(bytes(range(256)) * 10)
    assert "binary" in refuse(capsys, "check", str(path))


GUARD = "processes 2\nstates A\nA -> A when "


@pytest.mark.parametrize("opening", ["", GUARD])
def test_ten_megabytes_of_brackets(capsys: pytest.CaptureFixture[str], tmp_path: Path, opening: str) -> None:
    path = write(tmp_path, opening + "(" * 10**7)
    code, out, err = run(capsys, "check", path)
    assert (code, out) == (2, "")
    assert f"{path}:{opening.count(chr(10)) + 1}:" in err
    assert len(err) < 1000


@pytest.mark.parametrize("opening", ["", GUARD])
@pytest.mark.parametrize("bracket", ["(", "[", "{", "!", "-", "(\n", "forall j: ", "s["])
def test_many_brackets(capsys: pytest.CaptureFixture[str], tmp_path: Path, opening: str, bracket: str) -> None:
    path = write(tmp_path, opening + bracket * 10**5)
    assert f"{path}:" in refuse(capsys, "check", path)


def test_long_chain_of_operators(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = GOOD + "invariant long: #A" + " - #A" * 5000 + " < 3\n"
    assert "in a row" in refuse(capsys, "check", write(tmp_path, text))


def test_unknown_option(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "--frobnicate" in refuse(capsys, "check", write(tmp_path, GOOD), "--frobnicate")


@pytest.mark.parametrize(
    "option",
    [
        ["--symmetry", "maybe"],
        ["--engine", "warp"],
        ["--strategy", "luck"],
        ["--threads", "0"],
        ["--threads", "many"],
        ["--timeout", "-1"],
        ["--memory", "lots"],
        ["--max-states", "1.5"],
        ["-D", "novalue"],
        ["-D", "n=3"],
        ["-D", "=3"],
        ["--count-like", "spin"],
        ["--set", "S=3"],
        ["--maxint", "5"],
        ["--strategy", "chain", "--symmetry", "off"],
        ["--property", "nonsense ("],
        ["--property", "G (s[9] = A)"],
        ["--property", ""],
        ["--html", "/nonexistent/folder/report.html"],
    ],
)
def test_wrong_value_of_option(capsys: pytest.CaptureFixture[str], tmp_path: Path, option: list[str]) -> None:
    refuse(capsys, "check", write(tmp_path, GOOD), *option)


def test_unknown_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert "explode" in refuse(capsys, "explode")


def test_no_command_shows_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys)
    assert code == 2
    assert "examples:" in out


def test_missing_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert "no such file" in refuse(capsys, "check", "nowhere.edges")


@pytest.mark.parametrize("target", ["model.edges", "nowhere.edges"])
def test_a_link_to_itself_or_to_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path, target: str) -> None:
    link = tmp_path / "model.edges"
    link.symlink_to(target)
    assert f"{link}: a symbolic link that does not lead to a file\n" in refuse(capsys, "check", str(link))


def test_folder_instead_of_a_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "folder.edges"
    folder.mkdir()
    assert "is a folder, not a model" in refuse(capsys, "check", str(folder))


def test_unknown_suffix(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert ".edges (edge diagrams)" in refuse(capsys, "check", write(tmp_path, GOOD, "model.xyz"))


def test_unknown_language(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    told = refuse(capsys, "check", write(tmp_path, GOOD), "--language", "klingon")
    assert "edges, promela, murphi, b, eventb, circuits" in told


@pytest.mark.parametrize("command", [("check",), ("symmetry",), ("why", "(1 2)"), ("simulate", "--steps", "2")])
@pytest.mark.parametrize("name", ["model.xyz", "model", "model.pml"])
def test_a_language_by_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: tuple[str, ...], name: str
) -> None:
    path = write(tmp_path, GOOD, name)
    code, _, err = run(capsys, command[0], path, *command[1:], "--language", "edges")
    assert (code, err) == (0, "")


@pytest.mark.parametrize("name", ["model", "model.prom", "model.p", "model.pr", "model.prm"])
def test_promela_by_its_suffixes(capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str) -> None:
    code, _, _ = run(capsys, "check", write(tmp_path, "active proctype P() { skip }", name))
    assert code == 0


def test_circuits_by_their_content(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    text = ".model m\n.inputs a\n.outputs q\n.latch n q 0\n.names a n\n1 1\n.end\n"
    for name, content in (("c.txt", text), ("d.txt", "aag 1 0 1 0 0\n2 2\n")):
        code, _, err = run(capsys, "check", write(tmp_path, content, name), "--language", "circuits")
        assert (code, err) == (0, "")


def test_unknown_state_with_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write(tmp_path, "processes 2\nstates A, B\nA -> B\nB -> Wrong when #A = 0\n")
    refuse(capsys, "check", path)
    _, out, _ = run(capsys, "check", path, "--json")
    message = "there is no local state Wrong; there are A, B"
    assert json.loads(out)["error"] == {"file": path, "line": 4, "column": 6, "message": message}


def test_several_errors_in_one_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = write(tmp_path, "processes 2\nstates A, B\nA -> X\nB -> Y\nA -> B when s[7] = A\nB -> A when when\n")
    err = refuse(capsys, "check", path)
    assert [f"{path}:{line}:" in err for line in (3, 4, 5, 6)] == [True] * 4
    _, out, _ = run(capsys, "check", path, "--json")
    assert [error["line"] for error in json.loads(out)["errors"]] == [3, 4, 5, 6]


@pytest.mark.parametrize(
    "generators",
    ["(1 2 1)", "(1 2)(2 3)", "(1 2", "1 2", "(0 1)", "(1 x)", "", "()()(", "(1 99999999999999999999)", "@nowhere.txt"],
)
def test_wrong_generators(capsys: pytest.CaptureFixture[str], generators: str) -> None:
    refuse(capsys, "group", generators)


@pytest.mark.parametrize("vector", ["1,2", "1,2,x", "", "1,2,3,4"])
def test_wrong_vector(capsys: pytest.CaptureFixture[str], vector: str) -> None:
    refuse(capsys, "group", "(1 2 3)", "--minimise", vector)


@pytest.mark.parametrize("permutation", ["(1 1)", "(1 7)", "1 2", "()", "(1 2", "(1 2)(2 1)"])
def test_wrong_permutation(capsys: pytest.CaptureFixture[str], tmp_path: Path, permutation: str) -> None:
    refuse(capsys, "why", write(tmp_path, GOOD), permutation)


def test_folder_without_expectations(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write(tmp_path, GOOD)
    refuse(capsys, "test", str(tmp_path))
