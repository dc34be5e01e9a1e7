"""Which labels and variables of a proctype are looked at from outside: p[i]@label and p[i]:variable."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.parse.program import (
    Assertion,
    Assignment,
    ChannelInit,
    Constant,
    Eval,
    Expression,
    Guard,
    Kind,
    Poll,
    Print,
    Probe,
    Program,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Send,
    SetPriority,
    Statement,
    Variable,
)
from quorbit.languages.promela.parse.walk import flat_parameters, parts_of, statements, walk

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


def lent_channels(program: Program) -> frozenset[Variable]:
    """The variables of processes with channels that others may know: sent, assigned or given to a new process."""
    return frozenset(
        name.variable
        for statement in all_statements(program)
        for expression in values_of(statement)
        for name in own_channels(expression)
        if isinstance(name.last.initial, ChannelInit)
    )


def lends_to_older(program: Program) -> bool:
    """Whether a process may know a channel of one that is younger.  What is only given to new processes is known to
    younger ones alone, and these are gone before the process it belongs to: it is there as long as somebody uses it.
    So it is with the channels of `init` where it starts all others, whoever learns of them."""
    oldest = {p.name for p in program.proctypes if p.role == "init" and starts_alone(program)}
    lent = [v for v in lent_channels(program) if v.owner not in oldest]
    return bool(lent) and any(shows_channel(program, s) for s in all_statements(program))


def starts_alone(program: Program) -> bool:
    """Whether no process but `init` is there from the start."""
    return not any(p.active for p in program.proctypes if p.role == "proctype")


def shows_channel(program: Program, statement: Statement) -> bool:
    """Whether others than new processes may learn of a channel that belongs to a process, under this name or another;
    also where a channel is taken for a number, which is not followed."""
    match statement:
        case Guard(Run(name, arguments)) | Assignment(_, Run(name, arguments)):
            wanted = flat_parameters(program.proctype(name), program)
            pairs = zip(arguments, wanted, strict=True)
            return any(v.type.kind is not Kind.CHAN and any(own_channels(e)) for e, v in pairs)
        case Assignment(target, value):
            own = target.variable.owner is not None and target.last.type.kind is Kind.CHAN
            return not own and any(own_channels(value))
        case Send(_, arguments):
            return any(any(own_channels(e)) for e in arguments)
        case _:
            return False


def own_channels(expression: Expression) -> Iterator[Reference]:
    """The names of channels, of variables that belong to a process, that are part of a value: not those that are only
    asked about."""
    if isinstance(expression, Reference):
        if expression.variable.owner is not None and expression.last.type.kind is Kind.CHAN:
            yield expression
    elif not isinstance(expression, Probe | Poll | Constant):
        for part in parts_of(expression):
            yield from own_channels(part)


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
