"""Take what never changes out of the state: variables that no command writes become definitions.

Parameters of processes, tables, B constants with one value: they need no room in a state, and how they are written down
does not hide a symmetry (``run lb(s1, s2)`` and ``run lb(s2, s1)`` may do the same).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence, Set
from functools import cached_property
from itertools import islice

from quorbit.model.meaning.evaluate import Fault, Meaning, Move
from quorbit.model.specialise.possible.addresses import literal_values, static_address
from quorbit.model.specialise.possible.run import Possible, forgotten_at_start
from quorbit.model.specialise.start import Started, cut_down
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together, assignments_in
from quorbit.model.system.expression import TRUE, Apply, Elements, Expr, Literal, Operator, Read, Use, conjuncts_of
from quorbit.model.system.once import Once
from quorbit.model.system.properties import changed_property, property_expressions
from quorbit.model.system.system import Address, Definition, State, System, Variable, places_of
from quorbit.model.system.types import Value
from quorbit.model.system.walk import expressions_of, map_command, map_parts, parts, walk
from quorbit.source.frozen import frozen, replace

__all__ = ["first_moves", "is_never_again", "only_move"]

Constant = dict[tuple[tuple[int, ...], tuple[int, ...]], Value]  # by owners and indices
Computed = Once[System, set[str]]  # the arrays of a System of which a slot is read that is not written down
MOST_FIRST_MOVES = 300  # that are looked at
LONGEST_FIRST_MOVE = 10_000  # steps; of a longer one we do not know whether it ends
MOST_STEPS = 16  # of a beginning


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
    meaning, computed = Meaning(system), Once(indexed_by_value)
    always = {**unchanging(system, set(), initial, computed), **written_once(started, computed)}
    again: set[int] = set()  # what may run after a beginning may run after a shorter one, which leads there
    after = Later(started)
    for begun in beginnings(system, initial, meaning):
        later = {**unchanging(system, begun.commands, [move.target for move in begun.last], computed), **always}
        if later == always or begun.commands & again:
            continue
        again |= after.may_run(begun.commands, [move.target for move in begun.last])
        if not begun.commands & again and begun.is_same_with(later):
            return later
    return always


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
    computed = Once(indexed_by_value)
    return plain or (bool(names) and not names <= computed(system)) or bool(written_once(started, computed))


def can_begin(meaning: Meaning, c: int, s: State) -> bool:
    """Whether the guard of command c holds in the initial state for some values of its parameters."""
    if meaning.system.commands[c].guard == TRUE and meaning.system.synchronous:
        return True  # a clock ticks whatever the inputs are, and these are too many to list
    try:
        return next(meaning.bindings(meaning.system.commands[c], s), None) is not None
    except Fault:
        return False


def unchanging(system: System, once: set[int], starts: Sequence[State], computed: Computed) -> dict[str, Constant]:
    """The variables that have one value in these states and that only the commands in ``once`` write, but for values
    that nobody reads."""
    later = [command for c, command in enumerate(system.commands) if c not in once]
    written = {a.target.variable for command in later for a in assignments_in(command.effect) if not is_forgetful(a)}
    seen = read_early(system, once)
    found = {}
    for variable in system.variables:
        if variable.name in written or variable.name in seen:
            continue
        places = {(p.owners, p.indices): system.index[p.address] for p in places_of(variable)}
        if starts and all(s[i] == starts[0][i] for i in places.values() for s in starts):
            found[variable.name] = {at: starts[0][i] for at, i in places.items()}
    return without_computed(system, found, computed)


def written_once(started: Started, computed: Computed) -> dict[str, Constant]:
    """The variables of which every place has one value only whenever somebody reads it: what a process gets when it is
    created, and nobody reads what it holds before and after that."""
    system = started.system
    assignments = [a for command in (*system.commands, *system.start) for a in assignments_in(command.effect)]
    names = {a.target.variable for a in assignments if is_forgetful(a)}
    if not names or started.states is None or len(started.states) != 1:
        return {}
    found: dict[str, dict[Address, Value]] = {name: {} for name in names}
    for a in assignments:
        at, values = static_address(a.target), found.get(a.target.variable)
        if values is None or is_forgetful(a):
            continue
        if at is None or not isinstance(a.value, Literal) or values.setdefault(at, a.value.value) != a.value.value:
            del found[a.target.variable]
    known = {name: with_start(system, name, values, started.states[0]) for name, values in found.items()}
    return without_computed(system, {name: values for name, values in known.items() if values is not None}, computed)


def with_start(system: System, name: str, written: dict[Address, Value], s: State) -> Constant | None:
    """The values of a variable of which these are written later; None if a place begins with another one that somebody
    may read."""
    forgotten, values = forgotten_at_start(system), Constant()
    for place in places_of(system.variable[name]):
        first = s[system.index[place.address]]
        value = values[place.owners, place.indices] = written.get(place.address, first)
        if value != first and place.address not in forgotten:
            return None
    return values


def without_computed(system: System, found: dict[str, Constant], computed: Computed) -> dict[str, Constant]:
    """Without arrays of which a slot is read that is not written down."""
    left_out = computed(system) if any(system.variable[name].shape for name in found) else set()
    return {name: values for name, values in found.items() if name not in left_out}


def is_forgetful(a: Assign) -> bool:
    """Whether nobody reads what is written: another value may be put in its place."""
    return a.forgets and isinstance(a.value, Literal)


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


@frozen
class Beginning:
    """How every run begins: states, each with all its moves; but for the last one there is only one."""

    meaning: Meaning
    levels: tuple[tuple[State, list[Move]], ...]

    @property
    def last(self) -> list[Move]:
        return self.levels[-1][1]

    @cached_property
    def commands(self) -> set[int]:
        return {firing.command for _, moves in self.levels for move in moves for firing in move.firings}

    def is_same_with(self, found: dict[str, Constant]) -> bool:
        """Whether the moves are still the same when these variables have their values already."""
        return all(still_first(self.meaning, found, s, moves) for s, moves in self.levels)


def beginnings(system: System, initial: Sequence[State], meaning: Meaning) -> list[Beginning]:
    """All beginnings, the longest first."""
    levels: list[tuple[State, list[Move]]] = []
    fired: set[int] = set()
    states = initial
    while len(levels) < MOST_STEPS and (not levels or has_one_way(meaning, states[0])):
        moves = first_moves(system, states, meaning)
        commands = {firing.command for move in moves for firing in move.firings}
        if not moves or commands & fired:
            break
        fired |= commands
        levels.append((states[0], moves))
        if len(moves) > 1:
            break
        states = [moves[0].target]
    return [Beginning(meaning, tuple(levels[:n])) for n in range(len(levels), 0, -1)]


def has_one_way(meaning: Meaning, s: State) -> bool:
    """Whether one command can run at most, for one choice of its parameters; ranks are not looked at."""
    ways = (True for command in meaning.system.commands for _ in meaning.bindings(command, s))
    try:
        return len(list(islice(ways, 2))) < 2
    except Fault:
        return False


def first_moves(system: System, initial: Sequence[State], meaning: Meaning) -> list[Move]:
    """All moves from the only initial state; none if they are too many or one of them goes wrong.

    Commands that choose from sets are not looked at: they may have very many moves."""
    chosen = (p.domain for command in system.commands for p in command.parameters)
    if len(initial) != 1 or any(isinstance(domain, Elements) for domain in chosen):
        return []
    if meaning.guard_fault(initial[0]) is not None or len(meaning.enabled(initial[0])) > MOST_FIRST_MOVES:
        return []
    moves: list[Move] = []
    for move in meaning.moves(initial[0], LONGEST_FIRST_MOVE):
        if move.violation is not None or len(moves) == MOST_FIRST_MOVES:
            return []
        moves.append(move)
    return moves


def is_never_again(started: Started, *moves: Move) -> bool:
    """Whether the commands of these moves, all that the initial state has, cannot run after them."""
    once = {firing.command for move in moves for firing in move.firings}
    return not Later(started).may_run(once, [move.target for move in moves])


class Later:
    """Which commands may run in or after some states of a System."""

    def __init__(self, started: Started) -> None:
        self.started = started

    @cached_property
    def close(self) -> Possible:
        return Possible(self.started.outline)

    def may_run(self, commands: Set[int], states: list[State]) -> set[int]:
        """Those of the commands that may run in or after these states.  Requires: these lead to all states that were
        asked about before, of which what was seen is kept."""
        found = without_those_over(self.started.system, set(commands), states)
        if found:
            self.close.begin_also(states)
            found = set(filter(self.close.can_run, found))
        return found


def without_those_over(system: System, commands: set[int], states: list[State]) -> set[int]:
    """The commands but for those that ask for a value which is gone and which nobody else writes, as a glance tells."""
    writers: dict[str, list[tuple[int, Assign]]] = {}
    for c, command in enumerate(system.commands):
        for a in assignments_in(command.effect):
            writers.setdefault(a.target.variable, []).append((c, a))

    def is_over(command: Command) -> bool:
        for address, value in first_asked(command.guard):
            gone = address in system.index and all(s[system.index[address]] != value for s in states)
            written = (c for c, a in writers.get(address[0], ()) if not is_other(a.value, value))
            if gone and all(c in over for c in written):
                return True
        return False

    over: set[int] = set()
    while new := {c for c in commands - over if is_over(system.commands[c])}:
        over |= new
    return commands - over


def first_asked(guard: Expr) -> Iterator[tuple[Address, Value]]:
    """The places of which a guard asks for a value, before it asks anything else, which might fail."""
    for e in conjuncts_of(guard):
        match e:
            case Apply(Operator.EQUAL, (Read() as place, Literal(value))) if (
                address := static_address(place)
            ) is not None:
                yield address, value
            case _:
                return


def is_other(e: Expr, value: Value) -> bool:
    return isinstance(e, Literal) and e.value != value


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
