"""Take what never changes out of the state: variables that no command writes become definitions.

Parameters of processes, tables, B constants with one value: they need no room in a state, and how they are written down
does not hide a symmetry (``run lb(s1, s2)`` and ``run lb(s2, s1)`` may do the same).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from quorbit.model.meaning.evaluate import Fault, Meaning, Move
from quorbit.model.specialise.possible import Possible, literal_values
from quorbit.model.specialise.start import Started, cut_down
from quorbit.model.system.command import Branch, Command, Loop, Pick, Require, Step, Together, assignments_in
from quorbit.model.system.expression import Elements, Expr, Literal, Read, Use
from quorbit.model.system.once import Once
from quorbit.model.system.properties import changed_property, property_expressions
from quorbit.model.system.system import Definition, State, System, Variable, places_of
from quorbit.model.system.types import Value
from quorbit.model.system.walk import expressions_of, map_command, map_parts, parts, walk

__all__ = ["is_never_again", "only_move"]

Constant = dict[tuple[tuple[int, ...], tuple[int, ...]], Value]  # by owners and indices
MOST_FIRST_MOVES = 300  # that are looked at


def extract_constants(started: Started) -> Started:
    """The same System with its constant variables as definitions."""
    system, values = started.system, constant_values(started)
    if not values:
        return started

    def change(e: Expr) -> Expr:
        e = map_parts(e, change)
        if isinstance(e, Read) and e.variable in values:
            return Use(name_at(e.variable, literal_values(e.indices) or ()), e.owners, e.span)
        return e

    constants = [variable for variable in system.variables if variable.name in values]
    smaller = replace(
        system,
        variables=tuple(variable for variable in system.variables if variable.name not in values),
        commands=tuple(map_command(without_constants(c, set(values)), change) for c in system.commands),
        start=tuple(without_constants(command, set(values)) for command in system.start),
        definitions=(
            *(replace(d, body=change(d.body)) for d in system.definitions),
            *(definition for variable in constants for definition in definitions_of(variable, values[variable.name])),
        ),
        properties=tuple(changed_property(p, change) for p in system.properties),
        transient=change(system.transient),
    )
    return cut_down(started, smaller)


def constant_values(started: Started) -> dict[str, Constant]:
    """The variables that never change, with their values by owners and indices.

    What every first move writes counts as there from the start, if nothing can tell: that is how an init process gives
    its children their arguments."""
    if started.states is None:
        return {}
    system, initial = started.system, started.states
    meaning = Meaning(system)
    always = unchanging(system, set(), initial)
    first = first_moves(system, initial, meaning)
    if not first:
        return always
    once = {firing.command for move in first for firing in move.firings}
    later = unchanging(system, once, [move.target for move in first])
    if later == always or not is_never_again(system, *first):
        return always
    return later if still_first(meaning, later, initial[0], first) else always


def may_have_constants(started: Started) -> bool:
    """Whether a glance leaves it open: a variable that nothing writes, or only what can run at once, where the start is
    one state."""
    system, states = started.system, started.states or ()
    writers: dict[str, set[int]] = {v.name: set() for v in system.variables}
    for c, command in enumerate(system.commands):
        for target in targets(command):
            writers[target.variable].add(c)
    meaning, begin = Meaning(system), dict[int, bool]()

    def is_first(c: int) -> bool:
        if c not in begin:
            begin[c] = len(states) == 1 and can_begin(meaning, c, states[0])
        return begin[c]

    names = {name for name, by in writers.items() if all(map(is_first, sorted(by)))}
    names = names - read_early(system, set()) if names else names
    plain = any(not system.variable[name].shape for name in names)
    return plain or (bool(names) and not names <= indexed_by_value(system))


def can_begin(meaning: Meaning, c: int, s: State) -> bool:
    """Whether the guard of command c holds in the initial state for some values of its parameters."""
    try:
        return next(meaning.bindings(meaning.system.commands[c], s), None) is not None
    except Fault:
        return False


def unchanging(system: System, once: set[int], starts: Sequence[State]) -> dict[str, Constant]:
    """The variables that have one value in these states and that only the commands in ``once`` write."""
    later = [command for c, command in enumerate(system.commands) if c not in once]
    written = {target.variable for command in later for target in targets(command)}
    seen = read_early(system, once)
    found = {}
    for variable in system.variables:
        if variable.name in written or variable.name in seen:
            continue
        places = {(p.owners, p.indices): system.index[p.address] for p in places_of(variable)}
        if starts and all(s[i] == starts[0][i] for i in places.values() for s in starts):
            found[variable.name] = {at: starts[0][i] for at, i in places.items()}
    computed = indexed_by_value(system) if any(system.variable[name].shape for name in found) else set()
    return {name: values for name, values in found.items() if name not in computed}


def indexed_by_value(system: System) -> set[str]:
    """The arrays of which a slot is read that is not written down; a definition has owners only."""
    looked_at = [e for command in system.commands for e in values_looked_at(command)]
    looked_at += [d.body for d in system.definitions]
    reads = (part for e in looked_at for part in walk(e) if isinstance(part, Read) and part.indices)
    return {e.variable for e in reads if not is_inside(system, e)}


def is_inside(system: System, e: Read) -> bool:
    """Whether the indices are written down and in range."""
    indices = literal_values(e.indices)
    shape = system.variable[e.variable].shape
    return indices is not None and all(
        isinstance(k, int) and 0 <= k < size for k, size in zip(indices, shape, strict=True)
    )


def only_move(system: System, initial: Sequence[State]) -> Move | None:
    """The only move from the only initial state."""
    moves = first_moves(system, initial, Meaning(system))
    return moves[0] if len(moves) == 1 else None


def first_moves(system: System, initial: Sequence[State], meaning: Meaning) -> list[Move]:
    """All moves from the only initial state; none if they are too many or one of them goes wrong.

    Commands that choose from sets are not looked at: they may have very many moves."""
    chosen = (p.domain for command in system.commands for p in command.parameters)
    if len(initial) != 1 or any(isinstance(domain, Elements) for domain in chosen):
        return []
    if meaning.guard_fault(initial[0]) is not None or len(meaning.enabled(initial[0])) > MOST_FIRST_MOVES:
        return []
    moves = list(islice(meaning.moves(initial[0]), MOST_FIRST_MOVES + 1))
    return moves if len(moves) <= MOST_FIRST_MOVES and all(move.violation is None for move in moves) else []


def is_never_again(system: System, *moves: Move) -> bool:
    """Whether the commands of these moves, all that the initial state has, cannot run after them."""
    targets = [move.target for move in moves]
    once = dict.fromkeys(firing.command for move in moves for firing in move.firings)
    return any(
        not any(map(Possible(system, targets, roughly).can_run, once)) for roughly in (True, False)
    )  # a rough look is often enough


def read_early(system: System, once: set[int]) -> set[str]:
    """The variables that are looked at by the start, the first move, properties or what is transient."""
    looked_at = [e for command in system.start for e in values_written(command)]
    for command in (system.commands[c] for c in once):
        looked_at += values_looked_at(command)
    looked_at.append(system.transient)
    looked_at += [e for p in system.properties for e in property_expressions(p)]
    return {part.variable for e in looked_at for part in walk(e) if isinstance(part, Read)}


def still_first(meaning: Meaning, found: dict[str, Constant], s: State, first: list[Move]) -> bool:
    """Whether the first moves are still the same when the constants have their values already.

    No command of a first move looks at the constants, so moves of one command lead to the same states."""
    changed = with_values(meaning.system, s, found)
    if all(len(move.firings) == 1 for move in first):
        return meaning.enabled(changed) == [move.firings[0] for move in first]
    return list(islice(meaning.moves(changed), len(first) + 1)) == first


def with_values(system: System, s: State, found: dict[str, Constant]) -> State:
    """The state in which some variables have these values."""
    changed = list(s)
    for i, place in enumerate(system.places):
        if place.variable in found:
            changed[i] = found[place.variable][place.owners, place.indices]
    return tuple(changed)


def targets(command: Command) -> list[Read]:
    return [a.target for a in assignments_in(command.effect)]


def values_written(command: Command) -> list[Expr]:
    return [a.value for a in assignments_in(command.effect)]


def values_looked_at(command: Command) -> Iterator[Expr]:
    """What a command reads: of the places that it writes only the way to them."""
    written = {id(target) for target in targets(command)}
    for e in expressions_of(command):
        yield from parts(e) if id(e) in written else (e,)


def definitions_of(variable: Variable, values: Constant) -> list[Definition]:
    return [
        Definition(name_at(variable.name, indices), Literal(value, variable.type), owners, variable.span)
        for (owners, indices), value in values.items()
    ]


def name_at(variable: str, indices: Sequence[Value]) -> str:
    return variable + "".join(f"[{k}]" for k in indices)


def without_constants(command: Command, names: set[str]) -> Command:
    go: Once[Step, Step] = Once(lambda step: step_without(step, names, go))
    return replace(command, effect=tuple(map(go, command.effect)))


def step_without(step: Step, names: set[str], go: Callable[[Step], Step]) -> Step:
    match step:
        case Together(assignments):
            return Together(tuple(a for a in assignments if a.target.variable not in names))
        case Branch(test, then, other, span):
            return Branch(test, tuple(map(go, then)), tuple(map(go, other)), span)
        case Loop() | Pick():
            return replace(step, body=tuple(map(go, step.body)))
        case Require():
            return step
