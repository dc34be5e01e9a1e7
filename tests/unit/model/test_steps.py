"""Steps inside steps: what branches, loops and free atoms mean, for every engine, and which steps have no order."""

from __future__ import annotations

import pytest

from quorbit.canon.layout import layout_of
from quorbit.detection.detect import detect
from quorbit.engines.explicit.explore import explore as explore_quickly
from quorbit.engines.reference.explore import explore as explore_slowly
from quorbit.groups.chain import order
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.commuting import Commuting
from quorbit.model.meaning.evaluate import FAULTS
from quorbit.model.meaning.partial import Faults
from quorbit.model.system.command import Branch, Command, Loop, Pick, Require, Step, assign
from quorbit.model.system.expression import (
    FALSE,
    TRUE,
    Apply,
    Atoms,
    Bound,
    Expr,
    Fresh,
    Operator,
    Parameter,
    Read,
    atom,
    conjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Assertions, Atom, System, Variable
from quorbit.model.system.types import NONE, TRUTH, Number

O = Operator
X, Y = Read("x"), Read("y")
ATOMS = (0, 1, 2)


def system(*effect: Step, parameters: tuple[Parameter, ...] = ()) -> System:
    """Two numbers and a flag for each of three atoms; one command."""
    variables = (Variable("x", Number(0, 4)), Variable("y", Number(0, 4)), Variable("b", TRUTH, (ATOMS,)))
    atoms = tuple(Atom(f"a{k}", "a") for k in ATOMS)
    return System("steps", atoms, variables, (Command("go", TRUE, effect, parameters),), properties=(Assertions(),))


def flag(owner: Expr) -> Read:
    return Read("b", (owner,))


def add(e: Expr, n: int) -> Expr:
    return Apply(O.MODULO, (Apply(O.ADD, (e, number(n))), number(5)))


FREE = Parameter("f", Fresh(ATOMS, negation(flag(Bound("f")))))
TAKE = Pick(FREE, (Require(negation(equal(Bound("f"), atom(NONE))), "full", FAULTS), assign((flag(Bound("f")), TRUE))))


BOTH = conjunction([equal(X, number(1)), Apply(O.LESS, (Y, number(3)))])  # Y is looked at only if X is 1


@pytest.mark.parametrize(
    ("effect", "states", "errors"),
    [
        ((Branch(equal(X, number(0)), (assign((X, number(2))),), (assign((Y, number(1))),)),), 3, 0),
        ((assign((X, add(X, 1))), Branch(equal(X, number(3)), (assign((X, number(0))),))), 3, 0),
        ((assign((Y, number(0))), Loop(Apply(O.LESS, (Y, number(3))), (assign((Y, add(Y, 1))),), 5)), 2, 0),
        ((Branch(BOTH, (assign((X, number(2))),)), assign((X, add(Y, 1)))), 2, 0),
        ((Loop(TRUE, (assign((Y, number(1))),), 7),), 1, 1),
        ((TAKE,), 4, 1),
        ((TAKE, TAKE), 2, 1),
    ],
)
def test_meaning(effect: tuple[Step, ...], states: int, errors: int) -> None:
    """States were counted by hand; searches go on after errors."""
    s = system(*effect)
    options = SearchOptions(all_errors=True)
    quick = explore_quickly(s, s.properties, None, layout_of(s), options, None)
    slow = explore_slowly(s, s.properties, None, options, None)
    for outcome in (quick, slow):
        assert (outcome.statistics.states, outcome.statistics.errors) == (states, errors)


def each(*then: tuple[Read, Expr]) -> tuple[Step, ...]:
    """For each atom in turn, if its flag is set: the assignments."""
    return tuple(Branch(flag(atom(a)), tuple(assign(t) for t in then)) for a in ATOMS)


SEEN = each((X, number(1)))  # whose flag is set, somebody's at all: in whichever order
COUNTED = each((X, add(X, 1)))


def gather(operator: O, last: int, *more: Expr) -> tuple[Step, ...]:
    """What the flags of the others say, in turn, goes into the flag of the last one."""
    target = flag(atom(last))
    others = [flag(atom(a)) for a in ATOMS if a != last]
    return tuple(assign((target, Apply(operator, (target, e, *more)))) for e in others)


def set_all(value: Expr) -> tuple[Step, ...]:
    return tuple(Branch(equal(X, number(1)), (assign((flag(atom(a)), value)),)) for a in ATOMS)


@pytest.mark.parametrize(
    ("effect", "levels"),
    [
        (set_all(TRUE), 1),
        ((*set_all(TRUE), assign((X, number(0)))), 2),
        (tuple(Branch(flag(atom(a)), (assign((X, add(X, a))),)) for a in ATOMS), 3),
        (SEEN, 1),
        ((*SEEN, assign((X, number(1)))), 1),
        ((*SEEN, assign((X, number(2)))), 2),
        ((*SEEN, assign((Y, X))), 2),
        (each((X, number(1)), (X, number(2))), 3),
        (COUNTED, 1),
        ((*COUNTED, assign((X, add(X, 2)))), 2),
        ((*COUNTED, assign((X, number(0)))), 2),
        ((*COUNTED, *each((Y, X))), 4),
        (each((X, add(X, 1)), (Y, add(X, 1))), 3),
        (each((X, number(1)), (Y, X)), 3),
        (gather(O.OR, 0), 1),
        (gather(O.AND, 2), 1),
        (gather(O.OR, 0, equal(Y, number(1))), 1),
        (gather(O.OR, 0, flag(atom(0))), 2),
        ((*gather(O.OR, 0), *gather(O.AND, 0)), 2),
        ((*gather(O.OR, 0), assign((flag(atom(0)), FALSE))), 2),
        ((*gather(O.OR, 0), *gather(O.OR, 1)), 2),
        (gather(O.OR, 0, equal(Apply(O.MODULO, (X, Y)), number(1))), 2),
        ((TAKE, TAKE), 1),
        ((TAKE, Branch(flag(atom(0)), (assign((X, number(1))),))), 2),
    ],
)
def test_levels(effect: tuple[Step, ...], levels: int) -> None:
    s = system(*effect)
    assert len(Commuting(s, Faults(s).may_fail, alike=True).levels(effect)) == levels


@pytest.mark.parametrize(
    ("effect", "expected"),
    [
        (set_all(TRUE), 6),
        (SEEN, 6),
        (tuple(Branch(flag(atom(a)), (assign((X, number(a))),)) for a in ATOMS), 1),
        ((TAKE,), 6),
    ],
)
def test_loops_over_atoms_keep_the_symmetry_if_their_order_is_not_seen(effect: tuple[Step, ...], expected: int) -> None:
    s = system(*effect, parameters=(Parameter("p", Atoms(ATOMS)),))
    assert order(detect(s, s.properties).group) == expected
