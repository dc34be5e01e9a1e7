"""Variables and kinds of processes that differ in their names only, written as one.

People write `proctype p` and `proctype q` with the same body, each with its own `wantp` or `wantq`.  Nothing could be
exchanged there: colours and variables are told apart by their names.  Here kinds of processes that own variables of the
same types become one kind with common variables, and variables of one type that belong to nobody, or slots of an array
that are only ever written by their numbers, belong to atoms of a sort of their own, also where one process uses them
all (`lamp_1`, `lamp_2`).  Whether the exchange of two of them is a symmetry is left to detection; a System in which
none is stays as it was.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from math import prod

from quorbit.model.system.command import Together, has_inner_steps
from quorbit.model.system.expression import Apply, Atoms, Expr, Literal, Read, atom
from quorbit.model.system.mapping import expressions_in, map_places
from quorbit.model.system.system import PROCESS, VARIABLE, Atom, System, Variable, places_of
from quorbit.model.system.types import NONE, Type, Value
from quorbit.model.system.walk import expressions_of, parts, walk
from quorbit.source.frozen import frozen, replace

__all__ = ["share_names"]

Kind = tuple[str, str]  # sort and colour of an atom
Slot = tuple[str, tuple[Value, ...]]  # of a variable that belongs to nobody; with no indices also the whole variable
Use = tuple[bool, str]  # whether it is written, and inside of what it stands
Counts = frozenset[tuple[Use, int]]
Uses = dict[Slot, Counts]  # how often each variable or slot is used in each way; alike ones are so as often
Shape = tuple[Type, tuple[int, ...], Counts]
NO_USES: Counts = frozenset()


@frozen
class Shared:
    """Where a variable went: the name of the common one, and the atoms of its slots if it had nobody as an owner."""

    name: str
    slots: dict[tuple[int, ...], int] | None = None


def share_names(system: System) -> System:
    """The System with kinds and variables that may be alike as one; the same object if there are none.

    The atoms of the System come first in the new one, in their order."""
    uses = uses_of(system)
    kinds = alike_kinds(system, uses)
    if has_inner_steps(system.commands):
        return system
    shared: dict[str, Shared] = {}
    variables = list(join_kinds(system, uses, kinds, shared))
    atoms = [replace(a, colour=kinds.get((a.sort, a.colour), a.colour)) for a in system.atoms]
    variables += join_globals(system, uses, shared, atoms)
    if not kinds and not any(may_be_exchanged(uses, to) for to in invert(shared).values()):
        return system
    kept = [v for v in system.variables if v.name not in shared]

    def change(e: Read) -> Read:
        return moved(e, shared[e.variable]) if e.variable in shared else e

    changed = map_places(system, change)
    return replace(changed, atoms=tuple(atoms), variables=(*kept, *variables))


def moved(e: Read, to: Shared) -> Read:
    if to.slots is None:
        return replace(e, variable=to.name)
    numbers = tuple(index.value for index in e.indices if isinstance(index, Literal))
    if () in to.slots:
        return replace(e, variable=to.name, owners=(atom(to.slots[()]),))
    return replace(e, variable=to.name, owners=(atom(to.slots[numbers]),), indices=())  # type: ignore[index]


# Kinds of processes.


def alike_kinds(system: System, uses: Uses) -> dict[Kind, str]:
    """The kinds of processes that own variables of the same types, used as often, with their common colour."""
    by_shape: dict[object, dict[Kind, None]] = {}
    for kind in dict.fromkeys((a.sort, a.colour) for a in system.atoms if a.sort == PROCESS):
        shape = tuple(sorted((shape_of(v, uses) for v in owned_by(system, kind)), key=repr))
        by_shape.setdefault(shape, {})[kind] = None
    found: dict[Kind, str] = {}
    for kinds in by_shape.values():
        if len(kinds) > 1:
            common = "/".join(colour for _, colour in kinds)
            found.update(dict.fromkeys(kinds, common))
    return found


def owned_by(system: System, kind: Kind) -> list[Variable]:
    """The variables that belong to the processes of a kind, one place for each."""
    members = {a for a, atom in enumerate(system.atoms) if (atom.sort, atom.colour) == kind}
    return [v for v in system.variables if len(v.owners) == 1 and set(v.owners[0]) == members]


def shape_of(v: Variable, uses: Uses) -> Shape:
    return v.type, v.shape, uses.get((v.name, ()), NO_USES)


def uses_of(system: System) -> Uses:
    """How often each variable is used in each way, in all instances of the commands; and each slot of those that belong
    to nobody."""
    found: dict[Slot, Counter[Use]] = {}
    for command in system.commands:
        times = prod(len(p.domain.atoms) for p in command.parameters if isinstance(p.domain, Atoms))
        targets = {id(a.target) for step in command.effect if isinstance(step, Together) for a in step.assignments}
        for e in expressions_of(command):
            for part, inside in reads_in(e):
                use = id(part) in targets, inside
                for slot in {(part.variable, ()), (part.variable, numbers_of(part))}:
                    found.setdefault(slot, Counter())[use] += times
    return {slot: frozenset(counts.items()) for slot, counts in found.items()}


def reads_in(e: Expr, inside: str = "") -> Iterator[tuple[Read, str]]:
    """What e reads, each with what it is a part of."""
    if isinstance(e, Read):
        yield e, inside
    head = e.operator.value if isinstance(e, Apply) else type(e).__name__
    for part in parts(e):
        yield from reads_in(part, head)


def invert(shared: dict[str, Shared]) -> dict[str, list[Slot]]:
    """The slots that became one variable, by its name."""
    found: dict[str, list[Slot]] = {}
    for name, to in shared.items():
        found.setdefault(to.name, []).extend((name, numbers) for numbers in to.slots or ())
    return found


def may_be_exchanged(uses: Uses, slots: list[Slot]) -> bool:
    """Whether two of the slots are used in the same ways as often."""
    counts = [uses[slot] for slot in slots if slot in uses]
    return len(set(counts)) < len(counts)


def join_kinds(system: System, uses: Uses, kinds: dict[Kind, str], shared: dict[str, Shared]) -> Iterator[Variable]:
    """The common variables of alike kinds: those of one type in the order in which they were declared."""
    for common in dict.fromkeys(kinds.values()):
        columns: dict[object, list[list[Variable]]] = {}
        for kind in (kind for kind, colour in kinds.items() if colour == common):
            ranks: dict[object, int] = {}
            for v in owned_by(system, kind):
                shape = shape_of(v, uses)
                rank = ranks[shape] = ranks.get(shape, -1) + 1
                rows = columns.setdefault(shape, [])
                rows.extend([] for _ in range(rank + 1 - len(rows)))
                rows[rank].append(v)
        for together in (together for rows in columns.values() for together in rows):
            name = "/".join(v.name for v in together)
            shared.update({v.name: Shared(name) for v in together})
            yield replace(together[0], name=name, owners=(tuple(a for v in together for a in v.owners[0]),))


# Variables that belong to nobody.


def join_globals(system: System, uses: Uses, shared: dict[str, Shared], atoms: list[Atom]) -> list[Variable]:
    """One variable for all of a type that belong to nobody; each of them, or each slot, becomes an atom."""
    apart = {v.name for v in system.variables if v.shape and is_apart(system, v)}
    groups: dict[Shape, list[Variable]] = {}
    for v in system.variables:
        if not v.owners and v.name not in shared:
            key = (v.type, (), NO_USES) if v.name in apart else shape_of(v, uses)
            groups.setdefault(key, []).append(v)
    found: list[Variable] = []
    for (type, shape, _), members in groups.items():
        if len(members) < 2 and not any(v.name in apart for v in members):
            continue
        name, first = f"variables {len(found) + 1}", len(atoms)
        for v in members:
            places = indices_of(v) if v.name in apart else [()]
            shared[v.name] = Shared(name, {numbers: len(atoms) + k for k, numbers in enumerate(places)})
            atoms += [Atom(v.name + "".join(f"[{k}]" for k in n), VARIABLE, name, v.span) for n in places]
        found.append(Variable(name, type, (tuple(range(first, len(atoms))),), shape, members[0].span))
    return found


def is_apart(system: System, v: Variable) -> bool:
    """Whether the slots of an array are only ever written by their numbers."""
    reads = (
        part for e in expressions_in(system) for part in walk(e) if isinstance(part, Read) and part.variable == v.name
    )
    inside = set(indices_of(v))
    return all(numbers_of(e) in inside for e in reads)


def numbers_of(e: Read) -> tuple[Value, ...]:
    """The indices that are written down; NONE for others."""
    return tuple(i.value if isinstance(i, Literal) else NONE for i in e.indices)


def indices_of(v: Variable) -> list[tuple[int, ...]]:
    return [place.indices for place in places_of(v)]
