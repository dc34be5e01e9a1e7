"""Boolean functions and their manager: the small interface that everything symbolic is written against.

A `Function` is canonical: two are equal exactly if they are the same function.  Variables are numbered from 0 in the
order in which they are added, which is also their first order in the diagram.  Sets of variables and substitutions are
prepared once (`Variables`, `Substitution`) and used many times.  A diagram that outgrows its memory is a `MemoryError`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from quorbit.source.frozen import frozen

__all__ = ["Manager", "Substitution", "Variables"]


class Function(Protocol):
    """A boolean function; the operators are conjunction, disjunction and negation."""

    def __and__(self, other: Any, /) -> Any: ...
    def __or__(self, other: Any, /) -> Any: ...
    def __invert__(self) -> Any: ...
    def __hash__(self) -> int: ...


@frozen
class Variables:
    """A set of variables, prepared for quantification."""

    numbers: tuple[int, ...]
    prepared: Any


@frozen
class Substitution:
    """Functions for variables, prepared to be put in all at once."""

    prepared: Any
    is_identity: bool


class Manager(ABC):
    """Owns the diagrams of one computation."""

    name: str
    true: Any
    false: Any

    @abstractmethod
    def add_variables(self, count: int) -> range:
        """New variables, below all others."""

    @abstractmethod
    def variable(self, number: int) -> Any: ...

    @abstractmethod
    def choose(self, condition: Any, then: Any, otherwise: Any) -> Any: ...

    @abstractmethod
    def equivalent(self, f: Any, g: Any) -> Any: ...

    @abstractmethod
    def variables(self, numbers: Iterable[int]) -> Variables: ...

    @abstractmethod
    def exists(self, f: Any, over: Variables) -> Any: ...

    @abstractmethod
    def and_exists(self, f: Any, g: Any, over: Variables) -> Any:
        """exists(f & g, over) without building f & g."""

    @abstractmethod
    def substitution(self, replacements: Mapping[int, Any]) -> Substitution: ...

    @abstractmethod
    def substitute(self, f: Any, by: Substitution) -> Any: ...

    @abstractmethod
    def count(self, f: Any, variables: int) -> int:
        """How many of the assignments to so many variables satisfy f.  Requires: f depends on no more than these."""

    @abstractmethod
    def size(self, f: Any) -> int:
        """The number of nodes."""

    @abstractmethod
    def support(self, f: Any) -> tuple[int, ...]:
        """The variables f depends on, in their order."""

    @abstractmethod
    def nodes(self) -> int:
        """How many nodes the manager holds."""

    def forall(self, f: Any, over: Variables) -> Any:
        return ~self.exists(~f, over)

    def rename(self, pairs: Mapping[int, int]) -> Substitution:
        return self.substitution({old: self.variable(new) for old, new in pairs.items() if old != new})

    def conjunction(self, functions: Iterable[Any]) -> Any:
        result = self.true
        for f in functions:
            result = result & f
        return result

    def disjunction(self, functions: Iterable[Any]) -> Any:
        result = self.false
        for f in functions:
            result = result | f
        return result

    def pick(self, f: Any, variables: Iterable[int]) -> dict[int, bool]:
        """The least satisfying assignment to the variables (the first one counts most).  Requires: f is not false."""
        assert f != self.false
        chosen: dict[int, bool] = {}
        for v in variables:
            low = f & ~self.variable(v)
            chosen[v] = bool(low == self.false)
            f = f & self.variable(v) if chosen[v] else low
        return chosen
