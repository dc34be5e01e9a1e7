"""The names that a Promela model declares; raises UserError with all mistakes that reading it shows."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.options import LoadOptions
from quorbit.languages.outline import Symbol
from quorbit.languages.promela.load import defines_of
from quorbit.languages.promela.parse.program import ChannelInit, Kind, Proctype, Variable
from quorbit.languages.promela.parse.units import parse
from quorbit.source.read import read_source


def outline(path: Path, options: LoadOptions) -> tuple[Symbol, ...]:
    program = parse(read_source(path), defines_of(options))
    proctypes = [symbol for p in program.proctypes for symbol in symbols_of(p)]
    variables = [symbol_of(v, "") for v in program.globals]
    types = [Symbol(t.name, "type", "typedef", t.span) for t in program.typedefs]
    fields = [symbol_of(f, t.name) for t in program.typedefs for f in t.fields]
    formulas = [Symbol(f.name, "property", "ltl", f.span) for f in program.formulas]
    return (*types, *fields, *variables, *proctypes, *formulas)


def symbols_of(proctype: Proctype) -> list[Symbol]:
    inner = [symbol_of(v, proctype.name) for v in (*proctype.parameters, *proctype.locals)]
    detail = f"{proctype.role} with {len(proctype.parameters)} parameters" if proctype.parameters else proctype.role
    return [Symbol(proctype.name, "process", detail, proctype.span), *inner]


def symbol_of(variable: Variable, container: str) -> Symbol:
    return Symbol(variable.name, "variable", type_text(variable), variable.span, container)


def type_text(variable: Variable) -> str:
    kind = variable.type.kind
    named = {Kind.STRUCT: variable.type.name, Kind.UNSIGNED: f"unsigned : {variable.type.bits}"}.get(kind, kind.value)
    length = "" if variable.length is None else f"[{variable.length}]"
    channel = f" = [{variable.initial.capacity}] of {{...}}" if isinstance(variable.initial, ChannelInit) else ""
    return f"{named} {variable.name}{length}{channel}"
