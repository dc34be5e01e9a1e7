"""Walks through models of all languages: every one is a run of its model, and comes back by undoing."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from quorbit.engines.replay import check
from quorbit.engines.simulate.choices import can_run, find_choices, find_starts
from quorbit.engines.simulate.printed import printed
from quorbit.engines.simulate.random_walk import begin, ending, walk
from quorbit.engines.simulate.rerun import DoesNotFit, rerun
from quorbit.engines.simulate.session import Session
from quorbit.engines.simulate.state_graph import TooLarge, find_states, refuse_many
from quorbit.languages.options import LoadOptions
from quorbit.model.meaning.evaluate import Firing, Meaning
from quorbit.model.system.command import Command, Print, Require, Shown, assign
from quorbit.model.system.expression import FALSE, Apply, Bound, Elements, Literal, Operator, Parameter, Read, number
from quorbit.model.system.system import Atom, System, Variable
from quorbit.model.system.types import AtomOf, Number, SetOf
from quorbit.pipeline.load import load
from quorbit.report.saved_trace import SavedFiring, read_trace, save_trace

MODELS = Path(__file__).parents[3] / "models"
EXAMPLES = Path(__file__).parents[4] / "examples"
WALKED = [
    *sorted((MODELS / "promela").glob("*.pml"))[::6],
    *sorted((MODELS / "b").glob("[a-l]*.mch"))[::2],
    *sorted((MODELS / "edges").glob("*.edges"))[::3],
    EXAMPLES / "circuits" / "ping_pong.mv",
]
X = Read("x")


def counter(*commands: Command, high: int = 9) -> System:
    return System("counter", (), (Variable("x", Number(0, high)),), commands)


@pytest.mark.parametrize("path", WALKED, ids=lambda path: path.name)
def test_walks_are_runs(path: Path) -> None:
    options = LoadOptions(stepwise=True)
    system = load(path, options).system
    session = Session(system, seed=3, grow=lambda: load(path, LoadOptions(stepwise=True, bounds=8)).system)
    begin(session)
    taken = list(walk(session, 25))
    trace = session.trace()
    violation = taken[-1].violation if taken else None
    check(session.meaning, trace, violation or (session.meaning.guard_fault(session.state) if taken else None))
    saved = read_trace(json.loads(json.dumps(save_trace(session.system, path, options, trace))))
    again, _ = rerun(session.system, saved.start, saved.steps, saved.loop)
    assert again == trace
    while session.undo():
        pass
    assert (session.state, session.trace().steps) == (trace.start, ())


def test_atomic_commands_are_steps_of_their_own() -> None:
    system = load(MODELS / "promela" / "atomic_loop.pml", LoadOptions(stepwise=True)).system
    session = Session(system)
    list(walk(session, 30))
    assert len(session.trace().steps) < len(session.taken)
    assert sum(len(step.firings) for step in session.trace().steps) == len(session.taken)


def test_print_between_the_steps_of_an_effect() -> None:
    up = assign((X, Apply(Operator.ADD, (X, number(1)))))
    shown = Shown(X)
    prints = (Print(("a", shown), 0), Print(("b", shown), 1), Print(("c", shown, "\n"), 2))
    system = counter(Command("up", effect=(up, up), prints=prints))
    assert printed(Meaning(system), (3,), Firing(0, ())) == "a3b4c5\n"


def test_print_stops_at_a_violation() -> None:
    stop = Require(FALSE, "stop")
    system = counter(Command("stop", effect=(stop,), prints=(Print(("before",), 0), Print(("after",), 1))))
    assert printed(Meaning(system), (0,), Firing(0, ())) == "before"


def test_letters_of_printf() -> None:
    values = {"d": -1, "u": -1, "x": 255, "o": 8, "c": 322}
    pieces = (
        *(Shown(number(n), letter) for letter, n in values.items()),
        *(Shown(number(n), "e", ("one", "two")) for n in (2, 9)),
    )
    system = counter(Command("show", prints=(Print(pieces),)))
    assert printed(Meaning(system), (0,), Firing(0, ())) == "-14294967295ff10Btwo9"


def inputs(count: int) -> System:
    """One step that takes any set of inputs and remembers how many they are."""
    atoms = tuple(Atom(f"i{k}", "input") for k in range(count))
    every = Literal(frozenset(range(count)), SetOf(AtomOf(tuple(range(count)))))
    some = Parameter("some", Elements(Apply(Operator.POWERSET, (every,)), SetOf(AtomOf(tuple(range(count))))))
    size = Apply(Operator.SIZE, (Bound("some"),))
    step = Command("step", effect=(assign((X, size)),), parameters=(some,))
    return System("inputs", atoms, (Variable("x", Number(0, count)),), (step,), (step,))


def test_few_inputs_are_listed_and_many_are_drawn() -> None:
    few, many = Meaning(inputs(3)), Meaning(inputs(60))
    listed, complete = find_choices(few, (0,), Random(1))
    assert (len(listed), complete) == (8, True)
    drawn, complete = find_choices(many, (0,), Random(1))
    assert not complete
    assert len(drawn) > 10
    assert all(can_run(many, (0,), firing) for firing in drawn)
    assert not can_run(many, (0,), Firing(0, (frozenset({60}),)))
    assert not can_run(many, (0,), Firing(0, ()))
    starts, complete = find_starts(many, Random(1))
    assert not complete
    assert len(set(starts)) > 3


def test_choices_are_drawn_alike_for_one_seed() -> None:
    many = Meaning(inputs(40))
    assert find_choices(many, (0,), Random(7)) == find_choices(many, (0,), Random(7))
    assert find_choices(many, (0,), Random(7)) != find_choices(many, (0,), Random(8))


def test_the_graph_of_many_inputs_is_refused() -> None:
    refuse_many(Meaning(inputs(3)))
    with pytest.raises(TooLarge):
        refuse_many(Meaning(inputs(60)))
    space = find_states(inputs(3), 10)
    assert [len(space.states), len(space.initial)] == [4, 4]
    with pytest.raises(TooLarge):
        find_states(inputs(3), 3)


def test_the_end_says_why() -> None:
    below = Apply(Operator.LESS, (X, number(2)))
    up = Command("up", below, (assign((X, Apply(Operator.ADD, (X, number(1))))),))
    session = Session(counter(up))
    assert [taken.after for taken in walk(session, 10)] == [(1,), (2,)]
    assert ending(session) == ("the end: nothing can move", None)
    session.undo()
    assert ending(session) == ("stopped after 1 steps", None)


def test_a_recorded_step_after_a_violation_does_not_fit() -> None:
    system = counter(Command("fail", effect=(Require(FALSE, "no"),)))
    step = (SavedFiring("fail", Firing(0, ())),)
    _, violation = rerun(system, (0,), [step], None)
    assert violation is not None
    assert violation.message == "no"
    with pytest.raises(DoesNotFit, match="after a violation"):
        rerun(system, (0,), [step, step], None)
