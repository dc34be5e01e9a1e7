"""Images in the order of what they are images of."""

from __future__ import annotations

from quorbit.detection.reasons.alongside import command_alongside, expression_alongside
from quorbit.model.system.command import Assign, Command, Together
from quorbit.model.system.expression import Apply, Expr, Operator, Read, number


def named(*names: str) -> tuple[Expr, ...]:
    return tuple(Read(name, (), ()) for name in names)


def test_what_stays_stands_where_it_stood() -> None:
    e, image = Apply(Operator.OR, named("a", "b", "c")), Apply(Operator.OR, named("b", "x", "a"))
    assert expression_alongside(e, image) == Apply(Operator.OR, named("a", "b", "x"))


def test_operands_inside_of_others() -> None:
    inner, moved = Apply(Operator.ADD, named("a", "b")), Apply(Operator.ADD, named("b", "a"))
    e, image = Apply(Operator.LESS, (inner, number(1))), Apply(Operator.LESS, (moved, number(2)))
    assert expression_alongside(e, image) == Apply(Operator.LESS, (inner, number(2)))


def test_order_that_counts_stays() -> None:
    e, image = Apply(Operator.LESS, named("a", "b")), Apply(Operator.LESS, named("b", "a"))
    assert expression_alongside(e, image) == image


def test_assignments_and_guards() -> None:
    a, b = (Read(name, (), ()) for name in "ab")
    guard, moved = Apply(Operator.AND, (a, b)), Apply(Operator.AND, (b, a))
    first, second = Assign(a, Apply(Operator.ADD, (a, b))), Assign(b, number(1))
    command = Command("c", guard, (Together((first, second)),))
    image = Command("c", moved, (Together((second, Assign(a, Apply(Operator.ADD, (b, a))))),))
    assert command_alongside(command, image) == command
