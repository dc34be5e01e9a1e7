"""How a run of a B machine is told: operations with arguments and results, maplets, the machine's own variables."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.languages.b.types.typed import TypedOperation
from quorbit.model.system.telling import Telling

__all__ = ["telling_of"]


def telling_of(operations: Iterable[TypedOperation], hidden: Iterable[str]) -> Telling:
    results = tuple((o.name, tuple(r.name for r in o.results)) for o in operations if o.results)
    return Telling(frozenset(hidden), truth=("FALSE", "TRUE"), maplet=" |-> ", results=results)
