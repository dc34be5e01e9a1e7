"""What partial-order reduction is refused with, and in which words; whoever asks for it by name is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_partial_order import LOCAL, answer

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.detection.detect import detect
from quorbit.engines.cluster import explore as cluster
from quorbit.engines.engine import Work
from quorbit.engines.explicit import explore as explicit
from quorbit.engines.partial_order import MOST_STEPS, facts_for_formula, find_facts, refusal
from quorbit.engines.reference.explore import explore_by_plan
from quorbit.engines.temporal.explore import explore as explore_formula
from quorbit.machine.options import SearchOptions
from quorbit.model.dependence.cases import NOBODY
from quorbit.model.specialise.ground import ground
from quorbit.model.system.command import Branch, Command, Require, Step, assign
from quorbit.model.system.expression import FALSE, TRUE, Atoms, Bound, Expr, Parameter, Read, atom, equal, number
from quorbit.model.system.formula import Accepted, AllPaths, Always, Eventually, Formula, Next, Not, Proposition
from quorbit.model.system.system import BLOCKED, Atom, Invariant, NoDeadlock, Property, System, Temporal, Variable
from quorbit.model.system.types import Number
from quorbit.result.outcome import Outcome, Verdict
from quorbit.source.errors import UserError

X, Y = Read("x"), Read("y")
ZERO = equal(X, number(0))
STEP = assign((X, number(1)))
PROPOSITION = Proposition(ZERO)
NESTED = Branch(ZERO, (STEP,))


def system_with(
    effects: tuple[tuple[Step, ...], ...] = ((STEP,), (assign((Y, number(1))),)),
    transient: Expr = FALSE,
    properties: tuple[Property, ...] = (),
) -> System:
    variables = (Variable("x", Number(0, 1)), Variable("y", Number(0, 1)))
    commands = tuple(Command(f"c{k}", TRUE, effect) for k, effect in enumerate(effects))
    return System("refused", (), variables, commands, properties=properties, transient=transient)


def reason(system: System, **options: object) -> str:
    return refusal(system, system.properties, None, SearchOptions(**options))  # type: ignore[arg-type]


SECOND = (assign((Y, number(1))),)
SYSTEMS = {
    "one command": system_with(((STEP,),)),
    "blocked": system_with(((Require(ZERO, "", BLOCKED),), SECOND)),
    "branches inside": system_with(((NESTED,), SECOND), transient=ZERO),
    f"more than {MOST_STEPS:,} steps": system_with((tuple([NESTED] * MOST_STEPS), SECOND)),
    "change nothing": system_with(transient=ZERO, properties=(NoDeadlock(stuttering=True),)),
}


@pytest.mark.parametrize("words", SYSTEMS)
def test_systems_that_are_refused(words: str) -> None:
    assert words in reason(SYSTEMS[words])
    assert reason(system_with()) == ""


def test_each_part_alone_is_not_refused() -> None:
    assert reason(system_with(((NESTED,), SECOND))) == ""
    assert reason(system_with(transient=ZERO)) == ""
    assert reason(system_with(properties=(NoDeadlock(stuttering=True),))) == ""


OPTIONS = {
    "depth limit": {"max_depth": 3},
    "represented": {"represented": True},
    "spill": {"spill": "folder"},
    "hash compaction": {"hash_compact": True},
    "bitstate": {"bitstate": 1 << 20},
}


@pytest.mark.parametrize("words", OPTIONS)
def test_options_that_are_refused(words: str) -> None:
    assert words in reason(system_with(), **OPTIONS[words])


FORMULAS: dict[str, Formula] = {
    "never claim": Not(Accepted((PROPOSITION,), ((0, 0),), (0,))),
    "CTL": AllPaths(Eventually(PROPOSITION)),
    "operator X": Eventually(Next(PROPOSITION)),
}


@pytest.mark.parametrize("words", FORMULAS)
def test_formulas_that_are_refused(words: str) -> None:
    assert words in reason(system_with(properties=(Temporal("f", FORMULAS[words]),)))


def test_fairness_is_refused() -> None:
    system = system_with(properties=(Temporal("f", Eventually(PROPOSITION)),))
    assert reason(system) == ""
    assert "fairness" in reason(system, fairness="weak")


# Symmetry.

PROCESSES = (0, 1, 2)
AT, P = Read("pc", (Bound("p"),)), Bound("p")


def symmetric() -> System:
    """Three processes, of which the start has moved the first, so that it may step."""
    start = Command("start", TRUE, (assign((Read("pc", (atom(0),)), number(1))),))
    step = Command("step", equal(AT, number(1)), (assign((AT, number(2))),), (Parameter("p", Atoms(PROCESSES)),), (P,))
    atoms = tuple(Atom(f"P{a}", "process") for a in PROCESSES)
    return ground(System("three", atoms, (Variable("pc", Number(0, 3), (PROCESSES,)),), (step,), start=(start,)))


def test_an_approximate_plan_is_refused() -> None:
    system = symmetric()
    layout, group = layout_of(system), detect(system, ()).group
    exact, approximate = classify(layout, group, "exact"), classify(layout, group, "local")
    assert (exact.exact, approximate.exact) == (True, False)
    assert refusal(system, (), exact, SearchOptions()) == ""
    assert "approximate" in refusal(system, (), approximate, SearchOptions())


def test_facts_are_those_of_the_images_of_the_start() -> None:
    """The others never have a step to take; in the images of the start they have."""
    system = symmetric()
    plan = classify(layout_of(system), detect(system, ()).group)
    assert not detect(system, ()).group.is_trivial
    for facts_of in (find_facts, facts_for_formula):
        assert len(facts_of(system, (), None).cases) == 1
        assert len(facts_of(system, (), plan).cases) == 3


def test_what_is_watched_for_is_handed_on() -> None:
    system = system_with(properties=(Invariant("i", ZERO),))
    assert [case.command for case in find_facts(system, system.properties, None).cases].count(NOBODY) == 1
    assert facts_for_formula(system, (PROPOSITION,), None).visible == 0b01
    always = Temporal("f", Always(PROPOSITION))
    assert NOBODY not in [case.command for case in find_facts(system, (always,), None).cases]


# Who asks.


def explored(engine: str, por: str) -> Outcome:
    """One command, so there is nothing to leave out."""
    system, options = system_with(((STEP,),)), SearchOptions(por=por)
    match engine:
        case "explicit":
            return explicit.explore(system, (), options=options)
        case "reference":
            return explore_by_plan(Work(system, (), options, lambda known: False))
        case "cluster":
            return cluster.explore(system, (), options=options)
    p = Temporal("f", Eventually(PROPOSITION))
    return explore_formula(system, (p,), None, None, options, None)


@pytest.mark.parametrize("engine", ["explicit", "reference", "cluster", "temporal"])
def test_asked_for_by_name_it_is_refused_with_the_reason(engine: str) -> None:
    with pytest.raises(UserError, match="cannot be used here: the model has one command"):
        explored(engine, "on")
    if engine != "cluster":
        assert explored(engine, "off").verdict is Verdict.HOLDS


@pytest.mark.parametrize("engine", ["explicit", "reference", "temporal"])
def test_auto_goes_on_in_full_and_says_why(engine: str) -> None:
    found = explored(engine, "auto")
    assert not found.por.used
    assert ("--por on" if engine == "reference" else "the model has one command") in found.por.reason


def test_a_checkpoint_in_part_does_not_go_on_in_full(tmp_path: Path) -> None:
    folder = str(tmp_path / "checkpoint")
    answer(LOCAL, tmp_path, por="on", checkpoint=folder, max_states=60)
    with pytest.raises(UserError, match="checkpoint"):
        answer(LOCAL, tmp_path, resume=folder)


def test_auto_leaves_a_search_with_checkpoints_in_full(tmp_path: Path) -> None:
    found = answer(LOCAL, tmp_path, por="auto", checkpoint=str(tmp_path / "checkpoint"))
    assert "checkpoints" in found.outcome.por.reason
    assert found.states == answer(LOCAL, tmp_path).states
