"""What the parts of the reference meaning know of each other: values, membership, listing, solving.

Values are those of the System: numbers, truth values 0 and 1, atoms by number, strings, pairs and records as tuples,
sets as frozensets. An infinite set stays a formula with its surroundings (``Endless``): one can ask what is in it, and
apply it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any

from quorbit.languages.b.meaning.plan import Step
from quorbit.languages.b.meaning.universe import Cut, Universe
from quorbit.languages.b.syntax.formulas import Builtin, Formula, Name
from quorbit.languages.b.syntax.parse_machine import conjuncts
from quorbit.languages.b.types.types import Type
from quorbit.source.frozen import field, frozen_distinct, mutable
from quorbit.source.span import Span

__all__ = [
    "ENDLESS_MAKERS",
    "SET_MAKERS",
    "Endless",
    "Env",
    "Evaluator",
    "IllDefined",
    "Recursive",
    "TooLong",
    "Unbounded",
    "tuple_value",
]

Env = dict[str, Any]
ENDLESS_MAKERS = frozenset(["seq", "seq1", "tree", "btree"])
SET_MAKERS = frozenset(["POW", "POW1", "FIN", "FIN1", "iseq", "iseq1", "perm"]) | ENDLESS_MAKERS


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


class TooLong(Exception):
    """A formula that may be left unchecked has too many cases."""

    def __init__(self, span: Span, message: str) -> None:
        super().__init__(message)
        self.span = span
        self.message = message


@frozen_distinct
class Endless:
    """An infinite set, kept as the formula that describes it."""

    formula: Formula
    env: Env

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Endless) and self.formula == other.formula and self.env == other.env)

    def __hash__(self) -> int:
        return hash(self.formula)


@frozen_distinct
class Recursive(Endless):
    """A constant that its own definition mentions; what else that mentions is found where the constant is used."""


@mutable
class Evaluator(ABC):
    """Evaluates formulas in one universe; ``cuts`` tells which enumerations were bounded although they had no end.

    Plans and conjuncts are made once for each formula, which is kept so that its identity stays its own.
    """

    universe: Universe
    globals: Env = field(default_factory=dict)  # given sets, their elements, free types and constructors
    cuts: dict[Span, Cut] = field(default_factory=dict)
    plans: dict[int, tuple[object, tuple[Step, ...]]] = field(default_factory=dict)
    conditions: dict[int, tuple[object, tuple[Formula, ...]]] = field(default_factory=dict)
    recursive: tuple[str, ...] = ()  # what definitions by recursion mention, these constants included
    spelled_sets: dict[tuple[int, ...], Any] = field(default_factory=dict)  # infinite sets in variables, by their text
    trusts: bool = True  # constants that are infinite are what their declarations say
    patience: int | None = None  # how many more predicates may be looked at for a formula that may be left unchecked

    @abstractmethod
    def value(self, e: Formula, env: Env) -> Any:
        """The value of an expression."""

    @abstractmethod
    def holds(self, p: Formula, env: Env) -> bool:
        """Whether a predicate is true."""

    @abstractmethod
    def apply(self, f: Any, x: Any, span: Span) -> Any:
        """The value of a function for an argument."""

    @abstractmethod
    def is_defined(self, f: Any, x: Any, span: Span) -> bool:
        """Whether a relation has a value for an argument."""

    @abstractmethod
    def contains(self, x: Any, s: Formula, env: Env) -> bool:
        """Whether a value belongs to a set, which may be infinite."""

    @abstractmethod
    def same(self, a: Any, b: Any, place: Formula) -> bool:
        """Whether two values of the type that a formula has are equal."""

    @abstractmethod
    def elements(self, s: Formula, env: Env, cut: bool = True) -> Iterator[Any]:
        """The elements of a set, in a fixed order, one by one. Infinite: ``Unbounded``, or cut and noted if ``cut``."""

    @abstractmethod
    def all_values(self, of: Type, cut_at: Span | None) -> Iterator[Any]:
        """All values of a type; integers only where a cut may be noted."""

    @abstractmethod
    def solve(
        self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env, key: object, cut: bool = True
    ) -> Iterator[Env]:
        """The surroundings with values for the names such that all conditions hold, each once, in a fixed order."""

    @abstractmethod
    def solve_closed(self, names: tuple[Name, ...], conditions: tuple[Formula, ...], env: Env) -> Iterator[Env]:
        """As ``solve``, nothing cut: ``Unbounded`` if that cannot be."""

    def parts(self, p: Formula) -> tuple[Formula, ...]:
        """The conjuncts of a predicate, taken apart once."""
        known = self.conditions.get(id(p))
        if known is None:
            known = self.conditions[id(p)] = (p, conjuncts(p))
        return known[1]

    def note_cut(self, span: Span, message: str) -> None:
        self.cuts.setdefault(span, Cut(span, message))


def is_builtin(s: Any, *names: str) -> bool:
    return isinstance(s, Endless) and isinstance(s.formula, Builtin) and s.formula.name in names


def is_word(s: Endless) -> bool:
    """One of the sets with a name of their own, which differ from each other."""
    return isinstance(s.formula, Builtin)


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
