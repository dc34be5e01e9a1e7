"""Event-B's mathematical language: what a text means, in Unicode and in ASCII, and what is said where it is wrong."""

from __future__ import annotations

import pytest

from quorbit.languages.b.eventb.parse import parse_action, parse_expression, parse_predicate
from quorbit.languages.b.syntax.show import show, show_substitution
from quorbit.source.errors import UserError
from quorbit.source.span import Source, Span


def span(text: str) -> Span:
    return Span(Source("f", text), 0, len(text))


@pytest.mark.parametrize(
    ("unicode", "ascii", "b"),
    [
        ("x ↦ y ∈ S × T", "x |-> y : S ** T", "x |-> y : S * T"),
        ("f ∈ S → T ∪ U", "f : S --> T \\/ U", "f : S --> T \\/ U"),
        ("f ∈ S ⇸ (T ↔ U)", "f : S +-> (T <-> U)", "f : S +-> (T <-> U)"),
        ("a ∧ b = c" if False else "p = q ∧ r ≠ s", "p = q & r /= s", "p = q & r /= s"),
        ("¬ x ∈ S", "not x : S", "not(x : S)"),
        ("¬(x ∈ S ∨ y ∉ S)", "not(x : S or y /: S)", "not(x : S or y /: S)"),
        ("∀x·x ∈ S ⇒ (∃y·y = x)", "!x.x : S => (#y.y = x)", "!(x).(x : S => #(y).(y = x))"),
        ("(x + 1) ∗ 2 = 4", "(x + 1) * 2 = 4", "(x + 1) * 2 = 4"),
        ("−x + 1 ≤ 3 − y", "-x + 1 <= 3 - y", "-x + 1 <= 3 - y"),
        ("2 ^ n ÷ 2 mod 3 = 1", "2 ^ n / 2 mod 3 = 1", "2 ** n / 2 mod 3 = 1"),
        ("{x · x ∈ S ∣ x} = S", "{x . x : S | x} = S", "{x | x : S} = S"),
        ("{x · x ∈ S ∣ x + 1} = S", "{x . x : S | x + 1} = S", "ran(%(x).(x : S | x + 1)) = S"),
        ("{x ↦ y ∣ x ∈ y} = r", "{x |-> y | x : y} = r", "{x, y | x : y} = r"),
        ("(λx·x ∈ S ∣ x + 1)(3) = 4", "(%x.x : S | x + 1)(3) = 4", "%(x).(x : S | x + 1)(3) = 4"),
        ("f = (λx ↦ y·x ∈ y ∣ x)", "f = (%x |-> y.x : y | x)", "f = %(x, y).(x : y | x)"),
        ("finite(S)", "finite(S)", "S : FIN(S)"),
        ("partition(S, {a}, {b})", "partition(S, {a}, {b})", "S = {a, b} & a /= b"),
        ("partition(S, A, B)", "partition(S, A, B)", "S = A \\/ B & A /\\ B = {}"),
        ("r∼[S] ⊆ dom(r ; s)", "r~[S] <: dom(r ; s)", "r~[S] <: dom(r ; s)"),
        ("s ∘ r = t", "s circ r = t", "(r ; s) = t"),
        ("S ◁ id = r", "S <| id = r", "id(S) = r"),
        ("bool(x = 1) = TRUE", "bool(x = 1) = TRUE", "bool(x = 1) = TRUE"),
        ("∅ ⦂ ℙ(S) = T", "({} oftype POW(S)) = T", "{} = T"),
        ("x ∈ ℕ1 ∧ y ∈ ℤ", "x : NAT1 & y : INT", "x : NATURAL1 & y : INTEGER"),
        ("(⋃x·x ∈ S ∣ f(x)) = T", "(UNION x.x : S | f(x)) = T", "UNION(x).(x : S | f(x)) = T"),
        ("f ∈ S ⤖ T ∧ g ∈ S \ue100 T", "f : S >->> T & g : S <<-> T", "f : S >->> T & g : S <<-> T"),
        ("f \ue103 {x ↦ y} = g", "f <+ {x |-> y} = g", "f <+ {x |-> y} = g"),
        ("⊤ ∨ ⊥", "true or false", "btrue or bfalse"),
        ("x ∈ 1 ‥ n + 1", "x : 1 .. n + 1", "x : 1 .. n + 1"),
    ],
)
def test_predicates(unicode: str, ascii: str, b: str) -> None:
    assert show(parse_predicate(span(unicode))) == b
    assert parse_predicate(span(ascii)) == parse_predicate(span(unicode))


@pytest.mark.parametrize(
    ("text", "b"),
    [
        ("x ≔ x + 1", "x := x + 1"),
        ("x, y ≔ y, x", "x, y := y, x"),
        ("f(x) ≔ y", "f(x) := y"),
        ("x :∈ S ∖ {y}", "x :: S \\ {y}"),
        ("x :∣ x' > x", "x : (x > x$0)"),
        ("x,y :| x' = y & y' = x", "x, y : (x = y$0 & y = x$0)"),
        ("skip", "skip"),
    ],
)
def test_actions(text: str, b: str) -> None:
    assert show_substitution(parse_action(span(text))) == b


def test_maplets_bind_less_tightly_than_arrows() -> None:
    """x ↦ S → T is x ↦ (S → T), unlike in B."""
    assert show(parse_expression(span("x ↦ S → T"))) == "x |-> (S --> T)"


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("x = 1 ∧ y = 2 ∨ z = 3", 15, "need brackets beside each other"),
        ("x = 1 ⇒ y = 2 ⇒ z = 3", 15, "need brackets beside each other"),
        ("x = ", 5, "an expression is expected"),
        ("x + 1", 6, "a comparison is expected"),
        ("(x = 1", 7, "'\\)' is expected"),
        ("x = 1 y", 7, "should end here"),
        ("x = €", 5, "is not a symbol of Event-B"),
        ("{x, y ∣ x = y} = S", 1, "one expression"),
        ("∀·x = 1", 2, "an identifier is expected"),
        ("(" * 400 + "x" + ")" * 400 + " = 1", 150, "nested more than"),
    ],
)
def test_mistakes(text: str, column: int, message: str) -> None:
    with pytest.raises(UserError, match=message) as found:
        parse_predicate(span(text))
    assert abs(found.value.span.column - column) <= 1
