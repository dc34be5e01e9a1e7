"""What keeps processes of one kind apart, by cause: the one that would give most comes first.

For every two atoms of one kind in different orbits the lines that break their exchange are collected.  A cause that
alone keeps some of them apart would, if it were gone, join their orbits; how many times fewer states that may give is
how many more ways there are to permute them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import combinations
from math import factorial, prod

from quorbit.detection.reasons.why import Breach, Breaches, extended
from quorbit.detection.renamed_values import with_all_matched
from quorbit.groups.group import Group, orbits, swap, trivial
from quorbit.groups.moves import permutation_of
from quorbit.groups.unionfind import UnionFind
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.expression import Domain, Elements, Literal
from quorbit.model.system.system import PROCESS, System
from quorbit.model.system.types import INTEGER, Type, atoms_of
from quorbit.source.frozen import frozen

__all__ = ["Cause", "Kept", "causes_of", "kept_apart", "nearly_alike", "pairs_apart"]

FEW_PAIRS, MOST_PAIRS = 6, 60
MOST_MOVED = 2_000  # commands, in all pairs
MOST_LOOKED_AT = 60_000  # atoms times commands
Key = tuple[str, int, str]  # file, line and what is said
NUMBER = re.compile(r"\d+")


@frozen
class Kept:
    """Two atoms of one kind in different orbits, and what breaks their exchange."""

    first: int
    second: int
    breaches: tuple[Breach, ...]


@frozen
class Cause:
    """Something that keeps atoms apart; ``joined``: what would be interchangeable without it, ``times``: how many times
    fewer states that may give at most (1: other causes would be left)."""

    breach: Breach
    pairs: tuple[tuple[int, int], ...]
    joined: tuple[tuple[int, ...], ...]
    times: int


def pairs_apart(system: System, group: Group) -> list[tuple[int, int]]:
    """The first atoms of every two orbits of one kind: those of processes or, where these are all alike, of others.
    Values that only look alike are left out."""
    firsts = [orbit[0] for orbit in orbits(group)]
    atoms = system.atoms
    alike = [
        (a, b)
        for a, b in combinations(firsts, 2)
        if (atoms[a].sort, atoms[a].colour) == (atoms[b].sort, atoms[b].colour) and not is_value(atoms[a].sort)
    ]
    if system.synchronous:
        held, chosen = latches_and_inputs(system)
        latches = [pair for pair in alike if held.issuperset(pair)]
        alike = latches or [pair for pair in alike if chosen.issuperset(pair)]
    return [pair for pair in alike if atoms[pair[0]].sort == PROCESS] or alike


def latches_and_inputs(system: System) -> tuple[set[int], set[int]]:
    """Of a circuit, what its author may call alike: not wires, and not names that are used for nothing."""
    held = {a for place in system.places for a in place.owners}
    chosen = {a for c in system.commands for p in c.parameters for a in atoms_of(domain_type(p.domain))}
    return held, chosen


def domain_type(domain: Domain) -> Type:
    return domain.type if isinstance(domain, Elements) else INTEGER


def kept_apart(system: System, group: Group) -> list[Kept]:
    """The first of these pairs, each with all that breaks its exchange."""
    points, breaches = tuple(range(len(system.atoms))), Breaches(system)
    grounded = breaches.grounded
    pairs = pairs_apart(system, group)[: most_pairs(grounded)]
    found = [Kept(a, b, breaches.of(extended(system, permutation_of(swap(a, b), points), grounded))) for a, b in pairs]
    return [kept for kept in found if kept.breaches]


def most_pairs(grounded: System) -> int:
    """How many pairs are looked at: fewer in large models, where each takes long and many have the same cause."""
    return max(FEW_PAIRS, min(MOST_PAIRS, MOST_MOVED // (1 + len(grounded.commands))))


def nearly_alike(shared: System) -> list[Kept]:
    """Processes of different names that do the same but for some lines, with these; ``shared``: the System with alike
    kinds as one (alike.py).  They have lines that differ in numbers only, or at least half of their lines fit."""
    points, breaches = tuple(range(len(shared.atoms))), Breaches(shared)
    grounded = breaches.grounded
    if len(shared.atoms) * len(grounded.commands) > MOST_LOOKED_AT:
        return []
    pairs = [pair for pair in pairs_apart(shared, trivial(len(points))) if shared.atoms[pair[0]].sort == PROCESS]
    lines: dict[int, set[Key]] = {}
    for command in grounded.commands:
        for actor in command.actors:
            if isinstance(actor, Literal) and isinstance(actor.value, int):
                lines.setdefault(actor.value, set()).add((command.span.file, command.span.line, command.label))
    found: list[Kept] = []
    for a, b in pairs[: most_pairs(grounded)]:
        mine, other = lines.get(a, set()), lines.get(b, set())
        if not mine or len(mine) != len(other):
            continue
        broken = breaches.of(with_all_matched(grounded, permutation_of(swap(a, b), points)))
        if broken and (len(broken) <= len(mine) or without_numbers(mine) == without_numbers(other)):
            found.append(Kept(a, b, broken))
    return found


def without_numbers(lines: Iterable[Key]) -> list[str]:
    """What lines say, in some order, all numbers taken for one."""
    return sorted(NUMBER.sub("0", label) for _, _, label in lines)


def causes_of(group: Group, kept: Iterable[Kept]) -> list[Cause]:
    """The causes of it all, the one that would give most first."""
    pairs: dict[Key, list[tuple[int, int]]] = {}
    alone: dict[Key, list[tuple[int, int]]] = {}
    breach_of: dict[Key, Breach] = {}
    for one in kept:
        keys = dict.fromkeys(map(key_of, one.breaches))
        for breach in one.breaches:
            breach_of.setdefault(key_of(breach), breach)
        for key in keys:
            pairs.setdefault(key, []).append((one.first, one.second))
            if len(keys) == 1:
                alone.setdefault(key, []).append((one.first, one.second))
    found = [cause(group, breach_of[key], pairs[key], alone.get(key, [])) for key in pairs]
    return sorted(found, key=lambda c: (-c.times, -len(c.pairs)))


def key_of(breach: Breach) -> Key:
    return breach.span.file, breach.span.line, breach.message


def cause(group: Group, breach: Breach, pairs: list[tuple[int, int]], alone: list[tuple[int, int]]) -> Cause:
    """``alone``: the pairs that nothing else keeps apart."""
    orbit_of = {a: orbit for orbit in orbits(group) for a in orbit}
    union = UnionFind(group.degree)
    for a, b in alone:
        union.unite(a, b)
    joined: dict[int, list[int]] = {}
    for a in dict.fromkeys(a for pair in alone for a in pair):
        joined.setdefault(union.find(a), []).append(a)
    cells = [sorted({x for a in cell for x in orbit_of[a]}) for cell in joined.values()]
    before = prod(factorial(len(orbit_of[a])) for cell in joined.values() for a in cell)
    times = prod(factorial(len(cell)) for cell in cells) // before
    return Cause(breach, tuple(pairs), tuple(map(tuple, cells)), times)
