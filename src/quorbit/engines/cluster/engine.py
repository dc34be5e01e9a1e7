"""The cluster engine: the states are shared by several processes, on this machine or on many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.engine import Engine, Guide, Kind, Work

__all__ = ["CLUSTER"]

MOST_WORKERS = 1024

if TYPE_CHECKING:
    from quorbit.machine.options import SearchOptions
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Outcome


def refuse(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    from quorbit.machine.run import refusal
    from quorbit.model.specialise.trim import all_expressions
    from quorbit.model.system.expression import Compute
    from quorbit.model.system.walk import walk

    if options.workers is not None and options.workers > MOST_WORKERS:
        return f"shares the states among 1 to {MOST_WORKERS} workers, not {options.workers}"
    if options.replicas and options.workers == 1:
        return "needs at least two workers for --replicas: one keeps the copy of another"
    if any(isinstance(part, Compute) for e in all_expressions(system) for part in walk(e)):
        return "sends the model to other processes, but this model uses functions that cannot be sent"
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
    extras=frozenset(["checkpoint", "resume", "cluster", "workers", "replicas", "por", "no_parents"]),
    checkpoints="quorbit-cluster",
    automatic=False,
    watches_memory=True,
)
