"""All engines, in the order in which they are tried."""

from __future__ import annotations

from quorbit.engines.adaptive.engine import ADAPTIVE
from quorbit.engines.cluster.engine import CLUSTER
from quorbit.engines.engine import Engine
from quorbit.engines.explicit.engine import EXPLICIT
from quorbit.engines.reference.engine import REFERENCE
from quorbit.engines.symbolic.engine import SYMBOLIC
from quorbit.engines.temporal.engine import TEMPORAL
from quorbit.source.errors import UserError

__all__ = ["ENGINES", "NAMES", "find_engine"]

ENGINES = (EXPLICIT, REFERENCE, TEMPORAL, SYMBOLIC, ADAPTIVE, CLUSTER)
NAMES = ("auto", *(engine.name for engine in ENGINES))


def find_engine(name: str) -> Engine:
    for engine in ENGINES:
        if engine.name == name:
            return engine
    raise UserError(None, f"unknown engine {name}; choose one of {', '.join(NAMES)}")
