"""A run of a circuit whose fields were decoded, as one of the circuit that was given."""

from __future__ import annotations

from quorbit.model.specialise.fields.decode import Decoded
from quorbit.result.outcome import Step, Trace

__all__ = ["undecode"]


def undecode(trace: Trace, decoded: Decoded) -> Trace:
    """The same run with the fields as they are stored."""
    steps = tuple(Step(tuple(map(decoded.firing, step.firings)), decoded.state(step.state)) for step in trace.steps)
    return Trace(decoded.state(trace.start), steps, trace.loop)
