"""Whether an exchange of two atoms keeps what an edge does, by looking at all states: for small edges only.

Two guards may mean the same although they are written differently.  The outcomes of the edge in a state are a set of
states and violations, each with the atoms its parameters stand for; an exchange keeps the edge if it maps the outcomes
in every state to those in the image of the state.  Places that the edge does not mention play no part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from math import inf, prod

from quorbit.detection.commands.terms import used_definitions
from quorbit.groups.permutation import Permutation
from quorbit.model.meaning.evaluate import Fault, Firing, Meaning, asks_enabled
from quorbit.model.meaning.permute import image_of, permute_places
from quorbit.model.system.command import Command, parameters_of
from quorbit.model.system.expression import Atoms, Bound, Expr, Fresh, Literal, Read
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Value, default, mentions_atoms, permute_value, size, values
from quorbit.model.system.walk import expressions_of, walk
from quorbit.source.frozen import replace

MOST_STATES = 3_000  # an edge that mentions places with more values together is compared by its terms alone


def is_small(system: System, commands: tuple[Command, ...]) -> bool:
    """Whether all states of what the commands mention can be looked at, and say everything."""
    if depends_on_others(commands):
        return False
    return count_states(system, mentioned_places(system, commands)) <= MOST_STATES


def depends_on_others(commands: tuple[Command, ...]) -> bool:
    fresh = any(isinstance(p.domain, Fresh) for command in commands for p in parameters_of(command))
    return fresh or asks_enabled(*commands)


Outcome = tuple[State, tuple[Value, ...], str | None]  # where it leads, who takes part, what it violates
FAULT: Outcome = ((), (), "fault")


class EdgeMeaning:
    """What small (simplified) commands do in every state; each state is looked at once, for all permutations."""

    def __init__(self, system: System, commands: tuple[Command, ...]) -> None:
        self.system = system
        self.meaning = Meaning(replace(system, commands=commands))
        self.mentioned = mentioned_places(system, commands)
        self.referring = [i for i, place in enumerate(system.places) if mentions_atoms(place.type)]
        self.known: dict[State, frozenset[Outcome]] = {}

    def keeps(self, g: Permutation) -> bool:
        """Whether g maps the outcomes in every state to those in the state's image; False where that is too much."""
        images = permute_places(self.system, g)
        if images is None:
            return False
        places = sorted(self.mentioned | {images[i] for i in self.mentioned})
        if count_states(self.system, places) > MOST_STATES:
            return False
        return all(self.same_outcomes(s, g, images) for s in states(self.system, places))

    def same_outcomes(self, s: State, g: Permutation, images: Permutation) -> bool:
        here = self.outcomes(s)
        moved = {
            (self.move(t, g, images), tuple([image_of(a, g) for a in who]), violation)  # type: ignore[arg-type]
            for t, who, violation in here
        }
        return moved == self.outcomes(self.move(s, g, images))

    def move(self, s: State, g: Permutation, images: Permutation) -> State:
        """g's image of a state (the empty state stands for no state and stays)."""
        if not s:
            return s
        t = list(s)
        for i, value in zip(images, s, strict=True):
            t[i] = value
        for i in self.referring:
            t[images[i]] = permute_value(self.system.places[i].type, s[i], g)
        return tuple(t)

    def outcomes(self, s: State) -> frozenset[Outcome]:
        if s not in self.known:
            try:
                self.known[s] = frozenset(self.find_outcomes(s))
            except Fault:
                self.known[s] = frozenset({FAULT})
        return self.known[s]

    def find_outcomes(self, s: State) -> Iterator[Outcome]:
        meaning = self.meaning
        for c, command in enumerate(meaning.system.commands):
            for env in meaning.bindings(command, s):
                t, violation = meaning.fire(s, Firing(c, tuple(env[p.name] for p in command.parameters)))
                who = [env[p.name] for p in command.parameters if isinstance(p.domain, Atoms)]
                who += [meaning.mover(c, s, env)] if command.actors else []
                yield t, tuple(who), violation.property if violation else None


def states(system: System, places: list[int]) -> Iterator[State]:
    """All values of these places; the others at their default value."""
    rest = [default(place.type) for place in system.places]
    for choice in product(*(tuple(values(system.places[i].type)) for i in places)):
        s = list(rest)
        for i, value in zip(places, choice, strict=True):
            s[i] = value
        yield tuple(s)


def mentioned_places(system: System, commands: tuple[Command, ...]) -> set[int]:
    """The places the commands may read or write, definitions looked into."""
    found: set[int] = set()
    for command in commands:
        domains = {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}
        for e in expressions_of(command):
            found.update(places_in(system, e, domains))
    for d in used_definitions(system, [e for command in commands for e in expressions_of(command)]):
        found.update(places_in(system, d.body, {}))
    return found


def count_states(system: System, places: Iterable[int]) -> float:
    """How many values the places have together; infinity if one has no bound."""
    sizes = [size(system.places[i].type) for i in places]
    return inf if None in sizes else prod(n for n in sizes if n is not None)


def places_in(system: System, e: Expr, domains: dict[str, tuple[int, ...]]) -> Iterator[int]:
    for part in walk(e):
        if isinstance(part, Read):
            yield from places_read(system, part, domains)


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
