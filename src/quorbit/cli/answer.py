"""What a command prints: text or JSON on standard output, mistakes in the input on standard error."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

from quorbit.source.errors import UserError, place_object

__all__ = [
    "columns",
    "fitted",
    "is_coloured",
    "json_text",
    "print_error",
    "print_json",
    "print_text",
    "terminal_width",
    "write_bytes",
    "write_file",
]

COLUMNS = 80
PIECES = 4  # levels of an answer that are written piece by piece: answers, one of them, its trace, a step
FIGURE = re.compile(r" *[a-z][a-z ]* {2,}")  # the name before what is told: "  strategy    "
COLOUR = re.compile(r"\x1b\[\d*m")


def print_json(found: dict[str, Any]) -> None:
    print(json.dumps(found))


def json_text(found: Any, depth: int = PIECES) -> str:
    """As ``json.dumps`` writes it, piece by piece down to the steps of a trace: nothing interrupts the writer of the
    library, and all steps together may take it long."""
    match found:
        case dict() if depth:
            return f"{{{', '.join(f'{json.dumps(key)}: {json_text(part, depth - 1)}' for key, part in found.items())}}}"
        case list() if depth:
            return f"[{', '.join([json_text(part, depth - 1) for part in found])}]"
        case _:
            return json.dumps(found)


def print_text(text: str) -> None:
    print(fitted(text))


def fitted(text: str) -> str:
    """On a terminal long lines go on below where they began; whoever reads a pipe gets them whole."""
    return "\n".join(folded(text, columns())) if sys.stdout.isatty() else text


def folded(text: str, width: int) -> list[str]:
    from textwrap import wrap  # here, for only a terminal needs it

    lines: list[str] = []
    for line in text.splitlines():
        if len(COLOUR.sub("", line)) <= width:
            lines.append(line)
        else:
            figure = FIGURE.match(line)
            indent = figure.end() if figure else len(line) - len(line.lstrip()) + 2
            lines += wrap(line, width, subsequent_indent=" " * min(indent, width // 2), break_on_hyphens=False)
    return lines


def print_error(error: UserError, as_json: bool) -> None:
    if as_json:
        print_json(error_object(error))
    else:
        print(error.render() if len(error.message) < 4000 else error.message[:4000], file=sys.stderr)


def error_object(error: UserError) -> dict[str, Any]:
    """The first mistake; all of them below ``errors`` if there are several."""
    found = [place_object(diagnostic) for diagnostic in error.diagnostics]
    return {"error": found[0]} if len(found) == 1 else {"error": found[0], "errors": found}


def is_coloured() -> bool:
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def columns() -> int:
    """The width of the terminal; 80 where there is none."""
    return terminal_width() if sys.stdout.isatty() else COLUMNS


def terminal_width() -> int:
    """As ``shutil`` finds it, which takes longer to load than to ask: what the user says, else what the terminal does,
    else 80."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or COLUMNS  # type: ignore[union-attr]
    except (AttributeError, ValueError, OSError):  # it is closed, or no terminal
        return COLUMNS


def write_file(path: str, text: str) -> None:
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str, content: bytes) -> None:
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise UserError(None, f"{path}: {error.strerror}") from error
