"""The reference engine: states one by one in Python, slow and plainly right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.engine import Engine, Guide, Kind, Work

__all__ = ["REFERENCE"]

if TYPE_CHECKING:
    from quorbit.machine.options import SearchOptions
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Outcome


def refuse(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    from quorbit.engines.reference.explore import refusal

    return refusal(properties)


def explore(work: Work) -> list[Outcome]:
    from quorbit.engines.reference.explore import explore_by_plan

    return [explore_by_plan(work)]


REFERENCE = Engine(
    "reference",
    Guide.PLAN,
    frozenset([Kind.SAFETY]),
    refuse,
    explore,
    extras=frozenset(["por", "most_moves"]),
    slow=True,
)
