"""The list of decisions names every page once, in the order of the numbers."""

from __future__ import annotations

import re
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "docs" / "decisions"
LIST = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_every_decision_is_listed_once_in_order() -> None:
    pages = sorted(page.name for page in FOLDER.glob("[0-9]*.md"))
    assert re.findall(r"^\| \[\d{4}\]\((.*?)\)", LIST, re.MULTILINE) == pages
