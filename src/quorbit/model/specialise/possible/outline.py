"""The commands of a System as an abstract run looks at them: what each waits for, asks and writes, for each choice of
atoms.  All this is known before any value is, so that several runs of one System share it.

A command is written out for a choice of atoms only when it may be its turn: where its guard says that a place of one
of its atoms has a certain value (a process is at a location), when that place may have it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Set
from itertools import product

from quorbit.model.meaning.partial import Faults
from quorbit.model.specialise.instances import Instances
from quorbit.model.specialise.possible.addresses import static_address
from quorbit.model.specialise.possible.guards import Placed, Watch, find_tests, find_watch, safe_length
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together
from quorbit.model.system.expression import Atoms, Expr, Literal, Read, atom, conjuncts_of
from quorbit.model.system.system import Address, System, places_of
from quorbit.model.system.types import NONE, Value
from quorbit.source.frozen import distinct

__all__ = ["Candidate", "Choice", "Outline", "Values", "Write", "atoms_of_parameters"]

Values = Set[Value] | None  # None: anything
Choice = tuple[int, ...]  # of atoms for the parameters that range over atoms


@distinct
class Write:
    """The places that an assignment may write, and what: ``values`` if that is written down."""

    addresses: list[Address]
    value: Expr
    values: Values
    forgets: bool


@distinct
class Candidate:
    """A command for a choice of atoms; what it writes, and how many of its conjuncts surely have a value where those
    before them hold, is worked out when somebody asks."""

    command: int
    choice: Choice
    atoms: dict[str, Literal]
    guard: Expr
    tests: list[Placed]
    writes: list[Write] | None = None
    safe: int | None = None


class Outline:
    """What the commands of a System wait for, ask and write."""

    def __init__(self, system: System, roughly: bool = False) -> None:
        """``roughly``: commands are looked at as they are written, whatever atoms their parameters stand for."""
        self.system = system
        self.addresses = {v.name: [place.address for place in places_of(v)] for v in system.variables}
        self.ranged = [{} if roughly else atoms_of_parameters(command) for command in system.commands]
        self.watched: dict[tuple[str, tuple[Value, ...]], dict[Value, list[tuple[int, Watch]]]] = {}
        self.at_once: list[int] = []  # the commands that wait for nothing
        self.writer = Instances(system, by_value=True)
        self.literals = {a: atom(a) for a in (NONE, *range(len(system.atoms)))}
        self.known: dict[tuple[int, Choice], Candidate] = {}
        self.tests: dict[int, tuple[Expr, list[Placed]]] = {}  # of guards, by id; what is kept there keeps its id
        self.equal: dict[tuple[Assign, bool], Assign] = {}
        self.writers: dict[int, tuple[Assign, Callable[[dict[str, Literal]], Write]]] = {}  # by id
        self.faults = Faults(system)
        self.watch()

    def watch(self) -> None:
        """Note what each command waits for."""
        for c, command in enumerate(self.system.commands):
            found = find_watch(self.safe_part(command), self.ranged[c])
            if found is None:
                self.at_once.append(c)
            else:
                self.watched.setdefault(found.place, {}).setdefault(found.value, []).append((c, found))

    def safe_part(self, command: Command) -> tuple[Expr, ...]:
        """The conjuncts of the guard up to the first that may fail."""
        conjuncts = conjuncts_of(command.guard)
        return conjuncts[
            : safe_length(self.faults, self.system, conjuncts, {p.name: p.domain for p in command.parameters})
        ]

    def candidates(self, c: int, fixed: dict[str, int]) -> Iterator[Candidate]:
        """The command for all choices with these atoms."""
        ranged = self.ranged[c]
        for choice in product(*[(fixed[name],) if name in fixed else atoms for name, atoms in ranged.items()]):
            if (known := self.known.get((c, choice))) is None:
                atoms = {name: self.literals[a] for name, a in zip(ranged, choice, strict=True)}
                written = self.writer.writer(self.system.commands[c].guard)(atoms)
                known = self.known[c, choice] = Candidate(c, choice, atoms, written, self.tests_of(written))
            yield known

    def tests_of(self, guard: Expr) -> list[Placed]:
        known = self.tests.get(id(guard))
        if known is None:
            known = self.tests[id(guard)] = guard, list(find_tests(conjuncts_of(guard)))
        return known[1]

    def may_fail_before(self, candidate: Candidate, position: int) -> bool:
        """Whether a conjunct before this one, all of which may hold, may fail."""
        if candidate.safe is None:
            parameters = self.system.commands[candidate.command].parameters
            domains = {p.name: p.domain for p in parameters if p.name not in candidate.atoms}
            candidate.safe = safe_length(self.faults, self.system, conjuncts_of(candidate.guard), domains)
        return candidate.safe < position

    def writes(self, candidate: Candidate) -> list[Write]:
        """What a candidate may write."""
        if candidate.writes is None:
            effect = self.system.commands[candidate.command].effect
            candidate.writes = list(self.writes_in(effect, candidate.atoms, set()))
        return candidate.writes

    def writes_in(self, steps: tuple[Step, ...], atoms: dict[str, Literal], seen: set[int]) -> Iterator[Write]:
        """What steps may write; of a branch that is decided only the way that is taken.  ``seen``: steps that stand in
        several places, by id."""
        for step in steps:
            if isinstance(step, Together):
                yield from [self.assignment_writer(a)(atoms) for a in step.assignments]
            elif not isinstance(step, Require) and id(step) not in seen:
                seen.add(id(step))
                for inside in self.ways(step, atoms):
                    yield from self.writes_in(inside, atoms, seen)

    def ways(self, step: Branch | Loop | Pick, atoms: dict[str, Literal]) -> list[tuple[Step, ...]]:
        if not isinstance(step, Branch):
            return [step.body]
        decided = self.writer.written(step.test, atoms)
        if isinstance(decided, Literal):
            return [step.then if decided.value else step.other]
        return [step.then, step.other]

    def assignment_writer(self, a: Assign) -> Callable[[dict[str, Literal]], Write]:
        """What an assignment writes for a choice of atoms; worked out once for the atoms that equal ones mention."""
        known = self.writers.get(id(a))
        if known is None:
            first = self.equal.setdefault((a, a.forgets), a)
            known = self.writers[id(a)] = (
                a,
                self.make_assignment_writer(a) if first is a else self.assignment_writer(first),
            )
        return known[1]

    def make_assignment_writer(self, a: Assign) -> Callable[[dict[str, Literal]], Write]:
        target, value = self.writer.place(a.target), self.writer.writer(a.value)
        names = tuple(dict.fromkeys((*self.writer.names_in(a.target), *self.writer.names_in(a.value))))
        found: dict[tuple[Literal | None, ...], Write] = {}

        def write(atoms: dict[str, Literal]) -> Write:
            key = tuple([atoms.get(name) for name in names])
            if (known := found.get(key)) is None:
                known = found[key] = self.written(target(atoms), value(atoms), a.forgets)
            return known

        return write

    def written(self, target: Read, value: Expr, forgets: bool) -> Write:
        values = frozenset([value.value]) if isinstance(value, Literal) else None
        return Write(self.targets(target), value, values, forgets and values is not None)

    def targets(self, target: Read) -> list[Address]:
        address = static_address(target)
        return self.addresses[target.variable] if address is None else [address]


def atoms_of_parameters(command: Command) -> dict[str, tuple[int, ...]]:
    return {p.name: p.domain.atoms for p in command.parameters if isinstance(p.domain, Atoms)}
