"""The symbolic engine: sets of states as decision diagrams, and SAT."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.engine import Engine, Guide, Kind, Work

__all__ = ["SYMBOLIC"]

if TYPE_CHECKING:
    from quorbit.machine.options import SearchOptions
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Outcome


def refuse(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    from quorbit.engines.symbolic.explore import refusal

    return refusal(system, properties, options)


def explore(work: Work) -> list[Outcome]:
    from quorbit.engines.symbolic.explore import explore_each

    return explore_each(work)


SYMBOLIC = Engine(
    name="symbolic",
    guide=Guide.GENERATORS,
    kinds=frozenset([Kind.SAFETY, Kind.TEMPORAL]),
    refuse=refuse,
    explore=explore,
    together=True,
    by_sets=True,
    watches_memory=True,
)
