"""A stored state graph with labels: what CTL* is evaluated on.

States are 0..count-1.  The edges of state s are numbered offsets[s] .. offsets[s+1]-1 and lead to `targets`.  A set of
states is a `Flags`: one byte per state, 0 or 1.  Each edge may name its *actors*, the processes that move in it, as a
bit mask; a process is enabled in a state if it is an actor of one of the state's edges (`enabled`).

A state without successors is *dead*: its run stutters forever, as in SPIN, so `build_kripke` gives it an edge to
itself without actors.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quorbit.model.system.formula import Proposition
from quorbit.source.frozen import frozen

__all__ = ["Flags", "Kripke"]

Flags = bytes


@frozen
class Kripke:
    offsets: Sequence[int]
    targets: Sequence[int]
    initial: tuple[int, ...]
    labels: Mapping[Proposition, Flags]
    actors: Sequence[int]  # per edge
    enabled: Sequence[int]  # per state
    dead: Flags

    @property
    def count(self) -> int:
        return len(self.offsets) - 1

    def successors(self, state: int) -> Sequence[int]:
        return self.targets[self.offsets[state] : self.offsets[state + 1]]


def build_kripke(
    successors: Sequence[Sequence[int]],
    initial: Iterable[int],
    labels: Mapping[Proposition, Iterable[int] | Flags],
    actors: Sequence[Sequence[int]] | None = None,
) -> Kripke:
    """From lists: successors of each state, states with each label, actors of each edge as bit masks."""
    offsets, targets, moving = [0], list[int](), list[int]()
    for s, found in enumerate(successors):
        targets.extend(found or (s,))
        moving.extend((actors[s] if actors else [0] * len(found)) if found else (0,))
        offsets.append(len(targets))
    count = len(successors)
    enabled = [union(moving[offsets[s] : offsets[s + 1]]) for s in range(count)]
    dead = bytes(not found for found in successors)
    named = {p: as_flags(states, count) for p, states in labels.items()}
    return Kripke(offsets, targets, tuple(initial), named, moving, enabled, dead)


def union(masks: Iterable[int]) -> int:
    result = 0
    for mask in masks:
        result |= mask
    return result


def as_flags(states: Iterable[int] | Flags, count: int) -> Flags:
    if isinstance(states, bytes):
        return states
    flags = bytearray(count)
    for s in states:
        flags[s] = 1
    return bytes(flags)


def members(flags: Flags) -> list[int]:
    """The states of a set, in order."""
    return [s for s, flag in enumerate(flags) if flag]


def everywhere(count: int) -> Flags:
    return b"\1" * count


def nowhere(count: int) -> Flags:
    return bytes(count)


def complement(flags: Flags) -> Flags:
    return flags.translate(OPPOSITE)


OPPOSITE = bytes([1, 0]) + bytes(254)


def intersect(a: Flags, b: Flags) -> Flags:
    return (int.from_bytes(a, "little") & int.from_bytes(b, "little")).to_bytes(len(a), "little")


def unite(a: Flags, b: Flags) -> Flags:
    return (int.from_bytes(a, "little") | int.from_bytes(b, "little")).to_bytes(len(a), "little")


def predecessors(kripke: Kripke) -> tuple[list[int], list[int]]:
    """The edges turned round, as offsets and sources."""
    degrees = [0] * (kripke.count + 1)
    for t in kripke.targets:
        degrees[t + 1] += 1
    for s in range(kripke.count):
        degrees[s + 1] += degrees[s]
    sources = [0] * len(kripke.targets)
    free = degrees[:-1]
    for s in range(kripke.count):
        for t in kripke.successors(s):
            sources[free[t]] = s
            free[t] += 1
    return degrees, sources
