"""Random Promela programs with random formulas beside SPIN, reduced and unreduced, with and without fairness.

One difference is SPIN's: with its option -f it does not find a run that ends if the claim has to leave its accepting
state again and again while the last state is repeated, although fairness cannot matter on a run that ends.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from subprocess import CalledProcessError

import pytest
from promela_random import random_program
from spin_verdicts import Pan, is_installed

from quorbit.machine.options import SearchOptions
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.report.record import CheckResult
from quorbit.source.errors import UserError

FORMULAS = (
    "[]<> (g0 == 1)",
    "<>[] (g1 == 0)",
    "[] (g0 == 1 -> <> (g1 == 1))",
    "<> (g0 == 2)",
    "(g0 == 0) U (g1 == 1)",
    "[]<> (g1 != g0)",
    "<>[] (g0 < 2)",
    "[] (g1 < 2)",
    "!<> (g0 == 1 && g1 == 1)",
    "(g0 == 0) W (g1 == 2)",
)
MOST_STATES = 20_000


def ask(model: Model, name: str, symmetry: str, fair: bool) -> CheckResult:
    search = SearchOptions(fairness="weak" if fair else "none", max_states=MOST_STATES)
    (result,) = check(model, CheckOptions((name,), symmetry, search=search)).results
    return result


def ends(result: CheckResult) -> bool:
    trace = result.outcome.trace
    return trace is not None and trace.loop == len(trace.steps)


def compare(seed: int, folder: Path) -> int:
    """How many verdicts were compared; they are equal."""
    formulas = Random(seed).sample(FORMULAS, 3)
    path = folder / f"m{seed}.pml"
    path.write_text(random_program(seed) + "".join(f"ltl f{k} {{ {f} }}\n" for k, f in enumerate(formulas)))
    pan = Pan(path, folder)
    try:
        model = load(path)
        pan.verifier("claim")
    except (UserError, CalledProcessError):
        return 0  # labels and jumps where SPIN, or both of us, do not want them
    compared = 0
    for k in range(len(formulas)):
        without_fairness = pan.holds(f"f{k}", fair=False)
        for fair in (False, True):
            expected = pan.holds(f"f{k}", fair) if fair else without_fairness
            results = [ask(model, f"f{k}", symmetry, fair) for symmetry in ("auto", "off")]
            if any("limit" in result.outcome.message for result in results):
                continue
            for result in results:
                missed = fair and expected and not without_fairness and ends(result)
                assert result.verdict == ("fails" if missed or not expected else "holds"), (seed, formulas[k], fair)
                compared += 1
    return compared


def test_a_few_programs(tmp_path: Path) -> None:
    if is_installed():
        assert sum(compare(seed, tmp_path) for seed in (20, 41)) > 12


@pytest.mark.soak
def test_many_programs(tmp_path: Path) -> None:
    if is_installed():
        assert sum(compare(seed, tmp_path) for seed in range(100, 300)) > 1000
