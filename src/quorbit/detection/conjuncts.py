"""Conjuncts of a temporal formula that symmetries of the model carry into each other: one of each class is enough.

`forall p: []<> critical(p)` is a conjunction of n formulas.  The symmetries that leave the whole conjunction as it is
permute them; if g is one that maps the initial states to themselves, these satisfy c exactly if they satisfy g·c
([M97, Theorem 3.1]).  The one that is checked is reduced by the symmetries that leave it alone as it is, its
stabiliser.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.detection.detect import keeping_the_start
from quorbit.detection.reveal import reveal
from quorbit.groups.permutation import Permutation
from quorbit.groups.unionfind import UnionFind
from quorbit.logic.formulas.prune import conjuncts
from quorbit.model.meaning.normal_form import Terms
from quorbit.model.meaning.permute import permute_property
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System, Temporal
from quorbit.source.frozen import frozen, replace

__all__ = ["one_per_class"]


@frozen
class Conjuncts:
    """One property for each class of conjuncts, and how many conjuncts each stands for."""

    representatives: tuple[Temporal, ...]
    sizes: tuple[int, ...]


def one_per_class(system: System, p: Temporal) -> Conjuncts:
    """The property itself, unless some of its conjuncts are images of others."""
    parts = tuple(replace(p, formula=f) for f in dict.fromkeys(conjuncts(p.formula)))
    whole = Conjuncts((p,), (1,))
    if len(parts) < 2:
        return whole
    chosen, found = reveal(system, parts)
    proved = found.composed or ground(chosen)  # where properties are said by their meaning, so are their images
    classes = classes_of(proved, len(parts), keeping_the_start(chosen, found).generators)
    if len(classes) == len(parts):
        return whole
    return Conjuncts(tuple(parts[c[0]] for c in classes), tuple(map(len, classes)))


def classes_of(system: System, count: int, generators: Sequence[Permutation]) -> tuple[tuple[int, ...], ...]:
    """The numbers of the System's first properties, those in one class together."""
    terms = Terms(system)
    properties = system.properties[:count]
    numbers = [terms.property(p) for p in properties]
    first = {number: i for i, number in reversed(list(enumerate(numbers)))}
    joined = UnionFind(len(numbers))
    for i, p in enumerate(properties):
        joined.unite(i, first[numbers[i]])
        for g in generators:
            joined.unite(i, first[terms.property(permute_property(p, g))])
    return joined.classes()
