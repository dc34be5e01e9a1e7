"""What a user can ask of the adaptive search beyond what every search knows."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from quorbit.engines.options import SearchOptions
from quorbit.model.system import Property, Temporal
from quorbit.source.errors import UserError


class Order(Enum):
    BREADTH_FIRST = "breadth-first"  # errors are found at minimum distance
    DEPTH_FIRST = "depth-first"


@dataclass(frozen=True)
class AdaptiveOptions(SearchOptions):
    """``trace`` False: states that are subsumed before they are expanded are forgotten, and errors have no trace."""

    order: Order = Order.BREADTH_FIRST
    trace: bool = True


def as_adaptive(options: SearchOptions | None) -> AdaptiveOptions:
    """The options of any search, refused where this one cannot honour them."""
    options = options or AdaptiveOptions()
    if options.threads > 1:
        raise UserError(None, "the adaptive engine searches with one thread")
    if isinstance(options, AdaptiveOptions):
        return options
    return AdaptiveOptions(**vars(options))


def refuse_temporal(properties: tuple[Property, ...]) -> None:
    """Subsumption keeps the set of reachable states, not the runs through it [W07, section 10]."""
    for p in properties:
        if isinstance(p, Temporal):
            message = f"the adaptive engine cannot check {p.name}: it tells which states are reachable, not which runs"
            raise UserError(p.span, message)
