"""Steps that nobody can interrupt, judged by what they do: chains inside atomic or d_step as one step of stored states.

People walk over all processes in a loop inside `atomic`: the loop counts, and what counts tells the processes apart.
But only the stored states matter.  Here such a chain is run on symbols from the stored state in which it begins: the
counter is a constant in each round, conditions become conditional values, and what is left is one assignment of all
places at once.  **For the proof only**: engines run the commands as they are written.  Equal composed steps mean equal
moves between stored states, so a permutation that keeps the composed System is a symmetry of the graph of stored
states, though it need not map the states in the middle to such states.

A chain is composed only if it can neither block nor fail nor go on forever on the way, and if it sets its counters
itself, or these have their first values again whenever a state is stored.  Then its locations are left in transient
states only, and the commands at them are left out.  Everything else stays as it is written, and visible: where a chain
may block at a location whose commands do not count, it is cut there, and what follows is a chain of its own.

Others write the same thing out for one process after the other (`d_step { t[0]--; t[1]--; t[2]-- }`).  Such chains do
not count; each of them is composed if it can be, and else stays as it is written.

Short names: p the process that runs; env what places hold on the way, in terms of the stored state.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from quorbit.detection.steps.counting import Unsayable, control_variable
from quorbit.detection.steps.room import Fact, asked_room, records_of, unproved
from quorbit.detection.steps.ways import (
    Env,
    Way,
    chosen,
    in_plain_words,
    is_always_one,
    is_never_two,
    is_split,
    negated,
    settled,
    without,
)
from quorbit.model.meaning.partial import Faults
from quorbit.model.meaning.value_names import LOCATION
from quorbit.model.specialise.simplify import simplify
from quorbit.model.system.command import Assign, Command, Require, Together, assignments_in
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Condition,
    Enabled,
    Expr,
    Literal,
    Operator,
    Otherwise,
    Quantify,
    Read,
    conjunction,
    conjuncts_of,
    number,
)
from quorbit.model.system.once import Once
from quorbit.model.system.system import Address, System
from quorbit.model.system.types import NONE, AtomOf, Value, default
from quorbit.model.system.walk import expressions_of, map_parts, walk
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import NOWHERE

__all__ = ["compose_steps"]

MOST_NODES = 2_000  # locations with counters, in all chains of a System
MOST_WAYS = 64  # of one chain
Location = tuple[int, Value]  # a process and where it is
Conditions = tuple[Expr, ...]
Required = tuple[tuple[str, Expr], ...]  # what has to hold, and the property in whose name


def compose_steps(grounded: System, scratch: frozenset[str]) -> System:
    """The System with chains that count, and those that are written out, composed.  Raises Unsayable if some chain that
    counts cannot be, or if there is nothing to compose."""
    try:
        return Composer(grounded, scratch, resting=False).system()
    except Unsayable:
        if not scratch:  # no counter that could rest
            raise
        return Composer(grounded, scratch, resting=True).system()


@frozen
class Node:
    """A location with the values of the counters."""

    location: Value
    counters: tuple[tuple[Address, Value], ...]


class Cut(Exception):
    """A chain cannot be composed beyond a location; the note says why, if a user could change that."""

    def __init__(self, location: Location, note: str) -> None:
        super().__init__(note)
        self.location, self.note = location, note


class Entry(NamedTuple):
    """Where a chain begins, and the condition that asks for it."""

    where: Location
    at: Expr


@frozen
class Chain:
    """The commands that a chain becomes, and the locations where it ends."""

    commands: tuple[Command, ...]
    ends: frozenset[Location]
    facts: tuple[Fact, ...]  # that it takes for granted


class Composer:
    """The chains of one grounded System.  ``resting``: counters have their first values in every stored state, which is
    assumed where a chain begins and checked where it ends."""

    def __init__(self, grounded: System, scratch: frozenset[str], resting: bool) -> None:
        self.grounded, self.scratch = grounded, scratch
        self.control = control_variable(grounded)
        self.faults = Faults(grounded)
        self.location_of = Once(self.find_location)
        self.after = Once(self.find_location_after)
        self.begins = Once(self.find_begins)
        self.looks_at_counters = Once(self.find_looks_at_counters)
        self.at: dict[Location, list[Command]] = {}
        self.nodes = 0
        self.chains: dict[int, Chain] = {}  # by the id of the command they begin with
        self.cuts: set[Location] = set()  # locations at which chains are cut
        self.distrusted: set[Fact] = set()  # what was taken for granted and cannot be shown
        self.facts: dict[Fact, None] = {}  # that the chain which is composed takes for granted
        self.elsewhere: set[Location] = set()  # locations of commands that are not of one process alone
        for command in grounded.commands:
            if (where := self.location_of(command)) is not None:
                self.at.setdefault(where, []).append(command)
            else:
                self.elsewhere.update(locations_in(command))
        self.counted = [place.address for place in grounded.places if place.variable in scratch]
        self.first = {a: self.rest_of(a[0]) for a in self.counted} if resting else {}

    def system(self) -> System:
        """The System with its chains composed; they are cut where they cannot be composed, if nothing counts there."""
        while True:
            try:
                system, facts = self.with_chains()
            except Cut as found:
                if not self.may_cut(found.location):
                    raise Unsayable(found.note) from found
                self.cut(found.location)
                continue
            if not (doubtful := unproved(system, facts)):
                return replace(system, commands=(*system.commands, *records_of(system, facts)))
            self.distrusted |= doubtful
            self.forget_chains()

    def may_cut(self, where: Location) -> bool:
        return where not in self.cuts and not any(map(self.looks_at_counters, self.at.get(where, ())))

    def cut(self, where: Location) -> None:
        """Cut chains at a location, of all processes of this kind."""
        kind = self.grounded.atoms[where[0]].colour
        self.cuts |= {at for at in self.at if at[1] == where[1] and self.grounded.atoms[at[0]].colour == kind}
        self.cuts.add(where)
        self.forget_chains()

    def forget_chains(self) -> None:
        self.chains.clear()
        self.nodes = 0

    def with_chains(self) -> tuple[System, list[Fact]]:
        """Compose every chain that counts, those that are written out where they can be, and check that the middle of
        a chain is never stored; with what the chains take for granted."""
        inside = self.closed({where for where, commands in self.at.items() if any(map(self.counts, commands))})
        composed = self.composed_in(inside)
        for chain in self.written_out(inside):
            try:
                self.check_middle(inside | chain, tried := self.composed_in(inside | chain))
            except Unsayable:
                continue
            except Cut as found:
                if self.may_cut(found.location):
                    raise
                continue
            inside, composed = inside | chain, tried
        if not inside:
            raise Unsayable
        self.check_middle(inside, composed)
        used = set(map(id, composed))
        facts = {
            fact: None
            for chain in self.chains.values()
            if used.intersection(map(id, chain.commands))
            for fact in chain.facts
        }
        return replace(self.grounded, commands=tuple(composed)), list(facts)

    def composed_in(self, inside: set[Location]) -> list[Command]:
        """All commands, those of the chains with these locations composed."""
        commands: list[Command] = []
        for command in self.grounded.commands:
            where = self.location_of(command)
            if where in inside:
                continue
            after = self.after(command)
            if after is not None and after in inside:
                chain = self.chain_from(command)
                if not chain.ends.isdisjoint(inside):
                    raise Unsayable
                commands += chain.commands
            elif self.looks_at_counters(command):
                raise Unsayable
            else:
                commands.append(command)
        return commands

    def written_out(self, counting: set[Location]) -> list[set[Location]]:
        """The locations of each chain that does not count and in which several commands name different slots of one
        array, or the same of different atoms."""
        chains: list[set[Location]] = []
        seen = set(counting)
        for where in self.at:
            if where not in seen and where in self.links:
                seen |= (chain := self.closed({where}))
                chains.append(chain)
        return [chain for chain in chains if chain and self.names_several(chain)]

    def names_several(self, chain: set[Location]) -> bool:
        named: dict[str, set[tuple[Expr, ...]]] = {}
        for command in self.grounded.commands:
            if self.location_of(command) in chain or self.after(command) in chain:
                for part in (part for e in expressions_of(command) for part in walk(e)):
                    if isinstance(part, Read) and not part.variable.endswith(LOCATION):
                        named.setdefault(part.variable, set()).add((*part.owners, *part.indices))
        return any(len(slots) > 1 for slots in named.values())

    def closed(self, inside: set[Location]) -> set[Location]:
        """The locations of chains that count: all that are passed in the middle of one of them."""
        found, waiting = set(inside), list(inside)
        while waiting:
            new = self.links.get(waiting.pop(), set()) - found - self.cuts
            found |= new
            waiting += new
        return found - self.entered - self.cuts

    @cached_property
    def links(self) -> dict[Location, set[Location]]:
        """The locations that are next to each other in the middle of a chain."""
        found: dict[Location, set[Location]] = {}
        for command in self.grounded.commands:
            where, after = self.location_of(command), self.after(command)
            if where is None or after is None or self.begins(command) or not self.is_transient_after(command):
                continue
            found.setdefault(where, set()).add(after)
            found.setdefault(after, set()).add(where)
        return found

    @cached_property
    def entered(self) -> set[Location | None]:
        """Where a process is when nobody is in control."""
        return {self.location_of(c) for c in self.grounded.commands if self.begins(c)}

    # What commands are about.

    def find_location(self, command: Command) -> Location | None:
        """The process and the location at which it runs the command: the first that the guard asks for."""
        actor = self.actor(command)
        for e in conjuncts_of(command.guard):
            match e:
                case Apply(Operator.EQUAL, (Read(_, (Literal(owner),), ()) as place, Literal(value))):
                    if owner == actor and place.variable.endswith(LOCATION):
                        return actor, value  # type: ignore[return-value]
        return None

    def actor(self, command: Command) -> Value:
        match command.actors:
            case (Literal(a),):
                return a
            case _:
                return NONE

    def find_begins(self, command: Command) -> bool:
        """Whether the command runs only when nobody is in control."""
        return any(is_control(e, self.control, NONE) for e in conjuncts_of(command.guard))

    def find_location_after(self, command: Command) -> Location | None:
        """Where the process is after the command."""
        actor = self.actor(command)
        for a in assignments_in(command.effect):
            match a.target, a.value:
                case Read(variable, (Literal(owner),), ()), Literal(value) if owner == actor and variable.endswith(
                    LOCATION
                ):
                    return actor, value  # type: ignore[return-value]
        return None

    def is_transient_after(self, command: Command) -> bool:
        values = [a.value for a in assignments_in(command.effect) if a.target.variable == self.control]
        return bool(values) and isinstance(values[-1], Literal) and values[-1].value != NONE

    def counts(self, command: Command) -> bool:
        return any(self.is_scratch(e) for e in expressions_of(command))

    def find_looks_at_counters(self, command: Command) -> bool:
        """Whether it matters to a command what a counter holds; to be set back does not count."""
        set_back = {
            id(a.target)
            for a in assignments_in(command.effect)
            if a.target.variable in self.scratch and isinstance(a.value, Literal) and not a.target.indices
        }
        return any(self.is_scratch(e) for e in expressions_of(command) if id(e) not in set_back)

    def is_scratch(self, e: Expr) -> bool:
        return any(isinstance(part, Read) and part.variable in self.scratch for part in walk(e))

    def rest_of(self, variable: str) -> Value:
        """The first value of a counter."""
        return default(self.grounded.variable[variable].type)

    def check_middle(self, inside: set[Location], commands: list[Command]) -> None:
        """Nobody else runs in the middle of a chain, and no command that is left, nor the start, leads there; counters
        begin with their first values."""
        if inside & self.elsewhere:
            raise Unsayable
        values = {value for _, value in inside}
        for command in (*commands, *self.grounded.start):
            for a in assignments_in(command.effect):
                value = a.value.value if isinstance(a.value, Literal) else None
                if self.first and a.target.variable in self.scratch and value != self.rest_of(a.target.variable):
                    raise Unsayable
                if not a.target.variable.endswith(LOCATION):
                    continue
                owners = [e.value for e in a.target.owners if isinstance(e, Literal)]
                if value is None or (len(owners) != 1 and value in values) or (owners and (owners[0], value) in inside):
                    raise Unsayable

    # Running a chain on symbols.

    def chain_from(self, command: Command) -> Chain:
        """The chain that begins with this command, composed once: what belongs to it does not depend on which others
        are composed."""
        known = self.chains.get(id(command))
        if known is None:
            known = self.chains[id(command)] = self.compose(command)
        return known

    def compose(self, command: Command) -> Chain:
        is_entry = self.begins(command) or self.location_of(command) in self.cuts
        if not is_entry or not self.is_transient_after(command) or command.parameters:
            raise Unsayable
        actor = self.actor(command)
        self.facts = {}
        way = self.run(command, Way((), {a: literal_like(self, a, value) for a, value in self.first.items()}))
        where = self.after(command)
        assert where is not None
        first = self.node(where[1], way)
        known: dict[Node, list[Way]] = {first: [way]}
        ended: dict[Location, list[Way]] = {}
        order = self.in_order(actor, first)
        entry = self.entry_of(command)
        for node in order:
            try:
                going_on = self.steps_from(entry, node, known.pop(node, []))
            except Unsayable as reason:
                raise Cut((actor, node.location), reason.note) from reason  # type: ignore[arg-type]
            for option, after, on in going_on:
                if self.is_transient_after(option) and after not in self.cuts:
                    known.setdefault(self.node(after[1], on), []).append(on)
                else:
                    ended.setdefault(after, []).append(on)
        begun = replace(command, guard=self.first_guard(entry, command))
        written = [self.written(begun, way) for ways in ended.values() for way in self.merge(ways)]
        return Chain(tuple(written), frozenset(ended), tuple(self.facts))

    def entry_of(self, command: Command) -> Entry:
        where = self.location_of(command)
        assert where is not None
        return Entry(where, next(e for e in conjuncts_of(command.guard) if self.asks_location(e, where[0])))

    def steps_from(self, entry: Entry, node: Node, ways: list[Way]) -> list[tuple[Command, Location, Way]]:
        """The commands that may run at a node, where they lead, and on which ways."""
        found = []
        for merged in self.merge(ways):
            options, required = self.options(entry, node, merged)
            for option, conditions in options:
                if (after := self.after(option)) is None:
                    raise Unsayable
                begun = Way((*merged.conditions, *conditions), merged.env, (*merged.required, *required))
                found.append((option, after, self.run(option, begun)))
        return found

    def node(self, location: Value, way: Way) -> Node:
        """Where a chain is, with the counters that are constants there."""
        held = [(address, way.env.get(address)) for address in self.counted]
        return Node(location, tuple((address, e.value) for address, e in held if isinstance(e, Literal)))

    def in_order(self, actor: Value, first: Node) -> list[Node]:
        """All nodes of a chain, each before those that follow it; a chain without end is refused."""
        order: list[Node] = []
        state: dict[Node, int] = {}
        stack: list[tuple[Node, Iterator[Node]]] = [(first, iter(self.following(actor, first)))]
        state[first] = 1
        while stack:
            node, rest = stack[-1]
            after = next(rest, None)
            if after is None:
                state[node] = 2
                order.append(node)
                stack.pop()
            elif state.get(after) == 1:
                raise Unsayable
            elif after not in state:
                self.nodes += 1
                if self.nodes > MOST_NODES:
                    raise Unsayable
                state[after] = 1
                stack.append((after, iter(self.following(actor, after))))
        return order[::-1]

    def following(self, actor: Value, node: Node) -> list[Node]:
        """The nodes that may follow: what the counters are is known without anything else."""
        env: Env = {address: literal_like(self, address, value) for address, value in node.counters}
        found = []
        for option in self.at.get((actor, node.location), ()):  # type: ignore[arg-type]
            guard = self.remaining_guard(option, env)
            if guard == FALSE or not self.is_transient_after(option):
                continue
            after = self.after(option)
            if after is None:
                raise Unsayable
            if after in self.cuts:
                continue
            counters = Way((), dict(env))
            for step in option.effect:
                for a in step.assignments if isinstance(step, Together) else ():
                    if a.target.variable in self.scratch:
                        counters.env[self.address(a.target, counters.env)] = self.value(a.value, counters.env)
            found.append(self.node(after[1], counters))
        return found

    def options(self, entry: Entry, node: Node, way: Way) -> tuple[list[tuple[Command, Conditions]], Required]:
        """The commands that may run next, each with its conditions, and what must hold: where the one that can run does
        nothing but go wrong.  Where it cannot be told that one can always run, the chain may block."""
        found = []
        for option in self.at.get((entry.where[0], node.location), ()):
            if option.parameters or option.rank or option.turn:
                raise Unsayable
            guard = without(self.remaining_guard(option, way.env), way.conditions)
            if guard != FALSE:
                found.append((option, guard))
        guards = [guard for _, guard in found]
        wrong = [(goes_wrong(option), guard) for option, guard in found if goes_wrong(option)]
        if found and all(guard == TRUE for guard in guards) and not wrong:
            return [(option, ()) for option, _ in found], ()
        if not found or not is_always_one(guards):
            if len(found) == 1 and self.given_room(entry, guards[0]) == TRUE:
                return [(found[0][0], ())], ()
            raise Unsayable(blocking_note(found[0][0]) if len(found) == 1 else "")
        if not is_never_two(guards):
            if wrong:
                raise Unsayable
            return [(option, (guard,) if guard != TRUE else ()) for option, guard in found], ()
        left = [(option, guard) for option, guard in found if not goes_wrong(option)]
        required = tuple((name, under(way.conditions, negated(guard))) for name, guard in wrong)
        return [(option, self.decided([g for _, g in left], k)) for k, (option, _) in enumerate(left)], required

    def given_room(self, entry: Entry, guard: Expr) -> Expr:
        """What a guard asks beyond room in queues, which is taken for granted unless it is known that it cannot be
        shown."""
        left = []
        for e in conjuncts_of(guard):
            asked = asked_room(e)
            fact = None if asked is None else Fact(*entry, self.address(asked[0], {}), asked[1])
            if fact is None or fact in self.distrusted:
                left.append(e)
            else:
                self.facts[fact] = None
        return conjunction(left)

    def first_guard(self, entry: Entry, command: Command) -> Expr:
        """What the first command of a chain asks for; if others of the chain take room for granted, so does it."""
        return self.given_room(entry, command.guard) if self.facts else command.guard

    def decided(self, guards: list[Expr], k: int) -> tuple[Expr, ...]:
        """The conditions under which the option number k of several runs of which exactly one can, one after the
        other: what leads to the last two differs in the last condition."""
        others = tuple(negated(guard) for guard in guards[:k])
        return others if k == len(guards) - 1 else (*others, guards[k])

    def remaining_guard(self, command: Command, env: Env) -> Expr:
        """What the guard asks beyond the location and who is in control."""
        actor = self.actor(command)
        asked = []
        for e in conjuncts_of(command.guard):
            if self.asks_location(e, actor) or self.asks_control(e):
                continue
            asked.append(self.value(e, env))
            if asked[-1] == FALSE:
                return FALSE
        return settled(simplify(conjunction(asked)))

    def asks_location(self, e: Expr, actor: Value) -> bool:
        match e:
            case Apply(Operator.EQUAL, (Read(variable, (Literal(owner),), ()), Literal())):
                return owner == actor and variable.endswith(LOCATION)
            case _:
                return False

    def asks_control(self, e: Expr) -> bool:
        reads = [part for part in walk(e) if isinstance(part, Read)]
        return bool(reads) and all(part.variable == self.control for part in reads)

    def run(self, command: Command, way: Way) -> Way:
        env, required = dict(way.env), list(way.required)
        for step in command.effect:
            match step:
                case Together(assignments):
                    written = [(self.address(a.target, env), self.value(a.value, env)) for a in assignments]
                    env.update(written)
                case Require(condition):
                    told = under(way.conditions, self.value(condition, env))
                    if told != TRUE:
                        required.append((step.property, told))
                case _:
                    raise Unsayable
        return Way(way.conditions, env, tuple(required))

    def address(self, target: Read, env: Env) -> Address:
        parts = [self.value(e, env) for e in (*target.owners, *target.indices)]
        if not all(isinstance(e, Literal) for e in parts):
            raise Unsayable
        values = [e.value for e in parts if isinstance(e, Literal)]
        n = len(target.owners)
        address = target.variable, tuple(values[:n]), tuple(values[n:])
        if address not in self.grounded.index:
            raise Unsayable
        return address

    def value(self, e: Expr, env: Env) -> Expr:
        """e in terms of the stored state."""
        written = {variable for variable, _, _ in env}

        def change(part: Expr) -> Expr:
            if isinstance(part, Enabled | Otherwise | Quantify):
                raise Unsayable
            part = in_plain_words(simplify(map_parts(part, change)))
            if isinstance(part, Read):
                literal = all(isinstance(x, Literal) for x in (*part.owners, *part.indices))
                if literal:
                    return env.get(self.address(part, env), part)
                if part.variable in written:
                    raise Unsayable
            return part

        found = simplify(change(e))
        if self.faults.may_fail(found):
            raise Unsayable
        return found

    def written(self, command: Command, way: Way) -> Command:
        """One command that does all at once."""
        for address, value in self.first.items():
            held = way.env[address]
            if not isinstance(held, Literal) or held.value != value:
                raise Unsayable
        assignments = [
            Assign(self.place(address), value)
            for address, value in sorted(way.env.items(), key=lambda item: self.grounded.index[item[0]])
            if address not in self.first and value != self.place(address)
        ]
        requires = [Require(conjunction([e for _, e in way.required]), "", name) for name in violated(way.required)]
        guard = conjunction([command.guard, *way.conditions])
        return replace(command, guard=guard, effect=(*requires, Together(tuple(assignments))))

    def merge(self, ways: list[Way]) -> list[Way]:
        """Ways that differ in one condition only, which holds in one of them, become one with conditional values."""
        while (pair := next(((a, b) for a, b in combinations(ways, 2) if is_split(a, b)), None)) is not None:
            ways = [*(way for way in ways if way is not pair[0] and way is not pair[1]), self.joined(*pair)]
        if len(ways) > MOST_WAYS:
            raise Unsayable
        return ways

    def joined(self, a: Way, b: Way) -> Way:
        """What holds after both branches of a condition."""
        env: Env = {}
        for address in dict.fromkeys((*a.env, *b.env)):
            x, y = (way.env.get(address) or self.place(address) for way in (a, b))
            env[address] = x if x == y else chosen(a.conditions[-1], x, y)
        return Way(a.conditions[:-1], env, tuple(dict.fromkeys((*a.required, *b.required))))

    def place(self, address: Address) -> Read:
        place = self.grounded.places[self.grounded.index[address]]
        owners = tuple(Literal(a, AtomOf((a,) if a != NONE else (), a == NONE)) for a in place.owners)
        return Read(place.variable, owners, tuple(map(number, place.indices)))


def violated(required: Required) -> list[str]:
    """The property in whose name something must hold on the way: of two the one that fails first would count."""
    names = list(dict.fromkeys(name for name, _ in required))
    if len(names) > 1:
        raise Unsayable
    return names


def goes_wrong(command: Command) -> str:
    """The property that a command violates whenever it runs, "" if it does not."""
    match command.effect:
        case (Require(Literal(0), _, property), *_):
            return property
        case _:
            return ""


def under(conditions: Conditions, holds: Expr) -> Expr:
    """What must hold, as far as the conditions do."""
    return simplify(Condition(conjunction(list(conditions)), holds, TRUE)) if conditions else holds


def blocking_note(command: Command) -> str:
    where = f"{command.span}: " if command.span.source is not NOWHERE.source else ""
    return (
        f"{where}`{command.label}` may block in the middle of a loop over all processes, and how far the loop has come"
        " can be seen then: where it must not wait, write an `if` with `else` around it"
    )


def literal_like(composer: Composer, address: Address, value: Value) -> Literal:
    return Literal(value, composer.grounded.variable[address[0]].type)


def locations_in(command: Command) -> Iterator[Location]:
    """Every process and location that the guard asks for."""
    for e in conjuncts_of(command.guard):
        match e:
            case Apply(Operator.EQUAL, (Read(variable, (Literal(owner),), ()), Literal(value))):
                if variable.endswith(LOCATION):
                    yield owner, value  # type: ignore[misc]


def is_control(e: Expr, control: str, value: Value) -> bool:
    match e:
        case Apply(Operator.EQUAL, (Read(variable, (), ()), Literal(v))):
            return variable == control and v == value
        case _:
            return False
