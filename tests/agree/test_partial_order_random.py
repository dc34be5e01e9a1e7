"""Random Systems: with partial-order reduction every verdict stays, and every deadlock where there is no other error.

The whole state graph by the model's meaning alone is the oracle.  The compiled engine and the reference engine choose
the same sets, so they find the same number of states, with one thread or two; unless they find states in another order,
which decides where a state leads: behind transient states.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from random import Random

import pytest
from faulting_systems import faulting_system
from interleaved_systems import interleaved_system, random_formula
from random_systems import random_system

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.canon.plan import Plan
from quorbit.detection.detect import detect
from quorbit.engines.explicit.explore import explore_with
from quorbit.engines.partial_order import find_facts
from quorbit.engines.reference.explore import Search, explore, run
from quorbit.engines.stubborn import SAFETY, Chooser
from quorbit.engines.temporal.compiled_space import explored_space
from quorbit.engines.temporal.explore import explore as explore_formula
from quorbit.engines.temporal.stored import stored_space
from quorbit.machine.options import SearchOptions
from quorbit.machine.run import opened
from quorbit.model.dependence.facts import Facts
from quorbit.model.meaning.evaluate import BoundExceeded, Fault, Meaning
from quorbit.model.specialise.ground import ground
from quorbit.model.system.expression import FALSE
from quorbit.model.system.system import State, System, Temporal
from quorbit.result.outcome import Verdict

MOST = 600  # states of a System that is worth a test
GO_ON = SearchOptions(all_errors=True, max_states=MOST)


def whole(system: System) -> tuple[set[State], bool] | None:
    """The deadlocks of a System and whether something else is wrong, by the definition alone; None if it is large."""
    meaning, dead, wrong = Meaning(system), set(), False
    found = dict.fromkeys(meaning.initial_states())
    waiting = list(found)
    while waiting:
        s, moved = waiting.pop(), False
        for move in meaning.moves(s):
            moved = True
            if move.violation is not None:
                wrong = True
            elif move.target not in found:
                found[move.target] = None
                waiting.append(move.target)
        if not moved:
            dead.add(s)
        if len(found) > MOST:
            return None
    return dead, wrong


def plan_of(system: System) -> Plan | None:
    """An exact plan for symmetries that may move the start."""
    group = detect(system, system.properties).group
    if group.is_trivial:
        return None
    plan = classify(layout_of(system), group, "auto")
    return plan if plan.exact else None


def reduced_search(system: System, plan: Plan | None, facts: Facts) -> Search:
    """The search of the reference engine, in part, past every error."""
    reduce = None if plan is None else reducer(layout_of(system), plan)
    choose = Chooser(facts, Meaning(system), SAFETY)
    search = Search(system, Meaning(system), system.properties, reduce, SearchOptions(all_errors=True), choose=choose)
    search.fired = [0] * len(system.commands)
    run(search, None)
    return search


def check_safety(system: System, plan: Plan | None = None) -> bool:
    """Whether something was saved."""
    known = whole(system)
    if known is None:
        return False
    dead, wrong = known
    reduce = None if plan is None else reducer(layout_of(system), plan)
    full = explore(system, system.properties, reduce, GO_ON)
    facts = find_facts(system, system.properties, plan)
    partly = reduced_search(system, plan, facts)
    assert (partly.errors > 0) == (full.verdict is Verdict.FAILS)
    if not wrong:
        meaning = Meaning(system)
        images = {reduce(s)[0] if reduce else s for s in dead}
        assert {s for s in partly.parents if not any(True for _ in meaning.moves(s))} == images
    options = replace(GO_ON, por="on", max_states=None)
    counts: dict[tuple[str, ...], int] = {}
    with opened(system, system.properties, options, plan, facts) as like:  # compiled once for the three searches
        for more in ({}, {"threads": 2}, {"search": "dfs"}):
            compiled = explore_with(facts, system, system.properties, plan, replace(options, **more), None, like)
            assert compiled.verdict is full.verdict, more
            counts[tuple(more)] = compiled.statistics.states
    assert counts[()] == counts["threads",]
    if system.transient == FALSE and plan is None:  # else the engines have an order or representatives of their own
        assert counts[()] == len(partly.parents)
    return len(partly.parents) < full.statistics.states


def check_seed(seed: int, symmetric: bool) -> bool:
    system = ground(interleaved_system(seed, symmetric))
    return check_safety(system, plan_of(system) if symmetric else None)


@pytest.mark.parametrize("symmetric", [False, True])
def test_verdicts_and_deadlocks_stay(symmetric: bool) -> None:
    saved = [check_seed(seed, symmetric) for seed in range(40)]
    assert sum(saved) > 6


@pytest.mark.soak
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("first", range(60, 2560, 500))
def test_verdicts_and_deadlocks_stay_at_length(first: int, symmetric: bool) -> None:
    for seed in range(first, first + 500):
        check_seed(seed, symmetric)


def check_rich(seed: int) -> None:
    """Systems with all types and operators: little is saved, and nothing may be lost."""
    system = ground(random_system(seed))
    with suppress(Fault, BoundExceeded):  # the condition of an end has no value: that is left to the caller
        check_safety(system)


def test_verdicts_stay_with_every_kind_of_expression() -> None:
    for seed in range(25):
        check_rich(seed)


def test_verdicts_stay_where_guards_and_invariants_have_no_value() -> None:
    assert sum(check_safety(faulting_system(seed)) for seed in range(60)) > 6


@pytest.mark.soak
def test_verdicts_stay_where_guards_and_invariants_have_no_value_at_length() -> None:
    assert sum(check_safety(faulting_system(seed)) for seed in range(60, 1_560)) > 150


def check_formula(seed: int, symmetric: bool) -> bool:
    """Whether something was saved; the formula has no next."""
    system = ground(interleaved_system(seed, symmetric, properties=False))
    if whole(system) is None:
        return False
    p = Temporal("formula", random_formula(Random(seed), system))
    system = replace(system, properties=(p,))
    plan = plan_of(system) if symmetric else None
    layout = layout_of(system)
    found = [
        explore_formula(system, (p,), plan, layout, SearchOptions(por=por), None, (space,))
        for por in ("off", "on")
        for space in (stored_space, explored_space)
    ]
    assert len({outcome.verdict for outcome in found}) == 1
    return found[2].statistics.states < found[0].statistics.states


@pytest.mark.parametrize("symmetric", [False, True])
def test_formulas_without_next_stay(symmetric: bool) -> None:
    saved = [check_formula(seed, symmetric) for seed in range(40)]
    assert sum(saved) > 2


@pytest.mark.soak
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("first", range(60, 1560, 500))
def test_formulas_without_next_stay_at_length(first: int, symmetric: bool) -> None:
    for seed in range(first, first + 500):
        check_formula(seed, symmetric)
