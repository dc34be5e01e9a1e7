"""What a language is: a record that says which files are written in it and who reads them.

Every language defines its record in ``languages/<name>/language.py``; ``languages/registry.py`` lists them.  The
functions of a record import their language in their first line, so that to read the records takes no time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quorbit.source.frozen import frozen

__all__ = ["Ask", "Language", "Lowered", "Tell"]

if TYPE_CHECKING:
    from quorbit.languages.expression import Readable
    from quorbit.languages.options import LoadOptions
    from quorbit.languages.outline import Symbol
    from quorbit.model.system.system import Property, System
    from quorbit.netlists.check import Checked
    from quorbit.result.outcome import Trace
    from quorbit.source.errors import Refused
    from quorbit.source.span import Span

Ask = Callable[[], "str | None"]  # the next line of whoever steps through a model
Tell = Callable[[str], None]


@frozen
class Lowered:
    """The Systems on which the properties of files are checked, and the properties that are wrong."""

    systems: Sequence[System]
    refused: Sequence[Refused] = ()


@frozen
class Language:
    """Who reads a language; what is None it does not have.

    load             the System of a file
    readings         how properties are read, in the language's own words: names and texts
    read_property    a property in the language's own words
    load_for         the same with the System to check it on, where what is asked decides what is stored
    load_held        the System with the loops that count at some places never interrupted, and where these loops are
    read_expression  an expression in the language's own words
    animate          its own way to step through a model
    write_trail      a trace as a trail for SPIN
    write_waves      a trace for waveform viewers
    read_circuit     the netlist of a circuit, checked: what is asked of it decides which System is made of it
    lower_circuit    its System with the properties that its file states
    lower_for        the Systems on which the properties of property files are checked, with formulas in words
    outline          the names a model declares, for editors
    refinements      the pairs of machines from an abstract one to a concrete one, each as a file and how it is read
    confirm          a run of such a pair on both machines with the language's own meaning; what is wrong with it, or ""
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    load: Callable[[Path, LoadOptions], System]
    refused: tuple[str, ...] = ()  # suffixes that are known and refused with advice
    readings: Callable[[Path, LoadOptions, Sequence[str]], list[tuple[str, str]]] | None = None
    read_property: Callable[[Path, LoadOptions, Span, str], Property] | None = None
    load_for: Callable[[Path, LoadOptions, Span, str], tuple[System, Property]] | None = None
    load_held: Callable[[Path, LoadOptions, Sequence[Span]], tuple[System, tuple[Span, ...]]] | None = None
    read_expression: Callable[[Path, LoadOptions, Span], Readable] | None = None
    animate: Callable[[Path, LoadOptions, Ask, Tell], None] | None = None
    write_trail: Callable[[Path, LoadOptions, System, Trace], str] | None = None
    write_waves: Callable[[System, Trace], str] | None = None
    read_circuit: Callable[[Path, LoadOptions], Checked] | None = None
    lower_circuit: Callable[[Path, Checked, LoadOptions], System] | None = None
    lower_for: Callable[[Path, Checked, Sequence[Path], LoadOptions, Sequence[str]], Lowered] | None = None
    refinements: Callable[[Path, Path, LoadOptions], list[tuple[Path, LoadOptions]]] | None = None
    confirm: Callable[[Path, LoadOptions, System, Trace], str] | None = None
    outline: Callable[[Path, LoadOptions], tuple[Symbol, ...]] | None = None
    counts: tuple[str, ...] = ("own",)  # whose ways to count states it knows
    has_channels: bool = False  # which may be lossy
    preferences: tuple[str, ...] = ()  # the names that --pref knows
    property_suffixes: tuple[str, ...] = ()  # of files with properties, which may stand beside a model
