"""Answers in notebooks, in a browser: a trace to step through, in a frame that cannot reach the notebook."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import quorbit

ROOT = Path(__file__).parents[2]
Open = Callable[..., Any]


def test_a_trace_is_stepped_through_in_its_frame(open_page: Open, tmp_path: Path) -> None:
    shown = quorbit.check(ROOT / "examples" / "promela" / "two_locks.pml")._repr_mimebundle_()["text/html"]
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f'<!DOCTYPE html><meta charset="utf-8"><p id="cell">mine</p>{shown}', encoding="utf-8")
    watched = open_page(notebook.as_uri())
    page = watched.page
    (frame,) = (each for each in page.frames if each is not page.main_frame)
    frame.wait_for_selector(".headline .badge")
    assert frame.locator(".headline .badge").inner_text() == "✗ fails"
    assert frame.locator(".trace-row.row").count() > 2
    frame.locator('[data-at="2"]').click()
    assert frame.locator(".state td.changed").count() > 0
    frame.locator('[data-tab="lanes"]').click()
    assert frame.locator(".lane-name:visible").all_inner_texts() == ["worker[1]", "worker[2]", "init"]
    reach = "() => { try { return parent.document.getElementById('cell').textContent } catch { return 'refused' } }"
    assert frame.evaluate(reach) == "refused"
    page.locator("summary").click()
    assert page.locator("details pre").inner_text().startswith("FAILS: end states")
    assert watched.requests == [page.url]  # nothing is loaded
