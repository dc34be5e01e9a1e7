"""Forward and backward reachability, ring by ring."""

from __future__ import annotations

import time
from collections.abc import Callable

from quorbit.engines.symbolic.model import Model
from quorbit.model.diagrams.cases import Bdd
from quorbit.source.frozen import field, frozen, mutable, replace
from quorbit.source.limits import depth_reached, time_reached

__all__ = ["Clock", "OutOfTurn", "Reached", "Stopped", "reach"]


class Stopped(Exception):
    """A limit was hit or the user interrupted; the message says which."""


class OutOfTurn(Exception):
    """A first attempt took longer than it was given."""


@mutable
class Clock:
    """Says stop when the time is over or the user wants it; asked between two steps of a fixpoint."""

    timeout: float | None = None
    interrupted: Callable[[], bool] | None = None
    began: float = field(default_factory=time.monotonic)
    turn: float | None = None  # when the present attempt ends, though others may follow, by the time of the process
    has_done_enough: Callable[[], bool] | None = None  # whether it ends by what it has done, so always at the same step

    def sooner(self, seconds: float) -> Clock:
        """The same clock for an attempt that has so many seconds of computing, so that it does not depend on what else
        the machine does which attempt answers."""
        end = time.process_time() + seconds
        return replace(self, turn=end if self.turn is None else min(end, self.turn))

    def remaining(self) -> float:
        """Seconds up to the time limit; without one there is no end."""
        return float("inf") if self.timeout is None else self.timeout - (time.monotonic() - self.began)

    def tick(self) -> None:
        if self.turn is not None and time.process_time() > self.turn:
            raise OutOfTurn
        if self.has_done_enough is not None and self.has_done_enough():
            raise OutOfTurn
        if self.timeout is not None and time.monotonic() - self.began > self.timeout:
            raise Stopped(time_reached(self.timeout))
        if self.interrupted is not None and self.interrupted():
            raise Stopped("interrupted")


@frozen
class Reached:
    states: Bdd
    rings: tuple[Bdd, ...]  # the states at each distance from the start
    complete: bool = True


def reach(
    model: Model,
    clock: Clock,
    bad: Bdd | None = None,
    max_depth: int | None = None,
    watch: Callable[[list[Bdd]], None] | None = None,
) -> Reached:
    """All reachable states, or those up to the first ring that meets ``bad``; ``watch`` sees the rings grow."""
    m = model.m
    reached = ring = model.initial
    rings = [ring]
    while ring != m.false:
        if watch is not None:
            watch(rings)
        if bad is not None and ring & bad != m.false:
            return Reached(reached, tuple(rings), False)
        if max_depth is not None and len(rings) > max_depth:
            raise Stopped(depth_reached(max_depth))
        clock.tick()
        simpler = reached if m.size(reached) < m.size(ring) else ring  # both have the same new successors
        ring = model.image(simpler) & ~reached
        reached = reached | ring
        rings.append(ring)
    return Reached(reached, tuple(rings[:-1]))


def backward(model: Model, clock: Clock, target: Bdd, within: Bdd) -> Bdd:
    """The states from which ``target`` can be reached through states ``within``."""
    m = model.m
    reached = ring = target & within
    while ring != m.false:
        clock.tick()
        simpler = reached if m.size(reached) < m.size(ring) else ring
        ring = model.preimage(simpler) & within & ~reached
        reached = reached | ring
    return reached
