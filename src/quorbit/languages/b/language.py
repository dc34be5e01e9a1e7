"""B machines, as a language of the registry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.language import Ask, Language, Tell

__all__ = ["B", "EVENT_B"]

if TYPE_CHECKING:
    from quorbit.languages.expression import Readable
    from quorbit.languages.options import LoadOptions
    from quorbit.model.system.system import Property, System
    from quorbit.source.span import Span


def load(path: Path, options: LoadOptions) -> System:
    from quorbit.languages.b.load import load as read

    return read(path, options)


def read_property(path: Path, options: LoadOptions, text: Span, name: str) -> Property:
    from quorbit.languages.b.load import read_property as read

    return read(path, options, text, name)


def read_expression(path: Path, options: LoadOptions, text: Span) -> Readable:
    from quorbit.languages.b.expressions import read_expression as read

    return read(path, options, text)


def animate(path: Path, options: LoadOptions, ask: Ask, tell: Tell) -> None:
    from quorbit.languages.b.animate import animate as step_through
    from quorbit.languages.b.animate import open_session

    step_through(open_session(path, options), ask, tell)


EVENT_B = Language(
    name="eventb",
    title="Event-B",
    suffixes=(".eventb", ".bum", ".buc", ".zip"),
    load=load,
    read_property=read_property,
    read_expression=read_expression,
    animate=animate,
    counts=("own", "plain"),
)
B = Language(
    name="b",
    title="B machines",
    suffixes=(".mch", ".ref", ".imp", ".sys"),
    load=load,
    read_property=read_property,
    read_expression=read_expression,
    animate=animate,
    counts=("own", "plain"),  # own: constants that are atoms of deferred sets only up to symmetry, as ProB has them
)
