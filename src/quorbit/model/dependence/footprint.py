"""What an effect does to each place it touches, in the few words that tell whether two effects commute.

``read``: only looks at it.  ``set``: only gives it one constant.  ``add``: only adds to it, modulo a power of two.
``head``: takes from the front of a queue that is not empty, or looks there.  ``tail``: appends to a queue with room.
``write``: anything else.  A send and a receive of a FIFO channel commute (SPIN's xr and xs: who else sends or receives
follows from the guards).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.model.dependence.abstract import Known, Values, values_of
from quorbit.model.dependence.access import NO_PLACES, Domains, Places, Reader
from quorbit.model.system.command import Assign, Branch, Loop, Pick, Require, Step, Together, assignments_in
from quorbit.model.system.expression import Apply, Expr, Literal, Operator, Parameter, Read, Wrap
from quorbit.model.system.types import Value
from quorbit.model.system.walk import domain_expressions, parts
from quorbit.source.frozen import frozen

O = Operator
READ, SET, ADD, HEAD, TAIL, WRITE = "read", "set", "add", "head", "tail", "write"
PEEK, TAKE = "peek", "take"  # at the front of a queue; both become HEAD


@frozen
class Use:
    """How a place is used; ``value``: the constant of SET, or the bits of ADD (negative: signed)."""

    style: str
    value: Value | None = None


Footprint = dict[int, Use]  # by place


def commute(a: Use, b: Use) -> bool:
    """Whether the two uses of one place may change their order."""
    match a.style, b.style:
        case ("read", "read") | ("head", "tail") | ("tail", "head"):
            return True
        case ("set", "set") | ("add", "add"):
            return a.value == b.value
        case _:
            return False


class Steps:
    """What the steps of an effect do, one after the other; ``known``: what is known of the places before them."""

    def __init__(self, reader: Reader, domains: Domains, known: Known) -> None:
        self.reader, self.domains, self.known = reader, domains, known
        self.uses: dict[int, list[Use]] = {}
        self.after: dict[int, Values] = {}  # the values that written places may have
        self.written: Places = NO_PLACES  # by the steps before
        self.certain: set[int] = set()  # written whatever the addresses name

    def add(self, step: Step) -> None:
        match step:
            case Together(assignments):
                self.written |= NO_PLACES.union(*map(self.assign, assignments))
            case Require(condition):
                self.read(condition)
            case Branch(test, then, other):
                self.read(test)
                self.one_of(then, other)
            case Loop(test, body):
                self.again_and_again(test, body)
            case Pick(parameter, body):
                self.with_choice(parameter, body)

    def one_of(self, *ways: tuple[Step, ...]) -> None:
        """Steps of which one list is done: a place may have been written by it, or hold what it did before."""
        before, certain, written = dict(self.after), set(self.certain), self.written
        found: list[dict[int, Values]] = []
        for way in ways:
            self.after, self.written = dict(before), written
            for step in way:
                self.add(step)
            found.append(self.after)
            written |= self.written
        self.after, self.certain, self.written = before, certain, written
        for i in dict.fromkeys(i for after in found for i in after):
            values = [after[i] if i in after else self.known(i) for after in found]
            self.after[i] = frozenset[Value]().union(*values) if None not in values else None  # type: ignore[arg-type]

    def again_and_again(self, test: Expr, body: tuple[Step, ...]) -> None:
        """The second round sees what the first has left."""
        for _ in range(2):
            self.read(test)
            self.one_of(body, ())
        for a in assignments_in(body):
            for i in self.reader.targets(a.target, self.domains):
                self.after[i] = None

    def with_choice(self, parameter: Parameter, body: tuple[Step, ...]) -> None:
        """Which place is free depends on all of them, and each may be the one that is written."""
        outer, self.domains = self.domains, {**self.domains, parameter.name: parameter.domain}
        for e in domain_expressions(parameter.domain):
            self.read(e)
        for step in body:
            self.add(step)
        self.domains = outer

    def assign(self, a: Assign) -> Places:
        targets = self.reader.targets(a.target, self.domains)
        for part in (*a.target.owners, *a.target.indices):
            self.read(part)
        place = self.reader.static(a.target)
        if place is None:
            self.read(a.value)
            for i in targets:
                self.note(i, Use(WRITE))
                self.after[i] = None
            return targets
        self.note(place, self.described(place, a))
        fresh = self.reader.reads(a.value, self.domains).isdisjoint(self.written)
        self.after[place] = values_of(self.reader, a.value, self.known) if fresh else None
        self.certain.add(place)
        return frozenset((place,))

    def described(self, place: int, a: Assign) -> Use:
        """How an assignment uses its target; what else its value reads is noted."""
        match a.value:
            case Literal(value):
                return Use(SET, value)
            case Apply(O.APPEND, (Read() as queue, message)) if self.reader.static(queue) == place:
                self.read(message)
                return Use(TAIL)
            case Apply(O.REST, (Read() as queue,)) if self.reader.static(queue) == place:
                return Use(TAKE)
            case Wrap(Apply(O.ADD | O.SUBTRACT, (Read() as old, more)), bits, signed) if (
                self.reader.static(old) == place
            ):
                self.read(more)  # its place, too: then it is more than an addition
                return Use(ADD, -bits if signed else bits)
        self.read(a.value)
        return Use(WRITE)

    def read(self, e: Expr) -> None:
        heads = frozenset(self.looked_at_heads(e))
        others = self.others(e)
        for i in others:
            self.note(i, Use(READ))
        for i in heads - others:
            self.note(i, Use(PEEK))

    def looked_at_heads(self, e: Expr) -> Iterator[int]:
        """Queues of which only the first message is looked at."""
        match e:
            case Apply(O.FIRST, (Read() as queue,)) if (i := self.reader.static(queue)) is not None:
                yield i
            case _:
                for part in parts(e):
                    yield from self.looked_at_heads(part)

    def others(self, e: Expr) -> Places:
        """What is read in any other way."""
        match e:
            case Apply(O.FIRST, (Read() as queue,)) if self.reader.static(queue) is not None:
                return NO_PLACES
            case Apply():
                return NO_PLACES.union(*map(self.others, e.operands))
            case _ if any(True for _ in self.looked_at_heads(e)):
                own = self.reader.targets(e, self.domains) if isinstance(e, Read) else NO_PLACES
                return own.union(*map(self.others, parts(e)))
            case _:
                return self.reader.reads(e, self.domains)

    def note(self, i: int, use: Use) -> None:
        self.uses.setdefault(i, []).append(Use(WRITE) if i in self.written and use.style != SET else use)


def summarised(uses: dict[int, list[Use]], filled: Places, roomy: Places) -> Footprint:
    """One use for each place; ``filled``: queues that the guard says are not empty, ``roomy``: that have room."""
    return {i: together(dict.fromkeys(found), i in filled, i in roomy) for i, found in uses.items()}


def together(found: Iterable[Use], filled: bool, roomy: bool) -> Use:
    uses = list(found)
    styles = {use.style for use in uses}
    if styles <= {READ, PEEK} and (READ in styles or not filled):
        return Use(READ)
    if styles <= {PEEK, TAKE} and filled:
        return Use(HEAD)
    if styles == {TAIL} and roomy:
        return Use(TAIL)
    if styles in ({SET}, {ADD}) and len(uses) == 1:
        return uses[0]
    return Use(WRITE)


def is_writing(use: Use) -> bool:
    """HEAD too may only look, but then it is no worse to say that it takes."""
    return use.style != READ
