"""A file with a Murphi model -> System."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.murphi.formulas import read_formula
from quorbit.languages.murphi.lower.system import Lowered, lower_program
from quorbit.languages.murphi.parse.program import parse
from quorbit.languages.murphi.syntax.program import Constant, Program
from quorbit.languages.options import LoadOptions
from quorbit.model.system.system import Property, System
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.read import read_source
from quorbit.source.span import Source, Span

LAST: list[tuple[tuple[str, str, LoadOptions], Lowered]] = []


def load(path: Path, options: LoadOptions) -> System:
    lowered = load_source(read_source(path), options)
    return as_cmurphi(lowered) if options.count_like == "cmurphi" else lowered.system


def as_cmurphi(lowered: Lowered) -> System:
    """CMurphi counts multisets, not the slots they are kept in, whether it uses symmetry or not."""
    slots = lowered.context.store.slots.values()
    sorts = dict.fromkeys(lowered.system.atoms[a].sort for found in slots for a in found.atoms)
    return replace(lowered.system, bags=tuple(sorts))


def read_property(path: Path, options: LoadOptions, text: Span, name: str) -> Property:
    """A property in the words of the model, given from outside."""
    return read_formula(load_source(read_source(path), options), text, name)


def load_source(source: Source, options: LoadOptions) -> Lowered:
    """The last model that was read is kept: a property is read soon after its model."""
    key = source.name, source.text, options
    if not LAST or LAST[0][0] != key:
        program = parse(source)
        LAST[:] = [(key, lower_program(Path(source.name).stem, source, program, read_defines(program, options)))]
    return LAST[0][1]


def read_defines(program: Program, options: LoadOptions) -> dict[str, int]:
    """-D NAME=VALUE sets a constant of the model; options for other languages are refused."""
    check_options(options)
    known = {d.name.text for d in program.declarations if isinstance(d, Constant)}
    found: dict[str, int] = {}
    for name, value in options.defines:
        if name not in known:
            raise UserError(None, f"-D {name}={value}: the model has no constant {name}")
        try:
            found[name] = int(value)
        except ValueError:
            raise UserError(None, f"-D {name}={value}: the value should be a number") from None
    return found


def check_options(options: LoadOptions) -> None:
    if options.count_like == "spin":
        raise UserError(None, "--count-like spin applies to Promela; for Murphi use --count-like cmurphi")
    if options.set_sizes or options.max_int is not None or options.min_int is not None:
        raise UserError(None, "--set, --maxint and --minint apply to B machines, not to Murphi models")
