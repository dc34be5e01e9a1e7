"""Which numbers an expression may be, wherever it stands: what is written to variables and sent in messages, followed
back to what is written down.  Nothing is computed: a sum of stored numbers may be anything."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.model.meaning.evaluate import wrap
from quorbit.model.specialise.start import Started
from quorbit.model.system.command import Assign, assignments_in
from quorbit.model.system.expression import Apply, Condition, Expr, Literal, NumberOf, Operator, Part, Read, Use, Wrap
from quorbit.model.system.types import INTEGER, NONE
from quorbit.model.system.walk import walk

Numbers = frozenset[int] | None  # None: any
ANY: Numbers = None
NO_NUMBERS: frozenset[int] = frozenset()

__all__ = ["WhichNumbers"]


class WhichNumbers:
    """The numbers that the variables and messages of one System may hold, found when they are asked for."""

    def __init__(self, started: Started) -> None:
        self.system, self.states = started.system, started.states or ()
        self.writes: dict[str, list[Assign]] = {}
        for command in (*self.system.commands, *self.system.start):
            for a in assignments_in(command.effect):
                self.writes.setdefault(a.target.variable, []).append(a)
        self.known: dict[tuple[str, int | None], Numbers] = {}  # by variable and part, so far

    def numbers_of(self, e: Expr) -> Numbers:
        """The numbers that e may be: what is known of all that it depends on grows until nothing is new."""
        self.of(e)
        while True:
            before = dict(self.known)
            for variable, part in before:
                self.known[variable, part] = self.collected(variable, part)
            if self.known == before:
                return self.of(e)

    def of(self, e: Expr) -> Numbers:
        """The same as far as it is known."""
        match e:
            case Literal(int(n)):
                return frozenset([n])
            case Use(name):
                return union(self.of(d.body) for d in self.system.definitions if d.name == name)
            case NumberOf(_, numbering, first, none):
                numbers = frozenset(first + k for k, a in enumerate(numbering) if a != NONE)
                return numbers if none is None else numbers | {none}
            case Apply(Operator.ADD | Operator.SUBTRACT as operator, (NumberOf() | Use() as inner, Literal(int(n)))):
                found, k = self.of(inner), n if operator is Operator.ADD else -n
                return None if found is None else frozenset(m + k for m in found)
            case Wrap(operand, bits, signed):
                found = self.of(operand)
                return None if found is None else frozenset(wrap(n, bits, signed) for n in found)
            case Condition(_, then, other):
                return union(map(self.of, (then, other)))
            case Read(variable):
                return self.held(variable, None)
            case Part(Apply(Operator.FIRST | Operator.ELEMENT, (Read(variable), *_)), k):
                return self.held(variable, k)
            case _:
                return ANY

    def held(self, variable: str, part: int | None) -> Numbers:
        """What a variable may hold, or a part of the messages in a queue, as far as it is known."""
        return self.known.setdefault((variable, part), NO_NUMBERS)

    def collected(self, variable: str, part: int | None) -> Numbers:
        """What is there at the start, and what is written or sent."""
        if not self.states or self.known[variable, part] is None:
            return ANY
        values = [s[k] for s in self.states for k, p in enumerate(self.system.places) if p.variable == variable]
        first = values if part is None else [m[part] for queue in values for m in queue]  # type: ignore[index, union-attr]
        if not all(isinstance(n, int) for n in first):
            return ANY
        written = [a.value for a in self.writes.get(variable, ())]
        sent = written if part is None else [e for value in written for e in parts_sent(value, part)]
        return union([frozenset(n for n in first if isinstance(n, int)), *map(self.of, sent)])


def parts_sent(value: Expr, k: int) -> Iterator[Expr]:
    """Part k of the messages that are put into a queue."""
    for e in walk(value):
        match e:
            case Apply(Operator.APPEND | Operator.INSERT_SORTED, (_, Apply(Operator.TUPLE, parts))):
                yield parts[k]
            case Apply(Operator.APPEND | Operator.INSERT_SORTED, (_, Literal(tuple(message)))):
                yield Literal(message[k], INTEGER)
            case Apply(Operator.APPEND | Operator.INSERT_SORTED, (_, other)):
                yield other


def union(found: Iterable[Numbers]) -> Numbers:
    sets = list(found)
    known = [numbers for numbers in sets if numbers is not None]
    return NO_NUMBERS.union(*known) if len(known) == len(sets) else ANY
