"""ProB's packages: terms of Prolog, the levels of a development, counts and labels."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.b.eventb.prolog import Term, read_terms
from quorbit.pipeline.load import load
from quorbit.pipeline.refine import refine
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.source.errors import UserError
from quorbit.source.span import Source

CONTEXT = """event_b_context(none,'C',[extends(none,[]),constants(none,[identifier(none,red),identifier(none,green)]),
axioms(none,[partition(rodinpos('C',axm1,x),identifier(none,'COLOUR'),[set_extension(none,[identifier(none,red)]),
set_extension(none,[identifier(none,green)])])]),theorems(none,[]),sets(none,[deferred_set(none,'COLOUR')])])"""
ABSTRACT = """event_b_model(none,'M0',[sees(none,['C']),variables(none,[identifier(none,n)]),
invariant(none,[member(rodinpos('M0',inv1,a),identifier(none,n),interval(none,integer(none,0),integer(none,3)))]),
theorems(none,[]),events(none,[
event(rodinpos('M0','INITIALISATION',b),'INITIALISATION',ordinary(none),[],[],[],[],
  [assign(rodinpos('M0',act1,c),[identifier(none,n)],[integer(none,0)])],[]),
event(rodinpos('M0',up,d),up,ordinary(none),[],[identifier(none,k)],
  [member(rodinpos('M0',grd1,e),identifier(none,k),interval(none,integer(none,1),integer(none,2))),
   less_equal(rodinpos('M0',grd2,e),add(none,identifier(none,n),identifier(none,k)),integer(none,3))],[],
  [assign(rodinpos('M0',act1,f),[identifier(none,n)],[add(none,identifier(none,n),identifier(none,k))])],[])])])"""
CONCRETE = """event_b_model(none,'M1',[sees(none,['C']),refines(none,'M0'),
variables(none,[identifier(none,m),identifier(none,light)]),
invariant(none,[equal(rodinpos('M1',glue,a),identifier(none,n),identifier(none,m)),
 member(rodinpos('M1',inv2,a),identifier(none,light),identifier(none,'COLOUR'))]),
theorems(none,[]),events(none,[
event(rodinpos('M1','INITIALISATION',b),'INITIALISATION',ordinary(none),['INITIALISATION'],[],[],[],
  [assign(rodinpos('M1',act1,c),[identifier(none,m),identifier(none,light)],[integer(none,0),identifier(none,red)])],[]),
event(rodinpos('M1',one,d),one,ordinary(none),[up],[],
  [less(rodinpos('M1',grd1,e),identifier(none,m),integer(none,3)),
   equal(rodinpos('M1',grd2,e),identifier(none,light),identifier(none,green))],[],
  [assign(rodinpos('M1',act1,f),[identifier(none,m)],[add(none,identifier(none,m),integer(none,1))])],
  [witness(none,identifier(none,k),equal(rodinpos('M1',k,g),identifier(none,k),integer(none,STEP)))]),
event(rodinpos('M1',switch,d),switch,ordinary(none),[],[],[],[],
  [becomes_element_of(rodinpos('M1',act1,f),[identifier(none,light)],identifier(none,'COLOUR'))],[])])])"""


def write(folder: Path, *machines: str, contexts: str = CONTEXT) -> Path:
    path = folder / "model.eventb"
    path.write_text(
        f"package(load_event_b_project([{','.join(machines)}],[{contexts}],[exporter_version(3)],_Error)).\n"
    )
    return path


def answer(path: Path) -> CheckResult:
    return check(load(path)).worst


def test_counts(tmp_path: Path) -> None:
    """n is 0 to 3 and k 1 or 2: transitions 2, 2, 1 and 0, and one for the start; the colours are no constants."""
    found = answer(write(tmp_path, ABSTRACT))
    assert (found.states, found.transitions, found.verdict) == (4, 6, "fails")
    assert found.outcome.message == "deadlock"


def test_levels_move_together(tmp_path: Path) -> None:
    """m, light and the abstract n: four times two states; 'one' in three of them, 'switch' to both colours in all."""
    found = answer(write(tmp_path, CONCRETE.replace("STEP", "1"), ABSTRACT))
    assert (found.states, found.transitions, found.verdict) == (8, 1 + 3 + 16, "holds")


def test_wrong_witness(tmp_path: Path) -> None:
    """n goes up by two where m goes up by one: the gluing invariant is named, and refinement fails."""
    path = write(tmp_path, CONCRETE.replace("STEP", "2"), ABSTRACT)
    found = answer(path)
    assert found.verdict == "fails"
    assert found.outcome.property == "M1.glue"
    failed = refine("M0", path).worst
    assert failed.verdict == "fails"
    assert "M1.glue: n = m" in failed.outcome.message


def test_refinement_of_a_package(tmp_path: Path) -> None:
    path = write(tmp_path, CONCRETE.replace("STEP", "1"), ABSTRACT)
    assert refine("M0", path).verdict == "holds"
    with pytest.raises(UserError, match="M1 does not refine M7; it refines M0"):
        refine("M7", path)


def test_a_guard_that_is_too_weak(tmp_path: Path) -> None:
    weak = CONCRETE.replace("STEP", "1").replace("less(rodinpos('M1',grd1,e),identifier(none,m),integer(none,3)),", "")
    found = answer(write(tmp_path, weak, ABSTRACT))
    assert found.verdict == "fails"
    assert "one occurs where up, which it refines, cannot" in found.outcome.message


def test_labels_in_messages(tmp_path: Path) -> None:
    """A mistake is told with its component and its label."""
    wrong = ABSTRACT.replace("identifier(none,n)]),\ninvariant", "identifier(none,q)]),\ninvariant")
    with pytest.raises(UserError, match="unknown identifier n") as found:
        load(write(tmp_path, wrong))
    assert "model.eventb:M0" in found.value.render()
    assert "inv1: n : 0 .. 3" in found.value.render()


def test_older_events(tmp_path: Path) -> None:
    """Without theorems, and without a status."""
    eight = ABSTRACT.replace("[],[],[],[],\n", "[],[],[],\n").replace("integer(none,3))],[],\n", "integer(none,3))],\n")
    assert answer(write(tmp_path, eight)).states == 4
    seven = eight.replace("ordinary(none),", "")
    assert answer(write(tmp_path, seven)).states == 4


def test_theories_are_refused(tmp_path: Path) -> None:
    theory = ABSTRACT.replace("integer(none,0),integer(none,3)", "integer(none,0),extended_expr(none,seqSize,[],[])")
    with pytest.raises(UserError, match="'seqSize' is an operator of a theory"):
        load(write(tmp_path, theory))


def terms(text: str) -> list[Term]:
    return list(read_terms(Source("f", text)))


def test_terms() -> None:
    found = terms("% c\nf('it''s', \"a\\nb\", [X, -3|[]], 'h\\'', '\\x3b1\\\\12\\'). /* d */ g.\n")
    assert [str(t) for t in found] == ["f/5", "g/0"]
    quoted, text, listed, escaped, codes = found[0].arguments
    assert (quoted.functor, text.functor, escaped.functor, codes.functor) == ("it's", "a\nb", "h'", "α\n")
    assert [(a.functor, a.kind) for a in listed.arguments] == [("X", "variable"), ("-3", "number"), ("[]", "list")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("f(a", "the package is cut"),
        ("f(a, 'b", "has no end"),
        ("f(a)) .", "full stop"),
        ("f(a b).", "',' or '\\)' is expected"),
        ("f([a).", "',' or '\\]' is expected"),
        ("f(,).", "a term is expected"),
        ("f(" * 5000, "nested more than"),
    ],
)
def test_broken_terms(text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        terms(text)


def test_truncated_packages(tmp_path: Path) -> None:
    """Whatever is cut off, it is a sentence to the user."""
    path = write(tmp_path, CONCRETE.replace("STEP", "1"), ABSTRACT)
    text = path.read_text()
    for k in range(0, len(text) - 3, 97):
        path.write_text(text[:k])
        with pytest.raises(UserError):
            load(path)
