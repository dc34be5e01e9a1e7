"""The checks that need the whole model: arguments of run, labels, remote references, sizes of messages, what a process
is provided with."""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.program import (
    Constant,
    Expression,
    Goto,
    Kind,
    Labelled,
    Proctype,
    Program,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Send,
    Variable,
)
from quorbit.languages.promela.parse.walk import channels, flat_parameters, parts_of, statements
from quorbit.source.errors import Diagnostic, UserError, raise_all


def check_program(p: Parser, program: Program) -> None:
    """Raise one UserError with all that is wrong."""
    found: list[Diagnostic] = []
    for check in (check_runs, check_remote, check_labels, check_messages, check_provided):
        found.extend(check(p, program))
    raise_all(found)
    if not any(proctype.active for proctype in program.proctypes):
        last = program.proctypes[-1].span if program.proctypes else p.cursor.peek().span
        raise UserError(last, "no process is ever started: there is neither init nor an active proctype")


def check_runs(p: Parser, program: Program) -> Iterator[Diagnostic]:
    known = {proctype.name: proctype for proctype in program.proctypes if proctype.role == "proctype"}
    for run in p.runs:
        if run.proctype not in known:
            yield Diagnostic(run.span, f"there is no proctype '{run.proctype}'")
            continue
        wanted = flat_parameters(known[run.proctype], program)
        if len(run.arguments) != len(wanted):
            yield Diagnostic(run.span, f"'{run.proctype}' takes {len(wanted)} arguments, not {len(run.arguments)}")
        elif mismatch := mtype_mismatch(p, run, wanted):
            yield Diagnostic(run.span, mismatch)


def mtype_mismatch(p: Parser, run: Run, wanted: list[Variable]) -> str:
    for argument, parameter in zip(run.arguments, wanted, strict=True):
        if parameter.type.kind is Kind.MTYPE and isinstance(argument, Constant) and argument.mtype:
            set_name = p.names.members[argument.mtype][0]
            if set_name != parameter.type.name:
                return f"'{argument.mtype}' is not a value of the mtype of '{parameter.name}'"
    return ""


def check_remote(p: Parser, program: Program) -> Iterator[Diagnostic]:
    references: list[RemoteLabel | RemoteVariable] = [*p.remote_labels, *p.remote_variables]
    for reference in references:
        proctype = next((q for q in program.proctypes if q.name == reference.proctype), None)
        if proctype is None:
            yield Diagnostic(reference.span, f"there is no proctype '{reference.proctype}'")
        elif problem := remote_problem(reference, proctype):
            yield Diagnostic(reference.span, problem)


def remote_problem(reference: RemoteLabel | RemoteVariable, proctype: Proctype) -> str:
    match reference:
        case RemoteLabel(_, _, label):
            found = any(isinstance(s, Labelled) and s.label == label for s in statements(proctype.body))
            return "" if found else f"'{proctype.name}' has no label '{label}'"
        case RemoteVariable(_, _, name, index):
            variable = next((v for v in proctype.variables if v.name == name), None)
            if variable is None:
                return "" if name in {"_p", "_pid"} else f"'{proctype.name}' has no variable '{name}'"
            if variable.type.kind is Kind.STRUCT:
                return f"'{name}' is a structure, which cannot be read from outside"
            if (variable.length is None) != (index is None):
                return f"'{name}' is {'not an' if variable.length is None else 'an'} array"
            return ""


def check_labels(p: Parser, program: Program) -> Iterator[Diagnostic]:
    for proctype in program.proctypes:
        labels = [s for s in statements(proctype.body) if isinstance(s, Labelled)]
        seen: set[tuple[str, tuple[int, ...], int]] = set()
        for found in labels:
            key = (found.label, found.block, found.inline)
            if key in seen:
                yield Diagnostic(found.span, f"the label '{found.label}' is already defined")
            seen.add(key)
        names = {found.label for found in labels}
        for statement in statements(proctype.body):
            if isinstance(statement, Goto) and statement.label not in names:
                yield Diagnostic(statement.span, f"there is no label '{statement.label}' in {shown_name(proctype)}")


def shown_name(proctype: Proctype) -> str:
    return "init" if proctype.role == "init" else f"'{proctype.name}'"


def check_messages(p: Parser, program: Program) -> Iterator[Diagnostic]:
    """No channel of the model has as many fields as a send gives."""
    largest = max((len(c.fields) for c in channels(program)), default=0)
    for proctype in program.proctypes:
        for statement in statements(proctype.body):
            if isinstance(statement, Send) and len(statement.arguments) > largest:
                span = statement.span
                yield Diagnostic(
                    span, f"no channel of this model takes messages with {len(statement.arguments)} fields"
                )


def check_provided(p: Parser, program: Program) -> Iterator[Diagnostic]:
    """SPIN lets ``provided`` read global variables only, except in the index of an array."""
    for proctype in program.proctypes:
        waiting: list[Expression] = [] if proctype.provided is None else [proctype.provided]
        while waiting:
            e = waiting.pop()
            if not isinstance(e, Reference):
                waiting.extend(parts_of(e))
            elif e.variable.owner is not None:
                name = e.variable.name
                yield Diagnostic(e.span, f"'provided' may only read global variables; '{name}' is one of the process")
