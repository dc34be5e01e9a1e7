"""Formulas whose symmetries are the same and can be found together.

A symmetry leaves each maximal propositional part of a formula as it is [M97, Theorem 4.2].  So formulas with the same
parts leave the same symmetries; and so do formulas of whose parts every symmetry says nothing, since they read counters
and flags that belong to nobody.  To be looked at together they must read the same variables: what nobody reads is no
part of a state, and a formula about fewer variables has fewer states to look at.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence

from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.normal_form import Terms
from quorbit.model.meaning.permute import permute_property
from quorbit.model.specialise.identities.classes import Pin
from quorbit.model.system.expression import Apply, Condition, Expr, Literal, Operator, Read, Wrap
from quorbit.model.system.formula import Formula, Not, Proposition
from quorbit.model.system.formula_kinds import maximal_propositional
from quorbit.model.system.properties import property_expressions
from quorbit.model.system.system import Property, System, Temporal
from quorbit.model.system.types import mentions_atoms
from quorbit.model.system.walk import walk

__all__ = ["arrays_of_nobody", "keeps_each", "leave_all_alike", "subject_of", "touch_nobody"]


def subject_of(p: Temporal, of_nobody: frozenset[str]) -> Hashable:
    """Formulas with the same subject may leave the same symmetries: the variables that one reads, if they seem to be
    nobody's; else its parts.  ``of_nobody``: arrays that were seen to belong to nobody."""
    read = [e for e in inside(p) if isinstance(e, Read)]
    arrays = frozenset(e.variable for e in read if e.indices)
    if arrays <= of_nobody and all(is_plain(e, frozenset()) for e in inside(p)):
        return frozenset(e.variable for e in read)
    return parts_of(p)


def arrays_of_nobody(system: System) -> frozenset[str]:
    """The arrays of a specialised System that no permutation of atoms touches."""
    arrays = {place.variable for place in system.places if place.indices}
    return frozenset(arrays).difference(touched_variables(system))


def leave_all_alike(system: System, formulas: Sequence[Temporal], pins: Iterable[Pin]) -> bool:
    """Whether formulas with one subject, as they were asked, leave the same symmetries of the System in which they were
    found together; ``pins``: what kept its numbers from being taken for identities."""
    return len(set(map(parts_of, formulas))) == 1 or touch_nobody(system, formulas, pins)


def touch_nobody(system: System, formulas: Sequence[Property], pins: Iterable[Pin]) -> bool:
    """Whether these formulas, which are the properties of a specialised System, leave all symmetries of its steps."""
    touched = touched_variables(system)
    spans = {e.span for p in formulas for e in inside(p) if not isinstance(e, Literal)}
    return all(is_plain(e, touched) for p in system.properties for e in inside(p)) and not any(
        pin.span in spans for pin in pins
    )


def keeps_each(system: System, generators: Iterable[Permutation]) -> bool:
    """Whether each of the properties by itself is kept by permutations that keep all of them together."""
    terms = Terms(system)
    numbers = [(p, terms.property(p)) for p in system.properties]
    return all(terms.property(permute_property(p, g)) == n for g in generators for p, n in numbers)


def touched_variables(system: System) -> frozenset[str]:
    """Those that belong to atoms or hold some."""
    return frozenset(place.variable for place in system.places if place.owners or mentions_atoms(place.type))


def inside(p: Property) -> Iterator[Expr]:
    return (e for whole in property_expressions(p) for e in walk(whole))


def is_plain(e: Expr, touched: frozenset[str]) -> bool:
    """Whether no permutation of atoms changes an expression, whatever its parts are, as far as a glance tells."""
    match e:
        case Literal(_, type):
            return not mentions_atoms(type)
        case Read(variable, owners):
            return not owners and variable not in touched
        case Apply() | Condition() | Wrap():
            return True
        case _:
            return False


def parts_of(p: Temporal) -> frozenset[Formula]:
    """What a symmetry leaves as it is; it then leaves the negations too."""
    return frozenset(map(without_negation, maximal_propositional(p.formula)))


def without_negation(f: Formula) -> Formula:
    match f:
        case Not(operand):
            return without_negation(operand)
        case Proposition(Apply(Operator.NOT, (operand,))):
            return without_negation(Proposition(operand))
        case _:
            return f
