"""What B formulas mean: slow and plainly right, the oracle for everything that is faster.

Values are those of the System: numbers, truth values 0 and 1, atoms by number, strings, pairs and records as tuples,
sets as frozensets. An infinite set stays a formula with its surroundings (``Endless``): one can ask what is in it, and
apply it.
Short names: e, s formulas (s of a set); env the values of all names; x, v values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from quorbit.languages.b.arrows import ARROW, has_form, relations
from quorbit.languages.b.operators import (
    BINARY,
    UNARY,
    NoValue,
    applied,
    domain,
    image_of_range,
    injective_sequences,
    is_injective,
    items,
    iterated,
    sequence_of,
    subsets,
)
from quorbit.languages.b.parse_machine import conjuncts
from quorbit.languages.b.plan import Anything, Check, Equal, Member, OneOf, Range, Step, Subset, make_plan
from quorbit.languages.b.syntax import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Field,
    Formula,
    Junction,
    LetIn,
    Name,
    Number,
    Quantifier,
    Record,
    SequenceOf,
    SetOf,
    Text,
    Unary,
)
from quorbit.languages.b.types import BOOL, INTEGER, Given, PairType, RecordType, SetOfType, Type
from quorbit.languages.b.universe import Cut, Universe
from quorbit.languages.b.walk import free_names
from quorbit.model.operators import closure as transitive
from quorbit.model.operators import sorted_elements
from quorbit.source.span import NOWHERE, Span

Env = dict[str, Any]


class IllDefined(Exception):
    """A formula has no value here: a function outside its domain, a division by zero..."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span = span
        self.message = message


class Unbounded(Exception):
    """An infinite set would have to be listed."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span = span
        self.message = message


@dataclass(frozen=True, eq=False)
class Endless:
    """An infinite set, kept as the formula that describes it."""

    formula: Formula
    env: Env

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Endless) and self.formula == other.formula and self.env == other.env

    def __hash__(self) -> int:
        return hash(self.formula)


@dataclass
class Reference:
    """Evaluates formulas in one universe; ``cuts`` tells which enumerations were bounded although they had no end."""

    universe: Universe
    cuts: dict[Span, Cut] = field(default_factory=dict)
    plans: dict[int, tuple[object, tuple[Step, ...]]] = field(default_factory=dict)
    conditions: dict[int, tuple[object, tuple[Formula, ...]]] = field(default_factory=dict)

    # Values.

    def value(self, e: Formula, env: Env) -> Any:
        """The value of an expression."""
        return VALUE[type(e)](self, e, env)

    def holds(self, p: Formula, env: Env) -> bool:
        """Whether a predicate is true."""
        return bool(VALUE[type(p)](self, p, env))

    def name(self, e: Name, env: Env) -> Any:
        try:
            return env[e.name + "$0" if e.old else e.name]
        except KeyError:
            raise IllDefined(e.span, f"{e.name} has no value yet") from None

    def builtin(self, e: Builtin, env: Env) -> Any:
        u = self.universe
        match e.name:
            case "TRUE" | "btrue":
                return 1
            case "FALSE" | "bfalse":
                return 0
            case "BOOL":
                return frozenset((0, 1))
            case "MAXINT":
                return u.max_int
            case "MININT":
                return u.min_int
            case "NAT":
                return frozenset(range(u.max_int + 1))
            case "NAT1":
                return frozenset(range(1, u.max_int + 1))
            case "INT":
                return frozenset(range(u.min_int, u.max_int + 1))
        return Endless(e, {})

    def unary(self, e: Unary, env: Env) -> Any:
        if e.op == "not":
            return int(not self.holds(e.argument, env))
        if e.op == "bool":
            return int(self.holds(e.argument, env))
        if e.op in SET_MAKERS:
            return self.listed(e, env)
        argument = self.value(e.argument, env)
        if isinstance(argument, Endless):
            return self.of_endless(e, env)
        if e.op == "closure":
            return transitive(argument) | frozenset((x, x) for x in self.field(e.argument.type))
        try:
            return UNARY[e.op](argument)
        except NoValue as problem:
            raise IllDefined(e.span, str(problem)) from None

    def binary(self, e: Binary, env: Env) -> Any:
        if e.op in TESTS:
            return int(TESTS[e.op](self, e.left, e.right, env))
        if e.op in ARROW:
            return self.listed(e, env)
        left, right = self.value(e.left, env), self.value(e.right, env)
        if isinstance(left, Endless) or isinstance(right, Endless):
            return self.with_endless(e, left, right, env)
        try:
            if e.op == "iterate":
                return iterated(left, right, self.field(e.left.type) if right == 0 else frozenset())
            return BINARY[e.op](left, right)
        except NoValue as problem:
            raise IllDefined(e.span, str(problem)) from None

    def field(self, relation: Type) -> frozenset[Any]:
        """All values of the type that a homogeneous relation relates."""
        assert isinstance(relation, SetOfType)
        assert isinstance(relation.element, PairType)
        return frozenset(self.all_values(relation.element.left, None))

    def listed(self, s: Formula, env: Env) -> Any:
        """A set of sets or relations as a value; endless if it cannot be listed."""
        try:
            return frozenset(self.elements(s, env, cut=False))
        except Unbounded:
            return self.of_endless(s, env)

    def of_endless(self, e: Formula, env: Env) -> Any:
        if not isinstance(e.type, SetOfType):
            raise Unbounded(e.span, "this needs an infinite set to be listed")
        return Endless(e, {name: env[name] for name in free_names(e) if name in env})

    def with_endless(self, e: Binary, left: Any, right: Any, env: Env) -> Any:
        """An operator with an infinite operand: finite where the other operand bounds the result."""
        match e.op:
            case "[]" if isinstance(right, frozenset):
                return frozenset(self.apply(left, x, e.span) for x in right if self.is_defined(left, x, e.span))
            case "<|" if isinstance(left, frozenset):
                return frozenset((x, self.apply(right, x, e.span)) for x in left if self.is_defined(right, x, e.span))
            case ";" if isinstance(left, frozenset):
                return frozenset(
                    (x, self.apply(right, y, e.span)) for x, y in left if self.is_defined(right, y, e.span)
                )
            case "/\\":
                finite, other = (left, e.right) if isinstance(left, frozenset) else (right, e.left)
                if isinstance(finite, frozenset):
                    return frozenset(x for x in finite if self.contains(x, other, env))
            case "\\" if isinstance(left, frozenset):
                return frozenset(x for x in left if not self.contains(x, e.right, env))
        return self.of_endless(e, env)

    def junction(self, e: Junction, env: Env) -> int:
        if e.op == "&":
            return int(all(self.holds(p, env) for p in e.items))
        return int(any(self.holds(p, env) for p in e.items))

    def application(self, e: Apply, env: Env) -> Any:
        argument = self.value(e.arguments[0], env)
        for other in e.arguments[1:]:
            argument = (argument, self.value(other, env))
        return self.apply(self.value(e.function, env), argument, e.span)

    def apply(self, f: Any, x: Any, span: Span) -> Any:
        if isinstance(f, Endless):
            return self.apply_endless(f, x, span)
        try:
            return applied(f, x)
        except NoValue as problem:
            raise IllDefined(span, str(problem)) from None

    def apply_endless(self, f: Endless, x: Any, span: Span) -> Any:
        match f.formula:
            case Builtin(name="succ"):
                return x + 1
            case Builtin(name="pred"):
                return x - 1
            case Binder(op="%", names=names, predicate=condition, body=body):
                env = {**f.env, **take_apart(names, x)}
                if not self.holds(condition, env):
                    raise IllDefined(span, "function applied outside its domain")
                return self.value(body, env)
            case Comprehension(names=names, predicate=condition) if len(names) > 1:
                env = {**f.env, **take_apart(names[:-1], x)}
                found = [i[names[-1].name] for i in self.solve(names[-1:], self.parts(condition), env, names)]
                return self.apply(frozenset((x, y) for y in found), x, span)
        raise Unbounded(span, "this function is infinite and cannot be applied")

    def is_defined(self, f: Any, x: Any, span: Span) -> bool:
        try:
            self.apply(f, x, span)
        except IllDefined:
            return False
        return True

    def comprehension(self, e: Comprehension, env: Env) -> Any:
        return self.listed(e, env)

    def quantifier(self, e: Quantifier, env: Env) -> int:
        if e.op == "#":
            return int(any(True for _ in self.solve(e.names, self.parts(e.predicate), env, e)))
        match e.predicate:
            case Binary(op="=>", left=left, right=right):
                return int(all(self.holds(right, inner) for inner in self.solve(e.names, self.parts(left), env, e)))
        return int(all(self.holds(e.predicate, inner) for inner in self.solve(e.names, (), env, e)))

    def parts(self, p: Formula) -> tuple[Formula, ...]:
        """The conjuncts of a predicate, taken apart once."""
        known = self.conditions.get(id(p))
        if known is None:
            known = self.conditions[id(p)] = (p, conjuncts(p))
        return known[1]

    def binder(self, e: Binder, env: Env) -> Any:
        try:
            solutions = list(self.solve(e.names, self.parts(e.predicate), env, e, cut=e.op != "%"))
        except Unbounded:
            return self.of_endless(e, env)
        bodies = [self.value(e.body, inner) for inner in solutions]
        match e.op:
            case "%":
                return frozenset((tuple_value(e.names, i), b) for i, b in zip(solutions, bodies, strict=True))
            case "SIGMA":
                return sum(bodies)
            case "PI":
                total = 1
                for factor in bodies:
                    total *= factor
                return total
            case "UNION":
                return frozenset().union(*bodies)
        if not bodies:
            raise IllDefined(e.span, "intersection of no sets")
        return frozenset.intersection(*bodies)

    def record(self, e: Record, env: Env) -> Any:
        if e.op == "struct":
            return self.listed(e, env)
        return tuple(self.value(v, env) for _, v in e.fields)

    def field_of(self, e: Field, env: Env) -> Any:
        assert isinstance(e.record.type, RecordType)
        position = [name for name, _ in e.record.type.fields].index(e.name)
        return self.value(e.record, env)[position]

    def conditional(self, e: Conditional, env: Env) -> Any:
        return self.value(e.then if self.holds(e.condition, env) else e.otherwise, env)

    def let(self, e: LetIn, env: Env) -> Any:
        for inner in self.solve(e.names, self.parts(e.definition), env, e):
            return self.value(e.body, inner)
        raise IllDefined(e.span, "LET has no value that fits")

    # Tests that need not list their right operand.

    def contains(self, x: Any, s: Formula, env: Env) -> bool:
        """Whether a value belongs to a set, which may be infinite."""
        match s:
            case Builtin(name="INTEGER" | "STRING"):
                return True
            case Builtin(name="NATURAL"):
                return bool(x >= 0)
            case Builtin(name="NATURAL1"):
                return bool(x >= 1)
            case Builtin(name="NAT"):
                return bool(0 <= x <= self.universe.max_int)
            case Builtin(name="NAT1"):
                return bool(1 <= x <= self.universe.max_int)
            case Builtin(name="INT"):
                return bool(self.universe.min_int <= x <= self.universe.max_int)
            case Builtin(name="succ"):
                return bool(x[1] == x[0] + 1)
            case Builtin(name="pred"):
                return bool(x[1] == x[0] - 1)
            case Binary(op=".."):
                return bool(self.value(s.left, env) <= x <= self.value(s.right, env))
            case Unary(op=op) if op in SET_MAKERS:
                return self.contains_made(op, x, s.argument, env)
            case Binary(op=op) if op in ARROW:
                return self.contains_relation(x, s, env)
            case Binary(op="×"):
                return self.contains(x[0], s.left, env) and self.contains(x[1], s.right, env)
            case Binary(op="\\/"):
                return self.contains(x, s.left, env) or self.contains(x, s.right, env)
            case Binary(op="/\\"):
                return self.contains(x, s.left, env) and self.contains(x, s.right, env)
            case Binary(op="\\"):
                return self.contains(x, s.left, env) and not self.contains(x, s.right, env)
            case Record(op="struct", fields=fields):
                return all(self.contains(v, f, env) for v, (_, f) in zip(x, fields, strict=True))
            case Comprehension(names=names, predicate=condition):
                return self.holds(condition, {**env, **take_apart(names, x)})
            case Binder(op="%", names=names, predicate=condition, body=body):
                inner = {**env, **take_apart(names, x[0])}
                return self.holds(condition, inner) and self.equal_values(x[1], body, inner)
        found = self.value(s, env)
        if isinstance(found, Endless):
            return self.contains_endless(x, s, found)
        return x in found

    def contains_endless(self, x: Any, s: Formula, found: Endless) -> bool:
        if found.formula is s:
            raise Unbounded(s.span, "whether this infinite set contains a value cannot be decided")
        return self.contains(x, found.formula, found.env)

    def contains_made(self, op: str, x: Any, s: Formula, env: Env) -> bool:
        if isinstance(x, Endless):
            raise Unbounded(s.span, "an infinite set as an element of a set of sets")
        if op in ("POW", "FIN", "POW1", "FIN1"):
            return (op in ("POW", "FIN") or bool(x)) and all(self.contains(y, s, env) for y in x)
        try:
            elements = items(x)
        except NoValue:
            return False
        if op in ("seq1", "iseq1") and not elements:
            return False
        if op not in ("seq", "seq1") and not is_injective(x):
            return False
        if op == "perm" and frozenset(elements) != self.value(s, env):
            return False
        return all(self.contains(y, s, env) for y in elements)

    def contains_relation(self, r: Any, s: Binary, env: Env) -> bool:
        if isinstance(r, Endless):
            return self.contains_endless_function(r, s, env)
        arrow = ARROW[s.op]
        return (
            has_form(r, arrow)
            and all(self.contains(x, s.left, env) and self.contains(y, s.right, env) for x, y in r)
            and (not arrow.total or domain(r) == self.value(s.left, env))
            and (not arrow.surjective or image_of_range(r) == self.value(s.right, env))
        )

    def contains_endless_function(self, r: Endless, s: Binary, env: Env) -> bool:
        """A lambda over an infinite domain is taken to be what its declaration says; it is used by application only."""
        if isinstance(r.formula, Binder | Builtin) and ARROW[s.op].function:
            return True
        raise Unbounded(s.span, "an infinite relation cannot be compared with a set of relations")

    def equal_values(self, x: Any, e: Formula, env: Env) -> bool:
        return bool(x == self.value(e, env))

    def equal(self, left: Formula, right: Formula, env: Env) -> bool:
        a, b = self.value(left, env), self.value(right, env)
        if isinstance(a, Endless) != isinstance(b, Endless):
            return False  # one is finite, the other is not
        return bool(a == b)

    def is_subset(self, left: Formula, right: Formula, env: Env) -> bool:
        found = self.value(left, env)
        if isinstance(found, Endless):
            other = self.value(right, env)
            if isinstance(other, Endless) and (found == other or is_builtin(other, "INTEGER", "STRING")):
                return True
            if is_builtin(found, "NATURAL1") and is_builtin(other, "NATURAL"):
                return True
            if isinstance(other, frozenset):
                return False
            raise Unbounded(left.span, "whether one infinite set includes another cannot be decided")
        return all(self.contains(x, right, env) for x in found)

    # Listing.

    def elements(self, s: Formula, env: Env, cut: bool = True) -> Iterator[Any]:
        """The elements of a set, in a fixed order, one by one. Infinite: ``Unbounded``, or cut and noted if ``cut``."""
        match s:
            case Builtin(name="INTEGER" | "NATURAL" | "NATURAL1"):
                yield from self.cut_numbers(s, {"INTEGER": None, "NATURAL": 0, "NATURAL1": 1}[s.name], cut)
            case Builtin(name="STRING"):
                raise Unbounded(s.span, "all strings cannot be listed")
            case Unary(op=op) if op in SET_MAKERS:
                yield from self.elements_made(s, env, cut)
            case Binary(op=op) if op in ARROW:
                left, right = (frozenset(self.elements(side, env, cut)) for side in (s.left, s.right))
                yield from relations(ARROW[op], left, right)
            case Binary(op="×"):
                sides = (frozenset(self.elements(side, env, cut)) for side in (s.left, s.right))
                yield from product(*map(sorted_elements, sides))
            case Record(op="struct", fields=fields):
                yield from product(*(list(self.elements(f, env, cut)) for _, f in fields))
            case Comprehension(names=names, predicate=condition):
                found = self.solve(names, self.parts(condition), env, s, cut)
                yield from dict.fromkeys(tuple_value(names, inner) for inner in found)
            case _:
                yield from self.elements_of_value(s, env, cut)

    def elements_of_value(self, s: Formula, env: Env, cut: bool) -> Iterator[Any]:
        found = self.value(s, env)
        if not isinstance(found, Endless):
            yield from sorted_elements(found)
        elif found.formula is s:
            raise Unbounded(s.span, "an infinite set cannot be listed")
        else:
            yield from self.elements(found.formula, found.env, cut)

    def elements_made(self, s: Unary, env: Env, cut: bool) -> Iterator[Any]:
        if s.op in ("seq", "seq1"):
            yield from self.cut_sequences(s, env, cut)
            return
        base = frozenset(self.elements(s.argument, env, cut))
        if s.op in ("POW", "FIN", "POW1", "FIN1"):
            yield from subsets(base, int(s.op in ("POW1", "FIN1")))
        else:
            yield from injective_sequences(base, {"iseq": 0, "iseq1": 1, "perm": len(base)}[s.op])

    def cut_numbers(self, s: Formula, low: int | None, cut: bool) -> Iterator[int]:
        if not cut:
            raise Unbounded(s.span, "an infinite set of integers")
        u = self.universe
        yield from range(u.min_int if low is None else low, u.max_int + 1)
        self.note_cut(s.span, f"integers are enumerated only from {u.min_int} to {u.max_int} here")

    def cut_sequences(self, s: Unary, env: Env, cut: bool) -> Iterator[Any]:
        if not cut:
            raise Unbounded(s.span, "an infinite set of sequences")
        base = sorted_elements(frozenset(self.elements(s.argument, env, cut)))
        longest = self.universe.max_int if base else 0
        for k in range(int(s.op == "seq1"), longest + 1):
            yield from map(sequence_of, product(base, repeat=k))
        if base:
            self.note_cut(s.span, f"sequences are enumerated only up to the length {longest} here")

    def note_cut(self, span: Span, message: str) -> None:
        self.cuts.setdefault(span, Cut(span, message))

    def all_values(self, of: Type, cut_at: Span | None) -> Iterator[Any]:
        """All values of a type; integers only where a cut may be noted."""
        match of:
            case Given(name):
                yield from self.universe.atoms[name]
            case SetOfType(element):
                yield from subsets(frozenset(self.all_values(element, cut_at)))
            case PairType(left, right):
                yield from product(list(self.all_values(left, cut_at)), list(self.all_values(right, cut_at)))
            case RecordType(fields):
                yield from product(*(list(self.all_values(t, cut_at)) for _, t in fields))
            case _ if of == BOOL:
                yield from (0, 1)
            case _:
                yield from self.all_integers(of, cut_at)

    def all_integers(self, of: Type, cut_at: Span | None) -> Iterator[int]:
        if of != INTEGER or cut_at is None:
            raise Unbounded(cut_at or NOWHERE, f"all values of type {of} cannot be listed")
        yield from self.cut_numbers(Builtin(cut_at, "INTEGER"), None, True)

    # Solving.

    def solve(
        self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env, key: object, cut: bool = True
    ) -> Iterator[Env]:
        """The surroundings with values for the names such that all conditions hold, each once, in a fixed order.

        A check that is ill-defined when it comes early is looked at again when all names are known, in the order of the
        text, so that a conjunct is protected by those before it. ``key`` stands for the plan.
        """
        hidden = {n.name for n in names}
        inner = {name: v for name, v in env.items() if name not in hidden}
        yield from self.run_plan(self.plan(names, conditions, key), 0, inner, conditions, False, cut)

    def solve_guard(
        self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env, key: object
    ) -> Iterator[Env]:
        """As ``solve``, but values for which a condition is ill-defined are no solutions: such a guard is false."""
        hidden = {n.name for n in names}
        inner = {name: v for name, v in env.items() if name not in hidden}
        yield from self.run_plan(self.plan(names, conditions, key), 0, inner, conditions, False, True, guard=True)

    def plan(self, names: tuple[Name, ...], conditions: tuple[Formula, ...], key: object) -> tuple[Step, ...]:
        known = self.plans.get(id(key))
        if known is None:
            known = self.plans[id(key)] = (key, make_plan(names, conditions))  # key is kept, so its id stays its own
        return known[1]

    def run_plan(
        self,
        steps: tuple[Step, ...],
        k: int,
        env: Env,
        conditions: tuple[Formula, ...],
        doubtful: bool,
        cut: bool,
        guard: bool = False,
    ) -> Iterator[Env]:
        while k < len(steps):
            step = steps[k]
            if not isinstance(step, Check):
                for inner in self.defined(self.bindings(step, env, cut), guard):
                    yield from self.run_plan(steps, k + 1, inner, conditions, doubtful, cut, guard)
                return
            try:
                if not self.holds(step.condition, env):
                    return
            except IllDefined:
                doubtful = True
            k += 1
        if not doubtful or self.all_hold(conditions, env, guard):
            yield env

    def defined(self, found: Iterator[Env], guard: bool) -> Iterator[Env]:
        """What is found, up to the point where a guard becomes ill-defined."""
        try:
            yield from found
        except IllDefined:
            if not guard:
                raise

    def all_hold(self, conditions: tuple[Formula, ...], env: Env, guard: bool) -> bool:
        try:
            return all(self.holds(c, env) for c in conditions)
        except IllDefined:
            if guard:
                return False
            raise

    def bindings(self, step: Step, env: Env, cut: bool) -> Iterator[Env]:
        match step:
            case Equal(pattern, value, unknown):
                yield from self.matches(pattern, self.value(value, env), env, unknown)
            case Member(pattern, s, unknown):
                for x in self.elements(s, env, cut):
                    yield from self.matches(pattern, x, env, unknown)
            case Subset(name, s):
                for x in subsets(frozenset(self.elements(s, env, cut))):
                    yield {**env, name.name: x}
            case OneOf(name, options):
                found = {inner[name.name]: None for option in options for inner in self.bindings(option, env, cut)}
                for x in sorted_elements(frozenset(found)):
                    yield {**env, name.name: x}
            case Range():
                yield from self.range_bindings(step, env, cut)
            case Anything(name):
                for x in self.all_values(name.type, name.span if cut else None):
                    yield {**env, name.name: x}

    def range_bindings(self, step: Range, env: Env, cut: bool) -> Iterator[Env]:
        """Integers between the bounds; a missing bound is MININT or MAXINT, or as far off as these are apart."""
        low = max((self.bound(b, env) for b in step.low), default=None)
        high = min((self.bound(b, env) for b in step.high), default=None)
        endless = low is None or high is None
        if endless and not cut:
            raise Unbounded(step.name.span, f"{step.name.name} has no bound on one side")
        u = self.universe
        width = u.max_int - u.min_int
        first = low if low is not None else u.min_int if high is None or high >= u.min_int else high - width
        last = high if high is not None else u.max_int if first <= u.max_int else first + width
        for x in range(first, last + 1):
            yield {**env, step.name.name: x}
        if endless:
            self.note_cut(step.name.span, f"{step.name.name} is enumerated only from {first} to {last} here")

    def bound(self, b: Formula, env: Env) -> int:
        if isinstance(b, Builtin) and b.name in ("NATURAL", "NATURAL1"):
            return int(b.name == "NATURAL1")
        return int(self.value(b, env))

    def matches(self, pattern: Formula, x: Any, env: Env, unknown: frozenset[str]) -> Iterator[Env]:
        """The surroundings in which the pattern is x: none or one."""
        match pattern:
            case Name(name=name) if name in unknown and name not in env:
                yield {**env, name: x}
            case Binary(op="|->", left=left, right=right) if unknown & free_names(pattern):
                for inner in self.matches(left, x[0], env, unknown):
                    yield from self.matches(right, x[1], inner, unknown)
            case _:
                if self.value(pattern, env) == x:
                    yield env


SET_MAKERS = frozenset(["POW", "POW1", "FIN", "FIN1", "seq", "seq1", "iseq", "iseq1", "perm"])


def is_builtin(s: Any, *names: str) -> bool:
    return isinstance(s, Endless) and isinstance(s.formula, Builtin) and s.formula.name in names


def take_apart(names: tuple[Name, ...], x: Any) -> Env:
    """x as the tuple (a, b, c), which is ((a, b), c)."""
    found: Env = {}
    for name in reversed(names[1:]):
        x, found[name.name] = x
    found[names[0].name] = x
    return found


def tuple_value(names: tuple[Name, ...], env: Env) -> Any:
    x = env[names[0].name]
    for name in names[1:]:
        x = (x, env[name.name])
    return x


TESTS: dict[str, Callable[[Reference, Formula, Formula, Env], bool]] = {
    "=>": lambda r, a, b, env: not r.holds(a, env) or r.holds(b, env),
    "<=>": lambda r, a, b, env: r.holds(a, env) == r.holds(b, env),
    "=": lambda r, a, b, env: r.equal(a, b, env),
    "/=": lambda r, a, b, env: not r.equal(a, b, env),
    ":": lambda r, a, b, env: r.contains(r.value(a, env), b, env),
    "/:": lambda r, a, b, env: not r.contains(r.value(a, env), b, env),
    "<:": lambda r, a, b, env: r.is_subset(a, b, env),
    "/<:": lambda r, a, b, env: not r.is_subset(a, b, env),
    "<<:": lambda r, a, b, env: r.is_subset(a, b, env) and not r.equal(a, b, env),
    "/<<:": lambda r, a, b, env: not r.is_subset(a, b, env) or r.equal(a, b, env),
}

VALUE: dict[type, Callable[[Reference, Any, Env], Any]] = {
    Name: Reference.name,
    Number: lambda r, e, env: e.value,
    Text: lambda r, e, env: e.value,
    Builtin: Reference.builtin,
    Unary: Reference.unary,
    Binary: Reference.binary,
    Junction: Reference.junction,
    Apply: Reference.application,
    SetOf: lambda r, e, env: frozenset(r.value(i, env) for i in e.items),
    SequenceOf: lambda r, e, env: sequence_of(r.value(i, env) for i in e.items),
    Comprehension: Reference.comprehension,
    Quantifier: Reference.quantifier,
    Binder: Reference.binder,
    Record: Reference.record,
    Field: Reference.field_of,
    Conditional: Reference.conditional,
    LetIn: Reference.let,
}
