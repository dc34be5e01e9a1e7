"""Modules that are imported when something of them is first used, so that a short run does without.

The type checker and the check of the layers see an ordinary import:

    if TYPE_CHECKING:
        from quorbit.report import html
    else:
        html = later("quorbit.report.html")
"""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module that may not be loaded yet."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        return getattr(import_module(self._name), attribute)


def later(name: str) -> Later:
    return Later(name)
