"""A System with atoms in the place of the numbers that stand for them."""

from __future__ import annotations

from quorbit.model.specialise.identities.analysis import Analysis, Compared, is_all_set, is_forgetful
from quorbit.model.specialise.identities.classes import ELEMENT, Class
from quorbit.model.specialise.identities.steps import with_value
from quorbit.model.specialise.start import Started, run_start
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together, assignments_in
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Domain,
    Elements,
    Expr,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Parameter,
    Quantify,
    Read,
    Use,
    Wrap,
    atom,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.once import Once
from quorbit.model.system.properties import changed_property
from quorbit.model.system.system import Address, Atom, Definition, Place, State, System, Variable, places_of
from quorbit.model.system.types import (
    NONE,
    AtomOf,
    Number,
    QueueOf,
    SetOf,
    Text,
    Truth,
    TupleOf,
    Type,
    Value,
    atoms_in,
    default,
)
from quorbit.model.system.walk import map_parameter, map_parts
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import replace


class Rewriting:
    """Puts the atoms in the place of their numbers."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis
        self.step_once: Once[Step, Step] = Once(self.step)
        self.tables: dict[str, list[Definition]] = {}
        self.names: dict[tuple[object, ...], str] = {}  # of the tables: by class and list of atoms

    def started(self, atoms: tuple[Atom, ...]) -> Started:
        """The System with its initial states; a value that the start writes and nobody reads is another one."""
        changed = self.system(atoms)
        if self.analysis.starts is None:
            return Started(changed, None)
        if any(self.forgets(a) for command in self.analysis.system.start for a in assignments_in(command.effect)):
            return run_start(changed)
        return Started(changed, tuple(dict.fromkeys(self.state(s, changed) for s in self.analysis.starts)))

    def state(self, s: State, changed: System) -> State:
        places = self.analysis.system.places
        found = {
            self.address(p): self.value(self.analysis.variables[p.variable], p.type, v)
            for p, v in zip(places, s, strict=True)
        }
        return tuple(found[place.address] for place in changed.places)

    def address(self, place: Place) -> Address | None:
        """Where a place is now; None if it is a slot that nobody can address."""
        owners, indices = list(place.owners), []
        for k, n in enumerate(place.indices):
            c = self.analysis.indices[place.variable, k].find()
            if not c.is_identity:
                indices.append(n)
            elif n not in c.atoms and n != c.none:
                return None
            else:
                owners.append(c.atoms.get(n, NONE))
        return place.variable, tuple(owners), tuple(indices)

    def system(self, atoms: tuple[Atom, ...]) -> System:
        system = self.analysis.system
        changed = replace(
            system,
            atoms=atoms,
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
            effect=self.steps(command.effect),
            parameters=tuple(parameters),
            actors=tuple(map(self.expression, command.actors)),
        )

    def step(self, step: Step) -> Step:
        match step:
            case Together(assignments):
                pairs = [(self.target(a.target), a) for a in assignments]
                return Together(tuple(Assign(target, self.assigned(a), a.forgets) for target, a in pairs if target))
            case Require(condition):
                return replace(step, condition=self.expression(condition))
            case Branch(test, then, other, span):
                return Branch(self.expression(test), self.steps(then), self.steps(other), span)
            case Loop(test, body, most, span):
                return Loop(self.expression(test), self.steps(body), most, span)
            case Pick(parameter, body):
                return Pick(map_parameter(parameter, self.expression), self.steps(body))

    def steps(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        return tuple(map(self.step_once, steps))

    def assigned(self, a: Assign) -> Expr:
        """The value that is written; none where nobody reads it, since that tells no atom apart."""
        return atom(NONE, a.value.span) if self.forgets(a) else self.expression(a.value)

    def forgets(self, a: Assign) -> bool:
        return is_forgetful(a) and self.analysis.variables[a.target.variable].find().is_identity

    def target(self, e: Read) -> Read | None:
        """The place that is written; None if it is a slot that nobody can address."""
        owners = [self.expression(owner) for owner in e.owners]
        indices: list[Expr] = []
        for k, index in enumerate(e.indices):
            c = self.analysis.indices[e.variable, k].find()
            if not c.is_identity:
                indices.append(index if isinstance(index, Literal) else self.expression(index))
            elif self.analysis.counts(index):
                owners.append(self.atom_at(index, c))
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
        if c.is_identity and id(e) in self.analysis.stepped:
            return self.stepped(e, self.analysis.stepped[id(e)].place, c)
        match e:
            case Literal(value, type):
                return Literal(self.value(c, type, value), self.type(c, type), e.span)
            case NumberOf(inner) | Wrap(inner) if c.is_identity:
                return self.expression(inner)
            case AtomAt(inner) if self.class_of(inner).is_identity:
                return self.look_up(e, self.class_of(inner))
            case Read():
                return self.read(e)
            case Apply(Operator.EQUAL, operands) if any(map(self.analysis.counts, operands)):
                return replace(e, operands=tuple(map(self.as_number, operands)))
            case Apply() if id(e) in self.analysis.compared:
                return self.compare(e, self.analysis.compared[id(e)])
            case Quantify(parameter=parameter):
                changed = map_parts(e, self.expression)
                assert isinstance(changed, Quantify)
                bound = self.analysis.parameters[id(e), parameter.name].find()
                return replace(changed, parameter=Parameter(parameter.name, self.domain(changed.parameter, bound)))
            case _:
                return map_parts(e, self.expression)

    def compare(self, e: Apply, asked: Compared) -> Expr:
        """A comparison with a number says which numbers of the class it means; mostly all atoms are on one side."""
        c = asked.subject.find()
        if not c.is_identity:
            return map_parts(e, self.expression)
        usual = 2 * sum(asked.answer(n) for n in c.numbers) > len(c.numbers)
        others = [n for n in c.numbers if asked.answer(n) is not usual]
        subject, type = self.expression(asked.of), c.type()
        cases: list[Expr] = [equal(subject, Literal(c.atoms.get(n, NONE), type, e.span)) for n in others]
        either = disjunction(
            cases or [negation(equal(subject, subject))], e.span
        )  # the subject may fail: it is evaluated
        return negation(either, e.span) if usual else either

    def stepped(self, e: Expr, place: Read, c: Class) -> Expr:
        """The atom that a step leads to, from the number of the one that the place holds."""
        return self.numbered(with_value(e, place, self.as_number(place)), c)

    def class_of(self, e: Expr) -> Class:
        return self.analysis.classes[id(e)][1].find()

    def read(self, e: Read) -> Expr:
        owners = [self.expression(owner) for owner in e.owners]
        indices: list[Expr] = []
        for k, index in enumerate(e.indices):
            c = self.analysis.indices[e.variable, k].find()
            if c.is_identity and self.analysis.counts(index):
                owners.append(self.atom_at(index, c))
            else:
                (owners if c.is_identity else indices).append(self.expression(index))
        return replace(e, owners=tuple(owners), indices=tuple(indices))

    def atom_at(self, index: Expr, c: Class) -> Expr:
        """The atom whose number is counted."""
        return self.numbered(self.expression(index), c)

    def numbered(self, e: Expr, c: Class) -> Expr:
        """The atom with this number."""
        first, last = min(c.atoms), max(c.atoms)
        numbering = tuple(c.atoms.get(n, NONE) for n in range(first, last + 1))
        return AtomAt(e, numbering, first, c.none, e.span)

    def as_number(self, e: Expr) -> Expr:
        """What is compared with a number that counts: the number of the atom, if it became one."""
        c = self.class_of(e)
        if not c.is_identity or isinstance(e, Literal):
            return e if isinstance(e, Literal) else self.expression(e)
        first, last = min(c.atoms), max(c.atoms)
        numbering = tuple(c.atoms.get(n, NONE) for n in range(first, last + 1))
        return NumberOf(self.expression(e), numbering, first, c.none, e.span)

    def look_up(self, e: AtomAt, c: Class) -> Expr:
        """The atom a list has at the number of another atom: a table from atoms to atoms."""
        numbers = {e.first + k: a for k, a in enumerate(e.numbering) if a != NONE}
        if e.none is not None:
            numbers[e.none] = NONE
        owners = dict(c.atoms)
        if c.none is not None:  # where the list has nothing, to look there is an error and stays one
            owners[c.none] = NONE
        if all(numbers.get(n) == a for n, a in owners.items()):
            return self.expression(e.number)
        key = (id(c), e.first, e.numbering, e.none)
        name = self.names.setdefault(key, f"list {len(self.names) + 1}")
        type = AtomOf(tuple(sorted({*numbers.values()} - {NONE})), e.none is not None)
        self.tables[name] = [
            Definition(name, Literal(numbers[n], type), (a,)) for n, a in owners.items() if n in numbers
        ]
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
            case Number() | Truth() | AtomOf() | Text():
                return type
            case _:
                assert_never(type)

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
