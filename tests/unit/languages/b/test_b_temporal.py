"""Temporal formulas of ProB with verdicts worked out by hand, on the quotient and without symmetry."""

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import Found
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

# Whoever joins the queue is served once; when all were served the desk rests for ever.
DESK = """MACHINE Desk SETS P{elements} VARIABLES q, served INVARIANT q <: P & served <: P
INITIALISATION q, served := {{}}, {{}}
OPERATIONS
  join(p) = PRE p : P & p /: q & p /: served THEN q := q \\/ {{p}} END;
  serve(p) = PRE p : q THEN q := q - {{p}} || served := served \\/ {{p}} END;
  rest = PRE served = P THEN skip END
END"""
OF_STEPS = [
    ("G([serve] => O [join])", True),
    ("G([join] => X [serve])", False),  # both may join first
    ("F [rest]", True),
    ("GF[rest]", True),
    ("FG [rest]", True),
    ("G [rest]", False),
    ("X [serve]", False),
    ("[join]", True),
    ("not [serve]", True),
    ("[join] & X([serve] or [join])", True),
    ("G([rest] => H not deadlock)", True),
    ("G({served = P} => O [serve])", True),
    ("G([rest] => Y [serve] or Y [rest])", True),
    ("Y true", False),  # there is no state before the first
    ("not Y true & X Y true", True),
    ("X Y {q = {}}", True),
    ("G(H {served = {}} or O [serve])", True),
    ("G([serve] => not Y [serve])", False),
    ("{q = {}} S {served = {}}", True),
    ("G({served = {}} S {q = {}})", False),  # both join, one is served
    ("G(not [rest] S {q = {}})", True),
    ("G([serve] T {served /= P})", False),  # after the last one nobody serves while everybody is served
    ("[join] T {q = {}}", True),
    ("e(join) U [serve]", True),
    ("F e(rest)", True),
    ("G(e(rest) => [rest])", True),
    ("G(e(join) => [join])", False),
    ("WF(rest) => GF [rest]", True),
    ("SF(serve) => F {served /= {}}", True),
    ("WEF => F {served = P}", True),
    ("G not deadlock", True),
    ("F sink", True),
    ("G not sink", False),
    ("current & X G not current", True),
    ("G([rest] => unchanged({served}))", True),
    ("G([serve] => BA({card(served) = card(served$0) + 1}))", True),
    ("G(increasing({card(q)}) => [join])", True),
    ("G(decreasing({card(q)}) => [join])", False),
    ("G(changed({served}) <=> [serve])", True),
    ("EX [join] {card(q) = 1}", True),
    ("EX [serve] {q = {}}", False),
    ("AG (AX [rest] {served = P})", True),
    ("AF (EX [rest])", True),
    ("EF (EX [serve] {q = {}})", True),
    ("AG (AX [join] or EF (EX [rest]))", True),
    ("G(deadlock(join, serve) => [rest])", True),
    ("G ctrl(join, serve, rest)", False),  # one waits, the other may join
    ("G det(serve, rest)", True),
    ("O [serve]", False),
]
WITH_ARGUMENTS = [
    ("G([serve(ann)] => O [join(ann)])", True),
    ("G([serve(ann)] => O [join(bob)])", False),
    ("F [serve(ann)]", True),
    ("[join(ann)]", False),
    ("[join(_)]", True),
    ("[join(ann)] or [join(bob)]", True),
    ("G([join(ann)] => X G not [join(ann)])", True),
    ("e(join(bob)) U [join(bob)]", True),
    ("G([serve(ann)] => e(serve(ann)))", True),
    ("EX [join(bob)] {q = {bob}}", True),
    ("EX [join(bob)] {q = {ann}}", False),
]
# A machine with constants, whose runs end.
COUNTER = """MACHINE Counter CONSTANTS m PROPERTIES m = 2 VARIABLES x INVARIANT x : 0..m INITIALISATION x := 0
OPERATIONS up = SELECT x < m THEN x := x + 1 END END"""
OF_RUNS_THAT_END = [
    ("F deadlock", True),
    ("G X true", False),
    ("G(not deadlock => X true)", True),
    ("F [up]", True),
    ("GF [up]", False),
    ("G({x = 2} => not [up])", True),
    ("X X not X true", True),
    ("G [up]", False),
    ("F G {x = 2}", True),
    ("X X X true", False),
    ("not Y true & Y {x = 9} => {x = 5}", True),
    ("G({x = 2} => Y {x = 1} & Y Y {x = 0} & not Y Y Y true)", True),
    ("AG (EX {x > 0} or deadlock)", True),
    ("AG AX {x > 0}", True),
    ("AG EX {x > 0}", False),
    ("E {x < 2} U {x = 2}", True),
]
# An operation with a loop is one step.
LOOP = """MACHINE Loop VARIABLES s INVARIANT s : 0..9 INITIALISATION s := 0
OPERATIONS add(n) = PRE n : 1..2 & s < 3 THEN VAR i IN i := 0; WHILE i < n DO i := i + 1; s := s + 1
  INVARIANT i : 0..n VARIANT n - i END END END; back = PRE s >= 3 THEN s := 0 END END"""
OF_LOOPS = [
    ("G([add(2)] => BA({s = s$0 + 2}))", True),
    ("G([add(1)] => BA({s = s$0 + 2}))", False),
    ("[add] & X [add]", True),
    ("G([back] => O [add(1)])", False),
    ("G([back] => Y [add])", True),
    ("GF [back]", True),
]


def verdicts(path: Path, formulas: list[tuple[str, bool]], symmetry: str) -> dict[str, bool]:
    asked = tuple(formula for formula, _ in formulas)
    results = check(load(path), CheckOptions(properties=asked, symmetry=symmetry))
    assert {r.outcome.verdict for r in results.results} <= {Verdict.HOLDS, Verdict.FAILS}
    return {f: r.outcome.verdict is Verdict.HOLDS for f, r in zip(asked, results.results, strict=True)}


@pytest.mark.parametrize(
    ("text", "formulas"),
    [
        (DESK.format(elements=""), OF_STEPS),
        (DESK.format(elements=" = {ann, bob}"), WITH_ARGUMENTS),
        (COUNTER, OF_RUNS_THAT_END),
        (LOOP, OF_LOOPS),
    ],
    ids=["steps", "arguments", "ends", "loops"],
)
def test_worked_out_verdicts(text: str, formulas: list[tuple[str, bool]], tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_text(text)
    assert verdicts(path, formulas, "off") == dict(formulas)
    assert verdicts(path, formulas, "auto") == dict(formulas)


def test_arguments_restrict_the_group(tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_text(DESK.format(elements=" = {ann, bob}"))
    for formula, moved in (("F [serve]", (0, 1)), ("F [serve(ann)]", ())):
        (result,) = check(load(path), CheckOptions(properties=(formula,))).results
        assert isinstance(result.symmetry, Found)
        assert result.symmetry.group.moved == moved


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        ("G [leave]", "there is no operation leave"),
        ("G [join(ann, bob)]", "join has 1 parameters, not 2"),
        ("G O F {q = {}}", "looks ahead cannot stand under one that looks back"),
        ("G O changed({q})", "cannot stand under an operator that looks back"),
        ("G ([join] {q = {}}", "expected \\)"),
        ("G ([join]", "this \\( is not closed"),
        ("G goal", "has no GOAL"),
        ("G increasing({q})", "a number expected"),
    ],
)
def test_what_cannot_be_asked(formula: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "m.mch"
    path.write_text(DESK.format(elements=" = {ann, bob}"))
    with pytest.raises(UserError, match=message):
        check(load(path, LoadOptions()), CheckOptions(properties=(formula,)))
