"""Generators from text, and what is said about wrong ones."""

from __future__ import annotations

import pytest
from sample_groups import group_of

from quorbit.groups.group import Group
from quorbit.groups.permutation import show
from quorbit.source.errors import UserError


@pytest.mark.parametrize(
    "text",
    [
        "(1 2),(3 4)(5 6 7)",
        " ( 1,2 ) ,\n(3, 4) (5,6,7) ",
        "(1 2);(3 4)(5 6 7);",
        "(1 2),,(3 4)(5 6 7),()",
        "(01 2),(3 4)(7 5 6)",
    ],
)
def test_forgiving_forms(text: str) -> None:
    assert group_of(text) == group_of("(1 2),(3 4)(5 6 7)")
    assert [show(g) for g in group_of(text).generators] == ["(1 2)", "(3 4)(5 6 7)"]


def test_the_degree_is_the_largest_point_or_given() -> None:
    assert group_of("(1 2)(9)").degree == 9
    assert group_of("(1 2)", 5).degree == 5
    assert group_of("()") == Group(0)


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ("", 1, "no generators"),
        (" \n ", 1, "no generators"),
        (",;", 1, "no generators"),
        ("(1 2),(2 3 2)", 12, "point 2 occurs twice"),
        ("(1 2)(2 3)", 7, "point 2 occurs twice"),
        ("(1 2", 1, "not closed"),
        ("(1 2),(3", 7, "not closed"),
        ("1 2)", 1, "outside a cycle"),
        ("(1 2))", 6, "does not close a cycle"),
        ("((1 2))", 2, "do not nest"),
        ("(1 x)", 4, "unexpected 'x'"),
        ("(1 -2)", 4, "unexpected '-'"),
        ("(1 ２)", 4, "unexpected"),
        ("(1; 2)", 3, "semicolon"),
        ("(0 1)", 2, "count from 1"),
        ("(1 1000001)", 4, "too large"),
        ("(1 " + "9" * 10000 + ")", 4, "too large"),
        ("(" * 100000, 2, "do not nest"),
    ],
)
def test_mistakes_are_located(text: str, column: int, message: str) -> None:
    with pytest.raises(UserError, match=message) as caught:
        group_of(text)
    assert caught.value.span.column == column
    assert "\n" in caught.value.render() or not text


def test_a_point_beyond_the_given_degree() -> None:
    with pytest.raises(UserError, match="point 7 is beyond the degree, 5") as caught:
        group_of("(1 2),(3 7)", 5)
    assert caught.value.span.column == 10


def test_the_line_is_told() -> None:
    with pytest.raises(UserError) as caught:
        group_of("(1 2),\n(3 3)")
    assert (caught.value.span.line, caught.value.span.column) == (2, 4)


def test_a_million_is_the_largest_point() -> None:
    assert group_of("(1 1000000)").degree == 10**6
