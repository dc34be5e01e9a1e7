"""Commands: what a System can do.

A command runs for every value of its parameters for which its guard holds; its effect is then determined.  An effect is
a list of steps, one after the other; the assignments of one step happen together (all right sides and addresses are
read first).
"""

from __future__ import annotations

from dataclasses import field

from quorbit.model.system.expression import TRUE, Expr, Parameter, Read
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["Assign", "Command", "Performed", "Print", "Require", "Shown", "Step", "Together", "assign"]


@frozen
class Assign:
    """``forgets``: nobody reads the place before it is written again, so any other value would do as well."""

    target: Read
    value: Expr
    forgets: bool = field(default=False, compare=False)


@frozen
class Together:
    """Assignments that happen at once.  Two of them to one place are a fault."""

    assignments: tuple[Assign, ...]


@frozen
class Require:
    """The run violates the property named ``property`` unless the condition holds here."""

    condition: Expr
    message: str
    property: str = "assertions"
    span: Span = field(default=NOWHERE, compare=False, repr=False)


Step = Together | Require


@frozen
class Shown:
    """A value in a printed text, written as the letter says: d, u, o, x, c as in C; e: names[k - 1] for k."""

    value: Expr
    letter: str = "d"
    names: tuple[str, ...] = ()


@frozen
class Print:
    """Text that a simulation shows when so many steps of the effect (``after``) are done; engines do not look at it."""

    pieces: tuple[str | Shown, ...]
    after: int = 0


@frozen
class Performed:
    """A statement of the user's text that a command performs: which of its actors does, and the front end's number for
    it ("P:7").  For coverage and for other tools; engines do not look at it."""

    actor: int
    number: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Command:
    """Guard and effect, for each value of the parameters.

    ``actors`` are the processes that move, the moving one first (fairness, ``Enabled``, traces).  Of the commands that
    could run, those of one first actor with the least ``turn`` hide the others of that actor (Promela's unless: the
    escape has the lower turn); after that those with the least ``rank`` hide all others (timeout, the end of a blocked
    atomic section).  ``hidden`` names the parameters that are no part of what the user calls the operation (B's ANY).
    ``claimed``: a partition of the atoms that the user says is kept [W07, section 5]; checked when the model is loaded.
    """

    label: str
    guard: Expr = TRUE
    effect: tuple[Step, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    actors: tuple[Expr, ...] = ()
    rank: int = 0
    turn: int = 0
    hidden: tuple[str, ...] = ()
    prints: tuple[Print, ...] = field(default=(), compare=False, repr=False)
    performs: tuple[Performed, ...] = field(default=(), compare=False, repr=False)
    claimed: tuple[tuple[int, ...], ...] = field(default=(), compare=False, repr=False)
    span: Span = field(default=NOWHERE, compare=False, repr=False)


def assign(*pairs: tuple[Read, Expr]) -> Together:
    return Together(tuple(Assign(target, value) for target, value in pairs))
