"""What SPIN complains about besides syntax: channels in arithmetic, mtypes of different sets, misplaced run."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.program import (
    Constant,
    Expression,
    Kind,
    Poll,
    Probe,
    Reference,
    Run,
    Variable,
)
from quorbit.languages.promela.parse.walk import parts_of, walk
from quorbit.source.errors import UserError


def check_assignable(p: Parser, target: Reference, value: Expression) -> None:
    """The rules of SPIN for ``target = value``."""
    if len(target.path) > 1:
        return  # SPIN does not look at assignments to fields
    variable = target.variable
    if variable.type.kind is Kind.CHAN:
        if isinstance(value, Constant):
            raise UserError(value.span, f"a constant cannot be assigned to the channel '{variable.name}'")
        if isinstance(value, Reference) and value.last.type.kind is Kind.CHAN:
            return
    check_mtype(p, variable, value)
    if not isinstance(value, (Reference, Run, Probe, Poll)):
        for inner in channel_operands(value):
            raise UserError(inner.span, f"the channel '{inner.last.name}' cannot be used in an expression")


def check_mtype(p: Parser, variable: Variable, value: Expression) -> None:
    """A variable of a named mtype takes no value of another one; an unnamed one is bound by its first value."""
    if not isinstance(value, Constant) or not value.mtype:
        return
    set_name = p.names.members[value.mtype][0]
    known = variable.type.name or p.names.learned.get(variable)
    if known is None or known == "":
        p.names.learned[variable] = set_name or "_"
    elif (set_name or "_") != known:
        raise UserError(value.span, f"'{value.mtype}' is not a value of the mtype of '{variable.name}'")


def channel_operands(value: Expression) -> Iterator[Reference]:
    """Channels used as numbers inside an expression."""
    match value:
        case Reference(path):
            if len(path) == 1 and value.last.type.kind is Kind.CHAN:
                yield value
        case Probe() | Run() | Poll():
            return
        case _:
            for part in parts_of(value):
                yield from channel_operands(part)


def check_runs(value: Expression) -> None:
    """run stands alone in a statement."""
    runs = [inner for inner in walk(value) if isinstance(inner, Run)]
    if len(runs) > 1:
        raise UserError(runs[1].span, "more than one run in one statement")
    if runs and not isinstance(value, Run):
        raise UserError(runs[0].span, "run cannot be part of a larger expression")


def check_no_run(value: Expression) -> None:
    for inner in walk(value):
        if isinstance(inner, Run):
            raise UserError(inner.span, "run cannot be used here")
