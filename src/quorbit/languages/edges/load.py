"""A file with an edge diagram -> System."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.edges.declare import declare
from quorbit.languages.edges.formulas import read_formula
from quorbit.languages.edges.lower import lower
from quorbit.languages.edges.parse_diagram import parse
from quorbit.languages.edges.syntax import Program
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import Property, System
from quorbit.source.errors import UserError, raise_all
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span


def load(path: Path, options: LoadOptions) -> System:
    return load_source(read_source(path), options)


def load_source(source: Source, options: LoadOptions) -> System:
    program, errors = parse(source)
    return lower(Path(source.name).stem, source, program, read_defines(program, options), errors)


def read_property(path: Path, options: LoadOptions, text: Span, name: str) -> Property:
    """A property in the words of the diagram, given from outside."""
    program, errors = parse(read_source(path))
    names = declare(program, read_defines(program, options), errors)
    raise_all(errors)
    return read_formula(names, text, name)


def read_defines(program: Program, options: LoadOptions) -> dict[str, int]:
    """-D NAME=VALUE sets a constant of the diagram; options for other languages are refused."""
    check_options(options)
    known = {constant.name.text for constant in program.constants}
    found: dict[str, int] = {}
    for name, value in options.defines:
        if name not in known:
            raise UserError(None, f"-D {name}={value}: the diagram has no constant {name}")
        try:
            found[name] = int(value)
        except ValueError:
            raise UserError(None, f"-D {name}={value}: the value should be a number") from None
    return found


def check_options(options: LoadOptions) -> None:
    if options.count_like not in ("own", "plain"):
        raise UserError(None, f"--count-like {options.count_like}: an edge diagram has nothing to count differently")
    if options.set_sizes or options.max_int is not None or options.min_int is not None:
        raise UserError(None, "--set, --maxint and --minint apply to B machines, not to edge diagrams")
