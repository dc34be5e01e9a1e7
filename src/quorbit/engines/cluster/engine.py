"""The cluster engine: the states are shared by several processes, on this machine or on many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.engine import Engine, Guide, Kind, Work

__all__ = ["CLUSTER"]

if TYPE_CHECKING:
    from quorbit.machine.options import SearchOptions
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Outcome


def refuse(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    from quorbit.machine.run import refusal

    return refusal(system, properties, options)


def explore(work: Work) -> list[Outcome]:
    from quorbit.engines.cluster.explore import explore as search

    return [search(work.system, work.properties, work.plan, work.options, work.progress)]


CLUSTER = Engine(
    name="cluster",
    guide=Guide.PLAN,
    kinds=frozenset([Kind.SAFETY]),
    refuse=refuse,
    explore=explore,
    extras=frozenset(["checkpoint", "resume", "cluster", "workers", "replicas"]),
    checkpoints="quorbit-cluster",
    automatic=False,
    watches_memory=True,
)
