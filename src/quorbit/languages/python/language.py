"""Models written in Python, as a language of the registry: they are built (builder.py), not read from a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.language import Language
from quorbit.source.errors import UserError

__all__ = ["PYTHON"]

if TYPE_CHECKING:
    from quorbit.languages.options import LoadOptions
    from quorbit.model.system.system import System


def load(path: Path, options: LoadOptions) -> System:
    raise UserError(None, f"{path}: a model in Python is built, not read: give the Builder to quorbit.check")


PYTHON = Language("python", "models built in Python", (), load)
