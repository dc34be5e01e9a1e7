"""Which labels and variables of a proctype are looked at from outside: p[i]@label and p[i]:variable."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.parse.checks import walk
from quorbit.languages.promela.parse.program import (
    Assertion,
    Assignment,
    ChannelInit,
    Eval,
    Expression,
    Guard,
    Print,
    Program,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Send,
    SetPriority,
    Statement,
)
from quorbit.languages.promela.parse.resolve import statements

__all__ = ["all_expressions", "all_statements", "expressions_of", "remote_uses"]


def remote_uses(program: Program) -> tuple[frozenset[tuple[str, str]], bool]:
    """The (proctype, label) pairs that are mentioned, and whether any variable is read from outside."""
    labels: set[tuple[str, str]] = set()
    variables = False
    for expression in all_expressions(program):
        for inner in walk(expression):
            if isinstance(inner, RemoteLabel):
                labels.add((inner.proctype, inner.label))
            variables = variables or isinstance(inner, RemoteVariable)
    return frozenset(labels), variables


def lends_channels(program: Program) -> bool:
    """Whether a channel that belongs to a process may be known to others: sent, assigned or given to a new one."""
    return any(
        isinstance(inner, Reference) and inner.variable.owner is not None and is_own_channel(inner)
        for statement in all_statements(program)
        for expression in values_of(statement)
        for inner in walk(expression)
    )


def is_own_channel(reference: Reference) -> bool:
    return isinstance(reference.last.initial, ChannelInit)


def values_of(statement: Statement) -> tuple[Expression, ...]:
    """The expressions of a statement whose values go somewhere."""
    match statement:
        case Assignment(_, value):
            return (value,)
        case Guard(Run(_, arguments)) | Send(_, arguments):
            return arguments
        case _:
            return ()


def all_expressions(program: Program) -> Iterator[Expression]:
    """Every expression of the model, formulas and claims included."""
    for proctype in program.proctypes:
        if proctype.provided is not None:
            yield proctype.provided
        for statement in statements(proctype.body):
            yield from expressions_of(statement)
    for formula in program.formulas:
        yield formula.body


def expressions_of(statement: Statement) -> tuple[Expression, ...]:
    """The expressions a basic statement is made of, targets included."""
    match statement:
        case Assignment(target, value):
            return (target, value)
        case Guard(condition) | Assertion(condition):
            return (condition,)
        case Print(_, arguments):
            return arguments
        case Send(channel, arguments):
            return (channel, *arguments)
        case Receive(channel, patterns):
            return (channel, *(p.value if isinstance(p, Eval) else p for p in patterns))
        case SetPriority(process, priority):
            return (process, priority)
        case _:
            return ()


def all_statements(program: Program) -> Iterator[Statement]:
    """Every statement of the processes."""
    for proctype in program.proctypes:
        if proctype.role in {"proctype", "init"}:
            yield from statements(proctype.body)
