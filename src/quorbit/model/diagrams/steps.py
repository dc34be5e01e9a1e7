"""The start and the steps of a System with one command as gates: functions of the bits of one moment."""

from __future__ import annotations

from typing import cast

from quorbit.bdd.function import Manager
from quorbit.model.diagrams.bit_encoder import encoder_for
from quorbit.model.diagrams.bits import BitLayout, encode_bits, is_coded, lay_out_bits
from quorbit.model.diagrams.cases import Unsupported, constant
from quorbit.model.diagrams.effect import run_effect
from quorbit.model.diagrams.encode import Encoder
from quorbit.model.diagrams.gates import Edge, Gates
from quorbit.model.diagrams.wide_gates import WideGates
from quorbit.model.system.command import Command
from quorbit.model.system.expression import FALSE, Expr
from quorbit.model.system.system import System
from quorbit.model.system.types import default
from quorbit.source.frozen import field, frozen

__all__ = ["Steps", "encode_steps"]


@frozen
class Steps:
    """What is true at the start, of a step and of the next state, over the variables of one moment."""

    gates: Gates
    wide: WideGates
    system: System
    layout: BitLayout
    start: Edge  # with the parameters of the start, which anything may be chosen for
    guard: Edge  # with the parameters of the step in their ranges
    following: dict[int, Edge]  # by bit of a place: its next value
    valid: Edge  # that the bits of all places are numbers of values, and what else is known of all states
    later: list[tuple[int, ...]] = field(default_factory=list)  # variables for what the steps after this one choose

    readers: list[Encoder] = field(default_factory=list)  # one, as soon as a condition is asked about

    def truth(self, condition: Expr) -> Edge:
        if not self.readers:
            self.readers.append(encoder_for(cast(Manager, self.gates), self.system, self.layout, None))
        return cast(Edge, self.readers[0].truth(condition))

    @property
    def state_bits(self) -> tuple[int, ...]:
        return self.layout.present

    @property
    def choice_bits(self) -> tuple[int, ...]:
        return tuple(b for (number, _), coded in self.layout.parameters.items() if number == 0 for b in coded.bits)


def encode_steps(system: System) -> Steps:
    """Requires: one command and one start.  Raises Unsupported for what cannot be encoded."""
    if len(system.commands) != 1 or len(system.start) != 1 or system.transient != FALSE:
        raise Unsupported("more than one command")
    gates = Gates()
    m = cast(Manager, gates)  # encoding asks for no more than gates have
    layout = lay_out_bits(m, system)
    encoder = encoder_for(m, system, layout, 0)
    command = system.commands[0]
    guard = cast(Edge, encoder.truth(command.guard)) & in_range(m, layout, 0)
    changes = run_effect(m, encoder, command)
    following = {b: gates.variable(b) for b in layout.present}
    for i, cases in changes.items():
        following.update(zip(layout.places[i].bits, encode_bits(m, layout.places[i], cases), strict=True))
    valid = gates.conjunction(cast(Edge, is_coded(m, coded, coded.bits)) for coded in layout.places)
    start = encode_start(gates, system, layout, system.start[0])
    return Steps(gates, WideGates(gates), system, layout, start, guard, following, valid)


def in_range(m: Manager, layout: BitLayout, number: int) -> Edge:
    listed = [coded for (c, _), coded in layout.parameters.items() if c == number]
    return cast(Edge, m.conjunction(is_coded(m, coded, coded.bits) for coded in listed))


def encode_start(gates: Gates, system: System, layout: BitLayout, command: Command) -> Edge:
    m = cast(Manager, gates)
    encoder = encoder_for(m, system, layout, -1)
    blank = {i: constant(m, default(place.type)) for i, place in enumerate(system.places)}
    encoder.update(blank)
    states = cast(Edge, encoder.truth(command.guard)) & in_range(m, layout, -1)
    values = {**blank, **run_effect(m, encoder, command)}
    for i, coded in enumerate(layout.places):
        for b, f in zip(coded.bits, encode_bits(m, coded, values[i]), strict=True):
            states = states & gates.equivalent(gates.variable(b), f)
    return states
