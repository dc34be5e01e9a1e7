"""Results in notebooks: the answers as the interactive page of a report, a symmetry as a picture; below it the text.

The page stands in a frame that holds all it needs, runs its own script and nothing else, and belongs to no origin: what
a model says cannot reach the notebook.  Where frames are left out (notebooks shown by a code host) the text remains.
"""

from __future__ import annotations

from html import escape

from quorbit.report.page.check_data import check_data
from quorbit.report.page.write import html_page
from quorbit.report.pictures.symmetry import draw_symmetry
from quorbit.report.record import CheckResults, Found
from quorbit.report.text import COLUMNS, Paint, show_checks, show_symmetry

LARGEST = 4 * 2**20  # characters of a page; what is longer is shown as text only
HEIGHT_OF_TRACE, HEIGHT = 720, 420  # pixels with and without a trace; the frame can be pulled larger
STYLE = "width:100%;border:1px solid #8888;border-radius:6px;resize:vertical;overflow:auto"
Bundle = dict[str, str]  # texts by their type, as notebooks take them


def check_bundle(results: CheckResults) -> Bundle:
    plain = show_checks(results, Paint(), COLUMNS)
    page = html_page(check_data(results), plain)
    has_trace = any(result.outcome.trace is not None for result in results.results)
    if len(page) > LARGEST:
        return {"text/plain": plain, "text/html": text_as_html(plain)}
    shown = frame(page, HEIGHT_OF_TRACE if has_trace else HEIGHT)
    return {
        "text/plain": plain,
        "text/html": f"{shown}<details><summary>as text</summary>{text_as_html(plain)}</details>",
    }


def symmetry_bundle(found: Found) -> Bundle:
    plain = show_symmetry(found, Paint())
    return {"text/plain": plain, "text/html": draw_symmetry(found) + text_as_html(plain)}


def frame(page: str, height: int) -> str:
    return f'<iframe sandbox="allow-scripts" style="{STYLE};height:{height}px" srcdoc="{escape(page)}"></iframe>'


def text_as_html(plain: str) -> str:
    return f"<pre>{escape(plain)}</pre>"
