"""Priorities, associativity, all forms of formulas and substitutions; printing and parsing again."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.languages.b.meaning.query import parse_text
from quorbit.languages.b.syntax import substitutions as sub
from quorbit.languages.b.syntax.formulas import (
    Apply,
    Binary,
    Binder,
    Builtin,
    Comprehension,
    Conditional,
    Field,
    Formula,
    Junction,
    LetIn,
    Name,
    Number,
    Quantifier,
    Record,
    SequenceOf,
    SetOf,
    Text,
    Unary,
)
from quorbit.languages.b.syntax.parse_machine import parse_machine
from quorbit.languages.b.syntax.show import show, show_substitution
from quorbit.languages.b.syntax.spelling import ARROWS, COMPARISONS, SET_OPERATORS
from quorbit.source.errors import UserError
from quorbit.source.span import NOWHERE, Source

N = NOWHERE


@pytest.mark.parametrize(
    ("text", "bracketed"),
    [
        ("a & b or c & d", "((a & b) or c) & d"),
        ("a => b => c", "(a => b) => c"),
        ("a = b <=> c = d & e = f", "((a = b) <=> (c = d)) & (e = f)"),
        ("a & b => c or d", "(a & b) => (c or d)"),
        ("x /= a \\/ b", "x /= (a \\/ b)"),
        ("f : A --> B +-> C", "f : ((A --> B) +-> C)"),
        ("a |-> b |-> c", "(a |-> b) |-> c"),
        ("a \\/ b /\\ c", "(a \\/ b) /\\ c"),
        ("a |-> b \\/ c", "(a |-> b) \\/ c"),
        ("1 .. n + 1", "1 .. (n + 1)"),
        ("a - b - c", "(a - b) - c"),
        ("a + b * c", "a + (b * c)"),
        ("a * b / c mod d", "((a * b) / c) mod d"),
        ("a ** b ** c", "a ** (b ** c)"),
        ("-a ** b", "(-a) ** b"),
        ("-a * b", "(-a) * b"),
        ("a <| r |> b <+ s", "((a <| r) |> b) <+ s"),
        ("s <- a ^ t", "(s <- a) ^ t"),
        ("r~[s](x)'f", "(((r~)[s])(x))'f"),
        ("a : b..c", "a : (b..c)"),
        ("(a ; b || c)", "((a ; b) || c)"),
        ("not a = b & c = d", "not(a = b) & (c = d)"),
    ],
)
def test_priorities(text: str, bracketed: str) -> None:
    assert parse_text(text) == parse_text(bracketed)


def test_brackets_change_the_tree() -> None:
    assert parse_text("a - (b - c)") != parse_text("a - b - c")
    assert parse_text("(a ** b) ** c") != parse_text("a ** b ** c")


def names() -> st.SearchStrategy[Name]:
    return st.sampled_from(["a", "b", "x1", "m.y"]).map(lambda n: Name(N, n))


def formulas() -> st.SearchStrategy[Formula]:
    leaves = st.one_of(
        names(),
        st.integers(-5, 50).map(lambda n: Number(N, n)),
        st.sampled_from(["TRUE", "NAT", "BOOL", "MAXINT", "succ", "btrue"]).map(lambda n: Builtin(N, n)),
        st.sampled_from(["", 'q"', "a\\b\n"]).map(lambda t: Text(N, t)),
        names().map(lambda n: Name(N, n.name, old=True)),
    )
    return st.recursive(leaves, larger, max_leaves=12)


CONNECTIVES = ["=>", "<=>", "..", "+", "-", "\\", "*", "/", "mod", "**", ";", "||", "[]", "prj1", "iterate"]
BINARY = [*sorted(COMPARISONS | ARROWS | SET_OPERATORS), *CONNECTIVES]


def larger(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    bound = st.lists(
        st.sampled_from("pqr").map(lambda n: Name(N, n)), min_size=1, max_size=3, unique_by=lambda n: n.name
    )
    some = st.lists(inner, max_size=3).map(tuple)
    fields = st.dictionaries(st.sampled_from(["f", "g"]), inner, min_size=1).map(lambda d: tuple(sorted(d.items())))
    return st.one_of(
        st.builds(lambda op, a, b: Binary(N, op, a, b), st.sampled_from(BINARY), inner, inner),
        st.builds(lambda op, a: Unary(N, op, a), st.sampled_from(["card", "POW", "~", "not", "bool", "conc"]), inner),
        inner.filter(lambda f: not (isinstance(f, Number) and f.value >= 0)).map(lambda a: Unary(N, "-", a)),
        st.builds(junction, st.sampled_from(["&", "or"]), st.lists(inner, min_size=2, max_size=3)),
        st.builds(lambda f, a: Apply(N, f, tuple(a)), inner, st.lists(inner, min_size=1, max_size=2)),
        some.map(lambda i: SetOf(N, i)),
        some.map(lambda i: SequenceOf(N, i)),
        st.builds(lambda n, p: Comprehension(N, tuple(n), p), bound, inner),
        st.builds(lambda op, n, p: Quantifier(N, op, tuple(n), p), st.sampled_from("!#"), bound, inner),
        st.builds(
            lambda op, n, p, b: Binder(N, op, tuple(n), p, b),
            st.sampled_from(["%", "SIGMA", "INTER"]),
            bound,
            inner,
            inner,
        ),
        st.builds(lambda op, f: Record(N, op, f), st.sampled_from(["rec", "struct"]), fields),
        inner.map(lambda r: Field(N, r, "f")),
        st.builds(lambda a, b, c: Conditional(N, a, b, c), inner, inner, inner),
        st.builds(lambda n, a, b: LetIn(N, tuple(n), a, b), bound, inner, inner),
    )


def junction(op: str, items: list[Formula]) -> Formula:
    """As the parser joins them: a junction of the same kind in the first place is opened."""
    first, *rest = items
    opened = first.items if isinstance(first, Junction) and first.op == op else (first,)
    return Junction(N, op, (*opened, *rest))


@given(formulas())
@settings(max_examples=150)
def test_printed_formulas_parse_to_themselves(f: Formula) -> None:
    assert parse_text(show(f)) == f


@pytest.mark.soak
@given(formulas())
@settings(max_examples=5000)
def test_printed_formulas_parse_to_themselves_soak(f: Formula) -> None:
    assert parse_text(show(f)) == f


SUBSTITUTIONS = [
    "skip",
    "x := 1",
    "x, f(y), r'a := 1, 2, 3",
    "x :: S",
    "x, y :: S * T",
    "x : (x > x$0 & x < 9)",
    "op",
    "op(a, b)",
    "r, s <-- m.op(a)",
    "BEGIN x := 1; y := 2 || z := 3 END",
    "PRE x = 1 THEN skip END",
    "ASSERT x = 1 THEN skip END",
    "CHOICE x := 1 OR x := 2 OR skip END",
    "IF a = b THEN skip ELSIF c = d THEN x := 1 ELSE x := 2 END",
    "IF a = b THEN skip END",
    "SELECT a = b THEN skip WHEN c = d THEN x := 1 ELSE x := 2 END",
    "CASE x OF EITHER 1, 2 THEN skip OR 3 THEN x := 1 ELSE x := 2 END END",
    "ANY x, y WHERE x : S & y : T THEN z := x END",
    "LET x BE x = 1 IN z := x END",
    "VAR a, b IN a := 1; b := a END",
    "WHILE x < 3 DO x := x + 1 INVARIANT x : NAT VARIANT 3 - x END",
]


def parse_substitution(text: str) -> sub.Substitution:
    machine = parse_machine(Source("t", f"MACHINE m OPERATIONS o = {text} END"))
    return machine.operations[0].body


@pytest.mark.parametrize("text", SUBSTITUTIONS)
def test_printed_substitutions_parse_to_themselves(text: str) -> None:
    body = parse_substitution(text)
    assert parse_substitution(show_substitution(body)) == body


def test_parallel_binds_tighter_than_sequence() -> None:
    body = parse_substitution("BEGIN a := 1; b := 2 || c := 3; d := 4 END")
    assert isinstance(body, sub.Sequence)
    assert [type(p) for p in body.parts] == [sub.Assign, sub.Parallel, sub.Assign]


def test_definitions_of_three_kinds_are_told_apart() -> None:
    text = """MACHINE m DEFINITIONS
      e == x + 1; p == x = 1; q(a, b) == a : b & b /= {}; s == x := 1; t == BEGIN x := 1; y := 2 END;
      u(v) == v : (v > 1); w == IF x = 1 THEN skip END; c == IF x = 1 THEN 2 ELSE 3 END; i == op(1); z == "text";
      l == LET k BE k = 1 IN x := k END
    END"""
    machine = parse_machine(Source("t", text))
    formulas_first = {d.name: isinstance(d.body, Formula) for d in machine.definitions}
    assert formulas_first == {
        "e": True, "p": True, "q": True, "s": False, "t": False, "u": False, "w": False, "c": True, "i": True,
        "z": True, "l": False,
    }  # fmt: skip


@pytest.mark.parametrize("text", ["(" * 100_000 + "x" + ")" * 100_000, "not(" * 5_000, "{" * 5_000, "-" * 5_000])
def test_deep_nesting_is_a_located_error(text: str) -> None:
    with pytest.raises(UserError) as caught:
        parse_text(text)
    assert "nested" in caught.value.message
    assert caught.value.span.column > 1


def test_long_chains_are_no_problem() -> None:
    assert isinstance(parse_text(" & ".join(["a = b"] * 1200)), Junction)
    with pytest.raises(UserError, match="in a row"):
        parse_text("+".join(["a"] * 10_000))


def test_long_statement_nesting_is_a_located_error() -> None:
    with pytest.raises(UserError, match="nested"):
        parse_substitution("BEGIN " * 50_000)
