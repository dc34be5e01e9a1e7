"""What a temporal formula of B says beyond single states: of the step that is taken, and of the past.

These stand in the place of a proposition's expression until ``history.py`` puts variables of a System for them.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.model.system.expression import Expr
from quorbit.model.system.formula import Formula
from quorbit.model.system.system import Variable
from quorbit.source.frozen import frozen
from quorbit.source.span import Span


@frozen
class Taken:
    """The step from this state on is one of the operation, for which the tests of its parameters hold."""

    operation: str
    tests: tuple[Expr, ...] = ()


@frozen
class Since:
    """The step from this state on changes values so that ``test`` holds after it, where ``kept`` are what the
    expressions were before."""

    kept: tuple[tuple[Variable, Expr], ...]
    test: Expr


@frozen
class Past:
    """An operator that looks back: Y (before this state), O (once), H (always), S (since) and T (triggered)."""

    operator: str
    operands: tuple[Formula, ...]
    span: Span


Read = Callable[[Span], tuple[Formula, int]]
