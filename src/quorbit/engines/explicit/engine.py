"""The explicit engine: states one by one, in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.engine import EXTRAS, Engine, Guide, Kind, Work
from quorbit.machine.options import MOST_THREADS

__all__ = ["EXPLICIT"]

if TYPE_CHECKING:
    from quorbit.machine.options import SearchOptions
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Outcome


def refuse(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    from quorbit.machine.run import refusal

    return refusal(system, properties, options)


def explore(work: Work) -> list[Outcome]:
    from quorbit.engines.explicit.explore import explore as search

    return [search(work.system, work.properties, work.plan, work.layout, work.options, work.progress)]


EXPLICIT = Engine(
    name="explicit",
    guide=Guide.PLAN,
    kinds=frozenset([Kind.SAFETY]),
    refuse=refuse,
    explore=explore,
    orders=frozenset(["bfs", "dfs", "mixed"]),
    threads=MOST_THREADS,
    extras=frozenset([*EXTRAS, "por", "most_moves"]) - {"cluster", "workers", "replicas"},
    watches_memory=True,
)
