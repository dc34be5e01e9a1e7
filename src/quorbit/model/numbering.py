"""Recognise numbers of atoms where they are written in other words.

A constant that is different for every process (`run p(0); run p(1)`) numbers the processes; so does a number plus or
minus a constant (`_pid - 1`).
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.model.expression import Apply, Expr, Literal, NumberOf, Operator, Use, Wrap
from quorbit.model.mapping import map_system
from quorbit.model.properties import property_expressions
from quorbit.model.system import System
from quorbit.model.types import NONE, Number
from quorbit.model.walk import expressions_of, map_parts, walk

Numbering = tuple[int, tuple[int, ...]]  # the first number, and the atoms from it on; NONE where nobody has it
WIDEST = 256  # numbers from the first to the last


def recognise_numberings(system: System) -> System:
    """The System with such numbers as ``NumberOf``."""
    found = numberings(system)

    def change(e: Expr) -> Expr:
        return numbered(map_parts(e, change), found)

    return map_system(system, change)


def numberings(system: System) -> dict[str, Numbering]:
    """The definitions that give every owner a number of its own."""
    values: dict[str, dict[int, int] | None] = {}
    for d in system.definitions:
        known = values.setdefault(d.name, {})
        if known is None:
            continue
        match d.body, d.owners:
            case Literal(int(n), Number(names=())), (owner,) if owner != NONE and n not in known:
                known[n] = owner
            case _:
                values[d.name] = None
    wide = {name: known for name, known in values.items() if known and max(known) - min(known) < WIDEST}
    taken = [part for e in all_expressions(system) for part in walk(e) if isinstance(part, NumberOf)]
    return {name: listed(known) for name, known in wide.items() if not is_others(known, taken)}


def is_others(known: dict[int, int], taken: list[NumberOf]) -> bool:
    """Whether the only number given is another atom's: `muted = 3` in the one mailer speaks of client 3, not of it."""
    if len(known) > 1:
        return False
    ((n, owner),) = known.items()
    named = (t.numbering[n - t.first] for t in taken if t.first <= n < t.first + len(t.numbering))
    return any(a not in (NONE, owner) for a in named)


def all_expressions(system: System) -> Iterator[Expr]:
    for command in (*system.commands, *system.start):
        yield from expressions_of(command)
    for p in system.properties:
        yield from property_expressions(p)


def listed(atoms: dict[int, int]) -> Numbering:
    first = min(atoms)
    return first, tuple(atoms.get(n, NONE) for n in range(first, max(atoms) + 1))


def numbered(e: Expr, found: dict[str, Numbering]) -> Expr:
    match e:
        case Use(name, (owner,)) if name in found:
            first, numbering = found[name]
            return NumberOf(owner, numbering, first, span=e.span)
        case Apply(Operator.ADD, (NumberOf() as n, Literal(int(k)))):
            return shifted(n, k)
        case Apply(Operator.ADD, (Literal(int(k)), NumberOf() as n)):
            return shifted(n, k)
        case Apply(Operator.SUBTRACT, (NumberOf() as n, Literal(int(k)))):
            return shifted(n, -k)
        case Wrap(NumberOf() as n, bits, signed) if fits(n, bits, signed):
            return n
        case _:
            return e


def shifted(n: NumberOf, k: int) -> NumberOf:
    return NumberOf(n.atom, n.numbering, n.first + k, None if n.none is None else n.none + k, n.span)


def fits(n: NumberOf, bits: int, signed: bool) -> bool:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return low <= n.first and n.first + len(n.numbering) - 1 <= high and (n.none is None or low <= n.none <= high)
