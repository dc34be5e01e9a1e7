"""Commands to code that finds out for which values of their parameters they can run.

Parameters with constant domains are written out for every value while the program stays small; the others are loops,
and what of the guard can be asked before a loop is asked there, unless that would change which faults are met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import prod
from typing import TypeGuard

from quorbit.machine.compile.constant_sets import Listed, is_about_only, listed_set, those_with
from quorbit.machine.compile.instructions import (
    Label,
)
from quorbit.machine.compile.lower.expression import ExpressionLowering
from quorbit.machine.compile.lower.quantifiers import is_set_of_sets
from quorbit.machine.compile.lower.scope import Env
from quorbit.machine.compile.packing import StateLayout
from quorbit.machine.compile.shapes import Ints
from quorbit.machine.compile.values import Content, Known
from quorbit.model.meaning.partial import may_fail
from quorbit.model.system.command import Command
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Domain,
    Elements,
    Expr,
    Interval,
    Literal,
    Operator,
    Parameter,
    Quantify,
    Read,
    Use,
)
from quorbit.model.system.system import System
from quorbit.model.system.walk import expressions_of, parts, walk
from quorbit.source.frozen import field, mutable

LARGEST_WRITTEN_OUT = 12_000  # nodes of expressions, over all values of the parameters and of quantifiers
LEAST_SWITCH, LARGEST_SWITCH = 3, 256  # commands; values


Given = tuple[tuple[int, int], ...]  # places and their values


@mutable
class Instance:
    """A command with values for some of its parameters; the others are loops."""

    number: int
    command: Command
    env: Env
    loops: list[Parameter]
    conjuncts: list[Expr]


@mutable
class Switch:
    """Instances that ask for one place first, by the value they ask for."""

    place: int
    cases: dict[int, list[Instance]] = field(default_factory=dict)


class Instances(ExpressionLowering):
    """Guards and loops of commands; ``effect`` is what follows them."""

    def __init__(self, system: System, layout: StateLayout) -> None:
        super().__init__(system, layout)
        self.free: dict[int, frozenset[str]] = {}
        self.held: list[Expr] = []  # whose ids are keys of ``free``
        self.asked_known: dict[int, tuple[Instance, dict[int, frozenset[int]]]] = {}  # by id
        self.asked_one: dict[int, dict[int, int]] = {}  # of the same
        self.written_out = count_written_out(system)
        mentioned = {p.name for d in system.definitions for p in walk(d.body) if isinstance(p, Bound)}
        self.definition_names = frozenset(mentioned)  # what uses a definition waits for these parameters

    def skip_unless_first(self, command: Command, env: Env, skip: Label) -> None:
        """Jump where the command has to wait for another one of its mover; lower_system.py knows turns."""

    def specialise(self, number: int, command: Command) -> list[Instance]:
        conjuncts = list(flat_conjuncts(command.guard))
        envs: list[Env] = [{}]
        loops = []
        for k, parameter in enumerate(command.parameters):
            values = constant_domain(parameter)
            if values is None or not self.is_written_out(k):
                loops.append(parameter)
            else:
                envs = [{**env, parameter.name: Known(v)} for env in envs for v in values]
        return [Instance(number, command, env, loops, conjuncts) for env in envs]

    def is_written_out(self, k: int) -> bool:
        """Whether parameter number k of the commands is written out for every value."""
        return k < self.written_out

    def group(self, instances: list[Instance], given: Given) -> Iterable[Switch | Instance]:
        """Instances gathered by the place they ask for, where several ask for one.  ``given``: is known already."""
        settled = {i for i, _ in given}
        asked = [self.asked_places(x) for x in instances]
        if settled:
            asked = [{i: v for i, v in places.items() if i not in settled} for places in asked]
        popularity: dict[int, int] = {}
        for places in asked:
            for place in places:
                popularity[place] = popularity.get(place, 0) + 1
        groups: dict[object, Switch | Instance] = {}
        for k, (instance, places) in enumerate(zip(instances, asked, strict=True)):
            place = max(places, key=lambda p: (popularity[p], -p), default=-1)
            if popularity.get(place, 0) < LEAST_SWITCH:
                groups["alone", k] = instance
            else:
                switch = groups.setdefault(place, Switch(place))
                assert isinstance(switch, Switch)
                switch.cases.setdefault(places[place], []).append(instance)
        return groups.values()

    def asked_places(self, instance: Instance) -> dict[int, int]:
        """Places that must have a certain value, asked before anything that may fault; found out once."""
        known = self.asked_one.get(id(instance))
        if known is None:
            asked = self.asked_values(instance)
            known = self.asked_one[id(instance)] = {i: min(values) for i, values in asked.items() if len(values) == 1}
        return known

    def asked_values(self, instance: Instance) -> dict[int, frozenset[int]]:
        """Places that must have one of a few values, asked before anything that may fault; found out once."""
        known = self.asked_known.get(id(instance))
        if known is None:
            known = self.asked_known[id(instance)] = instance, self.find_asked_values(instance)
        return known[1]

    def find_asked_values(self, instance: Instance) -> dict[int, frozenset[int]]:
        found: dict[int, frozenset[int]] = {}
        if any(isinstance(p.domain, Elements) for p in instance.loops):
            return found  # its domain is evaluated first
        for e in instance.conjuncts:
            asked = self.asked_value(e, instance.env)
            if asked is not None:
                i, values = asked
                found[i] = found.get(i, values) & values
            elif not self.names(e) <= instance.env.keys() or not self.is_safe(e, instance.env):
                break
        return found

    def asked_value(self, e: Expr, env: Env) -> tuple[int, frozenset[int]] | None:
        """(place, values) if e says that a constant place has one of these values."""
        asked = [self.asked_place(way, env) for way in (e.operands if is_or(e) else (e,))]
        places = {way[0] for way in asked if way is not None}
        if None in asked or len(places) != 1:
            return None
        return places.pop(), frozenset(way[1] for way in asked if way is not None)

    def asked_place(self, e: Expr, env: Env) -> tuple[int, int] | None:
        """(place, value) if e says that a constant place has a constant value."""
        match e:
            case Apply(Operator.EQUAL, (Read() as a, (Literal() | Bound()) as b)):
                pass
            case Apply(Operator.EQUAL, ((Literal() | Bound()) as b, Read() as a)):
                pass
            case _:
                return None
        if not self.names(e) <= env.keys():
            return None
        i, n = self.constant_place(a, env), self.value(b, env)
        if i is None or not isinstance(n, Known):
            return None
        shape = self.layout.shapes[i]
        small = isinstance(shape, Ints) and shape.high - shape.low < LARGEST_SWITCH
        return (i, n.value) if small and shape.low <= n.value <= shape.high else None  # type: ignore[union-attr]

    def write_instance(self, instance: Instance, given: Given, effect: Callable[[Env], None]) -> None:
        """Guard and loops, then ``effect`` for every binding.  ``given``: places whose value is known already."""
        conjuncts = [e for e in instance.conjuncts if not given or self.asked_place(e, instance.env) not in given]
        first_register = self.e.next
        self.scoped(lambda: self.write_level(instance, dict(instance.env), list(instance.loops), conjuncts, effect))
        self.e.next = first_register

    def write_level(
        self, instance: Instance, env: Env, loops: list[Parameter], pending: list[Expr], effect: Callable[[Env], None]
    ) -> None:
        skip = Label()
        now, later = self.split(env, loops, pending)
        for e in now:
            self.branch(e, env, skip, False)
        if loops:
            parameter, *inner = loops
            narrowed = self.narrow_constants(parameter, later)

            def write(v: Content) -> None:
                self.write_level(
                    instance, {**env, parameter.name: v}, inner, narrowed[1] if narrowed else later, effect
                )

            if narrowed is not None:
                self.each_value(*narrowed[0], write)
            else:
                self.each(parameter.name, parameter.domain, env, write, unrolled=0)
        else:
            self.skip_unless_first(instance.command, env, skip)
            effect(env)
        self.e.place(skip)

    def narrow_constants(self, parameter: Parameter, pending: list[Expr]) -> tuple[Listed, list[Expr]] | None:
        """The constant sets a parameter ranges over, without those that the guard refuses whatever the state, and the
        rest of the guard."""
        domain, meaning = parameter.domain, self.layout.memo.meaning
        if not isinstance(domain, Elements) or not is_set_of_sets(domain.set):
            return None
        listed = listed_set(meaning, domain.set)
        if listed is None:
            return None
        (values, type), rest = listed, []
        for k, e in enumerate(pending):
            fitting = those_with(meaning, e, parameter.name, values) if is_about_only(e, parameter.name) else None
            if fitting is not None:
                values = fitting
                continue
            rest.append(e)
            if may_fail(self.system, e, {}):  # what comes after it is asked after it
                rest += pending[k + 1 :]
                break
        return (values, type), rest

    def split(self, env: Env, loops: list[Parameter], pending: list[Expr]) -> tuple[list[Expr], list[Expr]]:
        """What of the guard can be asked before the loops without changing which faults are met."""
        if not loops:
            return pending, []
        may_be_empty = any(isinstance(p.domain, Elements) for p in loops)
        now: list[Expr] = []
        later: list[Expr] = []
        blocked = False
        for e in pending:
            ready = self.names(e) <= env.keys() and not blocked
            safe = ready and self.is_safe(e, env)
            if ready and (safe or (not may_be_empty and not later)):
                now.append(e)
            else:
                later.append(e)
                blocked = blocked or not (ready or self.is_safe_later(e))
        return now, later

    def is_safe_later(self, e: Expr) -> bool:
        """A conjunct that waits for parameters: only plain comparisons of parameters are known to be safe."""
        return all(isinstance(part, Literal | Bound | Apply) for part in walk(e)) and all(
            part.operator in (Operator.EQUAL, Operator.NOT, Operator.AND, Operator.OR, Operator.LESS)
            for part in walk(e)
            if isinstance(part, Apply)
        )

    def names(self, e: Expr) -> frozenset[str]:
        """The parameters that must be bound before e can be evaluated."""
        if id(e) not in self.free:
            self.held.append(e)
            self.free[id(e)] = self.find_names(e)
        return self.free[id(e)]

    def find_names(self, e: Expr) -> frozenset[str]:
        found, inside = set[str](), set[str]()
        for part in walk(e):
            if isinstance(part, Bound):
                found.add(part.name)
            elif isinstance(part, Use):
                found |= self.definition_names
            elif isinstance(part, Quantify):
                inside.add(part.parameter.name)
        return frozenset(found - inside)


def is_or(e: Expr) -> TypeGuard[Apply]:
    return isinstance(e, Apply) and e.operator is Operator.OR


def flat_conjuncts(e: Expr) -> Iterable[Expr]:
    match e:
        case Apply(Operator.AND, operands):
            for operand in operands:
                yield from flat_conjuncts(operand)
        case _:
            yield e


def constant_domain(parameter: Parameter) -> tuple[int, ...] | None:
    match parameter.domain:
        case Atoms(atoms):
            return atoms
        case Interval(low, high):
            return tuple(range(low, high + 1))
        case _:
            return None


def count_written_out(system: System) -> int:
    """How many of the commands' parameters, from the left, can be written out."""
    most = max((len(c.parameters) for c in system.commands), default=0)
    sizes = [(sum(size_written_out(e) for e in expressions_of(c)), c) for c in system.commands if most > 0]
    for k in range(most, 0, -1):
        if sum(size * values_of(c, k) for size, c in sizes) <= LARGEST_WRITTEN_OUT:
            return k
    return 0


def size_written_out(e: Expr) -> int:
    """The nodes of an expression; those in a quantifier as often as its parameter has values."""
    total, waiting = 0, [(e, 1)]
    while waiting:
        e, times = waiting.pop()
        total += times
        inside = 3 * times * count_values(e.parameter.domain) if isinstance(e, Quantify) else times
        waiting.extend((part, inside) for part in parts(e))
    return total


def values_of(command: Command, k: int) -> int:
    """How many values the first k parameters have together, as far as they are constant."""
    return prod(count_values(parameter.domain) for parameter in command.parameters[:k])


def count_values(domain: Domain) -> int:
    """How many values a constant domain has; 1 where the state decides."""
    match domain:
        case Atoms(atoms):
            return len(atoms)
        case Interval(low, high):
            return max(0, high - low + 1)
    return 1
