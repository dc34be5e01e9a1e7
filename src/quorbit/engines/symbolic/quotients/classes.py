"""Symmetric sub-formulas are evaluated once: the states of g·f are g's image of the states of f ([M97, 3.5 and 7.3]).

A permutation is used only after the diagrams confirm it: it must map the functions of the next values to each other and
the states that are looked at to themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from quorbit.bdd.function import Substitution
from quorbit.engines.symbolic.model import Model
from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.cases import Bdd
from quorbit.model.diagrams.moved_bits import all_bits
from quorbit.model.meaning.permute import permute_expression
from quorbit.model.system.formula import And, Formula, Or, children, map_propositions, with_children
from quorbit.source.frozen import field, frozen, mutable

__all__ = ["confirmed_images"]

MOST_IMAGES = 256  # of one formula that are looked at


@frozen
class Renaming:
    """A confirmed symmetry, and how its inverse acts on sets of states."""

    g: Permutation
    back: Substitution


@mutable
class Images:
    """The states of formulas that are known, to be found again by symmetry."""

    model: Model
    renamings: tuple[Renaming, ...]
    known: dict[Formula, Bdd] = field(default_factory=dict)
    renamed: int = 0

    def find(self, f: Formula) -> Bdd | None:
        """The states of f from those of an image of f."""
        start = in_order(f)
        seen: dict[Formula, tuple[Renaming, ...]] = {start: ()}
        waiting = [start]
        for image in waiting:
            if image in self.known:
                self.renamed += 1
                return self.carried(self.known[image], seen[image])
            for renaming in self.renamings:
                further = in_order(permuted(image, renaming.g))
                if further not in seen and len(seen) < MOST_IMAGES:
                    seen[further] = (*seen[image], renaming)
                    waiting.append(further)
        return None

    def carried(self, states: Bdd, word: Sequence[Renaming]) -> Bdd:
        for renaming in reversed(word):
            states = self.model.m.substitute(states, renaming.back)
        return states

    def note(self, f: Formula, states: Bdd) -> None:
        self.known[in_order(f)] = states


def permuted(f: Formula, g: Permutation) -> Formula:
    return map_propositions(f, lambda e: permute_expression(e, g))  # type: ignore[arg-type]


def in_order(f: Formula) -> Formula:
    """Operands of conjunctions and disjunctions in one order, so that equal formulas are equal."""
    parts = [in_order(part) for part in children(f)]
    if isinstance(f, And | Or):
        parts.sort(key=repr)
    return with_children(f, tuple(parts)) if parts else f


def confirmed_images(model: Model, universe: Bdd, generators: Iterable[Permutation]) -> Images:
    found = []
    for g in generators:
        if (images := all_bits(model.system, model.layout, g)) is not None and is_symmetry(model, universe, images, g):
            found.append(Renaming(g, model.m.rename({c: b for b, c in images.items()})))
    return Images(model, tuple(found))


def is_symmetry(model: Model, universe: Bdd, images: dict[int, int], g: Permutation) -> bool:
    """Whether renaming maps every relation to itself, and the states that are looked at."""
    m = model.m
    forth = m.rename(images)
    if m.substitute(universe, forth) != universe or m.substitute(model.initial, forth) != model.initial:
        return False
    for relation in model.relations:
        if m.substitute(relation.guard, forth) != relation.guard:
            return False
        functions = {
            b: f for i, fs in relation.changes.items() for b, f in zip(model.layout.places[i].bits, fs, strict=True)
        }
        for b, f in functions.items():
            if images[b] not in functions or m.substitute(f, forth) != functions[images[b]]:
                return False
    return True
