"""Which Systems adaptive symmetry reduction can treat, and which of their atoms it permutes.

An abstract state is a shared part and a local state for each permuted atom ("process"), so a local state must be free
of references to permuted atoms: exchanging two processes then just exchanges their local states [W07, Definition 1].
Shared places may refer to processes: being referred to becomes part of a process's local state.  Atoms of classes that
are in the way are not permuted; they are part of the shared state.
"""

from __future__ import annotations

from quorbit.groups.partition import Partition
from quorbit.model.system.command import parameters_of
from quorbit.model.system.expression import Bound, Fresh, Literal
from quorbit.model.system.system import Place, System
from quorbit.model.system.types import AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type, atoms_of
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

__all__ = ["choose_classes", "is_applicable", "kinds"]


@frozen
class Classes:
    """The classes of atoms that are permuted (each of two atoms or more), and why others are not.

    ``span``: where the first variable that is in the way is declared."""

    permuted: Partition
    reasons: tuple[str, ...]
    span: Span | None = None

    @property
    def refusal(self) -> str:
        """Why nothing is permuted."""
        return "; ".join(self.reasons) or "the model has no two processes of one kind"


def is_applicable(system: System, classes: Partition | None = None) -> str | None:
    """None if some atoms can be permuted, else the reason.  ``classes``: the atoms of one kind, if already known."""
    chosen = choose_classes(system, classes or kinds(system))
    return None if chosen.permuted else chosen.refusal


def kinds(system: System) -> Partition:
    """The atoms of one sort and colour; those that can be created anew stand alone: the first unused one is taken."""
    domains = [p.domain for command in system.commands for p in parameters_of(command)]
    fresh = {a for domain in domains if isinstance(domain, Fresh) for a in domain.atoms}
    found: dict[tuple[object, ...], list[int]] = {}
    for a, atom in enumerate(system.atoms):
        found.setdefault((a,) if a in fresh else (atom.sort, atom.colour), []).append(a)
    return tuple(map(tuple, found.values()))


def choose_classes(system: System, classes: Partition) -> Classes:
    """Leave out classes until no place holds two permuted atoms, counting owners and what it refers to."""
    kept = [cell for cell in classes if len(cell) > 1]
    reasons: dict[str, Span] = {}
    while (conflict := find_conflict(system, kept)) is not None:
        involved, reason, variable = conflict
        out = min(involved, key=lambda cell: (moves(system, cell), len(cell), -cell[0]))
        kept.remove(out)
        reasons.setdefault(reason, system.variable[variable].span)
    return Classes(tuple(kept), tuple(reasons), next(iter(reasons.values()), None))


def moves(system: System, cell: tuple[int, ...]) -> bool:
    """Whether some command is moved by an atom of the class; such classes are kept if possible."""
    for command in system.commands:
        domains = {p.name: getattr(p.domain, "atoms", ()) for p in command.parameters}
        for actor in command.actors[:1]:
            match actor:
                case Bound(name) if set(cell) & set(domains.get(name, ())):
                    return True
                case Literal(value) if value in cell:
                    return True
    return False


Conflict = tuple[list[tuple[int, ...]], str, str]  # classes, the reason, the variable


def find_conflict(system: System, kept: list[tuple[int, ...]]) -> Conflict | None:
    """Two classes (or one twice) that meet in one place."""
    class_of = {a: cell for cell in kept for a in cell}
    for place in system.places:
        met = [class_of[a] for a in place.owners if a in class_of]
        most = [cell for cell in kept for _ in range(references(place.type, frozenset(cell)))]
        joint = together(place.type, class_of)
        if len(met) > 1:
            return met, f"{place.variable} belongs to two processes at once", place.variable
        if met and most:
            return [*met, *most], f"{shown(system, place)} refers to processes in its local state", place.variable
        if joint:
            return joint, f"{place.variable} relates processes to each other", place.variable
    return None


def shown(system: System, place: Place) -> str:
    return f"{place.variable} of {system.atom_name(place.owners[0])}"


def references(type: Type, atoms: frozenset[int]) -> int:
    """1 if a value of the type can refer to one of the atoms."""
    return int(any(a in atoms for a in atoms_of(type)))


def together(type: Type, class_of: dict[int, tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The classes of which one element of a set could hold two atoms: marks cannot tell such elements apart."""
    match type:
        case SetOf(element):
            met = held(element, class_of)
            return met if len(met) > 1 or has_inner_set(element, class_of) else []
        case TupleOf(parts):
            return next((found for part in parts if (found := together(part, class_of))), [])
        case QueueOf(message):
            return together(message, class_of)
        case Number() | Truth() | AtomOf() | Text():
            return []
        case _:
            assert_never(type)


def held(type: Type, class_of: dict[int, tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The class of each atom that one value of the type can hold; a queue or a set counts as two."""
    match type:
        case AtomOf(atoms):
            return list(dict.fromkeys(class_of[a] for a in atoms if a in class_of))[:1]
        case TupleOf(parts):
            return [cell for part in parts for cell in held(part, class_of)]
        case SetOf(inner) | QueueOf(inner):
            return held(inner, class_of) * 2
        case Number() | Truth() | Text():
            return []
        case _:
            assert_never(type)


def has_inner_set(type: Type, class_of: dict[int, tuple[int, ...]]) -> bool:
    match type:
        case SetOf(inner) | QueueOf(inner):
            return bool(held(inner, class_of))
        case TupleOf(parts):
            return any(has_inner_set(part, class_of) for part in parts)
        case Number() | Truth() | AtomOf() | Text():
            return False
        case _:
            assert_never(type)
