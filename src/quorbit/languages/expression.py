"""An expression that a user asks about, read in the words of a model's language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from quorbit.model.expression import TRUE, Expr
from quorbit.model.types import Value


@dataclass(frozen=True)
class Readable:
    """An expression of the System, how its value is shown, and in which states it has a meaning."""

    expression: Expr
    show: Callable[[Value], str]
    ready: Expr = TRUE
