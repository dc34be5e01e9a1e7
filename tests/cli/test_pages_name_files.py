"""The pages that say where things are name files and folders that are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "quorbit"
PAGES = ("docs/ARCHITECTURE.md", "docs/glossary.md", "CONTRIBUTING.md")
NAMED = re.compile(r"`([a-z_]+(?:/[\w.-]+)+)`")


@pytest.mark.parametrize("page", PAGES)
def test_named_files_exist(page: str) -> None:
    named = NAMED.findall((ROOT / page).read_text(encoding="utf-8"))
    assert len(named) > 20
    missing = [
        name for name in named if not any((folder / name).exists() for folder in (PACKAGE, ROOT, PACKAGE / "machine"))
    ]
    assert missing == []
