"""Expressions as functions of the bits of the state and of the parameters."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any

from quorbit.bdd.function import Manager
from quorbit.engines.symbolic.bits import Layout, code_cases, parameter_values
from quorbit.engines.symbolic.cases import (
    Bdd,
    Cases,
    Unsupported,
    choose,
    combine,
    constant,
    equal,
    of_truth,
    truth,
)
from quorbit.model.meaning.evaluate import wrap
from quorbit.model.meaning.operators import MEANING, Undefined
from quorbit.model.system.expression import (
    Apply,
    Bound,
    Condition,
    Expr,
    Literal,
    Operator,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import Value
from quorbit.model.system.walk import walk

__all__ = ["Encoder"]

Key = tuple[str, tuple[Any, ...]]  # a definition and its owners


class Encoder:
    """Encodes expressions in one context: the parameters of one command, places with the values they have by now."""

    def __init__(self, m: Manager, system: System, layout: Layout, number: int | None) -> None:
        self.m = m
        self.system = system
        self.layout = layout
        self.current: dict[int, Cases] = {}
        self.bound: dict[str, Cases] = {}
        self.sets: dict[str, dict[Value, Bdd]] = {}  # parameters that are sets: when each member is in it
        self.used: dict[Key, Cases] = {}
        self.names: dict[int, list[Key]] = {}  # by identity of its body: what a definition is called
        for key, body in system.definition.items():
            self.names.setdefault(id(body), []).append(key)
        if number is not None:
            for (command, name), coded in layout.parameters.items():
                if command == number and coded.members is not None:
                    self.sets[name] = dict(zip(coded.members, map(m.variable, coded.bits), strict=True))
                elif command == number:
                    self.bound[name] = code_cases(m, coded, coded.bits)

    def place(self, i: int) -> Cases:
        if i not in self.current:
            coded = self.layout.places[i]
            self.current[i] = code_cases(self.m, coded, coded.bits)
        return self.current[i]

    def update(self, changed: dict[int, Cases]) -> None:
        """Places with new values; definitions are then worth evaluating again."""
        self.current.update(changed)
        self.used.clear()

    def truth(self, e: Expr) -> Bdd:
        return truth(self.m, self.cases(e))

    def cases(self, e: Expr) -> Cases:
        """The value of an expression; the definitions it uses are encoded first, without recursion from one to the
        next.
        """
        stack = [e]
        while stack:
            missing = [use for use in self.fixed_uses(stack[-1]) if self.use_key(use) not in self.used]
            if missing:
                stack += [self.body(self.use_key(use)) for use in missing]
                continue
            done = stack.pop()
            if stack:
                value = self.encode(done)
                self.used.update((key, value) for key in self.names[id(done)])
        return self.encode(e)

    def fixed_uses(self, e: Expr) -> list[Use]:
        """The uses of definitions whose owners are written out."""
        found = [part for part in walk(e) if isinstance(part, Use)]
        return [use for use in found if all(isinstance(owner, Literal) for owner in use.owners)]

    def use_key(self, use: Use) -> Key:
        return use.definition, tuple(owner.value for owner in use.owners if isinstance(owner, Literal))

    def body(self, key: Key) -> Expr:
        if key not in self.system.definition:
            raise Unsupported(f"{key[0]} is not defined")
        return self.system.definition[key]

    def encode(self, e: Expr) -> Cases:
        m = self.m
        match e:
            case Literal(value):
                return constant(m, value)
            case Bound(name):
                if name not in self.bound:
                    raise Unsupported(f"{name} is not known where it is read")
                return self.bound[name]
            case Read():
                return self.read(e)
            case Use(definition, owners):
                return self.use(definition, owners)
            case Apply(operator, operands):
                return self.apply(operator, operands)
            case Condition(test, then, other):
                return choose(m, self.condition(test), self.encode(then), self.encode(other))
            case Part(whole, k):
                return combine(m, [self.encode(whole)], lambda v: v[k])
            case Wrap(operand, bits, signed):
                return combine(m, [self.encode(operand)], lambda v: wrap(v, bits, signed))
            case Quantify():
                return self.quantify(e)
        raise Unsupported(f"the symbolic engine does not encode {type(e).__name__}")

    def condition(self, e: Expr) -> Bdd:
        return truth(self.m, self.encode(e))

    def read(self, e: Read) -> Cases:
        return self.select(e, self.place)

    def select(self, e: Read, value: Callable[[int], Cases]) -> Cases:
        merged: dict[Value, Bdd] = {}
        for i, condition in self.targets(e):
            for v, f in value(i).items():
                merged[v] = merged.get(v, self.m.false) | (condition & f)
        return {v: f for v, f in merged.items() if f != self.m.false}

    def targets(self, e: Read) -> list[tuple[int, Bdd]]:
        """The places a read or an assignment may mean, and when it means them."""
        parts = [self.encode(part) for part in (*e.owners, *e.indices)]
        addresses = combine(self.m, parts, lambda *address: address) if parts else {(): self.m.true}
        cut = len(e.owners)
        found = []
        for address, condition in addresses.items():
            assert isinstance(address, tuple)
            i = self.system.index.get((e.variable, address[:cut], address[cut:]))  # type: ignore[arg-type]
            if i is None:
                raise Unsupported(f"an index of {e.variable} may be out of range")
            found.append((i, condition))
        return found

    def use(self, definition: str, owners: tuple[Expr, ...]) -> Cases:
        if not owners:
            key: Key = (definition, ())
            if key not in self.used:
                self.used[key] = self.encode(self.body(key))
            return self.used[key]
        merged: dict[Value, Bdd] = {}
        for chosen, condition in combine(self.m, [self.encode(o) for o in owners], lambda *a: a).items():
            assert isinstance(chosen, tuple)
            key = (definition, chosen)
            if key not in self.used:
                self.used[key] = self.encode(self.body(key))
            for v, f in self.used[key].items():
                merged[v] = merged.get(v, self.m.false) | (condition & f)
        return {v: f for v, f in merged.items() if f != self.m.false}

    def apply(self, operator: Operator, operands: tuple[Expr, ...]) -> Cases:
        m = self.m
        if operator is Operator.AND:
            return of_truth(m, self.fold(operands, m.false, lambda f, g: f & g, m.true))
        if operator is Operator.OR:
            return of_truth(m, self.fold(operands, m.true, lambda f, g: f | g, m.false))
        if operator is Operator.NOT:
            return of_truth(m, ~self.condition(operands[0]))
        if operator is Operator.MEMBER and isinstance(operands[1], Bound) and operands[1].name in self.sets:
            return of_truth(m, self.member(operands[0], self.sets[operands[1].name]))
        cases = [self.encode(operand) for operand in operands]
        if operator is Operator.EQUAL:
            return of_truth(m, equal(m, cases[0], cases[1]))
        if operator in (Operator.BIT_AND, Operator.BIT_OR) and all(set(c) <= {0, 1} for c in cases):
            join = m.conjunction if operator is Operator.BIT_AND else m.disjunction
            return of_truth(m, join(truth(m, c) for c in cases))
        if operator is Operator.BIT_XOR and all(set(c) <= {0, 1} for c in cases):
            return of_truth(m, reduce(lambda f, g: ~m.equivalent(f, g), [truth(m, c) for c in cases]))
        meaning: Any = MEANING[operator]
        try:
            return combine(m, cases, meaning)
        except Undefined as undefined:
            raise Unsupported(f"{operator.value} may be undefined: {undefined}") from None

    def member(self, e: Expr, members: dict[Value, Bdd]) -> Bdd:
        return self.m.disjunction(f & members[value] for value, f in self.encode(e).items() if value in members)

    def fold(self, operands: tuple[Expr, ...], absorbing: Bdd, join: Callable[[Bdd, Bdd], Bdd], neutral: Bdd) -> Bdd:
        result = neutral
        for operand in operands:
            result = join(result, self.condition(operand))
            if result == absorbing:
                break
        return result

    def quantify(self, e: Quantify) -> Cases:
        name, outer = e.parameter.name, self.bound.get(e.parameter.name)
        saved, bodies = dict(self.used), []
        for value in parameter_values(e.parameter):
            self.bound[name] = constant(self.m, value)
            self.used = {}
            bodies.append((self.condition(e.condition), self.encode(e.body)))
        self.used = saved
        if outer is None:
            self.bound.pop(name)
        else:
            self.bound[name] = outer
        return self.summarise(e.quantifier, bodies)

    def summarise(self, quantifier: Quantifier, bodies: list[tuple[Bdd, Cases]]) -> Cases:
        m = self.m
        if quantifier is Quantifier.ALL:
            return of_truth(m, m.conjunction(~c | truth(m, body) for c, body in bodies))
        if quantifier is Quantifier.SOME:
            return of_truth(m, m.disjunction(c & truth(m, body) for c, body in bodies))
        if quantifier in (Quantifier.COUNT, Quantifier.SUM):
            total = constant(m, 0)
            for c, body in bodies:
                added = (
                    of_truth(m, c & truth(m, body))
                    if quantifier is Quantifier.COUNT
                    else choose(m, c, body, constant(m, 0))
                )
                total = combine(m, [total, added], lambda a, b: a + b)
            return total
        raise Unsupported(f"the quantifier {quantifier.value}")
