"""What ``import quorbit`` offers."""

from __future__ import annotations

from quorbit.languages.options import LoadOptions
from quorbit.languages.python.builder import Builder
from quorbit.live import check, symmetry
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.explanations import why
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.report.record import CheckResult, CheckResults, Found, NotLookedFor, Off, SymmetryResult
from quorbit.report.why import WhyApart, WhyNot
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
    "WhyApart",
    "WhyNot",
    "check",
    "load",
    "symmetry",
    "why",
]
