"""How a permutation of the atoms acts: on states, expressions, commands, formulas, systems.  Written once.

A place moves to the place whose address is g's image of its own; a value of atom type becomes g's image of the value;
everything else stays.  Convention: g maps atom a to g[a], and the state moves with it, so that (1 2 3) acting on the
local states (7, 5, 4) of three processes gives (4, 7, 5) [DM09, footnote 1].
"""

from __future__ import annotations

from typing import Any

from quorbit.groups.permutation import Permutation
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together
from quorbit.model.system.expression import (
    AtomAt,
    Atoms,
    Compute,
    Domain,
    Elements,
    Expr,
    Fresh,
    Interval,
    Literal,
    NumberOf,
    Parameter,
    Quantify,
    Read,
)
from quorbit.model.system.formula import map_propositions
from quorbit.model.system.system import Assertions, Definition, Invariant, NoDeadlock, Property, State, System, Temporal
from quorbit.model.system.types import NONE, AtomOf, mentions_atoms, permute_type, permute_value
from quorbit.model.system.walk import map_parts
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import replace

__all__ = [
    "as_read",
    "image_of",
    "permute_command",
    "permute_definition",
    "permute_expression",
    "permute_places",
    "permute_property",
    "permute_state",
    "permute_step",
    "permute_system",
]


def permute_places(system: System, g: Permutation) -> Permutation | None:
    """Where every place goes; None if some image is not a place of the system (then g is not a symmetry)."""
    images = []
    for place in system.places:
        image = system.index.get((place.variable, tuple(image_of(a, g) for a in place.owners), place.indices))
        if image is None:
            return None
        images.append(image)
    return tuple(images)


def permute_state(system: System, g: Permutation, s: State) -> State:
    """g's image of a state.  Requires: ``permute_places(system, g)`` is not None."""
    images = permute_places(system, g)
    assert images is not None
    t = list(s)
    for i, (place, value) in enumerate(zip(system.places, s, strict=True)):
        t[images[i]] = permute_value(place.type, value, g) if mentions_atoms(place.type) else value
    return tuple(t)


def image_of(a: int, g: Permutation) -> int:
    return a if a == NONE else g[a]


def permute_expression(e: Expr, g: Permutation) -> Expr:
    match e:
        case Literal():
            return permute_literal(e, g)
        case NumberOf() | AtomAt():
            numbering = tuple(image_of(a, g) for a in e.numbering)
            moved = e if numbering == e.numbering else replace(e, numbering=numbering)
            return map_parts(moved, lambda part: permute_expression(part, g))
        case Compute(type=type) if (moved_type := permute_type(type, g)) is not type:
            return map_parts(replace(e, type=moved_type), lambda part: permute_expression(part, g))
        case Quantify(parameter=parameter):
            moved_parameter = permute_parameter(parameter, g)
            condition, body = permute_expression(e.condition, g), permute_expression(e.body, g)
            if moved_parameter == parameter and condition is e.condition and body is e.body:
                return e
            return replace(e, parameter=moved_parameter, condition=condition, body=body)
        case _:
            return map_parts(e, lambda part: permute_expression(part, g))


def permute_literal(e: Literal, g: Permutation) -> Literal:
    """What holds no atom that moves is not built anew: much of a large system stays as it is."""
    if not isinstance(e.type, AtomOf) and not mentions_atoms(e.type):
        return e
    value, type = permute_value(e.type, e.value, g), permute_type(e.type, g)
    return e if value == e.value and type is e.type else Literal(value, type, e.span)


def permute_parameter(parameter: Parameter, g: Permutation) -> Parameter:
    return Parameter(parameter.name, permute_domain(parameter.domain, g))


def permute_domain(domain: Domain, g: Permutation) -> Domain:
    match domain:
        case Atoms(atoms):
            return Atoms(tuple(image_of(a, g) for a in atoms))
        case Interval():
            return domain
        case Elements(set=e, type=type):
            return Elements(permute_expression(e, g), permute_type(type, g))
        case Fresh(atoms, free, cells):
            moved = tuple(tuple(g[a] for a in cell) for cell in cells)
            return Fresh(tuple(g[a] for a in atoms), permute_expression(free, g), moved)


def permute_step(step: Step, g: Permutation) -> Step:
    match step:
        case Together(assignments):
            return Together(
                tuple(Assign(as_read(a.target, g), permute_expression(a.value, g), a.forgets) for a in assignments)
            )
        case Require():
            return replace(step, condition=permute_expression(step.condition, g))
        case Branch(test, then, other, span):
            return Branch(permute_expression(test, g), permute_steps(then, g), permute_steps(other, g), span)
        case Loop(test, body, most, span):
            return Loop(permute_expression(test, g), permute_steps(body, g), most, span)
        case Pick(parameter, body):
            return Pick(permute_parameter(parameter, g), permute_steps(body, g))


def permute_steps(steps: tuple[Step, ...], g: Permutation) -> tuple[Step, ...]:
    return tuple(permute_step(step, g) for step in steps)


def as_read(target: Read, g: Permutation) -> Read:
    image = permute_expression(target, g)
    assert isinstance(image, Read)
    return image


def permute_command(command: Command, g: Permutation) -> Command:
    return replace(
        command,
        guard=permute_expression(command.guard, g),
        effect=permute_steps(command.effect, g),
        parameters=tuple(permute_parameter(p, g) for p in command.parameters),
        actors=tuple(permute_expression(e, g) for e in command.actors),
    )


def permute_property(property: Property, g: Permutation) -> Property:
    match property:
        case Invariant():
            return replace(property, condition=permute_expression(property.condition, g))
        case NoDeadlock():
            return replace(property, allowed=permute_expression(property.allowed, g))
        case Temporal():

            def image(e: Any) -> Any:
                return permute_expression(e, g)

            return replace(property, formula=map_propositions(property.formula, image))
        case Assertions():
            return property
        case _:
            assert_never(property)


def permute_definition(definition: Definition, g: Permutation) -> Definition:
    owners = tuple(image_of(a, g) for a in definition.owners)
    return replace(definition, owners=owners, body=permute_expression(definition.body, g))


def permute_system(system: System, g: Permutation) -> System:
    """g's image of all that the system says; its atoms and variables are the same."""
    return replace(
        system,
        commands=tuple(permute_command(c, g) for c in system.commands),
        start=tuple(permute_command(c, g) for c in system.start),
        definitions=tuple(permute_definition(d, g) for d in system.definitions),
        properties=tuple(permute_property(p, g) for p in system.properties),
        transient=permute_expression(system.transient, g),
    )
