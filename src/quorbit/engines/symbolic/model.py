"""A System as boolean functions: layout, initial states and transition relation."""

from __future__ import annotations

from quorbit.bdd.function import Manager
from quorbit.bdd.open import open_manager
from quorbit.engines.symbolic.relation import StepRelation, build_relation, encode_step, image, parts_of, preimage
from quorbit.engines.symbolic.start import initial_states
from quorbit.model.diagrams.arrangement import interleaved
from quorbit.model.diagrams.bit_encoder import encoder_for
from quorbit.model.diagrams.bits import BitLayout, Item, decode, lay_out_bits
from quorbit.model.diagrams.cases import Bdd, Unsupported
from quorbit.model.system.expression import FALSE, Expr
from quorbit.model.system.system import State, System
from quorbit.source.frozen import frozen

__all__ = ["Model", "open_model"]

TRIAL_NODES = 1 << 18  # for a look at an order of variables
SMALL_STEPS = 2000  # nodes, with which any order is good enough


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
    order = better_order(system)
    m = open_manager(library, reorder, nodes)
    layout = lay_out_bits(m, system, order)
    relations = build_relations(m, system, layout)
    initial = m.disjunction(initial_states(m, system, layout, -1 - k, c) for k, c in enumerate(system.start))
    return Model(m, system, layout, relations, initial)


def build_relations(m: Manager, system: System, layout: BitLayout) -> tuple[StepRelation, ...]:
    return tuple(build_relation(m, system, layout, k, command) for k, command in enumerate(system.commands))


def better_order(system: System) -> list[Item] | None:
    """The order in which words take turns, if the steps are smaller in it than as they are written; None if not."""
    words_in_turn = interleaved(system)
    if words_in_turn is None:
        return None
    as_written = size_of_steps(system, None)
    if as_written <= SMALL_STEPS:
        return None
    return words_in_turn if size_of_steps(system, words_in_turn) < as_written else None


def size_of_steps(system: System, order: list[Item] | None) -> float:
    """The nodes of the step relation; beyond what a trial may take, they count as infinitely many."""
    m = open_manager(nodes=TRIAL_NODES)
    try:
        layout = lay_out_bits(m, system, order)
        steps = [encode_step(m, system, layout, k, command) for k, command in enumerate(system.commands)]
        return sum(m.size(part) for guard, changes in steps for part in parts_of(m, layout, guard, changes))
    except MemoryError:
        return float("inf")
