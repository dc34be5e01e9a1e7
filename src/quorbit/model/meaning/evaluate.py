"""What a System means: its initial states, the commands that can run in a state, and what they lead to.

Expressions become Python closures once (``Meaning.value_of``); the rest is a plain reading of the definitions in
system.py and command.py.  This is the meaning every engine is compared with.

Short names: s, t states; env the values of the bound parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

from quorbit.model.meaning.dispatch import Asked, Dispatch, asked_first, make_dispatch
from quorbit.model.meaning.operators import MEANING, Undefined, sorted_elements
from quorbit.model.specialise.independent import Change, combine, independent_ways
from quorbit.model.system.command import Assign, Branch, Command, Loop, Pick, Require, Step, Together
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Compute,
    Condition,
    Domain,
    Elements,
    Enabled,
    Expr,
    Fresh,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Otherwise,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system.system import BLOCKED, State, System
from quorbit.model.system.types import NONE, Value, contains, default, subsets
from quorbit.model.system.walk import expressions_of, parts
from quorbit.source.exhaustive import assert_never
from quorbit.source.frozen import field, frozen
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "ENDLESS",
    "FAULTS",
    "LONGEST_TRANSIENT",
    "BoundExceeded",
    "Env",
    "Evaluate",
    "Fault",
    "Firing",
    "Meaning",
    "Move",
    "Violation",
    "asks_enabled",
    "wrap",
]

Env = dict[str, Value]
Evaluate = Callable[[State, Env], Any]

LONGEST_TRANSIENT = 100_000  # steps through transient states before we say that they never end


class Fault(Exception):
    """An expression or an assignment has no value here: the model's run-time error."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span = span
        self.message = message


class BoundExceeded(Exception):
    """No unused atom is left: the System must be lowered again with more of them."""


@frozen
class Violation:
    """A ``Require`` step that does not hold, or a fault (property "run-time errors")."""

    property: str
    message: str
    span: Span = field(default=NOWHERE, compare=False)


@frozen
class Firing:
    """A command (its number in the System) with the values of its parameters."""

    command: int
    binding: tuple[Value, ...]


@frozen
class Move:
    """A step from a stored state to a stored state: the commands on the way; the last may run into a violation."""

    firings: tuple[Firing, ...]
    target: State
    violation: Violation | None = None


class Path(NamedTuple):
    """Firings one after the other, the last one first: a long way shares what it has in common with others."""

    last: Firing
    before: Path | None
    length: int
    anchor: State  # on the way, where its length was the last power of two; who comes back there never ends (Brent)


def longer(path: Path | None, firing: Firing, t: State) -> Path:
    """The path with one more firing, which leads to t."""
    length = 1 if path is None else path.length + 1
    return Path(firing, path, length, t if path is None or length & (length - 1) == 0 else path.anchor)


def firings_of(path: Path | None) -> tuple[Firing, ...]:
    found: list[Firing] = []
    while path is not None:
        found.append(path.last)
        path = path.before
    return tuple(reversed(found))


FAULTS = "run-time errors"
ENDLESS = "an atomic section never ends"
NO_VALUE = "this has no value: not initialised, an index out of range, or a poll of a rendezvous channel"


class Meaning:
    """The meaning of one System, with its expressions turned into closures."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._compiled: dict[int, tuple[Expr, Evaluate]] = {}
        self._written_down: dict[int, tuple[Read, int]] = {}  # places whose address says all
        self._shared_for: tuple[State | None, Env | None] = (None, None)  # what the shared values are for
        self._shared: dict[tuple[str, tuple[Value, ...]], Value] = {}  # of definitions
        self._asked_first: dict[int, tuple[Command, Asked | None]] = {}
        self._last_enabled: tuple[State | None, list[Firing]] = (None, [])

    # States and moves.

    def initial_states(self) -> list[State]:
        """The initial states, each once, in the order the start commands give them."""
        blank: State = tuple(default(place.type) for place in self.system.places)
        found: dict[State, None] = {}
        for command in self.system.start:
            ways = self.independent(command, blank)
            if ways is not None:
                found.update(dict.fromkeys(combine(ways, blank)))
                continue
            for binding in self.bindings(command, blank):
                found[self.run_effect(command, blank, binding)] = None
        return list(found)

    def starting_ways(self) -> tuple[State, list[list[Change]]] | None:
        """A state, and for each group of places how it may differ from that at the start; None where the start is not
        of this form."""
        blank: State = tuple(default(place.type) for place in self.system.places)
        ways = self.independent(self.system.start[0], blank) if len(self.system.start) == 1 else None
        return None if ways is None else (blank, ways)

    def independent(self, command: Command, blank: State) -> list[list[Change]] | None:
        return independent_ways(self.run_effect, lambda e, s, env: bool(self.value_of(e)(s, env)), command, blank)

    def moves(self, s: State, longest: int = LONGEST_TRANSIENT) -> Iterator[Move]:
        """All ways from a stored state to the next stored ones, through transient states; a way of more steps than the
        ``longest`` is given up as endless."""
        stack: list[tuple[State, Path | None]] = [(s, None)]
        while stack:
            at, path = stack.pop()
            later = []
            if (fault := self.guard_fault(at)) is not None:
                yield Move(firings_of(path), at, fault)
                continue
            for firing in self.enabled(at):
                t, violation = self.fire(at, firing)
                way = longer(path, firing, t)
                if violation or not self.is_transient(t):
                    yield Move(firings_of(way), t, violation)
                elif way.length > longest or (path is not None and t == path.anchor):
                    yield Move(firings_of(way), t, Violation(FAULTS, ENDLESS))
                else:
                    later.append((t, way))
            stack.extend(reversed(later))

    def endless(self, s: State, firings: tuple[Firing, ...]) -> Violation | None:
        """The violation of a way from s that never ends: it stops in a transient state in which it was before."""
        seen = []
        for firing in firings:
            seen.append(s := self.fire(s, firing)[0])
        back = bool(seen) and self.is_transient(s) and (s in seen[:-1] or len(seen) > LONGEST_TRANSIENT)
        return Violation(FAULTS, ENDLESS) if back else None

    def guard_fault(self, s: State) -> Violation | None:
        """The run-time error in a guard or a domain, if one cannot be evaluated in s."""
        try:
            self.enabled(s)
        except Fault as fault:
            return Violation(FAULTS, fault.message, fault.span)
        return None

    def enabled(self, s: State) -> list[Firing]:
        """The commands that can run in s, after turns and ranks.  The last answer is kept: it is often asked twice."""
        if self._last_enabled[0] != s:
            self._last_enabled = s, self.find_enabled(s)
        return self._last_enabled[1]

    def find_enabled(self, s: State) -> list[Firing]:
        commands = self.system.commands
        candidates, faults = self.candidates(s)
        first_turn: dict[Value, int] = {}
        movers = [self.mover(c, s, env) for c, env in candidates]
        for (c, _), mover in zip(candidates, movers, strict=True):
            first_turn[mover] = min(first_turn.get(mover, commands[c].turn), commands[c].turn)
        kept = [
            (c, env)
            for (c, env), mover in zip(candidates, movers, strict=True)
            if commands[c].turn == first_turn[mover]
        ]
        best = min((commands[c].rank for c, _ in kept), default=None)
        if faults and (best is None or min(faults) <= best):
            raise faults[min(faults)]
        found = [
            Firing(c, tuple(env[p.name] for p in commands[c].parameters)) for c, env in kept if commands[c].rank == best
        ]
        return [f for f in found if not self.is_blocked(s, f)] if self.system.blocking else found

    def is_blocked(self, s: State, firing: Firing) -> bool:
        """Whether it turns out while a command is performed that it cannot run."""
        if firing.command not in self.system.blocking:
            return False
        violation = self.fire(s, firing)[1]
        return violation is not None and violation.property == BLOCKED

    def candidates(self, s: State) -> tuple[list[tuple[int, Env]], dict[int, Fault]]:
        """The commands whose guards hold, and by rank the first guard that has no value: nobody looks at a guard of a
        later rank where something of an earlier one can run."""
        found: list[tuple[int, Env]] = []
        faults: dict[int, Fault] = {}
        for c, ways in self.looked_at(s):
            try:
                found += [(c, env) for env in ways]
            except Fault as fault:
                faults.setdefault(self.system.commands[c].rank, fault)
        return found, faults

    def looked_at(self, s: State) -> Iterator[tuple[int, Iterator[Env]]]:
        """The commands that may run in s, each with the bindings for which its guard holds."""
        for c, ways in self._dispatch.looked_at(s):
            yield c, self.begun_bindings(self.system.commands[c], ways, s)

    @cached_property
    def _dispatch(self) -> Dispatch:
        return make_dispatch(self.system)

    def fire(self, s: State, firing: Firing) -> tuple[State, Violation | None]:
        """The state after a command, and what it violated; the effect stops at the first violation."""
        command = self.system.commands[firing.command]
        env = self.environment(firing)
        made = [s]
        try:
            broken = self.run_steps(command.effect, made, env)
        except Fault as fault:
            return made[0], Violation(FAULTS, fault.message, fault.span)
        return made[0], None if broken is None else Violation(broken.property, broken.message, broken.span)

    def run_steps(self, steps: tuple[Step, ...], made: list[State], env: Env) -> Require | None:
        """Run steps on the state that ``made`` holds; the requirement that does not hold, if there is one."""
        for step in steps:
            broken = None
            match step:
                case Together():
                    made[0] = self.assign(step, made[0], env)
                case Require(condition):
                    broken = None if self.holds(condition, made[0], env) else step
                case Branch(test, then, other):
                    broken = self.run_steps(then if self.holds(test, made[0], env) else other, made, env)
                case Loop():
                    broken = self.run_loop(step, made, env)
                case Pick(parameter, body):
                    (value,) = self.domain_values(parameter.name, parameter.domain, made[0], env)
                    broken = self.run_steps(body, made, {**env, parameter.name: value})
            if broken is not None:
                return broken
        return None

    def run_loop(self, loop: Loop, made: list[State], env: Env) -> Require | None:
        for _ in range(loop.most):
            if not self.holds(loop.test, made[0], env):
                return None
            if (broken := self.run_steps(loop.body, made, env)) is not None:
                return broken
        if self.holds(loop.test, made[0], env):
            raise Fault(loop.span, f"the loop does not end within {loop.most} rounds")
        return None

    def environment(self, firing: Firing) -> Env:
        command = self.system.commands[firing.command]
        return {p.name: v for p, v in zip(command.parameters, firing.binding, strict=True)}

    def is_transient(self, s: State) -> bool:
        return bool(self.value_of(self.system.transient)(s, {}))

    def holds(self, condition: Expr, s: State, env: Env | None = None) -> bool:
        return bool(self.value_of(condition)(s, env or {}))

    def may_hold(self, condition: Expr, s: State, env: Env | None = None) -> bool:
        """Whether a condition holds or has no value."""
        try:
            return self.holds(condition, s, env)
        except Fault:
            return True

    def mover(self, c: int, s: State, env: Env) -> Value:
        """The first actor, or a value of its own for a command without actors."""
        actors = self.system.commands[c].actors
        return self.value_of(actors[0])(s, env) if actors else -2 - c

    # Commands.

    def bindings(self, command: Command, s: State) -> Iterator[Env]:
        """The values of the parameters for which the guard holds."""
        known = self._asked_first.get(id(command))
        if known is None:
            known = self._asked_first[id(command)] = command, asked_first(self.system, command)
        asked = known[1]
        ways = [None] if asked is None else [begun for i, begun in asked.places if s[i] == asked.value]
        return self.begun_bindings(command, ways, s)

    def begun_bindings(self, command: Command, ways: Iterable[Env | None], s: State) -> Iterator[Env]:
        """The bindings that begin in one of these ways and for which the guard holds."""
        guard = self.value_of(command.guard)
        for begun in ways:
            for env in self.environments(command, len(begun or ()), s, begun or {}):
                if guard(s, env):
                    yield env

    def environments(self, command: Command, k: int, s: State, env: Env) -> Iterator[Env]:
        """The values of the parameters from number k on, given the earlier ones."""
        if k == len(command.parameters):
            yield env
            return
        parameter = command.parameters[k]
        for value in self.domain_values(parameter.name, parameter.domain, s, env):
            yield from self.environments(command, k + 1, s, {**env, parameter.name: value})

    def domain_values(self, name: str, domain: Domain, s: State, env: Env) -> Iterator[Value]:
        match domain:
            case Atoms(atoms):
                yield from atoms
            case Interval(low, high):
                yield from range(low, high + 1)
            case Elements(set=Apply(Operator.POWERSET, (whole,))):  # one after the other: there may be very many
                yield from subsets(tuple(sorted_elements(self.value_of(whole)(s, env))))
            case Elements(set=e):
                yield from sorted_elements(self.value_of(e)(s, env))
            case Fresh(atoms, free):
                is_free = self.value_of(free)
                yield next((a for a in atoms if is_free(s, {**env, name: a})), NONE)

    def run_effect(self, command: Command, s: State, env: Env) -> State:
        """The effect of a start command, a plain list; its requirements are not looked at."""
        for step in command.effect:
            if isinstance(step, Together):
                s = self.assign(step, s, env)
        return s

    def assign(self, step: Together, s: State, env: Env) -> State:
        """The assignments of one step, all at once."""
        changed: dict[int, Value] = {}
        for assignment in step.assignments:
            i, value = self.place(assignment.target, s, env), self.value_of(assignment.value)(s, env)
            self.check_assignment(assignment, i, value, changed)
            changed[i] = value
        t = list(s)
        for i, value in changed.items():
            t[i] = value
        return tuple(t)

    def check_assignment(self, assignment: Assign, i: int, value: Value, changed: dict[int, Value]) -> None:
        place = self.system.places[i]
        if i in changed:
            raise Fault(assignment.target.span, f"{place.variable} is assigned twice at once")
        if not contains(place.type, value):
            if self.system.variable[place.variable].provisional:
                raise BoundExceeded(place.variable)
            raise Fault(assignment.target.span, f"{value} is not a value of {place.variable}")

    def place(self, target: Read, s: State, env: Env) -> int:
        """The number of the place a target names."""
        if (known := self._written_down.get(id(target))) is not None:
            return known[1]
        owners = tuple(self.value_of(e)(s, env) for e in target.owners)
        if NONE in owners and any(isinstance(e, Bound) and env[e.name] == NONE for e in target.owners):
            self.refuse_missing(target, env)
        indices = tuple(self.value_of(e)(s, env) for e in target.indices)
        i = self.system.index.get((target.variable, owners, indices))
        if i is None:
            raise Fault(target.span, out_of_range(self.system, target.variable, owners, indices))
        if all(isinstance(part, Literal) for part in (*target.owners, *target.indices)):
            self._written_down[id(target)] = (target, i)
        return i

    def refuse_missing(self, target: Read, env: Env) -> None:
        """A fresh parameter that found no atom shows itself when something is written for it."""
        if all(NONE not in atoms for atoms in self.system.variable[target.variable].owners):
            raise BoundExceeded(target.variable)

    # Expressions.

    def value_of(self, e: Expr) -> Evaluate:
        """The closure that evaluates e; made once."""
        known = self._compiled.get(id(e))
        if known is None:
            known = self._compiled[id(e)] = (e, self.compile(e))  # e is kept, so its id stays its own
        return known[1]

    def compile(self, e: Expr) -> Evaluate:
        match e:
            case Literal(value):
                return lambda s, env: value
            case Bound(name):
                return lambda s, env: env[name]
            case Read():
                return self.compile_read(e)
            case Use():
                return self.compile_use(e)
            case Apply():
                return self.compile_apply(e)
            case Part(inner, k):
                whole = self.value_of(inner)
                return lambda s, env: whole(s, env)[k]
            case Condition(test, then, other):
                f, g, h = map(self.value_of, (test, then, other))
                return lambda s, env: g(s, env) if f(s, env) else h(s, env)
            case Wrap(operand, bits, signed):
                f = self.value_of(operand)
                return lambda s, env: wrap(f(s, env), bits, signed)
            case Quantify():
                return self.compile_quantify(e)
            case NumberOf():
                return self.compile_number_of(e)
            case AtomAt():
                return self.compile_atom_at(e)
            case Enabled(actor):
                return self.compile_enabled(actor)
            case Compute():
                return self.compile_compute(e)
            case Otherwise(body, other):
                return otherwise(self.value_of(body), self.value_of(other))
            case _:
                assert_never(e)

    def compile_read(self, e: Read) -> Evaluate:
        parts = (*e.owners, *e.indices)
        if all(isinstance(part, Literal) for part in parts):
            address = (e.variable, tuple(literal_values(e.owners)), tuple(literal_values(e.indices)))
            if (i := self.system.index.get(address)) is not None:
                return lambda s, env: s[i]
        return lambda s, env: s[self.place(e, s, env)]

    def compile_use(self, e: Use) -> Evaluate:
        """The value of a definition; of one that is named outright it is remembered as long as the same state and
        parameters are looked at, for definitions that use each other would take time exponential in their depth."""
        if not all(isinstance(owner, Literal) for owner in e.owners):
            return self.compile_plain_use(e)
        key = (e.definition, tuple(literal_values(e.owners)))
        plain = self.compile_plain_use(e)

        def evaluate(s: State, env: Env) -> Any:
            if self._shared_for[0] is not s or self._shared_for[1] is not env:
                self._shared_for, self._shared = (s, env), {}
            shared = self._shared
            if key not in shared:
                shared[key] = plain(s, env)
            return shared[key]

        return evaluate

    def compile_plain_use(self, e: Use) -> Evaluate:
        owners = [self.value_of(owner) for owner in e.owners]

        def evaluate(s: State, env: Env) -> Any:
            values = tuple(f(s, env) for f in owners)
            body = self.system.definition.get((e.definition, values))
            if body is None:
                raise Fault(e.span, out_of_range(self.system, e.definition, values, ()))
            return self.value_of(body)(s, env)

        return evaluate

    def compile_apply(self, e: Apply) -> Evaluate:
        fs = [self.value_of(operand) for operand in e.operands]
        if e.operator is Operator.AND:
            return lambda s, env: int(all(f(s, env) for f in fs))
        if e.operator is Operator.OR:
            return lambda s, env: int(any(f(s, env) for f in fs))
        meaning = MEANING[e.operator]

        def evaluate(s: State, env: Env) -> Any:
            try:
                return meaning(*[f(s, env) for f in fs])
            except Undefined as undefined:
                raise Fault(e.span, str(undefined)) from None

        return evaluate

    def compile_compute(self, e: Compute) -> Evaluate:
        fs, compute = [self.value_of(operand) for operand in e.operands], e.computation.evaluate

        def evaluate(s: State, env: Env) -> Any:
            try:
                return compute(*[f(s, env) for f in fs])
            except Undefined as undefined:
                raise Fault(e.span, str(undefined)) from None

        return evaluate

    def compile_quantify(self, e: Quantify) -> Evaluate:
        name, domain = e.parameter.name, e.parameter.domain
        condition, body = self.value_of(e.condition), self.value_of(e.body)

        def bodies(s: State, env: Env) -> Iterator[Any]:
            for value in self.domain_values(name, domain, s, env):
                inner = {**env, name: value}
                if condition(s, inner):
                    yield body(s, inner)

        summary = SUMMARY[e.quantifier]
        return lambda s, env: summary(bodies(s, env))

    def compile_number_of(self, e: NumberOf) -> Evaluate:
        f = self.value_of(e.atom)
        numbers: dict[Any, int] = {a: e.first + k for k, a in enumerate(e.numbering) if a != NONE}
        if e.none is not None:
            numbers[NONE] = e.none

        def evaluate(s: State, env: Env) -> int:
            a = f(s, env)
            if a not in numbers:
                raise Fault(e.span, f"{self.system.atom_name(a)} has no number" if numbers else NO_VALUE)
            return numbers[a]

        return evaluate

    def compile_atom_at(self, e: AtomAt) -> Evaluate:
        f = self.value_of(e.number)
        atoms: dict[Any, int] = {e.first + k: a for k, a in enumerate(e.numbering) if a != NONE}
        if e.none is not None:
            atoms[e.none] = NONE

        def evaluate(s: State, env: Env) -> int:
            n = f(s, env)
            if n not in atoms:
                raise Fault(e.span, f"there is no number {n} here: index out of range")
            return atoms[n]

        return evaluate

    def compile_enabled(self, actor: Expr | None) -> Evaluate:
        who = None if actor is None else self.value_of(actor)

        def evaluate(s: State, env: Env) -> int:
            wanted = None if who is None else who(s, env)
            return int(any(wanted is None or self.mover(c, s, b) == wanted for c, b in self.plain_candidates(s)))

        return evaluate

    def plain_candidates(self, s: State) -> Iterator[tuple[int, Env]]:
        for c in self.plain_commands:
            for env in self.bindings(self.system.commands[c], s):
                yield c, env

    @cached_property
    def plain_commands(self) -> list[int]:
        """The commands that ``Enabled`` counts: of the best rank, and not asking for ``Enabled`` themselves."""
        commands = self.system.commands
        best = min((command.rank for command in commands), default=0)
        return [c for c, command in enumerate(commands) if command.rank == best and not asks_enabled(command)]


SUMMARY: dict[Quantifier, Callable[[Iterator[Any]], Any]] = {
    Quantifier.ALL: lambda bodies: int(all(bodies)),
    Quantifier.SOME: lambda bodies: int(any(bodies)),
    Quantifier.COUNT: lambda bodies: sum(1 for body in bodies if body),
    Quantifier.SUM: sum,
    Quantifier.TIMES: lambda bodies: MEANING[Operator.MULTIPLY](1, *bodies),
    Quantifier.COLLECT: frozenset,
}


def otherwise(body: Evaluate, other: Evaluate) -> Evaluate:
    def evaluate(s: State, env: Env) -> Any:
        try:
            return body(s, env)
        except Fault:
            return other(s, env)

    return evaluate


def wrap(n: int, bits: int, signed: bool) -> int:
    n &= (1 << bits) - 1
    return n - (1 << bits) if signed and n >> (bits - 1) else n


def literal_values(literals: tuple[Expr, ...]) -> list[Any]:
    return [e.value for e in literals if isinstance(e, Literal)]


def asks_enabled(*commands: Command) -> bool:
    """Whether one of the commands asks who can move; what they share is looked at once."""
    waiting, seen = [e for command in commands for e in expressions_of(command)], set[int]()
    while waiting:
        e = waiting.pop()
        if id(e) not in seen:
            seen.add(id(e))
            if isinstance(e, Enabled):
                return True
            waiting += parts(e)
    return False


def out_of_range(system: System, variable: str, owners: tuple[int, ...], indices: tuple[int, ...]) -> str:
    where = ", ".join([*map(system.atom_name, owners), *map(str, indices)])
    return f"{variable}[{where}] does not exist: index out of range"
