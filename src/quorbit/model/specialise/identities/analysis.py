"""Find which numbers of a System may stand for atoms: a unification over everything it says.

Whatever is copied, compared for equality or used as an index of one dimension is in one class (identity_classes.py).
"""

from __future__ import annotations

from quorbit.model.specialise.constants import is_never_again, only_move
from quorbit.model.specialise.identities.classes import ELEMENT, MOST_FREE, Class, Pin, pin, pinned, unify
from quorbit.model.specialise.identities.steps import place_stepped, value_at
from quorbit.model.specialise.numbering import numberings
from quorbit.model.specialise.start import Started
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together, assignments_in
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Compute,
    Condition,
    Elements,
    Enabled,
    Expr,
    Fresh,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Parameter,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system.properties import property_expressions
from quorbit.model.system.system import State, System, Variable, places_of
from quorbit.model.system.types import NONE, AtomOf, Number, QueueOf, SetOf, TupleOf, Type, Value, default
from quorbit.model.system.walk import parts
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE

O = Operator


@frozen
class Compared:
    """A comparison of a subject with a number, which stands on the left or on the right."""

    comparison: Apply
    subject: Class
    of: Expr
    bound: int
    bound_first: bool

    def answer(self, n: int) -> bool:
        """What it says of a number."""
        low, high = (self.bound, n) if self.bound_first else (n, self.bound)
        return low < high if self.comparison.operator is O.LESS else low <= high


@frozen
class Stepped:
    """A number computed from what one place holds, and the class of both."""

    number: Expr
    place: Read
    of: Class


class Analysis:
    """The classes of everything a System says.

    ``scratch``: variables that count through the slots of arrays inside steps which nobody can interrupt.  They stay
    numbers without pinning what they choose from: where one is an index or is compared, the number is looked up.
    ``values``: numbers that are nobody's may stand for something, too."""

    def __init__(self, started: Started, scratch: frozenset[str] = frozenset(), values: bool = False) -> None:
        self.system = system = started.system
        self.started, self.starts = started, started.states
        self.scratch = scratch
        self.seen_steps: set[int] = set()  # of the command that is looked at
        self.variables = {v.name: Class() for v in system.variables}
        self.indices = {(v.name, k): Class() for v in system.variables for k in range(len(v.shape))}
        self.definitions = {d.name: Class() for d in system.definitions}
        self.classes: dict[int, tuple[Expr, Class]] = {}
        self.parameters: dict[tuple[int, str], Class] = {}  # by command and name; quantifiers by their own number
        self.looked_up: list[tuple[Class, AtomAt]] = []
        self.wrapped: list[tuple[Class, Wrap]] = []
        self.compared: dict[int, Compared] = {}  # by the id of the comparison, which ``classes`` keeps
        self.stepped: dict[int, Stepped] = {}  # by the id of the number
        self.values = values
        self.analyse()

    def analyse(self) -> None:
        for name in self.scratch:
            self.variables[name].pins.append(Pin(NOWHERE, "counts through an array"))
        for command in (*self.system.start, *self.system.commands):
            self.command(command)
        for d in self.system.definitions:
            unify(self.definitions[d.name], self.of(d.body, {}))
        self.test(self.system.transient, {})
        for p in self.system.properties:
            for e in property_expressions(p):
                self.test(e, {})
        for v in self.system.variables:
            if not is_all_set(self.system, v):
                self.note_value(self.variables[v.name], v.type, default(v.type))
        self.check_wraps()
        self.take_numbers_from_definitions()
        self.take_numbers_from_look_ups()
        self.check_steps()
        self.take_numbers_from_the_start()
        self.check_comparisons()

    def check_comparisons(self) -> None:
        """`x < N` is answered for each number of a class that stands for atoms, mostly alike for all; elsewhere, and
        where there are many numbers, it looks inside."""
        for asked in self.compared.values():
            c = asked.subject.find()
            if not c.atoms or (len(c.numbers) > MOST_ANSWERS and len({asked.answer(n) for n in c.atoms}) > 1):
                c.pins.append(looking_inside(asked.comparison))

    def check_steps(self) -> None:
        """`(turn + 1) % N` looks inside a number, unless it leads from every number of a class to one of that class."""
        for c in {id(c): c for c in (found.of.find() for found in self.stepped.values())}.values():
            steps = [found for found in self.stepped.values() if found.of.find() is c]
            if c.pins or not (c.atoms or self.values) or not self.close(c, steps):
                c.pins += [looking_inside(found.number) for found in steps]

    def close(self, c: Class, steps: list[Stepped]) -> bool:
        """Take in the numbers that the steps lead to; False if they are too many or too large (`a * a` once and again),
        or if a step leads nowhere."""
        waiting = c.numbers
        most = MOST_ANSWERS if not c.atoms else len(c.atoms) + MOST_FREE
        while waiting:
            n = waiting.pop()
            for found in steps:
                led = value_at(found.number, found.place, n)
                if led is None or abs(led) > LARGEST or len(c.numbers) > most:
                    return False
                if led not in c.atoms and led not in c.others:
                    c.others[led] = None
                    waiting.append(led)
        return all(abs(n) <= LARGEST for n in c.numbers)

    def check_wraps(self) -> None:
        """Cutting a number to some bits looks inside it, unless every number of its class fits."""
        for c, e in self.wrapped:
            c = c.find()
            low, high = (-(1 << e.bits - 1), (1 << e.bits - 1) - 1) if e.signed else (0, (1 << e.bits) - 1)
            if not all(low <= n <= high for n in (*c.atoms, *c.others)):
                c.pins.append(Pin(e.span, "a number does not fit"))

    def take_numbers_from_definitions(self) -> None:
        """Constants that are different for every process (`run p(0); run p(1)`) number the processes."""
        for name, numbers in numberings(self.system).items():
            c = self.definitions[name].find()
            if not c.atoms and not c.pins:
                c.atoms = dict(numbers)

    def take_numbers_from_look_ups(self) -> None:
        """Numbers that do nothing but choose from one list of atoms stand for these atoms."""
        for c, e in self.looked_up:
            c = c.find()
            if not c.atoms and all(other.numbering == e.numbering and other.first == e.first
                                   for d, other in self.looked_up if d.find() is c):  # fmt: skip
                c.atoms = {e.first + k: a for k, a in enumerate(e.numbering) if a != NONE}

    def take_numbers_from_the_start(self) -> None:
        """A variable that starts with a different number for every owner numbers its owners."""
        candidates = [v for v in self.system.variables if self.may_number(v)]
        if not candidates or self.starts is None or len(self.starts) != 1:
            return
        first = only_move(self.system, self.starts)
        numbered = self.numbered(candidates, first.target if first else self.starts[0])
        if numbered and first is not None and not is_never_again(self.started, first):
            numbered = self.numbered(candidates, self.starts[0])
        for name, numbers in numbered.items():
            self.variables[name].find().atoms = numbers

    def numbered(self, candidates: list[Variable], s: State) -> dict[str, dict[int, int]]:
        """The variables that have a different number for every owner: number -> owner."""
        found = {}
        for v in candidates:
            numbers = {s[self.system.index[place.address]]: place.owners[0] for place in places_of(v)}
            if len(numbers) == len(v.owners[0]):
                found[v.name] = numbers
        return found  # type: ignore[return-value]

    def may_number(self, v: Variable) -> bool:
        """Whether a variable has one number for each of several atoms, about which nothing else is known."""
        c = self.variables[v.name].find()
        if any(found.of.find() is c for found in self.stepped.values()):
            return False  # a position, which moves on
        is_plain = len(v.owners) == 1 and not v.shape and isinstance(v.type, Number)
        return is_plain and len(v.owners[0]) > 1 and NONE not in v.owners[0] and not c.atoms and not c.pins

    # Commands.

    def command(self, command: Command) -> None:
        scope: dict[str, Class] = {}
        for parameter in command.parameters:
            scope[parameter.name] = self.domain(parameter, scope)
            self.parameters[id(command), parameter.name] = scope[parameter.name]
        self.test(command.guard, scope)
        for actor in command.actors:
            self.of(actor, scope)
        self.seen_steps.clear()
        for step in command.effect:
            self.step(step, scope)

    def step(self, step: Step, scope: dict[str, Class]) -> None:
        """A step of this command; one that stands in several places is looked at once."""
        if id(step) in self.seen_steps:
            return
        self.seen_steps.add(id(step))
        match step:
            case Together(assignments):
                for a in assignments:
                    self.assign(a, scope)
            case Require(condition):
                self.test(condition, scope)
            case Branch(test, then, other):
                self.test(test, scope)
                for inner in (*then, *other):
                    self.step(inner, scope)
            case Loop(test, body):
                self.test(test, scope)
                for inner in body:
                    self.step(inner, scope)
            case Pick(parameter, body):
                c = self.domain(parameter, scope)
                for inner in body:
                    self.step(inner, {**scope, parameter.name: c})

    def assign(self, a: Assign, scope: dict[str, Class]) -> None:
        """A value that nobody reads does not belong to the class."""
        target, value = self.target(a.target, scope), self.of(a.value, scope)
        if is_forgetful(a):
            target.find().forgotten = True
        else:
            unify(target, value)

    def target(self, e: Read, scope: dict[str, Class]) -> Class:
        """Like a read, but a literal index uses no number: that slot may be one that nobody can address."""
        for k, index in enumerate(e.indices):
            if not isinstance(index, Literal):
                self.index(e.variable, k, index, scope)
        for owner in e.owners:
            self.of(owner, scope)
        return self.variables[e.variable]

    def index(self, variable: str, k: int, index: Expr, scope: dict[str, Class]) -> None:
        """An index is of the class of its dimension; one that counts may be any number inside."""
        c = self.of(index, scope)
        if not self.counts(index):
            unify(self.indices[variable, k], c)
            return
        size = self.system.variable[variable].shape[k]
        self.indices[variable, k].find().others.update(dict.fromkeys(range(size)))

    def counts(self, e: Expr) -> bool:
        """Whether e is computed from a variable that counts; what stands in a slot that it chooses is not."""
        if not self.scratch:
            return False
        if isinstance(e, Read):
            return e.variable in self.scratch
        return any(map(self.counts, parts(e)))

    def domain(self, parameter: Parameter, scope: dict[str, Class]) -> Class:
        c = Class()
        match parameter.domain:
            case Interval(low, high):
                c.others.update(dict.fromkeys(range(low, min(high, low + MOST_NUMBERS) + 1)))
                if high - low > MOST_NUMBERS:
                    c.pins.append(Pin(NOWHERE, "a large range"))
            case Elements(set=e):
                return self.of(e, scope).part(ELEMENT)
            case Fresh(free=e):
                self.test(e, {**scope, parameter.name: c})
            case Atoms():
                pass
        return c

    # Expressions.

    def of(self, e: Expr, scope: dict[str, Class]) -> Class:
        """The class of an expression; noted, for it is asked for again when the expression is rewritten."""
        c = self.find(e, scope)
        self.classes[id(e)] = (e, c)
        return c

    def find(self, e: Expr, scope: dict[str, Class]) -> Class:
        if (place := place_stepped(e)) is not None and not self.counts(e):
            self.note_inside(e, scope)
            c = self.of(place, scope)
            self.stepped[id(e)] = Stepped(e, place, c)
            return c
        match e:
            case Literal(value, type):
                return self.note_value(Class(), type, value)
            case Bound(name):
                return scope.setdefault(name, Class())
            case Read(variable, owners, indices):
                for owner in owners:
                    self.of(owner, scope)
                for k, index in enumerate(indices):
                    self.index(variable, k, index, scope)
                return self.variables[variable]
            case Use(definition, owners):
                for owner in owners:
                    self.of(owner, scope)
                return self.definitions.setdefault(definition, Class())  # of no places: to look there is a fault
            case NumberOf(inner, numbering, first, none):
                self.of(inner, scope)
                numbers = {first + k: a for k, a in enumerate(numbering) if a != NONE}
                return Class(atoms=numbers, others={} if none is None else {none: None})
            case AtomAt(inner):
                self.looked_up.append((self.of(inner, scope), e))
                return Class()
            case Apply():
                return self.apply(e, scope)
            case Part(whole, k):
                return self.of(whole, scope).part(k)
            case Condition(test, then, other):
                self.test(test, scope)
                return self.together([then, other], scope)
            case Otherwise(body, other):
                return self.together([body, other], scope)
            case Compute(operands=operands):
                for operand in operands:
                    pin(self.of(operand, scope), Pin(e.span, "a computation looks inside it"))
                return pinned(e.span, "computed")
            case Wrap(operand):
                c = self.of(operand, scope)
                self.wrapped.append((c, e))
                return c
            case Quantify():
                return self.quantify(e, scope)
            case Enabled(actor):
                if actor is not None:
                    self.of(actor, scope)
                return pinned(e.span, "a truth value")
            case _:
                assert_never(e)

    def note_inside(self, e: Expr, scope: dict[str, Class]) -> None:
        """The parts of a number computed from one place are numbers, whatever the place holds."""
        for part in parts(e):
            if isinstance(part, Read):
                self.of(part, scope)
            else:
                self.classes[id(part)] = (part, pinned(part.span, "computed"))
                self.note_inside(part, scope)

    def apply(self, e: Apply, scope: dict[str, Class]) -> Class:
        match e.operator, e.operands:
            case O.EQUAL, operands if any(map(self.counts, operands)):
                for operand in operands:
                    self.of(operand, scope)
                return pinned(e.span, "a truth value")
            case ((O.EQUAL | O.SUBSET), operands):
                self.together(list(operands), scope)
                return pinned(e.span, "a truth value")
            case ((O.UNION | O.INTERSECTION | O.DIFFERENCE | O.PRESENT), operands):
                return self.together(list(operands), scope)
            case ((O.SET | O.QUEUE), operands):
                c = Class()
                for operand in operands:
                    unify(c.part(ELEMENT), self.of(operand, scope))
                return c
            case O.TUPLE, operands:
                return Class(parts={k: self.of(operand, scope) for k, operand in enumerate(operands)})
            case O.MEMBER, (element, whole):
                unify(self.of(whole, scope).part(ELEMENT), self.of(element, scope))
                return pinned(e.span, "a truth value")
            case O.APPEND, (queue, message):
                c = self.of(queue, scope)
                unify(c.part(ELEMENT), self.of(message, scope))
                return c
            case O.REST, (queue,):
                return self.of(queue, scope)
            case O.FIRST, (queue,):
                return self.of(queue, scope).part(ELEMENT)
            case ((O.ELEMENT | O.WITHOUT), (queue, k)):
                pin(self.of(k, scope), Pin(e.span, "a position in a queue"))
                c = self.of(queue, scope)
                return c.part(ELEMENT) if e.operator is O.ELEMENT else c
            case O.SIZE, (operand,):
                self.of(operand, scope)
                return pinned(e.span, "a size")
            case ((O.AND | O.OR | O.NOT), operands):
                for operand in operands:
                    self.test(operand, scope)
                return pinned(e.span, "a truth value")
            case ((O.LESS | O.LESS_EQUAL), operands) if (asked := self.comparison(e, scope)) is not None:
                self.compared[id(e)] = asked
                return pinned(e.span, "a truth value")
            case O.INSERT_SORTED, (queue, message):
                c = self.of(queue, scope)
                unify(c.part(ELEMENT), self.of(message, scope))
                pin(c, Pin(e.span, "messages are sorted"))
                return c
            case _, operands:
                for operand in operands:
                    pin(self.of(operand, scope), looking_inside(e))
                return pinned(e.span, f"computed by '{e.operator.value}'")

    def comparison(self, e: Apply, scope: dict[str, Class]) -> Compared | None:
        """A comparison of something with a number that is written down."""
        match e.operands:
            case (subject, Literal(int(n)) as bound) if not isinstance(subject, Literal):
                self.of(bound, scope)
                return Compared(e, self.of(subject, scope), subject, n, False)
            case (Literal(int(n)) as bound, subject) if not isinstance(subject, Literal):
                self.of(bound, scope)
                return Compared(e, self.of(subject, scope), subject, n, True)
            case _:
                return None

    def together(self, operands: list[Expr], scope: dict[str, Class]) -> Class:
        first, *rest = [self.of(operand, scope) for operand in operands]
        for c in rest:
            unify(first, c)
        return first.find()

    def test(self, e: Expr, scope: dict[str, Class]) -> None:
        """An expression used as a truth value."""
        pin(self.of(e, scope), Pin(e.span, "used as a truth value"))

    def quantify(self, e: Quantify, scope: dict[str, Class]) -> Class:
        c = self.domain(e.parameter, scope)
        self.parameters[id(e), e.parameter.name] = c
        inner = {**scope, e.parameter.name: c}
        self.test(e.condition, inner)
        body = self.of(e.body, inner)
        if e.quantifier is Quantifier.COLLECT:
            return Class(parts={ELEMENT: body})
        pin(body, Pin(e.span, "used as a truth value or summed"))
        return pinned(e.span, "computed by a quantifier")

    def note_value(self, c: Class, type: Type, value: Value) -> Class:
        """Record the numbers in a value that is written down."""
        match type, value:
            case TupleOf(parts), tuple():
                for k, (t, v) in enumerate(zip(parts, value, strict=True)):
                    self.note_value(c.part(k), t, v)
            case ((QueueOf(element) | SetOf(element)), (tuple() | frozenset())):
                for v in value:
                    self.note_value(c.part(ELEMENT), element, v)
            case AtomOf(), _:
                pass
            case _, int():
                c.find().others[value] = None
        return c


MOST_NUMBERS = 300
LARGEST = 1 << 12  # number among those that steps lead between: all up to it are listed
MOST_ANSWERS = 64


def looking_inside(e: Expr) -> Pin:
    operator = e.operator.value if isinstance(e, Apply) else "->"
    return Pin(e.span, f"'{operator}' looks inside it")


def is_forgetful(a: Assign) -> bool:
    """Whether another value may be put in the place of this one: a number that nobody reads."""
    return a.forgets and isinstance(a.value, Literal) and isinstance(a.value.value, int)


def is_all_set(system: System, variable: Variable) -> bool:
    """Whether every start command writes every place of the variable by name."""
    count = 1
    for atoms in variable.owners:
        count *= len(atoms)
    for size in variable.shape:
        count *= size
    for command in system.start:
        targets = {a.target for a in assignments_in(command.effect) if a.target.variable == variable.name}
        if len(targets) < count:
            return False
    return True
