"""Murphi's grammar: what is read, in which dialect, and how mistakes are told."""

from __future__ import annotations

import pytest

from quorbit.languages.murphi.parse.cursor import Cursor, read_tokens
from quorbit.languages.murphi.parse.expressions import parse_expression
from quorbit.languages.murphi.parse.program import parse
from quorbit.languages.murphi.syntax.program import (
    Choose,
    Claim,
    For,
    If,
    PropertyRule,
    Ruleset,
    SimpleRule,
    StartState,
    Switch,
    While,
)
from quorbit.languages.murphi.syntax.terms import Binary, Expression, Quantified, Unary
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def expression(text: str) -> Expression:
    source = Source("<text>", text)
    return parse_expression(Cursor(source, read_tokens(source)))


def test_negation_binds_more_loosely_than_comparison() -> None:
    e = expression("!a = b & c")
    assert isinstance(e, Binary)
    assert e.operator == "&"
    assert isinstance(e.left, Unary)
    assert isinstance(e.left.operand, Binary)


@pytest.mark.parametrize(
    ("text", "operator"), [("a -> b | c", "->"), ("a | b & c", "|"), ("a + 1 < b * 2", "<"), ("a - b - c", "-")]
)
def test_outermost_operator(text: str, operator: str) -> None:
    e = expression(text)
    assert isinstance(e, Binary)
    assert e.operator == operator


def test_keywords_in_any_case_and_both_comments() -> None:
    program = parse(Source("m", "VAR x : Boolean; -- a\n/* b */ STARTSTATE Begin x := FALSE; END;\nRule x ==> End;"))
    assert [type(rule) for rule in program.rules] == [StartState, SimpleRule]


def test_rules_with_and_without_conditions() -> None:
    program = parse(
        Source(
            "m",
            'rule "a" x = 1 ==> begin x := 2; end; rule "b" begin x := 1; end; rule "c" x := 0; end;'
            ' ruleset i : T; j : 0 .. 3 do rule i = j ==> end; end; choose m : net do rule "d" end end',
        )
    )
    guards = [rule.guard for rule in program.rules if isinstance(rule, SimpleRule)]
    assert [guard is not None for guard in guards] == [True, False, False]
    assert isinstance(program.rules[3], Ruleset)
    assert len(program.rules[3].quantifiers) == 2
    assert isinstance(program.rules[4], Choose)


def test_statements() -> None:
    text = """rule begin
      if a then b := 1; elsif c then d := 2; else e := 3; end;
      switch x case A, B: y := 1; case C: else z := 1; endswitch;
      for i := 0 to 7 by 2 do a[i] := 0; endfor
      while a do a := false; end;
      assert x = 1 "message";
    end;"""
    (rule,) = parse(Source("m", text)).rules
    assert isinstance(rule, SimpleRule)
    assert [type(statement) for statement in rule.body] == [If, Switch, For, While, Claim]


def test_rumur_words_are_names_for_cmurphi() -> None:
    program = parse(Source("m", 'var cover : 0 .. 1; rule begin cover := 1; end; cover "hit" cover = 1; liveness x'))
    kinds = [rule.kind for rule in program.rules if isinstance(rule, PropertyRule)]
    assert kinds == ["cover", "liveness"]


def test_signs_of_mathematics_and_smart_quotes() -> None:
    (rule,) = parse(Source("m", "invariant “all” ∀ i : T do x ≤ 3 ∧ ¬y → z ≠ 1 end")).rules
    assert isinstance(rule, PropertyRule)
    assert rule.name == "all"
    assert isinstance(rule.condition, Quantified)


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("var x : 0 ..", "expected an expression, found the end of the file", 1),
        ("rule x = 1\n  y := 2; end; rule z ==> end;", "expected '==>' after the condition of a rule", 2),
        ("rule begin\n  if a then b := 1;", "expected a statement, found the end of the file", 2),
        ("var end : boolean;", "expected a declaration", 1),
        ('rule "a\n', "this text is not closed", 1),
        ("/* never closed", "this comment is not closed", 1),
        ("type t : 0.5 .. 1;", "real numbers are not supported", 1),
    ],
)
def test_mistakes(text: str, message: str, line: int) -> None:
    with pytest.raises(UserError) as caught:
        parse(Source("m", text))
    assert caught.value.message.startswith(message)
    assert caught.value.span.line == line
