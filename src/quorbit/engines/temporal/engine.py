"""The temporal engine: formulas of LTL, CTL and CTL* on the graph of the states."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.engine import Engine, Guide, Kind, Work

__all__ = ["TEMPORAL"]

if TYPE_CHECKING:
    from quorbit.machine.options import SearchOptions
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Outcome


def refuse(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    from quorbit.engines.temporal.explore import refusal

    return refusal(system, properties, options)


def explore(work: Work) -> list[Outcome]:
    from quorbit.engines.temporal.explore import explore_spaces

    return [explore_spaces(work)]


TEMPORAL = Engine(
    "temporal",
    Guide.PLAN,
    frozenset([Kind.TEMPORAL]),
    refuse,
    explore,
    fairness=True,
    extras=frozenset(["por", "most_moves"]),
    slow=True,
)
