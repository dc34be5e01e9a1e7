"""What the documentation site does beside the pages of docs/: it shows the notebooks as ``make notebooks`` ran them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mkdocs.structure.files import File

EXECUTED = Path(__file__).parents[1] / "build" / "notebooks"


def on_files(files: Any, config: Any) -> Any:
    """The executed notebooks are pages beside their sources."""
    for page in sorted(EXECUTED.glob("*.html")):
        files.append(File.generated(config, f"notebooks/{page.name}", abs_src_path=str(page)))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """On the site a link to a notebook leads to what it shows."""
    return markdown.replace(".ipynb)", ".html)") if page.file.src_uri == "notebooks/README.md" else markdown
