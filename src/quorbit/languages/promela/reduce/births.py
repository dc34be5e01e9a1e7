"""Processes that are started one after the other, started at once where nobody can tell.

`init { run p(0); run p(1) }` starts its processes one by one, and whoever is first may run before the others are there.
But a process that exists and has not moved differs from one that does not exist only for somebody who looks at that:
who counts processes, names one from outside, or sees a partner for a rendezvous that is not there yet.  Where nobody
does, every run goes on in the same way if the processes are created earlier, so by our own counting statements that do
nothing but create processes and count in local variables are one atomic step, and one at the beginning of init comes
before everything else.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.lower.remote import all_expressions, all_statements
from quorbit.languages.promela.parse.program import (
    Assignment,
    Binary,
    Break,
    ChannelInit,
    Conditional,
    Constant,
    Else,
    Expression,
    Goto,
    Guard,
    Labelled,
    OfProcess,
    Predefined,
    Print,
    Proctype,
    Program,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Selection,
    Send,
    Sequence,
    SetPriority,
    Statement,
    Unary,
    Unless,
    Variable,
)
from quorbit.languages.promela.parse.walk import channels, parts_of, statements, walk
from quorbit.source.frozen import replace

__all__ = ["begins_with_births", "start_at_once"]

SEEN = {"_nr_pr", "_last", "_priority", "np_"}


def start_at_once(program: Program) -> Program:
    """The program with processes that are started one after the other started at once, if nobody can tell."""
    if is_seen(program):
        return program
    changed = tuple(
        replace(p, body=joined(program, p.body)) if p.role in {"proctype", "init"} else p for p in program.proctypes
    )
    return program if changed == program.proctypes else replace(program, proctypes=changed)


def begins_with_births(program: Program) -> bool:
    """Whether the first thing init does is to start processes, so that it may as well do so before all others."""
    init = next((p for p in program.proctypes if p.role == "init"), None)
    first = init.body[0] if init is not None and init.body else None
    if not isinstance(first, Sequence) or first.how != "atomic" or is_seen(program):
        return False
    return is_birth(program, never_written(program), first)


def is_seen(program: Program) -> bool:
    """Whether somebody may see that a process exists which has not moved yet."""
    parts = [inner for e in all_expressions(program) for inner in walk(e)]
    if any(isinstance(e, OfProcess | RemoteLabel | RemoteVariable) for e in parts):
        return True
    names = {e.name for e in parts if isinstance(e, Predefined)}
    if not SEEN.isdisjoint(names) or any(isinstance(s, SetPriority) for s in all_statements(program)):
        return True
    if any(p.priority is not None or p.provided is not None for p in program.proctypes):
        return True
    if "_pid" in names and any(may_end(p) for p in program.proctypes if p.role == "proctype"):
        return True  # numbers are given anew
    return any(c.capacity == 0 for c in channels(program)) and any(map(looks_for_partners, all_statements(program)))


def may_end(proctype: Proctype) -> bool:
    """Whether a process may come to its end, as far as its last statement tells: a loop that nothing leaves."""
    last = proctype.body[-1] if proctype.body else None
    if not isinstance(last, Selection) or last.loop is None:
        return True
    inner = list(statements((last,)))
    return any(isinstance(s, Goto) or (isinstance(s, Break) and s.loop == last.loop) for s in inner)


def looks_for_partners(statement: Statement) -> bool:
    """Whether something else happens where nobody takes part in a rendezvous."""
    match statement:
        case Selection(options):
            first = [s for option in options for s in firsts(option)]
            return any(isinstance(s, Else) for s in first) and any(isinstance(s, Send | Receive) for s in first)
        case Unless():
            return True
        case _:
            return False


def firsts(body: tuple[Statement, ...]) -> Iterator[Statement]:
    """The statements that a sequence may begin with."""
    match body:
        case (Selection(options), *_):
            for option in options:
                yield from firsts(option)
        case (Sequence(_, inner), *_):
            yield from firsts(inner)
        case (Labelled(body=inner), *_):
            yield from firsts((inner,))
        case (first, *_):
            yield first


def joined(program: Program, body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements with births that follow each other as one atomic step."""
    fixed = never_written(program)
    found: list[Statement] = []
    births: list[Statement] = []
    for statement in body:
        if is_birth(program, fixed, statement):
            births.append(statement)
        else:
            found += [*atomic(births), statement]
            births = []
    return (*found, *atomic(births))


def atomic(births: list[Statement]) -> list[Statement]:
    """One step as far as the last statement that creates a process."""
    last = max((k for k, s in enumerate(births) if creates(s)), default=-1)
    if last < 0 or (last == 0 and isinstance(births[0], Sequence | Guard)):
        return births
    together = births[: last + 1]
    return [Sequence("atomic", tuple(together), together[0].span.to(together[-1].span)), *births[last + 1 :]]


def creates(statement: Statement) -> bool:
    return any(isinstance(s, Guard) and isinstance(s.condition, Run) for s in statements((statement,)))


def is_birth(program: Program, fixed: frozenset[Variable], statement: Statement) -> bool:
    """Whether a statement does nothing but create processes and count in local variables.  ``fixed``: global variables
    that nobody writes."""
    match statement:
        case Guard(Run(name, arguments)):
            return all(is_local(e, fixed) for e in arguments) and starts_alone(program.proctype(name), fixed)
        case Guard(condition):
            return is_local(condition, fixed)
        case Assignment(target, value):
            return target.variable.owner is not None and is_local(target, fixed) and is_local(value, fixed)
        case Print(_, arguments):
            return all(is_local(e, fixed) for e in arguments)
        case Selection(options):
            return all(is_birth(program, fixed, s) for option in options for s in option)
        case Sequence(how, body):
            return how != "d_step" and all(is_birth(program, fixed, s) for s in body)
        case Else() | Break():
            return True
        case _:
            return False


def never_written(program: Program) -> frozenset[Variable]:
    """The global variables that no statement writes."""
    written: set[Variable] = set()
    for statement in all_statements(program):
        match statement:
            case Assignment(target):
                written.add(target.variable)
            case Receive(_, patterns):
                written.update(p.variable for p in patterns if isinstance(p, Reference))
    return frozenset(program.globals) - written


def starts_alone(proctype: Proctype, fixed: frozenset[Variable]) -> bool:
    """Whether the variables of a new process do not depend on anything else."""
    values = [v.initial for v in proctype.locals if v.initial is not None]
    return all(isinstance(e, tuple | ChannelInit) or is_local(e, fixed) for e in values)


def is_local(e: Expression, fixed: frozenset[Variable]) -> bool:
    """Whether an expression depends on nothing that others can change."""
    match e:
        case Constant():
            return True
        case Predefined(name):
            return name == "_pid"
        case Reference() if e.variable.owner is None and e.variable not in fixed:
            return False
        case Reference() | Unary() | Binary() | Conditional():
            return all(is_local(part, fixed) for part in parts_of(e))
        case _:
            return False
