"""How the latches and inputs of a circuit are connected: who reads whom, through its definitions."""

from __future__ import annotations

from typing import Any

from quorbit.groups.group import Group, orbits
from quorbit.model.system.command import assignments_in
from quorbit.model.system.expression import Expr, Literal, Read, Use
from quorbit.model.system.system import System
from quorbit.model.system.types import AtomOf
from quorbit.model.system.walk import walk

INPUT = "input"  # the sort of the inputs of circuits
MOST_WALKED = 20_000  # definitions of a circuit that is drawn
Arc = tuple[int, int]


def wires_of(system: System, group: Group, most: int) -> dict[str, Any] | None:
    """Inputs on the left, latches on the right; an arc leads from what is read to the latch that reads it."""
    if len(system.definitions) > MOST_WALKED or len(system.commands) != 1:
        return None
    read = Readers(system)
    arcs: dict[Arc, None] = {}
    for assignment in assignments_in(system.commands[0].effect):
        owner = owner_of(assignment.target)
        if owner is not None:
            arcs.update(dict.fromkeys((source, owner) for source in read.atoms(assignment.value)))
    latches = {atom for _, atom in arcs}
    place_of = {a: k for k, orbit in enumerate(orbits(group)) for a in orbit}
    inputs = sorted({a for a, _ in arcs} - latches, key=lambda a: (place_of[a], a))[:most]
    shown = sorted(latches, key=lambda a: (place_of[a], a))[:most]
    kept = {*inputs, *shown}
    if not arcs:
        return None
    return {
        "title": "Netlist: latches and what they read",
        "columns": [inputs, shown],
        "vertices": {
            str(a): {"name": system.atoms[a].name, "kind": system.atoms[a].sort, "atoms": [a]} for a in sorted(kept)
        },
        "arcs": [[a, b, "read"] for a, b in arcs if a in kept and b in kept],
        "left": len({a for arc in arcs for a in arc}) - len(kept),
    }


class Readers:
    """The latches and inputs that an expression depends on, each definition on the way looked at once."""

    def __init__(self, system: System) -> None:
        self.definition = system.definition
        self.inputs = {a for a, atom in enumerate(system.atoms) if atom.sort == INPUT}

    def atoms(self, e: Expr) -> list[int]:
        found: dict[int, None] = {}
        waiting, seen = [e], set[tuple[str, tuple[int, ...]]]()
        while waiting:
            for part in walk(waiting.pop()):
                match part:
                    case Read() if (owner := owner_of(part)) is not None:
                        found[owner] = None
                    case Literal(value=int() as atom, type=AtomOf()) if atom in self.inputs:
                        found[atom] = None
                    case Use(definition, owners):
                        key = definition, tuple(o.value for o in owners if isinstance(o, Literal))
                        if key in self.definition and key not in seen:
                            seen.add(key)
                            waiting.append(self.definition[key])
                    case _:
                        pass
        return list(found)


def owner_of(read: Read) -> int | None:
    """The atom whose place this is, where that is written down."""
    owner = read.owners[0] if len(read.owners) == 1 else None
    return owner.value if isinstance(owner, Literal) and isinstance(owner.value, int) else None
