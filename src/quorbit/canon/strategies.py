"""The names of the ways to find representatives."""

from __future__ import annotations

__all__ = ["STRATEGIES"]

STRATEGIES = (
    AUTO,
    EXACT,
    ENUMERATE,
    CHAIN,
    MINIMISING,
    SORT,
    LOCAL,
    GRAPH,
    HASH_MARKER,
    ORBIT,
) = ("auto", "exact", "enumerate", "chain", "minimising", "sort", "local", "graph", "hash-marker", "orbit")
