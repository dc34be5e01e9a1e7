"""A System as boolean functions: layout, initial states and transition relation."""

from __future__ import annotations

from quorbit.bdd.function import Manager
from quorbit.bdd.open import open_manager
from quorbit.engines.symbolic.relation import StepRelation, build_relation, image, preimage
from quorbit.engines.symbolic.start import initial_states
from quorbit.model.diagrams.bit_encoder import encoder_for
from quorbit.model.diagrams.bits import BitLayout, decode, lay_out_bits
from quorbit.model.diagrams.cases import Bdd, Unsupported
from quorbit.model.system.expression import FALSE, Expr
from quorbit.model.system.system import State, System
from quorbit.source.frozen import frozen

__all__ = ["Model", "open_model"]


@frozen
class Model:
    """Everything the fixpoints work on."""

    m: Manager
    system: System
    layout: BitLayout
    relations: tuple[StepRelation, ...]
    initial: Bdd

    def image(self, states: Bdd) -> Bdd:
        return self.m.disjunction(image(self.m, relation, states) for relation in self.relations)

    def preimage(self, states: Bdd) -> Bdd:
        return self.m.disjunction(preimage(self.m, relation, states) for relation in self.relations)

    def truth(self, condition: Expr) -> Bdd:
        """The states in which a condition of the state holds."""
        return encoder_for(self.m, self.system, self.layout, None).truth(condition)

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
    layout = lay_out_bits(m, system)
    relations = tuple(build_relation(m, system, layout, k, command) for k, command in enumerate(system.commands))
    initial = m.disjunction(initial_states(m, system, layout, -1 - k, c) for k, c in enumerate(system.start))
    return Model(m, system, layout, relations, initial)
