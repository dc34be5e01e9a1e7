"""Results in notebooks: an interactive page in a frame that keeps to itself, the text below it, a line of progress."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import quorbit
from quorbit import live
from quorbit.report import notebook
from quorbit.result.outcome import Statistics

ROOT = Path(__file__).parents[3]
NASTY = "</pre></iframe><script>alert(1)</script>\" onload='x'"


class Elements(HTMLParser):
    """The elements of a text, and the page in its frame."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.frame: dict[str, str | None] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "iframe":
            self.frame = dict(attrs)


@pytest.fixture
def failing(tmp_path: Path) -> quorbit.CheckResults:
    model = tmp_path / "model.edges"
    name = NASTY.replace('"', "")
    model.write_text(f'processes 3\nstates A, B\nA -> B as "{name}"\nB -> B\ninvariant "{name}": #B < 3\n')
    return quorbit.check(model)


def test_the_answer_is_a_page_in_a_frame(failing: quorbit.CheckResults) -> None:
    for shown in (failing, failing.worst):
        bundle = shown._repr_mimebundle_()
        assert bundle["text/plain"].startswith("FAILS: ")
        found = Elements(bundle["text/html"])
        assert found.tags == ["iframe", "details", "summary", "pre"]  # nothing of the model became an element
        assert found.frame["sandbox"] == "allow-scripts"
        page = Elements(found.frame["srcdoc"] or "")
        assert page.tags.count("script") == 2  # the data and the script of the page
        assert len(bundle["text/html"]) < 300_000


def test_a_page_that_is_too_large_is_text(failing: quorbit.CheckResults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "LARGEST", 1000)
    assert Elements(failing._repr_mimebundle_()["text/html"]).tags == ["pre"]


def test_a_symmetry_is_a_picture(failing: quorbit.CheckResults) -> None:
    bundle = quorbit.symmetry(failing.worst.path)._repr_mimebundle_()
    assert bundle["text/plain"].startswith("symmetry    S3, order 6\n")
    found = Elements(bundle["text/html"])
    assert "svg" in found.tags
    assert "script" not in found.tags


class Display:
    """Stands for what a kernel displays with."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, data: dict[str, str], raw: bool, display_id: bool) -> Display:
        assert raw
        assert display_id
        return self.update(data, raw)

    def update(self, data: dict[str, str], raw: bool) -> Display:
        self.texts.append(data["text/plain"])
        assert data["text/html"] == (f"<code>{data['text/plain']}</code>" if data["text/plain"] else "")
        return self


def in_a_kernel(monkeypatch: pytest.MonkeyPatch, kernel: object) -> Display:
    display, shell = Display(), SimpleNamespace(kernel=kernel)
    shown: Any = SimpleNamespace(get_ipython=lambda: shell)
    monkeypatch.setitem(sys.modules, "IPython", shown)
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))  # type: ignore[arg-type]
    return display


def test_a_notebook_sees_how_far_a_run_is(monkeypatch: pytest.MonkeyPatch) -> None:
    display = in_a_kernel(monkeypatch, object())
    monkeypatch.setattr(live, "EVERY", 0.0)
    assert quorbit.check(ROOT / "examples/promela/two_locks.pml").verdict == "fails"
    assert "detecting symmetry ..." in display.texts
    assert any(" states, " in text for text in display.texts)
    assert display.texts[-1] == ""  # and the line goes


def test_nobody_else_does(monkeypatch: pytest.MonkeyPatch) -> None:
    display = in_a_kernel(monkeypatch, None)  # a shell in a terminal
    told: list[str] = []

    def watch(step: str, statistics: Statistics) -> bool:
        told.append(step)
        return False

    quorbit.check(ROOT / "examples/mutex.edges")
    in_a_kernel(monkeypatch, object())
    quorbit.check(ROOT / "examples/mutex.edges", watch=watch)
    assert display.texts == []
    assert "explore" in told


def test_a_run_that_goes_wrong_leaves_no_line(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    display = in_a_kernel(monkeypatch, object())
    with pytest.raises(quorbit.UserError):
        quorbit.check(tmp_path / "nothing.pml")
    assert display.texts == []


def test_why_from_python() -> None:
    why = quorbit.why(ROOT / "examples/readers_writers.edges", "(2 3)")
    assert not why.is_symmetry
    assert str(why).startswith("(2 3) is not a symmetry:")
    assert why.to_json()["breaches"][0]["line"] == 10
    assert quorbit.why(ROOT / "examples/readers_writers.edges", "(1 2)").is_symmetry
    assert quorbit.why(ROOT / "examples/mutex.edges").is_symmetry
    apart = quorbit.why(ROOT / "examples/readers_writers.edges")
    assert "readers_writers.edges:10:1" in str(apart)
    assert apart.to_json()["pairs"][0]["permutation"] == "(1 3)"


def test_why_points_at_the_lines_of_a_program() -> None:
    m = quorbit.Builder("favourite")
    process = m.sort("process", 3)
    busy = m.variable("busy", bool, process)

    @m.command(i=process)
    def begin(i: Any) -> Any:
        return m.when(~busy[i]).do(busy[i].to(True))

    m.invariant("first", ~busy[process[0]])  # tells the first apart
    why = quorbit.why(m)
    assert "test_notebook.py" in str(why)
    assert 'm.invariant("first"' in str(why)
