"""What ``import quorbit`` offers."""

from __future__ import annotations

from quorbit.languages.options import LoadOptions
from quorbit.languages.python.builder import Builder
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, symmetry
from quorbit.report.record import CheckResult, CheckResults, Found, NotLookedFor, Off, SymmetryResult
from quorbit.source.errors import UserError

__all__ = [
    "Builder",
    "CheckOptions",
    "CheckResult",
    "CheckResults",
    "Found",
    "LoadOptions",
    "Model",
    "NotLookedFor",
    "Off",
    "SearchOptions",
    "SymmetryResult",
    "UserError",
    "check",
    "load",
    "symmetry",
]
