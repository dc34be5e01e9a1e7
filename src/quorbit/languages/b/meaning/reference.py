"""What B formulas mean: slow and plainly right, the oracle for everything that is faster.

Short names: e, s formulas (s of a set); env the values of all names; x, v values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import (
    SET_MAKERS,
    Endless,
    Env,
    IllDefined,
    Recursive,
    TooLong,
    Unbounded,
    take_apart,
    tuple_value,
)
from quorbit.languages.b.meaning.externals import REFUSED, refusal
from quorbit.languages.b.meaning.listing import Listing
from quorbit.languages.b.meaning.membership import Membership
from quorbit.languages.b.meaning.operators import BINARY, REAL_BINARY, UNARY, applied, iterated
from quorbit.languages.b.meaning.solving import Solving
from quorbit.languages.b.meaning.values import NoValue, sequence_of
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Constructor,
    Field,
    Formula,
    Junction,
    LetIn,
    Name,
    Number,
    Quantifier,
    Real,
    Record,
    SequenceOf,
    SetOf,
    Text,
    Unary,
)
from quorbit.languages.b.syntax.show import show_value
from quorbit.languages.b.types.types import REAL, PairType, RecordType, SetOfType, Type
from quorbit.model.meaning.operators import closure as transitive
from quorbit.source.errors import UserError
from quorbit.source.span import Span

__all__ = ["Reference"]


MOST_REACHED = 10_000  # values that the closure of an infinite relation relates to one


def demand_finite(sets: Iterable[Any], span: Span) -> None:
    if any(isinstance(s, Endless) for s in sets):
        raise Unbounded(span, "one of these sets is infinite or cannot be listed")


class Reference(Membership, Listing, Solving):
    """The value of every kind of formula."""

    def value(self, e: Formula, env: Env) -> Any:
        """The value of an expression."""
        return VALUE[type(e)](self, e, env)

    def holds(self, p: Formula, env: Env) -> bool:
        """Whether a predicate is true."""
        if self.patience is not None:
            self.patience -= 1
            if self.patience < 0:
                raise TooLong(p.span, "this takes too long to be checked")
        return bool(VALUE[type(p)](self, p, env))

    def name(self, e: Name, env: Env) -> Any:
        try:
            found = env[e.name + "$0" if e.old else e.name]
        except KeyError:
            raise IllDefined(e.span, f"{e.name} has no value yet") from None
        if isinstance(found, Recursive):
            return Endless(found.formula, {name: env[name] for name in self.recursive if name in env})
        return found

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
        if e.op in REFUSED:
            raise UserError(e.span, refusal(e.op))
        argument = self.value(e.argument, env)
        if isinstance(argument, Endless):
            return self.listed(e, env) if e.op == "dom" else self.of_endless(e, env)
        if e.op in ("union", "inter"):
            demand_finite(argument, e.span)
        if e.op == "TO_STRING":
            return argument if isinstance(argument, str) else show_value(self.universe, e.argument.type, argument)
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
        if e.op in REFUSED:
            raise UserError(e.span, refusal(e.op))
        left, right = self.value(e.left, env), self.value(e.right, env)
        if isinstance(left, Endless) or isinstance(right, Endless):
            return self.with_endless(e, left, right, env)
        try:
            if e.op in REAL_BINARY and e.left.type == REAL:
                return REAL_BINARY[e.op](left, right)
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

    def with_endless(self, e: Binary, left: Any, right: Any, env: Env) -> Any:
        """An operator with an infinite operand: finite where the other operand bounds the result."""
        match e.op:
            case "[]" if isinstance(right, frozenset):
                return frozenset(y for x in right for y in self.results(left.formula, left.env, x, e.span))
            case "[]" if isinstance(left, frozenset):
                return frozenset(y for x, y in left if self.contains(x, e.right, env))
            case "<|" if isinstance(left, frozenset):
                return frozenset((x, y) for x in left for y in self.results(right.formula, right.env, x, e.span))
            case "<|" | "<<|" if isinstance(right, frozenset):
                return frozenset(p for p in right if self.contains(p[0], e.left, env) == (e.op == "<|"))
            case "|>" | "|>>" if isinstance(left, frozenset):
                return frozenset(p for p in left if self.contains(p[1], e.right, env) == (e.op == "|>"))
            case ";" if isinstance(left, frozenset):
                return frozenset((x, z) for x, y in left for z in self.results(right.formula, right.env, y, e.span))
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
        if isinstance(e.function, Binder | Comprehension | Conditional) or (
            isinstance(e.function, Unary) and e.function.op == "~" and self.constructor(e.function.argument, env)
        ):
            return self.apply_endless(Endless(e.function, env), argument, e.span)
        return self.apply(self.value(e.function, env), argument, e.span)

    def apply(self, f: Any, x: Any, span: Span) -> Any:
        if isinstance(f, Endless):
            return self.apply_endless(f, x, span)
        try:
            return applied(f, x)
        except NoValue as problem:
            raise IllDefined(span, str(problem)) from None

    def apply_endless(self, f: Endless, x: Any, span: Span) -> Any:
        found = self.results(f.formula, f.env, x, span)
        if len(found) != 1:
            several = "relation applied where it has several values"
            raise IllDefined(span, several if found else "function applied outside its domain")
        return found[0]

    def results(self, f: Formula, env: Env, x: Any, span: Span) -> list[Any]:
        """What a relation gives for an argument, each value once; it is not listed."""
        match f:
            case Builtin(name="succ" | "pred" as name):
                return [x + 1 if name == "succ" else x - 1]
            case Binder(op="%", names=names, predicate=condition, body=body):
                inner = {**env, **take_apart(names, x)}
                return [self.value(body, inner)] if self.holds(condition, inner) else []
            case Comprehension(names=names, predicate=condition) if len(names) > 1:
                inner = {**env, **take_apart(names[:-1], x)}
                last = names[-1].name
                return list(dict.fromkeys(i[last] for i in self.solve(names[-1:], self.parts(condition), inner, names)))
            case Constructor(k=k, domain=domain):
                return [(k, x)] if self.contains(x, domain, env) else []
            case Unary(op="~", argument=argument) if (made := self.constructor(argument, env)) is not None:
                return [x[1]] if self.is_made(x, made, env) else []
            case Unary(op="id", argument=s):
                return [x] if self.contains(x, s, env) else []
            case Binary(op="prj1" | "prj2" as op, left=left, right=right):
                inside = self.contains(x[0], left, env) and self.contains(x[1], right, env)
                return [x[op == "prj2"]] if inside else []
        return self.results_of_operator(f, env, x, span)

    def results_of_operator(self, f: Formula, env: Env, x: Any, span: Span) -> list[Any]:
        match f:
            case Binary(op="\\/", left=left, right=right):
                sides = (*self.results(left, env, x, span), *self.results(right, env, x, span))
                return list(dict.fromkeys(sides))
            case Binary(op="<+", left=left, right=right):
                return self.results(right, env, x, span) or self.results(left, env, x, span)
            case Binary(op="<|" | "<<|" as op, left=s, right=r):
                return self.results(r, env, x, span) if self.contains(x, s, env) == (op == "<|") else []
            case Binary(op="|>" | "|>>" as op, left=r, right=s):
                return [y for y in self.results(r, env, x, span) if self.contains(y, s, env) == (op == "|>")]
            case Binary(op=";", left=first, right=second):
                between = self.results(first, env, x, span)
                return list(dict.fromkeys(z for y in between for z in self.results(second, env, y, span)))
            case Binary(op="×", left=left, right=right) if self.contains(x, left, env):
                return list(self.elements(right, env, cut=False))
            case Binary(op="×"):
                return []
            case Unary(op="closure1", argument=r):
                return self.reached(r, env, x, span)
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return self.results(then if self.holds(condition, env) else otherwise, env, x, span)
        value = self.value(f, env)
        if not isinstance(value, Endless):
            return [b for a, b in value if a == x]
        if value.formula is f:
            raise Unbounded(span, "this function is infinite and cannot be applied")
        return self.results(value.formula, value.env, x, span)

    def reached(self, r: Formula, env: Env, x: Any, span: Span) -> list[Any]:
        """What an infinite relation leads to in one step or more."""
        found: dict[Any, None] = {}
        waiting = [x]
        while waiting:
            for y in self.results(r, env, waiting.pop(), span):
                if y not in found:
                    found[y] = None
                    waiting.append(y)
            if len(found) > MOST_REACHED:
                raise Unbounded(span, f"this relation leads to more than {MOST_REACHED} values from here")
        return list(found)

    def is_defined(self, f: Any, x: Any, span: Span) -> bool:
        if not isinstance(f, Endless):
            return any(x == a for a, _ in f)
        try:
            return bool(self.results(f.formula, f.env, x, span))
        except IllDefined:
            return False

    def comprehension(self, e: Comprehension, env: Env) -> Any:
        return self.listed(e, env)

    def quantifier(self, e: Quantifier, env: Env) -> int:
        if e.op == "#":
            return int(any(True for _ in self.solve(e.names, self.parts(e.predicate), env, e)))
        match e.predicate:
            case Binary(op="=>", left=left, right=right):
                return int(all(self.holds(right, inner) for inner in self.solve(e.names, self.parts(left), env, e)))
        return int(all(self.holds(e.predicate, inner) for inner in self.solve(e.names, (), env, e)))

    def binder(self, e: Binder, env: Env) -> Any:
        try:
            solutions = list(self.solve(e.names, self.parts(e.predicate), env, e, cut=e.op != "%"))
        except Unbounded:
            return self.of_endless(e, env)
        bodies = [self.value(e.body, inner) for inner in solutions]
        if e.op in ("UNION", "INTER"):
            demand_finite(bodies, e.span)
        match e.op:
            case "%" if any(isinstance(b, Endless) for b in bodies):
                return self.of_endless(e, env)
            case "%":
                return frozenset((tuple_value(e.names, i), b) for i, b in zip(solutions, bodies, strict=True))
            case "SIGMA":
                return sum(bodies, start=Fraction(0) if e.type == REAL else 0)
            case "PI":
                total = Fraction(1) if e.type == REAL else 1
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
        return tuple(self.parts_of_value([v for _, v in e.fields], env))

    def parts_of_value(self, items: Sequence[Formula], env: Env) -> list[Any]:
        """What a value is made of; infinite sets are not parts of other values, which could not be compared."""
        found = [self.value(item, env) for item in items]
        for x, item in zip(found, items, strict=True):
            demand_finite((x,), item.span)
        return found

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
    Real: lambda r, e, env: e.value,
    Text: lambda r, e, env: e.value,
    Constructor: lambda r, e, env: Endless(e, {}),
    Builtin: Reference.builtin,
    Unary: Reference.unary,
    Binary: Reference.binary,
    Junction: Reference.junction,
    Apply: Reference.application,
    SetOf: lambda r, e, env: frozenset(r.parts_of_value(e.items, env)),
    SequenceOf: lambda r, e, env: sequence_of(r.parts_of_value(e.items, env)),
    Comprehension: Reference.comprehension,
    Quantifier: Reference.quantifier,
    Binder: Reference.binder,
    Record: Reference.record,
    Field: Reference.field_of,
    Conditional: Reference.conditional,
    LetIn: Reference.let,
}
