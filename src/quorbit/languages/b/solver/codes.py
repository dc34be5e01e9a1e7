"""What the solver makes of names and formulas: names held in cells, values and truths as functions of domains."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quorbit.languages.b.solver.cells import Domains, Prune
from quorbit.languages.b.solver.guesses import UNKNOWN, Guess
from quorbit.languages.b.solver.linear import Sum
from quorbit.languages.b.syntax.formulas import Formula
from quorbit.source.frozen import frozen

ABSENT = ("absent",)  # what the cell of a partial function holds where it is not defined


@frozen
class Scalar:
    """A name that is one cell."""

    cell: int


@frozen
class Function:
    """A function with a cell for every element of its domain; where a cell may hold ABSENT it is partial."""

    cells: dict[Any, int]
    total: bool


@frozen
class Curried:
    """A function on all of its domain whose values are functions."""

    rows: dict[Any, Function]


@frozen
class Subset:
    """A set with a cell, 0 or 1, for every element it may have."""

    cells: dict[Any, int]


@frozen
class Defined:
    """A name that stands for a formula over other names."""

    formula: Formula


Holder = Scalar | Function | Curried | Subset | Defined


@frozen
class Known:
    value: Any


@frozen
class Code:
    """Run on domains it gives a guess; it reads these cells."""

    run: Callable[[Domains], Guess]
    cells: frozenset[int]
    sum: Sum | None = None  # the same as a sum of cells that hold numbers


@frozen
class Truth:
    """Run on domains it gives True, False or, undecided, None."""

    run: Callable[[Domains], bool | None]
    cells: frozenset[int]
    prune: Prune | None = None
    late: bool = False


NOTHING: frozenset[int] = frozenset()
OPAQUE = Code(lambda d: UNKNOWN, NOTHING)
OPEN = Truth(lambda d: None, NOTHING)
YES = Truth(lambda d: True, NOTHING)
NO = Truth(lambda d: False, NOTHING)
Rows = list[tuple[Any, Truth, Code]]  # of a binder: the key, whether it belongs there, its value
