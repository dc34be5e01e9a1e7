"""The moves from a state: all of them where they can be listed, else some drawn at random.

A circuit with sixty inputs has 2^60 moves from every state; a walk needs one of them.

Short names: s a state; env the values of the bound parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from quorbit.model.meaning.evaluate import Env, Firing, Meaning
from quorbit.model.meaning.operators import sorted_elements
from quorbit.model.system.command import Command
from quorbit.model.system.expression import Apply, Atoms, Domain, Elements, Fresh, Interval, Operator
from quorbit.model.system.system import State
from quorbit.model.system.types import Value, default

__all__ = ["pick_number"]

MOST_LISTED = 20_000  # values of parameters that are looked at one by one
MOST_TRIES = 10_000  # draws before we say that none was found
MOST_DRAWN = 20  # moves offered where not all can be listed


def find_choices(meaning: Meaning, s: State, random: Random) -> tuple[list[Firing], bool]:
    """The commands that can run in s, and whether these are all; raises Fault where a guard has no value."""
    commands = meaning.system.commands
    if not is_flat(commands) or is_listable(meaning, commands, s):
        return meaning.enabled(s), True
    drawn = (draw(meaning, s, random) for _ in range(MOST_DRAWN))
    return list(dict.fromkeys(firing for firing in drawn if firing is not None)), False


def can_run(meaning: Meaning, s: State, firing: Firing) -> bool:
    """Whether a command can run in s with these values; Fault where a guard has no value."""
    commands = meaning.system.commands
    if not is_flat(commands) or is_listable(meaning, commands, s):
        return firing in meaning.enabled(s)
    command = commands[firing.command]
    if len(firing.binding) != len(command.parameters):
        return False
    env: Env = {}
    for parameter, value in zip(command.parameters, firing.binding, strict=True):
        if not is_possible(meaning, parameter.name, parameter.domain, value, s, env):
            return False
        env[parameter.name] = value
    return meaning.holds(command.guard, s, env)


def is_possible(meaning: Meaning, name: str, domain: Domain, value: Value, s: State, env: Env) -> bool:
    if isinstance(domain, Elements) and isinstance(domain.set, Apply) and domain.set.operator is Operator.POWERSET:
        whole = meaning.value_of(domain.set.operands[0])(s, env)
        return isinstance(value, frozenset) and value <= whole
    return value in meaning.domain_values(name, domain, s, env)


def find_starts(meaning: Meaning, random: Random) -> tuple[list[State], bool]:
    """The initial states, and whether these are all."""
    system = meaning.system
    blank = tuple(default(place.type) for place in system.places)
    if is_listable(meaning, system.start, blank):
        return meaning.initial_states(), True
    found: dict[State, None] = {}
    for _ in range(MOST_DRAWN):
        command = pick(random, system.start)
        if (env := draw_binding(meaning, command, blank, random)) is not None:
            found[meaning.run_effect(command, blank, env)] = None
    return list(found), False


def pick(random: Random, options: Sequence[Command]) -> Command:
    return options[pick_number(random, len(options))]


def pick_number(random: Random, count: int) -> int:
    """One of 0..count-1; of all that the library offers only ``random()`` is promised to stay as it is."""
    return min(int(random.random() * count), count - 1)


def is_flat(commands: tuple[Command, ...]) -> bool:
    """No command hides another."""
    return len({(command.rank, command.turn) for command in commands}) < 2


def is_listable(meaning: Meaning, commands: tuple[Command, ...], s: State) -> bool:
    total = 0
    for command in commands:
        count = 1
        for parameter in command.parameters:
            count *= domain_size(meaning, parameter.domain, s)
        total += count
    return total <= MOST_LISTED


def domain_size(meaning: Meaning, domain: Domain, s: State) -> int:
    """How many values a parameter has; 1 where only earlier parameters tell."""
    match domain:
        case Atoms(atoms):
            return len(atoms)
        case Interval(low, high):
            return max(0, high - low + 1)
        case Fresh():
            return 1
        case Elements(set=Apply(Operator.POWERSET, (inner,))):
            return 1 << size_of(meaning, Elements(inner, domain.type), s)
        case Elements():
            return size_of(meaning, domain, s)


def size_of(meaning: Meaning, domain: Elements, s: State) -> int:
    try:
        return len(meaning.value_of(domain.set)(s, {}))
    except KeyError:
        return 1


def draw(meaning: Meaning, s: State, random: Random) -> Firing | None:
    """A command that can run with values of its parameters; None if many tries found none."""
    commands = meaning.system.commands
    for _ in range(len(commands)):
        c = pick_number(random, len(commands))
        if (env := draw_binding(meaning, commands[c], s, random)) is not None:
            return Firing(c, tuple(env[p.name] for p in commands[c].parameters))
    return None


def draw_binding(meaning: Meaning, command: Command, s: State, random: Random) -> Env | None:
    guard = meaning.value_of(command.guard)
    for _ in range(MOST_TRIES):
        env: Env = {}
        for parameter in command.parameters:
            value = draw_value(meaning, parameter.name, parameter.domain, s, env, random)
            if value is None:
                return None
            env[parameter.name] = value
        if guard(s, env):
            return env
    return None


def draw_value(meaning: Meaning, name: str, domain: Domain, s: State, env: Env, random: Random) -> Value | None:
    if isinstance(domain, Elements) and isinstance(domain.set, Apply) and domain.set.operator is Operator.POWERSET:
        whole = meaning.value_of(domain.set.operands[0])(s, env)
        return frozenset(x for x in sorted_elements(whole) if random.random() < 0.5)
    values = list(meaning.domain_values(name, domain, s, env))
    return values[pick_number(random, len(values))] if values else None
