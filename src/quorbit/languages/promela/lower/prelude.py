"""Processes that are all created before anything else can happen.

Most models start their processes in an atomic section of init, perhaps with loops, or have no run at all.  Then the
processes are known: each has its number forever, its parameters are constants, and nothing of the text that created
them is left to hide that they are alike.  The states on the way are kept where states are counted as SPIN does, since
it stores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from quorbit.languages.promela.lower.control_flow import Edge, Flow
from quorbit.languages.promela.lower.places import (
    COUNT,
    OWN_PID,
    OWNER,
    PID,
    PRIORITY,
    Placement,
    families,
    pc_name,
    place_program,
    positions,
)
from quorbit.languages.promela.lower.processes import is_forgotten
from quorbit.languages.promela.reduce.births import begins_with_births
from quorbit.languages.promela.reduce.reach import reachable, runs_in
from quorbit.languages.promela.reduce.unseen import is_unseen
from quorbit.model.meaning.evaluate import Env, Firing, Meaning, Move
from quorbit.model.system.command import Assign, Command, Performed, Together
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Expr,
    Literal,
    Operator,
    Read,
    atom,
    conjunction,
    equal,
    number,
)
from quorbit.model.system.system import Address, State, System, places_of
from quorbit.model.system.system import Variable as Family
from quorbit.model.system.types import INTEGER, NONE, AtomOf, Number, QueueOf, TupleOf, Type, Value, default
from quorbit.source.frozen import frozen, replace

__all__ = ["STAGE"]

MOST_WORK = 4_000_000  # instances of commands that are looked at before we take the processes as they come
FEW_ENDS = 64  # of a beginning: each becomes a command of its own
STAGE = "start stage"


@frozen
class Settled:
    """A placement with fixed processes; the states S0 .. Sn of the beginning as values of its places, and all that may
    come after Sn (nothing if Sn is already the end of the beginning)."""

    placement: Placement
    stages: tuple[dict[Address, Value], ...]
    ends: tuple[dict[Address, Value], ...]
    starter: int  # the process that moves in the beginning
    performed: tuple[Performed, ...] = ()  # the statements of the beginning


@frozen
class Start:
    """A beginning: S0 .. Sn, each the only successor of the one before, the successors of Sn, the statements on the
    way, who performs them, and the proctypes of which processes may be created later."""

    stages: tuple[State, ...]
    ends: tuple[State, ...]
    performed: tuple[Performed, ...]
    movers: frozenset[Value]
    open_types: tuple[str, ...]

    @property
    def last(self) -> State:
        return (*self.stages, *self.ends)[-1]


class LeftOutMoves(Exception):
    """A process may move whose commands were left out."""


def settle(placement: Placement, system: System, left_out: Sequence[str] = ()) -> Settled:
    """The processes that are fixed after the longest run of one process that leaves the fewest to be created.
    ``left_out``: proctypes without their commands in the System."""
    for start in beginnings(placement, system, left_out):
        starter = starter_of(placement, system, start)
        if starter is not None:
            return settled_after(placement, system, start, starter)
    raise AssertionError("the initial state is a beginning")


def settled_after(placement: Placement, system: System, start: Start, starter: int) -> Settled:
    """``starter``: the process of the placement that moves in the beginning."""
    flows = live_flows(placement, system, start)
    counts = {name: len(kept_slots(placement, system, start, name)) for name in placement.flows}
    numbers = len(placement.channel_atoms) if placement.strangers else 0
    in_order = dict(enumerate(range(sum(counts.values()))))
    guess = place_program(placement.program, flows, counts, placement.count_like, in_order, numbers, placement.uses)
    translation: dict[int, int] = {NONE: NONE}
    for name in placement.flows:
        translation.update(zip(kept_slots(placement, system, start, name), guess.slots[name], strict=True))
    pids = {
        translation[slot]: number_at(system, start.last, PID, slot)
        for name in placement.flows
        if name not in start.open_types
        for slot in live(placement, system, start.last, name)
    }
    alive = {name: len(live(placement, system, start.last, name)) for name in placement.flows}
    unseen = placement.count_like == "own" and is_unseen(placement, flows, start.open_types, alive)
    fixed = place_program(placement.program, flows, counts, placement.count_like, pids, numbers, placement.uses, unseen)
    translation.update(channel_translation(placement, fixed, translation))
    return Settled(
        fixed,
        tuple(translate(system, fixed, s, translation) for s in stored_stages(placement, start)),
        tuple(translate(system, fixed, s, translation) for s in start.ends),
        translation[starter],
        start.performed,
    )


def stored_stages(placement: Placement, start: Start) -> tuple[State, ...]:
    """The states on the way, but for the first where we count ourselves and there is no formula that could speak of
    them: each has one successor, whoever moves, so nothing is decided in them."""
    program = placement.program
    told = program.formulas or any(p.role not in {"proctype", "init"} for p in program.proctypes)
    return start.stages if placement.count_like != "own" or told or not start.ends else start.stages[:1]


def kept_slots(placement: Placement, system: System, start: Start, name: str) -> tuple[int, ...]:
    """The processes of a type that are there, and where more can be created also those that are not."""
    return placement.slots[name] if name in start.open_types else tuple(live(placement, system, start.last, name))


class Beginning(Meaning):
    """The meaning of a System of processes; a command is looked at for the processes that stand where it begins."""

    def __init__(self, system: System, left_out: Sequence[str] = ()) -> None:
        super().__init__(system)
        self._left_out = {pc_name(name) for name in left_out}
        self._places = {id(command): place_of(command) for command in system.commands}
        self._pcs = [(i, p.variable, p.owners[0]) for i, p in enumerate(system.places) if p.variable.endswith("@")]
        self._owner = system.index.get((OWNER, (), ()))
        self._last_taken: tuple[State | None, dict[tuple[str, Value], list[int]]] = (None, {})

    def looked_at(self, s: State) -> Iterator[tuple[int, Iterator[Env]]]:
        if self._left_out and any(name in self._left_out and where for name, where in self.taken(s)):
            raise LeftOutMoves
        return ((c, self.bindings(command, s)) for c, command in enumerate(self.system.commands))

    def bindings(self, command: Command, s: State) -> Iterator[Env]:
        place = self._places.get(id(command))
        if place is None:
            return super().bindings(command, s)
        if self._last_taken[0] is not s:
            self._last_taken = s, self.taken(s)
        return self.bindings_of(command, self._last_taken[1].get(place, ()), s)

    def taken(self, s: State) -> dict[tuple[str, Value], list[int]]:
        """Who stands where, of those who may move."""
        owner = NONE if self._owner is None else s[self._owner]
        found: dict[tuple[str, Value], list[int]] = {}
        for i, name, slot in self._pcs:
            if owner in (NONE, slot):
                found.setdefault((name, s[i]), []).append(slot)
        return found

    def bindings_of(self, command: Command, slots: Iterable[int], s: State) -> Iterator[Env]:
        first, guard = command.parameters[0], self.value_of(command.guard)
        assert isinstance(first.domain, Atoms)
        for slot in slots:
            if slot in first.domain.atoms:
                yield from (env for env in self.environments(command, 1, s, {first.name: slot}) if guard(s, env))


def place_of(command: Command) -> tuple[str, Value] | None:
    """Where the process stands that the guard asks for first, if that is the first parameter."""
    first = command.parameters[0] if command.parameters else None
    match command.guard:
        case Apply(Operator.AND, (Apply(Operator.EQUAL, (Read(name, (Bound(who),)), Literal(where))), *_)):
            asked = name.endswith("@") and first is not None and who == first.name and isinstance(first.domain, Atoms)
            return (name, where) if asked else None
        case _:
            return None


def beginnings(placement: Placement, system: System, left_out: Sequence[str] = ()) -> list[Start]:
    """Where the beginning may end: the best first, and at least the initial state."""
    meaning = Beginning(system, left_out)
    states = meaning.initial_states()
    fired: dict[int, None] = {}
    movers: set[Value] = set()
    seen = set(states)
    cost, spent = looks_at(system) + sum(map(len, edges_of(placement, left_out))), 0
    found = [Start(tuple(states), (), (), frozenset(), open_types(placement, system, states[-1]))]
    while found[-1].open_types:
        births = len(states) == 1 and placement.count_like == "own" and begins_with_births(placement.program)
        moves = moves_from(placement, meaning, states[-1], births)
        targets = [move.target for move in moves]
        spent += cost * sum(len(move.firings) for move in moves)
        if spent > MOST_WORK or not is_plain_beginning(placement, system, states[-1], seen, moves):
            break
        firings = [firing for move in moves for firing in move.firings]
        fired.update(dict.fromkeys(firing.command for firing in firings))
        movers.update(firing.binding[0] for firing in firings if system.commands[firing.command].actors)
        left = open_types(placement, system, targets[0])
        if set(left) < set(found[-1].open_types):
            done = performed_by(system, fired)
            found.append(Start(tuple(states), tuple(targets), done, frozenset(movers), left))
        if len(targets) > 1 or meaning.is_transient(targets[0]):
            break
        states.append(targets[0])
        seen.add(targets[0])
    return found[::-1]


def moves_from(placement: Placement, meaning: Meaning, s: State, births: bool) -> list[Move]:
    """All moves from a state; where they are many, only what comes before the choice, if no process is started later.
    ``births``: only those of init."""
    system = meaning.system
    all_moves = (m for m in meaning.moves(s) if not births or actor_of(placement, system, m.firings[0]) == "init")
    moves = list(islice(all_moves, FEW_ENDS + 1))
    if len(moves) > FEW_ENDS:
        before = before_the_choice(placement, meaning, s, births)
        if before is not None and not open_types(placement, system, before.target):
            return [before]
    return [*moves, *all_moves]


def before_the_choice(placement: Placement, meaning: Meaning, s: State, births: bool) -> Move | None:
    """The steps from a stored state that have one way to go, into an atomic section and as far as its first choice."""
    done: list[Firing] = []
    while True:
        firings = meaning.enabled(s)
        if not done and births:
            firings = [f for f in firings if actor_of(placement, meaning.system, f) == "init"]
        if len(firings) != 1:
            return Move(tuple(done), s) if done else None
        t, violation = meaning.fire(s, firings[0])
        if violation is not None or not meaning.is_transient(t):
            return None
        done, s = [*done, firings[0]], t


def actor_of(placement: Placement, system: System, first: Firing) -> str:
    """The role of the process that moves first."""
    if not system.commands[first.command].actors:
        return ""
    name = next(name for name, slots in placement.slots.items() if first.binding[0] in slots)
    return placement.flows[name].proctype.role


def is_plain_beginning(placement: Placement, system: System, s: State, seen: set[State], moves: list[Move]) -> bool:
    """Whether all moves lead to the same processes, none ends or goes wrong, and nothing comes back."""
    targets = [move.target for move in moves]
    if not moves or any(move.violation is not None for move in moves) or targets[0] in seen:
        return False
    if any(number_at(system, t, COUNT) < number_at(system, s, COUNT) for t in targets):
        return False
    same = {(processes_in(placement, system, t), open_types(placement, system, t)) for t in targets}
    return len(same) == 1


def performed_by(system: System, commands: Iterable[int]) -> tuple[Performed, ...]:
    return tuple(replace(p, actor=0) for c in commands for p in system.commands[c].performs)


def bindings_of(system: System) -> int:
    """How many instances of commands there are."""
    return sum(map(instances_of, system.commands))


def looks_at(system: System) -> int:
    """How many instances of commands are looked at in one state: those of places where no process is cost one look."""
    return sum(1 if place_of(command) is not None else instances_of(command) for command in system.commands)


def edges_of(placement: Placement, names: Sequence[str]) -> Iterator[tuple[Edge, ...]]:
    """The edges of these proctypes, state by state: each becomes about one command."""
    return (edges for name in names for edges in placement.flows[name].edges.values())


def instances_of(command: Command) -> int:
    count = 1
    for parameter in command.parameters:
        count *= len(parameter.domain.atoms) if isinstance(parameter.domain, Atoms) else 1
    return count


def processes_in(placement: Placement, system: System, s: State) -> tuple[tuple[int, int], ...]:
    """The live processes with their numbers."""
    return tuple(
        (slot, number_at(system, s, PID, slot)) for name in placement.flows for slot in live(placement, system, s, name)
    )


def value_at(system: System, s: State, variable: str, *owners: int) -> Value:
    return s[system.index[variable, owners, ()]]


def number_at(system: System, s: State, variable: str, *owners: int) -> int:
    value = value_at(system, s, variable, *owners)
    assert isinstance(value, int)
    return value


def live(placement: Placement, system: System, s: State, name: str) -> list[int]:
    return [slot for slot in placement.slots[name] if value_at(system, s, pc_name(name), slot)]


def open_types(placement: Placement, system: System, s: State) -> tuple[str, ...]:
    """The proctypes of which some process, there or created later, can still start one."""
    found: dict[str, None] = {}
    waiting = [
        (name, {number_at(system, s, pc_name(name), slot) for slot in live(placement, system, s, name)})
        for name in placement.flows
    ]
    for name, states in waiting:
        flow = placement.flows[name]
        for run in (r for n in sorted(reachable(flow, states)) for e in flow.edges.get(n, ()) for r in runs_in(e)):
            if run.proctype not in found:
                found[run.proctype] = None
                waiting.append((run.proctype, {placement.flows[run.proctype].start}))
    return tuple(name for name in placement.flows if name in found)


def live_flows(placement: Placement, system: System, start: Start) -> dict[str, Flow]:
    """The flows, each with the states its processes can still be in."""
    flows: dict[str, Flow] = {}
    for name, flow in placement.flows.items():
        places = {
            number_at(system, s, pc_name(name), slot)
            for s in start.ends or start.stages[-1:]
            for slot in live(placement, system, s, name)
        }
        kept = reachable(flow, places | ({flow.start} if name in start.open_types else set()))
        edges = {n: edges for n, edges in flow.edges.items() if n in kept}
        flows[name] = replace(flow, edges=edges, entered=entered(placement, system, start, name))
    return flows


def entered(placement: Placement, system: System, start: Start, name: str) -> frozenset[int]:
    """Where a process of a type stands that is in control when the beginning ends."""
    owners = {value_at(system, s, OWNER) for s in start.ends} if placement.has_atomic else set()
    slots = [slot for slot in placement.slots[name] if slot in owners]
    return frozenset(number_at(system, s, pc_name(name), slot) for s in start.ends for slot in slots)


def channel_translation(old: Placement, new: Placement, processes: dict[int, int]) -> dict[int, int]:
    """Channels correspond by the variable they were declared with."""
    homes = {(process, leaf.variables, k): a for (process, leaf, k), a in new.homes.items()}
    found: dict[int, int] = {}
    for (process, leaf, k), a in old.homes.items():
        mapped = process if process is None else processes.get(process)
        if (mapped, leaf.variables, k) in homes:
            found[a] = homes[mapped, leaf.variables, k]
    number_of = {a: k for k, a in enumerate(old.channel_atoms)}
    return {**found, **{a: new.channel_atoms[number_of[a]] for a in old.strangers}}


def starter_of(placement: Placement, system: System, start: Start) -> int | None:
    """The one process that moves in the beginning, if it never comes back to a state it had before; NONE if none has to
    move."""
    if not start.ends:
        return NONE
    mover = next(iter(start.movers), None)
    if len(start.movers) != 1 or not isinstance(mover, int):
        return None
    name = next(n for n, slots in placement.slots.items() if mover in slots)
    later = reachable(placement.flows[name], {number_at(system, s, pc_name(name), mover) for s in start.ends})
    passed = {number_at(system, s, pc_name(name), mover) for s in start.stages}
    alone = len(live(placement, system, start.last, name)) == 1 and name not in start.open_types
    return mover if alone and not passed & later else None


def translate(system: System, placement: Placement, s: State, atoms: Mapping[int, int]) -> dict[Address, Value]:
    """The values of a state for the places of the fixed placement."""
    wanted = {place.address for variable in families(placement) for place in places_of(variable)}
    found: dict[Address, Value] = {}
    for place, value in zip(system.places, s, strict=True):
        if all(owner in atoms for owner in place.owners):
            address = place.variable, tuple(atoms[owner] for owner in place.owners), place.indices
            if address in wanted:
                found[address] = renamed(place.type, value, atoms)
    bury(placement, found)
    return found


def bury(placement: Placement, values: dict[Address, Value]) -> None:
    """A process at its end is gone, where it is gone at once."""
    if not placement.buries:
        return
    for name, slots in placement.slots.items():
        for slot in slots:
            if values.get((pc_name(name), (slot,), ())) == placement.flows[name].last and not placement.is_used_once(
                name
            ):
                for variable in families(placement):
                    if belongs_to(placement, variable, name):
                        for address in [a for a in values if a[0] == variable.name and a[1] == (slot,)]:
                            values[address] = default(variable.type)


def belongs_to(placement: Placement, variable: Family, name: str) -> bool:
    return variable.name in {pc_name(name), OWN_PID, PRIORITY} or any(
        leaf.name == variable.name for leaf in placement.leaves_of(name)
    )


def renamed(type_: Type, value: Value, atoms: Mapping[int, int]) -> Value:
    match type_:
        case AtomOf():
            return atoms.get(value, NONE)  # type: ignore[arg-type]
        case TupleOf(parts):
            return tuple(renamed(t, v, atoms) for t, v in zip(parts, value, strict=True))  # type: ignore[arg-type]
        case QueueOf(message):
            return tuple(renamed(message, v, atoms) for v in value)  # type: ignore[union-attr]
        case _:
            return value


def starter_name(settled: Settled) -> str:
    return next(n for n, slots in settled.placement.slots.items() if settled.starter in slots)


def starter_states(settled: Settled) -> list[Value]:
    name = starter_name(settled)
    return [stage[pc_name(name), (settled.starter,), ()] for stage in settled.stages]


def needs_stage(settled: Settled) -> bool:
    """Whether the states of the beginning cannot be told apart by where the starter stands."""
    states = starter_states(settled)
    return len(set(states)) != len(states)


def stage_variables(settled: Settled) -> list[Family]:
    if not settled.ends or not needs_stage(settled):
        return []
    return [Family(STAGE, Number(0, len(settled.stages)))]


def stage_commands(settled: Settled) -> list[Command]:
    """One command for each step of the beginning; it sets all that the step changes."""
    if not settled.ends:
        return []
    steps = [(k, settled.stages[k + 1]) for k in range(len(settled.stages) - 1)]
    steps += [(len(settled.stages) - 1, end) for end in settled.ends]
    return [stage_command(settled, k, after) for k, after in steps]


def stage_command(settled: Settled, k: int, after: dict[Address, Value]) -> Command:
    name = starter_name(settled)
    pc = Read(pc_name(name), (atom(settled.starter),))
    changed = changes(settled.placement, settled.stages[k], after)
    guard = equal(pc, Literal(starter_states(settled)[k], INTEGER))
    if needs_stage(settled):
        guard = equal(Read(STAGE), number(k))
        changed.append(Assign(Read(STAGE), number(k + 1)))
    if settled.placement.has_atomic:  # others may be there already
        guard = conjunction([guard, equal(Read(OWNER), atom(NONE))])
    span = settled.placement.flows[name].proctype.span
    effect = (Together(tuple(changed)),)
    return Command(
        "start the processes", guard, effect, actors=(atom(settled.starter),), performs=settled.performed, span=span
    )


def changes(placement: Placement, before: dict[Address, Value], after: dict[Address, Value]) -> list[Assign]:
    """The assignments that lead from one state to the other; what was forgotten is written where it matters again."""
    old, new = forgotten_places(placement, before), forgotten_places(placement, after)
    types = {variable.name: variable.type for variable in families(placement)}
    return [
        write(types, a, value, a in new)
        for a, value in after.items()
        if before[a] != value or (a in old and a not in new)
    ]


def forgotten_places(placement: Placement, values: dict[Address, Value]) -> set[Address]:
    """The places of processes whose values nobody reads before they are written."""
    found: set[Address] = set()
    for name, slots in placement.slots.items():
        for leaf in placement.leaves_of(name):
            for slot in slots:
                state = values[pc_name(name), (slot,), ()]
                if isinstance(state, int) and is_forgotten(placement, name, leaf, state):
                    found.update((leaf.name, (slot,), k) for k in positions(leaf.sizes))
    return found & values.keys()


def write(types: dict[str, Type], address: Address, value: Value, forgets: bool = False) -> Assign:
    variable, owners, indices = address
    target = Read(variable, tuple(atom(a) for a in owners), tuple(number(i) for i in indices))
    return Assign(target, literal(types[variable], value), forgets)


def literal(type_: Type, value: Value) -> Expr:
    match type_:
        case AtomOf():
            return atom(value)  # type: ignore[arg-type]
        case _:
            return Literal(value, type_)


def settled_start(settled: Settled) -> Command:
    """The initial state S0 as one simultaneous assignment."""
    types = {variable.name: variable.type for variable in families(settled.placement)}
    first = settled.stages[0]
    forgotten = forgotten_places(settled.placement, first)
    spoken = {a[0] for a in forgotten}  # of these variables every place is written
    changed = [
        write(types, a, value, a in forgotten)
        for a, value in first.items()
        if a[0] in spoken or value != default(types[a[0]])
    ]
    return Command("start", effect=(Together(tuple(changed)),) if changed else ())
