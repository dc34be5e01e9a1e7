"""The elements of sets and the values of types, one by one and in a fixed order."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from quorbit.languages.b.meaning.arrows import ARROW, relations
from quorbit.languages.b.meaning.evaluator import SET_MAKERS, Endless, Env, Evaluator, Unbounded, tuple_value
from quorbit.languages.b.meaning.operators import injective_sequences, subsets
from quorbit.languages.b.meaning.universe import Universe
from quorbit.languages.b.meaning.values import sequence_of
from quorbit.languages.b.syntax.formulas import Binary, Binder, Builtin, Comprehension, Formula, Name, Record, Unary
from quorbit.languages.b.syntax.walk import free_names
from quorbit.languages.b.types.types import BOOL, INTEGER, Free, Given, PairType, RecordType, SetOfType, Type
from quorbit.model.meaning.operators import sorted_elements
from quorbit.source.span import NOWHERE, Span


def free_types_in(universe: Universe, of: Type, seen: frozenset[str]) -> frozenset[str]:
    """The free types that a value may be made of."""
    match of:
        case Free(name) if name not in seen:
            inner = [t for _, t, _ in universe.free[name] if t is not None]
            return frozenset({name}).union(*(free_types_in(universe, t, seen | {name}) for t in inner))
        case SetOfType(element):
            return free_types_in(universe, element, seen)
        case PairType(left, right):
            return free_types_in(universe, left, seen) | free_types_in(universe, right, seen)
        case RecordType(fields):
            return frozenset().union(*(free_types_in(universe, t, seen) for _, t in fields))
    return frozenset()


def finite_tuple(names: tuple[Name, ...], env: Env, span: Span) -> Any:
    """The values of the names as one; an infinite set is not a part of other values, which could not be compared."""
    if any(isinstance(env[n.name], Endless) for n in names):
        raise Unbounded(span, "this set has infinite sets, or sets that cannot be listed, as elements")
    return tuple_value(names, env)


class Listing(Evaluator):
    """Goes through sets; an infinite one is refused or cut."""

    def elements(self, s: Formula, env: Env, cut: bool = True) -> Iterator[Any]:
        """The elements of a set, in a fixed order, one by one. Infinite: ``Unbounded``, or cut and noted if ``cut``."""
        match s:
            case Builtin(name="INTEGER" | "NATURAL" | "NATURAL1"):
                yield from self.cut_numbers(s, {"INTEGER": None, "NATURAL": 0, "NATURAL1": 1}[s.name], cut)
            case Builtin(name="STRING" | "REAL" | "FLOAT"):
                raise Unbounded(s.span, f"the set {s.name} cannot be listed")
            case Builtin(type=SetOfType(element=Free(name))):
                yield from self.all_of_free_type(name, s.span)
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
                yield from dict.fromkeys(finite_tuple(names, inner, s.span) for inner in found)
            case Unary(op="dom", argument=f) if isinstance(found := self.value(f, env), Endless):
                yield from self.arguments(found, s, cut)
            case _:
                yield from self.elements_of_value(s, env, cut)

    def arguments(self, f: Endless, s: Formula, cut: bool) -> Iterator[Any]:
        """What an infinite function takes."""
        match f.formula:
            case Binder(op="%", names=names, predicate=condition):
                found = self.solve(names, self.parts(condition), f.env, names, cut)
                yield from dict.fromkeys(tuple_value(names, inner) for inner in found)
            case _:
                raise Unbounded(s.span, "an infinite set cannot be listed")

    def elements_of_value(self, s: Formula, env: Env, cut: bool) -> Iterator[Any]:
        found = self.value(s, env)
        if not isinstance(found, Endless):
            yield from sorted_elements(found)
        elif found.formula is s:
            raise Unbounded(s.span, "an infinite set cannot be listed")
        else:
            yield from self.elements(found.formula, found.env, cut)

    def elements_made(self, s: Unary, env: Env, cut: bool) -> Iterator[Any]:
        if s.op in ("tree", "btree"):
            raise Unbounded(s.span, "all trees cannot be listed; say which one is meant")
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
        self.note_cut(
            s.span,
            f"integers are enumerated only from {u.min_int} to {u.max_int} here; --maxint and --minint widen this",
        )

    def cut_sequences(self, s: Unary, env: Env, cut: bool) -> Iterator[Any]:
        if not cut:
            raise Unbounded(s.span, "an infinite set of sequences")
        base = sorted_elements(frozenset(self.elements(s.argument, env, cut)))
        longest = self.universe.max_int if base else 0
        for k in range(int(s.op == "seq1"), longest + 1):
            yield from map(sequence_of, product(base, repeat=k))
        if base:
            self.note_cut(
                s.span, f"sequences are enumerated only up to the length {longest} here; --maxint widens this"
            )

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
            case Free(name):
                yield from self.all_of_free_type(name, cut_at)
            case _ if of == BOOL:
                yield from (0, 1)
            case _:
                yield from self.all_integers(of, cut_at)

    def all_of_free_type(self, name: str, cut_at: Span | None) -> Iterator[Any]:
        """All values of a free type, if these are finitely many."""
        for k, (_, of, taken) in enumerate(self.universe.free[name]):
            if taken is None:
                yield (k,)
                continue
            assert of is not None
            if name in free_types_in(self.universe, of, frozenset()):
                raise Unbounded(cut_at or NOWHERE, f"the values of {name} are infinitely many and cannot be listed")
            for x in self.elements(taken, self.globals, cut=False):
                yield (k, x)

    def all_integers(self, of: Type, cut_at: Span | None) -> Iterator[int]:
        if of != INTEGER or cut_at is None:
            raise Unbounded(cut_at or NOWHERE, f"all values of type {of} cannot be listed")
        yield from self.cut_numbers(Builtin(cut_at, "INTEGER"), None, True)

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
