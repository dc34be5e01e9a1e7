"""What tells two things of a model apart, as far as its text shows it."""

from __future__ import annotations

from quorbit.source.frozen import frozen
from quorbit.source.span import Span


@frozen
class Apart:
    """Two names, the pairs of names that lead from them to the difference, and what it is."""

    first: str
    second: str
    way: tuple[tuple[str, str], ...]
    message: str
    span: Span
    other: Span
