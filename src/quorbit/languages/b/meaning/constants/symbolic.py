"""Constants that are functions too large to be listed: their definition is put in wherever they are used.

``c = %x.(P | E)`` and ``c = {x, y | P}`` define a constant; where x ranges over more values than anybody lists, or the
author asks for it, c is applied and asked for members, but never listed.  What the other properties say of c is not
checked then, which is noted.
"""

from __future__ import annotations

from typing import TypeVar

from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.syntax.formulas import Binary, Binder, Comprehension, Formula, Name
from quorbit.languages.b.syntax.substitutions import Substitution
from quorbit.languages.b.syntax.walk import free_names, substitute
from quorbit.languages.b.types.typed import TypedMachine, TypedOperation
from quorbit.languages.b.types.types import BOOL, Given, PairType, SetOfType, Type
from quorbit.source.frozen import replace

__all__ = ["put_in_large"]

LARGEST = 1 << 20  # values that are listed
N = TypeVar("N", bound="Formula | Substitution")


def put_in_large(machine: TypedMachine, universe: Universe) -> TypedMachine:
    """The machine without its large constants, and notes about properties that were left out."""
    while (found := find_definition(machine, universe)) is not None:
        machine = put_in(machine, *found)
    return machine


def find_definition(machine: TypedMachine, universe: Universe) -> tuple[str, Formula, Formula] | None:
    """A constant, its definition, and the property that says so."""
    constants = {c.name for c in machine.constants}
    for p in machine.properties:
        match p:
            case Binary(op="=", left=Name(name=name), right=(Binder(op="%") | Comprehension()) as value):
                is_large = name in machine.symbolic or domain_size(universe, value.names) > LARGEST
                if name in constants and name not in free_names(value) and is_large:
                    return name, value, p
    return None


def domain_size(universe: Universe, names: tuple[Name, ...]) -> int:
    size = 1
    for n in names:
        size *= type_size(universe, n.type)
    return size


def type_size(universe: Universe, of: Type) -> int:
    """How many values a type has, as far as that matters; integers are bounded by what is said of them."""
    match of:
        case Given(name):
            return len(universe.atoms[name])
        case SetOfType(element):
            inner = type_size(universe, element)
            return 1 << min(inner, 64) if inner > 1 else 2
        case PairType(left, right):
            return min(type_size(universe, left) * type_size(universe, right), LARGEST * LARGEST)
    return 2 if of == BOOL else 1


def put_in(machine: TypedMachine, name: str, value: Formula, definition: Formula) -> TypedMachine:
    values = {name: value}
    others = [p for p in machine.properties if p is not definition]
    checked = tuple(p for p in others if name not in free_names(p) or is_use(p, name))
    left = tuple(p for p in others if p not in checked)

    def put(node: N) -> N:
        return substitute(node, values)

    def in_operation(o: TypedOperation) -> TypedOperation:
        hidden = {n.name for n in (*o.parameters, *o.results)}
        return o if name in hidden else replace(o, body=put(o.body))

    operations = {o.name: in_operation(o) for o in machine.callable.values()}
    notes = (f"not checked: what {p.span} says of {name}, which is too large to be listed" for p in left)
    return replace(
        machine,
        constants=tuple(c for c in machine.constants if c.name != name),
        properties=tuple(put(p) for p in checked),
        invariant=tuple(put(p) for p in machine.invariant),
        assertions=tuple(put(p) for p in machine.assertions),
        initialisation=None if machine.initialisation is None else put(machine.initialisation),
        operations=tuple(operations[o.name] for o in machine.operations),
        callable=operations,
        goal=None if machine.goal is None else put(machine.goal),
        notes=(*machine.notes, *notes),
    )


def is_use(p: Formula, name: str) -> bool:
    """Whether a property defines another constant, for which this one is only used."""
    match p:
        case Binary(op="=", left=Name(name=other), right=Binder() | Comprehension()):
            return other != name
    return False
