"""Adaptive reduction on models in all languages: the states, verdicts and distances of the reference engine."""

from pathlib import Path

import pytest
from tests.unit.engines.adaptive.represented_states import represented

from quorbit.canon.classify import classify
from quorbit.canon.layout import layout_of
from quorbit.canon.minimise import reducer
from quorbit.detection.commands.partition import coarser_share, infer_partitions
from quorbit.detection.detect import detect
from quorbit.engines.adaptive.explore import explore, run
from quorbit.engines.adaptive.search import open_search
from quorbit.engines.reference.explore import explore as explore_reference
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.specialise import specialise
from quorbit.model.system.system import System, Temporal
from quorbit.pipeline.load import load
from quorbit.result.outcome import Verdict

MODELS = Path(__file__).parent.parent / "models"
NAMES = (
    "edges/resource_by_index.edges",
    "edges/reference.edges",
    "edges/peterson.edges",
    "edges/no_flags.edges",
    "promela/assert_fails.pml",
    "promela/atomic_loop.pml",
    "promela/bit_ops.pml",
    "promela/channel_array.pml",
    "promela/d_step_loop.pml",
    "promela/dekker_broken.pml",
    "promela/goto_out_of_atomic.pml",
    "promela/nr_pr_seen.pml",
    "promela/process_death_order.pml",
    "promela/readers_writers.pml",
    "promela/semaphore.pml",
    "promela/timeout_guard.pml",
    "b/lamp.mch",
    "b/queue.mch",
    "b/undefined.mch",
)


def system_of(path: Path) -> System:
    return specialise(load(path, LoadOptions()).system).system


@pytest.mark.parametrize("name", NAMES)
def test_same_answers(name: str) -> None:
    system = system_of(MODELS / name)
    safety = tuple(p for p in system.properties if not isinstance(p, Temporal))
    expected = explore_reference(system, safety)
    found = explore(system, safety, infer_partitions(system, safety))
    assert found.verdict is expected.verdict
    if expected.trace is not None and found.trace is not None:
        assert len(found.trace.steps) == len(expected.trace.steps)
    if expected.verdict is Verdict.HOLDS:
        search = open_search(system, safety, infer_partitions(system, safety), SearchOptions())
        run(search, None)
        assert len(represented(search.context, search.store.nodes())) == expected.statistics.states
        assert found.statistics.states <= expected.statistics.states


PRIVILEGED = """
byte busy = 0, inside = 0;
active [4] proctype P() {
  do
  :: atomic { busy == 0 -> busy = 1 };
     inside++;
     assert(inside == 1);
     if
     :: _pid == 0 -> skip; skip
     :: else -> skip
     fi;
     inside--;
     busy = 0
  od
}
"""


def test_one_privileged_process(tmp_path: Path) -> None:
    """Fewer abstract states than the quotient by the symmetries of the whole model, and the same verdict."""
    path = tmp_path / "privileged.pml"
    path.write_text(PRIVILEGED)
    system = system_of(path)
    partitions = infer_partitions(system, system.properties)
    group = detect(system, system.properties).group
    reduce = reducer(layout_of(system), classify(layout_of(system), group))
    quotient = explore_reference(system, system.properties, reduce)
    adaptive = explore(system, system.properties, partitions)
    assert adaptive.verdict is quotient.verdict is Verdict.HOLDS
    assert adaptive.statistics.states < quotient.statistics.states
    assert coarser_share(partitions, ((0,), (1, 2, 3))) >= 0.5


def test_one_process_breaks_the_exclusion(tmp_path: Path) -> None:
    path = tmp_path / "impatient.pml"
    path.write_text(PRIVILEGED.replace("busy == 0 ->", "busy == 0 || _pid == 2 ->"))
    system = system_of(path)
    found = explore(system, system.properties, infer_partitions(system, system.properties))
    expected = explore_reference(system, system.properties)
    assert (found.verdict, found.property) == (Verdict.FAILS, expected.property)
    assert found.trace is not None
    assert expected.trace is not None
    assert len(found.trace.steps) == len(expected.trace.steps)
