"""Murphi, as a language of the registry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.language import Language

__all__ = ["MURPHI"]

if TYPE_CHECKING:
    from quorbit.languages.expression import Readable
    from quorbit.languages.options import LoadOptions
    from quorbit.languages.outline import Symbol
    from quorbit.model.system.system import Property, System
    from quorbit.source.span import Span


def load(path: Path, options: LoadOptions) -> System:
    from quorbit.languages.murphi.load import load as read

    return read(path, options)


def read_property(path: Path, options: LoadOptions, text: Span, name: str) -> Property:
    from quorbit.languages.murphi.load import read_property as read

    return read(path, options, text, name)


def read_expression(path: Path, options: LoadOptions, text: Span) -> Readable:
    from quorbit.languages.murphi.expressions import read_expression as read

    return read(path, options, text)


def outline(path: Path, options: LoadOptions) -> tuple[Symbol, ...]:
    from quorbit.languages.murphi.outline import outline as read

    return read(path, options)


MURPHI = Language(
    "murphi",
    "Murphi models",
    (".m", ".mu", ".murphi"),
    load,
    outline=outline,
    read_property=read_property,
    read_expression=read_expression,
    counts=("own", "cmurphi"),
)
