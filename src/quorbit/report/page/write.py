"""One HTML file with everything in it: the data, the style and the scripts of the page.

The scripts are plain ES modules that the explorer serves one by one.  For a file they are put together in the order in
which they need each other, without their imports and exports; a test sees to it that no name is used twice.
Nothing is loaded from elsewhere: the policy in the file allows this script (by its hash) and this style, and no more.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

__all__ = ["ASSETS", "PRELUDE", "html_page", "modules_of"]

ASSETS = Path(__file__).parent / "assets"
IMPORT = re.compile(r"""^import\s+(?:\{[^}]*\}\s+from\s+)?["']\./([a-z_]+\.js)["'];\n""", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class))", re.MULTILINE)
PRELUDE = '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'


def html_page(data: dict[str, Any], plain: str) -> str:
    """The page of a report; ``plain``: the same as text, for who reads it without scripts."""
    script, style = bundle("report.js"), read_asset("style.css")
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; img-src data:"
    title = f"{data['name']}: {data.get('verdict', data['title'])}"
    return (
        f'{PRELUDE}<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        f'<main id="page"></main>\n<noscript><pre>{escape(plain)}</pre></noscript>\n'
        f'<script type="application/json" id="data">{inert(data)}</script>\n'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


def inert(data: dict[str, Any]) -> str:
    """JSON in which nothing can end the element it stands in."""
    text = json.dumps(data, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def read_asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def modules_of(name: str) -> list[str]:
    """A module and all that it imports, each after what it needs."""
    found: dict[str, None] = {}

    def visit(module: str) -> None:
        for needed in IMPORT.findall(read_asset(module)):
            if needed not in found:
                visit(needed)
        found[module] = None

    visit(name)
    return list(found)


@cache
def bundle(name: str) -> str:
    """All modules of a page as one script."""
    texts = (EXPORT.sub("", IMPORT.sub("", read_asset(module))) for module in modules_of(name))
    return "\n" + "\n".join(texts)
