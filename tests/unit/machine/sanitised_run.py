"""Run by test_sanitised.py in a process of its own: searches and canonicalisers on a runtime built with sanitizers."""

from __future__ import annotations

import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from quorbit.machine import library

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "agree")]
library.runtime_file = lambda: Path(sys.argv[1])  # type: ignore[assignment]

from benchmarks.models.systems import counters, mail, peterson  # noqa: E402
from in_process import InProcess  # noqa: E402
from random_systems import random_system  # noqa: E402
from test_explicit_reduce import CASES, compare  # noqa: E402
from wide_models import late, steps, wide  # noqa: E402

from quorbit.canon.classify import classify  # noqa: E402
from quorbit.canon.layout import layout_of  # noqa: E402
from quorbit.engines.cluster.driver import Settings  # noqa: E402
from quorbit.engines.cluster.explore import explore as explore_shared  # noqa: E402
from quorbit.engines.cluster.transport import Call  # noqa: E402
from quorbit.engines.explicit.explore import explore  # noqa: E402
from quorbit.groups.group import Group  # noqa: E402
from quorbit.machine import run  # noqa: E402
from quorbit.machine.options import SearchOptions  # noqa: E402
from quorbit.source.errors import UserError  # noqa: E402


def main() -> None:
    for system in (peterson(3), mail(2, 2), counters(5, 6)):
        explore(system, system.properties, options=SearchOptions(native=False))
    for system in (wide(1, 900), wide(3, 200), wide(20, 50, fails=True), late(150, 400), steps(24, 3), steps(18, 3)):
        options = SearchOptions(native=False, max_states=2000)
        with patch.object(run, "can_squeeze", lambda _: False):
            whole = explore(system, system.properties, options=options)
        for form in (options, replace(options, threads=2), replace(options, no_parents=True)):
            squeezed = explore(system, system.properties, options=form)
            assert (squeezed.statistics.levels, squeezed.trace) == (whole.statistics.levels, whole.trace)
    for seed in range(15):
        system = random_system(seed)
        try:
            explore(system, system.properties, options=SearchOptions(all_errors=True, max_states=400, native=False))
        except UserError:
            continue
    for group, model, strategy in CASES[::5]:
        compare(model, group, strategy, 1, seed=9)
    explore(counters(8, 8), (), options=SearchOptions(memory=1 << 20, native=False))
    with tempfile.TemporaryDirectory() as directory:
        for options in (SearchOptions(threads=2), SearchOptions(spill=directory), SearchOptions(checkpoint=directory)):
            explore(peterson(3), (), options=replace(options, native=False))
        explore(peterson(3), (), options=SearchOptions(resume=directory, threads=3, native=False))
    layout = layout_of(mail(3, 1))
    for strategy in ("sort", "exact"):
        plan = classify(layout, Group(3, ((1, 0, 2), (0, 2, 1))), strategy)
        for options in (SearchOptions(search="mixed"), SearchOptions(hash_compact=True, threads=2)):
            explore(mail(3, 1), (), plan, layout, replace(options, represented=plan.exact, native=False))
    shared_searches()
    with_wide_numbers()
    print("clean")


class Unlucky(InProcess):
    """Loses its second worker at the 40th call."""

    calls = 0

    def call(self, worker: int, method: str, *args: Any, parcels: int = 0, patience: float = 60.0) -> Call:
        self.calls += 1
        if self.calls == 40:
            self.lose(1)
        return super().call(worker, method, *args, parcels=parcels, patience=patience)


def with_wide_numbers() -> None:
    narrow = run.options_record

    def widened(*given: Any) -> library.OptionsRecord:
        record = narrow(*given)
        record.wide = True
        return record

    run.options_record = widened
    for options in (SearchOptions(), SearchOptions(threads=2), SearchOptions(hash_compact=True)):
        explore(counters(4, 6), (), options=replace(options, native=False, memory=1 << 30))


def shared_searches() -> None:
    """By three owners, which begin alone, keep copies, and lose one."""
    options, settings = SearchOptions(all_errors=True, native=False, max_states=2000), Settings(alone=4, replicas=1)
    for system in (peterson(3), *(random_system(seed) for seed in range(6))):
        transport = Unlucky(3)
        try:
            explore_shared(system, system.properties, None, options, transport=transport, settings=settings)
        except UserError:
            continue
        finally:
            transport.close()


main()
