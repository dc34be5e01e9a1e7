"""Quorbit: a model checker that looks at one state per orbit.

    import quorbit
    model = quorbit.load("mutex.edges")
    quorbit.symmetry(model).structure      # 'S3'
    quorbit.check(model).verdict           # 'holds'

``check`` and ``load`` take the options ``CheckOptions``, ``SearchOptions`` and ``LoadOptions``; results show themselves
as HTML and SVG in notebooks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from quorbit.source.version import VERSION

if TYPE_CHECKING:
    from quorbit.interface import (
        Builder,
        CheckOptions,
        CheckResult,
        CheckResults,
        Found,
        LoadOptions,
        Model,
        NotLookedFor,
        Off,
        SearchOptions,
        SymmetryResult,
        UserError,
        WhyApart,
        WhyNot,
        check,
        load,
        symmetry,
        why,
    )

__version__ = VERSION
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
    "__version__",
    "check",
    "load",
    "symmetry",
    "why",
]


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for, so that ``import quorbit`` is quick."""
    import quorbit.interface as interface

    if name in interface.__all__:
        return getattr(interface, name)
    raise AttributeError(f"module 'quorbit' has no attribute {name!r}")
