"""The parser of edge diagrams: what is read, and where complaints point."""

from __future__ import annotations

import pytest

from quorbit.languages.edges.cursor import Cursor
from quorbit.languages.edges.parse_diagram import parse
from quorbit.languages.edges.parse_expressions import parse_expression
from quorbit.languages.edges.syntax import Compared, Joined, Listed, Negated, Quantified
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def expression(text: str) -> object:
    return parse_expression(Cursor(Source("test", text)))


def test_precedence() -> None:
    node = expression("not a = 1 and b + 2 * c < 3 or d => e")
    assert isinstance(node, Joined)
    assert node.operator == "=>"
    disjunction = node.operands[0]
    assert isinstance(disjunction, Joined)
    assert disjunction.operator == "or"
    conjunction = disjunction.operands[0]
    assert isinstance(conjunction, Joined)
    negated, compared = conjunction.operands
    assert isinstance(negated, Negated)
    assert isinstance(compared, Compared)
    assert compared.span.text == "b + 2 * c < 3"


def test_implication_is_right_associative() -> None:
    node = expression("a => b => c")
    assert isinstance(node, Joined)
    assert node.operands[1].span.text == "b => c"


def test_quantifier_reaches_to_the_right() -> None:
    node = expression("forall j != i: s[j] = A or s[j] = B")
    assert isinstance(node, Quantified)
    assert node.condition is not None
    assert node.condition.span.text == "j != i"
    assert node.body.span.text == "s[j] = A or s[j] = B"


def test_chained_comparison_and_membership() -> None:
    node = expression("1 < i <= 3")
    assert isinstance(node, Compared)
    assert node.operators == ("<", "<=")
    assert isinstance(expression("s[j] not in {A, B}"), Listed)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a and b", "a && b"),
        ("a or b", "a ∨ b"),
        ("not a", "!a"),
        ("a != b", "a ≠ b"),
        ("forall j: s[j] = A", "∀ j: s[j] == A"),
        ("a => b", "a ⇒ b"),
    ],
)
def test_spellings(one: str, other: str) -> None:
    assert type(expression(one)) is type(expression(other))
    first, second = expression(one), expression(other)
    assert getattr(first, "operator", None) == getattr(second, "operator", None)


def test_statements_need_no_line_breaks() -> None:
    text = "processes 3 states A, B init A A -> B when #B = 0 do x := 1 as go; B -> A shared x: 0..3 = 2 deadlock ok"
    program, errors = parse(Source("test", text))
    assert errors == []
    assert [edge.label for edge in program.edges] == ["go", "B -> A"]
    assert program.variables[0].name.text == "x"
    assert len(program.deadlocks) == 1


def test_edge_from_any_state_is_no_product() -> None:
    program, errors = parse(Source("test", "processes 2 states A, error A -> error when #A = 2\n* -> A\nerror -> A"))
    assert errors == []
    assert [edge.label for edge in program.edges] == ["A -> error", "* -> A", "error -> A"]


def test_comments() -> None:
    program, errors = parse(
        Source("test", "// one\nprocesses 2 /* two\n lines */ states A // three\nA -> A when #A = 2")
    )
    assert errors == []
    assert len(program.edges) == 1


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("processes", 1, 10, "expected an expression"),
        ("states A,", 1, 10, "expected the name of a local state"),
        ("A ->", 1, 5, "expected the local state the edge leads to"),
        ("A -> B when", 1, 12, "expected an expression"),
        ("A -> B when (#A = 1", 1, 20, "expected )"),
        ("A -> B when #A = 1 when #B = 1", 1, 20, "a second when"),
        ("A -> B do 3 := 4", 1, 11, "expected the variable"),
        ("A -> B do x = 4", 1, 13, "expected :="),
        ("A -> B when @", 1, 13, "unexpected character"),
        ("shared x 3", 1, 10, "expected : and the type"),
        ("shared x: 3", 1, 12, "expected .. and the largest value"),
        ("class c", 1, 8, "expected [ and the number"),
        ("hello world", 1, 1, "'hello' is not a statement"),
        ("/* open", 1, 1, "this comment is not closed"),
        ('invariant "open: 3', 1, 11, "this text is not closed"),
        ("const c = 99999999999999999999", 1, 11, "this number is too large"),
        ("A -> B when forall j, k != i: true", 1, 25, "a condition stands after a single name"),
        ("property p:", 1, 12, "expected a formula"),
    ],
)
def test_complaints(text: str, line: int, column: int, message: str) -> None:
    _, errors = parse(Source("test", text))
    assert errors
    assert message in errors[0].message
    assert (errors[0].span.line, errors[0].span.column) == (line, column)


def test_goes_on_after_an_error() -> None:
    program, errors = parse(Source("test", "processes 2\nstates A, B\nA -> B when (\nB -> A\nstates +\nA -> A\n"))
    assert [error.span.line for error in errors] == [4, 5]
    assert [edge.span.line for edge in program.edges] == [6]


def test_deep_nesting_is_refused_with_a_place() -> None:
    with pytest.raises(UserError, match="levels deep") as caught:
        expression("(" * 100_000)
    assert caught.value.span.column == 40 + 1
