"""The check of the structure sees imports that hide: by a string, or inside a function."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools.check_structure import breaches

LATE = '"""A file."""\n\n\ndef f() -> None:\n    from quorbit.groups.other import g\n\n    g()\n'
SECOND = '"""A file."""\n\n\ndef f() -> None:\n    x = 1\n    from quorbit.engines.one.explore import g\n\n    g(x)\n'
STRING = '"""A file."""\n\nfrom importlib import import_module\n\nother = import_module("quorbit.groups.other")\n'


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("groups/some.py", LATE, "move it to the top of the file"),
        ("engines/one/engine.py", LATE, ""),
        ("engines/one/engine.py", SECOND, "move it to its first line"),
        ("groups/some.py", STRING, "imports by a string"),
    ],
)
def test_imports_that_hide(tmp_path: Path, path: str, text: str, expected: str) -> None:
    file = tmp_path / "quorbit" / path
    file.parent.mkdir(parents=True)
    file.write_text(text, encoding="utf-8")
    found = list(breaches(tmp_path / "quorbit"))
    assert [expected in breach for breach in found] == ([True] if expected else [])
