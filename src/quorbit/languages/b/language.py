"""B machines, as a language of the registry."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.languages.language import Ask, Language, Tell

__all__ = ["EVENT_B", "B"]

if TYPE_CHECKING:
    from quorbit.languages.expression import Readable
    from quorbit.languages.options import LoadOptions
    from quorbit.languages.outline import Symbol
    from quorbit.model.system.system import Property, System
    from quorbit.result.outcome import Trace
    from quorbit.source.span import Span

PREFERENCES = (
    *("MAXINT", "MININT", "DEFAULT_SETSIZE", "MAX_INITIALISATIONS", "MAX_OPERATIONS", "SHOW_EVENTB_ANY_VALUES"),
    *("TIME_OUT", "SYMBOLIC", "CLPFD", "COMPRESSION", "MEMOIZE_FUNCTIONS", "SYMMETRY_MODE", "IGNORE_PRJ_TYPES"),
    *("TRY_FIND_ABORT", "OPERATION_REUSE", "USE_COMMON_SUBEXPRESSION_ELIMINATION", "OPTIMIZE_AST", "CSE", "CHR", "SMT"),
)  # those of the second and third line change nothing here: they say how ProB works, not what a machine means


def load(path: Path, options: LoadOptions) -> System:
    from quorbit.languages.b.load import load as read

    return read(path, options) if options.refines is None else load_pair(path, options)


def load_pair(path: Path, options: LoadOptions) -> System:
    from quorbit.languages.b.refine.load import load_pair as read

    return read(path, options)


def refinements(abstract: Path, concrete: Path, options: LoadOptions) -> list[tuple[Path, LoadOptions]]:
    from quorbit.languages.b.refine.load import refinements as find

    return find(abstract, concrete, options)


def confirm(path: Path, options: LoadOptions, system: System, trace: Trace) -> str:
    from quorbit.languages.b.refine.replay import confirm as replay

    return replay(path, options, system, trace)


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


def outline(path: Path, options: LoadOptions) -> tuple[Symbol, ...]:
    from quorbit.languages.b.outline import outline as read

    return read(path, options)


EVENT_B = Language(
    name="eventb",
    title="Event-B",
    suffixes=(".eventb", ".bum", ".buc", ".zip"),
    load=load,
    outline=outline,
    read_property=read_property,
    read_expression=read_expression,
    animate=animate,
    refinements=refinements,
    confirm=confirm,
    counts=("own", "plain"),
)
B = Language(
    name="b",
    title="B machines",
    suffixes=(".mch", ".ref", ".imp", ".sys"),
    load=load,
    outline=outline,
    read_property=read_property,
    read_expression=read_expression,
    animate=animate,
    preferences=PREFERENCES,
    refinements=refinements,
    confirm=confirm,
    counts=("own", "plain"),  # own: constants that are atoms of deferred sets only up to symmetry, as ProB has them
)
