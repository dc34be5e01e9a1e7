"""Inputs that do the same in every state are chosen once: every state leads where it led before."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

from quorbit.detection.functions.choices import fewer_choices
from quorbit.model.meaning.evaluate import Meaning
from quorbit.model.system.system import State, System
from quorbit.pipeline.choose import choices
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check

ONLY = "module top(clk, w); input clk; input [3:0] w; reg [3:0] a; initial a = 0;\n{}\nendmodule\n"
ONE_AT_A_TIME = "".join(f"always @(posedge clk) if (w == {1 << k}) a[{k}] <= ~a[{k}];\n" for k in range(4))


def successors(system: System, s: State) -> set[State]:
    meaning, command = Meaning(system), system.commands[0]
    return {meaning.run_effect(command, s, env) for env in meaning.bindings(command, s)}


def written(folder: Path, body: str) -> System:
    file = folder / "top.v"
    file.write_text(ONLY.format(body))
    return load(file).system


def test_one_choice_for_each_effect(tmp_path: Path) -> None:
    system = written(tmp_path, ONE_AT_A_TIME)
    assert choices(system.commands[0]) == 16
    assert choices(fewer_choices(system).commands[0]) == 5


def test_inputs_that_count_one_by_one_stay(tmp_path: Path) -> None:
    system = written(tmp_path, "always @(posedge clk) a <= w;")
    assert fewer_choices(system) is system


@pytest.mark.parametrize("seed", range(12))
def test_every_state_leads_where_it_led_before(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    nets = ["w[0]", "w[1]", "w[2]", "w[3]", "a[0]", "a[1]", "a[2]", "a[3]"]

    def gate(depth: int) -> str:
        if depth == 0:
            return rng.choice(nets[:4] if rng.random() < 0.7 else nets)
        return f"({gate(depth - 1)} {rng.choice('&|^')} {rng.choice(['', '~'])}{gate(depth - 1)})"

    system = written(tmp_path, "".join(f"always @(posedge clk) a[{k}] <= {gate(3)};\n" for k in range(4)))
    fewer = fewer_choices(system)
    for s in product(*([0, 1] for _ in system.places)):
        assert successors(fewer, s) == successors(system, s)


def test_a_run_of_the_orbits_is_a_run_of_the_circuit(tmp_path: Path) -> None:
    written(tmp_path, ONE_AT_A_TIME + " wire full; assign full = &a;")
    options = CheckOptions(properties=("AG full=0",), engine="explicit")
    (result,) = check(load(tmp_path / "top.v"), options).results
    assert result.verdict == "fails"
    assert result.outcome.trace is not None
    assert len(result.outcome.trace.steps) == 4
    assert result.states == 5
