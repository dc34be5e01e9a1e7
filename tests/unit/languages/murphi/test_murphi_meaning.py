"""What Murphi models mean: verdicts and numbers of states, by the reference and by the quick engine.

The expected numbers were counted by hand or by Rumur.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.engines.simulate.printed import printed
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.command import Branch
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.coverage import goal_table
from quorbit.report.record import CheckResult
from quorbit.report.text import Paint, show_checks
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

HEAD = "var x : 0 .. 3; y : 0 .. 3; b : boolean; a : array [0 .. 3] of 0 .. 3; u : 0 .. 3;\n"
START = "startstate x := 0; y := 0; b := false; for i : 0 .. 3 do a[i] := i; end; end;\n"
FREE = LoadOptions(deadlock="off")


def run(folder: Path, text: str, options: LoadOptions = FREE, **how: str) -> CheckResult:
    path = folder / "model.m"
    path.write_text(text, encoding="utf-8")
    return check(load(path, options), CheckOptions(**how)).results[0]  # type: ignore[arg-type]


def both(folder: Path, text: str, options: LoadOptions = FREE) -> CheckResult:
    """The answer of both engines, which must be the same."""
    quick, slow = (run(folder, text, options, symmetry="off", engine=e) for e in ("explicit", "reference"))
    assert quick.outcome.verdict is slow.outcome.verdict
    if quick.outcome.verdict is Verdict.HOLDS:
        assert quick.states == slow.states
    return quick


@pytest.mark.parametrize(
    ("rules", "states"),
    [
        ("rule x < 3 ==> begin x := x + 1; end;", 4),
        ("rule begin for i : 0 .. 3 do if a[i] = 3 then return; end; a[i] := 3; end; end;", 2),
        ("rule begin x := 0; while x < 3 do x := x + 1; end; end;", 2),
        ("rule begin alias p : a[x] do x := 1; p := 3; end; end;", 3),
        ("rule begin switch y case 0, 1: y := y + 1; else y := 0; end; end;", 3),
        ("rule x = 0 ==> var t : 0 .. 3; begin t := y; y := 3 - t; end;", 2),
        ("rule x = 0 ==> begin x := b ? 1 : 2; end;", 2),
        ("ruleset i : 0 .. 3; j : 0 .. 1 do rule x = 0 ==> begin x := i; y := j; end; end;", 8),
        ("rule begin for i := 3 to 1 by -2 do x := i; end; end;", 2),
        ("rule begin for i := 0 to x do y := i; end; x := 2; end;", 3),
        ("rule isundefined(u) ==> begin u := 1; end; rule !isundefined(u) ==> begin undefine u; end;", 2),
        ("rule begin clear a; end;", 2),
        ('rule 10 "first" x < 2 ==> begin x := x + 1; end; rule 20 "then" begin y := 1; end;', 4),
    ],
)
def test_rules(rules: str, states: int, tmp_path: Path) -> None:
    found = both(tmp_path, HEAD + START + rules)
    assert (found.outcome.verdict, found.states) == (Verdict.HOLDS, states)


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("rule begin x := x + 1; end;", "is not a value of x"),
        ("rule begin x := a[x + 4]; end;", "index out of range"),
        ("rule begin x := u + 1; end;", "this has no value"),
        ("rule u = 1 ==> begin x := 1; end;", "this has no value"),
        ('rule begin error "broken"; end;', "broken"),
        ('rule begin assert x = 1 "told so"; end;', "told so"),
        ("rule begin while true do x := 0; end; end;", "the loop does not end within 1000 rounds"),
        ('invariant "low" x < 1; rule begin x := 1; end;', 'invariant "low" fails'),
        ("rule begin x := 1 / y; end;", "division by zero"),
    ],
)
def test_errors(rules: str, message: str, tmp_path: Path) -> None:
    found = both(tmp_path, HEAD + START + rules)
    assert found.outcome.verdict is Verdict.FAILS
    assert message in found.outcome.message
    assert found.outcome.trace is not None


@pytest.mark.parametrize("rule", ["rule c < blue", "rule red < blue", "rule x = c + 1", "rule x = -c"])
def test_members_of_an_enumeration_are_not_numbers(rule: str, tmp_path: Path) -> None:
    """As in Rumur: they can be compared by ``=`` and ``!=`` only."""
    head = "type color: enum {red, blue}; var c: color; x: 0..3; startstate c := red; x := 0; end; "
    with pytest.raises(UserError, match="a number is expected, this is color"):
        both(tmp_path, head + rule + " ==> begin x := 1; end;")


@pytest.mark.parametrize(
    ("rule", "deadlock", "verdict"),
    [
        ("rule x < 3 ==> begin x := x + 1; end;", "stuck", Verdict.FAILS),
        ("rule x < 3 ==> begin x := x + 1; end;", "off", Verdict.HOLDS),
        ("rule begin x := 1; end;", "stuck", Verdict.HOLDS),
        ("rule begin x := 1; end;", "stuttering", Verdict.FAILS),
        ("rule begin x := 1; end;", "model", Verdict.FAILS),
        ("rule begin b := !b; end;", "model", Verdict.HOLDS),
    ],
)
def test_deadlock(rule: str, deadlock: str, verdict: Verdict, tmp_path: Path) -> None:
    assert both(tmp_path, HEAD + START + rule, LoadOptions(deadlock=deadlock)).outcome.verdict is verdict


ROUTINES = """
function Most() : 0 .. 3; var m : 0 .. 3; begin
  m := 0; for i : 0 .. 3 do if a[i] > m then m := a[i]; end; end; return m; end;
function Has(v : 0 .. 3) : boolean; begin for i : 0 .. 3 do if a[i] = v then return true; end; end; return false; end;
function Bump(var v : 0 .. 3) : 0 .. 3; begin v := (v + 1) % 4; return v; end;
procedure Swap(var v : 0 .. 3; var w : 0 .. 3); var t : 0 .. 3; begin t := v; v := w; w := t; end;
procedure Keep(v : 0 .. 3); begin x := 3; y := v; end;
"""


@pytest.mark.parametrize(
    ("rules", "states"),
    [
        ("rule Has(3) & Most() = 3 ==> begin a[3] := 0; end;", 2),
        ("rule begin Swap(a[0], a[1]); end;", 2),
        ("rule begin x := Bump(y); end;", 4),
        ("rule begin Keep(x); end;", 3),
        ("rule b | Bump(x) = 1 ==> end;", 0),
        ("rule begin b := b | Bump(x) = 2; end;", 3),
    ],
)
def test_routines(rules: str, states: int, tmp_path: Path) -> None:
    if not states:
        with pytest.raises(UserError, match="cannot be used in a condition"):
            both(tmp_path, HEAD + ROUTINES + START + rules)
        return
    found = both(tmp_path, HEAD + ROUTINES + START + rules)
    assert (found.outcome.verdict, found.states) == (Verdict.HOLDS, states)


BAGS = """type P : scalarset(3); H : enum { Home }; N : union { P, H }; M : record who : N; n : 0 .. 1; end;
var net : multiset [2] of M; last : N;
procedure Send(w : N; n : 0 .. 1); var m : M; begin m.who := w; m.n := n; multisetadd(m, net); end;
startstate last := Home; undefine net; end;
ruleset p : P do rule multisetcount(i : net, true) < 2 ==> begin Send(p, 0); end; end;
choose m : net do
  rule net[m].n = 0 & ismember(net[m].who, P) ==> begin last := net[m].who; multisetremove(m, net); end;
end;
"""


def test_multisets_and_unions(tmp_path: Path) -> None:
    """Bags of at most 2 of 3 kinds, 10 of them, and who was last, 4: no symmetry 40; by orbits of S3 fewer."""
    text = BAGS
    slots = both(tmp_path, text)
    bags = run(tmp_path, text, LoadOptions(count_like="cmurphi"), symmetry="off")
    orbits = run(tmp_path, text)
    assert bags.states == 40
    assert slots.states > bags.states
    assert orbits.states == 11  # with last = Home 4 bags up to names; else by who is last: 1 + 2 + 4


def test_a_full_multiset_is_an_error(tmp_path: Path) -> None:
    text = BAGS.replace("multisetcount(i : net, true) < 2", "true")
    found = both(tmp_path, text)
    assert found.outcome.verdict is Verdict.FAILS
    assert "the multiset net is full" in found.outcome.message


def test_an_assumption_without_a_value_at_the_start(tmp_path: Path) -> None:
    model = tmp_path / "m.m"
    model.write_text("var b: array[0..2] of boolean; n: 0..2;\nstartstate clear b; n := 0; end;\nassume !b[n - 1];\n")
    with pytest.raises(UserError, match="no value in a start state"):
        load(model)


def test_assume_drops_states(tmp_path: Path) -> None:
    assert both(tmp_path, HEAD + START + "rule x < 3 ==> begin x := x + 1; end; assume x < 2;").states == 2


def test_cover_and_liveness_are_asked_for_by_the_model(tmp_path: Path) -> None:
    path = tmp_path / "model.m"
    path.write_text(HEAD + START + 'rule begin b := !b; end; cover "on" b; cover "never" x = 1; liveness "again" b;')
    answers = {r.asked: r.outcome.verdict for r in check(load(path)).results}
    assert answers == {"": Verdict.HOLDS, "on": Verdict.HOLDS, "never": Verdict.FAILS, "again": Verdict.HOLDS}


@pytest.mark.parametrize(
    ("formula", "verdict"),
    [
        ("G F b", Verdict.HOLDS),
        ("AG EF n[0] = 1", Verdict.FAILS),
        ("forall i in T: AG (n[i] = 0)", Verdict.HOLDS),
        ("G (exists i : T do n[i] = 1 end)", Verdict.FAILS),
    ],
)
def test_properties_from_outside(formula: str, verdict: Verdict, tmp_path: Path) -> None:
    text = "type T : 0 .. 1; var n : array [T] of 0 .. 1; b : boolean;"
    text += "startstate clear n; b := false; end; rule begin b := !b; end;"
    found = run(tmp_path, text, LoadOptions(), properties=(formula,))  # type: ignore[arg-type]
    assert found.outcome.verdict is verdict


def test_an_error_in_a_start_state_is_a_counterexample(tmp_path: Path) -> None:
    text = 'var x : 0 .. 2; startstate x := 1; assert x = 0 "not zero"; end; rule begin x := 0; end;'
    found = run(tmp_path, text)
    assert found.outcome.verdict is Verdict.FAILS
    assert "not zero" in found.outcome.message
    assert found.outcome.trace is not None


@pytest.mark.parametrize(
    ("rules", "verdict"),
    [
        ("rule begin x := 1; cover x = 1; end;", Verdict.HOLDS),
        ("rule begin x := 1; cover x = 2; x := 2; end;", Verdict.FAILS),
        ("rule begin cover x = 2; x := 2; end;", Verdict.HOLDS),
        ("rule begin if b then cover true; end; x := 1; end;", Verdict.FAILS),
        ("rule begin for i : 0 .. 3 do cover a[i] = 2; end; end;", Verdict.HOLDS),
        ("rule begin while x < 3 do x := x + 1; cover x = 2; end; end;", Verdict.HOLDS),
        ("rule begin return; cover true; end;", Verdict.FAILS),
        ("procedure P(k : 0 .. 3); begin cover k = 3; end; rule begin P(1); end; rule begin P(3); end;", Verdict.HOLDS),
        ("procedure P(k : 0 .. 3); begin cover k = 3; end; rule begin P(1); end; rule begin P(2); end;", Verdict.FAILS),
        ("rule begin alias p : a[1] do cover p = 1; end; end;", Verdict.HOLDS),
        ("rule begin cover true; assume false; end;", Verdict.HOLDS),
        ("rule begin assume false; cover true; end;", Verdict.FAILS),
        ("rule begin x := 1; end; startstate x := 0; cover x = 0; end;", Verdict.HOLDS),
    ],
)
def test_a_cover_statement_is_a_question_of_its_own(rules: str, verdict: Verdict, tmp_path: Path) -> None:
    path = tmp_path / "model.m"
    path.write_text(HEAD + rules + START if "procedure" in rules else HEAD + START + rules)
    for symmetry in ("auto", "off"):
        safety, cover = check(load(path, FREE), CheckOptions(symmetry=symmetry)).results
        assert safety.outcome.verdict is Verdict.HOLDS
        assert cover.outcome.verdict is verdict


def test_covers_are_told(tmp_path: Path) -> None:
    path = tmp_path / "model.m"
    path.write_text(HEAD + START + 'rule begin x := 1; cover x = 1 "one"; cover x = 2 "two"; end; cover "on" b;')
    answers = check(load(path, FREE))
    told = show_checks(answers, Paint())
    assert f"HOLDS: one ({path}:3 is reached)" in told
    assert f"FAILS: two (no run reaches {path}:3)" in told
    assert [line.split()[1:] for line in goal_table(answers.results)] == [
        ["reached", "cover"],
        ["never", "on"],
        ["yes", "one"],
        ["never", "two"],
    ]


def test_put_prints_values_in_words_of_their_types(tmp_path: Path) -> None:
    path = tmp_path / "model.m"
    text = 'put "is \\"e\\" "; put e; put b; put x + 1;'
    path.write_text(
        "type E : enum { Red, Green }; var e : E; b : boolean; x : 0 .. 3;"
        f"startstate e := Green; b := true; x := 2; end; rule begin {text} x := 0; end;"
    )
    system = load(path).system
    meaning = Meaning(system)
    (s,) = meaning.initial_states()
    (firing,) = meaning.enabled(s)
    assert printed(meaning, s, firing) == 'is "e" Greentrue3'


def test_from_is_a_name(tmp_path: Path) -> None:
    text = "type M : record from : 0 .. 1; end; var m : M; startstate m.from := 0; end;"
    found = both(tmp_path, text + "rule begin for i from 0 to 1 do m.from := i; end; end;")
    assert (found.outcome.verdict, found.states) == (Verdict.HOLDS, 2)


def test_a_procedure_is_written_out_once(tmp_path: Path) -> None:
    """Calls that pass the same are the same steps, and locals are as before at each of them."""
    procedure = "procedure p(k : 0 .. 3); var t : 0 .. 3; begin if x = k then t := x; x := (t + 1) % 4; end; end;\n"
    path = tmp_path / "model.m"
    path.write_text(HEAD + procedure + START + "rule begin p(y); p(y); b := true; p(y); end; rule begin p(x); end;")
    first = load(path).system.commands[0]
    tests = [step for step in first.effect if isinstance(step, Branch)]
    assert len(tests) == 3
    assert len({id(step) for step in tests}) == 1
    assert both(tmp_path, path.read_text()).states == 8
