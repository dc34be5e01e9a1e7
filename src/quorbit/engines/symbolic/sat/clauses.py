"""The steps of a System as clauses for a SAT solver.

A *frame* is one moment: it gives every variable of the encoded System a variable of the solver.  The literals of a
frame are looked up or written when they are asked for, with the clauses that define them [Tseitin 1968].
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.util import find_spec
from typing import Any, cast

from quorbit.bdd.function import Manager
from quorbit.engines.symbolic.bits import BitLayout, Coded, encode_bits, is_coded, lay_out_bits
from quorbit.engines.symbolic.encode import encoder_for
from quorbit.engines.symbolic.relation import run_effect
from quorbit.engines.symbolic.sat.gates import Edge, Gates
from quorbit.model.diagrams.cases import Unsupported, constant
from quorbit.model.system.command import Command
from quorbit.model.system.expression import FALSE, Expr
from quorbit.model.system.system import System
from quorbit.model.system.types import default
from quorbit.source.frozen import frozen

__all__ = ["encode_steps", "has_solver"]

SOLVER = "minisat22"


def has_solver() -> bool:
    return find_spec("pysat") is not None


@frozen
class Steps:
    """What is true at the start, of a step and of the next state, over the variables of one moment."""

    gates: Gates
    system: System
    layout: BitLayout
    start: Edge  # with the parameters of the start, which anything may be chosen for
    guard: Edge  # with the parameters of the step in their ranges
    following: dict[int, Edge]  # by bit of a place: its next value
    valid: Edge  # that the bits of all places are numbers of values

    def truth(self, condition: Expr) -> Edge:
        encoder = encoder_for(cast(Manager, self.gates), self.system, self.layout, None)
        return cast(Edge, encoder.truth(condition))

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
    return Steps(gates, system, layout, encode_start(gates, system, layout, system.start[0]), guard, following, valid)


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


class Clauses:
    """A solver with the clauses of some frames."""

    def __init__(self) -> None:
        from pysat.solvers import Solver

        self.solver: Any = Solver(name=SOLVER)
        self.count = 1
        self.true = 1
        self.solver.add_clause([1])

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def add(self, literals: Iterable[int]) -> None:
        self.solver.add_clause(list(literals))

    def solve(self, assumptions: Iterable[int]) -> bool:
        self.model: list[int] | None = None
        return bool(self.solver.solve(assumptions=list(assumptions)))

    def may_solve(self, assumptions: Iterable[int], conflicts: int) -> bool:
        """False only if there is no model; who does not know after so many conflicts does not say that."""
        self.solver.conf_budget(conflicts)
        found = self.solver.solve_limited(assumptions=list(assumptions))
        self.solver.conf_budget(-1)
        return found is not False

    def core(self) -> set[int]:
        """The assumptions that the last answer no depends on."""
        return set(self.solver.get_core() or ())

    def value(self, literal: int) -> bool:
        """In the model of the last answer yes; what does not matter is false."""
        if self.model is None:
            self.model = self.solver.get_model()
        known = abs(literal) <= len(self.model) and self.model[abs(literal) - 1] > 0
        return known if literal > 0 else not known

    def close(self) -> None:
        self.solver.delete()


class Frame:
    """One moment: literals for edges of the graph."""

    def __init__(self, clauses: Clauses, gates: Gates, given: dict[int, int] | None = None) -> None:
        """``given``: literals of some variables of the graph; the others are new."""
        self.clauses = clauses
        self.gates = gates
        self.literals: dict[int, int] = {0: -clauses.true}  # by node
        for variable, literal in (given or {}).items():
            self.literals[gates.nodes_of_variables[variable]] = literal

    def literal(self, edge: Edge) -> int:
        node = edge.number >> 1
        if node not in self.literals:
            for n in self.gates.unseen(node, self.literals):
                self.literals[n] = self.define(n)
        return -self.literals[node] if edge.number & 1 else self.literals[node]

    def define(self, n: int) -> int:
        operands, new = self.gates.operands[n], self.clauses.fresh()
        if operands is not None:
            a, b = (-self.literals[e >> 1] if e & 1 else self.literals[e >> 1] for e in operands)
            self.clauses.add([-new, a])
            self.clauses.add([-new, b])
            self.clauses.add([new, -a, -b])
        return new

    def variable(self, number: int) -> int:
        return self.literal(self.gates.variable(number))

    def chosen(self, coded: Coded) -> dict[int, bool]:
        """The bits of something in the last model."""
        return {b: self.clauses.value(self.variable(b)) for b in coded.bits}
