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

from quorbit.detection.steps.room import ROOM
from quorbit.groups.group import Group, orbits
from quorbit.model.meaning.evaluate import Fault, Meaning, Move
from quorbit.model.specialise.possible.addresses import static_address
from quorbit.model.specialise.start import write_state
from quorbit.model.system.command import Assign, Command, assignments_in
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Expr,
    Literal,
    Operator,
    Read,
    atom,
    conjuncts_of,
    disjunction,
    number,
)
from quorbit.model.system.system import PROCESS, State, System
from quorbit.source.frozen import replace

__all__ = ["BEFORE", "after_the_beginning", "is_record"]

MOST_STAGES = 100  # states before the end of the beginning
BEFORE = "the states before the beginning ends"  # the label of what keeps them
VALUES = "the values of a place after the beginning"


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
        if not fired or not all(is_over(meaning, number, targets, once) for number in fired):
            break
        before.append(ends[0])
        once += fired
        ends = targets
    if not before:
        return None
    kept = [command for number, command in enumerate(grounded.commands) if number not in once]
    kept.append(Command(BEFORE, FALSE, tuple(write_state(grounded, s) for s in before)))  # in order: each of them
    kept += told_values(grounded, kept, ends)
    start = tuple(Command("start", TRUE, (write_state(grounded, s),)) for s in ends)
    return replace(grounded, commands=tuple(kept), start=start)


def is_record(command: Command) -> bool:
    """Whether a command is one of those that never run and only say what is to be kept."""
    return command.label in (BEFORE, VALUES, ROOM)


def told_values(system: System, commands: list[Command], ends: list[State]) -> list[Command]:
    """Commands that never run and say of each place which values it has from now on, where a glance tells.

    A permutation that does not map these to each other carries no reachable state into another one that is not the same
    already, as when processes have numbers for good that it does not move: it would be an order without an effect."""
    written: dict[str, list[Assign]] = {}
    for a in (a for command in commands for a in assignments_in(command.effect)):
        written.setdefault(a.target.variable, []).append(a)
    told = []
    for k, place in enumerate(system.places):
        here = Read(place.variable, tuple(map(atom, place.owners)), tuple(map(number, place.indices)))
        found = [a.value for a in written.get(place.variable, ()) if not are_apart(a.target, here)]
        if all(isinstance(value, Literal) for value in found):
            values = [*found, *(Literal(value, place.type) for value in dict.fromkeys(s[k] for s in ends))]
            asked: list[Expr] = [Apply(Operator.EQUAL, (here, value)) for value in values]
            told.append(Command(VALUES, Apply(Operator.AND, (FALSE, disjunction(asked)))))
    return told


def first_moves(meaning: Meaning, s: State) -> list[Move]:
    """The moves from a state, if each is of one command and goes well; else none."""
    if meaning.is_transient(s):
        return []
    moves = []
    try:
        for firing in meaning.enabled(s):
            t, violation = meaning.fire(s, firing)
            if violation or meaning.is_transient(t):  # a chain is not followed: it may have very many ways, or no end
                return []
            moves.append(Move((firing,), t))
    except Fault:
        return []
    return moves


def is_over(meaning: Meaning, number: int, after: list[State], earlier: list[int]) -> bool:
    """Whether a command asks for a value of some place that is gone in all states after the steps of a state, and that
    no command but the earlier ones, which never run again, may write there: it was possible once, whoever ran."""
    system = meaning.system
    others = [c for k, c in enumerate(system.commands) if k not in earlier]
    for e in conjuncts_of(system.commands[number].guard):
        match e:
            case Apply(Operator.EQUAL, (Read() as place, Literal() as value)) if static_address(place) is not None:
                is_gone = not any(meaning.may_hold(e, s) for s in after)
                if is_gone and not any(may_write(c, place, value) for c in others):
                    return True
    return False


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
