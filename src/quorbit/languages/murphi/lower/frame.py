"""Where a statement or an expression is lowered: what names mean there, and where steps go that it needs before it.

``Context`` is what one reading of a model shares: types and names, how variables are stored, and the variables that
hold something for the time of one command (``Scratch``): locals, results of functions, values that must not change.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.languages.murphi.lower.store import Spot, Store
from quorbit.languages.murphi.lower.typed import Typed, Values
from quorbit.languages.murphi.resolve import Scope
from quorbit.languages.murphi.syntax.program import Program, Routine
from quorbit.languages.murphi.syntax.terms import Call, Quantifier
from quorbit.languages.murphi.types import Range, Type
from quorbit.model.system.command import Assign, Print, Step, Together
from quorbit.model.system.expression import Literal
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Span

__all__ = ["Context", "Frame"]

Binding = Typed | Spot
DEEPEST_CALL = 60
SCRATCH = "~"  # begins the names of scratch variables


@mutable
class Scratch:
    """Variables for the time of a command, by level and type; every command uses the same ones and leaves them
    undefined.  A rule is on level 0, a routine one above all that it calls: no two that are busy at the same time are
    on one level, so a routine finds its variables free wherever it is called."""

    made: dict[tuple[int, int, int], Spot] = field(default_factory=dict)  # by level, type and number
    types: list[Type] = field(default_factory=list)  # kept, so that their ids stay their own
    busy: dict[tuple[int, int], int] = field(default_factory=dict)  # how many of a level and type are in use
    used: dict[str, Spot] = field(default_factory=dict)  # by the command that is written
    held: list[tuple[int, int]] = field(default_factory=list)  # those in use
    level: int = 0


@mutable
class Context:
    program: Program
    scope: Scope
    store: Store
    values: Values
    globals: dict[str, Spot]
    inline: Callable[[Frame, Routine, Call, Spot | None], list[Step]]  # lower/statements.py, which needs expressions
    scratch: Scratch = field(default_factory=Scratch)
    calls: list[Routine] = field(default_factory=list)  # that are being written out
    locals: set[str] = field(default_factory=set)  # scratch variables that are undefined at first
    names: int = 0  # how many parameters have a name already
    levels: dict[int, int] = field(default_factory=dict)  # of the routines
    written: dict[int, frozenset[str]] = field(default_factory=dict)  # by routine: what it may change
    pure: dict[tuple[str, bool], bool] = field(default_factory=dict)  # which functions only compute (lower/pure.py)
    bodies: dict[object, tuple[list[Step], dict[str, Spot]]] = field(default_factory=dict)  # written out; scratch used

    def fresh_name(self, name: str) -> str:
        self.names += 1
        return f"{name}~{self.names}"

    def range_of(self, q: Quantifier, low: int, high: int) -> Range:
        """The type of a name that goes from number to number: one for each place in the text and both readings."""
        key, ranges = (id(q), low, high), self.scope.ranges
        if key not in ranges:
            ranges[key] = q, Range(low, high, "", q.span)
        return ranges[key][1]

    def borrow(self, type: Type, span: Span) -> tuple[Spot, bool]:
        """A scratch variable of a type, and whether this command may have used it before."""
        scratch = self.scratch
        kind = (scratch.level, id(type))
        number = scratch.busy.get(kind, 0)
        scratch.busy[kind] = number + 1
        scratch.held.append(kind)
        key = (*kind, number)
        if key not in scratch.made:
            scratch.types.append(type)
            name = f"{SCRATCH}{len(scratch.made) + 1}"
            self.store.undefined |= {leaf.key for leaf in self.store.leaves(Spot(name, name, name, (), type))}
            scratch.made[key] = self.store.declare(name, type, span)
        spot = scratch.made[key]
        again = scratch.level > 0 or spot.root in scratch.used
        scratch.used[spot.root] = spot
        self.locals.discard(spot.root)
        return spot, again

    def give_back(self, mark: int) -> None:
        """What was borrowed since the mark can be used again."""
        held = self.scratch.held
        while len(held) > mark:
            self.scratch.busy[held.pop()] -= 1

    def forget_scratch(self, span: Span) -> list[Step]:
        """The steps that end a command: its scratch variables are undefined again."""
        assignments = [
            Assign(leaf.read(span), self.absent(leaf, span))
            for spot in self.scratch.used.values()
            for leaf in self.store.leaves(spot)
        ]
        self.scratch.used.clear()
        return [Together(tuple(assignments))] if assignments else []

    def absent(self, leaf: Spot, span: Span) -> Literal:
        return self.store.absent(leaf.type, span)  # type: ignore[arg-type]


@mutable
class Frame:
    """``out``: where steps go that an expression needs before it; None where there can be none (in a condition of a
    rule, in an invariant).  ``sure``: scratch variables that are not undefined here."""

    context: Context
    scope: Scope
    names: dict[str, Binding]
    out: list[Step] | None = None
    result: Spot | None = None  # where the value of the function goes
    done: Spot | None = None  # the scratch variable that says whether the routine has returned
    returns: Type | None = None
    sure: set[str] = field(default_factory=set)
    shows: list[Print] | None = None  # what is printed between the steps of a rule; None inside branches and routines

    def bind(self, names: dict[str, Binding]) -> Frame:
        return Frame(
            self.context,
            self.scope,
            {**self.names, **names},
            self.out,
            self.result,
            self.done,
            self.returns,
            self.sure,
        )

    def aside(self, out: list[Step] | None, sure: set[str] | None = None) -> Frame:
        """The same, with another place for steps."""
        return Frame(
            self.context,
            self.scope,
            self.names,
            out,
            self.result,
            self.done,
            self.returns,
            self.sure if sure is None else sure,
        )

    def need_out(self, span: Span, what: str) -> list[Step]:
        if self.out is None:
            raise UserError(span, f"{what} cannot be used in a condition: it does more than compute a value")
        return self.out
