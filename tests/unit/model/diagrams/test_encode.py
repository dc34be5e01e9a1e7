"""Expressions as diagrams say in every state what their meaning says, and are refused where that is not known."""

from itertools import product

import pytest

from quorbit.bdd.open import is_installed, open_manager
from quorbit.model.diagrams.cases import Cases, Unsupported
from quorbit.model.diagrams.encode import Encoder
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.expression import (
    Apply,
    Atoms,
    Bound,
    Condition,
    Expr,
    Interval,
    NumberOf,
    Operator,
    Parameter,
    Quantifier,
    Quantify,
    Read,
    Use,
    Wrap,
    conjunction,
    disjunction,
    equal,
    negation,
    number,
)
from quorbit.model.system.system import Atom, Definition, System, Variable
from quorbit.model.system.types import TRUTH, AtomOf, Number, values

pytestmark = pytest.mark.skipif(not is_installed("oxidd"), reason="needs the BDD library oxidd")

ATOMS = (Atom("p", "process"), Atom("q", "process"))
X, FLAG, OWNER = Read("x"), Read("flag"), Read("owner")
SLOT = Read("slot", (), (X,))  # has two entries, x goes to 3
SYSTEM = System(
    "m",
    ATOMS,
    (
        Variable("x", Number(0, 3)),
        Variable("flag", TRUTH),
        Variable("owner", AtomOf((0, 1))),
        Variable("slot", TRUTH, (), (2,)),
        Variable("own", Number(0, 2), ((0, 1),)),
    ),
    (),
    definitions=(Definition("twice", Apply(Operator.ADD, (X, X))),),
)
EVERYWHERE = [
    Apply(Operator.ADD, (X, X, Read("own", (OWNER,)))),
    Condition(FLAG, X, number(7)),
    Wrap(Apply(Operator.SUBTRACT, (X, number(2))), 2, False),
    Use("twice", ()),
    NumberOf(OWNER, (0, 1), 5),
    Quantify(Quantifier.COUNT, Parameter("a", Atoms((0, 1))), equal(Read("own", (Bound("a"),)), number(2))),
    Quantify(Quantifier.SUM, Parameter("a", Atoms((0, 1))), Read("own", (Bound("a"),)), equal(Bound("a"), OWNER)),
    Quantify(Quantifier.SOME, Parameter("k", Interval(0, 3)), equal(X, Bound("k")), FLAG),
]
WHERE_LOOKED_AT = [
    conjunction([Apply(Operator.LESS, (X, number(2))), SLOT]),
    disjunction([Apply(Operator.LESS_EQUAL, (number(2), X)), negation(SLOT)]),
    Condition(Apply(Operator.LESS, (X, number(2))), SLOT, number(0)),
    Quantify(
        Quantifier.ALL,
        Parameter("k", Interval(0, 3)),
        Read("slot", (), (Bound("k"),)),
        Apply(Operator.LESS, (Bound("k"), number(2))),
    ),
]


def encoder(careful: bool) -> tuple[Encoder, dict[int, Cases]]:
    m = open_manager("oxidd", nodes=1 << 16)
    places: dict[int, Cases] = {}
    for i, place in enumerate(SYSTEM.places):
        listed = tuple(values(place.type))
        bits = [m.variable(v) for v in m.add_variables((len(listed) - 1).bit_length())]
        places[i] = {
            value: m.conjunction(b if k >> j & 1 else ~b for j, b in enumerate(bits)) for k, value in enumerate(listed)
        }
    return Encoder(m, SYSTEM, places.__getitem__, careful=careful), places


def assert_as_meant(e: Expr, careful: bool) -> None:
    found, places = encoder(careful)
    cases, meaning, m = found.cases(e), Meaning(SYSTEM), found.m
    for s in product(*(values(place.type) for place in SYSTEM.places)):
        here = m.conjunction(places[i][value] for i, value in enumerate(s))
        (value,) = [value for value, f in cases.items() if f & here != m.false]
        assert value == meaning.value_of(e)(s, {})


@pytest.mark.parametrize("careful", [False, True])
@pytest.mark.parametrize("e", EVERYWHERE)
def test_everywhere(e: Expr, careful: bool) -> None:
    assert_as_meant(e, careful)


@pytest.mark.parametrize("e", WHERE_LOOKED_AT)
def test_only_where_looked_at(e: Expr) -> None:
    assert_as_meant(e, careful=True)
    with pytest.raises(Unsupported):
        encoder(careful=False)[0].cases(e)


@pytest.mark.parametrize("careful", [False, True])
def test_what_may_be_undefined_is_refused(careful: bool) -> None:
    for e in (SLOT, Apply(Operator.DIVIDE, (number(4), X)), NumberOf(OWNER, (0,), 1)):
        with pytest.raises(Unsupported):
            encoder(careful)[0].cases(e)
