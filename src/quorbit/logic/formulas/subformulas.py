"""Sub-formulas that symmetries of the model carry into each other ([M97], chapter 3).

A group acts on the atoms of a model; `image(g, expression)` is the expression of a proposition under the permutation g.
If g is an automorphism of the model, f holds in s exactly if g·f holds in g·s ([M97, Theorem 3.1]); so in every class
of sub-formulas one has to be evaluated, and the rest follow by renaming.  Two formulas count as equal if they differ
only in the order of operands that commute ([M97, 2.2.4]).

- `classes`: the classes of all sub-formulas under a group given by generators;
- `stabiliser`: generators of the part of the group that leaves the formula itself as it is, which is the join of the
  group with the formula's own symmetries ([M97, 3.5.2]); `classes` under it are those of [M97, 3.5.3], often finer;
- `derived`: further formulas whose truth is known with that of f ([M97, 3.6]).

The last one is right only if the group maps initial states to initial states.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from quorbit.groups.permutation import Permutation, compose, identity, inverse
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
    map_propositions,
    walk,
)
from quorbit.source.frozen import frozen

__all__ = ["LARGEST_ORBIT", "Orbit", "SubformulaClass", "classes", "derived", "orbit", "stabiliser"]

Image = Callable[[Permutation, Hashable], Hashable]
LARGEST_ORBIT = 20_000


@frozen
class Member:
    """A formula that the witness makes of the representative of its class."""

    formula: Formula
    witness: Permutation


@frozen
class SubformulaClass:
    representative: Formula
    members: tuple[Member, ...]  # the representative first, with the identity


@frozen
class Orbit:
    """The images of a formula; complete unless there were more than could be listed."""

    members: tuple[Member, ...]
    complete: bool


class Structures:
    """Numbers for formulas: equal exactly if the formulas differ only in the order of commuting operands."""

    def __init__(self) -> None:
        self.numbers: dict[Hashable, int] = {}

    def number(self, formula: Formula) -> int:
        match formula:
            case Proposition() | Truth():
                key: Hashable = formula
            case ForAll(variable, sort, body) | Exists(variable, sort, body):
                key = (type(formula), variable, sort, self.number(body))
            case _:
                parts = [self.number(f) for f in children(formula)]
                key = (type(formula), *(sorted(parts) if isinstance(formula, And | Or | Iff) else parts))
        return self.numbers.setdefault(key, len(self.numbers))


def subformulas(formula: Formula, structures: Structures) -> dict[int, Formula]:
    """All sub-formulas, one for each structure, the larger ones first."""
    found: dict[int, Formula] = {}
    for f in walk(formula):
        found.setdefault(structures.number(f), f)
    return found


def classes(
    formula: Formula, generators: Sequence[Permutation], image: Image, largest: int = LARGEST_ORBIT
) -> tuple[SubformulaClass, ...]:
    """The classes of sub-formulas, in the order of their first members; too large an orbit may leave them finer."""
    structures = Structures()
    waiting = subformulas(formula, structures)
    found = []
    while waiting:
        number, representative = next(iter(waiting.items()))
        members = []
        for member in images(representative, generators, image, structures, largest):
            if (n := structures.number(member.formula)) in waiting:
                members.append(Member(waiting.pop(n), member.witness))
        assert number not in waiting
        found.append(SubformulaClass(representative, tuple(members)))
    return tuple(found)


def images(
    formula: Formula, generators: Sequence[Permutation], image: Image, structures: Structures, largest: int
) -> Iterator[Member]:
    """The orbit of a formula, nearest images first, each structure once, the formula itself first."""
    start = Member(formula, identity_of(generators))
    seen = {structures.number(formula)}
    waiting = [start]
    yield start
    for member in waiting:
        for g in generators:
            moved = act(g, member.formula, image)
            number = structures.number(moved)
            if number not in seen and len(seen) < largest:
                seen.add(number)
                waiting.append(Member(moved, compose(member.witness, g)))
                yield waiting[-1]


def orbit(formula: Formula, generators: Sequence[Permutation], image: Image, largest: int = LARGEST_ORBIT) -> Orbit:
    found = tuple(images(formula, generators, image, Structures(), largest + 1))
    return Orbit(found[:largest], len(found) <= largest)


def derived(formula: Formula, generators: Sequence[Permutation], image: Image, largest: int = LARGEST_ORBIT) -> Orbit:
    """The formulas other than f that have f's truth value in a model with an invariant set of initial states."""
    found = orbit(formula, generators, image, largest + 1)
    return Orbit(found.members[1 : largest + 1], found.complete and len(found.members) <= largest + 1)


def stabiliser(
    formula: Formula, generators: Sequence[Permutation], image: Image, largest: int = LARGEST_ORBIT
) -> tuple[Permutation, ...]:
    """Generators of the elements that leave the formula as it is, up to the order of operands (Schreier's lemma)."""
    structures = Structures()
    members = list(images(formula, generators, image, structures, largest))
    witnesses = {structures.number(m.formula): m.witness for m in members}
    found: dict[Permutation, None] = {}
    for member in members:
        for g in generators:
            number = structures.number(act(g, member.formula, image))
            if number in witnesses:
                h = compose(compose(member.witness, g), inverse(witnesses[number]))
                if h != identity_of(generators):
                    found[h] = None
    return tuple(found)


def act(g: Permutation, formula: Formula, image: Image) -> Formula:
    return map_propositions(formula, lambda expression: image(g, expression))


def identity_of(generators: Sequence[Permutation]) -> Permutation:
    return identity(len(generators[0])) if generators else ()


def named_image(names: Iterable[Hashable]) -> Image:
    """The image for a group that permutes the propositions themselves, in the given order."""
    listed = list(names)
    places = {name: i for i, name in enumerate(listed)}
    return lambda g, expression: listed[g[places[expression]]]
