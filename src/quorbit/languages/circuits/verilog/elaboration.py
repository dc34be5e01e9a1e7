"""A Verilog design while it is elaborated: what is known of its registers, drivers and clocks."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.circuits.verilog.evaluate import Values
from quorbit.languages.circuits.verilog.scope import Scope, Signal
from quorbit.languages.circuits.verilog.tree import Design
from quorbit.netlists.builder import Builder
from quorbit.netlists.netlist import Domain
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Span


@frozen
class Driver:
    """One of several that drive a net: when it does, with which value, and the nets whose z it would pass on."""

    enabled: str
    value: str
    span: Span
    passed: frozenset[str]


@mutable
class Elaboration:
    b: Builder
    design: Design
    starts: dict[str, str] = field(default_factory=dict)  # the net that gives a register its first value
    registers: dict[str, tuple[str, Span]] = field(default_factory=dict)  # net -> next
    integers: dict[str, tuple[str, Span]] = field(default_factory=dict)  # net -> next; most are only loop counters
    held: dict[str, tuple[str, Span]] = field(default_factory=dict)  # what a wire keeps -> the wire
    buses: dict[str, list[Driver]] = field(default_factory=dict)  # the drivers of nets that may have several
    pulls: dict[str, str] = field(default_factory=dict)  # what such nets are while nobody drives them
    driven: set[str] = field(default_factory=set)
    tables: set[str] = field(default_factory=set)  # primitives whose tables were looked through
    declared: dict[str, tuple[Domain | None, str]] = field(default_factory=dict)  # net -> domain, kind
    kept: set[str] = field(default_factory=set)  # nets that keep what they hold where nothing drives them
    clocks: dict[tuple[str, str], Span] = field(default_factory=dict)


def drive(x: Elaboration, net: str, value: str) -> None:
    x.driven.add(net)
    if value != net:
        x.b.copy(value, net)


def declared(scope: Scope, name: str, span: Span) -> Signal:
    signal = scope.signal(name)
    if signal is None:
        raise UserError(span, f"{name} is not declared")
    return signal


def touched_bits(scope: Scope, values: Values) -> Iterator[tuple[Signal, int, int]]:
    """The bits of declared signals that a block assigned."""
    for signal in scope_signals(scope):
        for k, i in sorted(values.touched.get(id(signal), ())):
            yield signal, k, i


def scope_signals(scope: Scope) -> Iterator[Signal]:
    current: Scope | None = scope
    while current is not None:
        yield from current.signals.values()
        current = current.parent
