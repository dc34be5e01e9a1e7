"""Expressions as functions of the bits of the state and of parameters: the one way from expressions to diagrams.

Places and parameters are given as what they can be (``Cases``).  An encoder evaluates everything everywhere; what may
be undefined somewhere is then refused.  A *careful* one evaluates each part only where the meaning looks at it (behind
``i < n &&``), among the states ``where``; outside of them its answers mean nothing.

Short names: m the manager of the diagrams; f, g boolean functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from quorbit.bdd.function import Manager
from quorbit.model.diagrams.cases import (
    Bdd,
    Cases,
    Unsupported,
    choose,
    combine,
    constant,
    equal,
    merge,
    of_truth,
    truth,
)
from quorbit.model.meaning.evaluate import Fault, wrap
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
    Parameter,
    Part,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
)
from quorbit.model.system.system import System
from quorbit.model.system.types import NONE, Value
from quorbit.model.system.walk import walk

__all__ = ["Encoder"]

Key = tuple[str, tuple[Any, ...]]  # a definition and its owners


class Encoder:
    """Encodes expressions in one context: the parameters of one command, places with the values they have by now."""

    def __init__(
        self,
        m: Manager,
        system: System,
        read: Callable[[int], Cases],
        bound: Mapping[str, Cases] | None = None,
        sets: Mapping[str, Mapping[Value, Bdd]] | None = None,
        careful: bool = False,
    ) -> None:
        """``read``: what a place is at first.  ``sets``: parameters that are sets: when each member is in it."""
        self.m = m
        self.system = system
        self.first = read
        self.current: dict[int, Cases] = {}
        self.bound: dict[str, Cases] = dict(bound or {})
        self.sets = sets or {}
        self.careful = careful
        self.used: dict[Key, Cases] = {}  # definitions that were encoded; not by a careful encoder
        self.names: dict[int, list[Key]] = {}  # by identity of its body: what a definition is called
        for key, body in system.definition.items():
            self.names.setdefault(id(body), []).append(key)

    def place(self, i: int) -> Cases:
        if i not in self.current:
            self.current[i] = self.first(i)
        return self.current[i]

    def update(self, changed: Mapping[int, Cases]) -> None:
        """Places with new values; definitions are then worth evaluating again."""
        self.current.update(changed)
        self.used.clear()

    def truth(self, e: Expr, where: Bdd | None = None) -> Bdd:
        """Where e holds, among the states ``where`` if these are given."""
        found = truth(self.m, self.cases(e, where))
        return found if where is None else found & where

    def cases(self, e: Expr, where: Bdd | None = None) -> Cases:
        """The value of an expression; the definitions it uses are encoded first, without recursion from one to the
        next.
        """
        if self.careful:
            return self.encode(e, self.m.true if where is None else where)
        stack = [e]
        while stack:
            missing = [use for use in self.fixed_uses(stack[-1]) if self.use_key(use) not in self.used]
            if missing:
                stack += [self.body(self.use_key(use)) for use in missing]
                continue
            done = stack.pop()
            if stack:
                value = self.encode(done, self.m.true)
                self.used.update((key, value) for key in self.names[id(done)])
        return self.encode(e, self.m.true)

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

    def encode(self, e: Expr, where: Bdd) -> Cases:
        m = self.m
        if self.careful and where == m.false:
            return {}
        match e:
            case Literal(value):
                return constant(m, value)
            case Bound(name):
                if name not in self.bound:
                    raise Unsupported(f"{name} is not known where it is read")
                return self.bound[name]
            case Read():
                return merge(m, ((f, self.place(i)) for i, f in self.targets(e, where)))
            case Use(definition, owners):
                return self.use(definition, owners, where)
            case Apply(operator, operands):
                return self.apply(operator, operands, where)
            case Condition(test, then, other):
                f = self.condition(test, where)
                return choose(
                    m, f, self.encode(then, self.inside(where, f)), self.encode(other, self.outside(where, f))
                )
            case Part(whole, k):
                return combine(m, [self.encode(whole, where)], lambda v: v[k], where)
            case Wrap(operand, bits, signed):
                return combine(m, [self.encode(operand, where)], lambda v: wrap(v, bits, signed), where)
            case NumberOf() | AtomAt():
                return self.look_up(e, where)
            case Quantify():
                return self.quantify(e, where)
        raise Unsupported(f"{type(e).__name__} is not encoded as a diagram")

    def condition(self, e: Expr, where: Bdd) -> Bdd:
        return truth(self.m, self.encode(e, where))

    def inside(self, where: Bdd, f: Bdd) -> Bdd:
        """Where the meaning looks at what is behind f."""
        return where & f if self.careful else where

    def outside(self, where: Bdd, f: Bdd) -> Bdd:
        return where & ~f if self.careful else where

    # Places and names.

    def targets(self, e: Read, where: Bdd | None = None) -> list[tuple[int, Bdd]]:
        """The places a read or an assignment may mean, and when it means them."""
        where = self.m.true if where is None else where
        parts = [self.encode(part, where) for part in (*e.owners, *e.indices)]
        addresses = combine(self.m, parts, lambda *address: address, where) if parts else {(): where}
        cut = len(e.owners)
        found = []
        for address, condition in addresses.items():
            assert isinstance(address, tuple)
            i = self.system.index.get((e.variable, address[:cut], address[cut:]))  # type: ignore[arg-type]
            if i is None:
                raise Unsupported(f"an index of {e.variable} may be out of range")
            found.append((i, condition))
        return found

    def use(self, definition: str, owners: tuple[Expr, ...], where: Bdd) -> Cases:
        if not owners:
            return self.defined((definition, ()), where)
        parts = [self.encode(owner, where) for owner in owners]
        chosen = combine(self.m, parts, lambda *owners: owners, where).items()
        return merge(self.m, ((f, self.defined((definition, key), self.inside(where, f))) for key, f in chosen))  # type: ignore[arg-type]

    def defined(self, key: Key, where: Bdd) -> Cases:
        if self.careful:
            return self.encode(self.body(key), where)
        if key not in self.used:
            self.used[key] = self.encode(self.body(key), where)
        return self.used[key]

    def look_up(self, e: NumberOf | AtomAt, where: Bdd) -> Cases:
        """The number of an atom, or the atom with a number."""
        numbered = [(e.first + k, a) for k, a in enumerate(e.numbering) if a != NONE]
        numbered += [(e.none, NONE)] if e.none is not None else []
        table: dict[Value, int] = {a: k for k, a in numbered} if isinstance(e, NumberOf) else dict(numbered)

        def entry(value: Value) -> Value:
            if value not in table:
                raise Unsupported("a number may belong to nobody")
            return table[value]

        return combine(self.m, [self.encode(e.atom if isinstance(e, NumberOf) else e.number, where)], entry, where)

    # Operators.

    def apply(self, operator: Operator, operands: tuple[Expr, ...], where: Bdd) -> Cases:
        m = self.m
        if operator in (Operator.AND, Operator.OR):
            return of_truth(m, self.fold(operator is Operator.OR, operands, where))
        if operator is Operator.NOT:
            return of_truth(m, ~self.condition(operands[0], where))
        if operator is Operator.MEMBER and isinstance(operands[1], Bound) and operands[1].name in self.sets:
            return of_truth(m, self.member(operands[0], self.sets[operands[1].name], where))
        cases = [self.encode(operand, where) for operand in operands]
        if operator is Operator.EQUAL:
            return of_truth(m, equal(m, cases[0], cases[1]))
        if operator in (Operator.BIT_AND, Operator.BIT_OR) and all(set(c) <= {0, 1} for c in cases):
            join = m.conjunction if operator is Operator.BIT_AND else m.disjunction
            return of_truth(m, join(truth(m, c) for c in cases))
        if operator is Operator.BIT_XOR and all(set(c) <= {0, 1} for c in cases):
            return of_truth(m, reduce(lambda f, g: ~m.equivalent(f, g), [truth(m, c) for c in cases]))
        return self.compute(operator, cases, where)

    def compute(self, operator: Operator, cases: list[Cases], where: Bdd) -> Cases:
        """Where few values come of many combinations, two operands at a time."""
        meaning: Any = MEANING[operator]
        try:
            if operator in ASSOCIATIVE and len(cases) > 2:
                return reduce(lambda a, b: combine(self.m, [a, b], meaning, where), cases)
            return combine(self.m, cases, meaning, where)
        except (Undefined, Fault) as undefined:
            raise Unsupported(f"{operator.value} may be undefined: {undefined}") from None

    def member(self, e: Expr, members: Mapping[Value, Bdd], where: Bdd) -> Bdd:
        found = self.encode(e, where).items()
        return self.m.disjunction(f & members[value] for value, f in found if value in members)

    def fold(self, is_or: bool, operands: tuple[Expr, ...], where: Bdd) -> Bdd:
        """AND and OR do not look at an operand where an earlier one decides."""
        result, absorbing = (self.m.false, self.m.true) if is_or else (self.m.true, self.m.false)
        for operand in operands:
            left = self.outside(where, result) if is_or else self.inside(where, result)
            f = self.condition(operand, left)
            result = result | f if is_or else result & f
            if result == absorbing:
                break
        return result

    # Quantifiers.

    def quantify(self, e: Quantify, where: Bdd) -> Cases:
        name, outer = e.parameter.name, self.bound.get(e.parameter.name)
        saved, bodies = dict(self.used), []
        for value in parameter_values(e.parameter):
            self.bound[name] = constant(self.m, value)
            self.used = {}
            asked = self.condition(e.condition, where)
            body = self.encode(e.body, self.inside(where, asked))
            bodies.append((asked, body))
            if self.careful and e.quantifier in (Quantifier.ALL, Quantifier.SOME):
                holds = truth(self.m, body)
                where = where & ~(asked & (holds if e.quantifier is Quantifier.SOME else ~holds))
        self.used = saved
        if outer is None:
            self.bound.pop(name, None)
        else:
            self.bound[name] = outer
        return self.summarise(e.quantifier, bodies, where)

    def summarise(self, quantifier: Quantifier, bodies: list[tuple[Bdd, Cases]], where: Bdd) -> Cases:
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
                total = combine(m, [total, added], lambda a, b: a + b, where)
            return total
        raise Unsupported(f"the quantifier {quantifier.value}")


def parameter_values(parameter: Parameter) -> tuple[Value, ...]:
    match parameter.domain:
        case Atoms(atoms):
            return atoms
        case Interval(low, high):
            return tuple(range(low, high + 1))
    raise Unsupported(f"the parameter {parameter.name} ranges over a set that depends on the state")
