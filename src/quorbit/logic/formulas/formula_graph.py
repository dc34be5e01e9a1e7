"""The graph of a formula, whose automorphisms are the formula's own symmetries ([M97, 5.4]).

`add_subformulas` draws the parse tree: a vertex per occurrence of a sub-formula coloured by its operator, one vertex
per proposition.  The order of operands is drawn (as labels of arcs) only where it can be seen, so that commuting
operands may be exchanged.  `add_propositional` draws only the maximal propositional sub-formulas and gives each root a
colour of its own, so that every symmetry leaves them fixed.  Both add to a builder that may hold a model's graph
already; who joins them connects the vertices of propositions with the model's ([M97, 5.5]).
"""

from __future__ import annotations

from collections.abc import Hashable

from quorbit.graphs.automorphisms import automorphisms_on
from quorbit.graphs.graph import GraphBuilder
from quorbit.groups.group import Group
from quorbit.model.system.formula import (
    And,
    Exists,
    ForAll,
    Formula,
    Iff,
    Or,
    Proposition,
    Truth,
    children,
    propositions,
)
from quorbit.model.system.formula_kinds import maximal_propositional
from quorbit.source.frozen import frozen

__all__ = ["FormulaVertices", "add_propositional", "add_subformulas"]


@frozen
class FormulaVertices:
    """Where in the graph the propositions and the sub-formulas (each occurrence) stand."""

    propositions: dict[Proposition, int]
    occurrences: tuple[tuple[Formula, int], ...]


def add_subformulas(builder: GraphBuilder, formula: Formula) -> FormulaVertices:
    """The graph of [M97, 5.4.1]."""
    named = {p: builder.vertex("proposition") for p in propositions(formula)}
    occurrences: list[tuple[Formula, int]] = []
    draw(builder, formula, named, occurrences)
    return FormulaVertices(named, tuple(occurrences))


def add_propositional(builder: GraphBuilder, formula: Formula, name: Hashable = 0) -> FormulaVertices:
    """The graph of [M97, 5.4.2]: what a quotient has to leave fixed.  Formulas of one graph have different names."""
    named = {p: builder.vertex("proposition") for p in propositions(formula)}
    occurrences: list[tuple[Formula, int]] = []
    for i, part in enumerate(maximal_propositional(formula)):
        top = draw(builder, part, named, occurrences)
        builder.arc(builder.vertex(("maximal propositional", name, i)), top)
    return FormulaVertices(named, tuple(occurrences))


def draw(
    builder: GraphBuilder, formula: Formula, named: dict[Proposition, int], occurrences: list[tuple[Formula, int]]
) -> int:
    """Add a sub-formula; its vertex."""
    if isinstance(formula, Proposition):
        return named[formula]
    vertex = builder.vertex(operator(formula))
    occurrences.append((formula, vertex))
    commutes = isinstance(formula, And | Or | Iff)
    for i, child in enumerate(children(formula)):
        builder.arc(vertex, draw(builder, child, named, occurrences), "operand" if commutes else f"operand {i}")
    return vertex


def operator(formula: Formula) -> Hashable:
    match formula:
        case Truth(value):
            return ("Truth", value)
        case ForAll(variable, sort, _) | Exists(variable, sort, _):
            return (type(formula).__name__, variable, sort)
    return (type(formula).__name__,)


def formula_symmetries(formula: Formula) -> Group:
    """The permutations of the formula's propositions (in the order of `propositions`) that leave it as it is."""
    builder = GraphBuilder()
    found = add_subformulas(builder, formula)
    return automorphisms_on(builder.build(), list(found.propositions.values()))


def propositional_symmetries(formula: Formula) -> Group:
    """The permutations of the propositions that leave each maximal propositional sub-formula as it is."""
    builder = GraphBuilder()
    found = add_propositional(builder, formula)
    return automorphisms_on(builder.build(), list(found.propositions.values()))
