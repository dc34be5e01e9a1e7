"""Values without a fixed shape: free types, real numbers, strings made in states, recursion, infinite sets."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pytest

from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.as_json import check_object
from quorbit.report.record import CheckResult
from quorbit.source.errors import UserError

LIST = "FREETYPES L = nil, cons(INTEGER * L)"
LENGTH = """len = %l.(l : L & l = nil | 0) \\/ %l.(l : L & l : ran(cons) | 1 + len(prj2(INTEGER, L)(cons~(l))))"""


def ask(folder: Path, text: str, engine: str = "auto", symmetry: str = "auto", **options: object) -> CheckResult:
    path = folder / "M.mch"
    path.write_text(text, encoding="utf-8")
    search = SearchOptions(all_errors=True)
    loaded = load(path, LoadOptions(**options))  # type: ignore[arg-type]
    return check(loaded, CheckOptions(symmetry=symmetry, engine=engine, search=search)).results[0]


def counts(found: CheckResult) -> tuple[int, int]:
    return found.states, found.outcome.statistics.transitions


def machine(variables: str, invariant: str, start: str, operations: str, before: str = "") -> str:
    head = f"MACHINE M {before} VARIABLES {variables} INVARIANT {invariant}"
    return f"{head} INITIALISATION {start} OPERATIONS {operations} END"


PUSH = machine(
    "l",
    "l : L & len(l) <= 3",
    "l := nil",
    "push(x) = PRE x : 1..2 & len(l) < 3 THEN l := cons(x |-> l) END;"
    "r <-- pop = PRE l : ran(cons) THEN r, l := prj1(INTEGER, L)(cons~(l)), prj2(INTEGER, L)(cons~(l)) END",
    f"{LIST} ABSTRACT_CONSTANTS len PROPERTIES {LENGTH}",
)
REALS = machine(
    "r, n",
    "r : REAL & r >= 0.0 & n : INTEGER",
    "r := 1.0 || n := 0",
    "up = PRE r < 3.0 THEN r := r + 0.5 || n := floor(r) END; third = PRE r = 3.0 THEN r := r / 9.0 END;"
    "k <-- look = k := ceiling(r) + floor(real(n) * 1.5)",
)
STRINGS = machine(
    "s",
    "s : STRING & STRING_LENGTH(s) <= 3",
    's := ""',
    'add(c) = PRE c : {"a", "b"} & STRING_LENGTH(s) < 3 THEN s := STRING_APPEND(s, c) END;'
    'back = PRE s = "aab" THEN s := STRING_REV(s) END',
)
SETS = machine(
    "s, f",
    "s <: INTEGER & 3 : s & f : INTEGER +-> INTEGER",
    "s := NATURAL || f := %x.(x : INTEGER | x + 1)",
    "a = PRE s = NATURAL THEN s := s - {0} END; b = PRE 0 /: s & 4 : s THEN s := {n | n : INTEGER & n mod 3 = 0} END;"
    "fin = s := 1..3; r <-- ap(k) = PRE k : 1..2 & k : s THEN r := f(k) END;"
    "h = PRE f(2) = 3 THEN f(2) := 7 END",
)


Moves = Callable[[Any], list[tuple[object, Any]]]  # calls and where they lead


def enumerated(start: Any, moves: Moves, constants: bool = False) -> tuple[int, int]:
    """States and transitions, found by the definitions that stand below and nothing of ours."""
    seen, waiting, transitions = {start}, [start], 1
    while waiting:
        for _, target in set(moves(waiting.pop())):
            transitions += 1
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return len(seen) + constants, transitions + constants


def of_lists(s: tuple[int, ...]) -> list[tuple[object, Any]]:
    pushed = [(("push", x), (x, *s)) for x in (1, 2)] if len(s) < 3 else []
    return [*pushed, *([(("pop", s[0]), s[1:])] if s else [])]


def of_reals(s: tuple[Fraction, int]) -> list[tuple[object, Any]]:
    r, n = s
    up = [("up", (r + Fraction(1, 2), floor(r)))] if r < 3 else []
    return [("look", s), *up, *([("third", (r / 9, n))] if r == 3 else [])]


def of_strings(s: str) -> list[tuple[object, Any]]:
    added = [(("add", c), s + c) for c in "ab"] if len(s) < 3 else []
    return [*added, *([("back", s[::-1])] if s == "aab" else [])]


def of_sets(at: tuple[str, int]) -> list[tuple[object, Any]]:
    s, f = at
    tests: dict[str, Callable[[int], bool]] = {
        "all": lambda k: k >= 0,
        "positive": lambda k: k >= 1,
        "third": lambda k: k % 3 == 0,
        "three": lambda k: 1 <= k <= 3,
    }
    has = tests[s]
    found: list[tuple[object, Any]] = [("fin", ("three", f))]
    found += [(("ap", k), at) for k in (1, 2) if has(k)]
    found += [("a", ("positive", f))] if s == "all" else []
    found += [("b", ("third", f))] if not has(0) and has(4) else []
    return [*found, *([("h", (s, 7))] if f == 3 else [])]


@pytest.mark.parametrize("engine", ["explicit", "reference"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PUSH, enumerated((), of_lists, constants=True)),
        (REALS, enumerated((Fraction(1), 0), of_reals)),
        (STRINGS, enumerated("", of_strings)),
        (SETS, enumerated(("all", 3), of_sets)),
    ],
)
def test_counts(tmp_path: Path, engine: str, text: str, expected: tuple[int, int]) -> None:
    assert counts(ask(tmp_path, text, engine)) == expected


def shown(found: CheckResult) -> list[dict[str, str]]:
    """The last state of the counterexample."""
    trace = found.outcome.trace
    assert trace is not None
    return [dict(step["state"]) for step in check_object(found)["trace"]]


@pytest.mark.parametrize(
    ("text", "name", "value"),
    [
        (PUSH.replace("<= 3", "<= 1"), "l", "cons(1 |-> cons(1 |-> nil))"),
        (REALS.replace("r >= 0.0", "r /= 1.0 / 3.0"), "r", "1.0 / 3.0"),
        (REALS.replace("r >= 0.0", "r < 2.5"), "r", "2.5"),
        (STRINGS.replace("<= 3", "<= 1"), "s", '"aa"'),
        (SETS.replace("& 3 : s", "& s /= 1..3"), "s", "{1, 2, 3}"),
    ],
)
def test_values_in_a_trace(tmp_path: Path, text: str, name: str, value: str) -> None:
    found = ask(tmp_path, text)
    assert found.verdict == "fails"
    assert shown(found)[-1][name] == value


def test_a_destructor_of_another_constructor_has_no_value(tmp_path: Path) -> None:
    text = machine("l, n", "l : L & n : INTEGER", "l := nil || n := 0", "bad = n := prj1(INTEGER, L)(cons~(l))", LIST)
    found = ask(tmp_path, text)
    assert (found.verdict, found.outcome.message) == ("fails", "function applied outside its domain")


def test_a_constructor_takes_what_it_is_declared_for(tmp_path: Path) -> None:
    go = "go(k) = PRE k : 1..5 THEN s := square(k) END"
    text = machine("s", "s : T", "s := dot", go, "FREETYPES T = dot, square(1..3)")
    found = ask(tmp_path, text)
    assert found.verdict == "fails"
    every = machine("s", "s : T", "s := dot", "go = s :: T", "FREETYPES T = dot, square(1..3), pair(BOOL * BOOL)")
    assert counts(ask(tmp_path, every)) == (1 + 3 + 4, 1 + 8 * 8)


def test_free_types_keep_the_atoms_inside_apart(tmp_path: Path) -> None:
    """What is spelled is not renamed, so that no symmetry moves it; the counts are those of the whole."""
    text = machine(
        "b, x",
        "b : B & x : S",
        "b := none || x :: S",
        "put = b := box(x); take = PRE b : ran(box) THEN x := box~(b) END; move = x :: S",
        "SETS S FREETYPES B = none, box(S) ",
    )
    reduced, plain = ask(tmp_path, text), ask(tmp_path, text, symmetry="off")
    assert counts(plain) == (2 + 4, 2 + 6 * 3 + 4)
    assert counts(reduced) == counts(plain)


UNDECIDED = machine(
    "s, t",
    "s <: INTEGER & t <: INTEGER",
    "s := {n | n > 1000} || t := {n | n > 2000}",
    "go = SELECT s = t THEN skip END",
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (machine("l", "l : L", "l := cons(TRUE |-> nil)", "go = skip", LIST), "INTEGER"),
        (machine("r", "r : REAL", "r := 1", "go = skip"), "REAL"),
        (machine("r", "r : REAL", "r := RSQRT(2.0)", "go = skip"), "not rational"),
        (machine("r", "r : REAL", "r := 1.0 + 1", "go = skip"), "REAL"),
        (UNDECIDED, "equal"),
        (machine("l", "l : L", "l :: L", "go = skip", LIST), "infinitely many"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        ask(tmp_path, text)


def test_functions_that_call_each_other(tmp_path: Path) -> None:
    text = machine(
        "n",
        "n : 0..30 & even(n) /= odd(n)",
        "n := 0",
        "go = PRE even(n) = TRUE & n < 30 THEN n := n + 1 END; on = PRE odd(n) = TRUE THEN n := n + 1 END",
        "ABSTRACT_CONSTANTS even, odd PROPERTIES even = {0 |-> TRUE} \\/ %k.(k : NATURAL1 | odd(k - 1))"
        " & odd = {0 |-> FALSE} \\/ %k.(k : NATURAL1 | even(k - 1))",
    )
    assert counts(ask(tmp_path, text)) == (1 + 31, 1 + 1 + 30)


def test_a_function_that_never_ends_is_told(tmp_path: Path) -> None:
    endless = "ABSTRACT_CONSTANTS f PROPERTIES f = %k.(k : INTEGER | f(k + 1))"
    text = machine("n", "n : INTEGER", "n := 0", "go = n := f(n)", endless)
    with pytest.raises(UserError, match="calls itself too often"):
        ask(tmp_path, text)


def test_infinite_sets_are_handed_to_operations(tmp_path: Path) -> None:
    text = """MACHINE M VARIABLES n, s INVARIANT n : 0..9 & s <: INTEGER INITIALISATION n := 0 || s := INTEGER
    OPERATIONS use(t) = PRE t <: INTEGER & n : t THEN n := (n + 1) mod 10 END;
      low = BEGIN s := {k | k < 5} END; go = IF n : s THEN n := (n + 1) mod 10 END; r <-- out = r := s END"""
    found = ask(tmp_path, text.replace("use(t) = PRE t <: INTEGER & n : t THEN n := (n + 1) mod 10 END;", ""))
    assert counts(found)[0] == 10 + 10
    assert found.verdict == "holds"


def test_solutions_that_depend_on_the_state(tmp_path: Path) -> None:
    """Of the 2^14 sets those are found that include s and have one element more; all elements are alike."""
    text = machine(
        "s, k",
        "s <: S & card(s) <= 2 & k : 0..2",
        "s := {} || k := 0",
        "go = PRE k < 2 THEN ANY t WHERE t <: S & card(t) = k + 1 & s <: t THEN s, k := t, k + 1 END END; stay = skip",
        "SETS S PROPERTIES card(S) = 14",
    )
    assert counts(ask(tmp_path, text, symmetry="off")) == (1 + 1 + 14 + 91, 1 + 1 + 14 + 14 * 13 + 106)
    assert counts(ask(tmp_path, text)) == (1 + 3, 1 + 1 + 2 + 3)


def test_a_permutation_that_depends_on_the_state(tmp_path: Path) -> None:
    text = machine(
        "a, p",
        "a : seq(INTEGER) & p : BOOL & (p = TRUE => a = [1, 2, 3, 4, 6, 7, 8, 9])",
        "a := [9, 3, 7, 1, 8, 2, 6, 4] || p := FALSE",
        "sort = PRE p = FALSE THEN ANY q WHERE q : perm(dom(a)) & !i.(i : 1..7 => a(q(i)) <= a(q(i + 1)))"
        " THEN a := (q ; a) || p := TRUE END END; stay = skip",
    )
    found = ask(tmp_path, text)
    assert (found.verdict, found.states) == ("holds", 2)
