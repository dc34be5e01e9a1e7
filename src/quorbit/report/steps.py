"""One step of a run after the other, as a simulation shows them."""

from __future__ import annotations

from quorbit.report.text import Paint, cut
from quorbit.report.trace import Moved
from quorbit.source.span import NOWHERE

__all__ = ["show_step"]


def show_step(number: int, moved: Moved, paint: Paint) -> str:
    """Who moved, where that is written, by which statement; below, what changed."""
    who = ", ".join(moved.actors)
    where = "" if moved.span.source is NOWHERE.source else f"{moved.span.file}:{moved.span.line}"
    called = moved.text
    head = "  ".join(part for part in (who, where, paint(f"[{cut(called)}]", "bold")) if part)
    changes = [f"       {c.place}: {c.before} -> {c.after}" for c in moved.changes]
    return "\n".join([f"{number:3}: {head}", *map(cut, changes)])
