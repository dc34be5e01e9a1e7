"""The formula parser: three spellings, the reader of propositions, carets under mistakes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quorbit.logic.formulas.parse import parse_formula, read_runs
from quorbit.logic.formulas.property_files import Stated, Unreadable, parse_each
from quorbit.logic.formulas.spellings import NUSMV, SPIN, VIS, Dialect
from quorbit.model.system.formula import Formula, Not, Proposition
from quorbit.model.system.formula_text import show
from quorbit.source.errors import UserError, raise_all
from quorbit.source.span import Source, Span


def parse_properties(text: str, dialect: Dialect = VIS) -> list[Stated]:
    """The formulas of a text, none of which is wrong."""
    found = parse_each(text, dialect=dialect)
    raise_all([d for each in found if isinstance(each, Unreadable) for d in each.error.diagnostics])
    return [each for each in found if isinstance(each, Stated)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("[](p -> <>q)", "[](p -> <>q)"),
        ("always (p implies eventually q)", "[](p -> <>q)"),
        ("p U q && r", "p U q && r"),
        ("p until q U r", "(p U q) U r"),
        ("p stronguntil q || a weakuntil b && c release d", "p U q || a W b && c V d"),
        ("a -> b -> c", "(a -> b) -> c"),
        ("a -> b <-> c", "(a -> b) <-> c"),
        ("a <-> b -> c", "(a <-> b) -> c"),
        ("[] a U b", "[]a U b"),
        ("a U b V c", "(a U b) V c"),
        ("a && b -> c || a", "a && b -> c || a"),
        ("a equivalent b", "a <-> b"),
        ("!p U !q", "!p U !q"),
        ("! [] <> X next p", "![]<>X X p"),
        ("a && b && (c && d)", "a && b && c && d"),
        ("a /\\ b \\/ c", "a && b || c"),
        ("[] x > 3", "[](x > 3)"),
        ("<> P[1]@cs && len(q) < 2", "<>P[1]@cs && (len(q) < 2)"),
        ("[](x + y * 2 != f(a && b))", "[](x + y * 2 != f(a && b))"),
        ("true U false", "true U false"),
        ("[] true == x", "[](true == x)"),
        ("/* why */ [] // all\n p", "[]p"),
        ("forall p: []<> in_cs[p]", "forall p: []<>in_cs[p]"),
        ("exists p, q in Client: <>c[p] && c[q]", "exists p in Client: exists q in Client: <>c[p] && c[q]"),
    ],
)
def test_spin_spelling(text: str, shown: str) -> None:
    assert show(parse_formula(text)) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("G (p -> F q)", "[](p -> <>q)"),
        ("p -> q -> r", "p -> (q -> r)"),
        ("a -> b <-> c", "a -> (b <-> c)"),
        ("G F a & G F b | c", "[]<>a && []<>b || c"),
        ("AG (req -> AF ack)", "A [](req -> A <>ack)"),
        ("E [p U q] & A[r U s]", "E (p U q) && A (r U s)"),
        ("A G F p", "A []<>p"),
        ("A [] p", "A []p"),
        ("p V q -- all of it", "p V q"),
        ("p R q xor r", "!(p V q <-> r)"),
        ("!(a = b) U x + 1 > 3", "!(a = b) U (x + 1 > 3)"),
    ],
)
def test_nusmv_spelling(text: str, shown: str) -> None:
    assert show(parse_formula(text, dialect=NUSMV)) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("AG(req=1 -> AF(ack=1))", "A []((req=1) -> A <>(ack=1))"),
        ("a * !b + c ^ d", "!(a && !b || c <-> d)"),
        ("AX:3(p)", "A X A X A X p"),
        ("EX:2 p * q", "E X E X p && q"),
        ("E(p U q) # so it is", "E (p U q)"),
        ("v[3:0]=b010 <-> w={A,B}", "(v[3:0]=b010) <-> (w={A,B})"),
    ],
)
def test_vis_spelling(text: str, shown: str) -> None:
    assert show(parse_formula(text, dialect=VIS)) == shown


def test_names_of_the_model_win() -> None:
    assert show(parse_formula("[] A[1]", is_name=lambda w: w == "A")) == "[]A[1]"
    assert parse_formula("G", is_name=lambda w: w == "G") == Proposition("G")
    with pytest.raises(UserError):
        parse_formula("U", is_name=lambda w: True)


def expression_reader(span: Span) -> tuple[Formula | str, int]:
    """A little language: names, `!`, brackets around && and ||, and one comparison of sums; no temporal operators."""
    text, end = span.source.text, span.end
    token = re.compile(r"\s*(&&|\|\||[()<>+!]|[a-z0-9]+)")

    def fail(at: int) -> UserError:
        return UserError(Span(span.source, at, at + 1), "expected an expression")

    def atom(at: int) -> int:
        m = token.match(text, at, end)
        if not m or m[1] in (")", "&&", "||", "<", ">", "+"):
            raise fail(at)
        if m[1] == "!":
            return atom(m.end())
        if m[1] == "(":
            at = boolean(m.end())
            m = token.match(text, at, end)
            if not m or m[1] != ")":
                raise fail(at)
        return m.end()

    def comparison(at: int) -> int:
        at = atom(at)
        while (m := token.match(text, at, end)) and m[1] in "<>+" and text[m.start(1) : m.start(1) + 2] != "<-":
            at = atom(m.end())
        return at

    def boolean(at: int) -> int:
        at = comparison(at)
        while (m := token.match(text, at, end)) and m[1] in ("&&", "||"):
            at = comparison(m.end())
        return at

    stop = comparison(span.start)
    return text[span.start : stop].strip(), stop


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("(a + 1) > b U c", "((a + 1) > b) U c"),
        ("[](a && b)", "[]((a && b))"),
        ("[](a U b)", "[](a U b)"),
        ("((a) U (b || c))", "((a)) U ((b || c))"),
        ("!a > 3", "(!a > 3)"),
        ("![]a", "![]a"),
        ("!(a U b)", "!(a U b)"),
    ],
)
def test_brackets_are_offered_to_the_reader_first(text: str, shown: str) -> None:
    assert show(parse_formula(text, expression_reader)) == shown


def test_reader_may_return_a_formula() -> None:
    formula = parse_formula("[] a", lambda span: (Not(Proposition("b")), span.end))
    assert show(formula) == "[]!b"


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("[](p -> )", "expected a proposition", 9),
        ("[](p -> q", "not closed", 3),
        ("p U", "ends where an operand", 4),
        ("p q)", "operator or the end", 4),
        ("(p U q] r", "operator or )", 7),
        ("AX:0 p", "number from 1", 3),
        ("AX:99999999999999999999 p", "number from 1", 3),
        ("\\m", "not defined", 1),
        ("forall p q", "expected :", 10),
        ("forall 3: q", "a variable", 8),
        ("", "ends where an operand", 1),
    ],
)
def test_mistakes_are_located(text: str, message: str, column: int) -> None:
    with pytest.raises(UserError, match=re.escape(message)) as caught:
        parse_formula(text)
    assert (caught.value.span.line, caught.value.span.column) == (1, column)


@pytest.mark.parametrize("text", ["(" * 100_000, "!" * 100_000 + "p", "[]" * 100_000, "p U " * 5_000 + "p"])
def test_deep_nesting_is_an_error_with_a_place(text: str) -> None:
    for reader in (None, expression_reader if text[0] == "p" else None):
        with pytest.raises(UserError, match="nested more than"):
            parse_formula(text, reader)


def test_macros_cannot_explode() -> None:
    text = "\\define m0 p;" + "".join(f"\\define m{i + 1} (\\m{i} -> \\m{i});" for i in range(100))
    with pytest.raises(UserError, match="macros written out"):
        parse_properties(text)


@given(st.text(alphabet="pq()[]<>!&|-*+^=UXAGE:;\\ 12{}", max_size=40), st.sampled_from([SPIN, NUSMV, VIS]))
@settings(max_examples=300)
def test_any_text_is_a_formula_or_an_error_with_a_place(text: str, dialect: Dialect) -> None:
    for parse in (parse_formula, parse_properties):
        span = span_of_mistake(lambda parse=parse: parse(text, dialect=dialect))
        assert span is None or 0 <= span.start <= span.end <= len(text)


def span_of_mistake(action: Callable[[], object]) -> Span | None:
    try:
        action()
    except UserError as error:
        return error.span
    return None


def test_long_conjunctions_are_flat() -> None:
    assert len(parse_formula(" && ".join(["p"] * 20_000)).operands) == 20_000  # type: ignore[union-attr]


def test_place_inside_a_larger_file() -> None:
    source = Source("m.pml", "ltl a {\n  [](p -> )\n}")
    with pytest.raises(UserError) as caught:
        parse_formula(Span(source, 7, 20))
    assert str(caught.value.span) == "m.pml:2:11"


def test_properties_with_macros() -> None:
    text = (
        "# file\n;\\define busy (a=1 + b=1)\n\\define idle !\\busy;\nAG(\\busy -> AF(\\idle)); ; # first\n\nEF(\\idle)"
    )
    found = parse_properties(text)
    assert [show(s.formula) for s in found] == [
        "A []((a=1) || (b=1) -> A <>!((a=1) || (b=1)))",
        "E <>!((a=1) || (b=1))",
    ]
    assert [s.span.line for s in found] == [4, 6]
    assert found[0].span.text == "AG(\\busy -> AF(\\idle))"
    with pytest.raises(UserError, match="expected an operator or ;"):
        parse_properties("AG(a) AG(b)")
    with pytest.raises(UserError, match="defined twice"):
        parse_properties("\\define a b; \\define a c;")


@pytest.mark.parametrize("seed", range(300))
def test_shown_formulas_parse_back(seed: int) -> None:
    text = show(random_formula(random.Random(seed), 4))
    for dialect in (SPIN, NUSMV):
        assert show(parse_formula(text, read_runs(), dialect)) == text


def random_formula(rng: random.Random, depth: int) -> Formula:
    from_text = ["{} U {}", "{} && {}", "{} || {}", "{} -> {}", "{} <-> {}", "{} W {}", "{} V {}"]
    prefix = ["!{}", "[]{}", "<>{}", "X {}", "A {}", "E {}", "forall i in S: {}"]

    def text(d: int) -> str:
        if d == 0 or rng.random() < 0.2:
            return rng.choice(["p", "q", "x > 3", "true"])
        return rng.choice(from_text + prefix).replace("{}", "({})").format(text(d - 1), text(d - 1))

    return parse_formula(text(depth))
