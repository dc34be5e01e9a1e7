"""The explicit engine on models with known counts, its limits, errors and traces."""

from __future__ import annotations

import ctypes
from dataclasses import replace

import pytest
from benchmarks.models.systems import counters, mail, peterson

from quorbit.engines.explicit.explore import explore
from quorbit.engines.reference.explore import explore as explore_plainly
from quorbit.machine import library
from quorbit.machine.compile.instructions import OPERATIONS, Op
from quorbit.machine.compile.lower.system import lower
from quorbit.machine.compile.packing import lay_out, pack_state, unpack_state
from quorbit.machine.library import program_record
from quorbit.machine.options import SearchOptions
from quorbit.model.meaning.evaluate import BoundExceeded, Meaning
from quorbit.model.system.command import Command, assign
from quorbit.model.system.expression import Apply, Bound, Fresh, Interval, Operator, Parameter, Read, equal, number
from quorbit.model.system.system import Atom, Invariant, NoDeadlock, System, Variable
from quorbit.model.system.types import Number, Truth, TupleOf
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError


@pytest.mark.parametrize(
    ("system", "states", "transitions"),
    [
        (peterson(3), 770, 1741),
        (peterson(4), 20184, 56481),
        (mail(3, 2), 219429, 1042471),
        (counters(4, 5), 625, 2501),
    ],
    ids=lambda x: x.name if isinstance(x, System) else "",
)
def test_known_counts(system: System, states: int, transitions: int) -> None:
    outcome = explore(system, system.properties)
    assert outcome.verdict is Verdict.HOLDS
    assert (outcome.statistics.states, outcome.statistics.transitions) == (states, transitions)
    assert sum(outcome.statistics.levels) == states
    assert sum(outcome.statistics.fired) == transitions - 1


def test_states_come_back_from_their_words() -> None:
    system = mail(3, 2)
    layout, meaning = lay_out(system), Meaning(system)
    seen = list(meaning.initial_states())
    for s in seen:
        assert unpack_state(layout, pack_state(layout, s)) == s
        seen += [m.target for m in meaning.moves(s) if len(seen) < 200]


def test_the_operations_are_those_of_the_runtime() -> None:
    runtime = library.runtime()
    for op in OPERATIONS:
        assert runtime.qb_operation_name(op.code).decode() == op.name
        assert runtime.qb_operation_operands(op.code).decode() == op.operands
    assert runtime.qb_operation_name(len(OPERATIONS)) == b""


def test_an_unsound_program_is_refused() -> None:
    system = peterson(2)
    program = lower(system, lay_out(system), system.properties)
    runtime = library.runtime()
    assert runtime.qb_verify(ctypes.byref(program_record(program, len(system.commands)))) == -1
    jump = next(k for k, row in enumerate(program.code) if row[0] == Op.JMP.code)
    for column, wrong in ((0, 999), (4, len(program.code)), (4, -1)):
        row = list(program.code[jump])
        row[column] = wrong
        code = [*program.code[:jump], tuple(row), *program.code[jump + 1 :]]
        bad = program_record(replace(program, code=code), len(system.commands))  # type: ignore[arg-type]
        assert runtime.qb_verify(ctypes.byref(bad)) == jump
    no_end = replace(program, code=[*program.code, (Op.LI.code, 2, 0, 0, 0, 7)])
    assert runtime.qb_verify(ctypes.byref(program_record(no_end, len(system.commands)))) >= 0


def broken_peterson(n: int) -> System:
    """Mutual exclusion fails: the wait is left out."""
    system = peterson(n)
    commands = [replace(c, guard=c.guard.operands[0]) if c.label == "pass" else c for c in system.commands]  # type: ignore[union-attr]
    return replace(system, commands=tuple(commands))


def test_a_broken_invariant_has_a_shortest_trace() -> None:
    system = broken_peterson(3)
    fast, plain = explore(system, system.properties), explore_plainly(system, system.properties)
    assert fast.verdict is plain.verdict is Verdict.FAILS
    assert fast.property == plain.property == "mutual exclusion"
    assert fast.trace is not None
    assert plain.trace is not None
    assert len(fast.trace.steps) == len(plain.trace.steps)


def test_all_errors_are_counted() -> None:
    system = broken_peterson(3)
    options = SearchOptions(all_errors=True)
    fast = explore(system, system.properties, options=options)
    plain = explore_plainly(system, system.properties, options=options)
    assert fast.statistics.errors == plain.statistics.errors > 1
    assert fast.statistics.states == plain.statistics.states


def test_deadlocks() -> None:
    stop = Command("stop", equal(Read("n"), number(0)), (assign((Read("n"), number(2))),))
    system = System("stops", (), (Variable("n", Number(0, 3)),), (stop,), properties=(NoDeadlock(),))
    outcome = explore(system, system.properties)
    assert (outcome.verdict, outcome.property) == (Verdict.FAILS, "deadlock")
    allowed = NoDeadlock(allowed=equal(Read("n"), number(2)))
    assert explore(system, (allowed,)).verdict is Verdict.HOLDS


def test_limits() -> None:
    system = counters(4, 10)
    depth = explore(system, (), options=SearchOptions(max_depth=3))
    assert depth.verdict is Verdict.UNKNOWN
    assert "depth limit" in depth.message
    assert depth.statistics.levels == explore_plainly(system, (), options=SearchOptions(max_depth=3)).statistics.levels
    states = explore(system, (), options=SearchOptions(max_states=500))
    assert "limit of 500 states" in states.message
    assert states.verdict is Verdict.UNKNOWN
    memory = explore(counters(8, 8), (), options=SearchOptions(memory=1 << 20))
    assert "memory limit" in memory.message
    assert memory.verdict is Verdict.UNKNOWN
    assert memory.statistics.memory_bytes <= 1 << 20


def test_time_and_interrupts() -> None:
    timeout = explore(counters(9, 9), (), options=SearchOptions(timeout=0.06))
    assert "time limit" in timeout.message
    assert timeout.verdict is Verdict.UNKNOWN
    told: list[int] = []

    def progress(statistics: object) -> bool:
        told.append(statistics.states)  # type: ignore[attr-defined]
        return len(told) == 2

    stopped = explore(counters(9, 9), (), progress=progress)
    assert stopped.message == "interrupted"
    assert told[1] > told[0] > 0


def test_more_successors_than_a_batch_holds() -> None:
    wide = Command(
        "jump",
        equal(Read("n"), number(0)),
        (assign((Read("n"), Bound("k"))),),
        (Parameter("k", Interval(0, 19_999)),),
    )
    system = System("wide", (), (Variable("n", Number(0, 20_000)),), (wide,))
    outcome = explore(system, ())
    assert (outcome.statistics.states, outcome.statistics.transitions) == (20_000, 20_001)


def test_places_that_cannot_be_laid_out_are_refused_by_name() -> None:
    for type in (Number(0, 2**70), TupleOf((Truth(), Number(-(2**64), 0)))):
        system = System("large", (), (Variable("cupboard", type),), ())
        with pytest.raises(UserError, match="cupboard"):
            explore(system, ())


def test_numbers_beyond_64_bits_give_no_answer() -> None:
    double = Command("double", effect=(assign((Read("n"), Apply(Operator.MULTIPLY, (Read("n"), number(2))))),))
    first = Command("start", effect=(assign((Read("n"), number(1))),))
    system = System("doubling", (), (Variable("n", Number()),), (double,), (first,))
    outcome = explore(system, ())
    assert outcome.verdict is Verdict.UNKNOWN
    assert outcome.statistics.states == 63


def test_too_few_atoms() -> None:
    free = equal(Read("used", (Bound("new"),)), number(0))
    start = Command(
        "fork",
        effect=(assign((Read("used", (Bound("new"),)), number(1))),),
        parameters=(Parameter("new", Fresh((0, 1), free)),),
    )
    system = System("forks", (Atom("A", "p"), Atom("B", "p")), (Variable("used", Number(0, 1), ((0, 1),)),), (start,))
    with pytest.raises(BoundExceeded):
        explore(system, ())


def test_expressions_nested_too_deeply_are_refused() -> None:
    deep = equal(Read("n"), number(0))
    for _ in range(5000):
        deep = Apply(Operator.NOT, (deep,))
    system = System("deep", (), (Variable("n", Number(0, 1)),), (Command("c", deep),))
    with pytest.raises(UserError, match="nested too deeply"):
        explore(system, ())


def test_an_invariant_without_a_value_is_a_run_time_error() -> None:
    system = System(
        "divides",
        (),
        (Variable("n", Number(0, 1)),),
        (),
        properties=(Invariant("quotient", equal(Apply(Operator.DIVIDE, (number(1), Read("n"))), number(1))),),
    )
    outcome = explore(system, system.properties)
    assert outcome.verdict is Verdict.FAILS
    assert "division by zero" in outcome.message
