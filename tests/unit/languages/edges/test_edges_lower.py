"""What edge diagrams mean: states counted by hand or by formula, mistakes with their places, no needless pinning."""

from __future__ import annotations

from itertools import product

import pytest

from quorbit.engines.reference.explore import explore
from quorbit.languages.edges.load import load_source
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.meaning.show import show_state
from quorbit.model.system.system import Invariant, NoDeadlock, System, Temporal
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.report.record import Found
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError
from quorbit.source.span import Source


def load(text: str, **options: object) -> System:
    return load_source(Source("test.edges", text), LoadOptions(**options))  # type: ignore[arg-type]


def count(text: str) -> int:
    system = load(text)
    return explore(system, ()).statistics.states


def symmetry_order(text: str) -> int:
    system = load(text)
    symmetry = prepare(system, system.properties, CheckOptions()).symmetry
    assert isinstance(symmetry, Found)
    assert symmetry.order is not None
    return symmetry.order


def complaint(text: str) -> str:
    with pytest.raises(UserError) as caught:
        load(text)
    return f"{caught.value.span.line}:{caught.value.span.column}: {caught.value.message}"


FREE = "processes 3 states A, B, C no deadlock check "


@pytest.mark.parametrize(
    ("text", "states"),
    [
        (FREE + "A -> B B -> C C -> A", 27),
        (FREE + "A -> B", 8),
        (FREE + "A -> B when i = 2", 2),
        (FREE + "A -> B when i != 2", 4),
        (FREE + "A -> B when i < 3", 4),
        (FREE + "A -> B when i >= 2", 4),
        (FREE + "A -> B when 1 < i <= 3", 4),
        (FREE + "A -> B when i in {1, 3}", 4),
        (FREE + "A -> B when i in 2..3", 4),
        (FREE + "A -> B when i % 2 = 1", 4),
        (FREE + "A -> B when #B = 0", 4),
        (FREE + "A -> B when #{B, C} < 2", 7),
        (FREE + "A -> B when exists j: j = i + 1 and s[j] = B", 1),
        (FREE + "A -> B when i = 3 or exists j: j = i + 1 and s[j] = B", 4),
        (FREE + "A -> B when i = 3 or s[next(i)] = B", 4),
        (FREE + "A -> B when i = 1 or s[prev(i)] = B", 4),
        (FREE + "A -> B when forall j < i: s[j] = B", 4),
        (FREE + "A -> B when forall j != i: s[j] = A", 4),
        (FREE + "A -> B when (count j: s[j] = A) = 3", 4),
        (FREE + "A -> B when s[3] = A and i < 3 or s[1] = B", 6),
        (FREE + "A, B -> C", 8),
        (FREE + "* -> B when i = 1", 2),
        (FREE + "A -> B when true => false", 1),
        (FREE + "A -> B when (s[1] = B) <=> (i = 2)", 6),
        (FREE + "A -> B when j_is_not_here = 3 shared j_is_not_here: 0..5 = 3", 8),
        (FREE + "A -> B with k in 1..2 do n := k shared n: 0..2", 1 + 7 * 2),
        (FREE + "A -> B with j when j != i do last := j shared last: process or none", 1 + 3 * 2 + 3 * 3 + 3),
        (FREE + "A -> B do last := i shared last: process = none", 1 + 3 + 3 * 2 + 3),
        (FREE + "A -> B do done := true local done: bool", 8),
        (FREE + "A -> B when not done[1] do done := true local done: bool", 8),
        (FREE + "A -> B with j when s[j] = A and j != i do s[j] := C", 1 + 6),
        (FREE + "init B, C", 8),
        (FREE + "init 2: B, C init A", 2),
        (FREE + "init (A, B, C), (C, B, A)", 2),
        (FREE + "shared x: bool = any shared y: {p, q, r} = any", 6),
        (FREE + "shared x: process = any", 3),
        (FREE + "shared x: process or none = any", 4),
        (FREE + "local x: 1..2 = any", 8),
    ],
)
def test_number_of_states(text: str, states: int) -> None:
    assert count(text) == states


def test_classes() -> None:
    text = "class reader[2], writer[1] states A, B no deadlock check "
    assert count(text + "reader: A -> B") == 4
    assert count(text + "writer: A -> B") == 2
    assert count(text + "A -> B when #B[reader] < 1") == 6
    assert count(text + "A -> B when i in reader and s[writer] = A") == 4
    assert count(text + "A -> B when i = reader[2]") == 2
    assert count(text + "A -> B when i = #reader") == 2
    assert count(text + "A -> B when forall j in reader: s[j] = A") == 6
    assert [atom.name for atom in load(text).atoms] == ["reader[1]", "reader[2]", "writer"]
    assert [atom.name for atom in load("processes r: 1..2, w: 3 states A").atoms] == ["1", "2", "3"]


def test_constants_and_defines() -> None:
    text = "const n = 2 const m = n + 1 processes m states A, B A -> B"
    assert len(load(text).atoms) == 3
    assert len(load(text, defines=(("n", "4"),)).atoms) == 5
    with pytest.raises(UserError, match="no constant k"):
        load(text, defines=(("k", "4"),))
    with pytest.raises(UserError, match="should be a number"):
        load(text, defines=(("n", "x"),))


def test_assignments_happen_at_once() -> None:
    system = load("processes 1 states A, B shared x: 0..9 = 1 shared y: 0..9 = 2 A -> B do x := y, y := x")
    meaning = Meaning(system)
    (start,) = meaning.initial_states()
    (move,) = meaning.moves(start)
    assert show_state(system, move.target) == {"s[1]": "B", "x": "2", "y": "1"}


def test_properties() -> None:
    system = load(
        "processes 2 states A, B A -> B\n"
        'invariant one: #B <= 1\nerror "too many": #B = 2\ninvariant #A >= 0\n'
        "property often: forall j: G F s[j] = A\nproperty always: AG (#A < 3)\ndeadlock ok when #B = 2\n"
    )
    names = [p.name for p in system.properties]
    assert names == ["one", "too many", "#A >= 0", "often", "always", "deadlock"]
    kinds = [type(p) for p in system.properties]
    assert kinds == [Invariant, Invariant, Invariant, Temporal, Invariant, NoDeadlock]


@pytest.mark.parametrize(
    ("text", "verdict", "name"),
    [
        ("invariant low: #B <= 1", Verdict.FAILS, "low"),
        ("error high: s[2] = B and #B > 1", Verdict.FAILS, "high"),
        ("invariant low: #B <= 2", Verdict.FAILS, "deadlock"),
        ("deadlock ok when #B = 1", Verdict.FAILS, "deadlock"),
        ("deadlock ok when #B = 2", Verdict.HOLDS, ""),
        ("deadlock ok", Verdict.HOLDS, ""),
        ("no deadlock check", Verdict.HOLDS, ""),
        ("shared x: 0..1 A -> A do x := x + 1", Verdict.FAILS, "run-time errors"),
    ],
)
def test_verdicts(text: str, verdict: Verdict, name: str) -> None:
    system = load("processes 2 states A, B A -> B " + text)
    outcome = explore(system, system.properties)
    assert (outcome.verdict, outcome.property) == (verdict, name)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("A -> B", 24),
        ("A -> B when #B < 2", 24),
        ("A -> B when i = 4", 1),  # no state tells the others apart
        ("A -> B when i < 3", 2),  # nor 3 and 4 here
        ("A -> B when i < 5", 24),  # says nothing
        ("A -> B when forall j: j != i => s[j] != C", 24),
        ("A -> B when forall j != i: s[j] != C", 24),
        ("A -> B when exists j: j < i and s[j] = C", 1),
        ("A -> B when s[next(i)] = A", 4),
        ("A -> B when s[next(i)] = A and s[prev(i)] = A", 8),
        ("A -> B when exists j: j = i + 1 and s[j] = A", 1),
        ("A -> B when exists j: (j = i % 4 + 1 or i = j % 4 + 1) and s[j] = A", 8),
        ("A -> B do last := i shared last: process or none", 24),
        ("A -> B do last := i shared last: process = 1", 24),  # the start need not be kept
        ("A -> B do last := i shared last: 1..4", 24),  # nobody reads it
        ("A -> B when last < 3 do last := i shared last: 1..4", 4),  # the numbers move along
        ("A -> B error e: s[2] = C and s[3] = C", 4),
        ("A -> B init A, B", 24),
        ("A -> B init 4: B", 6),  # 4 does nothing
        ("A -> B invariant v: forall j: forall k: j = k or s[j] = A or s[k] = A", 24),
        ("A -> B do x := x + 1 local x: 0..3", 24),
    ],
)
def test_only_what_looks_at_indices_pins_them(text: str, order: int) -> None:
    assert symmetry_order("processes 4 states A, B, C " + text) == order


def test_classes_that_are_treated_alike_are_exchanged() -> None:
    text = "class p[2], q[2] states A, B p: A -> B "
    assert symmetry_order(text) == 2  # q does not move, so no state tells its processes apart
    assert symmetry_order(text + "q: A -> B") == 24


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "1:1: the file is empty"),
        ("states A", "1:9: no processes are declared"),
        ("processes 2", "1:12: no local states are declared"),
        ("processes 0 states A", "1:1: the number of processes should be 1 to"),
        ("processes 99999999 states A", "1:1: the number of processes should be 1 to"),
        ("processes 2 processes 3 states A", "1:1: processes are declared once"),
        ("processes a: 2..3 states A", "1:11: the numbers of this class should begin at 1"),
        ("processes 2 states A, A", "1:23: A is already the name of a local state"),
        ("processes 2 states A shared A: bool", "1:29: A is already the name of a local state"),
        ("processes 2 states i", "1:20: i has a meaning of its own"),
        ("processes 2 states A A -> X", "1:27: there is no local state X, only A"),
        ("processes 2 states A A -> A when s[3] = A", "1:36: there is no process 3"),
        ("processes 2 states A A -> A when s[1] = X", "1:41: there is no name X"),
        ("processes 2 states A A -> A when s = A", "1:34: s needs an index"),
        ("processes 2 states A A -> A when 3", "1:34: expected something true or false, this is the number 3"),
        ("processes 2 states A A -> A when i and true", "1:34: expected something true or false, this is a process"),
        ("processes 2 states A A -> A when A = A", "1:34: A cannot be compared with"),
        ("processes 2 states A A -> A when true < 3", "1:34: expected a number"),
        ("processes 2 states A A -> A when forall i: true", "1:41: i is already bound here"),
        ("processes 2 states A A -> A when forall A: true", "1:41: A is already the name of a local state"),
        ("processes 2 states A invariant v: i = 1", "1:35: i is the process that moves"),
        ("processes 2 states A shared x: 0..3 = 4", "1:39: 4 is not in 0..3"),
        ("processes 2 states A shared x: 3..0", "1:32: the range 3..0 is empty"),
        ("processes 2 states A shared x: process", "1:29: say which process it starts with"),
        ("processes 2 states A shared x: process = 1 A -> A do x := none", "1:59: this variable always holds"),
        ("processes 2 states A shared x: {p, q} A -> A do x := A", "1:54: there is no value A"),
        ("processes 2 states A shared x: thing", "1:32: there is no class of processes thing"),
        ("processes 2 states A A -> A do i := 1", "1:32: only variables and local states can be assigned"),
        ("processes 2 states A local x: bool invariant v: x", "1:49: every process has its own x"),
        ("processes 2 states A init 1: A init 1: A", "1:32: the start of process 1 is given twice"),
        ("processes 2 states A init (A, A, A)", "1:27: 3 local states are given for 2 processes"),
        ("processes 2 states A invariant v: true invariant v: true", "1:40: there is already a property v"),
        ("processes 30 states A, B init A, B", "1:26: there are more than 100000 initial states"),
        ("processes 2 states A A -> A when 1 / 0 = 1", "1:34: division by zero"),
        ("class c[2] states A A -> A when s[c] = A", "1:35: c is a class of several processes"),
        ("class c[2] states A A -> A when s[c[3]] = A", "1:35: c has 2 processes"),
        ("processes 2 states A property p: G (s[1] = ", "1:43: expected"),
    ],
)
def test_mistakes_have_a_place(text: str, expected: str) -> None:
    assert complaint(text).startswith(expected)


def test_one_wrong_declaration_is_one_complaint() -> None:
    with pytest.raises(UserError) as caught:
        load("processes 2 states A\nshared x: 3..0\nA -> A when x > 1 do x := 2\nA -> B\ninvariant v: x = 1")
    assert [d.span.line for d in caught.value.diagnostics] == [2, 4]


def test_all_combinations_are_initial() -> None:
    system = load("processes 3 states A, B, C init B, C")
    found = {tuple(show_state(system, s).values()) for s in Meaning(system).initial_states()}
    assert found == set(product("BC", repeat=3))
