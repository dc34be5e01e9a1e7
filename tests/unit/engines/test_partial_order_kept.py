"""Small models whose answer changes when one condition of partial-order reduction is dropped (tools/conditions.py)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_partial_order import system_of

from quorbit.engines.explicit.explore import explore as explore_compiled
from quorbit.engines.partial_order import find_facts
from quorbit.engines.reference.explore import explore
from quorbit.engines.stubborn import SAFETY, Chooser
from quorbit.engines.temporal.compiled_space import explored_space
from quorbit.engines.temporal.explore import explore as explore_formula
from quorbit.engines.temporal.stored import stored_space
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.command import Assign, Command, Require, Together
from quorbit.model.system.expression import FALSE, Apply, Expr, Operator, Read, conjunction, equal, negation, number
from quorbit.model.system.formula import Always, Not, Proposition
from quorbit.model.system.system import Assertions, NoDeadlock, System, Temporal, Variable
from quorbit.model.system.types import Number
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import prepare
from quorbit.result.outcome import Verdict

WAYS = ({}, {"search": "dfs"}, {"threads": 2})


def verdicts(system: System) -> Iterator[Verdict]:
    """In full; in part by the reference engine and by the compiled one."""
    yield explore(system, system.properties).verdict
    chooser = Chooser(find_facts(system, system.properties, None), Meaning(system), SAFETY)
    yield explore(system, system.properties, choose=chooser).verdict
    for more in WAYS:
        options = SearchOptions(por="on", **more)  # type: ignore[arg-type]
        yield explore_compiled(system, system.properties, None, None, options).verdict


WAITS_FOR_A_MESSAGE = """chan c = [2] of { byte, byte }; byte x;
active [2] proctype P() { c!1,2 }
active proctype Q() { c?1,x }
active proctype R() { x = 1 }
active proctype M() { timeout -> assert(x == 2) }
"""
MENDED = """byte i, x;
active proctype Q() { i = 1 }
active proctype R() { x = 1 }
active proctype P() { if :: (x == 1 && 4 / i == 4 && false) -> skip :: x == 1 -> skip fi }
"""
ASKED_BEFORE = """byte w, x, y, z; bool go;
active proctype U() { z = 3 }
active proctype S() { (y == 1) -> z = 1 }
active proctype R() { (z == 3) -> x = 1; y = 1 }
active proctype Q() { (y == 1) -> go = true }
active proctype P() { (x + y == 2 && go) -> z = 2 }
active proctype M() { timeout -> assert(z == 2) }
active proctype V() { (x == 1) -> w = 2 }
"""
WIDE = """short n; byte y, z; bool go;
active proctype S() { (y == 1) -> z = 1 }
active proctype V() { byte v; v = 1 }
active proctype R() { n = 2000; y = 1 }
active proctype Q() { (y == 1) -> go = true }
active proctype P() { (n > 999 && go) -> z = 2 }
active proctype M() { timeout -> assert(z == 2) }
"""
PROMELA = {
    "what an empty queue's first message is, nobody knows": WAITS_FOR_A_MESSAGE,
    "an error that waits for something else than its divisor": MENDED,
    "a test that was false in an earlier state": ASKED_BEFORE,
    "a test of a number of many bits": WIDE,
}


@pytest.mark.parametrize("name", PROMELA)
def test_no_error_is_lost(name: str, tmp_path: Path) -> None:
    assert set(verdicts(system_of(PROMELA[name], tmp_path))) == {Verdict.FAILS}


ONE_OF_TWO = """bool p, q, x;
active proctype L() { do :: x = !x :: x -> break od; q = true }
active proctype Q() { p = true }
ltl f { [] (p -> <> q) }
"""


def test_all_successors_have_to_be_new_not_one(tmp_path: Path) -> None:
    """Where the loop may be left, one of two successors is new and the other closes the cycle.  If that were enough, p
    would hold outside of the loop only."""
    path = tmp_path / "model.pml"
    path.write_text(ONE_OF_TWO, encoding="utf-8")
    system = load(path).system
    (p,) = (p for p in system.properties if isinstance(p, Temporal))
    system = prepare(system, (p,), CheckOptions(symmetry="off")).system
    (p,) = (p for p in system.properties if isinstance(p, Temporal))
    assert set(formula_verdicts(system, p)) == {Verdict.FAILS}


def formula_verdicts(system: System, p: Temporal) -> Iterator[Verdict]:
    for space in (stored_space, explored_space):
        for por in ("off", "on"):
            yield explore_formula(system, (p,), None, None, SearchOptions(por=por), None, (space,)).verdict


LEFT_LATER = """bool x; byte y;
active proctype P() { do :: x = !x od }
active proctype Q() { y = 1; y = 2; assert(false) }
"""


def test_a_run_is_found_again_through_what_was_left_for_later(tmp_path: Path) -> None:
    """Where it is not kept from which state each was found, levels are expanded again, and all ways count."""
    system = system_of(LEFT_LATER, tmp_path)
    found = explore_compiled(system, system.properties, None, None, SearchOptions(por="on", no_parents=True))
    assert found.verdict is Verdict.FAILS
    assert found.trace is not None


LOOPS_AND_WORK = """byte a, b;
active [2] proctype W() { byte i; do :: i < 40 -> a = (a + b + 1) % 64; b = (2 * b + a) % 64; i++ :: else -> break od }
active proctype L() { bool x; do :: x = !x :: break od; a = 1 }
"""


def test_threads_find_the_same_leads(tmp_path: Path) -> None:
    """In levels that are wide enough for threads to share them."""
    system = system_of(LOOPS_AND_WORK, tmp_path)
    found = [
        explore_compiled(system, system.properties, None, None, SearchOptions(por="on", threads=threads, native=False))
        for threads in (1, 2)
    ]
    assert found[0].statistics.states == found[1].statistics.states
    assert found[0].por == found[1].por


# Systems by hand: ways that lead nowhere, since a transient state has no command that can run in it.


def small(*names: str) -> tuple[Variable, ...]:
    return tuple(Variable(name, Number(0, 1)) for name in names)


def put(*pairs: tuple[Read, Expr]) -> Together:
    return Together(tuple(Assign(place, value) for place, value in pairs))


A, D, T, X = Read("a"), Read("d"), Read("t"), Read("x")
ZERO, ONE = number(0), number(1)
STORED = equal(T, ZERO)
LOST = Command("lost", conjunction([equal(A, ZERO), STORED]), (put((T, ONE), (A, ONE)),))
TURNS = Command("turns", STORED, (put((X, Apply(Operator.SUBTRACT, (ONE, X)))),))


def with_dead_ways(commands: tuple[Command, ...], properties: tuple[object, ...]) -> System:
    return System(
        "dead ways",
        (),
        small("a", "d", "t", "x"),
        commands,
        properties=properties,  # type: ignore[arg-type]
        transient=negation(STORED),
    )


def test_a_chosen_command_that_leads_nowhere_does_not_keep_others_waiting() -> None:
    bad = Command("bad", conjunction([equal(D, ZERO), STORED]), (Require(FALSE, "bad"), put((D, ONE))))
    assert set(verdicts(with_dead_ways((LOST, bad), (Assertions(),)))) == {Verdict.FAILS}


def test_a_loop_is_left_where_there_are_transient_states_too() -> None:
    bad = Command("bad", conjunction([equal(D, ZERO), STORED]), (Require(FALSE, "bad"), put((D, ONE))))
    assert set(verdicts(with_dead_ways((TURNS, bad, LOST), (Assertions(),)))) == {Verdict.FAILS}


def test_the_same_for_formulas() -> None:
    step = Command("step", conjunction([equal(D, ZERO), STORED]), (put((D, ONE)),))
    p = Temporal("never", Always(Not(Proposition(equal(D, ONE)))))
    system = with_dead_ways((LOST, step), (p,))
    assert set(formula_verdicts(system, p)) == {Verdict.FAILS}


def test_a_state_that_goes_on_is_not_a_deadlock_since_the_rest_leads_nowhere() -> None:
    """The loop is a set of its own; what is looked at when it has come back is a way that leads nowhere."""
    assert set(verdicts(with_dead_ways((TURNS, LOST), (NoDeadlock(),)))) == {Verdict.HOLDS}


STUTTERS = """
var p, q : 0 .. 1;
startstate p := 0; q := 0; end;
startstate p := 0; q := 1; end;
rule "stay" begin q := 1 - (1 - q); end;
rule "turn" begin p := 1 - p; end;
"""
TURNS_FIRST = """
var p, q : 0 .. 1;
startstate p := 0; q := 0; end;
startstate p := 0; q := 1; end;
rule "turn" begin p := 1 - p; end;
rule "stay" begin q := 1 - (1 - q); end;
"""


@pytest.mark.parametrize("text", [STUTTERS, TURNS_FIRST], ids=["chosen", "left for later"])
def test_a_state_is_not_a_deadlock_since_some_of_its_moves_change_nothing(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.m"
    path.write_text(text, encoding="utf-8")
    system = load(path).system
    system = prepare(system, system.properties, CheckOptions(symmetry="off")).system
    assert any(isinstance(p, NoDeadlock) and p.stuttering for p in system.properties)
    assert set(verdicts(system)) == {Verdict.HOLDS}


STAYS = """
var p, q : 0 .. 1;
startstate p := 0; q := 0; end;
startstate p := 1; q := 1; end;
rule "p" begin p := 1 - (1 - p); end;
rule "q" begin q := 1 - (1 - q); end;
"""


def test_a_deadlock_is_told_once(tmp_path: Path) -> None:
    """Also where its moves, which change nothing, are looked at in two portions."""
    path = tmp_path / "model.m"
    path.write_text(STAYS, encoding="utf-8")
    system = load(path).system
    system = prepare(system, system.properties, CheckOptions(symmetry="off")).system
    for por in ("off", "on"):
        options = SearchOptions(por=por, all_errors=True)
        assert explore_compiled(system, system.properties, None, None, options).statistics.errors == 2
