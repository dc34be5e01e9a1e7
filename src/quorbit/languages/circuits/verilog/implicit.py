"""Names that a module reads and nobody declares: in VIS's Verilog wires of one bit, and a note says so.

A name that is connected, driven by a gate or by a continuous assignment needs no note: the standard declares it [IEEE
1364-2005, 4.5].
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.circuits.verilog.tree import (
    Assign,
    Binary,
    Block,
    Call,
    Case,
    Check,
    Expr,
    For,
    If,
    Index,
    Join,
    Leave,
    ModuleBody,
    Name,
    Nothing,
    Number,
    Repeat,
    Slice,
    Statement,
    TaskCall,
    Ternary,
    Unary,
    While,
)


def read_names(body: ModuleBody) -> Iterator[Name]:
    """The names in the expressions of a body; functions and generate blocks are not looked into."""
    for target, value, _ in body.assigns:
        yield from names_in(target)
        yield from names_in(value)
    for gate in body.gates:
        for argument in gate.arguments:
            yield from names_in(argument)
    for statement in [*(block.body for block in body.always), *body.initial]:
        yield from names_in_statement(statement)
    for check in body.checks:
        yield from names_in(check.condition)
    for instance in body.instances:
        for _, actual in instance.connections:
            if actual is not None:
                yield from names_in(actual)


def names_in(e: Expr) -> Iterator[Name]:
    match e:
        case Name():
            yield e
        case Number():
            return
        case Index(target, index):
            yield from names_in(target)
            yield from names_in(index)
        case Slice(target, left, right):
            yield from names_in(target)
            yield from names_in(left)
            yield from names_in(right)
        case Unary(_, operand):
            yield from names_in(operand)
        case Binary(_, left, right):
            yield from names_in(left)
            yield from names_in(right)
        case Ternary(test, then, other):
            yield from names_in(test)
            yield from names_in(then)
            yield from names_in(other)
        case Join(parts) | Call(_, parts):
            for part in parts:
                yield from names_in(part)


def names_in_statement(s: Statement) -> Iterator[Name]:
    match s:
        case Assign(target, value):
            yield from names_in(target)
            yield from names_in(value)
        case Block(body):
            for part in body:
                yield from names_in_statement(part)
        case If(test, then, other):
            yield from names_in(test)
            yield from names_in_statement(then)
            if other is not None:
                yield from names_in_statement(other)
        case Case(_, subject, items):
            yield from names_in(subject)
            for labels, inner in items:
                for label in labels:
                    yield from names_in(label)
                yield from names_in_statement(inner)
        case For(start, test, step, inner):
            for part in (start, inner, step):
                yield from names_in_statement(part)
            yield from names_in(test)
        case While(test, inner) | Repeat(test, inner):
            yield from names_in(test)
            yield from names_in_statement(inner)
        case Check(condition=condition):
            yield from names_in(condition)
        case TaskCall(_, arguments):
            for argument in arguments:
                yield from names_in(argument)
        case Leave(value=value):
            if value is not None:
                yield from names_in(value)
        case Nothing():
            return
