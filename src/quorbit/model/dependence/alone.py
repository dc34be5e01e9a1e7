"""How much of a System is private, at a glance: before it is worth to find out who disturbs whom.

A command is alone if nobody else writes what it reads or touches what it writes; a queue may be shared by two, who send
and receive.  Where most commands are alone, a state mostly has one of which no other order has to be tried.
"""

from __future__ import annotations

from collections.abc import Hashable

from quorbit.model.dependence.access import NO_PLACES, Places, Reader
from quorbit.model.dependence.beginning import beginning
from quorbit.model.system.command import Command, assignments_in, parameters_of
from quorbit.model.system.system import System
from quorbit.model.system.types import QueueOf

__all__ = ["share_alone"]

Users = dict[int, set[Hashable]]  # of each place


def share_alone(system: System) -> float:
    """The share of commands that are alone; those that begin are left out, for they give values to everybody."""
    reader = Reader(system)
    first = beginning(reader)
    found = [(mover(c), *touched(reader, c)) for k, c in enumerate(system.commands) if k not in first]
    writers, users = Users(), Users()
    for who, reads, writes in found:
        for i in writes:
            writers.setdefault(i, set()).add(who)
        for i in reads | writes:
            users.setdefault(i, set()).add(who)
    shared = {i for i, by in users.items() if isinstance(system.places[i].type, QueueOf) and len(by) <= 2}
    alone = [
        all(i in shared or users[i] == {who} for i in writes)
        and all(i in shared or writers.get(i, {who}) == {who} for i in reads)
        for who, reads, writes in found
    ]
    return sum(alone) / max(1, len(alone))


def mover(command: Command) -> Hashable:
    return command.actors[0] if command.actors else command


def touched(reader: Reader, command: Command) -> tuple[Places, Places]:
    """What a command reads and what it writes, but for what decides whether a state is transient."""
    domains = {p.name: p.domain for p in parameters_of(command)}
    reads, writes = reader.reads(command.guard, domains), NO_PLACES
    for a in assignments_in(command.effect):
        reads = reads.union(*(reader.reads(e, domains) for e in (a.value, *a.target.owners, *a.target.indices)))
        writes |= reader.targets(a.target, domains)
    decides = reader.reads(reader.system.transient)
    return reads - decides, writes - decides
