"""What B formulas mean: slow and plainly right, the oracle for everything that is faster.

Short names: e, s formulas (s of a set); env the values of all names; x, v values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW
from quorbit.languages.b.meaning.evaluator import (
    SET_MAKERS,
    Endless,
    Env,
    IllDefined,
    TooLong,
    Unbounded,
    take_apart,
    tuple_value,
)
from quorbit.languages.b.meaning.listing import Listing
from quorbit.languages.b.meaning.membership import Membership
from quorbit.languages.b.meaning.operators import BINARY, UNARY, applied, iterated
from quorbit.languages.b.meaning.solving import Solving
from quorbit.languages.b.meaning.values import NoValue, sequence_of
from quorbit.languages.b.syntax.formulas import (
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
from quorbit.languages.b.syntax.show import show_value
from quorbit.languages.b.types.types import PairType, RecordType, SetOfType, Type
from quorbit.model.meaning.operators import closure as transitive
from quorbit.source.span import Span

__all__ = ["Reference"]


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
        if isinstance(e.function, Binder | Comprehension):
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
            case Binary(op="prj1" | "prj2" as op, left=left, right=right):
                if not (self.contains(x[0], left, f.env) and self.contains(x[1], right, f.env)):
                    raise IllDefined(span, "function applied outside its domain")
                return x[op == "prj2"]
            case Binary(op="\\/", left=left, right=right):
                sides = [self.value(side, f.env) for side in (left, right)]
                found = [self.apply(side, x, span) for side in sides if self.is_defined(side, x, span)]
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
