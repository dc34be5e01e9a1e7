"""The initial states: as a set, and one with given values as the start commands make it.

A circuit may leave thousands of bits open at the start.  A place that takes over a choice of its own is free and needs
no diagram; what is left is multiplied with every choice quantified as soon as nothing else depends on it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from quorbit.bdd.function import Manager
from quorbit.bdd.open import open_manager
from quorbit.engines.symbolic.relation import schedule
from quorbit.model.diagrams.bit_encoder import encoder_for
from quorbit.model.diagrams.bits import BitLayout, decode, encode_bits, is_coded, lay_out_bits
from quorbit.model.diagrams.cases import Bdd, constant
from quorbit.model.diagrams.effect import run_effect
from quorbit.model.meaning.share import SharingMeaning
from quorbit.model.system.command import Command
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Value, default

__all__ = ["start_with"]


def initial_states(m: Manager, system: System, layout: BitLayout, number: int, command: Command) -> Bdd:
    """The states a start command leads to from the blank state."""
    conditions, functions = encode_start(m, system, layout, number, command)
    parts = list(conditions)
    for b, f in functions.items():
        parts.append(m.equivalent(m.variable(b), f))
    parameters = parameter_bits(layout, number)
    parts = without_own_choices(m, parts, parameters)
    plan = schedule(m, parts, parameters)
    states = m.true
    for cluster, done in plan.clusters:
        states = m.and_exists(states, cluster, done)
    return states


def encode_start(
    m: Manager, system: System, layout: BitLayout, number: int, command: Command
) -> tuple[list[Bdd], dict[int, Bdd]]:
    """What the parameters must satisfy, and every bit of a place as a function of them."""
    encoder = encoder_for(m, system, layout, number)
    blank = {i: constant(m, default(place.type)) for i, place in enumerate(system.places)}
    encoder.update(blank)
    conditions = [encoder.truth(command.guard)]
    for (c, _), coded in layout.parameters.items():
        if c == number:
            conditions.append(is_coded(m, coded, coded.bits))
    values = {**blank, **run_effect(m, encoder, command)}
    functions: dict[int, Bdd] = {}
    for i, coded in enumerate(layout.places):
        functions.update(zip(coded.bits, encode_bits(m, coded, values[i]), strict=True))
    return [c for c in conditions if c != m.true], functions


def parameter_bits(layout: BitLayout, number: int) -> set[int]:
    return {b for (c, _), coded in layout.parameters.items() if c == number for b in coded.bits}


def without_own_choices(m: Manager, parts: list[Bdd], parameters: set[int]) -> list[Bdd]:
    """The parts with every choice quantified that only one of them depends on."""
    supports = [set(m.support(part)) & parameters for part in parts]
    counts = Counter(b for support in supports for b in support)
    found = []
    for part, support in zip(parts, supports, strict=True):
        own = [b for b in support if counts[b] == 1]
        part = m.exists(part, m.variables(own)) if own else part
        if part != m.true:
            found.append(part)
    return found


def start_with(system: System, wanted: Mapping[int, Value], meaning: SharingMeaning | None = None) -> State | None:
    """An initial state in which places, by their numbers, have these values; None if there is none.

    The choices are found by a diagram over them alone; the state is what the model's meaning makes of them."""
    m = open_manager()
    layout = lay_out_bits(m, system)
    for k, command in enumerate(system.start):
        conditions, functions = encode_start(m, system, layout, -1 - k, command)
        for i, value in wanted.items():
            coded = layout.places[i]
            index = coded.values.index(value)
            conditions += [functions[b] if index >> j & 1 else ~functions[b] for j, b in enumerate(coded.bits)]
        choices = m.conjunction(conditions)
        if choices == m.false:
            continue
        listed = [layout.parameters[-1 - k, p.name] for p in command.parameters]
        chosen = m.pick(choices, [b for coded in listed for b in coded.bits])
        env = {p.name: decode(c, chosen, c.bits) for p, c in zip(command.parameters, listed, strict=True)}
        blank: State = tuple(default(place.type) for place in system.places)
        s = (meaning or SharingMeaning(system)).run_effect(command, blank, env)
        if all(s[i] == value for i, value in wanted.items()):
            return s
    return None
