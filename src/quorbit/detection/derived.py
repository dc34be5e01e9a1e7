"""What the verdict about one formula says about others, and which parts of a formula are symmetric ([M97], chapter 3).

If g is a symmetry of the model and maps its initial states to initial states, f holds in all of them exactly if g·f
does ([M97, 3.6]).  Here the symmetries are those of the model alone; the formula may break them, and does so where this
is of interest.
"""

from __future__ import annotations

from collections.abc import Hashable

from quorbit.detection.detect import detect, keeping_the_start
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.logic.formulas.subformulas import Orbit, SubformulaClass, classes, derived, stabiliser
from quorbit.model.meaning.permute import permute_expression
from quorbit.model.specialise.identities.naming import name_values
from quorbit.model.specialise.specialise import specialise
from quorbit.model.system.expression import Atoms, Expr, Quantify
from quorbit.model.system.formula import Always, Formula, Proposition, map_propositions
from quorbit.model.system.system import Invariant, System, Temporal
from quorbit.model.system.walk import map_parts
from quorbit.source.frozen import frozen, replace

__all__ = ["Derived", "derive"]


@frozen
class Derived:
    """A formula about a specialised System, its further formulas, and the classes of its sub-formulas: under the
    symmetries of the System, and under those that also leave the formula as it is."""

    system: System
    group: Group
    formula: Formula
    others: Orbit
    classes: tuple[SubformulaClass, ...]
    joined_classes: tuple[SubformulaClass, ...]


def derive(system: System, p: Temporal | Invariant, most: int) -> Derived:
    """At most so many further formulas are listed."""
    asked = Temporal(p.name, formula_of(p), p.span)
    started = name_values(specialise(replace(system, properties=(asked,))).started)
    special = started.system
    group = keeping_the_start(special, detect(special, (), states=started.states))
    (told,) = special.properties
    assert isinstance(told, Temporal)
    generators = group.generators
    formula = map_propositions(told.formula, in_order)  # type: ignore[arg-type]
    own = stabiliser(formula, generators, image, most)
    return Derived(
        special,
        group,
        formula,
        derived(formula, generators, image, most),
        shared(classes(formula, generators, image, most)),
        shared(classes(formula, own, image, most)),
    )


def formula_of(p: Temporal | Invariant) -> Formula:
    """An invariant holds always."""
    return p.formula if isinstance(p, Temporal) else Always(Proposition(p.condition))


def image(g: Permutation, expression: Hashable) -> Hashable:
    return in_order(permute_expression(expression, g))  # type: ignore[arg-type]


def in_order(e: Expr) -> Expr:
    """The atoms that a quantifier ranges over have no order; written in one, equal formulas are equal."""
    e = map_parts(e, in_order)
    if isinstance(e, Quantify) and isinstance(e.parameter.domain, Atoms):
        atoms = Atoms(tuple(sorted(e.parameter.domain.atoms)))
        return replace(e, parameter=replace(e.parameter, domain=atoms))
    return e


def shared(found: tuple[SubformulaClass, ...]) -> tuple[SubformulaClass, ...]:
    """The classes with more than one member."""
    return tuple(c for c in found if len(c.members) > 1)
