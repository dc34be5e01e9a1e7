"""Loops that do nothing but choose a number, written as the choice they are.

`select (i : 0 .. N-1)` is, as SPIN writes it out, `i = 0; do :: i < N-1 -> i++ :: break od`, and people write this
themselves.  The loop counts and compares, so the numbers it chooses from seem to be numbers, and each value is reached
over all smaller ones.  Nobody sees a local variable on the way: by our own counting the loop is a choice among
assignments.  Not inside a d_step, which takes the first option that can run, nor where an `unless` may end the loop.
"""

from __future__ import annotations

from quorbit.languages.promela.parse.program import (
    Assignment,
    Binary,
    Break,
    Constant,
    Expression,
    Guard,
    Kind,
    Labelled,
    Program,
    Reference,
    Selection,
    Sequence,
    Statement,
)
from quorbit.source.frozen import replace

__all__ = ["write_choices"]

MOST_OPTIONS = 64
HIGHEST = {Kind.BIT: 1, Kind.BYTE: 255, Kind.PID: 255, Kind.SHORT: 2**15 - 1, Kind.INT: 2**31 - 1}
PLUS, MINUS = 1, -1


def write_choices(program: Program) -> Program:
    """The program with such loops of its processes as choices."""
    proctypes = tuple(
        replace(p, body=in_order(p.body)) if p.role in {"proctype", "init"} else p for p in program.proctypes
    )
    return program if proctypes == program.proctypes else replace(program, proctypes=proctypes)


def in_order(body: tuple[Statement, ...]) -> tuple[Statement, ...]:
    """The statements of a sequence; a counter is set right before its loop."""
    found: list[Statement] = []
    for statement in body:
        choice = chosen(found[-1], statement) if found else None
        if choice is not None:
            found[-1] = choice
        else:
            found.append(inside(statement))
    return tuple(found)


def inside(statement: Statement) -> Statement:
    match statement:
        case Selection(options):
            return replace(statement, options=tuple(map(in_order, options)))
        case Sequence(how, body) if how != "d_step":
            return replace(statement, body=in_order(body))
        case Labelled(body=body):
            return replace(statement, body=inside(body))
        case _:
            return statement


def chosen(start: Statement, loop: Statement) -> Selection | None:
    """The choice that a counter's first value and the loop after it make."""
    match start, loop:
        case Assignment(Reference((_,)) as counter, value), Selection((first, second), int(number), span):
            step, leave = (second, first) if len(first) == 1 else (first, second)
            low = constant(value)
            last = last_value(counter, step)
            is_local = counter.variable.owner is not None and counter.path[0].index is None
            if leave != (Break(number),) or low is None or last is None or not is_local:
                return None
            numbers = values_between(low, *last)
            if numbers is None or numbers[-1] > HIGHEST.get(counter.last.type.kind, -1):
                return None
            options = [(Assignment(counter, Constant(n, span), span),) for n in sorted(numbers)]
            return Selection(tuple(options), None, span)
        case _:
            return None


def last_value(counter: Reference, step: tuple[Statement, ...]) -> tuple[int, int] | None:
    """How far one round after the other counts, and in which direction."""
    match step:
        case Guard(Binary(sign, left, right)), Assignment(target, Binary(plus, operand, Constant(1))):
            bound = constant(right)
            if target != counter or operand != counter or left != counter or bound is None:
                return None
            limits = UP if plus == "+" else DOWN if plus == "-" else {}
            return (bound + limits[sign], PLUS if plus == "+" else MINUS) if sign in limits else None
        case _:
            return None


UP = {"<": 0, "<=": 1, "!=": 0}
DOWN = {">": 0, ">=": -1, "!=": 0}


def values_between(low: int, last: int, way: int) -> list[int] | None:
    """The values that a counter may have, if there are few and it stops at the last one."""
    numbers = list(range(low, last + way, way))
    return sorted(numbers) if 0 < len(numbers) <= MOST_OPTIONS and min(numbers) >= 0 else None


def constant(e: Expression) -> int | None:
    """The value of an expression of plain numbers."""
    match e:
        case Constant(value):
            return value
        case Binary("+" | "-" | "*" as sign, left, right):
            a, b = constant(left), constant(right)
            if a is None or b is None:
                return None
            return a + b if sign == "+" else a - b if sign == "-" else a * b
        case _:
            return None
