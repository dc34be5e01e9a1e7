"""Dead variables: a local scalar whose value is not read again before it is written is set back after its last use."""

from __future__ import annotations

from quorbit.languages.promela.lower.elements import Element
from quorbit.languages.promela.lower.links import Graph, Link
from quorbit.languages.promela.parse.program import (
    Assertion,
    Assignment,
    Constant,
    Eval,
    Expression,
    Guard,
    Kind,
    Poll,
    Print,
    Receive,
    Reference,
    Send,
    SetPriority,
    Statement,
    Variable,
)
from quorbit.languages.promela.parse.walk import parts_of

__all__ = ["Uses", "find_dead", "statement_uses"]

Uses = tuple[list[Variable], list[Variable]]


def find_dead(graph: Graph) -> None:
    """Fill in ``dead`` of every element."""
    uses: dict[Element, Uses] = {}
    for links in graph.links.values():
        for link in links:
            if link.element is not None and link.element not in uses:
                uses[link.element] = uses_of(link.element)
    incoming: dict[Element, list[Link]] = {}
    for links in graph.links.values():
        for link in links:
            if link.target is not None:
                incoming.setdefault(link.target, []).append(link)
    variables = dict.fromkeys(v for reads, writes in uses.values() for v in (*reads, *writes))
    for variable in variables:
        live = live_states(graph, incoming, uses, variable)
        for links in graph.links.values():
            for link in links:
                if link.element is not None and link.target not in live:
                    mark_dead(link.element, uses[link.element], variable)


def live_states(
    graph: Graph, incoming: dict[Element, list[Link]], uses: dict[Element, Uses], variable: Variable
) -> set[Element]:
    """The states from which a read can be reached before a write."""
    live: set[Element] = set()
    todo = [
        state
        for state, links in graph.links.items()
        if any(link.element is not None and variable in uses[link.element][0] for link in links)
    ]
    while todo:
        state = todo.pop()
        if state in live:
            continue
        live.add(state)
        for link in incoming.get(state, []):
            if link.element is None or variable not in uses[link.element][1]:
                todo.append(link.source)
    return live


def mark_dead(element: Element, uses: Uses, variable: Variable) -> None:
    """SPIN sets a variable back after a condition or receive that reads it last, or after writing it in vain."""
    reads, writes = uses
    statement = element.statement
    after_read = variable in reads and isinstance(statement, (Guard, Receive))
    in_vain = variable in writes and not (isinstance(statement, Assignment) and statement.value == Constant(0))
    if (after_read or in_vain) and variable not in element.dead:
        element.dead = (*element.dead, variable)


def uses_of(element: Element) -> Uses:
    """The local scalars a step reads and writes; the elements of arrays are not followed."""
    if element.kind not in {"basic"}:
        return [], []
    return statement_uses(element.statement)


def statement_uses(statement: Statement) -> Uses:
    reads: list[Variable] = []
    writes: list[Variable] = []
    match statement:
        case Assignment(target, value):
            if not (statement.declaration and target.last.type.kind is Kind.STRUCT):
                write(target, reads, writes)
                read(value, reads)
        case Guard(condition) | Assertion(condition):
            read(condition, reads)
        case Print(_, arguments):
            for argument in arguments:
                read(argument, reads)
        case Send(channel, arguments):
            for part in (channel, *arguments):
                read(part, reads)
        case Receive(channel, patterns):
            read(channel, reads)
            for pattern in patterns:
                if isinstance(pattern, Eval):
                    read(pattern.value, reads)
                elif isinstance(pattern, Reference):
                    write(pattern, reads, writes)
        case SetPriority(process, priority):
            read(process, reads)
            read(priority, reads)
    return reads, writes


def read(expression: Expression, reads: list[Variable]) -> None:
    if isinstance(expression, Poll):
        read(expression.channel, reads)
        for pattern in expression.patterns:
            if isinstance(pattern, Eval):
                read(pattern.value, reads)
        return
    if isinstance(expression, Reference):
        note(expression, reads)
    for part in parts_of(expression):
        read(part, reads)


def write(target: Reference, reads: list[Variable], writes: list[Variable]) -> None:
    note(target, writes)
    for step in target.path:
        if step.index is not None:
            read(step.index, reads)


def note(reference: Reference, found: list[Variable]) -> None:
    variable = reference.variable
    plain = reference.path[0].index is None and variable.length is None
    if plain and variable.owner is not None and variable.type.kind not in {Kind.CHAN, Kind.STRUCT}:
        found.append(variable)
