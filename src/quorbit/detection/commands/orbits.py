"""Which commands the symmetries of a System carry into each other.

A search of representatives may never run a command that it would run in another state of an orbit; the images of that
state run it.  So a command counts as run if one of its images did.
"""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.detection.proof import Proof
from quorbit.groups.permutation import Permutation
from quorbit.groups.unionfind import UnionFind
from quorbit.model.system.command import Command
from quorbit.model.system.system import System

__all__ = ["with_images"]


def with_images(grounded: System, generators: Sequence[Permutation], fired: tuple[int, ...]) -> tuple[int, ...]:
    """How often each command ran; one that did not, but an image of it did, as often as that (the least of them).

    Requires: the generators are symmetries of the System, which has one command per instance."""
    if all(fired) or not any(fired) or not generators or len(fired) != len(grounded.commands):
        return fired
    ran_somewhere = {place_in_text(c) for c, times in zip(grounded.commands, fired, strict=True) if times}
    if all(times or place_in_text(c) in ran_somewhere for c, times in zip(grounded.commands, fired, strict=True)):
        return fired  # nothing of the text is left that an image could reach
    counts = list(fired)
    for orbit in command_orbits(grounded, generators):
        ran = [fired[c] for c in orbit if fired[c]]
        for c in orbit:
            counts[c] = fired[c] or min(ran, default=0)
    return tuple(counts)


def place_in_text(command: Command) -> tuple[object, ...]:
    return command.label, command.span.file, command.span.start, command.span.end


def command_orbits(grounded: System, generators: Sequence[Permutation]) -> tuple[tuple[int, ...], ...]:
    """The numbers of the commands, those together that symmetries carry into each other."""
    proof = Proof(grounded)
    numbers = [proof.terms.part(("command", command)) for command in grounded.commands]
    first = {n: c for c, n in reversed(list(enumerate(numbers)))}
    joined = UnionFind(len(numbers))
    for c, n in enumerate(numbers):
        joined.unite(c, first[n])
    for g in generators:
        for n, image in proof.images(g).items():
            if n in first and image in first:
                joined.unite(first[n], first[image])
    return joined.classes()
