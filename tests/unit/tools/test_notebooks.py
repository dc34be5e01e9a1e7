"""The tool that runs the notebooks tells where what they print differs from what is stored."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat import v4
from tools import notebooks


def test_a_difference_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    path = tmp_path / "one.ipynb"
    nbformat.write(v4.new_notebook(cells=[v4.new_code_cell("print('took 0.12 s')\n6 * 7")]), path)
    assert notebooks.run(path, write=True) == []
    assert notebooks.run(path, write=False) == []
    stored = path.read_text(encoding="utf-8")
    path.write_text(stored.replace("took 0.12 s\\n", "took 3.45 s\\n"), encoding="utf-8")
    assert notebooks.run(path, write=False) == []  # times may differ
    path.write_text(stored.replace('"42"', '"41"'), encoding="utf-8")
    assert [line for line in notebooks.run(path, write=False) if line[0] in "+-"][2:] == ["-41", "+42"]
    assert (tmp_path / "build/notebooks/one.html").exists()
