"""The entry point of the Promela front end: a file to a System."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.held_loops import hold_loops
from quorbit.languages.promela.lower.claims import named_property
from quorbit.languages.promela.lower.formulas import lower_property
from quorbit.languages.promela.lower.system import lower
from quorbit.languages.promela.parse.units import parse, parse_about
from quorbit.model.system.system import Property, System
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.read import read_source
from quorbit.source.span import Span

WAYS = ("own", "spin", "plain")


def load(path: Path, options: LoadOptions) -> System:
    """Parse and lower a model."""
    check_options(options)
    program = replace(parse(read_source(path), defines_of(options)), lossy=options.lossy)
    return lower(program, options.count_like, options.bounds, options.stepwise).system


def load_held(path: Path, options: LoadOptions, counted: Sequence[Span]) -> tuple[System, tuple[Span, ...]]:
    """The System with the loops that count at these places inside ``atomic``, and where these loops are."""
    program = replace(parse(read_source(path), defines_of(options)), lossy=options.lossy)
    held, loops = hold_loops(program, counted)
    return lower(held, options.count_like, options.bounds, options.stepwise).system, loops


def load_for(path: Path, options: LoadOptions, text: Span, name: str) -> tuple[System, Property]:
    """A formula in the words of an ltl block, or the name of a claim, and the System to check it on.

    What the formula looks at is stored although nothing else may, so this is not always the System of ``load``."""
    check_options(options)
    source, defines = read_source(path), defines_of(options)
    if text.text.strip().isidentifier():
        lowered = lower(replace(parse(source, defines), lossy=options.lossy), options.count_like, options.bounds)
        if found := named_property(lowered.placement, text.text.strip(), text):
            return lowered.system, found
    program = replace(parse_about(source, defines, text, name), lossy=options.lossy)
    lowered = lower(program, options.count_like, options.bounds)
    return lowered.system, lower_property(lowered.placement, program.formulas[-1])


def check_options(options: LoadOptions) -> None:
    if options.count_like not in WAYS:
        raise UserError(None, f"--count-like {options.count_like}: choose one of {', '.join(WAYS)}")
    if options.set_sizes or options.max_int is not None or options.min_int is not None:
        raise UserError(None, "--set, --maxint and --minint are for B machines, not for Promela")


def defines_of(options: LoadOptions) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in options.defines)
