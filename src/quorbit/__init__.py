"""Quorbit: a model checker that looks at one state per orbit.

    import quorbit
    model = quorbit.load("mutex.edges")
    quorbit.symmetry(model).structure      # 'S3'
    quorbit.check(model).verdict           # 'holds'

``check`` and ``load`` take the options ``CheckOptions``, ``SearchOptions`` and ``LoadOptions``; results show themselves
as HTML and SVG in notebooks.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from quorbit.source.version import VERSION

if TYPE_CHECKING:
    from quorbit.languages.options import LoadOptions
    from quorbit.machine.options import SearchOptions
    from quorbit.pipeline import CheckOptions, Model, check, load, symmetry
    from quorbit.report.record import CheckResult, CheckResults, SymmetryResult
    from quorbit.source.errors import UserError

__version__ = VERSION
__all__ = [
    "CheckOptions",
    "CheckResult",
    "CheckResults",
    "LoadOptions",
    "Model",
    "SearchOptions",
    "SymmetryResult",
    "UserError",
    "__version__",
    "check",
    "load",
    "symmetry",
]
HOMES = {
    "quorbit.pipeline": ("CheckOptions", "Model", "check", "load", "symmetry"),
    "quorbit.machine.options": ("SearchOptions",),
    "quorbit.languages.options": ("LoadOptions",),
    "quorbit.report.record": ("CheckResult", "CheckResults", "SymmetryResult"),
    "quorbit.source.errors": ("UserError",),
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that ``import quorbit`` is quick."""
    for module, names in HOMES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'quorbit' has no attribute {name!r}")
