"""Why a permutation is not a symmetry: the lines of the model that break it, and what they would have to be."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from quorbit.detection.beginning import BEFORE, after_the_beginning
from quorbit.detection.proof import keeps_colours, start_proof, without_start
from quorbit.detection.reasons.alongside import command_alongside, expression_alongside
from quorbit.detection.renamed_values import with_renamed_values
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.normal_form import Scope, Terms
from quorbit.model.meaning.permute import (
    as_read,
    permute_command,
    permute_definition,
    permute_expression,
    permute_places,
    permute_property,
    permute_state,
)
from quorbit.model.meaning.show import show_command, show_expression, show_place, show_value
from quorbit.model.specialise.ground import ground, used_definitions
from quorbit.model.system.command import Command, Together
from quorbit.model.system.expression import Expr, Literal
from quorbit.model.system.formula import map_propositions
from quorbit.model.system.formula_text import show as show_formula
from quorbit.model.system.system import Definition, Invariant, NoDeadlock, Place, Property, System, Temporal
from quorbit.model.system.types import NONE, AtomOf, Value
from quorbit.source.frozen import frozen, replace
from quorbit.source.span import NOWHERE, Span

__all__ = ["TELLS_APART", "Breach", "extended", "moved_start", "why"]


TELLS_APART = "tells them apart"


@frozen
class Breach:
    """Something the model says whose image it does not say."""

    span: Span
    written: str  # what the model says, for one instance
    image: str  # what it would have to say as well
    message: str


def why(system: System, properties: tuple[Property, ...], g: Permutation) -> tuple[Breach, ...]:
    """What breaks g; nothing if g is a symmetry."""
    return Breaches(replace(system, properties=properties)).of(g)


class Breaches:
    """What breaks permutations of the atoms of one System: what it says is written down once for all of them."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.grounded = ground(system)
        self.said = Said(self.grounded)
        self.without: dict[frozenset[str], Said] = {}  # some constants

    def of(self, g: Permutation) -> tuple[Breach, ...]:
        """A constant that breaks g is shown where it is declared, not wherever it is used.  What belongs to the atoms
        moves with them."""
        system = self.system
        if not keeps_colours(system, g) or permute_places(system, g) is None:
            return (different_kinds(system, g),)
        plain = self.said.breaches(g)
        if not plain:
            return ()
        later = self.later.breaches(g) if self.later is not None else plain
        if len(later) < len(plain) and not any(breach.message.startswith(BEFORE) for breach in later):
            return later
        broken = broken_constants(system, g)
        names = frozenset(d.name for d in broken)
        if names and names not in self.without:
            kept = tuple(d for d in system.definitions if d.name not in names)
            self.without[names] = Said(ground(replace(system, definitions=kept)))
        opaque = self.without[names] if names else self.said
        return (*(constant_breach(system, d, g) for d in broken), *opaque.breaches(g))

    @cached_property
    def later(self) -> Said | None:
        """What is said after a beginning that runs once, if there is one: a symmetry need not keep that."""
        found = after_the_beginning(self.grounded)
        return None if found is None else Said(found)


class Said:
    """The terms of all that a grounded System says of its steps."""

    def __init__(self, grounded: System) -> None:
        self.system = without_start(grounded)
        self.terms = Terms(self.system)

    @cached_property
    def commands(self) -> frozenset[int]:
        return frozenset(self.terms.command(command, ("command",)) for command in self.system.commands)

    def breaches(self, g: Permutation) -> tuple[Breach, ...]:
        return (
            *command_breaches(self.system, self.terms, self.commands, g),
            *definition_breaches(self.system, self.terms, g),
            *property_breaches(self.system, self.terms, g),
        )


def moved_start(system: System, g: Permutation) -> tuple[str, ...]:
    """What g changes of the initial states, which it need not keep.  Requires: g maps places to places."""
    grounded = ground(system)
    if start_proof(grounded).holds(g):
        return ()
    if any(command.parameters for command in grounded.start):
        return ("the initial states are not mapped to initial states",)
    states = Meaning(grounded).initial_states()
    for s in states:
        if (image := permute_state(grounded, g, s)) not in states:
            rows = zip(grounded.places, s, image, strict=True)
            return tuple(begin_apart(grounded, place, v, w) for place, v, w in rows if v != w)
    return ()


def begin_apart(system: System, place: Place, value: Value, image: Value) -> str:
    shown = show_value(system, place.type, value), show_value(system, place.type, image)
    return f"{show_place(system, place)} is {shown[0]}, in the image {shown[1]}"


def broken_constants(system: System, g: Permutation) -> list[Definition]:
    """The constants in use whose images the model does not have."""
    stated = {(d.name, d.owners, d.body) for d in system.definitions}
    images = [(d, permute_definition(d, g)) for d in used_definitions(system) if isinstance(d.body, Literal)]
    return [d for d, image in images if (image.name, image.owners, image.body) not in stated]


def constant_breach(system: System, d: Definition, g: Permutation) -> Breach:
    image = permute_definition(d, g)
    return Breach(d.span, show_constant(system, d), show_constant(system, image), f"{d.name} {TELLS_APART}")


def show_constant(system: System, d: Definition) -> str:
    owners = f"[{', '.join(map(system.atom_name, d.owners))}]" if d.owners else ""
    return f"{d.name}{owners} = {show_expression(system, d.body)}"


def extended(system: System, g: Permutation, grounded: System | None = None) -> Permutation:
    """g together with what belongs to the atoms it moves: a client's own channel goes where the client goes.

    What belongs to an atom is told by the constants that name one thing for each owner.  ``grounded``: the System with
    one command per instance, where it is at hand."""
    images = {a: x for a, x in enumerate(g) if a != x}
    belongings = [{d.owners[0]: d.body for d in system.definitions if d.name == name and len(d.owners) == 1}
                  for name in dict.fromkeys(d.name for d in system.definitions)]  # fmt: skip
    waiting = list(images.items())
    while waiting:
        a, b = waiting.pop()
        for owned in belongings:
            x, y = constant_atom(owned.get(a)), constant_atom(owned.get(b))
            if x is not None and y is not None and x != y and x not in images and y not in images.values():
                images[x] = y
                waiting.append((x, y))
    closed = set(images) == set(images.values())
    whole = tuple(images.get(a, a) for a in range(len(g))) if closed else g
    return with_renamed_values(grounded or ground(system), whole)


def constant_atom(e: Expr | None) -> int | None:
    if isinstance(e, Literal) and isinstance(e.type, AtomOf) and isinstance(e.value, int) and e.value != NONE:
        return e.value
    return None


def different_kinds(system: System, g: Permutation) -> Breach:
    a, b = next(((a, x) for a, x in enumerate(g) if kind(system, a) != kind(system, x)), (0, 0))
    first, second = system.atoms[a], system.atoms[b]
    message = f"{first.name} and {second.name} are of different kinds"
    return Breach(first.span, f"{first.name}: {kind(system, a)}", f"{second.name}: {kind(system, b)}", message)


def kind(system: System, a: int) -> str:
    """Sort, colour and the variables the atom owns."""
    atom = system.atoms[a]
    owned = [v.name for v in system.variables if any(a in atoms for atoms in v.owners)]
    return " ".join(part for part in (atom.sort, atom.colour, f"({', '.join(owned)})" if owned else "") if part)


def command_breaches(system: System, terms: Terms, present: frozenset[int], g: Permutation) -> list[Breach]:
    if system.synchronous and len(system.commands) == 1:
        return function_breaches(system, terms, system.commands[0], g)
    found: dict[tuple[object, ...], Breach] = {}
    for command in system.commands:
        image = permute_command(command, g)
        if terms.command(image, ("command",)) not in present:
            message = f"{command.label or 'command'} has no counterpart"
            shown = show_command(system, command), show_command(system, command_alongside(command, image))
            breach = Breach(command.span, *shown, message)
            found.setdefault((command.span.file, command.span.start, command.span.end, command.label), breach)
    return list(found.values())


def function_breaches(system: System, terms: Terms, command: Command, g: Permutation) -> list[Breach]:
    """Of a circuit: the latches whose next value is not computed as that of their image, each where it is declared."""
    if terms.command(permute_command(command, g), ("command",)) == terms.command(command, ("command",)):
        return []
    scope = Scope()
    for parameter in command.parameters:
        scope = scope.bind(parameter)
    own = {a.target: a.value for step in command.effect if isinstance(step, Together) for a in step.assignments}
    found = []
    for target, value in own.items():
        to, image = as_read(target, g), permute_expression(value, g)
        if to in own and terms.expression(own[to], scope) != terms.expression(image, scope):
            latch, other = (constant_atom(read.owners[0]) for read in (target, to))
            assert latch is not None
            assert other is not None
            names = system.atom_name(latch), system.atom_name(other)
            stays = f"the next value of {names[0]} would be another one"
            differs = f"the next value of {names[0]} is not computed as that of {names[1]} is"
            shown = show_expression(system, own[to]), show_expression(system, expression_alongside(own[to], image))
            found.append(Breach(system.atoms[latch].span, *shown, stays if latch == other else differs))
    rest = Breach(
        command.span, "", "", f"{command.label or 'the step'} has no counterpart: its inputs or its guard differ"
    )
    return found or [rest]


def definition_breaches(system: System, terms: Terms, g: Permutation) -> list[Breach]:
    """Definitions, such as the tables of a circuit, whose image is not the definition of the image."""
    present = {terms.definition(definition) for definition in system.definitions}
    found = []
    for definition in system.definitions:
        image = permute_definition(definition, g)
        if terms.definition(image) not in present:
            name = " ".join([definition.name, *map(system.atom_name, definition.owners)])
            moved = show_expression(system, expression_alongside(definition.body, image.body))
            written = show_expression(system, definition.body)
            found.append(Breach(definition.span, written, moved, f"{name} has no counterpart"))
    return found


def property_breaches(system: System, terms: Terms, g: Permutation) -> list[Breach]:
    present = {terms.property(p) for p in system.properties}
    found = []
    for p in system.properties:
        image = permute_property(p, g)
        if terms.property(image) not in present:
            message = f"the property {p.name} tells them apart"
            found.append(Breach(span_of(p, g), show_property(system, p), show_property(system, image), message))
    return found


def span_of(p: Property, g: Permutation) -> Span:
    """Where a formula speaks of what g moves; the property as a whole if that is not known."""
    spans: list[Span] = []

    def note(e: Any) -> Any:
        if permute_expression(e, g) != e and e.span.source is not NOWHERE.source:
            spans.append(e.span)
        return e

    if isinstance(p, Temporal):
        map_propositions(p.formula, note)
    return spans[0] if spans else p.span


def show_property(system: System, p: Property) -> str:
    match p:
        case Invariant(condition=condition) | NoDeadlock(allowed=condition):
            return show_expression(system, condition)
        case Temporal(formula=formula):
            return show_formula(formula, lambda e: show_expression(system, e))
        case _:
            return p.name
