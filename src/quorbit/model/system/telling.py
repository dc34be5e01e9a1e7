"""How a run of a System is told in the words of its author: what is hidden, how values are spelled, what is a word.

A language front end fills this in; engines do not look at it.  ``RAW`` tells everything as the System has it.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.model.system.expression import Expr
from quorbit.source.frozen import field, frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["RAW", "Part", "Side", "Telling", "Word"]


@frozen
class Word:
    """A number that several bits hold, the least first; of one expression with ``names``, one of these.  ``labels``:
    what some of the numbers are called.  The bits may read the parameters of the step that is told."""

    name: str
    bits: tuple[Expr, ...]
    names: tuple[str, ...] = ()
    labels: tuple[tuple[int, str], ...] = ()


@frozen
class Part:
    """What one of several machines that move together does when a command runs: what it calls that, with which of the
    command's parameters, and where that is written."""

    label: str
    parameters: tuple[str, ...] = ()
    span: Span = field(default=NOWHERE, compare=False, repr=False)


@frozen
class Side:
    """One of several machines that move together: its name, the variables that are not its own, and its part in the
    moves, by the labels of the commands; of a move that is not listed everything is told."""

    name: str
    hidden: frozenset[str] = frozenset()
    parts: tuple[tuple[str, Part], ...] = ()


@frozen
class Telling:
    """How a language names moves, spells values and hides what its users did not write.

    hidden   variables that are not the user's: program counters, who is in control
    owned    variables P.x of processes, which are told as p.x by the name of the process
    truth    how false and true are written
    maplet   what stands between the parts of a pair; "": a pair is (a, b)
    results  by the label of a command, those of its parameters that are results
    given    by the label of a command, its other parameters in the order of the text, where a command has another
    words    what is told of a state instead of its hidden places
    inputs   what is told of a step instead of its parameters
    starts   the commands that give first values, in order, with the variables they give them to; the start of a run is
             told as a step of the first
    fixed    what has one value in every state and is told with the first of these, by name
    internal hidden variables that no format of a trace has
    sides    machines that move together: a run is told once for each
    spelled  how a value is written that the System holds as a queue of numbers
    vectors  the first and the last index of names that have several bits, as they were declared
    fields   the atoms whose places or inputs make up a number, by its name: bits, the least first, or one atom
    """

    hidden: frozenset[str] = frozenset()
    owned: bool = False
    truth: tuple[str, str] = ("false", "true")
    maplet: str = ""
    results: tuple[tuple[str, tuple[str, ...]], ...] = ()
    words: tuple[Word, ...] = ()
    inputs: tuple[Word, ...] = ()
    starts: tuple[tuple[str, tuple[str, ...]], ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()
    internal: frozenset[str] = frozenset()
    sides: tuple[Side, ...] = ()
    given: tuple[tuple[str, tuple[str, ...]], ...] = ()
    spelled: Callable[[tuple[int, ...]], str] | None = field(default=None, compare=False, repr=False)
    vectors: tuple[tuple[str, tuple[int, int]], ...] = ()
    fields: tuple[tuple[str, tuple[int, ...]], ...] = ()


RAW = Telling()
