"""Commands: what a System can do.

A command runs for every value of its parameters for which its guard holds; its effect is then determined.  An effect is
a list of steps, one after the other; the assignments of one step happen together (all right sides and addresses are
read first).  Steps may stand inside others: in the two ways of a branch, in a loop, behind the choice of a free atom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.model.system.expression import TRUE, Apply, Expr, Literal, Operator, Parameter, Read, Wrap
from quorbit.source.frozen import field, frozen
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "Assign",
    "Branch",
    "Command",
    "Loop",
    "Performed",
    "Pick",
    "Print",
    "Require",
    "Shown",
    "Step",
    "Together",
    "all_steps",
    "assign",
    "assignments_in",
    "has_inner_steps",
    "is_counting",
    "parameters_of",
]


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


@frozen
class Branch:
    """The first steps where the test holds, else the second ones."""

    test: Expr
    then: tuple[Step, ...]
    other: tuple[Step, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Loop:
    """The steps again and again while the test holds; a fault after ``most`` rounds."""

    test: Expr
    body: tuple[Step, ...]
    most: int
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Pick:
    """The steps with a value for the parameter, whose domain is ``Fresh``: NONE where no atom is free."""

    parameter: Parameter
    body: tuple[Step, ...]


Step = Together | Require | Branch | Loop | Pick


def all_steps(steps: Iterable[Step]) -> Iterator[Step]:
    """These steps and those inside them; what is inside a step that stands in several places comes once."""
    seen: set[int] = set()
    waiting = list(steps)[::-1]
    while waiting:
        step = waiting.pop()
        yield step
        if isinstance(step, Branch | Loop | Pick) and id(step) not in seen:
            seen.add(id(step))
            inside = (*step.then, *step.other) if isinstance(step, Branch) else step.body
            waiting.extend(inside[::-1])


def assignments_in(steps: Iterable[Step]) -> Iterator[Assign]:
    """The assignments of these steps and of those inside them."""
    for step in all_steps(steps):
        if isinstance(step, Together):
            yield from step.assignments


def is_counting(a: Assign) -> bool:
    """Whether a variable is assigned itself and a number more or less."""
    inner = a.value.operand if isinstance(a.value, Wrap) else a.value
    match inner:
        case Apply(Operator.ADD | Operator.SUBTRACT, (Read(variable), Literal())):
            return variable == a.target.variable and not a.target.indices
        case _:
            return False


def has_inner_steps(commands: Iterable[Command]) -> bool:
    """Whether steps stand inside others."""
    return any(isinstance(step, Branch | Loop | Pick) for command in commands for step in command.effect)


def parameters_of(command: Command) -> list[Parameter]:
    """The parameters of a command and those that its steps choose."""
    picked = [step.parameter for step in all_steps(command.effect) if isinstance(step, Pick)]
    return [*command.parameters, *picked]


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
    it ("P:7"); ``text`` as a trace tells it.  For coverage and for other tools; engines do not look at it."""

    actor: int
    number: str
    span: Span = field(default=NOWHERE, compare=False, repr=False)
    text: str = ""


@frozen
class Command:
    """Guard and effect, for each value of the parameters.

    ``actors`` are the processes that move, the moving one first (fairness, ``Enabled``, traces).  Of the commands that
    could run, those of one first actor with the least ``turn`` hide the others of that actor (Promela's unless: the
    escape has the lower turn); after that those with the least ``rank`` hide all others (timeout, the end of a blocked
    atomic section).  ``hidden`` names the parameters that are not part of what the user calls the operation (B's ANY).
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
