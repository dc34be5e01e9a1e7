"""Two machines in one: the variables of both, and for every concrete operation those abstract ones that may match it.

A variable that both machines have is one variable: a step of either writes it, and matched steps write the same.
"""

from __future__ import annotations

from quorbit.languages.b.syntax.compose import Composed
from quorbit.languages.b.syntax.formulas import Formula, Name
from quorbit.source.frozen import frozen
from quorbit.source.span import Span

START_OF_ABSTRACT = "INITIALISATION of the abstract machine"


@frozen
class Match:
    """An abstract step that may match a concrete one; ``operation`` is its name in the joint machine.

    ``demands`` are witnesses: they speak of the new values x' on both sides too.
    """

    label: str
    operation: str
    demands: tuple[Formula, ...] = ()
    shown: tuple[str, ...] = ()  # its parameters and results that the concrete operation has too


@frozen
class Pairing:
    """A concrete operation and what may match it; no match: a new event, which the abstract machine does not see."""

    operation: str
    matches: tuple[Match, ...]
    status: str = "ordinary"


@frozen
class Joint:
    """``composed``: the machine of both; its operations are the concrete and the abstract ones.

    gluing    the invariants of the concrete machine, which relate its variables to the abstract ones
    variants  what convergent events decrease, the most significant first
    """

    abstract: str
    concrete: str
    span: Span
    above: Span
    composed: Composed
    concrete_variables: tuple[Name, ...]
    abstract_variables: tuple[Name, ...]
    pairings: tuple[Pairing, ...]
    start: Match
    gluing: tuple[Formula, ...]
    variants: tuple[Formula, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def shared(self) -> tuple[str, ...]:
        own = {v.name for v in self.concrete_variables}
        return tuple(v.name for v in self.abstract_variables if v.name in own)
