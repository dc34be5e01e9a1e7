"""Models built in Python: the eight hand-built Systems in fewer lines, and mistakes that point at Python lines."""

from __future__ import annotations

import inspect

import pytest
from tests.unit.languages.python import built
from tests.unit.model import hand_built

import quorbit
from quorbit.builder import Value, how_many
from quorbit.engines.reference.explore import explore
from quorbit.languages.python.builder import Builder, Rule
from quorbit.machine.options import SearchOptions
from quorbit.pipeline.explanations import explain, revealed
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.source.errors import UserError


@pytest.mark.parametrize("expected", hand_built.EXPECTED, ids=lambda each: each.make.__name__)
def test_the_hand_built_systems_in_fewer_lines(expected: hand_built.Expected) -> None:
    make = getattr(built, expected.make.__name__)
    system = make().system()
    plain = explore(system, system.properties, options=SearchOptions(all_errors=True))
    assert plain.statistics.states == expected.states
    assert plain.statistics.transitions == expected.transitions
    found = quorbit.check(make(), CheckOptions(search=SearchOptions(all_errors=True))).about_safety.worst
    assert (found.verdict, found.states, found.symmetry.order) == (expected.verdict, expected.orbits, expected.order)


def test_they_are_shorter() -> None:
    def lines(module: object, names: list[str]) -> int:
        return sum(len(inspect.getsource(getattr(module, name)).splitlines()) for name in names)

    names = [each.make.__name__ for each in hand_built.EXPECTED]
    assert lines(built, names) < lines(hand_built, names)


def mutex(n: int = 3, favoured: bool = False) -> Builder:
    m = Builder("mutex")
    process = m.sort("process", n)
    at = m.variable("at", ("N", "T", "C"), process)
    inside = how_many(process, lambda j: at[j] == "C")

    @m.command(i=process)
    def try_it(i: Value) -> Rule:
        return m.when(at[i] == "N").do(at[i].to("T"))

    @m.command(i=process)
    def enter(i: Value) -> Rule:
        free = (inside == 0) & (i != process[0]) if favoured else inside == 0
        return m.when(at[i] == "T", free).do(at[i].to("C"))

    @m.command(i=process)
    def leave(i: Value) -> Rule:
        return m.when(at[i] == "C").do(at[i].to("N"))

    m.invariant("mutex", inside <= 1)
    m.invariant("nobody enters", inside == 0)
    return m


def test_a_model_is_checked_like_any_other() -> None:
    found = quorbit.check(mutex(), CheckOptions(properties=("mutex",))).worst
    assert (found.verdict, found.states, found.symmetry.order) == ("holds", 7, 6)
    assert quorbit.symmetry(mutex(4)).structure == "S4"


def test_traces_and_why_point_at_python() -> None:
    told = quorbit.check(mutex(), CheckOptions(properties=("nobody enters",))).worst.to_json()
    assert told["verdict"] == "fails"
    [_, last] = told["trace"][1:]
    assert last["command"].startswith("enter")
    assert last["source"]["file"] == __file__
    assert "def enter" in inspect.getsource(mutex).splitlines()[last["source"]["line"] - mutex.__code__.co_firstlineno]
    system, found = revealed(load(mutex(favoured=True)), CheckOptions())
    swap = (1, 0, 2)
    _, breaches = explain(system, found, swap)
    assert breaches[0].span.file == __file__


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda m, at, p: at[p[0]] == "X", "'X' is not a value of this variable"),
        (lambda m, at, p: bool(at[p[0]] == "N"), "write & | ~"),
        (lambda m, at, p: (at[p[0]] + 1).to(2), "only a variable can change"),
        (lambda m, at, p: how_many(range(3, 3), lambda j: j == 1), "is not empty"),
        (lambda m, at, p: Builder("empty").system(), "empty has no command"),
    ],
)
def test_mistakes_are_located(wrong: object, message: str) -> None:
    m = Builder("m")
    process = m.sort("process", 2)
    at = m.variable("at", ("N", "T"), process)
    with pytest.raises(UserError, match=message.replace("|", ".")) as caught:
        wrong(m, at, process)  # type: ignore[operator]
    assert caught.value.span.file == __file__
