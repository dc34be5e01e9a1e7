"""Which engines are tried for a question, read from their records; and that the records agree with the engines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from quorbit.engines.engine import EXTRAS, Guide, Kind, why_not
from quorbit.engines.registry import ENGINES, NAMES, find_engine
from quorbit.machine.options import SearchOptions
from quorbit.model.system.system import NoDeadlock
from quorbit.pipeline.choose import choose
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.questions import ask
from quorbit.source.errors import UserError

EXAMPLES = Path(__file__).parents[3] / "examples"
MUTEX = EXAMPLES / "mutex.edges"
CIRCUIT = EXAMPLES / "circuits" / "philosophers20.v"


def chosen(path: Path, **options: object) -> list[str]:
    (question,) = ask(load(path), CheckOptions(**options))  # type: ignore[arg-type]
    return [engine.name for engine in choose(question)]


def test_engines_in_their_order() -> None:
    assert chosen(MUTEX) == ["explicit", "reference", "symbolic"]
    assert chosen(MUTEX, properties=("G F #C = 0",)) == ["temporal", "symbolic"]
    assert chosen(MUTEX, engine="adaptive") == ["adaptive"]


def test_where_everything_moves_at_once_sets_of_states_come_first() -> None:
    assert chosen(CIRCUIT) == ["symbolic", "explicit", "reference"]


def test_a_strategy_is_for_engines_with_plans() -> None:
    assert chosen(CIRCUIT, strategy="sort") == ["explicit", "reference"]


def test_what_no_engine_can_do_is_refused_with_every_reason() -> None:
    with pytest.raises(UserError, match=r"the temporal engine searches breadth first; the symbolic engine searches"):
        chosen(MUTEX, properties=("G F #C = 0",), search=SearchOptions(search="dfs"))


def test_options_that_few_engines_have_are_refused_by_the_others() -> None:
    system = load(MUTEX).system
    for name in EXTRAS:
        given = replace(SearchOptions(), **{name: True})
        refusing = {e.name for e in ENGINES if why_not(e, system, (), given) == EXTRAS[name]}
        shared, both = ("cluster", "workers", "replicas"), ("checkpoint", "resume", "no_parents")
        serving = {"cluster"} if name in shared else {"explicit", "cluster"} if name in both else {"explicit"}
        assert refusing == set(NAMES) - {"auto", *serving}


def test_workers_ask_for_the_engine_that_has_them() -> None:
    assert chosen(MUTEX, search=SearchOptions(workers=2)) == ["cluster"]
    assert chosen(MUTEX, search=SearchOptions(cluster="local")) == ["cluster"]
    with pytest.raises(UserError, match="the cluster engine checks invariants"):
        chosen(MUTEX, properties=("G F #C = 0",), search=SearchOptions(workers=2))


def test_engines_that_do_not_see_stuttering_refuse_to_look_for_it() -> None:
    asked = (NoDeadlock(stuttering=True),)
    system = load(MUTEX).system
    unable = {engine.name for engine in ENGINES if "leave the state" in why_not(engine, system, asked, SearchOptions())}
    assert unable == {"adaptive", "symbolic"}


def test_names_are_unique_and_found() -> None:
    assert len(set(NAMES)) == len(NAMES) == len(ENGINES) + 1
    assert all(find_engine(engine.name) is engine for engine in ENGINES)
    with pytest.raises(UserError, match="unknown engine warp"):
        find_engine("warp")


def test_every_kind_of_question_has_an_engine_that_uses_a_plan() -> None:
    for kind in Kind:
        assert any(e.automatic and kind in e.kinds and e.guide is Guide.PLAN for e in ENGINES)
