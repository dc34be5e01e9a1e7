"""No step of a check runs twice on one System, in any language; and the start is run as seldom as can be."""

import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

EXAMPLES = Path(__file__).parents[2] / "examples"
STEPS = {
    "extract_constants": "quorbit.model.specialise.constants",
    "trim": "quorbit.model.specialise.trim",
    "write_early": "quorbit.model.specialise.early",
    "name_identities": "quorbit.model.specialise.identities",
    "name_values": "quorbit.model.specialise.identities",
    "ground": "quorbit.model.specialise.ground",
    "detect": "quorbit.detection.detect",
    "layout_of": "quorbit.canon.layout",
    "find_structure": "quorbit.pipeline.describe",
    "classify": "quorbit.canon.classify",
    "lay_out": "quorbit.machine.compile.packing",
    "initial_states": "quorbit.model.meaning.evaluate",
    "starting_ways": "quorbit.model.meaning.evaluate",
}
# How often the start of some System is run: once to specialise it, once to search it.  The loading of Promela, which
# runs its init process, is not counted here.
MODELS = {
    "promela/service.pml": 2,
    "promela/three_tiered.pml": 2,
    "b/PhoneBook.mch": 2,
    "mutex.edges": 2,
    "murphi/mesi.m": 2,
    "circuits/ping_pong.mv": 1,  # there are many initial states: nobody looks at them one by one before the search
}


# The way from the text of a circuit to the System that is checked.
CIRCUIT_STEPS = {
    "read_netlist": "quorbit.languages.circuits.load",
    "checked": "quorbit.netlists.check",
    "prepare": "quorbit.languages.circuits.lower",
    "build_system": "quorbit.languages.circuits.lower",
}


class Calls:
    """Counts the calls of the steps, and keeps the Systems they were about."""

    def __init__(self, steps: dict[str, str]) -> None:
        self.steps = steps
        self.about: list[tuple[str, object]] = []

    def __call__(self, frame: FrameType, event: str, argument: Any) -> None:
        name = frame.f_code.co_name
        if event == "call" and name in self.steps and frame.f_globals.get("__name__") == self.steps[name]:
            first = frame.f_locals[frame.f_code.co_varnames[0]]
            self.about.append((name, subject_of(first)))


def subject_of(given: object) -> object:
    """The System that a step is about, or what else it is given."""
    return getattr(given, "system", given)


@pytest.mark.parametrize("name", MODELS)
def test_no_step_runs_twice(name: str) -> None:
    model, calls = load(EXAMPLES / name), Calls(STEPS)
    sys.setprofile(calls)
    try:
        check(model)
    finally:
        sys.setprofile(None)
    times = Counter((step, id(about)) for step, about in calls.about)  # what is kept in calls.about keeps its id
    assert {step for (step, _), n in times.items() if n > 1} == set()
    steps = Counter(step for step, _ in calls.about)
    assert (
        steps["detect"] == steps["layout_of"] == steps["find_structure"] == steps["classify"] == steps["lay_out"] == 1
    )
    assert steps["initial_states"] + steps["starting_ways"] == MODELS[name]
    assert steps["ground"] <= 2  # the System whose symmetry is looked for, and the one searched, if it is another


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("queue.v", ()),  # what its text claims
        ("fifos.v", ("fifos.ctl",)),
        ("ping_pong.mv", ("ping_pong.ctl",)),
        ("philosophers20.v", ("philosophers20.ctl",)),
    ],
)
def test_a_circuit_is_read_and_lowered_once(name: str, asked: tuple[str, ...]) -> None:
    files, calls = tuple(str(EXAMPLES / "circuits" / file) for file in asked), Calls(CIRCUIT_STEPS)
    sys.setprofile(calls)
    try:
        check(load(EXAMPLES / "circuits" / name), CheckOptions(properties=files))
    finally:
        sys.setprofile(None)
    assert Counter(step for step, _ in calls.about) == dict.fromkeys(CIRCUIT_STEPS, 1)


def test_a_formula_in_words_and_the_claims_of_a_circuit_share_what_was_read() -> None:
    calls = Calls(CIRCUIT_STEPS)
    sys.setprofile(calls)
    try:
        check(load(EXAMPLES / "circuits" / "ping_pong.mv"), CheckOptions(properties=("AG TRUE", "safety")))
    finally:
        sys.setprofile(None)
    steps = Counter(step for step, _ in calls.about)
    assert steps["read_netlist"] == steps["checked"] == 1
    assert steps["prepare"] == 2  # the states of one hold what the formula mentions


def test_states_are_counted_once_for_all_questions() -> None:
    """Safety, a cover and a liveness property: a glance counts with and without what may have no effect."""
    calls = Calls({"count": "quorbit.pipeline.prepare", "effective": "quorbit.detection.effect.effective"})
    sys.setprofile(calls)
    try:
        check(load(EXAMPLES / "murphi" / "courier.m"))
    finally:
        sys.setprofile(None)
    assert Counter(step for step, _ in calls.about) == {"effective": 3, "count": 2}
