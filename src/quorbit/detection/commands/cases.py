"""Expressions over all states at once: for each value an expression can have, the states (a BDD) in which it has it.

Every place is a few variables of the diagram that number its values.  What cannot be said this way (a fault, a type
without bound, too many values) is ``Unsayable``; whoever asks then knows nothing.

Short names: f, g boolean functions (BDDs).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from quorbit.bdd.function import Manager
from quorbit.model.meaning.evaluate import Env, Fault, wrap
from quorbit.model.meaning.operators import ASSOCIATIVE, MEANING, Undefined
from quorbit.model.system.expression import (
    Apply,
    AtomAt,
    Atoms,
    Bound,
    Condition,
    Expr,
    Interval,
    Literal,
    NumberOf,
    Operator,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import NONE, Value, size, values
from quorbit.source.frozen import frozen

MOST_VALUES = 300  # of one place
MOST_CASES = 20_000  # looked at for one operation

Cases = dict[Value, Any]  # where an expression has which value; the functions are disjoint and not false


class Unsayable(Exception):
    """The expression is beyond this way of looking at it."""


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
                raise Unsayable
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


@frozen
class View:
    """How places are read: as they are, or as a permutation of the atoms leaves them."""

    diagram: Diagram
    read: Callable[[int], Cases]

    @property
    def manager(self) -> Manager:
        return self.diagram.manager

    def cases(self, e: Expr, env: Env, where: Any) -> Cases:
        """The values of e in the states ``where``, which are not none."""
        match e:
            case Literal(value):
                return {value: where}
            case Bound(name):
                return {env[name]: where}
            case Read():
                return self.read_cases(e, env, where)
            case Apply(Operator.AND | Operator.OR as operator, operands):
                return self.lazily(operator is Operator.OR, operands, env, where)
            case Apply(operator, (first, *others)) if operator in ASSOCIATIVE and others:
                return self.fold(MEANING[operator], first, others, env, where)
            case Apply(operator, operands):
                return self.combine(MEANING[operator], [self.cases(part, env, where) for part in operands], where)
            case Condition(test, then, other):
                return self.choose(self.cases(test, env, where), then, other, env)
            case Part(inner, k):
                return self.combine(lambda whole: whole[k], [self.cases(inner, env, where)], where)
            case Wrap(operand, bits, signed):
                return self.combine(lambda n: wrap(n, bits, signed), [self.cases(operand, env, where)], where)
            case NumberOf() | AtomAt():
                return self.look_up(e, env, where)
            case Use():
                return self.definition(e, env, where)
            case Quantify():
                return self.quantify(e, env, where)
            case _:
                raise Unsayable

    def truth(self, e: Expr, env: Env, where: Any) -> Any:
        """Where e is true, among the states ``where``."""
        if where == self.manager.false:
            return where
        return self.manager.disjunction(f for value, f in self.cases(e, env, where).items() if value)

    def combine(self, operation: Callable[..., Any], operands: list[Cases], where: Any) -> Cases:
        rows: list[tuple[tuple[Value, ...], Any]] = [((), where)]
        for cases in operands:
            if len(rows) * len(cases) > MOST_CASES:
                raise Unsayable
            joined = [((*row, value), f & g) for row, f in rows for value, g in cases.items()]
            rows = [(row, f) for row, f in joined if f != self.manager.false]
        try:
            return self.gather((operation(*row), f) for row, f in rows)
        except (Undefined, Fault):
            raise Unsayable from None

    def fold(self, operation: Callable[..., Any], first: Expr, others: list[Expr], env: Env, where: Any) -> Cases:
        """Two operands at a time: few values come of many combinations."""
        found = self.cases(first, env, where)
        for other in others:
            found = self.combine(operation, [found, self.cases(other, env, where)], where)
        return found

    def gather(self, rows: Iterable[tuple[Value, Any]]) -> Cases:
        found: Cases = {}
        for value, f in rows:
            found[value] = found[value] | f if value in found else f
        return found

    def lazily(self, is_or: bool, operands: tuple[Expr, ...], env: Env, where: Any) -> Cases:
        """AND and OR do not look at an operand where an earlier one decides."""
        undecided, decided = where, self.manager.false
        for operand in operands:
            holds = self.truth(operand, env, undecided)
            settled = holds if is_or else undecided & ~holds
            decided, undecided = decided | settled, undecided & ~settled
        return self.both(decided if is_or else undecided, undecided if is_or else decided)

    def both(self, holds: Any, fails: Any) -> Cases:
        return {value: f for value, f in ((1, holds), (0, fails)) if f != self.manager.false}

    def choose(self, test: Cases, then: Expr, other: Expr, env: Env) -> Cases:
        return self.gather(
            case for value, f in test.items() for case in self.cases(then if value else other, env, f).items()
        )

    def look_up(self, e: NumberOf | AtomAt, env: Env, where: Any) -> Cases:
        numbered = [(e.first + k, a) for k, a in enumerate(e.numbering) if a != NONE]
        numbered += [(e.none, NONE)] if e.none is not None else []
        table: dict[Value, int] = {a: k for k, a in numbered} if isinstance(e, NumberOf) else dict(numbered)
        inner = self.cases(e.atom if isinstance(e, NumberOf) else e.number, env, where)
        if not all(value in table for value in inner):
            raise Unsayable
        return self.gather((table[value], f) for value, f in inner.items())

    def definition(self, e: Use, env: Env, where: Any) -> Cases:
        owners = self.combine(lambda *row: row, [self.cases(owner, env, where) for owner in e.owners], where)
        rows: list[tuple[Value, Any]] = []
        for row, f in owners.items():
            body = self.diagram.system.definition.get((e.definition, row))  # type: ignore[arg-type]
            if body is None:
                raise Unsayable
            rows += self.cases(body, {}, f).items()
        return self.gather(rows)

    def quantify(self, e: Quantify, env: Env, where: Any) -> Cases:
        match e.parameter.domain:
            case Atoms(atoms):
                domain: Iterable[int] = atoms
            case Interval(low, high):
                domain = range(low, high + 1)
            case _:
                raise Unsayable
        envs = [{**env, e.parameter.name: value} for value in domain]
        match e.quantifier:
            case Quantifier.ALL | Quantifier.SOME:
                return self.decide(e, envs, where)
            case Quantifier.COUNT | Quantifier.SUM:
                return self.add_up(e, envs, where)
            case _:
                raise Unsayable

    def decide(self, e: Quantify, envs: list[Env], where: Any) -> Cases:
        is_or = e.quantifier is Quantifier.SOME
        undecided, decided = where, self.manager.false
        for env in envs:
            asked = self.truth(e.condition, env, undecided)
            holds = self.truth(e.body, env, asked)
            settled = holds if is_or else asked & ~holds
            decided, undecided = decided | settled, undecided & ~settled
        return self.both(decided if is_or else undecided, undecided if is_or else decided)

    def add_up(self, e: Quantify, envs: list[Env], where: Any) -> Cases:
        total: Cases = {0: where}
        for env in envs:
            asked = self.truth(e.condition, env, where)
            term = self.cases(e.body, env, asked) if asked != self.manager.false else {}
            counts = e.quantifier is Quantifier.COUNT
            terms = self.gather(
                (int(bool(value)) if counts else value, f)
                for value, f in [*term.items(), (0, where & ~asked)]
                if f != self.manager.false
            )
            total = self.combine(lambda a, b: a + b, [total, terms], where)
        return total

    # Places.

    def read_cases(self, e: Read, env: Env, where: Any) -> Cases:
        rows: list[tuple[Value, Any]] = []
        for i, f in self.targets(e, env, where).items():
            rows += [(value, f & g) for value, g in self.read(i).items()]
        return self.gather((value, f) for value, f in rows if f != self.manager.false)

    def targets(self, e: Read, env: Env, where: Any) -> dict[int, Any]:
        """The places that e names, each with the states in which it does."""
        parts = [self.cases(part, env, where) for part in (*e.owners, *e.indices)]
        found: dict[int, Any] = {}
        for row, f in self.combine(lambda *row: row, parts, where).items():
            address = e.variable, row[: len(e.owners)], row[len(e.owners) :]  # type: ignore[index]
            i = self.diagram.system.index.get(address)  # type: ignore[arg-type]
            if i is None:
                raise Unsayable
            found[i] = f
        return found
