"""The names that an edge diagram declares; raises UserError with all mistakes that reading it shows."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.edges.parse_diagram import parse
from quorbit.languages.options import LoadOptions
from quorbit.languages.outline import Symbol
from quorbit.source.errors import raise_all
from quorbit.source.read import read_source


def outline(path: Path, options: LoadOptions) -> tuple[Symbol, ...]:
    program, errors = parse(read_source(path))
    raise_all(errors)
    constants = [Symbol(c.name.text, "constant", c.value.span.text, c.name.span) for c in program.constants]
    classes = [Symbol(c.name.text, "process", "class of processes", c.span) for c in program.classes if c.name]
    states = [Symbol(s.text, "value", "local state", s.span) for s in program.states]
    variables = [Symbol(v.name.text, "variable", v.type.span.text, v.name.span) for v in program.variables]
    claims = [Symbol(c.name or c.kind, "property", c.kind, c.span) for c in program.claims]
    return (*constants, *classes, *states, *variables, *claims)
