"""A circuit with some of its fields decoded: one latch or input for each value, of which exactly one is 1.

The circuit that comes out has the same states and moves as the one that came in, by other names: where a field holds v,
the latch of v is 1.  So a permutation of the values of a field is one of latches, like every other symmetry of a
circuit.  ``Decoded`` knows the way back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quorbit.model.meaning.evaluate import Firing
from quorbit.model.specialise.fields.field import Field
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Bound,
    Condition,
    Elements,
    Expr,
    Literal,
    Operator,
    Parameter,
    Read,
    Use,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.mapping import map_system
from quorbit.model.system.system import Atom, Definition, State, System, Variable
from quorbit.model.system.telling import RAW
from quorbit.model.system.types import AtomOf, Number, SetOf, Value
from quorbit.model.system.walk import map_parts
from quorbit.source.frozen import frozen, replace

__all__ = ["Decoded", "decode", "families"]

ONE_OF = "value of a field"  # the colour of the atoms that stand for values
BIT = Number(0, 1, ("0", "1"))
DECODED = "decoded"  # the definition of what a field becomes in a step, by its atoms


@frozen
class Decoded:
    """The circuit as it was and as it is; of each field the atoms of its values, in their order."""

    given: System
    system: System
    fields: tuple[Field, ...]
    members: tuple[tuple[int, ...], ...]

    def state(self, s: State) -> State:
        """What a state of the decoded circuit is in the one that was given."""
        found = []
        known = {a: v for f, members in self.pairs() for a, v in self.held_by(f, members, s).items()}
        for place in self.given.places:
            a = place.owners[0]
            found.append(known[a] if a in known else s[self.system.index[place.address]])
        return tuple(found)

    def firing(self, firing: Firing) -> Firing:
        """What the inputs of a step are in the circuit that was given."""
        command = self.given.commands[firing.command]
        binding: list[set[Value]] = [set(value) for value in firing.binding]  # type: ignore[arg-type]
        for field, members in self.pairs():
            for sets in families(command, field):
                value = next(v for v, a in zip(field.values, members, strict=True) if a in binding[sets[0]])
                for i, bit in enumerate(bits_of(value)):
                    a, k = (field.atoms[i], sets[0]) if field.is_bits else (field.atoms[0], sets[i])
                    if bit:
                        binding[k].add(a)
        new = {a for members in self.members for a in members}
        return replace(firing, binding=tuple(frozenset(value - new) for value in binding))

    def pairs(self) -> Iterator[tuple[Field, tuple[int, ...]]]:
        return zip(self.fields, self.members, strict=True)

    def held_by(self, field: Field, members: Sequence[int], s: State) -> dict[int, int]:
        """The values of the atoms of a field, if these have places."""
        index = self.system.index
        places = [index.get((LATCH, (a,), ())) for a in members]
        for value, i in zip(field.values, places, strict=True):
            if i is not None and s[i]:
                return dict(zip(field.atoms, field.held(value), strict=True))
        return {}


LATCH = "latch"  # the variable of the places of values


def decode(system: System, fields: Sequence[Field]) -> Decoded:
    """Requires: a circuit, its step and its start one command each; fields of different atoms of it."""
    atoms, members = list(system.atoms), []
    for field in fields:
        first = len(atoms)
        described = atoms[field.atoms[0]]
        sort = described.sort
        for value in field.values:
            atoms.append(Atom(f"{field.name}={value}", sort, ONE_OF, described.span))
        members.append(tuple(range(first, len(atoms))))
    return Decoding(replace(system, atoms=tuple(atoms)), tuple(fields), tuple(members)).decoded(system)


class Decoding:
    """The bits of fields in terms of the atoms that stand for their values."""

    def __init__(self, system: System, fields: tuple[Field, ...], members: tuple[tuple[int, ...], ...]) -> None:
        self.system, self.fields, self.members = system, fields, members
        self.of = {a: k for k, field in enumerate(fields) for a in field.atoms}
        self.placed = {place.owners[0] for place in system.places if place.owners}
        self.changed: dict[tuple[int, int], tuple[Expr, Expr]] = {}  # by expression and command
        self.definitions: list[Definition] = []

    def decoded(self, given: System) -> Decoded:
        step, start = (self.command(c, kind) for kind, c in enumerate((self.system.commands[0], self.system.start[0])))
        whole = replace(self.system, commands=(), start=(), telling=RAW)
        rest = map_system(whole, lambda e: self.rewrite(e, 0))
        made = replace(
            rest,
            variables=tuple(self.variables()),
            commands=(step,),
            start=(start,),
            definitions=(*rest.definitions, *self.definitions),
        )
        return Decoded(given, made, self.fields, self.members)

    def variables(self) -> Iterator[Variable]:
        new = [a for field, listed in zip(self.fields, self.members, strict=True) for a in listed
               if field.atoms[0] in self.placed]  # fmt: skip
        has_latch = any(v.name == LATCH for v in self.system.variables)
        if new and not has_latch:
            yield Variable(LATCH, BIT, (tuple(new),))
        for v in self.system.variables:
            kept = tuple(a for a in v.owners[0] if a not in self.of)
            kept += tuple(new) if v.name == LATCH else ()
            if kept:
                yield replace(v, owners=(kept,))

    # Expressions.

    def rewrite(self, e: Expr, kind: int) -> Expr:
        """An expression of the step (0) or of the start (1); what stands often is rewritten once."""
        known = self.changed.get((id(e), kind))
        if known is None:
            known = self.changed[id(e), kind] = (e, self.find(e, kind))
        return known[1]

    def find(self, e: Expr, kind: int) -> Expr:
        match e:
            case Read(owners=(Literal(value=int(a)),)) if a in self.of:
                return self.value_of(a)
            case Apply(Operator.MEMBER, (Literal(value=int(a)), Bound(name))) if a in self.of:
                return self.chosen(a, name, kind) or e
        return map_parts(e, lambda part: self.rewrite(part, kind))

    def value_of(self, a: int) -> Expr:
        """What atom a of a field holds."""
        k = self.of[a]
        field, members = self.fields[k], self.members[k]
        pairs = list(zip(field.values, members, strict=True))
        if field.is_bits:
            i = field.atoms.index(a)
            return any_of([latch(b) for v, b in pairs if v >> i & 1])
        result: Expr = number(pairs[-1][0])
        for v, b in reversed(pairs[:-1]):
            result = Condition(latch(b), number(v), result)
        return result

    def chosen(self, a: int, name: str, kind: int) -> Expr | None:
        """Whether atom a of a field is in a set of inputs; None if this set is not decoded."""
        k = self.of[a]
        field, command = self.fields[k], (self.system.commands, self.system.start)[kind][0]
        for sets in families(command, field):
            names = [command.parameters[j].name for j in sets]
            if name in names:
                i = field.atoms.index(a) if field.is_bits else names.index(name)
                pairs = zip(field.values, self.members[k], strict=True)
                return any_of([member(b, names[0]) for v, b in pairs if v >> i & 1])
        return None

    # Commands.

    def command(self, command: Command, kind: int) -> Command:
        guards = [self.rewrite(command.guard, kind)]
        parameters = list(command.parameters)
        for field, members in zip(self.fields, self.members, strict=True):
            for sets in families(command, field):
                for n, j in enumerate(sets):
                    parameters[j] = with_members(parameters[j], field.atoms, members if n == 0 else ())
                chosen = [member(b, parameters[sets[0]].name) for b in members]
                guards.append(equal(Apply(Operator.ADD, tuple(chosen)), number(1)))
        effect = tuple(Together(tuple(self.assignments(step, kind))) for step in command.effect)  # type: ignore[arg-type]
        guard = conjunction([g for g in guards if g != TRUE]) if len(guards) > 1 else guards[0]
        return replace(command, guard=guard, effect=effect, parameters=tuple(parameters))

    def assignments(self, step: Together, kind: int) -> Iterator[Assign]:
        values = {}
        for a in step.assignments:
            owner = a.target.owners[0]
            assert isinstance(owner, Literal)
            if owner.value in self.of:
                values[owner.value] = self.rewrite(a.value, kind)
            else:
                yield replace(a, value=self.rewrite(a.value, kind))
        for field, members in zip(self.fields, self.members, strict=True):
            if field.atoms[0] in values:
                held = [self.named(a, values[a], kind) for a in field.atoms]
                for v, b in zip(field.values, members, strict=True):
                    yield Assign(latch(b), is_held(field, held, v))

    def named(self, a: int, e: Expr, kind: int) -> Expr:
        """What an atom of a field becomes, under a name if it is not short: it is read for every value."""
        if kind == 1 or isinstance(e, Literal | Read | Use):
            return e
        self.definitions.append(Definition(DECODED, e, (a,)))
        return Use(DECODED, (atom(a),))


def is_held(field: Field, held: Sequence[Expr], value: int) -> Expr:
    """That a field becomes this value."""
    if not field.is_bits:
        return equal(held[0], number(value))
    bits = [e if value >> i & 1 else negation(e) for i, e in enumerate(held)]
    if any(e == FALSE or (isinstance(e, Literal) and not e.value) for e in bits):
        return FALSE
    kept = tuple(e for e in bits if not isinstance(e, Literal))
    return TRUE if not kept else kept[0] if len(kept) == 1 else Apply(Operator.BIT_AND, kept)


def bits_of(value: int) -> list[int]:
    return [value >> i & 1 for i in range(value.bit_length())]


def any_of(operands: Sequence[Expr]) -> Expr:
    return FALSE if not operands else operands[0] if len(operands) == 1 else Apply(Operator.BIT_OR, tuple(operands))


def latch(a: int) -> Read:
    return Read(LATCH, (atom(a),))


def member(a: int, name: str) -> Expr:
    return Apply(Operator.MEMBER, (atom(a), Bound(name)))


def listed_in(parameter: Parameter) -> tuple[int, ...]:
    """The atoms of which a parameter is any set; none if it is something else."""
    match parameter.domain:
        case Elements(set=Apply(Operator.POWERSET, (Apply(Operator.SET, elements),))):
            return tuple(e.value for e in elements if isinstance(e, Literal))  # type: ignore[misc]
    return ()


def families(command: Command, field: Field) -> list[tuple[int, ...]]:
    """The parameters that say what a field is to be: of bits each by itself that has all of them, of one atom with
    many values all together whose names differ by a number only."""
    having = [k for k, p in enumerate(command.parameters) if set(field.atoms) <= set(listed_in(p))]
    if field.is_bits:
        return [(k,) for k in having]
    found: dict[str, list[int]] = {}
    for k in having:
        found.setdefault(command.parameters[k].name.partition(" (")[0], []).append(k)
    return [tuple(listed) for listed in found.values()]


def with_members(parameter: Parameter, without: Sequence[int], members: Sequence[int]) -> Parameter:
    atoms = tuple(a for a in listed_in(parameter) if a not in without) + tuple(members)
    subsets = Apply(Operator.POWERSET, (Apply(Operator.SET, tuple(atom(a) for a in atoms)),))
    return replace(parameter, domain=Elements(subsets, SetOf(AtomOf(atoms))))
