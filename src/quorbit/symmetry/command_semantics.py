"""Whether an exchange of two atoms keeps what an edge does, by looking at all states: for small edges only.

Two guards may mean the same although they are written differently.  The outcomes of the edge in a state are a set of
states and violations, each with the atoms its parameters stand for; an exchange keeps the edge if it maps the outcomes
in every state to those in the image of the state.  Places that the edge does not mention play no part.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import prod

from quorbit.groups.permutation import Permutation
from quorbit.model.command import Command
from quorbit.model.evaluate import BoundExceeded, Fault, Firing, Meaning, asks_enabled
from quorbit.model.expression import Atoms, Bound, Expr, Fresh, Literal, Read
from quorbit.model.permute import image_of, permute_places, permute_state
from quorbit.model.system import State, System
from quorbit.model.types import default, size, values
from quorbit.model.walk import expressions_of, walk
from quorbit.symmetry.command_terms import Source, used_definitions

MOST_STATES = 5_000  # an edge that mentions places with more values together is compared by its terms alone


def means_the_same(source: Source, commands: tuple[Command, ...], g: Permutation) -> bool:
    """Whether g maps the outcomes of these (simplified) commands in every state to those in the state's image.

    False also where there are too many states to look at."""
    if depends_on_others(commands) or permute_places(source.system, g) is None:
        return False
    places = mentioned_places(source, commands, g)
    if places is None:
        return False
    meaning = Meaning(replace(source.system, commands=commands))
    return all(same_outcomes(meaning, s, g) for s in states(source.system, places))


def depends_on_others(commands: tuple[Command, ...]) -> bool:
    fresh = any(isinstance(p.domain, Fresh) for command in commands for p in command.parameters)
    return fresh or any(map(asks_enabled, commands))


def same_outcomes(meaning: Meaning, s: State, g: Permutation) -> bool:
    here, there = outcomes(meaning, s, g), outcomes(meaning, permute_state(meaning.system, g, s), None)
    return here is not None and here == there


def outcomes(meaning: Meaning, s: State, g: Permutation | None) -> frozenset[object] | None:
    """What the commands lead to, moved by g if one is given; None if atoms run out."""
    found: list[object] = []
    try:
        for c, command in enumerate(meaning.system.commands):
            for env in meaning.bindings(command, s):
                t, violation = meaning.fire(s, Firing(c, tuple(env[p.name] for p in command.parameters)))
                who = [env[p.name] for p in command.parameters if isinstance(p.domain, Atoms)]
                who += [meaning.mover(c, s, env)] if command.actors else []
                if g is not None:
                    t = permute_state(meaning.system, g, t)
                    who = [image_of(a, g) for a in who]  # type: ignore[arg-type]
                found.append((t, tuple(who), violation and violation.property))
    except Fault:
        return frozenset({"fault"})
    except BoundExceeded:
        return None
    return frozenset(found)


def states(system: System, places: list[int]) -> Iterator[State]:
    """All values of these places; the others at their default value."""
    rest = [default(place.type) for place in system.places]
    for choice in product(*(tuple(values(system.places[i].type)) for i in places)):
        s = list(rest)
        for i, value in zip(places, choice, strict=True):
            s[i] = value
        yield tuple(s)


def mentioned_places(source: Source, commands: tuple[Command, ...], g: Permutation) -> list[int] | None:
    """The places the commands may read or write and their images, unless they have too many values together."""
    system, found = source.system, set[int]()
    for command in commands:
        domains = {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}
        for e in expressions_of(command):
            for part in walk(e):
                if isinstance(part, Read):
                    found.update(places_read(system, part, domains))
    for body in [d.body for d in used_definitions(system, [e for c in commands for e in expressions_of(c)])]:
        for part in walk(body):
            if isinstance(part, Read):
                found.update(places_read(system, part, {}))
    images = permute_places(system, g)
    assert images is not None
    found |= {images[i] for i in found}
    varying = sorted(found)
    sizes = [size(system.places[i].type) for i in varying]
    if any(n is None for n in sizes) or prod(n or 1 for n in sizes) > MOST_STATES:
        return None
    return varying


def places_read(system: System, e: Read, domains: dict[str, tuple[int, ...]]) -> Iterator[int]:
    variable = system.variable[e.variable]
    owners = [possible_owners(part, atoms, domains) for part, atoms in zip(e.owners, variable.owners, strict=True)]
    indices = [possible_indices(part, n) for part, n in zip(e.indices, variable.shape, strict=True)]
    for at in product(*owners):
        for k in product(*indices):
            if (i := system.index.get((e.variable, at, k))) is not None:
                yield i


def possible_owners(e: Expr, atoms: tuple[int, ...], domains: dict[str, tuple[int, ...]]) -> tuple[int, ...]:
    match e:
        case Literal(int(value)):
            return (value,)
        case Bound(name) if name in domains:
            return domains[name]
        case _:
            return atoms


def possible_indices(e: Expr, n: int) -> tuple[int, ...]:
    return (e.value,) if isinstance(e, Literal) and isinstance(e.value, int) else tuple(range(n))
