"""Run the notebooks of docs/notebooks and compare what they print with what is stored in them.

Stored are texts only (pages and pictures would make every change a large one); lines that tell times are not compared.
``python tools/notebooks.py`` runs each in an empty folder, writes it with all it shows to build/notebooks as a notebook
and as a page, and ends with 1 where something differs; ``--write`` stores what was printed.
"""

from __future__ import annotations

import re
import sys
import tempfile
from difflib import unified_diff
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbconvert import HTMLExporter

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "notebooks"
SECONDS = 120  # for a cell
NOTHING_FROM_ELSEWHERE: dict[str, Any] = {
    f"{name}_url": "" for name in ("mathjax", "require_js", "jquery", "mermaid_js")
}
CHANGING = re.compile(r"\d+\.\d\d s\b|\d+ MiB")  # how long it took, and how much memory


def main(arguments: list[str]) -> int:
    differences = [line for path in sorted(FOLDER.glob("*.ipynb")) for line in run(path, "--write" in arguments)]
    print("\n".join(differences))
    return 1 if differences else 0


def run(path: Path, write: bool) -> list[str]:
    """How what a notebook prints differs from what is stored in it."""
    stored, shown = nbformat.read(path, as_version=4), execute(nbformat.read(path, as_version=4))
    publish(shown, path.stem)
    if write:
        nbformat.write(with_texts_only(shown), path)
        return []
    name = path.relative_to(ROOT).as_posix()
    return list(unified_diff(texts_of(stored), texts_of(shown), f"{name} as stored", f"{name} as run", lineterm=""))


def execute(notebook: Any) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=SECONDS, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        return client.execute()


def publish(notebook: Any, name: str) -> None:
    """With all it shows, for readers and for the site."""
    target = ROOT / "build" / "notebooks"
    target.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, target / f"{name}.ipynb")
    page, _ = HTMLExporter(template_name="lab", **NOTHING_FROM_ELSEWHERE).from_notebook_node(
        notebook, {"metadata": {"name": name}}
    )
    (target / f"{name}.html").write_text(page, encoding="utf-8")


def with_texts_only(notebook: Any) -> Any:
    for number, cell in enumerate(code_cells(notebook), 1):
        cell.metadata = {}
        cell.execution_count = number
        cell.outputs = [only_text(output) for output in cell.outputs if text_of(output)]
    return notebook


def only_text(output: Any) -> Any:
    if "data" in output:
        output.data = {"text/plain": output.data["text/plain"]}
        output.metadata = {}
    return output


def texts_of(notebook: Any) -> list[str]:
    """The lines that the cells print, without what changes from run to run."""
    texts = (text_of(output) for cell in code_cells(notebook) for output in cell.outputs)
    return [CHANGING.sub("...", line) for text in texts for line in text.splitlines()]


def text_of(output: Any) -> str:
    return str(output["data"].get("text/plain", "") if "data" in output else output.get("text", ""))


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
