"""The commands that begin: in many models one process creates all others, and nothing else can happen before.

If only one command can run in the initial states, and it asks for a value of a place that it changes and that no
command ever brings back, then it runs in initial states only: never in the same state as another command, and never in
the middle of an atomic section.  The same is true of the command that alone can run after it, and so on; of what runs
once, nothing can bring a value back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from quorbit.groups.permutation import Permutation
from quorbit.model.dependence.access import Reader
from quorbit.model.dependence.chains import pins_of
from quorbit.model.dependence.split import flat_conjuncts
from quorbit.model.meaning.evaluate import Fault, Meaning
from quorbit.model.meaning.permute import permute_state
from quorbit.model.system.command import Together, assignments_in, parameters_of
from quorbit.model.system.expression import Literal
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Value

MOST_MOVES = 16  # of one command that are followed


def beginning(reader: Reader, generators: Sequence[Permutation] = ()) -> frozenset[int]:
    """The numbers of these commands.  None are known where generators move the start: what is first in one image of it
    may come later in another."""
    system, meaning = reader.system, Meaning(reader.system)
    if any(command.parameters for command in system.start):
        return frozenset()  # there may be very many initial states
    states = frozenset(meaning.initial_states())
    if any(permute_state(system, g, s) not in states for g in generators for s in states):
        return frozenset()
    found: set[int] = set()
    while len(runs := can_run(meaning, states)) == 1:
        (first,) = runs
        if not runs_once(reader, first, found):
            break
        found.add(first)
        states = after(meaning, states)
    return frozenset(found)


def can_run(meaning: Meaning, states: Iterable[State]) -> set[int]:
    """The commands that can run in some of the states; none if a guard cannot be evaluated."""
    try:
        return {firing.command for s in states for firing in meaning.enabled(s)}
    except Fault:
        return set()


def after(meaning: Meaning, states: Iterable[State]) -> frozenset[State]:
    """The states to which the only command leads; none if something is wrong there, others follow it at once, or the
    states are many."""
    moves = list(islice((move for s in states for move in meaning.moves(s, longest=0)), MOST_MOVES))
    is_known = len(moves) < MOST_MOVES and all(move.violation is None for move in moves)
    return frozenset(move.target for move in moves) if is_known else frozenset()


def runs_once(reader: Reader, first: int, over: set[int]) -> bool:
    """Whether a command can never run again, once it has; nor can those that are over."""
    pins = pins_of(reader, tuple(flat_conjuncts(reader.system.commands[first].guard)))
    return any(never_again(reader, i, value, first, over) for i, values in pins.items() for value in values)


def never_again(reader: Reader, i: int, value: Value, first: int, over: set[int]) -> bool:
    """Whether the first command takes this value from the place and nothing gives it back."""
    system = reader.system
    return writes_others(reader, system, first, i, value) is True and all(
        writes_others(reader, system, c, i, value) is not False for c in range(len(system.commands)) if c not in over
    )


def writes_others(reader: Reader, system: System, c: int, i: int, value: Value) -> bool | None:
    """Whether a command gives the place another value; False: perhaps this one, None: it does not write it."""
    command, answer = system.commands[c], None
    domains = {p.name: p.domain for p in parameters_of(command)}
    for step in command.effect:
        for a in assignments_in((step,)):
            if i in reader.targets(a.target, domains):
                is_other = isinstance(a.value, Literal) and a.value.value != value
                is_sure = isinstance(step, Together) and reader.static(a.target) == i
                answer = is_other and is_sure and answer is not False
    return answer
