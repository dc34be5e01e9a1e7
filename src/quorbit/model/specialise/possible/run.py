"""Which values each place can have, as far as a glance at the commands tells; and with it which commands can never run.

An abstract run of the System: for every place a set of values, or anything.  A command counts as possible for a choice
of atoms if none of the conjuncts of its guard contradicts the sets; then what it writes is added.  Sets only grow, so
this ends.

A guard is looked at from left to right.  A conjunct that may fail and is looked at before the one that forbids the
command makes a difference although the command never runs: such a choice of atoms is kept too, and nothing written.

A command is written out for a choice of atoms only when it may be its turn: where its guard says that a place of one
of its atoms has a certain value (a process is at a location), when that place may have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from itertools import product

from quorbit.model.meaning.evaluate import wrap
from quorbit.model.meaning.partial import Faults
from quorbit.model.specialise.instances import Instances
from quorbit.model.specialise.possible.addresses import addresses_of, static_address
from quorbit.model.specialise.possible.guards import (
    Placed,
    Test,
    Watch,
    find_tests,
    find_watch,
    safe_length,
)
from quorbit.model.specialise.possible.messages import Messages
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together, assignments_in
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Condition,
    Expr,
    Fresh,
    Interval,
    Literal,
    Operator,
    Part,
    Read,
    Wrap,
    atom,
    conjuncts_of,
)
from quorbit.model.system.system import Address, State, System, places_of
from quorbit.model.system.types import NONE, Value
from quorbit.source.frozen import distinct

__all__ = ["Choice", "Possible", "atoms_of_parameters", "constants", "forgotten_at_start"]

Values = Set[Value] | None  # None: anything
Choice = tuple[int, ...]  # of atoms for the parameters that range over atoms
NO_VALUES: frozenset[Value] = frozenset()
MOST_VALUES = 10_000  # of one place
MOST_CHOSEN = 300  # of one parameter


@distinct
class Write:
    """The places that an assignment may write, and what: ``values`` if that is written down."""

    addresses: list[Address]
    value: Expr
    values: Values
    forgets: bool


@distinct
class Candidate:
    """A command for a choice of atoms; what it writes is worked out when it may run."""

    command: int
    choice: Choice
    atoms: dict[str, Literal]
    guard: Expr
    tests: list[Placed]
    writes: list[Write] | None = None


class Possible:
    """The values each place of a System may have, and for each command the choices of atoms for which it may run, or
    for which its guard may fail."""

    def __init__(
        self, system: System, starts: Iterable[State], roughly: bool = False, from_start: bool = False
    ) -> None:
        """``roughly``: commands are looked at as they are written, whatever atoms their parameters stand for.
        ``from_start``: the states are the initial ones, of which the start says what nobody reads."""
        self.system = system
        self.values: dict[Address, set[Value] | None] = {}
        self.unread: dict[Address, set[Value]] = {}  # those of the values that are never there when somebody looks
        self.addresses = {v.name: [place.address for place in places_of(v)] for v in system.variables}
        self.choices: list[dict[Choice, None]] = [{} for _ in system.commands]
        self.writer = Instances(system, by_value=True)
        self.literals = {a: atom(a) for a in (NONE, *range(len(system.atoms)))}
        self.ranged = [{} if roughly else atoms_of_parameters(command) for command in system.commands]
        self.watched: dict[tuple[str, tuple[Value, ...]], dict[Value, list[tuple[int, Watch]]]] = {}
        self.blocked: dict[Address, list[Candidate]] = {}  # by the place whose values forbid them
        self.readers: dict[Address, list[Candidate]] = {}
        self.waiting: dict[Candidate, None] = {}
        self.tests: dict[int, tuple[Expr, list[Placed]]] = {}  # of guards, by id; what is kept there keeps its id
        self.equal: dict[tuple[Assign, bool], Assign] = {}
        self.writers: dict[int, tuple[Assign, Callable[[dict[str, Literal]], Write]]] = {}  # by id
        self.done: set[Write] = set()  # what is written down is added once
        self.faults = Faults(system)
        self.messages = Messages(system, self.targets)
        self.receivers: dict[Address, list[Candidate]] = {}  # by the queue
        at_once = self.watch()
        forgotten = forgotten_at_start(system) if from_start else frozenset()
        for s in starts:
            self.messages.start(s)
            for place, value in zip(system.places, s, strict=True):
                self.add(place.address, frozenset([value]), place.address in forgotten)
        for c in at_once:
            self.propose(c, {})
        self.run()

    def can_run(self, c: int) -> bool:
        """Whether command c may ever run, or fail before it is known that it cannot."""
        return bool(self.choices[c])

    def watch(self) -> list[int]:
        """Note what each command waits for; those that wait for nothing."""
        at_once = []
        for c, command in enumerate(self.system.commands):
            found = find_watch(self.safe_part(command), self.ranged[c])
            if found is None:
                at_once.append(c)
            else:
                self.watched.setdefault(found.place, {}).setdefault(found.value, []).append((c, found))
        return at_once

    def run(self) -> None:
        """Look at every candidate that may run, and again whenever a place it copies got new values."""
        while self.waiting:
            candidate = next(iter(self.waiting))
            del self.waiting[candidate]
            if candidate.writes is None:
                candidate.writes = self.write_out(candidate)
            self.apply(candidate.writes, self.system.commands[candidate.command])

    # Candidates.

    def propose_waiting(self, address: Address, known: Set[Value], news: Values) -> None:
        """The commands that wait for a place to have a value that it may have from now on (None: any but the known)."""
        variable, owners, indices = address
        watched = self.watched.get((variable, indices), {})
        for value in [v for v in watched if v not in known] if news is None else sorted(news, key=repr):
            for c, watch in watched.get(value, ()):
                if watch.parameter is None and watch.owners == owners:
                    self.propose(c, {})
                elif watch.parameter is not None and owners[0] in self.ranged[c][watch.parameter]:
                    self.propose(c, {watch.parameter: owners[0]})

    def propose(self, c: int, fixed: dict[str, int]) -> None:
        """The command for all choices with these atoms."""
        ranged, guard = self.ranged[c], self.writer.writer(self.system.commands[c].guard)
        for choice in product(*[(fixed[name],) if name in fixed else atoms for name, atoms in ranged.items()]):
            atoms = {name: self.literals[a] for name, a in zip(ranged, choice, strict=True)}
            written = guard(atoms)
            self.consider(Candidate(c, choice, atoms, written, self.tests_of(written)))

    def consider(self, candidate: Candidate) -> None:
        """What once holds will always do, so it is enough to wait for the first test that does not."""
        single: dict[Address, list[tuple[int, Test]]] = {}
        for position, test in candidate.tests:
            before = position if test is None else self.forbidden_by(position, test, single)
            if before is not None:
                if self.may_fail_before(candidate, before):
                    self.choices[candidate.command][candidate.choice] = None
                for address in () if test is None else test[0]:
                    self.blocked.setdefault(address, []).append(candidate)
                return
            if test is not None and len(test[0]) == 1:
                single.setdefault(test[0][0], []).append((position, test))
        self.waiting[candidate] = None

    def forbidden_by(self, position: int, test: Test, single: dict[Address, list[tuple[int, Test]]]) -> int | None:
        """The number of the last conjunct that it takes to see that a test cannot hold; None if it may.  Two places
        are compared by the values that other conjuncts allow."""
        places = [self.readable(address) for address in test[0]]
        if None in places:
            return None
        if len(places) == 2:
            for k, address in enumerate(test[0]):
                for at, other in single.get(address, ()):
                    position, places[k] = max(position, at), {v for v in places[k] or () if other[1]({v})}
        return None if test[1](*places) else position

    def readable(self, address: Address) -> Values:
        """The values that a place may have when somebody looks."""
        values, unread = self.values.get(address), self.unread.get(address)
        return values if values is None or not unread else values - unread

    def may_fail_before(self, candidate: Candidate, position: int) -> bool:
        """Whether a conjunct before this one, all of which may hold, may fail."""
        parameters = self.system.commands[candidate.command].parameters
        domains = {p.name: p.domain for p in parameters if p.name not in candidate.atoms}
        return safe_length(self.faults, self.system, conjuncts_of(candidate.guard)[:position], domains) < position

    def safe_part(self, command: Command) -> tuple[Expr, ...]:
        """The conjuncts of the guard up to the first that may fail."""
        conjuncts = conjuncts_of(command.guard)
        return conjuncts[
            : safe_length(self.faults, self.system, conjuncts, {p.name: p.domain for p in command.parameters})
        ]

    def write_out(self, candidate: Candidate) -> list[Write]:
        """What a candidate writes, which may run from now on."""
        effect = self.system.commands[candidate.command].effect
        writes = list(self.writes_in(effect, candidate.atoms, set()))
        self.choices[candidate.command][candidate.choice] = None
        for address in dict.fromkeys(address for w in writes if w.values is None for address in addresses_of(w.value)):
            self.readers.setdefault(address, []).append(candidate)
        for address in dict.fromkeys(a for w in writes if w.values is None for a in self.messages.queues_in(w.value)):
            self.receivers.setdefault(address, []).append(candidate)
        return writes

    def writes_in(self, steps: tuple[Step, ...], atoms: dict[str, Literal], seen: set[int]) -> Iterator[Write]:
        """What steps may write; of a branch that is decided only the way that is taken.  ``seen``: steps that stand in
        several places, by id."""
        for step in steps:
            if isinstance(step, Together):
                yield from [self.assignment_writer(a)(atoms) for a in step.assignments]
            elif not isinstance(step, Require) and id(step) not in seen:
                seen.add(id(step))
                for inside in self.ways(step, atoms):
                    yield from self.writes_in(inside, atoms, seen)

    def ways(self, step: Branch | Loop | Pick, atoms: dict[str, Literal]) -> list[tuple[Step, ...]]:
        if not isinstance(step, Branch):
            return [step.body]
        decided = self.writer.written(step.test, atoms)
        if isinstance(decided, Literal):
            return [step.then if decided.value else step.other]
        return [step.then, step.other]

    def assignment_writer(self, a: Assign) -> Callable[[dict[str, Literal]], Write]:
        """What an assignment writes for a choice of atoms; worked out once for the atoms that equal ones mention."""
        known = self.writers.get(id(a))
        if known is None:
            first = self.equal.setdefault((a, a.forgets), a)
            known = self.writers[id(a)] = (
                a,
                self.make_assignment_writer(a) if first is a else self.assignment_writer(first),
            )
        return known[1]

    def make_assignment_writer(self, a: Assign) -> Callable[[dict[str, Literal]], Write]:
        target, value = self.writer.place(a.target), self.writer.writer(a.value)
        names = tuple(dict.fromkeys((*self.writer.names_in(a.target), *self.writer.names_in(a.value))))
        found: dict[tuple[Literal | None, ...], Write] = {}

        def write(atoms: dict[str, Literal]) -> Write:
            key = tuple([atoms.get(name) for name in names])
            if (known := found.get(key)) is None:
                known = found[key] = self.written(target(atoms), value(atoms), a.forgets)
            return known

        return write

    def written(self, target: Read, value: Expr, forgets: bool) -> Write:
        values = frozenset([value.value]) if isinstance(value, Literal) else None
        return Write(self.targets(target), value, values, forgets and values is not None)

    # Values.

    def add(self, address: Address, values: Values, forgets: bool = False) -> None:
        """``forgets``: nobody looks before something else is written."""
        known = self.values.setdefault(address, set())
        if known is None:
            return
        unread = self.unread.get(address, NO_VALUES)
        if forgets and values is not None:
            self.unread[address] = {*unread, *(values - known)}
            known |= values
            return
        news = None if values is None else values - (known - unread)
        if news is not None and not news:
            return
        if news is None or len(known) + len(news) > MOST_VALUES:
            self.values[address] = news = None
        else:
            known |= news
            if unread:
                self.unread[address] = {*unread} - news
        self.propose_waiting(address, known, news)
        for candidate in self.blocked.pop(address, ()):
            self.consider(candidate)
        self.waiting.update(dict.fromkeys(self.readers.get(address, ())))

    def apply(self, writes: list[Write], command: Command) -> None:
        for w in writes:
            if w.values is not None and w in self.done:
                continue
            self.done.add(w)
            values = self.abstract(w.value, command) if w.values is None else w.values
            for address in w.addresses:
                self.add(address, values, w.forgets)
                if address[0] in self.messages.parts:
                    self.send(address, w.value, command)

    def send(self, address: Address, value: Expr, command: Command) -> None:
        """Note what a queue holds from now on; who receives from it is looked at again where that is new."""
        held = self.messages.of
        if self.messages.add(address, lambda k: held(value, k, lambda e: self.abstract(e, command))):
            self.waiting.update(dict.fromkeys(self.receivers.get(address, ())))

    def targets(self, target: Read) -> list[Address]:
        address = static_address(target)
        return self.addresses[target.variable] if address is None else [address]

    def tests_of(self, guard: Expr) -> list[Placed]:
        known = self.tests.get(id(guard))
        if known is None:
            known = self.tests[id(guard)] = guard, list(find_tests(conjuncts_of(guard)))
        return known[1]

    def of(self, place: Read) -> Values:
        address = static_address(place)
        return None if address is None else self.readable(address)

    def abstract(self, e: Expr, command: Command) -> Values:
        """The values an expression may have."""
        match e:
            case Literal(value):
                return frozenset([value])
            case Read():
                return self.of(e)
            case Condition(_, then, other):
                a, b = self.abstract(then, command), self.abstract(other, command)
                return None if a is None or b is None else a | b
            case Wrap(operand, bits, signed):
                values = self.abstract(operand, command)
                return None if values is None else frozenset(wrap(v, bits, signed) for v in values)  # type: ignore[arg-type]
            case Bound(name):
                return domain_values(command, name)
            case Part(Apply(Operator.FIRST, (queue,)), k):
                return self.messages.of(queue, k, lambda inner: self.abstract(inner, command))
            case _:
                return None


def forgotten_at_start(system: System) -> frozenset[Address]:
    """The places that hold at the start what nobody reads."""
    found: list[set[Address]] = []
    for command in system.start:
        last = {static_address(a.target): a for a in assignments_in(command.effect)}
        found.append({at for at, a in last.items() if at is not None and a.forgets and isinstance(a.value, Literal)})
    return frozenset(set.intersection(*found)) if found else frozenset()


def atoms_of_parameters(command: Command) -> dict[str, tuple[int, ...]]:
    return {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}


def domain_values(command: Command, name: str) -> Values:
    for parameter in command.parameters:
        if parameter.name == name:
            match parameter.domain:
                case Atoms(atoms) | Fresh(atoms):
                    return frozenset(atoms)
                case Interval(low, high) if high - low < MOST_CHOSEN:
                    return frozenset(range(low, high + 1))
    return None


def constants(possible: Possible) -> Iterator[tuple[Address, Value]]:
    """The places that never change, with their values."""
    for address, values in possible.values.items():
        if values is not None and len(values) == 1:
            yield address, next(iter(values))
