"""Which values each place can have, as far as a glance at the commands tells; and with it which commands can never run.

An abstract run of the System: for every place a set of values, or anything.  A command counts as possible for a choice
of atoms if none of the conjuncts of its guard contradicts the sets; then what it writes is added.  Sets only grow, so
this ends.

A guard is looked at from left to right.  A conjunct that may fail and is looked at before the one that forbids the
command makes a difference although the command never runs: such a choice of atoms is kept too, and nothing written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from itertools import product
from math import prod

from quorbit.model.meaning.evaluate import wrap
from quorbit.model.meaning.operators import MEANING, modulo
from quorbit.model.specialise.possible.addresses import addresses_of, static_address
from quorbit.model.specialise.possible.guards import Test
from quorbit.model.specialise.possible.messages import Messages
from quorbit.model.specialise.possible.outline import Candidate, Choice, Outline, Values, Write
from quorbit.model.system.command import Command, assignments_in
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
)
from quorbit.model.system.system import Address, State, System
from quorbit.model.system.types import Value

__all__ = ["Possible", "constants", "forgotten_at_start"]

NO_VALUES: frozenset[Value] = frozenset()
MOST_VALUES = 10_000  # of one place
MOST_CHOSEN = 300  # of one parameter
MOST_REMAINDERS = 64  # of one division


class Possible:
    """The values each place of a System may have, and for each command the choices of atoms for which it may run, or
    for which its guard may fail."""

    def __init__(self, outline: Outline, starts: Iterable[State] = (), from_start: bool = False) -> None:
        """``from_start``: the states are the initial ones, of which the start says what nobody reads."""
        self.outline, self.system = outline, outline.system
        self.values: dict[Address, set[Value] | None] = {place.address: set() for place in self.system.places}
        self.unread: dict[Address, set[Value]] = {}  # those of the values that are never there when somebody looks
        self.choices: list[dict[Choice, None]] = [{} for _ in self.system.commands]
        self.blocked: dict[Address, list[Candidate]] = {}  # by the place whose values forbid them
        self.readers: dict[Address, list[Candidate]] = {}
        self.waiting: dict[Candidate, None] = {}
        self.begun: set[Candidate] = set()  # those that may run
        self.done: set[Write] = set()  # what is written down is added once
        self.messages = Messages(self.system, outline.targets)
        self.receivers: dict[Address, list[Candidate]] = {}  # by the queue
        self.start(starts, forgotten_at_start(self.system) if from_start else frozenset())
        for c in outline.at_once:
            self.propose(c, {})
        self.run()

    def begin_also(self, states: Iterable[State]) -> None:
        """Let runs begin in these states, too."""
        self.start(states, frozenset())
        self.run()

    def start(self, states: Iterable[State], forgotten: Set[Address]) -> None:
        for s in states:
            self.messages.start(s)
            for place, value in zip(self.system.places, s, strict=True):
                self.add(place.address, frozenset([value]), place.address in forgotten)

    def can_run(self, c: int) -> bool:
        """Whether command c may ever run, or fail before it is known that it cannot."""
        return bool(self.choices[c])

    def run(self) -> None:
        """Look at every candidate that may run, and again whenever a place it copies got new values."""
        while self.waiting:
            candidate = next(iter(self.waiting))
            del self.waiting[candidate]
            if candidate not in self.begun:
                self.begin(candidate)
            self.apply(self.outline.writes(candidate), self.system.commands[candidate.command])

    # Candidates.

    def propose_waiting(self, address: Address, known: Set[Value], news: Values) -> None:
        """The commands that wait for a place to have a value that it may have from now on (None: any but the known)."""
        variable, owners, indices = address
        watched = self.outline.watched.get((variable, indices), {})
        for value in [v for v in watched if v not in known] if news is None else sorted(news, key=repr):
            for c, watch in watched.get(value, ()):
                if watch.parameter is None and watch.owners == owners:
                    self.propose(c, {})
                elif watch.parameter is not None and owners[0] in self.outline.ranged[c][watch.parameter]:
                    self.propose(c, {watch.parameter: owners[0]})

    def propose(self, c: int, fixed: dict[str, int]) -> None:
        """The command for all choices with these atoms."""
        for candidate in self.outline.candidates(c, fixed):
            self.consider(candidate)

    def consider(self, candidate: Candidate) -> None:
        """What once holds will always do, so it is enough to wait for the first test that does not."""
        single: dict[Address, list[tuple[int, Test]]] = {}
        for position, test in candidate.tests:
            before = position if test is None else self.forbidden_by(position, test, single)
            if before is not None:
                if self.outline.may_fail_before(candidate, before):
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

    def begin(self, candidate: Candidate) -> None:
        """Note that a candidate may run from now on, and what it looks at."""
        self.begun.add(candidate)
        self.choices[candidate.command][candidate.choice] = None
        values = [w.value for w in self.outline.writes(candidate) if w.values is None]
        for address in dict.fromkeys(address for e in values for address in addresses_of(e)):
            self.readers.setdefault(address, []).append(candidate)
        for address in dict.fromkeys(address for e in values for address in self.messages.queues_in(e)):
            self.receivers.setdefault(address, []).append(candidate)

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
            case Apply(Operator.MODULO, (operand, Literal(int(n)))) if 0 < n <= MOST_REMAINDERS:
                values = self.summed(operand, command)
                return frozenset(range(1 - n, n) if values is None else (modulo(v, n) for v in values))  # type: ignore[arg-type]
            case Part(Apply(Operator.FIRST, (queue,)), k):
                return self.messages.of(queue, k, lambda inner: self.abstract(inner, command))
            case _:
                return None

    def summed(self, e: Expr, command: Command) -> Values:
        """The same, of sums and differences too: only where a remainder is taken of it, for a counter would go through
        all the numbers that its type has."""
        match e:
            case Apply((Operator.ADD | Operator.SUBTRACT) as operator, operands):
                found = [values for o in operands if (values := self.summed(o, command)) is not None]
                if len(found) < len(operands) or prod(map(len, found)) > MOST_VALUES:
                    return None
                return frozenset(MEANING[operator](*values) for values in product(*found))
            case _:
                return self.abstract(e, command)


def forgotten_at_start(system: System) -> frozenset[Address]:
    """The places that hold at the start what nobody reads."""
    found: list[set[Address]] = []
    for command in system.start:
        last = {static_address(a.target): a for a in assignments_in(command.effect)}
        found.append({at for at, a in last.items() if at is not None and a.forgets and isinstance(a.value, Literal)})
    return frozenset(set.intersection(*found)) if found else frozenset()


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
