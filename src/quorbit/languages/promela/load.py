"""The entry point of the Promela front end: a file to a System."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.lower import lower
from quorbit.languages.promela.lower_formulas import lower_property
from quorbit.languages.promela.parse import parse, parse_words
from quorbit.languages.promela.parse_checks import walk
from quorbit.languages.promela.program import Formula, Program, RemoteLabel, RemoteVariable
from quorbit.languages.promela.remote import remote_uses
from quorbit.model.system import Property, System
from quorbit.source.errors import UserError
from quorbit.source.read import read_source
from quorbit.source.span import Span

WAYS = ("own", "spin", "plain")


def load(path: Path, options: LoadOptions) -> System:
    """Parse and lower a model."""
    check_options(options)
    program = parse(read_source(path), defines_of(options))
    return lower(program, options.count_like, options.bounds, options.stepwise).system


def read_property(path: Path, options: LoadOptions, text: Span, name: str) -> Property:
    """A formula in the words of an ltl block, about the System that ``load`` makes of the same file."""
    check_options(options)
    program, formula = parse_words(read_source(path), defines_of(options), text, name)
    check_known(program, formula)
    return lower_property(lower(program, options.count_like, options.bounds).layout, formula)


def check_known(program: Program, formula: Formula) -> None:
    """A label or variable that only this formula looks at would change how the model is counted."""
    watched, remote = remote_uses(program)
    for inner in walk(formula.body):
        unknown = isinstance(inner, RemoteLabel) and (inner.proctype, inner.label) not in watched
        if unknown or (isinstance(inner, RemoteVariable) and not remote):
            raise UserError(inner.span, "a remote reference: write this formula as an ltl block of the model")


def check_options(options: LoadOptions) -> None:
    if options.count_like not in WAYS:
        raise UserError(None, f"--count-like {options.count_like}: choose one of {', '.join(WAYS)}")
    if options.set_sizes or options.max_int is not None or options.min_int is not None:
        raise UserError(None, "--set, --maxint and --minint are for B machines, not for Promela")


def defines_of(options: LoadOptions) -> tuple[str, ...]:
    return tuple(f"{name}={value}" for name, value in options.defines)
