"""Constants that the user sets (-D NAME=VALUE) and the model never mentions: mostly a slip of the pen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from quorbit.source.suggest import did_you_mean

__all__ = ["unused_names"]

INCLUDE = re.compile(r'^\s*[#`]\s*include\s+["<]([^">]+)[">]', re.MULTILINE)
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
MOST_FILES = 100


def unused_names(path: Path, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """The names that are not words of the model or of what it includes, each with what was perhaps meant."""
    texts = (COMMENT.sub(" ", text) for text in texts_of(path)) if names else ()
    words = {word for text in texts for word in re.findall(r"\w+", text)}
    unused = dict.fromkeys(name for name in names if name not in words)
    return tuple((name, did_you_mean(name, sorted(words))) for name in unused)


def texts_of(path: Path) -> Iterator[str]:
    waiting, seen = [path], {path}
    for file in waiting:
        try:
            text = file.read_bytes().decode("utf-8", errors="replace")
        except OSError:  # the front end says so
            continue
        yield text
        for name in INCLUDE.findall(text):
            included = file.parent / name
            if included not in seen and len(seen) < MOST_FILES:
                seen.add(included)
                waiting.append(included)
