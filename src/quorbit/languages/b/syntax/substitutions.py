"""The substitutions (statements) of B as data."""

from __future__ import annotations

from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.source.frozen import field, frozen
from quorbit.source.span import Span

__all__ = [
    "Any",
    "Assert",
    "Assign",
    "BecomesIn",
    "BecomesSuch",
    "Call",
    "Case",
    "Choice",
    "If",
    "Let",
    "Parallel",
    "Pre",
    "Select",
    "Sequence",
    "Skip",
    "Substitution",
    "Var",
    "While",
]


@frozen
class Substitution:
    span: Span = field(compare=False, repr=False)


@frozen
class Skip(Substitution):
    pass


@frozen
class Assign(Substitution):
    """x, f(y), r'a := e1, e2, e3"""

    targets: tuple[Formula, ...]
    values: tuple[Formula, ...]


@frozen
class BecomesIn(Substitution):
    """x, y :: S"""

    targets: tuple[Formula, ...]
    set: Formula


@frozen
class BecomesSuch(Substitution):
    """x, y : (P), where x$0 is the old value"""

    targets: tuple[Name, ...]
    predicate: Formula


@frozen
class Pre(Substitution):
    """PRE P THEN S END"""

    predicate: Formula
    body: Substitution


@frozen
class Assert(Substitution):
    """ASSERT P THEN S END; ``message`` says what is wrong where P does not hold, if it is not a user's ASSERT."""

    predicate: Formula
    body: Substitution
    message: str = ""


@frozen
class Choice(Substitution):
    """CHOICE S OR T END"""

    options: tuple[Substitution, ...]


@frozen
class If(Substitution):
    """IF P THEN S ELSIF Q THEN T ELSE U END; no ELSE means skip"""

    branches: tuple[tuple[Formula, Substitution], ...]
    otherwise: Substitution | None


@frozen
class Select(Substitution):
    """SELECT P THEN S WHEN Q THEN T ELSE U END"""

    branches: tuple[tuple[Formula, Substitution], ...]
    otherwise: Substitution | None


@frozen
class Case(Substitution):
    """CASE e OF EITHER a, b THEN S OR c THEN T ELSE U END END"""

    subject: Formula
    branches: tuple[tuple[tuple[Formula, ...], Substitution], ...]
    otherwise: Substitution | None


@frozen
class Any(Substitution):
    """ANY x WHERE P THEN S END"""

    names: tuple[Name, ...]
    predicate: Formula
    body: Substitution


@frozen
class Let(Substitution):
    """LET x BE x = e IN S END"""

    names: tuple[Name, ...]
    definition: Formula
    body: Substitution


@frozen
class Var(Substitution):
    """VAR x IN S END"""

    names: tuple[Name, ...]
    body: Substitution


@frozen
class Sequence(Substitution):
    """S ; T"""

    parts: tuple[Substitution, ...]


@frozen
class Parallel(Substitution):
    """S || T"""

    parts: tuple[Substitution, ...]


@frozen
class While(Substitution):
    """WHILE P DO S INVARIANT I VARIANT v END"""

    condition: Formula
    body: Substitution
    invariant: Formula
    variant: Formula


@frozen
class Call(Substitution):
    """r <-- op(x, y); before expansion also the use of a definition that is a substitution"""

    targets: tuple[Formula, ...]
    operation: str
    arguments: tuple[Formula, ...]
