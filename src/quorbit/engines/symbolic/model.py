"""A System as boolean functions: layout, initial states and transition relation."""

from __future__ import annotations

from quorbit.bdd.function import Manager
from quorbit.bdd.open import open_manager
from quorbit.engines.symbolic.bits import Layout, decode, encode_bits, is_coded, lay_out
from quorbit.engines.symbolic.cases import Bdd, Unsupported, constant
from quorbit.engines.symbolic.encode import Encoder
from quorbit.engines.symbolic.relation import StepRelation, build_relation, image, preimage, run_effect
from quorbit.model.system.command import Command
from quorbit.model.system.expression import FALSE, Expr
from quorbit.model.system.system import State, System
from quorbit.model.system.types import default
from quorbit.source.frozen import frozen


@frozen
class Model:
    """Everything the fixpoints work on."""

    m: Manager
    system: System
    layout: Layout
    relations: tuple[StepRelation, ...]
    initial: Bdd

    def image(self, states: Bdd) -> Bdd:
        return self.m.disjunction(image(self.m, relation, states) for relation in self.relations)

    def preimage(self, states: Bdd) -> Bdd:
        return self.m.disjunction(preimage(self.m, relation, states) for relation in self.relations)

    def truth(self, condition: Expr) -> Bdd:
        """The states in which a condition of the state holds."""
        return Encoder(self.m, self.system, self.layout, None).truth(condition)

    def count(self, states: Bdd) -> int:
        return self.m.count(states, len(self.layout.present))

    def pick(self, states: Bdd) -> State:
        """The least state of a set that is not empty."""
        chosen = self.m.pick(states, self.layout.present)
        return tuple(decode(coded, chosen, coded.bits) for coded in self.layout.places)


def open_model(system: System, library: str = "oxidd", reorder: bool = False, nodes: int = 1 << 22) -> Model:
    """Encode a System; raises Unsupported for what this engine cannot do."""
    if system.transient != FALSE:
        raise Unsupported("transient states")
    m = open_manager(library, reorder, nodes)
    layout = lay_out(m, system)
    relations = tuple(build_relation(m, system, layout, k, command) for k, command in enumerate(system.commands))
    initial = m.disjunction(initial_states(m, system, layout, -1 - k, c) for k, c in enumerate(system.start))
    return Model(m, system, layout, relations, initial)


def start_states(system: System) -> tuple[Bdd, Layout, Manager]:
    """The initial states alone, without a transition relation."""
    m = open_manager()
    layout = lay_out(m, system)
    initial = m.disjunction(initial_states(m, system, layout, -1 - k, c) for k, c in enumerate(system.start))
    return initial, layout, m


def initial_states(m: Manager, system: System, layout: Layout, number: int, command: Command) -> Bdd:
    """The states a start command leads to from the blank state."""
    encoder = Encoder(m, system, layout, number)
    blank = {i: constant(m, default(place.type)) for i, place in enumerate(system.places)}
    encoder.update(blank)
    states = encoder.truth(command.guard)
    parameters: list[int] = []
    for (c, _), coded in layout.parameters.items():
        if c == number:
            states = states & is_coded(m, coded, coded.bits)
            parameters += coded.bits
    values = {**blank, **run_effect(m, encoder, command)}
    for i, coded in enumerate(layout.places):
        for b, f in zip(coded.bits, encode_bits(m, coded, values[i]), strict=True):
            states = states & m.equivalent(m.variable(b), f)
    return m.exists(states, m.variables(parameters))
