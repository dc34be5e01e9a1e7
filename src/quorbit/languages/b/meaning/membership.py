"""Which values belong to a set and which sets are equal or included, without listing what need not be listed."""

from __future__ import annotations

from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW, has_form
from quorbit.languages.b.meaning.evaluator import (
    SET_MAKERS,
    Endless,
    Env,
    Evaluator,
    IllDefined,
    Unbounded,
    is_builtin,
    is_word,
    take_apart,
)
from quorbit.languages.b.meaning.functions.trees import is_tree
from quorbit.languages.b.meaning.operators import domain, image_of_range, is_injective
from quorbit.languages.b.meaning.values import NoValue, items
from quorbit.languages.b.syntax.formulas import (
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Constructor,
    Formula,
    Name,
    Record,
    SetOf,
    Unary,
)
from quorbit.languages.b.types.types import INTEGER, Free, PairType, SetOfType, Type

ENDLESS_WORDS = frozenset(["INTEGER", "NATURAL", "NATURAL1", "STRING", "REAL", "FLOAT", "succ", "pred"])
PROBED = range(-20, 21)  # where infinite sets of integers are looked at to tell them apart


def is_functional(f: Formula, env: Env) -> bool:
    """Whether a relation has at most one value for an argument, by its form."""
    match f:
        case Binder(op="%") | Builtin() | Constructor():
            return True
        case SetOf(items=(_,)):
            return True
        case Binary(op="<+", left=left, right=right):
            return is_functional(left, env) and is_functional(right, env)
        case Binary(op="<|" | "<<|", right=inner) | Binary(op="|>" | "|>>" | "\\", left=inner):
            return is_functional(inner, env)
        case Name(name=name):
            found = env.get(name)
            if isinstance(found, frozenset):
                return has_form(found, ARROW["+->"])
            return isinstance(found, Endless) and is_functional(found.formula, found.env)
    return False


def is_between_types(s: Binary) -> bool:
    """Whether a set of relations asks for no more than a function between two types."""
    whole = ("INTEGER", "STRING", "REAL", "FLOAT", "BOOL")
    sides = all(isinstance(side, Builtin) and side.name in whole for side in (s.left, s.right))
    return sides and s.op in ("+->", "<->")


def is_surely_infinite(s: Formula, env: Env) -> bool:
    """Whether a set has infinitely many elements, by its form alone."""
    match s:
        case Builtin(name=name):
            return name in ENDLESS_WORDS
        case Name(name=name):
            found = env.get(name)
            return isinstance(found, Endless) and is_surely_infinite(found.formula, found.env)
        case Unary(op="POW" | "POW1" | "FIN" | "FIN1" | "~" | "id" | "iseq" | "iseq1", argument=inner):
            return is_surely_infinite(inner, env)
        case Binary(op="\\/", left=left, right=right):
            return is_surely_infinite(left, env) or is_surely_infinite(right, env)
        case Binary(op="\\", left=left, right=SetOf() | Binary(op="..")):
            return is_surely_infinite(left, env)
        case Comprehension(names=(x,), predicate=p) | Binder(op="%", names=(x,), predicate=p):
            match p:
                case Binary(op=":", left=Name(name=name), right=inner) if name == x.name:
                    return is_surely_infinite(inner, env)
    return False


class Membership(Evaluator):
    """Tests that need not list their right operand."""

    def contains(self, x: Any, s: Formula, env: Env) -> bool:
        """Whether a value belongs to a set, which may be infinite."""
        match s:
            case Builtin(name="INTEGER" | "STRING" | "REAL" | "FLOAT") | Builtin(type=SetOfType(element=Free())):
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
            case Unary(op="~", argument=argument):
                return self.contains((x[1], x[0]), argument, env)
            case Unary(op="dom" | "ran" as op, argument=argument) if (
                constructor := self.constructor(argument, env)
            ) is not None:
                return self.contains(x, constructor.domain, env) if op == "dom" else self.is_made(x, constructor, env)
            case Unary(op="dom", argument=argument):
                f = self.value(argument, env)
                return self.is_defined(f, x, s.span)
            case Unary(op="ran", argument=argument) if isinstance(r := self.value(argument, env), Endless):
                return self.has_origin(r, x, s)
            case Constructor():
                return self.is_made(x[1], s, env) and bool(x[1][1] == x[0])
            case Conditional(condition=condition, then=then, otherwise=otherwise):
                return self.contains(x, then if self.holds(condition, env) else otherwise, env)
            case Binary(op="<+", left=left, right=right):
                g = self.value(right, env)
                return self.contains(x, right, env) or (
                    not self.is_defined(g, x[0], s.span) and self.contains(x, left, env)
                )
        found = self.value(s, env)
        if isinstance(found, Endless):
            return self.contains_endless(x, s, found)
        return x in found

    def has_origin(self, r: Endless, y: Any, s: Formula) -> bool:
        """Whether an infinite relation relates something to y: found from the condition that describes it."""
        match r.formula:
            case Comprehension(names=(*names, last), predicate=condition) if names:
                given = {**r.env, last.name: y}
                return any(True for _ in self.solve(tuple(names), self.parts(condition), given, last))
        raise Unbounded(s.span, "whether this infinite set contains a value cannot be decided")

    def constructor(self, s: Formula, env: Env) -> Constructor | None:
        """The constructor of a free type that a name stands for."""
        if not isinstance(s, Name | Constructor):
            return None
        found = self.value(s, env)
        return found.formula if isinstance(found, Endless) and isinstance(found.formula, Constructor) else None

    def is_made(self, x: Any, constructor: Constructor, env: Env) -> bool:
        """Whether a value is one that this constructor makes."""
        return bool(x[0] == constructor.k) and self.contains(x[1], constructor.domain, env)

    def contains_endless(self, x: Any, s: Formula, found: Endless) -> bool:
        if found.formula is s:
            raise Unbounded(s.span, "whether this infinite set contains a value cannot be decided")
        return self.contains(x, found.formula, found.env)

    def contains_made(self, op: str, x: Any, s: Formula, env: Env) -> bool:
        if isinstance(x, Endless):
            raise Unbounded(s.span, "an infinite set as an element of a set of sets")
        if op in ("POW", "FIN", "POW1", "FIN1"):
            return (op in ("POW", "FIN") or bool(x)) and all(self.contains(y, s, env) for y in x)
        if op in ("tree", "btree"):
            return is_tree(x, op == "btree") and all(self.contains(y, s, env) for _, y in x)
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
        """A constant is taken to be what its declaration says; of a variable that is mostly not decided, and noted."""
        if self.trusts or (is_functional(r.formula, r.env) and is_between_types(s)):
            return True
        self.note_cut(s.span, "whether an infinite relation belongs to this set of relations is not decided")
        return True

    def equal_values(self, x: Any, e: Formula, env: Env) -> bool:
        return self.same(x, self.value(e, env), e)

    def equal(self, left: Formula, right: Formula, env: Env) -> bool:
        return self.same(self.value(left, env), self.value(right, env), left)

    def same(self, a: Any, b: Any, place: Formula) -> bool:
        """Whether two values of the type that a formula has are equal."""
        if isinstance(a, Endless) != isinstance(b, Endless):
            unlisted, finite = (a, b) if isinstance(a, Endless) else (b, a)
            return self.equals_finite(unlisted, finite, place)
        if isinstance(a, Endless) and a != b and not (is_word(a) and is_word(b)):
            if self.differ_somewhere(a, b, place.type):
                return False
            raise Unbounded(place.span, "whether these infinite sets are equal cannot be decided")
        return bool(a == b)

    def equals_finite(self, s: Endless, finite: frozenset[Any], place: Formula) -> bool:
        """A set that cannot be listed may still be finite: it is told from a finite one by its form or an element."""
        if is_surely_infinite(s.formula, s.env) or self.has_more(s, finite, place.type):
            return False
        if not all(self.contains(x, s.formula, s.env) for x in finite):
            return False
        raise Unbounded(place.span, "whether this set is finite cannot be decided")

    def has_more(self, s: Endless, finite: frozenset[Any], of: Type) -> bool:
        """Whether a set is seen to have an element that a finite one does not have."""
        match of:
            case SetOfType(element=PairType(left, _)) if left == INTEGER:
                found = [(k, self.tried(s, k)) for k in PROBED]
                return any(y is not None and not isinstance(y, Endless) and (k, y) not in finite for k, y in found)
        return of == SetOfType(INTEGER) and any(k not in finite and self.contains(k, s.formula, s.env) for k in PROBED)

    def differ_somewhere(self, a: Endless, b: Endless, of: Type) -> bool:
        """Whether two infinite sets of integers, or functions of integers, are seen to differ."""
        match of:
            case SetOfType(element=PairType(left, _)) if left == INTEGER:
                pairs = [(self.tried(a, k), self.tried(b, k)) for k in PROBED]
                return any(x != y for x, y in pairs if not isinstance(x, Endless) and not isinstance(y, Endless))
        return of == SetOfType(INTEGER) and any(
            self.contains(k, a.formula, a.env) != self.contains(k, b.formula, b.env) for k in PROBED
        )

    def tried(self, f: Endless, x: Any) -> Any:
        """The value of a function for an argument; None if there is none."""
        try:
            return self.apply(f, x, f.formula.span)
        except IllDefined:
            return None

    def is_subset(self, left: Formula, right: Formula, env: Env) -> bool:
        found = self.value(left, env)
        if isinstance(found, Endless):
            other = self.value(right, env)
            if isinstance(other, Endless) and (found == other or is_builtin(other, "INTEGER", "STRING")):
                return True
            if is_builtin(found, "NATURAL1") and is_builtin(other, "NATURAL"):
                return True
            if isinstance(other, frozenset) and (
                is_surely_infinite(found.formula, found.env) or self.has_more(found, other, left.type)
            ):
                return False
            if left.type == SetOfType(INTEGER) and any(
                self.contains(k, found.formula, found.env) and not self.contains(k, right, env) for k in PROBED
            ):
                return False
            raise Unbounded(left.span, "whether one infinite set includes another cannot be decided")
        return all(self.contains(x, right, env) for x in found)
