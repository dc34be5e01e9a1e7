"""The answer ``unknown``: why there is no verdict, and a report of what went wrong if that is a bug of ours.

Imports next to nothing, for it must work where little works.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

from quorbit.source.interrupted import Interrupted
from quorbit.source.version import VERSION

__all__ = ["print_unknown", "unknown_object"]

STEPS = ("parse", "detect", "classify", "compile", "explore", "total")
NO_MEMORY = ("Cannot allocate memory", "cannot allocate memory", "failed to map segment")  # as systems say it
FIRST_LINE = 300  # letters of an error that are told; the report has it whole


def print_unknown(reason: str, as_json: bool, model: str = "") -> None:
    if as_json:
        import json  # here, for it takes as long to load as all else that starts the program

        print(json.dumps(unknown_object(model, reason)))
    else:
        print(f"UNKNOWN: {reason}")


def unknown_object(model: str, reason: str, known: Any = None) -> dict[str, Any]:
    """The answer of a run that was left before it had one; ``known``: the Statistics so far."""
    return {
        "verdict": "unknown",
        "property": "",
        "states": 0 if known is None else known.states,
        "transitions": 0 if known is None else known.transitions,
        "depth": 0 if known is None else known.depth,
        "seconds": dict.fromkeys(STEPS, 0.0) | {"explore": 0.0 if known is None else known.explore_seconds},
        "memory_bytes": 0 if known is None else known.memory_bytes,
        "symmetry": {"order": None, "structure": "unknown", "generators": [], "strategy": "unknown", "exact": False},
        "engine": "",
        "trace": None,
        "message": reason,
        "model": model,
    }


def explain(error: BaseException) -> str:
    """Why a run has no answer."""
    for reason in causes(error):
        if isinstance(reason, KeyboardInterrupt):
            return "interrupted"
        if isinstance(reason, Interrupted):  # beside the part of a command that answers with what it knows
            return str(reason)
        if isinstance(reason, MemoryError) or any(words in str(reason) for words in NO_MEMORY):
            return "out of memory"
    from traceback import format_exception

    shown = (str(error).splitlines() or [""])[0][:FIRST_LINE]
    return internal_error(f"{type(error).__name__}: {shown}".rstrip(": "), "".join(format_exception(error)))


def causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and what it came from: some that are raised by signals or for want of memory are wrapped."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


def internal_error(what: str, details: str) -> str:
    """The words about a bug of ours, and where the rest is."""
    return f"internal error: {what}; {write_report(details)}"


def write_report(details: str) -> str:
    """Where the report is, or why there is none."""
    import tempfile

    about = f"quorbit {VERSION}, Python {sys.version.split()[0]}, {sys.platform}\n{sys.argv}\n\n"
    try:
        handle, name = tempfile.mkstemp(prefix="quorbit-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
            file.write(about + details)
    except OSError as problem:
        return f"no report could be written ({problem.strerror})"
    return f"the report is in {name}"
