"""Cut a System down to what can happen: commands that never run, atoms that never matter.

A front end makes room for more processes than a model may ever create; the room that is never used would count as
interchangeable atoms.  Parameters range only over atoms for which their command can run, and atoms that own nothing but
constants and that nothing else names go.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.permute import (
    image_of,
    permute_command,
    permute_definition,
    permute_expression,
    permute_property,
)
from quorbit.model.specialise.possible.addresses import static_address
from quorbit.model.specialise.possible.outline import Choice
from quorbit.model.specialise.possible.run import Possible, constants
from quorbit.model.specialise.simplify import simplify
from quorbit.model.specialise.start import Started, cut_down
from quorbit.model.system.command import Command, Together
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    AtomAt,
    Atoms,
    Compute,
    Domain,
    Expr,
    Fresh,
    Literal,
    NumberOf,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    atom,
    number,
)
from quorbit.model.system.mapping import map_system
from quorbit.model.system.properties import property_expressions
from quorbit.model.system.system import Address, System, Variable, places_of
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
    permute_type,
)
from quorbit.model.system.walk import expressions_of, map_parts, substitute, walk
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import replace

__all__ = ["all_expressions"]

Alike = dict[int, set[int]]  # atoms of one kind for which commands may run


def trim(started: Started, evenly: bool = False) -> Started:
    """The same System without the commands that never run and the atoms that never matter.

    ``evenly``: what may happen to one atom of a kind is kept for all of them that do something at all, so that an
    initial state in which they differ hides no symmetry."""
    system, possible = started.system, started.possible
    alike = active_by_kind(system, possible) if evenly else {}
    kept = [r for c, command in enumerate(system.commands) if (r := restricted(command, possible.choices[c], alike))]
    variables = tuple(narrowed(variable, possible, alike) for variable in system.variables)
    live = replace(system, commands=tuple(kept), variables=variables)
    dead = dead_atoms(live, possible)
    return without_atoms(Started(live, started.states), dead) if dead else Started(live, started.states)


def active_by_kind(system: System, possible: Possible) -> Alike:
    """For each atom for which some command may run, all such atoms of its kind."""
    active = {a for choices in possible.choices for choice in choices for a in choice if a != NONE}
    kinds: dict[tuple[str, str], set[int]] = {}
    for a in active:
        kinds.setdefault((system.atoms[a].sort, system.atoms[a].colour), set()).add(a)
    return {a: kinds[system.atoms[a].sort, system.atoms[a].colour] for a in active}


def narrowed(variable: Variable, possible: Possible, alike: Alike) -> Variable:
    """A variable that holds atoms, limited to those it may ever hold."""
    if not isinstance(variable.type, AtomOf):
        return variable
    found: set[Value] = set()
    for place in places_of(variable):
        values = possible.values.get(place.address)
        if not values:
            return variable  # anything, or nothing at all: where no start succeeds there are no states
        found |= values
    found |= {b for a in found for b in alike.get(a, ())}  # type: ignore[arg-type]
    atoms = tuple(a for a in variable.type.atoms if a in found)
    return replace(variable, type=AtomOf(atoms, variable.type.optional and NONE in found))


def restricted(command: Command, choices: Collection[Choice], alike: Alike) -> Command | None:
    """The command with its parameters limited to atoms for which it may run; None if it never does."""
    if not choices:
        return None
    ranged = [p.name for p in command.parameters if isinstance(p.domain, Atoms)]
    useful = {name: {choice[k] for choice in choices} for k, name in enumerate(ranged)}
    useful = {name: {b for a in atoms for b in alike.get(a, (a,))} for name, atoms in useful.items()}
    return replace(command, parameters=tuple(limited(p, useful) for p in command.parameters))


def limited(p: Parameter, useful: dict[str, set[int]]) -> Parameter:
    """The parameter without atoms for which its command never runs."""
    if not isinstance(p.domain, Atoms) or useful[p.name].issuperset(p.domain.atoms):
        return p
    return Parameter(p.name, Atoms(tuple(a for a in p.domain.atoms if a in useful[p.name])))


def dead_atoms(system: System, possible: Possible) -> frozenset[int]:
    """Atoms that own only constants, are named nowhere, and over which every quantifier says nothing."""
    fixed = dict(constants(possible))
    named = named_atoms(system)
    dead = {
        a
        for a in range(len(system.atoms))
        if a not in named and all(place.address in fixed for place in system.places if a in place.owners)
    }
    dead -= {a for place in system.places for a in atoms_in(place.type, default(place.type))}
    for e in all_expressions(system) if dead else ():
        for part in walk(e):
            if isinstance(part, Quantify) and isinstance(part.parameter.domain, Atoms):
                dead -= {a for a in part.parameter.domain.atoms if a in dead and not says_nothing(part, a, fixed)}
    return frozenset(dead)


def named_atoms(system: System) -> set[int]:
    """The atoms that commands run for or that are written down as values."""
    named = {a for d in command_domains(system) if isinstance(d, Atoms | Fresh) for a in d.atoms}
    for e in all_expressions(system):
        for part in walk(e):
            if isinstance(part, Literal):
                named.update(atoms_in(part.type, part.value))
            elif isinstance(part, AtomAt):
                named.update(part.numbering)
            elif isinstance(part, Compute):
                return set(range(len(system.atoms)))  # a computation may name any, by the number it has now
    return named


def command_domains(system: System) -> Iterator[Domain]:
    for command in (*system.commands, *system.start):
        for parameter in command.parameters:
            yield parameter.domain


def all_expressions(system: System) -> list[Expr]:
    """The outermost expressions of everything; of start commands only the values written, for an unborn process has a
    place in the start too."""
    found = [e for command in system.commands for e in expressions_of(command)]
    found += [e for command in system.start for e in expressions_of(command) if not isinstance(e, Read)]
    found += [d.body for d in system.definitions]
    found.append(system.transient)
    found += [e for p in system.properties for e in property_expressions(p)]
    return found


NEUTRAL = {Quantifier.ALL: TRUE, Quantifier.SOME: FALSE, Quantifier.COUNT: FALSE}


def says_nothing(e: Quantify, a: int, fixed: dict[Address, Value]) -> bool:
    """Whether the case of atom a is neutral: nothing else in it can change."""
    values: dict[str, Expr] = {e.parameter.name: atom(a)}
    condition = fold_constants(substitute(e.condition, values), fixed)
    return condition == FALSE or fold_constants(substitute(e.body, values), fixed) == NEUTRAL.get(e.quantifier)


def fold_constants(e: Expr, fixed: dict[Address, Value]) -> Expr:
    """Simplify with the values of constant places written out."""

    def write_out(part: Expr) -> Expr:
        part = map_parts(part, write_out)
        if isinstance(part, Read) and (address := static_address(part)) is not None and address in fixed:
            return number(fixed[address])  # type: ignore[arg-type]  # only compared
        return part

    return simplify(write_out(simplify(e)))


# Taking atoms away.


def without_atoms(started: Started, dead: frozenset[int]) -> Started:
    """The System without these atoms; the others are numbered anew."""
    system = started.system
    left = [a for a in range(len(system.atoms)) if a not in dead]
    g = [NONE] * len(system.atoms)
    for k, a in enumerate(left):
        g[a] = k
    smaller = map_system(system, lambda e: without_in(e, dead))
    moved = tuple(g)
    renumbered = replace(
        smaller,
        atoms=tuple(system.atoms[a] for a in left),
        variables=tuple(smaller_variable(v, dead, moved) for v in system.variables),
        commands=tuple(permute_command(c, moved) for c in smaller.commands),
        start=tuple(permute_command(start_without(c, dead), moved) for c in smaller.start),
        definitions=tuple(permute_definition(d, moved) for d in smaller.definitions if dead.isdisjoint(d.owners)),
        properties=tuple(permute_property(p, moved) for p in smaller.properties),
        transient=permute_expression(smaller.transient, moved),
    )
    return cut_down(started, renumbered, moved)


def without_in(e: Expr, dead: frozenset[int]) -> Expr:
    """e with the dead atoms taken out of domains, types and numberings."""
    e = map_parts(e, lambda part: without_in(part, dead))
    match e:
        case Literal(type=type):
            return replace(e, type=type_without(type, dead))
        case NumberOf() | AtomAt():
            return replace(e, numbering=tuple(NONE if a in dead else a for a in e.numbering))
        case Quantify(parameter=Parameter(name, Atoms(atoms))):
            return replace(e, parameter=Parameter(name, Atoms(tuple(a for a in atoms if a not in dead))))
        case _:
            return e


def type_without(type: Type, dead: frozenset[int]) -> Type:
    match type:
        case AtomOf(atoms, optional):
            return AtomOf(tuple(a for a in atoms if a not in dead), optional)
        case TupleOf(parts, names):
            return TupleOf(tuple(type_without(t, dead) for t in parts), names)
        case SetOf(element):
            return SetOf(type_without(element, dead))
        case QueueOf(message, capacity):
            return QueueOf(type_without(message, dead), capacity)
        case Number() | Truth() | Text():
            return type
        case _:
            assert_never(type)


def smaller_variable(variable: Variable, dead: frozenset[int], g: Permutation) -> Variable:
    owners = tuple(tuple(image_of(a, g) for a in atoms if a not in dead) for atoms in variable.owners)
    return replace(variable, owners=owners, type=permute_type(type_without(variable.type, dead), g))


def start_without(command: Command, dead: frozenset[int]) -> Command:
    """The start without what it says of dead atoms."""
    steps = []
    for step in command.effect:
        if isinstance(step, Together):
            kept = [a for a in step.assignments if dead.isdisjoint(literal_owners(a.target))]
            step = Together(tuple(kept))
        steps.append(step)
    return replace(command, effect=tuple(steps))


def literal_owners(target: Read) -> list[int]:
    return [e.value for e in target.owners if isinstance(e, Literal) and isinstance(e.value, int)]
