"""The documentation says what is so: its commands run and print what it shows, and what it names exists.

Blocks marked ``console`` hold commands and lines they print, perhaps not all; lines that tell times are not compared.
In blocks marked ``python`` a comment is the value of the line above it.
"""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from quorbit.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "examples/README.md",
]
CHANGING = ("engine ",)  # lines that begin so tell times


def blocks(kind: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for block in re.findall(rf"^```{kind}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S):
            yield str(page.relative_to(ROOT)), block


def commands() -> Iterator[tuple[str, list[str]]]:
    """A command line and the lines that must be printed, in this order."""
    for _, block in blocks("console"):
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *lines = part.splitlines()
            yield command, [squeezed(line) for line in lines if line.strip()]


def squeezed(line: str) -> str:
    return " ".join(line.split())


@pytest.mark.parametrize(("command", "expected"), [pytest.param(*each, id=each[0][:60]) for each in commands()])
def test_commands_print_what_is_shown(
    command: str, expected: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    program, *arguments = shlex.split(command)
    assert program == "quorbit"
    code = main(arguments)
    printed = iter([squeezed(line) for line in capsys.readouterr().out.splitlines()])
    for line in expected:
        assert line.startswith(CHANGING) or line in printed, line
    told = {line.split(":")[0] for line in expected}
    worst = next((code for word, code in (("FAILS", 1), ("UNKNOWN", 3), ("HOLDS", 0)) if word in told), code)
    assert code == worst


@pytest.mark.parametrize("page", sorted({page for page, _ in blocks("python")}))
def test_python_gives_what_is_shown(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    names: dict[str, object] = {}
    for block in (text for where, text in blocks("python") if where == page):
        for statement, value in statements(block):
            if value is None:
                exec(statement, names)
            else:
                assert eval(statement, names) == ast.literal_eval(value), statement


def statements(block: str) -> Iterator[tuple[str, str | None]]:
    lines = block.splitlines()
    for node in ast.parse(block).body:
        first = min((d.lineno for d in getattr(node, "decorator_list", ())), default=node.lineno)
        assert node.end_lineno is not None
        source = "\n".join(lines[first - 1 : node.end_lineno])
        after = lines[node.end_lineno or 0 :][:1]
        yield source, after[0][2:] if after and after[0].startswith("# ") else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def named_functions() -> list[tuple[str, str]]:
    text = (ROOT / "docs/papers.md").read_text(encoding="utf-8")
    return sorted(set(re.findall(r"`([\w/]+\.py)(?::(\w+))?`", text)))


def test_papers_name_what_exists() -> None:
    """Every algorithm is where the page says, and every test that keeps a correction is there."""
    missing = []
    for file, name in named_functions():
        path = ROOT / file if file.startswith("tests") else ROOT / "src/quorbit" / file
        if not path.exists():
            missing.append(file)
        elif name and name not in {getattr(node, "name", "") for node in ast.parse(path.read_text("utf-8")).body}:
            missing.append(f"{file}:{name}")
    assert not missing
    assert len(named_functions()) > 80


def test_pages_name_files_that_exist() -> None:
    """Glossary, architecture and recipes: paths in code marks are files or folders of the package or of the tree."""
    missing = []
    for name in ("docs/glossary.md", "docs/ARCHITECTURE.md", "CONTRIBUTING.md"):
        for path in re.findall(r"`([a-z_]+/[\w/.]*)`", (ROOT / name).read_text(encoding="utf-8")):
            if not any((base / path).exists() for base in (ROOT, ROOT / "src/quorbit", ROOT / "src/quorbit/machine")):
                missing.append(path)
    assert not missing


SMALL = ("promela/floors.pml", "promela/favourite.pml", "promela/service.pml", "promela/two_locks.pml")


@pytest.mark.parametrize("name", [*SMALL, "circuits/ping_pong.mv", "circuits/ping_pong.v"])
def test_examples_are_as_they_say(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", str(ROOT / "examples" / name)]) == 0, capsys.readouterr().out
