"""Broken machines: what is wrong is said with the place where it is wrong.

The place is marked by «» in the text; an empty mark stands before the wrong word.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.b.load import load
from quorbit.languages.options import LoadOptions
from quorbit.source.errors import UserError

HEAD = "MACHINE m SETS S; C = {red, green} VARIABLES x, s INVARIANT x : 0..3 & s <: S INITIALISATION x, s := 0, {}\n"

PARSE_ERRORS = [
    ("«»", "MACHINE expected"),
    ("«»VARIABLES x", "MACHINE expected"),
    ("MACHINE «»", "an identifier expected"),
    ("MACHINE m VARIABLES x«»", "END expected"),
    ("MACHINE m END «»END", "nothing may follow"),
    ("MACHINE m «»x END", "END expected or a clause"),
    ("MACHINE m VARIABLES x «VARIABLES» y END", "a second VARIABLES clause"),
    ("MACHINE m SETS S = {«»} END", "an identifier expected"),
    ("MACHINE m INVARIANT x = «»END", "an expression or predicate expected"),
    ("MACHINE m INVARIANT (x = 1 «»END", ") expected"),
    ("MACHINE m INVARIANT {1, 2«») END", "} expected"),
    ("MACHINE m INVARIANT x = y «»= z END", "cannot be chained"),
    ("MACHINE m INVARIANT !x«»(x = 1) END", ". expected after the quantified identifiers"),
    ("MACHINE m INVARIANT {«x + 1» | x = 1} = s END", "an identifier expected before the bar"),
    ("MACHINE m INVARIANT %x.(x : S «») = s END", "| expected"),
    ("MACHINE m OPERATIONS op = x «»= 1 END", ":= expected"),
    ("MACHINE m OPERATIONS op = «x, y := 1» END", "2 targets, but 1 values"),
    ("MACHINE m OPERATIONS op = IF x = 1 «»x := 1 END END", "THEN expected"),
    ("MACHINE m OPERATIONS op = PRE x = 1 THEN skip «»x END END", "END expected to close PRE"),
    ("MACHINE m OPERATIONS op = BEGIN skip END «»other = skip END", "; or END expected after an operation"),
    ("MACHINE m OPERATIONS op(«»1) = skip END", "an identifier expected"),
    ("MACHINE m OPERATIONS op = «(»skip) END", "grouped by BEGIN"),
    ("MACHINE m OPERATIONS op = ANY x «»THEN skip END END", "WHERE expected"),
    ("MACHINE m OPERATIONS op = CASE x OF «»1 THEN skip END END END", "EITHER expected"),
    ("MACHINE m DEFINITIONS d «»= 1 END", "== expected"),
    ("MACHINE m DEFINITIONS d == 1 + «»; e == 2 END", "an expression or predicate expected"),
    ("MACHINE m FREETYPES F «END»", "= expected after the free type F"),
    ("MACHINE m INVARIANT rec(a: 1, «»2) = y END", "a field name expected"),
    ("MACHINE m INVARIANT «rec(a: 1, a: 2)» = y END", "given twice"),
    ("MACHINE m INVARIANT «card(x, y)» = 1 END", "one argument"),
    ("MACHINE m INVARIANT x$«1» = 1 END", "only $0"),
    ("MACHINE m INVARIANT x = «»/* never ends", "never closed"),
]

TYPE_ERRORS = [
    (HEAD + "«INVARIANT» x = 1 END", "a second INVARIANT"),
    (HEAD + "ASSERTIONS «x» END", "a predicate expected, found an expression of type INTEGER"),
    (HEAD + "ASSERTIONS x = «TRUE» END", "the type INTEGER is expected here, found BOOL"),
    (HEAD + "ASSERTIONS «y» = 1 END", "unknown identifier y"),
    (HEAD + "ASSERTIONS s \\/ «{1}» = s END", "the type POW(S) is expected here, found POW(INTEGER)"),
    (HEAD + "ASSERTIONS red : «S» END", "the type POW(C) is expected here, found POW(S)"),
    (HEAD + "ASSERTIONS «x(1)» = 2 END", "this is not a function"),
    (HEAD + "ASSERTIONS s - «1» = s END", "the type POW(S) is expected here, found INTEGER"),
    (HEAD + "ASSERTIONS 1 + «(x = 1)» = 2 END", "an expression expected, found a predicate"),
    (HEAD + "ASSERTIONS «x» & x = 1 END", "a predicate expected"),
    (HEAD + "ASSERTIONS !«z».(1 = 1 => x = 1) END", "the type of z cannot be inferred"),
    (HEAD + "ASSERTIONS {a, «a» | a : S} = s END", "a is bound twice"),
    (HEAD + "ASSERTIONS «rec(a: 1)'b» = 1 END", "there is no field b"),
    (HEAD + "ASSERTIONS card(«x») = 1 END", "the type POW(?) is expected here, found INTEGER"),
    (HEAD + "ASSERTIONS REAL = «s» END", "the type POW(REAL) is expected here"),
    (HEAD + "OPERATIONS op = «y» := 1 END", "unknown identifier y"),
    (HEAD + "OPERATIONS op = x := «{}» END", "the type INTEGER is expected here, found POW(?)"),
    (HEAD + "OPERATIONS op = «red» := green END", "not a variable and cannot be assigned"),
    (HEAD + "OPERATIONS op(p) = PRE p : S THEN «p» :: S END END", "not a variable and cannot be assigned"),
    (HEAD + "OPERATIONS op = «other(1)» END", "there is no operation other"),
    (HEAD + "OPERATIONS op = «a(1)»; a(p, q) = PRE p = 1 & q = 1 THEN skip END END", "takes 2 arguments, not 1"),
    (HEAD + "OPERATIONS op = «x <-- a»; a = skip END", "a has 0 results, not 1"),
    (HEAD + "OPERATIONS op(«p») = skip END", "the type of p cannot be inferred"),
    (HEAD + "OPERATIONS op(p, «p») = PRE p : S THEN skip END END", "p occurs twice"),
    (HEAD + "OPERATIONS op = x := «red» END", "the type INTEGER is expected here, found C"),
    (HEAD + "OPERATIONS op = SELECT x = 1 THEN x := 2 WHEN «x» THEN skip END END", "a predicate expected"),
    ("MACHINE m SETS S; T = {a, b}; U = {«a»} END", "a is declared twice"),
    ("MACHINE m VARIABLES x, «x» INVARIANT x = 1 INITIALISATION x := 1 END", "x is declared twice"),
    ("MACHINE m CONSTANTS «c» END", "the type of c cannot be inferred"),
    ("«MACHINE m VARIABLES x INVARIANT x = 1 END»", "no INITIALISATION"),
    ("MACHINE m VARIABLES x, «y» INVARIANT x = 1 & y = 1 INITIALISATION x := 1 END", "does not assign y"),
    ("MACHINE m DEFINITIONS «d == d + 1» ASSERTIONS d = 1 END", "refers to itself"),
    ("MACHINE m DEFINITIONS d(a) == a + 1 ASSERTIONS «d(1, 2)» = 1 END", "takes 1 arguments, not 2"),
    ("MACHINE m DEFINITIONS d == skip ASSERTIONS «d» = 1 END", "a formula is expected here"),
    ("MACHINE m DEFINITIONS d == 1; «d == 2» END", "d is defined twice"),
    ("MACHINE m DEFINITIONS «scope_S == TRUE» SETS S END", "scope_S must be"),
    ("MACHINE m DEFINITIONS scope_S == 0 SETS «S» END", "cannot have 0 elements"),
    ("MACHINE m DEFINITIONS «\"none.def\"» END", "not found"),
    ("MACHINE m SEES «other» END", "machine other not found"),
    ("«MACHINE m INCLUDES m END»", "machine m refers to itself"),
    (HEAD + "OPERATIONS op = «x := 1 || x := 2» END", "assigned twice in parallel"),
]  # fmt: skip


def check(tmp_path: Path, marked: str, message: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    path = tmp_path / "m.mch"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as caught:
        load(path, LoadOptions())
    error = caught.value
    assert message in error.message
    before = marked[: marked.index("«")]
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    assert error.span.file == str(path)
    assert (error.span.line, error.span.column) == (line, column)
    assert "^" in error.render()


@pytest.mark.parametrize(("marked", "message"), PARSE_ERRORS)
def test_parse_error_is_located(tmp_path: Path, marked: str, message: str) -> None:
    check(tmp_path, marked, message)


@pytest.mark.parametrize(("marked", "message"), TYPE_ERRORS)
def test_type_error_is_located(tmp_path: Path, marked: str, message: str) -> None:
    check(tmp_path, marked, message)


def test_several_mistakes_are_told_in_one_run(tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_text(HEAD + "ASSERTIONS y = 1; x = TRUE OPERATIONS a = z := 1; b = x := {} END")
    with pytest.raises(UserError) as caught:
        load(path, LoadOptions())
    assert len(caught.value.diagnostics) == 4


def test_a_size_for_a_set_that_is_not_deferred_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_text(HEAD + "END")
    with pytest.raises(UserError, match="C is not a deferred set"):
        load(path, LoadOptions(set_sizes=(("C", 3),)))


def test_a_missing_file_is_the_users_mistake(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file"):
        load(tmp_path / "none.mch", LoadOptions())
