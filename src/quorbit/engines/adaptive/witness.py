"""Quantifiers over processes, evaluated once per local state instead of once per process.

Two processes with the same letter that are not bound by an outer quantifier or parameter cannot be told apart by a body
that mentions no process by name and looks inside none: one of them is the witness for all, counted as often as there
are.  (Bodies that could tell them apart are evaluated as usual.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from quorbit.engines.adaptive.shape import Shape
from quorbit.model.meaning.evaluate import Env, Evaluate, Meaning
from quorbit.model.system.expression import (
    AtomAt,
    Atoms,
    Enabled,
    Expr,
    Fresh,
    Literal,
    NumberOf,
    Quantifier,
    Quantify,
    Use,
)
from quorbit.model.system.system import State
from quorbit.model.system.types import atoms_of
from quorbit.model.system.walk import walk

Classes = tuple[tuple[int, tuple[int, ...]], ...]  # atoms of a domain that no inner domain tells apart
Entry = tuple[int, int]  # a witness, and how many it stands for


class WitnessMeaning(Meaning):
    """The meaning of a System, quick about quantifiers in the state it was last told to look at."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape.system)
        self.shape = shape
        self.state: State | None = None
        self.letters: tuple[int, ...] = ()
        self._groups: dict[Classes, list[list[int]]] = {}

    def look_at(self, state: State, letters: tuple[int, ...]) -> None:
        self.state, self.letters = state, letters
        self._groups.clear()

    def compile_quantify(self, e: Quantify) -> Evaluate:
        usual = super().compile_quantify(e)
        summary = COUNTED.get(e.quantifier)
        if summary is None or not self.can_witness(e):
            return usual
        classes = self.domain_classes(e)
        name, condition, body = e.parameter.name, self.value_of(e.condition), self.value_of(e.body)

        def bodies(s: State, env: Env) -> Iterator[tuple[Any, int]]:
            for a, times in self.witnesses(classes, env):
                inner = {**env, name: a}
                if condition(s, inner):
                    yield body(s, inner), times

        return lambda s, env: summary(bodies(s, env)) if s is self.state else usual(s, env)

    def can_witness(self, e: Quantify) -> bool:
        domain = e.parameter.domain
        if not isinstance(domain, Atoms) or not all(a in self.shape.process for a in domain.atoms):
            return False
        return all(self.is_blind(part) for inside in (e.condition, e.body) for part in walk(inside))

    def is_blind(self, e: Expr) -> bool:
        """Whether this node, its parts aside, tells no two processes of one letter apart."""
        match e:
            case NumberOf() | AtomAt() | Use() | Enabled():
                return False
            case Literal(type=type):
                return not any(a in self.shape.process for a in atoms_of(type))
            case Quantify(parameter=parameter):
                return not isinstance(parameter.domain, Fresh)
            case _:
                return True

    def domain_classes(self, e: Quantify) -> Classes:
        domain = e.parameter.domain
        assert isinstance(domain, Atoms)
        inner = [
            frozenset(part.parameter.domain.atoms)
            for inside in (e.condition, e.body)
            for part in walk(inside)
            if isinstance(part, Quantify) and isinstance(part.parameter.domain, Atoms)
        ]
        found: dict[tuple[object, ...], list[int]] = {}
        for a in domain.atoms:
            places = self.shape.local[self.shape.process[a]]
            variables = tuple(self.system.places[i].variable for i in places)
            found.setdefault((variables, *(a in atoms for atoms in inner)), []).append(a)
        return tuple((k, tuple(atoms)) for k, atoms in enumerate(found.values()))

    def witnesses(self, classes: Classes, env: Env) -> list[Entry]:
        """The first of each group and the bound ones, in the order of the domain."""
        bound = {v for v in env.values() if v in self.shape.process}
        entries: list[Entry] = []
        for group in self.groups(classes):
            alone = [a for a in group if a in bound] if bound else []
            entries += [(a, 1) for a in alone]
            if len(group) > len(alone):
                entries.append((next(a for a in group if a not in alone), len(group) - len(alone)))
        return sorted(entries)

    def groups(self, classes: Classes) -> list[list[int]]:
        if classes not in self._groups:
            found: dict[tuple[int, int], list[int]] = {}
            process, letters = self.shape.process, self.letters
            for k, atoms in classes:
                for a in atoms:
                    found.setdefault((k, letters[process[a]]), []).append(a)
            self._groups[classes] = list(found.values())
        return self._groups[classes]


def power_product(bodies: Iterator[tuple[Any, int]]) -> int:
    product = 1
    for body, times in bodies:
        product *= body**times
    return product


COUNTED: dict[Quantifier, Callable[[Iterator[tuple[Any, int]]], int]] = {
    Quantifier.ALL: lambda bodies: int(all(body for body, _ in bodies)),
    Quantifier.SOME: lambda bodies: int(any(body for body, _ in bodies)),
    Quantifier.COUNT: lambda bodies: sum(times for body, times in bodies if body),
    Quantifier.SUM: lambda bodies: sum(body * times for body, times in bodies),
    Quantifier.TIMES: power_product,
}
