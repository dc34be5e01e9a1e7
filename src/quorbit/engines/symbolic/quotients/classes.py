"""Symmetric sub-formulas are evaluated once: the states of g·f are g's image of the states of f ([M97, 3.5 and 7.3]).

A permutation is used only after the diagrams confirm it: it must map the functions of the next values to each other and
the states that are looked at to themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.bdd.function import Substitution
from quorbit.engines.symbolic.model import Model
from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.cases import Bdd
from quorbit.model.diagrams.moved_bits import all_bits
from quorbit.model.meaning.permute import permute_expression
from quorbit.model.system.formula import And, Formula, Or, children, map_propositions, with_children
from quorbit.source.frozen import field, frozen, mutable

__all__ = ["Images"]

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
    universe: Bdd
    generators: tuple[Permutation, ...]
    known: dict[Formula, Bdd] = field(default_factory=dict)
    renamings: dict[Permutation, Renaming | None] = field(default_factory=dict)  # of what was asked for
    renamed: int = 0

    def find(self, f: Formula) -> Bdd | None:
        """The states of f from those of an image of f."""
        if not self.known:
            return None
        start = in_order(f)
        seen: dict[Formula, tuple[Renaming, ...]] = {start: ()}
        waiting = [start]
        for image in waiting:
            if image in self.known:
                self.renamed += 1
                return self.carried(self.known[image], seen[image])
            for g in self.generators:
                further = in_order(permuted(image, g))
                if further not in seen and len(seen) < MOST_IMAGES and (renaming := self.confirmed(g)) is not None:
                    seen[further] = (*seen[image], renaming)
                    waiting.append(further)
        return None

    def confirmed(self, g: Permutation) -> Renaming | None:
        """To ask the diagrams takes longer than most formulas, and a symmetry that keeps every formula is not needed
        here: so each is asked about when it is."""
        if g not in self.renamings:
            images = all_bits(self.model.system, self.model.layout, g)
            is_confirmed = images is not None and is_symmetry(self.model, self.universe, images, g)
            back = {c: b for b, c in images.items()} if images is not None and is_confirmed else None
            self.renamings[g] = None if back is None else Renaming(g, self.model.m.rename(back))
        return self.renamings[g]

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
