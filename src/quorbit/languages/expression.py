"""An expression that a user asks about, read in the words of a model's language."""

from __future__ import annotations

from collections.abc import Callable

from quorbit.model.system.expression import TRUE, Expr
from quorbit.model.system.types import Value
from quorbit.source.frozen import frozen

__all__ = ["Readable"]


@frozen
class Readable:
    """An expression of the System, how its value is shown, and in which states it has a meaning."""

    expression: Expr
    show: Callable[[Value], str]
    ready: Expr = TRUE
