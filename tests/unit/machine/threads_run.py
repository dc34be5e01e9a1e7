"""Run by test_threads.py in a process of its own, on a runtime that divides even small levels among threads: everything
that a search answers is the same for one, two and three threads."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from quorbit.machine import library

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "agree")]
library.runtime_file = lambda: Path(sys.argv[1])  # type: ignore[assignment]

from benchmarks.models.systems import classes, mail, peterson  # noqa: E402
from random_systems import random_system  # noqa: E402
from test_b_values import MACHINES  # noqa: E402
from wide_models import steps, wide  # noqa: E402

from quorbit.canon.classify import classify  # noqa: E402
from quorbit.canon.layout import layout_of  # noqa: E402
from quorbit.canon.plan import Plan  # noqa: E402
from quorbit.engines.explicit.explore import drive, explore  # noqa: E402
from quorbit.groups.group import Group  # noqa: E402
from quorbit.languages.options import LoadOptions  # noqa: E402
from quorbit.machine.options import SearchOptions  # noqa: E402
from quorbit.machine.run import initial_words, opened, start, summarise  # noqa: E402
from quorbit.model.meaning.evaluate import BoundExceeded  # noqa: E402
from quorbit.model.system.system import System  # noqa: E402
from quorbit.pipeline.load import load  # noqa: E402
from quorbit.pipeline.options import CheckOptions  # noqa: E402
from quorbit.pipeline.run import prepare  # noqa: E402
from quorbit.result.outcome import Outcome  # noqa: E402
from quorbit.source.errors import UserError  # noqa: E402

PLAIN = SearchOptions(native=False)
FEW = ("shelf",)
EVERYONE = Group(3, ((1, 0, 2), (0, 2, 1)))
PROMELA = """byte x, y; bool done
active [3] proctype p() {
  byte k;
  do
  :: atomic { x < 4 && k < 3 -> x++; if :: k++ :: y = (y + 1) % 3 fi }
  :: x > 0 && k > 0 -> d_step { x--; k--; assert(x + y < 6) }
  :: k == 3 -> break
  od }
"""


def said(outcome: Outcome) -> Outcome:
    """All of an answer but what it cost."""
    return replace(
        outcome, statistics=replace(outcome.statistics, memory_bytes=0, explore_seconds=0.0, compile_seconds=0.0)
    )


def compare(system: System, plan: Plan | None, options: SearchOptions) -> int:
    try:
        alone = said(explore(system, system.properties, plan, options=options))
    except (UserError, BoundExceeded):
        return 0
    for threads in (2, 3):
        together = explore(system, system.properties, plan, options=replace(options, threads=threads))
        assert said(together) == alone, (system.name, options, said(together), alone)
    return 1


def numbered(system: System, options: SearchOptions) -> list[tuple[int, ...]]:
    """The words of all states, and where each comes from, by their numbers."""
    runtime = library.runtime()
    with opened(system, system.properties, options) as run:
        start(run, initial_words(run))
        drive(run)
        words, found = (library.u64 * run.layout.words)(), []
        for number in range(summarise(run).states):
            runtime.qb_state(run.engine, number, words)
            found.append((*words, runtime.qb_parent(run.engine, number)))
        return found


def options_for(seed: int) -> SearchOptions:
    several = (
        PLAIN,
        replace(PLAIN, all_errors=True),
        replace(PLAIN, hash_compact=True, all_errors=seed % 2 == 0),
        replace(PLAIN, max_states=10 + seed),
        replace(PLAIN, max_depth=seed % 7),
    )
    return replace(several[seed % 5], max_states=several[seed % 5].max_states or 400)


def machines(directory: str, few: bool) -> Iterator[tuple[System, Plan | None]]:
    """Models with values that are too large for bits, and with transient states; whole and reduced."""
    texts = {f"{name}.mch": text for name, text in MACHINES.items() if not few or name in FEW} | {"p.pml": PROMELA}
    for name, text in texts.items():
        file = Path(directory, name)
        file.write_text(text, encoding="utf-8")
        for symmetry in ("off", "auto"):
            try:
                system = load(file, LoadOptions()).system
                found = prepare(system, system.properties, CheckOptions(symmetry=symmetry), None)
            except UserError:
                continue
            yield found.system, found.plan


def main(seeds: int, few: bool) -> None:
    compared = sum(compare(random_system(seed), None, options_for(seed)) for seed in range(seeds))
    with tempfile.TemporaryDirectory() as directory:
        for system, plan in machines(directory, few):
            for options in (PLAIN, replace(PLAIN, all_errors=True, represented=True))[few:]:
                compared += compare(system, plan, options)
    for system in (peterson(3), mail(3, 1), classes(3, 1, 3))[: 1 if few else 3]:
        compared += compare(system, None, PLAIN)
        assert numbered(system, replace(PLAIN, threads=2)) == numbered(system, PLAIN)
    for system in (wide(20, 40), steps(5, 3), wide(20, 40, fails=True), steps(9, 3))[: 2 if few else 4]:
        limited = replace(PLAIN, max_states=1500)
        compared += compare(system, None, limited)
        assert numbered(system, replace(limited, threads=2)) == numbered(system, limited)
    for strategy in ("sort", "exact", "enumerate"):
        plan = classify(layout_of(mail(3, 1)), EVERYONE, strategy)
        compared += compare(mail(3, 1), plan, replace(PLAIN, represented=plan.exact))
    print("compared", compared)


main(int(sys.argv[2]), sys.argv[3] == "few")
