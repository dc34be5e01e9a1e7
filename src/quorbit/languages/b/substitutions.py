"""The substitutions (statements) of B as data."""

from __future__ import annotations

from dataclasses import dataclass, field

from quorbit.languages.b.syntax import Formula, Name
from quorbit.source.span import Span


@dataclass(frozen=True)
class Substitution:
    span: Span = field(compare=False, repr=False)


@dataclass(frozen=True)
class Skip(Substitution):
    pass


@dataclass(frozen=True)
class Assign(Substitution):
    """x, f(y), r'a := e1, e2, e3"""

    targets: tuple[Formula, ...]
    values: tuple[Formula, ...]


@dataclass(frozen=True)
class BecomesIn(Substitution):
    """x, y :: S"""

    targets: tuple[Formula, ...]
    set: Formula


@dataclass(frozen=True)
class BecomesSuch(Substitution):
    """x, y : (P), where x$0 is the old value"""

    targets: tuple[Name, ...]
    predicate: Formula


@dataclass(frozen=True)
class Pre(Substitution):
    """PRE P THEN S END"""

    predicate: Formula
    body: Substitution


@dataclass(frozen=True)
class Assert(Substitution):
    """ASSERT P THEN S END"""

    predicate: Formula
    body: Substitution


@dataclass(frozen=True)
class Choice(Substitution):
    """CHOICE S OR T END"""

    options: tuple[Substitution, ...]


@dataclass(frozen=True)
class If(Substitution):
    """IF P THEN S ELSIF Q THEN T ELSE U END; no ELSE means skip"""

    branches: tuple[tuple[Formula, Substitution], ...]
    otherwise: Substitution | None


@dataclass(frozen=True)
class Select(Substitution):
    """SELECT P THEN S WHEN Q THEN T ELSE U END"""

    branches: tuple[tuple[Formula, Substitution], ...]
    otherwise: Substitution | None


@dataclass(frozen=True)
class Case(Substitution):
    """CASE e OF EITHER a, b THEN S OR c THEN T ELSE U END END"""

    subject: Formula
    branches: tuple[tuple[tuple[Formula, ...], Substitution], ...]
    otherwise: Substitution | None


@dataclass(frozen=True)
class Any(Substitution):
    """ANY x WHERE P THEN S END"""

    names: tuple[Name, ...]
    predicate: Formula
    body: Substitution


@dataclass(frozen=True)
class Let(Substitution):
    """LET x BE x = e IN S END"""

    names: tuple[Name, ...]
    definition: Formula
    body: Substitution


@dataclass(frozen=True)
class Var(Substitution):
    """VAR x IN S END"""

    names: tuple[Name, ...]
    body: Substitution


@dataclass(frozen=True)
class Sequence(Substitution):
    """S ; T"""

    parts: tuple[Substitution, ...]


@dataclass(frozen=True)
class Parallel(Substitution):
    """S || T"""

    parts: tuple[Substitution, ...]


@dataclass(frozen=True)
class While(Substitution):
    """WHILE P DO S INVARIANT I VARIANT v END"""

    condition: Formula
    body: Substitution
    invariant: Formula
    variant: Formula


@dataclass(frozen=True)
class Call(Substitution):
    """r <-- op(x, y); before expansion also the use of a definition that is a substitution"""

    targets: tuple[Formula, ...]
    operation: str
    arguments: tuple[Formula, ...]
