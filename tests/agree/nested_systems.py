"""Random small Systems whose commands have branches, loops and choices inside, and addresses that they change on the
way: for partial-order reduction, which has to know what any way through a command may do."""

from __future__ import annotations

from random import Random

from quorbit.model.system.command import Branch, Command, Loop, Pick, Require, Step, assign
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Bound,
    Condition,
    Expr,
    Fresh,
    Operator,
    Parameter,
    Read,
    Wrap,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Assertions, Atom, System, Variable
from quorbit.model.system.types import Number

O = Operator
X, Y, Z, N, T = (Read(name) for name in "xyznt")
SMALL = Number(0, 2)
ATOMS = (0, 1)


def nested_system(seed: int) -> System:
    r = Random(seed)
    variables = (
        *(Variable(name, SMALL) for name in "xyz"),
        Variable("n", SMALL),
        Variable("t", Number(0, 15)),
        Variable("a", SMALL, (), (3,)),
        Variable("used", Number(0, 1), (ATOMS,)),
    )
    commands = tuple(Command(f"c{k}", guard(r), steps(r, 2), (), ()) for k in range(r.choice((2, 3, 3))))
    start = tuple(assign((place, number(r.randrange(3)))) for place in (X, Y, Z))
    atoms = tuple(Atom(f"P{a}", "process") for a in ATOMS)
    starts = (Command("start", TRUE, start), Command("start", TRUE, start[:1]))
    return System("nested", atoms, variables, commands, properties=(Assertions(),), start=starts)


def guard(r: Random) -> Expr:
    return TRUE if r.random() < 0.6 else test(r)


def test(r: Random) -> Expr:
    e = equal(r.choice((X, Y, Z, element(r))), number(r.randrange(3)))
    return r.choice((e, negation(e)))


def element(r: Random) -> Read:
    return Read("a", (), (r.choice((X, Y, number(r.randrange(3)))),))


def value(r: Random) -> Expr:
    place = r.choice((X, Y, Z, element(r)))
    return r.choice((number(r.randrange(3)), number(r.randrange(3)), place, Condition(test(r), place, number(1))))


def steps(r: Random, depth: int) -> tuple[Step, ...]:
    return tuple(step(r, depth) for _ in range(r.choice((1, 1, 2))))


def step(r: Random, depth: int) -> Step:
    kind = r.randrange(10) if depth > 0 else r.randrange(5)
    if kind < 3:
        return assign((r.choice((X, Y, Z, element(r))), value(r)))
    if kind == 3:
        more = r.choice((number(1), number(3), X, T))
        return assign((T, Wrap(Apply(O.ADD, (T, more)), 4, False)))
    if kind == 4:
        return r.choice((Require(test(r), "asserted"), assign((T, number(r.randrange(2))))))
    if kind < 8:
        return Branch(test(r), steps(r, depth - 1), r.choice(((), steps(r, depth - 1))))
    if kind == 8:
        less = assign((N, Apply(O.SUBTRACT, (N, number(1)))))
        ends = conjunction([negation(equal(N, number(0))), r.choice((TRUE, test(r)))])
        return Branch(TRUE, (assign((N, number(2))), Loop(ends, (*steps(r, depth - 1), less), 3)))
    v = Bound("v")
    place = Read("used", (v,))
    body = (assign((place, number(1)), (r.choice((X, Y)), Condition(equal(v, atom(0)), number(0), number(2)))),)
    return Pick(Parameter("v", Fresh(ATOMS, equal(place, number(0)))), body)
