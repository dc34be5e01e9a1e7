"""The adaptive engine: states with annotations, for systems that are only almost symmetric. [W07]"""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorbit.engines.engine import Engine, Guide, Kind, Work

__all__ = ["ADAPTIVE"]

if TYPE_CHECKING:
    from quorbit.machine.options import SearchOptions
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Outcome


def refuse(system: System, properties: tuple[Property, ...], options: SearchOptions) -> str:
    from quorbit.engines.adaptive.options import refusal

    if system.blocking:
        return "does not support commands that may turn out to be blocked while they run"
    return refusal(properties, options)


def explore(work: Work) -> list[Outcome]:
    from quorbit.engines.adaptive.explore import explore as search

    assert work.partitions is not None
    return [search(work.system, work.properties, work.partitions, work.options, work.progress)]


ADAPTIVE = Engine(
    name="adaptive",
    guide=Guide.PARTITIONS,
    kinds=frozenset([Kind.SAFETY]),
    refuse=refuse,
    explore=explore,
    orders=frozenset(["bfs", "dfs"]),
    traceless=True,
    automatic=False,  # the pipeline tries it where most commands are more symmetric than the model
)
