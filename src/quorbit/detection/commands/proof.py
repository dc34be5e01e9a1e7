"""Whether an exchange of two atoms keeps what an edge does, proved for all states at once with BDDs.

For edges with too many states to look at one by one (command_semantics.py).  Every instance of the edge (a command with
values for its parameters) must be mapped to an instance of the edge: guard, requirements and what is written in the
image of a state must be the images of those in the state.  An exchange that is not proved is not used.

Short names: g a permutation of the atoms.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cached_property
from itertools import product
from typing import Any

from quorbit.bdd.function import Manager
from quorbit.bdd.open import is_installed, open_manager
from quorbit.detection.commands.semantics import EdgeMeaning, depends_on_others
from quorbit.groups.permutation import Permutation
from quorbit.model.diagrams.cases import Cases, Unsupported, constant, merge
from quorbit.model.diagrams.encode import Encoder
from quorbit.model.meaning.evaluate import Env, Meaning
from quorbit.model.meaning.permute import image_of, permute_places
from quorbit.model.system.command import Command, Require, Together
from quorbit.model.system.expression import Atoms, Bound, Interval, Literal
from quorbit.model.system.system import State, System
from quorbit.model.system.types import Value, contains, default, permute_value, size, values
from quorbit.source.frozen import frozen, replace

MOST_NODES = 1 << 18
MOST_VALUES = 300  # of one place
MOST_INSTANCES = 400
MOST_PLACES = 64  # that the edge mentions
MOST_WORK = 1000  # instances proved about and exchanges refuted, for one edge
TRIED_STATES = 12  # at random, to refute an exchange before anything is proved about it; half of them satisfy a guard
Key = tuple[Value, ...]  # what tells the instances of an edge apart


@frozen
class Instance:
    command: Command
    env: Env
    who: tuple[int, ...]  # the atoms of the parameters, and the one that moves
    others: tuple[Value, ...]  # the values of the other parameters

    @property
    def key(self) -> Key:
        return (*self.who, "|", *self.others)

    def image_key(self, g: Permutation) -> Key:
        return (*(image_of(a, g) for a in self.who), "|", *self.others)


class EdgeProof:
    """What (simplified) commands do in all states, as diagrams."""

    def __init__(self, system: System, commands: tuple[Command, ...]) -> None:
        self.system, self.commands = system, commands
        self.tried = EdgeMeaning(system, commands)
        self.instances: dict[Key, Instance] = {}
        few = len(self.tried.mentioned) <= MOST_PLACES and not depends_on_others(commands)
        self.is_sayable = few and is_installed("oxidd") and self.list_instances()
        self.left = MOST_WORK

    def list_instances(self) -> bool:
        """Whether the instances can be told apart by who takes part."""
        meaning = Meaning(replace(self.system, commands=self.commands))
        for c, command in enumerate(self.commands):
            if not is_written_out(command):
                return False
            domains = [domain_of(p.domain) for p in command.parameters]
            for row in product(*domains):
                env: Env = dict(zip((p.name for p in command.parameters), row, strict=True))
                atoms = [k for k, p in enumerate(command.parameters) if isinstance(p.domain, Atoms)]
                who = [row[k] for k in atoms]
                who += [meaning.mover(c, (), env)] if command.actors else []
                others = tuple(value for k, value in enumerate(row) if k not in atoms)
                found = Instance(command, env, tuple(who), others)  # type: ignore[arg-type]
                if found.key in self.instances or len(self.instances) >= MOST_INSTANCES:
                    return False
                self.instances[found.key] = found
        return True

    def keeps(self, g: Permutation) -> bool:
        """Whether g is proved to keep the edge."""
        images = permute_places(self.system, g)
        if not self.is_sayable or images is None or self.left <= 0:
            return False
        if not all(instance.image_key(g) in self.instances for instance in self.instances.values()):
            return False
        try:
            if self.is_refuted(g, images):
                return False
            self.left -= len(self.instances)
            return all(self.is_mapped(instance, g, images) for instance in self.instances.values())
        except (Unsupported, MemoryError):
            self.is_sayable = False
            return False

    def is_refuted(self, g: Permutation, images: Permutation) -> bool:
        self.left -= 1
        return not all(self.tried.same_outcomes(s, g, images) for s in self.tried_states)

    @cached_property
    def diagram(self) -> Diagram:
        return Diagram(open_manager("oxidd", nodes=MOST_NODES), self.system)

    @cached_property
    def tried_states(self) -> list[State]:
        rnd = random.Random(len(self.system.places))
        found = [self.random_state(rnd) for _ in range(TRIED_STATES // 2)]
        for instance in list(self.instances.values())[:1]:
            guard = Run(self.diagram, self.diagram.place, instance).where
            if guard != self.diagram.manager.false:
                found += [self.satisfying_state(rnd, guard) for _ in range(TRIED_STATES // 2)]
        return found

    def random_state(self, rnd: random.Random) -> State:
        return tuple(self.random_value(rnd, i) for i in range(len(self.system.places)))

    def random_value(self, rnd: random.Random, i: int) -> Value:
        type = self.system.places[i].type
        n = size(type) if i in self.tried.mentioned else None
        return rnd.choice(tuple(values(type))) if n is not None and n <= MOST_VALUES else default(type)

    def satisfying_state(self, rnd: random.Random, guard: Any) -> State:
        s = list(self.random_state(rnd))
        for i, cases in self.diagram.known.items():
            possible = [(value, guard & f) for value, f in cases.items() if guard & f != self.diagram.manager.false]
            s[i], guard = rnd.choice(possible)
        return tuple(s)

    def is_mapped(self, instance: Instance, g: Permutation, images: Permutation) -> bool:
        image = self.instances.get(instance.image_key(g))
        if image is None or len(image.command.effect) != len(instance.command.effect):
            return False
        diagram = self.diagram
        here = Run(diagram, diagram.place, instance)
        there = Run(diagram, moved_reader(diagram, g, images), image)
        return is_same_run(self.system, here, there, g, images)


def is_written_out(command: Command) -> bool:
    """Whether neither who moves nor what the parameters can be depends on the state."""
    fixed = all(isinstance(p.domain, Atoms | Interval) for p in command.parameters)
    return fixed and all(isinstance(actor, Bound | Literal) for actor in command.actors[:1])


def domain_of(domain: object) -> tuple[Value, ...]:
    match domain:
        case Atoms(atoms):
            return atoms
        case Interval(low, high):
            return tuple(range(low, high + 1))
        case _:
            return ()


def moved_reader(diagram: Diagram, g: Permutation, images: Permutation) -> Callable[[int], Cases]:
    """The places of g's image of the state."""
    source = {image: i for i, image in enumerate(images)}

    def read(j: int) -> Cases:
        i = source[j]
        return moved_cases(diagram.system, i, diagram.place(i), g)

    return read


def moved_cases(system: System, i: int, cases: Cases, g: Permutation) -> Cases:
    return {permute_value(system.places[i].type, value, g): f for value, f in cases.items()}


class Diagram:
    """Variables for the places that are read, made when they are."""

    def __init__(self, manager: Manager, system: System) -> None:
        self.manager, self.system = manager, system
        self.known: dict[int, Cases] = {}

    def place(self, i: int) -> Cases:
        """The values of a place; numbers that no value has count as the last value."""
        if i not in self.known:
            type = self.system.places[i].type
            n = size(type)
            if n is None or n > MOST_VALUES:
                raise Unsupported(f"{self.system.places[i].variable} has too many values")
            listed = tuple(values(type))
            bits = [self.manager.variable(v) for v in self.manager.add_variables((len(listed) - 1).bit_length())]
            self.known[i] = {value: self.numbered(bits, k, len(listed)) for k, value in enumerate(listed)}
        return self.known[i]

    def numbered(self, bits: list[Any], k: int, n: int) -> Any:
        """Where the bits say k; for the last value, k or more."""
        last = range(k, 1 << len(bits)) if k == n - 1 else (k,)
        return self.manager.disjunction(
            self.manager.conjunction(bit if m >> j & 1 else ~bit for j, bit in enumerate(bits)) for m in last
        )


class Run:
    """An instance run step by step in all states in which its guard holds."""

    def __init__(self, diagram: Diagram, read: Callable[[int], Cases], instance: Instance) -> None:
        """``read``: how places are read, as they are or as a permutation of the atoms leaves them."""
        m, self.system, self.instance = diagram.manager, diagram.system, instance
        bound = {name: constant(m, value) for name, value in instance.env.items()}
        self.encoder = Encoder(m, diagram.system, read, bound, careful=True)
        self.where = self.encoder.truth(instance.command.guard, m.true)
        self.written: dict[int, None] = {}

    def assign(self, step: Together) -> None:
        """All at once; where a value is none of its place's, or a place is assigned twice, nothing is said."""
        encoder, changed = self.encoder, dict[int, Cases]()
        for assignment in step.assignments:
            value = encoder.cases(assignment.value, self.where)
            for i, f in encoder.targets(assignment.target, self.where):
                new = {v: h for v, h in value.items() if f & h != encoder.m.false}
                if i in changed or not all(contains(self.system.places[i].type, v) for v in new):
                    raise Unsupported(f"{assignment.target.variable} may be given what is not in its type")
                changed[i] = merge(encoder.m, [(f, new), (~f, encoder.place(i))])
        encoder.update(changed)
        self.written.update(dict.fromkeys(changed))


def is_same_run(system: System, here: Run, there: Run, g: Permutation, images: Permutation) -> bool:
    """Whether the second run, which sees g's image of each state, does g's image of what the first does."""
    if here.where != there.where:
        return False
    if here.where == here.encoder.m.false:
        return True
    for mine, other in zip(here.instance.command.effect, there.instance.command.effect, strict=True):
        match mine, other:
            case Together(), Together():
                here.assign(mine)
                there.assign(other)
            case Require(condition, _, named), Require(image, _, called):
                if named != called or not is_same_state(system, here, there, g, images):
                    return False
                if required(here, condition) != required(there, image):
                    return False
            case _:
                return False
    return is_same_state(system, here, there, g, images)


def required(run: Run, condition: Any) -> Any:
    """Go on where the condition holds."""
    run.where = run.encoder.truth(condition, run.where)
    return run.where


def is_same_state(system: System, here: Run, there: Run, g: Permutation, images: Permutation) -> bool:
    source = {image: i for i, image in enumerate(images)}
    places = dict.fromkeys([*here.written, *(source[j] for j in there.written)])
    for i in places:
        mine = inside(moved_cases(system, i, here.encoder.place(i), g), here.where)
        if mine != inside(there.encoder.place(images[i]), here.where):
            return False
    return True


def inside(cases: Cases, where: Any) -> Cases:
    limited = {value: f & where for value, f in cases.items()}
    return {value: f for value, f in limited.items() if f != (where & ~where)}
