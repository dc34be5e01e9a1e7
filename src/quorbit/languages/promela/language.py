"""Promela, as a language of the registry."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.language import Language

__all__ = ["PROMELA"]

if TYPE_CHECKING:
    from quorbit.languages.expression import Readable
    from quorbit.languages.options import LoadOptions
    from quorbit.languages.outline import Symbol
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Trace
    from quorbit.source.span import Span


def load(path: Path, options: LoadOptions) -> System:
    from quorbit.languages.promela.load import load as read

    return read(path, options)


def load_for(path: Path, options: LoadOptions, text: Span, name: str) -> tuple[System, Property]:
    from quorbit.languages.promela.load import load_for as read

    return read(path, options, text, name)


def load_held(path: Path, options: LoadOptions, counted: Sequence[Span]) -> tuple[System, tuple[Span, ...]]:
    from quorbit.languages.promela.load import load_held as read

    return read(path, options, counted)


def read_expression(path: Path, options: LoadOptions, text: Span) -> Readable:
    from quorbit.languages.promela.expressions import read_expression as read

    return read(path, options, text)


def write_trail(path: Path, options: LoadOptions, system: System, trace: Trace) -> str:
    from quorbit.languages.promela.trail import write_trail as write

    return write(path, options, system, trace)


def outline(path: Path, options: LoadOptions) -> tuple[Symbol, ...]:
    from quorbit.languages.promela.outline import outline as read

    return read(path, options)


PROMELA = Language(
    name="promela",
    title="Promela",
    suffixes=(".pml", ".prom", ".promela", ".prm", ".pr", ".p", ".spin"),
    load=load,
    outline=outline,
    load_for=load_for,
    load_held=load_held,
    read_expression=read_expression,
    write_trail=write_trail,
    counts=("own", "spin", "plain"),
    has_channels=True,
)
