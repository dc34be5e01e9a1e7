"""Random symmetric Systems and random formulas: reduction changes no verdict, with and without fairness."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from temporal_random import random_property, random_system

from quorbit.engines.temporal import compiled_search
from quorbit.engines.temporal.explore import explore
from quorbit.engines.temporal.stored import stored_space
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.specialise import settle
from quorbit.pipeline.load import Model
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Verdict

MOST_STATES = 1500
ANY_FILE = Path(__file__).parents[1] / "models" / "temporal" / "lock.pml"  # the Systems are not read from files


def ask(model: Model, symmetry: str, fairness: str) -> CheckResult:
    search = SearchOptions(fairness=fairness, max_states=MOST_STATES)
    (result,) = check(model, CheckOptions(("f",), symmetry, search=search)).results
    return result


def compare(seed: int) -> tuple[bool, bool]:
    """Whether the case was small enough, and whether it was reduced; the verdicts are equal."""
    random = Random(seed)
    system = random_system(random)
    asked = replace(system, properties=(random_property(random, system),))
    model = Model(ANY_FILE, LoadOptions(), asked)
    fairness = random.choice(["none", "weak", "strong"])
    plain = ask(model, "off", fairness)
    if plain.outcome.verdict is Verdict.UNKNOWN:
        assert "limit" in plain.outcome.message, (seed, plain.outcome.message)
        return False, False
    reduced = ask(model, "auto", fairness)
    assert reduced.outcome.verdict is plain.outcome.verdict, (seed, fairness, reduced.outcome.message)
    return True, reduced.states < plain.states


def test_reduction_changes_no_verdict() -> None:
    found = [compare(seed) for seed in range(120)]
    assert sum(small for small, _ in found) > 80
    assert sum(smaller for _, smaller in found) > 25


def test_reduction_changes_no_verdict_where_the_search_goes_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    go_deep(monkeypatch)
    assert sum(small for small, _ in map(compare, range(200, 260))) > 40


@pytest.mark.parametrize("seed", [1137, 1312])
def test_where_the_beginning_ends_may_depend_on_the_names_of_values(seed: int) -> None:
    assert compare(seed)[0]


def test_a_formula_that_nothing_satisfies_is_broken_before_its_next_state_shows_it() -> None:
    assert compare(1416)[0]


@pytest.mark.soak
def test_reduction_changes_no_verdict_in_many_cases() -> None:
    found = [compare(seed) for seed in range(1000, 7500)]
    assert sum(small for small, _ in found) > 5000


def go_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    """The depth-first search alone finds nearly all states."""
    monkeypatch.setattr(compiled_search, "FIRST_ROUND", 3)
    monkeypatch.setattr(compiled_search, "nodes_for", lambda _size: 1 << 40)


def go_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """All states are found before a cycle is looked for."""
    monkeypatch.setattr(compiled_search, "FIRST_ROUND", 1 << 40)


def take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """In rounds of few states."""
    monkeypatch.setattr(compiled_search, "FIRST_ROUND", 2)


@pytest.mark.parametrize("way", [go_wide, go_deep, take_turns])
def test_both_sources_of_states_agree(
    way: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever search finds the states."""
    way(monkeypatch)
    for seed in range(60):
        random = Random(seed)
        system = random_system(random)
        p = random_property(random, system)
        fairness = random.choice(["none", "weak", "strong"])
        options = SearchOptions(fairness=fairness, max_states=MOST_STATES)
        special = settle(replace(system, properties=(p,)))
        slow = explore(special, special.properties, options=options, sources=(stored_space,))
        model = Model(ANY_FILE, LoadOptions(), replace(system, properties=(p,)))
        quick = ask(model, "off", fairness)
        if slow.verdict is not Verdict.UNKNOWN:
            assert quick.outcome.verdict is slow.verdict, seed
            if way is go_wide:
                assert quick.states == slow.statistics.states, seed
                assert quick.transitions == slow.statistics.transitions, seed
