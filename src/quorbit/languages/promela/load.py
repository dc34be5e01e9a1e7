"""The entry point of the Promela front end: a file to a System."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.options import LoadOptions
from quorbit.languages.promela.lower import lower
from quorbit.languages.promela.parse import parse
from quorbit.model.system import System
from quorbit.source.errors import UserError
from quorbit.source.read import read_source

WAYS = ("own", "spin", "plain")


def load(path: Path, options: LoadOptions) -> System:
    """Parse and lower a model."""
    if options.count_like not in WAYS:
        raise UserError(None, f"--count-like {options.count_like}: choose one of {', '.join(WAYS)}")
    if options.set_sizes or options.max_int is not None or options.min_int is not None:
        raise UserError(None, "--set, --maxint and --minint are for B machines, not for Promela")
    defines = tuple(f"{name}={value}" for name, value in options.defines)
    program = parse(read_source(path), defines)
    return lower(program, options.count_like, options.bounds)
