"""Answers of the symbolic engine: limits, libraries, refusals, counts, dead ends."""

from __future__ import annotations

import pytest

from quorbit.bdd.open import is_installed
from quorbit.engines.symbolic.explore import SymbolicOptions, check_all, refusal
from quorbit.machine.options import SearchOptions
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import Apply, Bound, Interval, Operator, Parameter, Read, equal, negation, number
from quorbit.model.system.formula import AllPaths, Always, Eventually, Proposition, SomePath
from quorbit.model.system.system import Invariant, NoDeadlock, System, Temporal, Variable
from quorbit.model.system.types import Number
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

X = Read("x")


def counter(top: int = 5, stops: bool = False) -> System:
    """x counts up from 0; at the top it stays, or stops."""
    grow = Command(
        "grow",
        Apply(Operator.LESS, (X, number(top))),
        (assign((X, Apply(Operator.ADD, (X, number(1))))),),
    )
    stay = Command("stay", equal(X, number(top)), (assign((X, X)),))
    commands = (grow,) if stops else (grow, stay)
    properties = (
        Invariant("small", negation(equal(X, number(top)))),
        NoDeadlock(),
        Temporal("arrives", AllPaths(Eventually(Proposition(equal(X, number(top)))))),
        Temporal("stays low", SomePath(Always(Proposition(negation(equal(X, number(top))))))),
    )
    return System("counter", (), (Variable("x", Number(0, top)),), commands, properties=properties)


@pytest.mark.parametrize("library", [name for name in ("oxidd", "cudd") if is_installed(name)])
def test_all_kinds_of_properties(library: str) -> None:
    system = counter()
    outcomes = check_all(system, system.properties, symbolic=SymbolicOptions(library))
    assert [o.verdict.value for o in outcomes] == ["fails", "holds", "holds", "fails"]
    assert outcomes[0].statistics.states == 6
    assert outcomes[0].statistics.levels == (1,) * 6
    assert outcomes[0].trace is not None
    assert [step.state for step in outcomes[0].trace.steps] == [(1,), (2,), (3,), (4,), (5,)]


def test_a_run_that_stops_is_a_deadlock() -> None:
    system = counter(stops=True)
    (outcome,) = check_all(system, (NoDeadlock(),))
    assert outcome.verdict is Verdict.FAILS
    assert outcome.trace is not None
    assert outcome.trace.steps[-1].state == (5,)


def test_formulas_on_models_of_several_commands_that_can_stop_are_refused() -> None:
    system = counter(stops=True)
    two = System("two", (), system.variables, (system.commands[0], system.commands[0]))
    with pytest.raises(UserError, match="can stop"):
        check_all(two, system.properties[2:3])


def test_a_witness_is_given_when_it_is_asked_for() -> None:
    system = counter()
    reach = Temporal("reach", SomePath(Eventually(Proposition(equal(X, number(3))))))
    (plain,) = check_all(system, (reach,))
    (shown,) = check_all(system, (reach,), symbolic=SymbolicOptions(witnesses=True))
    assert plain.verdict is shown.verdict is Verdict.HOLDS
    assert plain.trace is None
    assert shown.trace is not None
    assert [step.state for step in shown.trace.steps] == [(1,), (2,), (3,)]


def test_nothing_asked_gives_the_counts() -> None:
    (outcome,) = check_all(counter(), ())
    assert (outcome.verdict, outcome.statistics.states, outcome.statistics.depth) == (Verdict.HOLDS, 6, 5)


def test_limits_end_in_unknown() -> None:
    system = counter(200)
    for options in (SearchOptions(timeout=0.0), SearchOptions(max_depth=3)):
        outcomes = check_all(system, system.properties, options)
        assert {o.verdict for o in outcomes} == {Verdict.UNKNOWN}
        assert "limit" in outcomes[0].message
    (outcome,) = check_all(system, system.properties[:1], progress=lambda statistics: True)
    assert (outcome.verdict, outcome.message) == (Verdict.UNKNOWN, "interrupted")


def test_what_cannot_be_honoured_is_refused() -> None:
    system = counter()
    for options in (SearchOptions(threads=2), SearchOptions(all_errors=True), SearchOptions(max_states=3)):
        with pytest.raises(UserError):
            check_all(system, (), options)
        assert refusal(system, (), options)
    assert refusal(system, (), SearchOptions()) == ""
    ranked = System("ranked", (), system.variables, (Command("a", rank=1),))
    assert "priorities" in refusal(ranked, (), SearchOptions())
    with pytest.raises(UserError, match="priorities"):
        check_all(ranked, ())


def test_parameters_and_large_types() -> None:
    jump = Command("jump", effect=(assign((X, Bound("k"))),), parameters=(Parameter("k", Interval(0, 2)),))
    (outcome,) = check_all(System("jump", (), (Variable("x", Number(0, 4)),), (jump,)), ())
    assert outcome.statistics.states == 3
    with pytest.raises(UserError, match="too many values"):
        check_all(System("large", (), (Variable("x", Number(0, 1 << 20)),), ()), ())
