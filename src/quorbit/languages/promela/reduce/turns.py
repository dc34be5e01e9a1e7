"""Turns that are passed on by statements, written as the one assignment they are.

`if :: turn == N-1 -> turn = 0 :: else -> turn++ fi` and `turn++; if :: turn == N -> turn = 0 :: else fi` are, inside of
`atomic` or `d_step`, what others write as `turn = (turn == N-1 -> 0 : turn+1)`.  Nobody sees the variable on the way,
and as one assignment it is seen to be a step round a ring (identities/steps.py).

Short names: x the variable that holds the turn.
"""

from __future__ import annotations

from quorbit.languages.promela.parse.program import (
    Assignment,
    Binary,
    Conditional,
    Constant,
    Else,
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
from quorbit.languages.promela.reduce.choices import HIGHEST, constant
from quorbit.source.frozen import replace

__all__ = ["write_turns"]

Body = tuple[Statement, ...]
UNSIGNED = (Kind.BIT, Kind.BYTE, Kind.PID)


def write_turns(program: Program) -> Program:
    """The program with the turns of its processes passed on by one assignment each."""
    proctypes = tuple(
        replace(p, body=in_order(p.body, False)) if p.role in {"proctype", "init"} else p for p in program.proctypes
    )
    return program if proctypes == program.proctypes else replace(program, proctypes=proctypes)


def in_order(body: Body, held: bool) -> Body:
    """The statements of a sequence; ``held``: nobody interrupts it."""
    found: list[Statement] = []
    for statement in body:
        written = (passed_on(statement) or statement) if held else statement
        after = passed_on_after(found[-1], statement) if held and found else None
        if after is not None:
            found[-1] = after
        else:
            found.append(inside(written, held))
    return tuple(found)


def inside(statement: Statement, held: bool) -> Statement:
    match statement:
        case Selection(options):
            return replace(statement, options=tuple(in_order(option, held) for option in options))
        case Sequence(how, body):
            return replace(statement, body=in_order(body, held or how != ""))
        case Labelled(body=body):
            return replace(statement, body=inside(body, held))
        case _:
            return statement


def passed_on(statement: Statement) -> Assignment | None:
    """`if :: x == C -> x = A :: else -> x++ fi` as one assignment, whichever of the two counts."""
    if (found := cases_of(statement)) is None:
        return None
    test, then, other = found
    if len(then) != 1 or len(other) != 1 or not isinstance(x := compared(test), Reference):
        return None
    first, second = value_given(x, then[0]), value_given(x, other[0])
    if first is None or second is None or sorted((is_step(x, first), is_step(x, second))) != [False, True]:
        return None
    return Assignment(x, Conditional(test, first, second, statement.span), statement.span)


def passed_on_after(before: Statement, statement: Statement) -> Assignment | None:
    """`x++; if :: x == C -> x = A :: else fi` as one assignment.

    Where x + 1 does not fit, what is compared is not what x would hold; it must make no difference."""
    found = cases_of(statement)
    if found is None or not isinstance(before, Assignment) or not is_step(before.target, before.value, "+"):
        return None
    x, (test, then, other) = before.target, found
    again = value_given(x, then[0]) if len(then) == 1 else None
    if compared(test) != x or other or again is None or (first := constant(again)) is None:
        return None
    assert isinstance(test, Binary)
    bound, highest = constant(test.right), HIGHEST.get(x.last.type.kind, 0)
    wraps_alike = test.operator == "==" or (first == 0 and x.last.type.kind in UNSIGNED)
    if bound is None or not 0 < bound <= highest or test.operator not in {"==", ">=", ">"} or not wraps_alike:
        return None
    asked = replace(test, left=before.value)
    return Assignment(x, Conditional(asked, again, before.value, statement.span), statement.span)


def cases_of(statement: Statement) -> tuple[Expression, Body, Body] | None:
    """The condition of an `if` with `else`, and what is done in either case, without what does nothing."""
    match statement:
        case Selection(((Guard(test), *then), (Else(), *other)), None) | Selection(
            ((Else(), *other), (Guard(test), *then)), None
        ):
            return test, without_skips(then), without_skips(other)
        case _:
            return None


def without_skips(body: list[Statement]) -> Body:
    return tuple(
        s for s in body if not (isinstance(s, Guard) and isinstance(s.condition, Constant) and s.condition.value)
    )


def compared(test: Expression) -> Expression | None:
    """What a condition compares with a constant."""
    match test:
        case Binary("==" | "!=" | "<" | "<=" | ">" | ">=", left, right) if constant(right) is not None:
            return left
        case _:
            return None


def value_given(x: Reference, statement: Statement) -> Expression | None:
    """The constant or the next number that a statement gives x."""
    match statement:
        case Assignment(target, value) if target == x and (constant(value) is not None or is_step(x, value)):
            return value
        case _:
            return None


def is_step(x: Reference, value: Expression, *signs: str) -> bool:
    match value:
        case Binary(sign, left, Constant(1)):
            return left == x and sign in (signs or ("+", "-"))
        case _:
            return False
