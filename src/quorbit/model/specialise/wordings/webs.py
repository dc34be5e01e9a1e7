"""A local variable that serves two purposes, written as two.

People declare one `i` and use it as the counter of a loop here and as the number of a process there.  What one purpose
writes is never read for the other: the assignments that may reach a common reader form a *web*, and each web becomes a
variable of its own.  Whenever one is written the others are 0, as all are at the start, so states and moves stay what
they were; but now one of them may hold atoms while another counts.

Only variables that are counted are looked at, of processes whose location every command asks for.  Short names: v a
variable; d an assignment to it, by the numbers of its command, of the step and of the assignment in it.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.groups.unionfind import UnionFind
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.value_names import LOCATION
from quorbit.model.specialise.constants import first_moves, is_never_again
from quorbit.model.specialise.start import Started, run_start
from quorbit.model.system.command import Assign, Command, Require, Step, Together, has_inner_steps, is_counting
from quorbit.model.system.expression import Apply, Bound, Expr, Literal, Operator, Read, conjuncts_of
from quorbit.model.system.properties import property_expressions
from quorbit.model.system.system import System, Variable
from quorbit.model.system.types import Number, default
from quorbit.model.system.walk import domain_expressions, expressions_of, map_parts, walk
from quorbit.source.frozen import replace

__all__ = ["split_webs"]

Definition = tuple[int, int, int]
Reaching = frozenset[Definition]  # none of them: the variable is 0
NO_WEB = 0  # of a variable that is 0; the webs are numbered from 1


def split_webs(started: Started) -> Started:
    """The System with such variables as several; the same object if there are none."""
    system = started.system
    if started.states is None or has_inner_steps(system.commands):
        return started
    once = commands_run_once(started)
    for v in counted_locals(system):
        try:
            system = Webs(system, v, once).split()
        except Tangled:
            continue
    return started if system is started.system else run_start(system)


class Tangled(Exception):
    """It cannot be told which assignments a reader sees."""


def counted_locals(system: System) -> list[Variable]:
    """The numbers that processes own, each its own, and that are counted somewhere."""
    counted = {
        a.target.variable
        for command in system.commands
        for step in command.effect
        if isinstance(step, Together)
        for a in step.assignments
        if is_counting(a)
    }
    return [
        v
        for v in system.variables
        if v.name in counted and len(v.owners) == 1 and not v.shape and isinstance(v.type, Number)
    ]


def commands_run_once(started: Started) -> frozenset[int]:
    """The commands that run from the initial state and never again."""
    assert started.states is not None
    moves = first_moves(started.system, started.states, Meaning(started.system))
    if not moves or not is_never_again(started, *moves):
        return frozenset()
    return frozenset(firing.command for move in moves for firing in move.firings)


class Webs:
    """The webs of one variable."""

    def __init__(self, system: System, v: Variable, once: frozenset[int]) -> None:
        self.system, self.v = system, v
        self.zero = default(v.type)
        self.reaching: dict[int, Reaching] = {}  # by location
        self.readers: list[Reaching] = []
        self.check_start()
        self.flows = [flow for number in range(len(system.commands)) for flow in self.flows_of(number, once)]
        self.follow()

    def check_start(self) -> None:
        """The variable is 0 at the start and nobody but its owner's commands looks at it."""
        for command in self.system.start:
            for step in command.effect:
                for a in step.assignments if isinstance(step, Together) else ():
                    if a.target.variable == self.v.name and not self.is_zero(a.value):
                        raise Tangled
        elsewhere = [d.body for d in self.system.definitions] + [self.system.transient]
        elsewhere += [e for p in self.system.properties for e in property_expressions(p)]
        if any(self.mentions(e) for e in elsewhere):
            raise Tangled

    def is_zero(self, e: Expr) -> bool:
        return isinstance(e, Literal) and e.value == self.zero

    def mentions(self, e: Expr) -> bool:
        return any(isinstance(part, Read) and part.variable == self.v.name for part in walk(e))

    # Where the processes of this kind go.

    def flows_of(self, number: int, once: frozenset[int]) -> Iterator[tuple[int, str, int, int]]:
        """For each parameter that a command moves: the command, the parameter, where it comes from, where it goes."""
        command = self.system.commands[number]
        here = dict(self.locations(command))
        if any(self.mentions(e) for p in command.parameters for e in domain_expressions(p.domain)):
            raise Tangled
        gone: dict[str, int] = {}
        for a in (a for step in command.effect if isinstance(step, Together) for a in step.assignments):
            match a.target, a.value:
                case Read(variable, (Bound(name),), ()), Literal(int(n)) if name in here and variable.endswith(
                    LOCATION
                ):
                    gone[name] = n
                case Read(variable, owners, ()), value if variable.endswith(LOCATION) and self.are_of_kind(owners):
                    if not isinstance(value, Literal) or not (number in once or self.sets_to_zero(command, owners)):
                        raise Tangled
                    self.reaching.setdefault(value.value, frozenset())  # type: ignore[arg-type]
        for name, location in here.items():
            yield number, name, location, gone.get(name, location)
        if not all(self.is_zero(a.value) for a in self.writes_to_others(command, here)):
            raise Tangled

    def locations(self, command: Command) -> Iterator[tuple[str, int]]:
        """The parameters of this kind whose location the guard asks for."""
        for e in conjuncts_of(command.guard):
            match e:
                case Apply(Operator.EQUAL, (Read(variable, (Bound(name),), ()), Literal(int(n)))):
                    if variable.endswith(LOCATION) and self.system.variable[variable].owners == self.v.owners:
                        yield name, n

    def are_of_kind(self, owners: tuple[Expr, ...]) -> bool:
        return not all(isinstance(o, Literal) and o.value not in self.v.owners[0] for o in owners)

    def sets_to_zero(self, command: Command, owners: tuple[Expr, ...]) -> bool:
        written = [a for step in command.effect if isinstance(step, Together) for a in step.assignments]
        return any(a.target == Read(self.v.name, owners) and self.is_zero(a.value) for a in written)

    def reads(self, e: Expr) -> Iterator[Read]:
        return (part for part in walk(e) if isinstance(part, Read) and part.variable == self.v.name)

    def is_own(self, e: Read, here: dict[str, int]) -> bool:
        return isinstance(e.owners[0], Bound) and e.owners[0].name in here

    def writes_to_others(self, command: Command, here: dict[str, int]) -> list[Assign]:
        """The assignments to the variable of other processes; a command that reads theirs is not understood."""
        found = []
        targets = set()
        for step in command.effect:
            for a in step.assignments if isinstance(step, Together) else ():
                if a.target.variable == self.v.name and not self.is_own(a.target, here):
                    found.append(a)
                    targets.add(id(a.target))
        for part in (part for e in expressions_of(command) for part in self.reads(e)):
            if not self.is_own(part, here) and id(part) not in targets:
                raise Tangled
        return found

    # What reaches what.

    def follow(self) -> None:
        """What reaches each location, and each reader in the end."""
        for location in {location for _, _, location, _ in self.flows}:
            self.reaching.setdefault(location, frozenset())
        changed = True
        while changed:
            changed = False
            for number, name, location, after in self.flows:
                out = self.run(number, name, self.reaching[location], [])
                if not out <= self.reaching.get(after, frozenset()):
                    self.reaching[after] = self.reaching.get(after, frozenset()) | out
                    changed = True
        for number, name, location, _ in self.flows:
            self.run(number, name, self.reaching[location], self.readers)

    def run(self, number: int, name: str, reaching: Reaching, readers: list[Reaching]) -> Reaching:
        """What reaches the end of a command; what its readers see is added."""
        for _, seen, _ in self.events(number, name, reaching):
            readers.append(seen)
        *_, (_, _, out) = self.events(number, name, reaching)
        return out

    def events(self, number: int, name: str, reaching: Reaching) -> Iterator[tuple[int, Reaching, Reaching]]:
        """The guard (-1) and the steps of a command, with what readers in it see and what reaches what follows."""
        command = self.system.commands[number]
        yield -1, reaching if any(self.is_of(p, name) for p in self.reads(command.guard)) else frozenset(), reaching
        for k, step in enumerate(command.effect):
            seen = reaching if any(self.is_of(p, name) for p in self.read_in(step)) else frozenset()
            for j, a in enumerate(step.assignments if isinstance(step, Together) else ()):
                if a.target.variable == self.v.name and self.is_of(a.target, name):
                    reaching = frozenset() if self.is_reset(a) else frozenset([(number, k, j)])
            yield k, seen, reaching

    def is_reset(self, a: Assign) -> bool:
        return a.forgets and self.is_zero(a.value)

    def is_of(self, e: Read, name: str) -> bool:
        return isinstance(e.owners[0], Bound) and e.owners[0].name == name

    def read_in(self, step: Step) -> Iterator[Read]:
        match step:
            case Together(assignments):
                for a in assignments:
                    yield from self.reads(a.value)
                    for e in (*a.target.owners, *a.target.indices):
                        yield from self.reads(e)
            case Require(condition):
                yield from self.reads(condition)

    # Taking it apart.

    def split(self) -> System:
        """The System with one variable for each web; itself if there is one only."""
        definitions = sorted(
            {d for number, name, location, _ in self.flows for d in self.defined(number, name, location)}
        )
        number = {d: k for k, d in enumerate(definitions)}
        union = UnionFind(len(definitions))
        for seen in self.readers:
            first, *rest = [number[d] for d in sorted(seen)] or [0]
            for other in rest:
                union.unite(first, other)
        roots = sorted({union.find(k) for k in range(len(definitions))})
        if len(roots) < 2:
            return self.system
        self.web = {d: 1 + roots.index(union.find(number[d])) for d in definitions}
        self.names = [f"{self.v.name} ({k})" for k in range(1, len(roots) + 1)]
        commands = tuple(self.command(k, command) for k, command in enumerate(self.system.commands))
        start = tuple(self.start(command) for command in self.system.start)
        others = [v for v in self.system.variables if v is not self.v]
        variables = (*others, *(replace(self.v, name=name) for name in self.names))
        return replace(self.system, commands=commands, start=start, variables=variables)

    def defined(self, number: int, name: str, location: int) -> Reaching:
        found: Reaching = frozenset()
        for _, _, out in self.events(number, name, self.reaching[location]):
            found |= {d for d in out if d[0] == number}
        return found

    def web_of(self, reaching: Reaching) -> int:
        """The web that the variable belongs to; NO_WEB where it is 0."""
        webs = {self.web[d] for d in reaching}
        if len(webs) > 1:
            raise Tangled  # what nobody reads is there from one or the other
        return webs.pop() if webs else NO_WEB

    def name_of(self, web: int) -> str:
        """The variable of a web; where all are 0, any of them will do."""
        return self.names[max(web - 1, 0)]

    def command(self, number: int, command: Command) -> Command:
        """The command with each web under its own name."""
        located = [(name, location) for k, name, location, _ in self.flows if k == number]
        entry = {name: self.web_of(self.reaching[location]) for name, location in located}
        seen = {name: list(self.events(number, name, self.reaching[location])) for name, location in located}
        steps: list[Step] = []
        now = dict(entry)
        for k, step in enumerate(command.effect):
            steps.append(self.step(number, k, step, now))
            now = {name: self.web_of(events[k + 1][2]) for name, events in seen.items()}
        changed = replace(command, guard=self.renamed(command.guard, entry), effect=tuple(steps))
        return replace(changed, actors=tuple(self.renamed(e, entry) for e in command.actors))

    def step(self, number: int, k: int, step: Step, now: dict[str, int]) -> Step:
        match step:
            case Together(assignments):
                return Together(
                    tuple(b for j, a in enumerate(assignments) for b in self.assign((number, k, j), a, now))
                )
            case Require(condition):
                return replace(step, condition=self.renamed(condition, now))
            case _:
                raise Tangled

    def assign(self, d: Definition, a: Assign, now: dict[str, int]) -> Iterator[Assign]:
        """An assignment; of the variable itself to its web, and the web that was there is 0 from now on."""
        value = self.renamed(a.value, now)
        if a.target.variable != self.v.name:
            target = self.renamed(a.target, now)
            assert isinstance(target, Read)
            yield replace(a, target=target, value=value)
            return
        owner = a.target.owners[0]
        if not isinstance(owner, Bound) or owner.name not in now:
            yield from (replace(a, target=replace(a.target, variable=name)) for name in self.names)
            return
        web = self.web.get(d, now[owner.name])
        yield replace(a, target=replace(a.target, variable=self.name_of(web)), value=value)
        if (before := now[owner.name]) not in (web, NO_WEB):
            zero = Literal(self.zero, self.v.type)
            yield Assign(replace(a.target, variable=self.name_of(before)), zero, forgets=True)

    def renamed(self, e: Expr, now: dict[str, int]) -> Expr:
        e = map_parts(e, lambda part: self.renamed(part, now))
        if not isinstance(e, Read) or e.variable != self.v.name:
            return e
        owner = e.owners[0]
        assert isinstance(owner, Bound)
        return replace(e, variable=self.name_of(now[owner.name]))

    def start(self, command: Command) -> Command:
        return replace(command, effect=tuple(self.all_zero(step) for step in command.effect))

    def all_zero(self, step: Step) -> Step:
        if not isinstance(step, Together):
            return step
        return Together(
            tuple(
                replace(a, target=replace(a.target, variable=name))
                for a in step.assignments
                for name in (self.names if a.target.variable == self.v.name else [a.target.variable])
            )
        )
