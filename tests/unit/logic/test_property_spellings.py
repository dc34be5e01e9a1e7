"""How formulas are read in each tool's spelling, with all brackets; the readings follow the tools' grammars.

VIS: ctlp.y gives, from loose to tight, U (not associative), ->, <->, ^, +, * (all to the left), the prefix operators,
!; U stands only between the brackets of A and E.  NuSMV: -> to the right, <->, | and xor, &, then U and V of LTL; the
U of E [f U g] takes whole formulas.  SPIN: -> and <-> alike, to the left, ||, &&, U V W, prefix operators.
"""

from __future__ import annotations

import pytest

from quorbit.logic.formulas.bracketed import bracketed
from quorbit.logic.formulas.parse import parse_formula
from quorbit.logic.formulas.spellings import NUSMV, SPIN, VIS, Dialect
from quorbit.source.errors import UserError

READINGS: list[tuple[Dialect, str, str]] = [
    (VIS, "E(p * q U r)", "E((p * q) U r)"),
    (VIS, "E(p -> q U r + s)", "E((p -> q) U (r + s))"),
    (VIS, "A(p ^ q U r <-> s)", "A(!(p <-> q) U (r <-> s))"),
    (VIS, "!E(p U q * r) + s", "!(E(p U (q * r))) + s"),
    (VIS, "E(p U E(q * r U s))", "E(p U E((q * r) U s))"),
    (VIS, "E(p * (q U r))", "E(p * (q U r))"),
    (VIS, "p -> q -> r", "(p -> q) -> r"),
    (VIS, "p <-> q <-> r", "(p <-> q) <-> r"),
    (VIS, "p -> q <-> r", "p -> (q <-> r)"),
    (VIS, "p ^ q + r * s", "!(p <-> (q + (r * s)))"),
    (VIS, "p + q ^ r", "!((p + q) <-> r)"),
    (VIS, "p * q + r * s", "(p * q) + (r * s)"),
    (VIS, "AG p * q", "A(G(p)) * q"),
    (VIS, "AG !p -> q", "A(G(!(p))) -> q"),
    (VIS, "! AX p * q", "!(A(X(p))) * q"),
    (VIS, "AG EF p -> EX:2(q) * r", "A(G(E(F(p)))) -> (E(X(E(X(q)))) * r)"),
    (VIS, "G p U q * r", "(G(p) U q) * r"),
    (VIS, "p U q U r", "(p U q) U r"),
    (VIS, "p * q R r", "p * (q R r)"),
    (VIS, "G(p * q U r)", "G(p * (q U r))"),
    (VIS, "A(G F p -> F q)", "A(G(F(p)) -> F(q))"),
    (NUSMV, "E [p & q U r]", "E((p && q) U r)"),
    (NUSMV, "A [p -> q U r | s] & t", "A((p -> q) U (r || s)) && t"),
    (NUSMV, "p -> q -> r", "p -> (q -> r)"),
    (NUSMV, "p -> q <-> r", "p -> (q <-> r)"),
    (NUSMV, "p & q U r", "p && (q U r)"),
    (NUSMV, "G p -> F q", "G(p) -> F(q)"),
    (NUSMV, "!p & q | r", "(!(p) && q) || r"),
    (NUSMV, "AG (p -> AF q) & r", "A(G(p -> A(F(q)))) && r"),
    (SPIN, "p -> q -> r", "(p -> q) -> r"),
    (SPIN, "p -> q <-> r", "(p -> q) <-> r"),
    (SPIN, "p && q U r || s", "(p && (q U r)) || s"),
    (SPIN, "[] p -> <> q U r", "G(p) -> (F(q) U r)"),
    (SPIN, "p U q V r W s", "((p U q) R r) W s"),
]


@pytest.mark.parametrize(("dialect", "text", "reading"), READINGS, ids=[f"{d.name} {t}" for d, t, _ in READINGS])
def test_reading(dialect: Dialect, text: str, reading: str) -> None:
    formula = parse_formula(text, dialect=dialect)
    assert bracketed(formula, dialect=dialect) == reading
    assert parse_formula(reading, dialect=dialect) == formula


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("AG(~E p U q)", "put brackets after E: write E(f U g)"),
        ("E (p) U q", "put brackets after E: write E(f U g)"),
        ("A(p U q U r)", "put brackets round one of U and U"),
        ("E(p U q", "this ( is not closed"),
    ],
)
def test_what_the_grammars_refuse(text: str, message: str) -> None:
    for dialect in (VIS, NUSMV):
        with pytest.raises(UserError) as caught:
            parse_formula(text, dialect=dialect)
        assert message in caught.value.render()
