"""Functions over gates as clauses for a SAT solver.

A *frame* is one moment: it gives every variable of the encoded System a variable of the solver.  The literals of a
frame are looked up or written when they are asked for, with the clauses that define them [Tseitin 1968].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from importlib.util import find_spec
from typing import Any

from quorbit.model.diagrams.bits import Coded
from quorbit.model.diagrams.gates import Edge
from quorbit.model.diagrams.wide_gates import Choice, WideGates

__all__ = ["has_solver"]

SOLVER = "cadical153"
LIMITED_SOLVER = "minisat22"  # counts conflicts and gives up


def has_solver() -> bool:
    return find_spec("pysat") is not None


class Clauses:
    """A solver with the clauses of some frames."""

    def __init__(self, name: str = SOLVER) -> None:
        from pysat.solvers import Solver

        self.solver: Any = Solver(name=name)
        self.add_list: Callable[[list[int]], None] = self.solver.solver.add_clause  # with one call less on the way
        self.count = 1
        self.true = 1
        self.add_list([1])

    def fresh(self) -> int:
        self.count += 1
        return self.count

    def add(self, literals: Iterable[int]) -> None:
        self.add_list(list(literals))

    def solve(self, assumptions: Iterable[int]) -> bool:
        self.model: list[int] | None = None
        return bool(self.solver.solve(assumptions=list(assumptions)))

    def may_solve(self, assumptions: Iterable[int], conflicts: int) -> bool:
        """False only if there is no model; who does not know after so many conflicts does not say that.
        Requires: the limited solver."""
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

    def __init__(self, clauses: Clauses, wide: WideGates, given: dict[int, int] | None = None) -> None:
        """``given``: literals of some variables of the graph; the others are new."""
        self.clauses = clauses
        self.wide, self.gates = wide, wide.gates
        self.literals: dict[int, int] = {0: -clauses.true}  # by node
        self.give(given or {})

    def give(self, given: Mapping[int, int]) -> None:
        """Literals of variables that have none so far."""
        for variable, literal in given.items():
            self.literals.setdefault(self.gates.nodes_of_variables[variable], literal)

    def literal(self, edge: Edge) -> int:
        literals, inputs = self.literals, self.wide.inputs
        stack = [] if edge.number >> 1 in literals else [edge.number >> 1]
        while stack:
            n = stack[-1]
            if missing := [e >> 1 for e in inputs(n) if e >> 1 not in literals]:
                stack += missing
                continue
            stack.pop()
            if n not in literals:
                literals[n] = self.define(n)
        return self.signed(edge.number)

    def signed(self, edge: int) -> int:
        return -self.literals[edge >> 1] if edge & 1 else self.literals[edge >> 1]

    def define(self, n: int) -> int:
        new, add = self.clauses.fresh(), self.clauses.add_list
        found = self.wide.of(n)
        if found is None:  # a variable
            return new
        if isinstance(found, Choice):
            c, t, e = self.signed(found.condition), self.signed(found.then), self.signed(found.otherwise)
            for clause in ([-new, -c, t], [-new, c, e], [new, -c, -t], [new, c, -e], [-new, t, e], [new, -t, -e]):
                add(clause)
            return new
        literals = self.literals
        opposite = [literals[e >> 1] if e & 1 else -literals[e >> 1] for e in found]
        for literal in opposite:
            add([-new, -literal])
        add([new, *opposite])
        return new

    def variable(self, number: int) -> int:
        return self.literal(self.gates.variable(number))

    def chosen(self, coded: Coded) -> dict[int, bool]:
        """The bits of something in the last model."""
        return {b: self.clauses.value(self.variable(b)) for b in coded.bits}
