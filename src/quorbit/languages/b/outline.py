"""The names that a B machine and those it refers to declare, with their types; raises UserError with all mistakes."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.b.load import read_composed
from quorbit.languages.b.types.infer_machine import infer_machine
from quorbit.languages.b.types.typed import TypedMachine, TypedOperation
from quorbit.languages.options import LoadOptions
from quorbit.languages.outline import Symbol


def outline(path: Path, options: LoadOptions) -> tuple[Symbol, ...]:
    machine = infer_machine(read_composed(path, options))
    sets = [Symbol(s.name, "type", set_text(s.name, s.elements), s.span) for s in machine.sets]
    elements = [Symbol(e, "value", s.name, s.span) for s in machine.sets for e in s.elements or ()]
    constants = [Symbol(c.name, "constant", typed(machine, c.name), c.span) for c in machine.constants]
    variables = [Symbol(v.name, "variable", typed(machine, v.name), v.span) for v in machine.variables]
    operations = [symbol for o in machine.operations for symbol in symbols_of(o)]
    return (*sets, *elements, *constants, *variables, *operations)


def set_text(name: str, elements: tuple[str, ...] | None) -> str:
    return f"deferred set {name}" if elements is None else f"{name} = {{{', '.join(elements)}}}"


def typed(machine: TypedMachine, name: str) -> str:
    return f"{name} : {machine.globals[name]}" if name in machine.globals else name


def symbols_of(operation: TypedOperation) -> list[Symbol]:
    inner = [
        Symbol(p.name, "variable", f"{p.name} : {p.type}" if p.type else p.name, p.span, operation.name)
        for p in (*operation.parameters, *operation.results)
    ]
    return [Symbol(operation.name, "operation", "operation", operation.span), *inner]
