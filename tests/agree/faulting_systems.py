"""Random small Systems whose guards and invariants often cannot be evaluated: an index leaves its array, a divisor is
zero; for partial-order reduction, since an error of a guard may happen where its command cannot run."""

from __future__ import annotations

from random import Random

from quorbit.model.system.command import Command, Require, Step, assign
from quorbit.model.system.expression import (
    TRUE,
    Apply,
    Condition,
    Expr,
    Operator,
    Read,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Assertions, Atom, Invariant, NoDeadlock, System, Variable
from quorbit.model.system.types import Number

O = Operator
X, Y = Read("x"), Read("y")


def faulting_system(seed: int) -> System:
    r = Random(seed)
    atoms = tuple(range(r.choice((2, 2, 3))))
    commands = tuple(c for a in atoms for at in range(2) for c in steps_of(r, a, at))
    invariants = (Invariant("i", r.choice((claim, compound, sober, sober))(r)),) if r.random() < 0.7 else ()
    variables = (
        Variable("pc", Number(0, 2), (atoms,)),
        Variable("x", Number(0, 2)),
        Variable("y", Number(0, 2)),
        Variable("a", Number(0, 1), (), (2,)),
    )
    start = Command("start", TRUE, (assign((X, number(r.randrange(3))), (Y, number(r.randrange(1, 3)))),))
    properties = (NoDeadlock(), Assertions(), *invariants)
    named = tuple(Atom(f"P{a}", "process") for a in atoms)
    return System("faulting", named, variables, commands, properties=properties, start=(start,))


def steps_of(r: Random, a: int, at: int) -> list[Command]:
    here = Read("pc", (atom(a),))
    found = []
    for _ in range(r.choice((1, 1, 2))):
        asked = [r.choice((plain, plain, risky, compound, compound))(r) for _ in range(r.randrange(3))]
        effect: list[Step] = [assign((here, number(r.choice((at, at + 1, at + 1)))), *r.choice(((), (change(r),))))]
        if r.random() < 0.2:
            effect.insert(0, Require(claim(r), "asserted"))
        found.append(
            Command(f"{a}.{at}", conjunction([equal(here, number(at)), *asked]), tuple(effect), (), (atom(a),))
        )
    return found


def change(r: Random) -> tuple[Read, Expr]:
    place = r.choice((X, Y, Read("a", (), (number(r.randrange(2)),))))
    return place, number(r.randrange(2 if place.variable == "a" else 3))


def plain(r: Random) -> Expr:
    e = equal(r.choice((X, Y)), number(r.randrange(3)))
    return r.choice((e, negation(e)))


def risky(r: Random) -> Expr:
    """Without a value where x or y is 2, or 0."""
    place = r.choice((X, Y))
    element = equal(Read("a", (), (place,)), number(r.randrange(2)))
    quotient = equal(Apply(O.DIVIDE, (number(2), place)), number(r.randrange(1, 3)))
    return r.choice((element, quotient, negation(element), negation(quotient)))


def claim(r: Random) -> Expr:
    return r.choice((plain, risky))(r)


def compound(r: Random) -> Expr:
    first, second = plain(r), claim(r)
    one = Apply(r.choice((O.AND, O.OR)), (first, second))
    return r.choice((one, Condition(first, second, TRUE), Condition(first, second, plain(r)), negation(one)))


def sober(r: Random, depth: int = 2) -> Expr:
    """What always has a value."""
    if depth == 0:
        return r.choice((plain(r), equal(Read("pc", (atom(r.randrange(2)),)), number(r.randrange(3)))))
    first, second = sober(r, depth - 1), sober(r, depth - 1)
    one = Apply(r.choice((O.AND, O.OR)), (first, second))
    return r.choice((one, Condition(first, second, TRUE), negation(one)))
