"""Which atoms are interchangeable in one state: the orbits of the group's elements that leave the state as it is.

Atoms a and b are, if some g of the group fixes the state s and maps a to b.  With one more place that holds an atom, a
*mark*, that is to say that (s, a) and (s, b) are in one orbit, so that they have one representative under an exact
plan.  Marking one atom after the other goes down a chain of stabilisers, whose orbits tell the order of the first.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.canon.classify import classify
from quorbit.canon.layout import Layout
from quorbit.canon.minimise import minimise
from quorbit.canon.plan import Plan
from quorbit.groups.group import Group, moved_orbits
from quorbit.model.system.system import Place, State
from quorbit.model.system.types import NONE, AtomOf

__all__ = ["Alike"]

MOST_MARKS = 12  # moved atoms, for the order of a state's stabiliser


class Alike:
    """A group on states, made ready for questions about single ones.  Requires: plans for it are within reach."""

    def __init__(self, layout: Layout, group: Group) -> None:
        self.orbits = moved_orbits(group)
        self.moved = tuple(a for orbit in self.orbits for a in orbit)
        self.marks = len(self.moved) if len(self.moved) <= MOST_MARKS else 1
        type = AtomOf(tuple(range(layout.atoms)), True)
        marks = tuple(Place("mark", (), (k,), type) for k in range(self.marks))
        self.layout = Layout(layout.atoms, (*layout.places, *marks))
        self.plan: Plan = classify(self.layout, group)

    def classes(self, s: State) -> list[tuple[int, ...]]:
        """The moved atoms in classes: those of one class are interchangeable in s."""
        return [tuple(found) for orbit in self.orbits for found in self.split(s, (), orbit)]

    def fixing(self, s: State) -> int | None:
        """How many elements of the group leave s as it is; None if there are many atoms to look at."""
        if self.marks < len(self.moved):
            return None
        total, marked = 1, list[int]()
        for a in self.moved:
            orbit = next(orbit for orbit in self.orbits if a in orbit)
            total *= next(len(found) for found in self.split(s, marked, orbit) if a in found)
            marked.append(a)
        return total

    def split(self, s: State, marked: Sequence[int], atoms: Sequence[int]) -> list[list[int]]:
        """The atoms in classes under the elements that fix s and what is marked."""
        found: dict[State, list[int]] = {}
        for a in atoms:
            marks = [*marked, a][: self.marks]
            whole = (*s, *marks, *([NONE] * (self.marks - len(marks))))
            found.setdefault(minimise(self.layout, self.plan, whole)[0], []).append(a)
        return list(found.values())
