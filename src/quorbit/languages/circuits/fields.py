"""The numbers that a circuit holds: registers and inputs of several bits, and those of more than two values.

An index is stored in one of them, whatever the tool that wrote the netlist made of its name: `owner<1>`, `owner[1]`,
`owner<1>$stored`; or the choice has a name that nobody gave it, and wires `pick<1>` that copy it have one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Read
from quorbit.model.system.system import System

BIT = re.compile(r"(?P<word>.+?)(?:<(?P<angle>\d+)>|\[(?P<square>\d+)\])(?P<rest>\$.*)?")
BOOLEAN = "0,1"


def fields_of(system: System) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """By name, the atoms of each: bits, the least first, or one of many values.  A register may be listed with parts of
    it that have names of their own."""
    sources = [a for a, described in enumerate(system.atoms) if described.sort in ("latch", "input")]
    bits = {a for a in sources if system.atoms[a].colour == BOOLEAN}
    own = words((system.atoms[a].name, a) for a in sorted(bits))
    copied = words((name, a) for name, a in copies(system) if a in bits)
    several = [(system.atoms[a].name, (a,)) for a in sources if system.atoms[a].colour.count(",") > 1]
    return (*own, *copied, *several)


def words(named: Iterable[tuple[str, int]]) -> list[tuple[str, tuple[int, ...]]]:
    """The atoms of several bits that have one name but for an index."""
    found: dict[str, dict[int, int]] = {}
    for name, a in named:
        if (match := BIT.fullmatch(name)) is not None:
            word = match["word"] + (match["rest"] or "")
            found.setdefault(word, {}).setdefault(int(match["angle"] or match["square"]), a)
    listed = [(word, tuple(by_index[k] for k in sorted(by_index))) for word, by_index in found.items()]
    return [(word, atoms) for word, atoms in listed if len(set(atoms)) == len(atoms) > 1]


def copies(system: System) -> Iterator[tuple[str, int]]:
    """The wires that copy a latch or an input: their names, and what they copy."""
    for definition in system.definitions:
        source = source_of(definition.body)
        if source is not None and definition.owners:
            yield system.atoms[definition.owners[0]].name, source


def source_of(e: Expr) -> int | None:
    match e:
        case Read(owners=(Literal(value=int(a)),)) | Apply(Operator.MEMBER, (Literal(value=int(a)), _)):
            return a
    return None
