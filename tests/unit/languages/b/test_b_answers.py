"""Answers of ``check``: what a guard binds, what a cut makes doubtful, what belongs to a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Verdict


def ask(folder: Path, text: str, symmetry: str = "off", represented: bool = False, **others: str) -> CheckResult:
    for name, other in others.items():
        (folder / f"{name}.mch").write_text(other, encoding="utf-8")
    path = folder / "Main.mch"
    path.write_text(text, encoding="utf-8")
    search = SearchOptions(all_errors=not represented, represented=represented)
    return check(load(path, LoadOptions()), CheckOptions(symmetry=symmetry, search=search)).results[0]


def counts(result: CheckResult) -> tuple[int, int]:
    return result.states, result.outcome.statistics.transitions


@pytest.mark.parametrize(
    "guard",
    [
        "x |-> p : edges",
        "p |-> x : edges~",
        "p : N & n : 0..1 & x |-> n |-> p : weighted",
        "n = 0 & x |-> n |-> p : weighted",
        "y |-> p : edges & y = x & n : 0..1 & x |-> n |-> y : {x |-> n |-> x}",
    ],
)
def test_a_guard_that_binds_is_kept(tmp_path: Path, guard: str) -> None:
    names = [name for name in "pny" if name in guard.replace("edges", "").replace("N", "")]
    result = ask(
        tmp_path,
        f"""MACHINE m SETS N = {{a, b, c}} CONSTANTS edges, weighted
        PROPERTIES edges = {{a |-> b, b |-> a, c |-> c}} & weighted = {{a |-> 0 |-> b, b |-> 0 |-> a, c |-> 0 |-> c}}
        VARIABLES x INVARIANT x : N & x /= c INITIALISATION x := a
        OPERATIONS go({", ".join(names)}) = PRE {guard} THEN x := p END END""",
    )
    assert result.outcome.verdict is Verdict.HOLDS
    assert result.states == 3


@pytest.mark.parametrize("body", ["skip", "x := x"])
def test_a_condition_without_a_value_is_an_error_whatever_follows(tmp_path: Path, body: str) -> None:
    text = """MACHINE m VARIABLES x, f INVARIANT x : 0..1 & f : 0..1 +-> 0..1 INITIALISATION x := 0 || f := {{}}
    OPERATIONS go = IF f(x) = 0 THEN {} END END"""
    outcome = ask(tmp_path, text.format(body)).outcome
    assert (outcome.verdict, outcome.message) == (Verdict.FAILS, "function applied outside its domain")


def test_a_deadlock_that_a_cut_may_cause_is_no_error(tmp_path: Path) -> None:
    text = """MACHINE m VARIABLES y INVARIANT y : NATURAL INITIALISATION y := {0}
    OPERATIONS t(x) = PRE y < 9 & x : NATURAL & x mod 100 = 99 THEN y := x END END"""
    unsure = ask(tmp_path, text.format(8)).outcome
    assert unsure.verdict is Verdict.UNKNOWN
    assert ":2:" in unsure.message
    assert "--maxint" in unsure.message
    assert ask(tmp_path, text.format(9)).outcome.verdict is Verdict.FAILS  # whatever x is, t cannot run


@pytest.mark.parametrize(
    ("invariant", "verdict"),
    [
        ("#z.(z : NATURAL & z > 10 & y = y)", Verdict.UNKNOWN),
        ("!z.(z : NATURAL => z /= y)", Verdict.FAILS),
        ("not(#z.(z : NATURAL & z = y))", Verdict.FAILS),
        ("not(!z.(z : NATURAL => z < 5 + y))", Verdict.UNKNOWN),
    ],
)
def test_a_formula_that_was_decided_with_values_untried(tmp_path: Path, invariant: str, verdict: Verdict) -> None:
    result = ask(
        tmp_path,
        f"MACHINE m VARIABLES y INVARIANT y : 0..9 & {invariant} INITIALISATION y := 1 OPERATIONS o = skip END",
    )
    assert result.outcome.verdict is verdict


def test_old_values_bound_new_ones(tmp_path: Path) -> None:
    text = "MACHINE m VARIABLES x INVARIANT x : NATURAL INITIALISATION x := 0 OPERATIONS"
    up = ask(tmp_path, f"{text} up = PRE x < 100 THEN x : (x > x$0 & x < x$0 + 3) END END")
    assert up.outcome.verdict is Verdict.FAILS  # at 100 and 101 nothing is left to do
    assert up.states == 102


def test_constraints_of_an_included_machine_bind_its_arguments(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        """MACHINE m(p) CONSTRAINTS p : 0..3 INCLUDES Inner(p)
        VARIABLES x INVARIANT x : 2..3 INITIALISATION x := p OPERATIONS stay = skip END""",
        Inner="MACHINE Inner(q) CONSTRAINTS q : 2..5 END",
    )
    assert result.outcome.verdict is Verdict.HOLDS
    assert counts(result) == (4, 6)


def test_operations_of_a_seen_machine_happen(tmp_path: Path) -> None:
    seen = "MACHINE Lamp VARIABLES on INVARIANT on : 0..1 INITIALISATION on := 0 OPERATIONS flip = on := 1 - on END"
    main = "MACHINE m {} Lamp VARIABLES x INVARIANT x : 0..1 INITIALISATION x := 0 OPERATIONS go = x := 1 - x END"
    for clause in ("SEES", "USES"):
        assert counts(ask(tmp_path, main.format(clause), Lamp=seen)) == (4, 9)
    assert counts(ask(tmp_path, main.format("INCLUDES"), Lamp=seen)) == (2, 3)


def test_a_result_need_not_be_assigned(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        """MACHINE m VARIABLES x INVARIANT x : 0..2 INITIALISATION x := 0 OPERATIONS
        s, r <-- op(a) = PRE a : 0..2 THEN IF a > x THEN s := 1 || r := a || x := a ELSE s := 0 END END END""",
    )
    assert result.outcome.verdict is Verdict.HOLDS
    assert counts(result) == (3, 10)


def test_arguments_that_are_sets_of_different_forms_are_told_apart(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        """MACHINE m SETS S; T = {e1, e2} CONSTANTS h PROPERTIES h <: T & card(h) = 1
        VARIABLES t INVARIANT t <: T INITIALISATION t := {e1}
        OPERATIONS op(p, q) = PRE p : {h - {e2}, T - T} & q : S THEN t := h END END""",
    )
    assert counts(result) == (5, 12)


def test_what_is_represented_does_not_depend_on_values_before_the_start(tmp_path: Path) -> None:
    text = """MACHINE m SETS S DEFINITIONS scope_S == 3 CONSTANTS c PROPERTIES c <: S & card(c) = 1
    VARIABLES v, w INVARIANT v : S & w : S * S INITIALISATION v :: S || w :: {v0, v1 | v0 : S & v1 = v0}
    OPERATIONS op = ANY z WHERE z : S THEN v := z END END"""
    whole = ask(tmp_path, text)
    reduced = ask(tmp_path, text, symmetry="auto", represented=True)
    assert reduced.outcome.statistics.represented == whole.states == 30
    assert reduced.states == 6


def test_preferences_may_be_computed(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        """MACHINE m DEFINITIONS SET_PREF_MAXINT == 2**3 - 1
        VARIABLES x INVARIANT x : NAT INITIALISATION x :: NAT OPERATIONS o = skip END""",
    )
    assert counts(result) == (8, 16)


def test_choices_are_shown_where_the_machine_asks_for_it(tmp_path: Path) -> None:
    text = """MACHINE m {} VARIABLES x INVARIANT x : 0..3 INITIALISATION x := 0
    OPERATIONS go = ANY a WHERE a : 1..3 THEN x := 0 END END"""
    assert counts(ask(tmp_path, text.format(""))) == (1, 2)
    assert counts(ask(tmp_path, text.format("DEFINITIONS SET_PREF_SHOW_EVENTB_ANY_VALUES == TRUE"))) == (1, 4)


def test_constants_that_must_differ_make_their_set_large_enough(tmp_path: Path) -> None:
    text = """MACHINE m SETS S CONSTANTS a, z, b, c PROPERTIES {a, b, c, z} <: S & a /= z & a /= b & b /= c & a /= c
    VARIABLES x INVARIANT x : S INITIALISATION x := a OPERATIONS go(y) = PRE y : S THEN x := y END END"""
    assert counts(ask(tmp_path, text)) == (8, 22)


def test_a_parameter_of_which_only_elements_are_spoken_of_is_a_set(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        """MACHINE m(Param) VARIABLES s INVARIANT s : POW(Param) INITIALISATION s := {}
        OPERATIONS add(e) = PRE e : Param THEN s := s \\/ {e} END END""",
    )
    assert counts(result) == (4, 9)


def test_a_constant_given_point_by_point(tmp_path: Path) -> None:
    result = ask(
        tmp_path,
        """MACHINE m SETS A CONSTANTS f, g
        PROPERTIES card(A) = 3 & f : A --> NATURAL & !p.(p : A => f(p) = 17)
          & g : A * (0..1) --> NATURAL & !(p, i).(p : A & i : 0..1 => g(p, i) = f(p) + i)
        VARIABLES x INVARIANT x : 17..18 INITIALISATION x :: ran(g) OPERATIONS go = x :: ran(g) END""",
    )
    assert result.outcome.verdict is Verdict.HOLDS
    assert counts(result) == (3, 7)


def test_infinite_sets_and_functions_are_applied_and_tested(tmp_path: Path) -> None:
    text = "MACHINE inf CONSTANTS Even, sq, step, Tab, Pairs PROPERTIES Even = {n | n : INTEGER & n mod 2 = 0} "
    text += (
        "& sq = %x.(x : NATURAL | x * x) & step = {0 |-> 5} \\/ %y.(y : NATURAL1 | y - 1) & Pairs = BOOL * NATURAL1 "
    )
    text += '& Tab : 1..3 --> STRING & Tab(1) = "a" & Tab(2) = "b" & Tab(3) = "a" VARIABLES x, s INVARIANT x : 0..5 & '
    text += "s <: Even & sq(x) >= x & sq[s] <: Even & (TRUE |-> 1) : Pairs & prj1(BOOL, NATURAL)(TRUE |-> 7) = TRUE "
    text += "INITIALISATION x := 5 || s := {} OPERATIONS down = x := step(x); "
    text += "add = PRE x : Even & x /: s & sq(x) < 20 THEN s := s \\/ {x} END; "
    text += "r <-- name(k) = PRE k : dom(Tab) & k = x THEN r := Tab(k) END; "
    text += "two = PRE sq[{x}] = {4} & {x} <| sq = {2 |-> 4} THEN skip END; "
    text += "bad = PRE (FALSE |-> 0) : Pairs THEN x := 77 END END"
    (tmp_path / "inf.mch").write_text(text)
    result = check(load(tmp_path / "inf.mch")).results[0].outcome
    # s grows by 4, 2, 0 in this order round and round: 6 * 8 values of x and s, of which 1 + 2 + ... are reached
    states = {(5, frozenset[int]())}
    waiting = list(states)
    moves = 0
    while waiting:
        x, s = waiting.pop()
        found = [(x - 1 if x else 5, s)] + ([(x, s | {x})] if x in (0, 2, 4) and x not in s else [])
        moves += len(found) + (x in (1, 2, 3)) + (x == 2)
        waiting += [t for t in found if t not in states]
        states |= set(found)
    assert (result.verdict.value, result.statistics.states, result.statistics.transitions) == (
        "holds",
        len(states) + 1,
        moves + 2,
    )


UNBOUNDED = {
    "a number": ("n : 1..3", "n := 1", "n := n * 2"),
    "numbers in a set": ("s <: 1..3", "s := {1}", "s := s \\/ {2 * max(s)}"),
    "values of a function": ("f : {0} --> 1..3", "f := {0 |-> 1}", "f(0) := 2 * f(0)"),
    "a pair": ("p : (1..3) * (1..3)", "p := 1 |-> 1", "ANY a, b WHERE p = a |-> b THEN p := 2 * a |-> 2 * b END"),
}


@pytest.mark.parametrize("engine", ["explicit", "reference"])
@pytest.mark.parametrize(("invariant", "start", "step"), UNBOUNDED.values(), ids=UNBOUNDED)
def test_what_breaks_the_invariant_goes_on(tmp_path: Path, invariant: str, start: str, step: str, engine: str) -> None:
    """The bounds of numbers hold as long as the invariant does; beyond that nothing is an error of the machine."""
    variable = invariant[0]
    path = tmp_path / "m.mch"
    path.write_text(
        f"MACHINE m VARIABLES {variable}, k INVARIANT {invariant} & k : 0..6 INITIALISATION {start} || k := 0\n"
        f"OPERATIONS go = SELECT k < 6 THEN {step} || k := k + 1 END; rest = SELECT k = 6 THEN skip END END"
    )
    for properties, verdict, depth in (((), "fails", 2), (("k < 6",), "fails", 6), (("k < 7",), "holds", 6)):
        found = check(load(path), CheckOptions(properties=properties, engine=engine)).worst
        assert found.verdict == verdict
        assert found.outcome.trace is None or len(found.outcome.trace.steps) == depth
    everything = check(load(path), CheckOptions(engine=engine, search=SearchOptions(all_errors=True))).worst
    assert counts(everything) == (7, 8)
    assert everything.outcome.message.startswith("invariant violated")


def test_a_parameter_out_of_a_set_that_is_not_defined_everywhere(tmp_path: Path) -> None:
    """x : {y | P(y)} says P(x); as a guard that is false where it is not defined."""
    result = ask(
        tmp_path,
        """MACHINE m SETS S = {a, b, c} CONSTANTS f PROPERTIES f = {a |-> b, b |-> b}
        VARIABLES x INVARIANT x : S INITIALISATION x := a
        OPERATIONS one(y) = PRE y : {z | f(z) = b} THEN x := y END;
          two(y, w) = PRE y |-> w : {z, v | v : S & f(z) = v & z /= v} THEN x := w END END""",
    )
    assert result.outcome.verdict is Verdict.HOLDS
    assert counts(result) == (3, 8)


def test_implications_for_both_cases_say_what_a_name_is(tmp_path: Path) -> None:
    """Functions of relations, each applied to what the one before gives: 512 ** 3 values if they were gone through."""
    text = """MACHINE Main SETS S = {a, b, c}
        DEFINITIONS either(p, r, t) == {z, y | z : BOOL & y : S <-> S & (p => y = r) & (not(p) => y = t)}(TRUE)
        VARIABLES f, x INVARIANT f : S <-> S & x : S INITIALISATION f, x := {}, a
        OPERATIONS
          move = ANY v WHERE v : S & v /= x THEN x := v END;
          set = f := (%t.(t : S <-> S | (%u.(u : S <-> S | either(x = b, u <+ {b |-> a}, u)))(
            (%u.(u : S <-> S | either(x = a, u <+ {a |-> b}, u)))(t))))((%u.(u : S <-> S | either(x = c, {}, u)))(f))
        END"""
    result = ask(tmp_path, text)
    assert result.outcome.verdict is Verdict.HOLDS
    assert counts(result) == (12, 37)  # f is one of {}, {a |-> b}, {b |-> a} and both


def test_sets_may_be_as_large_as_others(tmp_path: Path) -> None:
    text = """MACHINE Main SETS T; S; E = {a, b, c}; U CONSTANTS n
        PROPERTIES card(T) = card(S) + 1 & card(S) = n & n = card(E) & card(U) <= card(E) - 2
        VARIABLES x INVARIANT x = card(T) * 100 + card(S) * 10 + card(U)
        INITIALISATION x := 431 OPERATIONS stay = skip END"""
    assert ask(tmp_path, text).outcome.verdict is Verdict.HOLDS


def test_a_number_without_bounds_is_chosen_before_what_it_is_the_size_of(tmp_path: Path) -> None:
    """Chosen first, f would be any of the 2 ** 25 relations between -1..3 and -1..3."""
    text = """MACHINE Main CONSTANTS f, n PROPERTIES f : 1..n --> INTEGER
        VARIABLES x INVARIANT x = n INITIALISATION x := n OPERATIONS stay = skip END"""
    result = ask(tmp_path, text)
    assert result.outcome.verdict is Verdict.UNKNOWN  # numbers were cut
    assert counts(result) == (2 * 157, 3 * 157)  # for n from -1 to 3: 1 + 1 + 5 + 25 + 125


def test_a_partition_says_how_many_elements_a_set_has(tmp_path: Path) -> None:
    text = """MACHINE Main SETS P CONSTANTS a, b, c PROPERTIES partition(P, {a}, {b}, {c})
        VARIABLES x INVARIANT x : P INITIALISATION x := a OPERATIONS turn(y) = PRE y : P THEN x := y END END"""
    result = ask(tmp_path, text)
    assert result.outcome.verdict is Verdict.HOLDS
    assert counts(result) == (4, 11)  # the constants, and three values of x with three steps each


def test_sequences_of_sequences_may_grow(tmp_path: Path) -> None:
    """How many values they might have is not written down: the number has thousands of millions of bits."""
    text = """MACHINE Main VARIABLES x INVARIANT x : seq(seq(0..1)) INITIALISATION x := []
        OPERATIONS set = x := [[0], [1, 0]]; join = SELECT x /= [] THEN x := [conc(x)] END END"""
    result = ask(tmp_path, text)
    assert result.outcome.verdict is Verdict.HOLDS
    assert counts(result) == (3, 6)


def test_older_words_for_clauses_and_a_variant_before_the_invariant(tmp_path: Path) -> None:
    text = """MACHINE Main VISIBLE_CONSTANTS c HIDDEN_CONSTANTS d PROPERTIES c = 1 & d = 3
        HIDDEN_VARIABLES x VISIBLE_VARIABLES y INVARIANT x : 0..d & y : {c} INITIALISATION x, y := 0, c
        OPERATIONS up = VAR i IN i := x;
          WHILE i < d DO i := i + 1 VARIANT d - i INVARIANT i : 0..d END; x := i END END"""
    result = ask(tmp_path, text)
    assert result.outcome.verdict is Verdict.HOLDS
    assert counts(result) == (3, 4)
