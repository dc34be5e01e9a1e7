"""What a model declares, for editors: every name with its kind, its type in words and where it is written."""

from __future__ import annotations

from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["Symbol"]


@frozen
class Symbol:
    """``kind``: variable, constant, type, process, operation, value or property; ``container``: whose local it is."""

    name: str
    kind: str
    detail: str
    span: Span
    container: str = ""
