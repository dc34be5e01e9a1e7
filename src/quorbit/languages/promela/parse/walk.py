"""Ways through a program as it was read: parts of expressions, statements of a body, channels, parameters."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.parse.program import (
    Binary,
    ChannelInit,
    Conditional,
    Constant,
    Eval,
    Expression,
    Kind,
    Labelled,
    OfProcess,
    Poll,
    Predefined,
    Probe,
    Proctype,
    Program,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Selection,
    Sequence,
    Statement,
    Temporal,
    Unary,
    Unless,
    Variable,
)

__all__ = ["channels", "flat_parameters", "parts_of", "statements", "walk"]


def walk(value: Expression) -> Iterator[Expression]:
    """The expression and all expressions inside it, from left to right."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        yield found
        if not isinstance(found, Constant):
            waiting.extend(parts_of(found)[::-1])


def parts_of(value: Expression) -> tuple[Expression, ...]:
    """The operands of an expression."""
    match value:
        case Reference(path):
            return tuple(step.index for step in path if step.index is not None)
        case Constant() | Predefined():
            return ()
        case Unary(_, operand):
            return (operand,)
        case Binary(_, left, right):
            return (left, right)
        case Conditional(test, then, other):
            return (test, then, other)
        case Run(_, arguments):
            return arguments
        case Probe(_, channel):
            return (channel,)
        case Poll(channel, patterns):
            return (channel, *(pattern.value if isinstance(pattern, Eval) else pattern for pattern in patterns))
        case OfProcess(_, process):
            return (process,)
        case RemoteLabel(_, process) | RemoteVariable(_, process, _, None):
            return () if process is None else (process,)
        case RemoteVariable(_, process, _, index):
            return tuple(part for part in (process, index) if part is not None)
        case Temporal(_, operands):
            return operands


def statements(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """All statements of a body, inner ones too, in the order of the text."""
    waiting = list(body[::-1])
    while waiting:
        statement = waiting.pop()
        yield statement
        match statement:
            case Selection(options):
                waiting.extend(inner for option in options[::-1] for inner in option[::-1])
            case Sequence(_, inner):
                waiting.extend(inner[::-1])
            case Unless(normal, escape):
                waiting += (escape, normal)
            case Labelled(_, inner_statement):
                waiting.append(inner_statement)


def channels(program: Program) -> Iterator[ChannelInit]:
    everywhere = [*program.globals, *(f for t in program.typedefs for f in t.fields)]
    for proctype in program.proctypes:
        everywhere.extend(proctype.variables)
    for variable in everywhere:
        if isinstance(variable.initial, ChannelInit):
            yield variable.initial


def flat_parameters(proctype: Proctype, program: Program) -> list[Variable]:
    """The parameters, a structure as its fields."""
    found: list[Variable] = []
    for parameter in proctype.parameters:
        found.extend(flat_variable(parameter, program))
    return found


def flat_variable(variable: Variable, program: Program) -> list[Variable]:
    if variable.type.kind is not Kind.STRUCT:
        return [variable] * (variable.length or 1)
    fields = next(t.fields for t in program.typedefs if t.name == variable.type.name)
    return [inner for field in fields for inner in flat_variable(field, program)]
