"""Find the numbers that stand for atoms, and let them be atoms.

People number their processes: `_pid`, a parameter `id`, an array indexed by it, a message that carries it.  Wherever
such a number is only copied, compared for equality and used as an index, it is the atom that counts and not its number.
The analysis is unification: everything that may hold the same numbers forms a class, with what is known of it: which
atoms have which numbers, which other numbers occur, and what looks inside (order, arithmetic), which *pins* the class:
it stays a class of numbers, and the reason is kept.

One number of a class may belong to no atom (0 often says "none"); it becomes NONE.  A slot of an array indexed by a
class belongs to the atom with its number; slots nobody can address go.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from quorbit.model.command import Assign, Command, Require, Step, Together
from quorbit.model.constants import first_move
from quorbit.model.evaluate import Meaning
from quorbit.model.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Condition,
    Domain,
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
    atom,
    number,
)
from quorbit.model.mapping import map_system
from quorbit.model.numbering import numberings
from quorbit.model.properties import changed_property, property_expressions
from quorbit.model.system import Atom, Definition, System, Variable, places_of
from quorbit.model.types import NONE, AtomOf, Number, QueueOf, SetOf, Truth, TupleOf, Type, Value, atoms_in, default
from quorbit.model.walk import map_parameter, map_parts
from quorbit.source.span import NOWHERE, Span

O = Operator
ELEMENT = "*"  # the part of a class of sets or queues that stands for what they hold


@dataclass(frozen=True)
class Pin:
    """Something that looks inside a class of identities, so that it stays a class of numbers."""

    span: Span
    reason: str


@dataclass(eq=False)
class Class:
    """A class of places and expressions that may hold the same values; its parts, if these are compound."""

    parent: Class | None = None
    parts: dict[int | str, Class] = field(default_factory=dict)
    atoms: dict[int, int] = field(default_factory=dict)  # number -> atom
    others: dict[int, None] = field(default_factory=dict)  # numbers that are written down
    pins: list[Pin] = field(default_factory=list)

    def find(self) -> Class:
        c = self
        while c.parent is not None:
            c = c.parent
        return c

    def part(self, name: int | str) -> Class:
        return self.find().parts.setdefault(name, Class()).find()

    @property
    def free_numbers(self) -> list[int]:
        """The numbers in use that are nobody's."""
        return sorted(n for n in self.others if n not in self.atoms)

    @property
    def is_identity(self) -> bool:
        return bool(self.atoms) and not self.pins and len(self.free_numbers) <= 1

    @property
    def none(self) -> int | None:
        return self.free_numbers[0] if self.free_numbers else None

    def type(self) -> AtomOf:
        return AtomOf(tuple(sorted(set(self.atoms.values()))), self.none is not None)


def unify(a: Class, b: Class) -> None:
    a, b = a.find(), b.find()
    if a is b:
        return
    b.parent = a
    for n, x in b.atoms.items():
        if a.atoms.setdefault(n, x) != x:
            a.pins.append(Pin(NOWHERE, "one number stands for different atoms"))
    if len(set(a.atoms.values())) < len(a.atoms):
        a.pins.append(Pin(NOWHERE, "one atom has different numbers"))
    a.others.update(b.others)
    a.pins += b.pins
    for name, part in b.parts.items():
        if name in a.parts:
            unify(a.parts[name], part)
        else:
            a.parts[name] = part


class Analysis:
    """The classes of everything a System says."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.variables = {v.name: Class() for v in system.variables}
        self.indices = {(v.name, k): Class() for v in system.variables for k in range(len(v.shape))}
        self.definitions = {d.name: Class() for d in system.definitions}
        self.classes: dict[int, tuple[Expr, Class]] = {}
        self.parameters: dict[tuple[int, str], Class] = {}  # by command and name; quantifiers by their own number
        self.looked_up: list[tuple[Class, AtomAt]] = []
        self.wrapped: list[tuple[Class, Wrap]] = []
        self.analyse()

    def analyse(self) -> None:
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
        self.take_numbers_from_the_start()

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
        if not candidates or any(command.parameters for command in self.system.start):
            return
        initial = Meaning(self.system).initial_states()
        if len(initial) != 1:
            return
        first = first_move(self.system, initial)
        state = first.target if first else initial[0]
        for v in candidates:
            numbers = {state[self.system.index[place.address]]: place.owners[0] for place in places_of(v)}
            if len(numbers) == len(v.owners[0]):
                self.variables[v.name].find().atoms = numbers  # type: ignore[assignment]

    def may_number(self, v: Variable) -> bool:
        """Whether a variable has one number for each of several atoms, about which nothing else is known."""
        c = self.variables[v.name].find()
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
        for step in command.effect:
            self.step(step, scope)

    def step(self, step: Step, scope: dict[str, Class]) -> None:
        match step:
            case Together(assignments):
                for a in assignments:
                    unify(self.target(a.target, scope), self.of(a.value, scope))
            case Require(condition):
                self.test(condition, scope)

    def target(self, e: Read, scope: dict[str, Class]) -> Class:
        """Like a read, but a literal index uses no number: that slot may be one that nobody can address."""
        for k, index in enumerate(e.indices):
            if not isinstance(index, Literal):
                unify(self.indices[e.variable, k], self.of(index, scope))
        for owner in e.owners:
            self.of(owner, scope)
        return self.variables[e.variable]

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
        match e:
            case Literal(value, type):
                return self.note_value(Class(), type, value)
            case Bound(name):
                return scope.setdefault(name, Class())
            case Read(variable, owners, indices):
                for owner in owners:
                    self.of(owner, scope)
                for k, index in enumerate(indices):
                    unify(self.indices[variable, k], self.of(index, scope))
                return self.variables[variable]
            case Use(definition, owners):
                for owner in owners:
                    self.of(owner, scope)
                return self.definitions[definition]
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

    def apply(self, e: Apply, scope: dict[str, Class]) -> Class:
        match e.operator, e.operands:
            case ((O.EQUAL | O.SUBSET), operands):
                self.together(list(operands), scope)
                return pinned(e.span, "a truth value")
            case ((O.UNION | O.INTERSECTION | O.DIFFERENCE), operands):
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
            case O.INSERT_SORTED, (queue, message):
                c = self.of(queue, scope)
                unify(c.part(ELEMENT), self.of(message, scope))
                pin(c, Pin(e.span, "messages are sorted"))
                return c
            case _, operands:
                for operand in operands:
                    pin(self.of(operand, scope), Pin(e.span, f"'{e.operator.value}' looks inside it"))
                return pinned(e.span, f"computed by '{e.operator.value}'")

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


def pinned(span: Span, reason: str) -> Class:
    return Class(pins=[Pin(span, reason)])


def pin(c: Class, why: Pin) -> None:
    """Pin a class and all its parts."""
    c = c.find()
    c.pins.append(why)
    for part in c.parts.values():
        pin(part, why)


def is_all_set(system: System, variable: Variable) -> bool:
    """Whether every start command writes every place of the variable by name."""
    count = 1
    for atoms in variable.owners:
        count *= len(atoms)
    for size in variable.shape:
        count *= size
    for command in system.start:
        targets = {
            a.target
            for step in command.effect
            if isinstance(step, Together)
            for a in step.assignments
            if a.target.variable == variable.name
        }
        if len(targets) < count:
            return False
    return True


# Rewriting.


def name_identities(system: System) -> tuple[System, tuple[Pin, ...]]:
    """The System with its identities as atoms, and what kept others from being found."""
    system = map_system(system, distinct)
    analysis = Analysis(system)
    for c in analysis.variables.values():
        pin_parts(c)
    if not any(has_identity(c) for c in (*analysis.variables.values(), *analysis.indices.values())):
        return system, pins_of(analysis)
    return Rewriting(analysis).system(), pins_of(analysis)


def name_values(system: System, only: frozenset[str] | None = None) -> System:
    """The System with values as atoms too, wherever they are only copied and compared: locations, message names, bits.

    Each class of values becomes a sort of its own; ``only`` limits this to some of these sorts."""
    system = map_system(system, distinct)
    analysis = Analysis(system)
    atoms = list(system.atoms)
    for name, c in analysis.variables.items():
        pin_parts(c)
        for path, part in leaves(c):
            sort = f"value of {name}{path}"
            if (
                part.atoms
                or part.pins
                or not 1 < len(part.others) <= MOST_VALUES
                or (only is not None and sort not in only)
            ):
                continue
            for n in sorted(part.others):
                part.atoms[n] = len(atoms)
                atoms.append(Atom(str(n), sort))
    if len(atoms) == len(system.atoms):
        return system
    changed = Rewriting(analysis).system()
    return replace(changed, atoms=tuple(atoms))


MOST_VALUES = 100


def leaves(c: Class, path: str = "") -> list[tuple[str, Class]]:
    c = c.find()
    found = [(path, c)] if not c.parts else []
    for name, part in c.parts.items():
        found += leaves(part, f"{path}.{name}")
    return found


def distinct(e: Expr) -> Expr:
    """A copy in which no object stands twice, so that a class can be noted for each."""
    return map_parts(replace(e), distinct)


def pin_parts(c: Class) -> None:
    for part in c.find().parts.values():
        part.find().pins.extend(p for p in c.find().pins if p not in part.find().pins)
        pin_parts(part)


def has_identity(c: Class) -> bool:
    c = c.find()
    return c.is_identity or any(map(has_identity, c.parts.values()))


def pins_of(analysis: Analysis) -> tuple[Pin, ...]:
    """What looked inside the numbers of atoms, each reason once, where the user wrote it."""
    found: dict[Pin, None] = {}
    for c in (*analysis.variables.values(), *analysis.indices.values()):
        c = c.find()
        if c.atoms:
            found.update(dict.fromkeys(p for p in c.pins if p.span is not NOWHERE))
    return tuple(found)


class Rewriting:
    """Puts the atoms in the place of their numbers."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.tables: dict[str, list[Definition]] = {}
        self.names: dict[tuple[int, int, tuple[int, ...]], str] = {}  # of the tables: by class and list of atoms

    def system(self) -> System:
        system = self.analysis.system
        changed = replace(
            system,
            variables=tuple(map(self.variable, system.variables)),
            commands=tuple(map(self.command, system.commands)),
            start=tuple(self.start(command) for command in system.start),
            definitions=tuple(replace(d, body=self.expression(d.body)) for d in system.definitions),
            properties=tuple(changed_property(p, self.expression) for p in system.properties),
            transient=self.expression(system.transient),
        )
        tables = [d for definitions in self.tables.values() for d in definitions]
        return replace(changed, definitions=(*changed.definitions, *tables))

    def start(self, command: Command) -> Command:
        """A start command; the values that places have without a word must be said where their names changed."""
        changed = self.command(command)
        silent = [a for v in self.analysis.system.variables for a in self.silent_values(v)]
        return replace(changed, effect=(Together(tuple(silent)), *changed.effect)) if silent else changed

    def silent_values(self, variable: Variable) -> list[Assign]:
        """What the places of a variable hold by default, if the new type's default is something else or names an atom:
        a symmetry has to keep the initial states, so what they hold must be said."""
        if is_all_set(self.analysis.system, variable):
            return []
        new = self.variable(variable)
        value = self.value(self.analysis.variables[variable.name], variable.type, default(variable.type))
        is_neutral = not any(True for _ in atoms_in(new.type, value))
        if value == default(new.type) and is_neutral:
            return []
        places = (Read(p.variable, tuple(map(atom, p.owners)), tuple(map(number, p.indices))) for p in places_of(new))
        return [Assign(place, Literal(value, new.type)) for place in places]

    def command(self, command: Command) -> Command:
        parameters = []
        for p in command.parameters:
            c = self.analysis.parameters[id(command), p.name].find()
            parameters.append(Parameter(p.name, self.domain(map_parameter(p, self.expression), c)))
        return replace(
            command,
            guard=self.expression(command.guard),
            effect=tuple(map(self.step, command.effect)),
            parameters=tuple(parameters),
            actors=tuple(map(self.expression, command.actors)),
        )

    def step(self, step: Step) -> Step:
        match step:
            case Together(assignments):
                pairs = [(self.target(a.target), a.value) for a in assignments]
                return Together(tuple(Assign(target, self.expression(value)) for target, value in pairs if target))
            case Require(condition):
                return replace(step, condition=self.expression(condition))

    def target(self, e: Read) -> Read | None:
        """The place that is written; None if it is a slot that nobody can address."""
        owners = [self.expression(owner) for owner in e.owners]
        indices: list[Expr] = []
        for k, index in enumerate(e.indices):
            c = self.analysis.indices[e.variable, k].find()
            if not c.is_identity:
                indices.append(index if isinstance(index, Literal) else self.expression(index))
            elif isinstance(index, Literal) and isinstance(index.value, int):
                if index.value not in c.atoms and index.value != c.none:
                    return None
                owners.append(atom(c.atoms.get(index.value, NONE), index.span))
            else:
                owners.append(self.expression(index))
        return replace(e, owners=tuple(owners), indices=tuple(indices))

    def domain(self, parameter: Parameter, c: Class) -> Domain:
        match parameter.domain:
            case Interval(low, high) if c.is_identity:
                return Atoms(tuple(c.atoms.get(n, NONE) for n in range(low, high + 1)))
            case Elements(set=e, type=type):
                return Elements(e, self.type(c, type))
            case domain:
                return domain

    def variable(self, variable: Variable) -> Variable:
        owners, shape = list(variable.owners), []
        for k, size in enumerate(variable.shape):
            c = self.analysis.indices[variable.name, k].find()
            if c.is_identity:
                owners.append(self.slots(c, size))
            else:
                shape.append(size)
        type = self.type(self.analysis.variables[variable.name], variable.type)
        return replace(variable, type=type, owners=tuple(owners), shape=tuple(shape))

    def slots(self, c: Class, size: int) -> tuple[int, ...]:
        """The atoms whose numbers are inside the array, and NONE if its number is."""
        atoms = tuple(sorted(a for n, a in c.atoms.items() if 0 <= n < size))
        return (NONE, *atoms) if c.none is not None and 0 <= c.none < size else atoms

    # Expressions.

    def expression(self, e: Expr) -> Expr:
        c = self.class_of(e)
        match e:
            case Literal(value, type):
                return Literal(self.value(c, type, value), self.type(c, type), e.span)
            case NumberOf(inner) | Wrap(inner) if c.is_identity:
                return self.expression(inner)
            case AtomAt(inner) if self.class_of(inner).is_identity:
                return self.look_up(e, self.class_of(inner))
            case Read():
                return self.read(e)
            case Quantify(parameter=parameter):
                changed = map_parts(e, self.expression)
                assert isinstance(changed, Quantify)
                bound = self.analysis.parameters[id(e), parameter.name].find()
                return replace(changed, parameter=Parameter(parameter.name, self.domain(changed.parameter, bound)))
            case _:
                return map_parts(e, self.expression)

    def class_of(self, e: Expr) -> Class:
        return self.analysis.classes[id(e)][1].find()

    def read(self, e: Read) -> Expr:
        owners = [self.expression(owner) for owner in e.owners]
        indices: list[Expr] = []
        for k, index in enumerate(e.indices):
            c = self.analysis.indices[e.variable, k].find()
            (owners if c.is_identity else indices).append(self.expression(index))
        return replace(e, owners=tuple(owners), indices=tuple(indices))

    def look_up(self, e: AtomAt, c: Class) -> Expr:
        """The atom a list has at the number of another atom: a table from atoms to atoms."""
        numbers = {e.first + k: a for k, a in enumerate(e.numbering) if a != NONE}
        if all(numbers.get(n) == a for n, a in c.atoms.items()):
            return self.expression(e.number)
        key = (id(c), e.first, e.numbering)
        name = self.names.setdefault(key, f"list {len(self.names) + 1}")
        type = AtomOf(tuple(sorted(numbers.values())))
        owners = [(n, a) for n, a in c.atoms.items()]
        if c.none is not None:
            owners.append((c.none, NONE))
        self.tables[name] = [Definition(name, Literal(numbers[n], type), (a,)) for n, a in owners if n in numbers]
        return Use(name, (self.expression(e.number),), e.span)

    # Values and types.

    def type(self, c: Class, type: Type) -> Type:
        c = c.find()
        match type:
            case Number() | Truth() if c.is_identity:
                return c.type()
            case TupleOf(parts, names):
                return TupleOf(tuple(self.type(c.part(k), t) for k, t in enumerate(parts)), names)
            case QueueOf(message, capacity):
                return QueueOf(self.type(c.part(ELEMENT), message), capacity)
            case SetOf(element):
                return SetOf(self.type(c.part(ELEMENT), element))
            case _:
                return type

    def value(self, c: Class, type: Type, value: Value) -> Value:
        c = c.find()
        match type, value:
            case ((Number() | Truth()), int()) if c.is_identity:
                return c.atoms.get(value, NONE)
            case TupleOf(parts), tuple():
                return tuple(self.value(c.part(k), t, v) for k, (t, v) in enumerate(zip(parts, value, strict=True)))
            case QueueOf(message), tuple():
                return tuple(self.value(c.part(ELEMENT), message, v) for v in value)
            case SetOf(element), frozenset():
                return frozenset(self.value(c.part(ELEMENT), element, v) for v in value)
            case _:
                return value
