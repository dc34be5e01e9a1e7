"""A beginning that runs once: `init` starts the processes and gives each of them values of its own.

The initial state of such a model is before the beginning, and the states that matter come after it.  What the steps of
the beginning write need not be symmetric, as the initial states need not be (detect.py): nothing leads back to them.
Let B be commands that are the only ones enabled in the states from which they start, and that can never be enabled
again.  If g keeps all other commands and the properties, and maps every state before the end of B to itself, then the
run from g's image of what B leads to is isomorphic to the run from there; so every property that g keeps has one
verdict, and a search may go on from the representative.

**For the proof only**: engines run the commands as they are written.  The System that is proved starts where B ends;
the states before are written down in a command that never runs, so that what keeps it keeps each of them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from quorbit.detection.steps.ways import conjuncts
from quorbit.groups.group import Group, orbits
from quorbit.model.meaning.evaluate import Fault, Meaning, Move
from quorbit.model.specialise.start import write_state
from quorbit.model.system.command import Command, assignments_in
from quorbit.model.system.expression import FALSE, TRUE, Apply, Literal, Operator, Read
from quorbit.model.system.system import State, System

__all__ = ["BEFORE", "after_the_beginning", "leaves_processes_apart"]

MOST_STAGES = 100  # states before the end of the beginning
PROCESS = "process"
BEFORE = "the states before the beginning ends"  # the label of what keeps them


def leaves_processes_apart(system: System, group: Group) -> bool:
    """Whether processes of one kind are in several orbits, so that a larger group could be found."""
    kinds = [system.atoms[orbit[0]].colour for orbit in orbits(group) if system.atoms[orbit[0]].sort == PROCESS]
    return len(set(kinds)) < len(kinds)


def after_the_beginning(grounded: System, states: tuple[State, ...] | None = None) -> System | None:
    """The System from where its beginning ends, with the states before that kept; None if no step runs only once.

    ``states``: the initial states, where they are known."""
    if any(command.parameters for command in grounded.start):
        return None
    meaning = Meaning(grounded)
    ends = list(meaning.initial_states() if states is None else states)
    before: list[State] = []
    once: list[int] = []
    while len(ends) == 1 and len(before) < MOST_STAGES:
        moves = first_moves(meaning, ends[0])
        fired = list(dict.fromkeys(move.firings[0].command for move in moves))
        targets = list(dict.fromkeys(move.target for move in moves))
        if not fired or not all(is_over(grounded, number, once, targets) for number in fired):
            break
        before.append(ends[0])
        once += fired
        ends = targets
    if not before:
        return None
    kept = [command for number, command in enumerate(grounded.commands) if number not in once]
    kept.append(Command(BEFORE, FALSE, tuple(write_state(grounded, s) for s in before)))  # in order: each of them
    start = tuple(Command("start", TRUE, (write_state(grounded, s),)) for s in ends)
    return replace(grounded, commands=tuple(kept), start=start)


def first_moves(meaning: Meaning, s: State) -> list[Move]:
    """The moves from a state, if each is of one command and goes well; else none."""
    try:
        moves = [] if meaning.is_transient(s) else list(meaning.moves(s))
    except Fault:
        return []
    return [] if any(move.violation or len(move.firings) != 1 for move in moves) else moves


def is_over(system: System, number: int, earlier: list[int], states: list[State]) -> bool:
    """Whether a command cannot run in or after these states: it asks for a value that some place does not hold there,
    and that no command but the earlier ones, which are over, writes there."""
    for e in conjuncts(system.commands[number].guard):
        match e:
            case Apply(Operator.EQUAL, (Read() as place, Literal() as value)):
                at = system.index.get(address_of(place))
                others = (c for k, c in enumerate(system.commands) if k not in earlier)
                if at is None or any(s[at] == value.value for s in states):
                    continue
                if not any(may_write(c, place, value) for c in others):
                    return True
    return False


def address_of(place: Read) -> Any:
    """Where a place is; an address that is computed is nowhere."""
    owners = tuple(e.value if isinstance(e, Literal) else None for e in place.owners)
    return place.variable, owners, tuple(e.value if isinstance(e, Literal) else None for e in place.indices)


def may_write(command: Command, place: Read, value: Literal) -> bool:
    """Whether a command may write a value to a place, as far as a glance tells."""
    return any(
        not (isinstance(a.value, Literal) and a.value.value != value.value)
        for a in assignments_in(command.effect)
        if a.target.variable == place.variable and not are_apart(a.target, place)
    )


def are_apart(a: Read, b: Read) -> bool:
    """Whether two addresses of one variable are plainly different."""
    pairs = zip((*a.owners, *a.indices), (*b.owners, *b.indices), strict=True)
    return any(isinstance(x, Literal) and isinstance(y, Literal) and x.value != y.value for x, y in pairs)
