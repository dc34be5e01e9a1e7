"""Find the numbers that stand for atoms, and let them be atoms.

People number their processes: `_pid`, a parameter `id`, an array indexed by it, a message that carries it.  Wherever
such a number is only copied, compared for equality and used as an index, it is the atom that counts and not its number.
The analysis is unification: everything that may hold the same numbers forms a class, with what is known of it: which
atoms have which numbers, which other numbers occur, and what looks inside (order, arithmetic), which *pins* the class:
it stays a class of numbers, and the reason is kept.

One number of a class may belong to no atom (0 often says "none"); it becomes NONE.  Others that belong to none become
atoms of their own.  A slot of an array indexed by a class belongs to the atom with its number; slots nobody can address
go.
"""

from __future__ import annotations

from quorbit.model.meaning.value_names import names_of_values
from quorbit.model.specialise.identities.analysis import Analysis
from quorbit.model.specialise.identities.classes import Class, Pin, has_identity, leaves, pin_parts
from quorbit.model.specialise.identities.rewriting import Rewriting
from quorbit.model.specialise.numbering import numberings
from quorbit.model.specialise.start import Started
from quorbit.model.system.expression import (
    Expr,
)
from quorbit.model.system.mapping import map_system
from quorbit.model.system.system import Atom, Variable
from quorbit.model.system.types import (
    INTEGER,
)
from quorbit.model.system.walk import map_parts
from quorbit.source.frozen import replace
from quorbit.source.span import NOWHERE

__all__ = ["STRANGER", "is_value", "name_identities", "name_values"]


def name_identities(started: Started, scratch: frozenset[str] = frozenset()) -> tuple[Started, tuple[Pin, ...]]:
    """The System with its identities as atoms, and what kept others from being found.

    ``scratch``: variables that stay numbers without keeping what they choose from from being identities."""
    started = distinct(started)
    analysis = Analysis(started, scratch)
    for c in analysis.variables.values():
        pin_parts(c)
    if not any(has_identity(c) for c in (*analysis.variables.values(), *analysis.indices.values())):
        return started, pins_of(analysis)
    strangers = name_strangers(analysis)
    return Rewriting(analysis).started((*started.system.atoms, *strangers)), pins_of(analysis)


def name_strangers(analysis: Analysis) -> list[Atom]:
    """An atom, never to be exchanged with another, for each number of an identity that is nobody's, but for one."""
    found: list[Atom] = []
    for part in (part for part in all_classes(analysis) if part.is_identity):
        for n in [n for n in part.free_numbers if n != part.none]:
            part.atoms[n] = len(analysis.system.atoms) + len(found)
            found.append(Atom(f"number {n}", STRANGER, f"{len(found)}: {n}"))
    return found


def all_classes(analysis: Analysis) -> list[Class]:
    """The classes of variables, and those of constants and of what is only compared."""
    wholes = (
        *analysis.variables.values(),
        *analysis.indices.values(),
        *analysis.definitions.values(),
        *analysis.parameters.values(),
        *(c for _, c in analysis.classes.values()),
    )
    roots = {id(root): root for root in (c.find() for c in wholes)}
    return list({id(part): part for root in roots.values() for _, part in leaves(root)}.values())


def name_values(started: Started, only: frozenset[str] | None = None) -> Started:
    """The System with values as atoms too, wherever they are only copied and compared or choose a slot of an array:
    locations, message names, bits, ids that several processes have in common.

    Each class of values becomes a sort of its own; ``only`` limits this to some of these sorts."""
    started = distinct(started)
    system, analysis = started.system, Analysis(started, values=True)
    for c in all_classes(analysis):
        if c.is_identity and len(c.free_numbers) > 1:  # two that are nobody's would be one
            c.pins.append(Pin(NOWHERE, "several of its numbers are nobody's"))
    naming = Naming(list(system.atoms), only)
    for name, c in analysis.variables.items():
        pin_parts(c)
        for path, part in leaves(c):
            naming.give(part, f"{VALUE}{name}{path}", system.variable[name], path)
    for (name, k), c in analysis.indices.items():
        if all(0 <= n < system.variable[name].shape[k] for n in c.find().others):
            naming.give(c.find(), f"{VALUE}{name}[{k}]", Variable(f"index of {name}", INTEGER), "")
    if len(naming.atoms) == len(system.atoms):
        return started
    return Rewriting(analysis).started(tuple(naming.atoms))


class Naming:
    """Makes an atom for each number of a class that only has names, unless its sort is not wanted."""

    def __init__(self, atoms: list[Atom], only: frozenset[str] | None) -> None:
        self.atoms, self.only = atoms, only
        self.taken = {atom.name for atom in atoms}
        self.seen: set[int] = set()  # by id: a class is a sort under the first of its names, also where it is left out

    def give(self, part: Class, sort: str, variable: Variable, path: str) -> None:
        fits = not part.atoms and not part.pins and not part.parts and 1 < len(part.others) <= MOST_VALUES
        if not fits or id(part) in self.seen:
            return
        self.seen.add(id(part))
        numbers = sorted(part.others)
        words = list(names_of_values(variable, path, numbers, self.taken))
        self.taken.update(words)  # also of sorts that are left out: a name does not depend on what else is an atom
        if self.only is not None and sort not in self.only:
            return
        for n, word in zip(numbers, words, strict=True):
            part.atoms[n] = len(self.atoms)
            self.atoms.append(Atom(word, sort))


def is_value(sort: str) -> bool:
    """Whether the atoms of a sort are values that only have names."""
    return sort.startswith(VALUE)


VALUE = "value of "
MOST_VALUES = 5_000
STRANGER = "number"  # the sort of what stands for a number and for no process


def distinct(started: Started) -> Started:
    return Started(map_system(started.system, Distinct().copy), started.states)


class Distinct:
    """Copies what stands twice, so that a class can be noted for each object."""

    def __init__(self) -> None:
        self.seen: dict[int, Expr] = {}  # by id; kept, so that the id stays its own

    def copy(self, e: Expr) -> Expr:
        changed = map_parts(e, self.copy)
        if changed is e and id(e) in self.seen:
            changed = replace(e)
        self.seen[id(e)] = e
        return changed


def pins_of(analysis: Analysis) -> tuple[Pin, ...]:
    """What looked inside the numbers of atoms, each reason once, where the user wrote it: also inside constants that
    would number the processes."""
    found: dict[Pin, None] = {}
    numbers = [analysis.definitions[name] for name in numberings(analysis.system)]
    for c in (*analysis.variables.values(), *analysis.indices.values(), *numbers):
        if c.find().atoms or c in numbers:
            c = c.find()
            found.update(dict.fromkeys(p for p in c.pins if p.span is not NOWHERE))
    return tuple(found)
