"""trace and notrace: an automaton that follows the messages on the channels it mentions.

Every send (or receive) on a channel whose sends (receives) the automaton mentions must be its next event.  ``trace``
is violated by an event that does not fit, also after its end; ``notrace`` by a run that reaches its end, while an event
that does not fit is the end of the matter.  The state of the automaton is one place; when everything stops it must be
at its end or at an end label.
"""

from __future__ import annotations

from quorbit.languages.promela.lower.control_flow import Flow, Passes, control_flow
from quorbit.languages.promela.parse.program import Nothing, Pattern, Program, Receive, Reference, Send
from quorbit.model.system.system import Variable as Family
from quorbit.model.system.types import Number
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["EVENT"]

EVENT = "event"


@frozen
class Event:
    """In state ``source`` a message on this channel with these fields leads to ``target``."""

    source: int
    target: int
    sends: bool
    channel: Reference
    fields: tuple[Pattern, ...]


@frozen
class Trace:
    """The automaton; negated: notrace.  done: its last state; ends: where it may stand when everything stops."""

    start: int
    done: int
    events: tuple[Event, ...]
    ends: frozenset[int]
    negated: bool
    span: Span

    def mentions(self, sends: bool) -> list[Reference]:
        return [event.channel for event in self.events if event.sends == sends]


def trace_of(program: Program) -> Trace | None:
    """The trace or notrace assertion of a model."""
    found = next((p for p in program.proctypes if p.role in {"trace", "notrace"}), None)
    if found is None:
        return None
    flow = control_flow(program, found, Passes(False, False), frozenset())
    return Trace(flow.start, flow.last, events_of(flow), flow.ends, found.role == "notrace", found.span)


def events_of(flow: Flow) -> tuple[Event, ...]:
    found: list[Event] = []
    for source, edges in flow.edges.items():
        for edge in edges if source != flow.last else ():
            match edge.first:
                case Send(channel, arguments):
                    found.append(Event(source, edge.target, True, channel, arguments))  # type: ignore[arg-type]
                case Receive(channel, patterns):
                    found.append(Event(source, edge.target, False, channel, patterns))
                case Nothing():
                    raise UserError(edge.span, "a jump is not an event")
                case _:
                    raise UserError(edge.span, "only sends and receives are events of a trace")
    return tuple(found)


def event_variable(trace: Trace) -> Family:
    highest = max((e.target for e in trace.events), default=0)
    return Family(EVENT, Number(0, max(highest, trace.done, trace.start)), span=trace.span)
