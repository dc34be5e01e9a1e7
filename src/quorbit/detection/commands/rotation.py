"""Rings of processes: by which rotations each edge of an almost symmetric System may be turned [W07, section 10].

Where every edge speaks of neighbours, exchanging two processes keeps hardly any of them, while turning the ring keeps
most.  The ring is the order in which the atoms of one kind are numbered; other orders are not looked for.
"""

from __future__ import annotations

from quorbit.detection.commands.terms import Exchanges, Roots
from quorbit.groups.partition import Partition
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.evaluate import asks_enabled
from quorbit.model.meaning.permute import permute_places
from quorbit.model.system.expression import FALSE
from quorbit.model.system.partitions import Edge, Rotations
from quorbit.model.system.system import System


def infer_rotations(
    system: System, edges: list[Edge], said: list[Roots], exchanges: Exchanges, classes: Partition
) -> Rotations | None:
    """The steps by which the edges may be turned, if most edges can be turned but permit no exchange; else None.

    After such an edge nothing is left to exchange, while an edge that permits all exchanges permits turning too."""
    rings = [cell for cell in classes if len(cell) > 2]
    if len(rings) != 1 or not is_plain(system):
        return None
    ring = rings[0]
    steps = tuple(least_step(system, roots, exchanges, ring) for roots in said)
    gained = [e for e, step in zip(edges, steps, strict=True) if step < len(ring) and is_finest(e.partition)]
    return Rotations(ring, tuple(e.commands for e in edges), steps) if 2 * len(gained) > len(edges) else None


def is_finest(partition: Partition) -> bool:
    return all(len(cell) == 1 for cell in partition)


def is_plain(system: System) -> bool:
    """Whether each command stands for itself: nothing is passed through, hidden or asked for."""
    same = len({(command.rank, command.turn) for command in system.commands}) <= 1
    return same and system.transient == FALSE and not asks_enabled(*system.commands)


def least_step(system: System, roots: Roots, exchanges: Exchanges, ring: tuple[int, ...]) -> int:
    n = len(ring)
    for step in range(1, n):
        if n % step == 0:
            g = rotation(len(system.atoms), ring, step)
            if permute_places(system, g) is not None and exchanges.keeps_under(roots, g):
                return step
    return n


def rotation(degree: int, ring: tuple[int, ...], step: int) -> Permutation:
    """Every atom of the ring goes so many places on."""
    g = list(range(degree))
    for k, a in enumerate(ring):
        g[a] = ring[(k + step) % len(ring)]
    return tuple(g)
