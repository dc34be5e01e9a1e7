"""Leave out conjuncts and disjuncts that a symmetry makes superfluous ([M97, 3.4]).

The question is whether all initial states satisfy a formula.  If g is an automorphism of the model that maps the set of
initial states to itself, all of them satisfy f exactly if all of them satisfy g·f; so of conjuncts in one class one is
enough.  Conjuncts are looked for also under `A`, `[]` and `X`, which distribute over `&&`; LTL is meant for all paths.

A disjunction of state formulas is true in one state if one disjunct is; symmetric disjuncts are equivalent in a state
that the group leaves fixed, so they are pruned only if every initial state is fixed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quorbit.groups.permutation import Permutation
from quorbit.logic.formulas.subformulas import Image, Structures, images
from quorbit.model.system.formula import (
    AllPaths,
    Always,
    And,
    Eventually,
    Formula,
    Next,
    Or,
    SomePath,
    children,
    conjoin,
    disjoin,
    with_children,
)
from quorbit.model.system.formula_kinds import is_ltl, is_state_formula
from quorbit.source.frozen import frozen

__all__ = ["conjuncts"]

LARGEST_ORBIT = 20_000


@frozen
class Dropped:
    """A part that need not be checked, since the witness makes it of the part that is kept."""

    formula: Formula
    kept: Formula
    witness: Permutation


@frozen
class Pruned:
    formula: Formula
    dropped: tuple[Dropped, ...]


def prune_symmetric(
    formula: Formula, generators: Sequence[Permutation], image: Image, initial_states_fixed: bool = False
) -> Pruned:
    """A formula with the same verdict.  Requires: the group maps the set of initial states to itself."""
    kept, dropped = one_per_class(conjuncts(formula), generators, image)
    if not dropped:
        result, others = prune_disjuncts(formula, generators, image) if initial_states_fixed else (formula, [])
        return Pruned(result, tuple(others))
    if initial_states_fixed:
        for i, part in enumerate(kept):
            kept[i], others = prune_disjuncts(part, generators, image)
            dropped += others
    return Pruned(conjoin(kept), tuple(dropped))


def prune_disjuncts(formula: Formula, generators: Sequence[Permutation], image: Image) -> tuple[Formula, list[Dropped]]:
    if not is_state_formula(formula) or is_ltl(formula):
        return formula, []
    kept, dropped = one_per_class(disjuncts(formula), generators, image)
    return (disjoin(kept), dropped) if dropped else (formula, [])


def conjuncts(formula: Formula) -> list[Formula]:
    """Formulas that hold in all initial states exactly if the formula does."""
    return parts(formula, And, (AllPaths, Always, Next))


def disjuncts(formula: Formula) -> list[Formula]:
    """State formulas one of which holds in a state exactly if the formula does."""
    return parts(formula, Or, (SomePath, Eventually, Next))


def parts(formula: Formula, joining: type[And] | type[Or], through: tuple[type, ...]) -> list[Formula]:
    if isinstance(formula, joining):
        return [part for f in formula.operands for part in parts(f, joining, through)]
    if isinstance(formula, through):
        (inner,) = children(formula)
        return [with_children(formula, [part]) for part in parts(inner, joining, through)]
    return [formula]


def one_per_class(
    formulas: Iterable[Formula], generators: Sequence[Permutation], image: Image
) -> tuple[list[Formula], list[Dropped]]:
    structures = Structures()
    waiting = {structures.number(f): f for f in formulas}
    kept, dropped = [], []
    while waiting:
        number = next(iter(waiting))
        representative = waiting.pop(number)
        kept.append(representative)
        if waiting:
            for member in images(representative, generators, image, structures, LARGEST_ORBIT):
                other = waiting.pop(structures.number(member.formula), None)
                if other is not None:
                    dropped.append(Dropped(other, representative, member.witness))
    return kept, dropped
