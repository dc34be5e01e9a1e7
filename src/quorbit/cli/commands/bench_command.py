"""``quorbit bench``: the tables of the papers, measured here, beside the published cells."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from time import monotonic

from quorbit.cli.answer import print_json
from quorbit.cli.interrupt import stoppable
from quorbit.cli.unknown import print_unknown
from quorbit.detection.largest_subgroup import detect_by_diagram
from quorbit.groups.chain import order
from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.model.specialise.ground import ground
from quorbit.papers import dm05, dm09
from quorbit.papers.measure_examples import bench_m97, bench_t07
from quorbit.papers.measure_w07 import bench_w07
from quorbit.papers.measured import Benched, as_object
from quorbit.papers.mutex_families import peterson, peterson_step_by_step, simple_mutex
from quorbit.papers.promela_families import (
    email,
    grouped,
    hypercube,
    load_balancer,
    resource_allocator,
    three_tiered,
    token_ring,
)
from quorbit.pipeline.load import Model, load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check, symmetry
from quorbit.report.record import CheckResult
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError
from quorbit.source.interrupted import Interrupted

__all__ = ["run"]


def sizes(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("-")))


FAMILIES: dict[str, Callable[[str], str]] = {
    "simple mutex": lambda size: simple_mutex(int(size)),
    "Peterson": lambda size: peterson(int(size)),
    "Peterson without atomicity": lambda size: peterson_step_by_step(int(size)),
    "resource allocator": lambda size: resource_allocator(grouped(sizes(size))),
    "three-tiered": lambda size: three_tiered(sizes(size)),
    "email": lambda size: email(int(size)),
    "hypercube": lambda size: hypercube(int(size.rstrip("d"))),
}
TABLE_1_MODELS: dict[str, Callable[[], str]] = {
    "token ring": lambda: token_ring(10),
    "load balancer": lambda: load_balancer((3, 3), 3),
    "three-tiered": lambda: three_tiered((3, 4)),
    "resource allocator": lambda: resource_allocator(grouped((4, 4))),
}


def run(options: Namespace) -> int:
    with TemporaryDirectory() as folder, stoppable(options.timeout):
        try:
            found = TABLES[options.paper](options, Path(folder))
        except Interrupted as reason:
            print_unknown(str(reason), options.json)
            return 3
    if options.json:
        print_json({"paper": options.paper, "rows": found.rows, "lines": found.lines})
    else:
        print("\n".join(found.lines))
    return 0


def read(folder: Path, text: str, suffix: str = ".pml") -> Model:
    path = folder / f"model{suffix}"
    path.write_text(text, encoding="utf-8")
    return load(path, LoadOptions(count_like="spin") if suffix == ".pml" else LoadOptions())


# Figures 4 and 5 of [DM09].


def bench_dm09(options: Namespace, folder: Path) -> Benched:
    chosen = [c for c in dm09.FIGURE_4 if not options.only or options.only in f"{c.family} {c.size}"]
    if not chosen:
        known = ", ".join(dict.fromkeys(c.family for c in dm09.FIGURE_4))
        raise UserError(None, f"no row is called {options.only}; there are {known}")
    rows = [(c, measure(c, options.limit, folder)) for c in chosen]
    lines = [
        f"Figure 4: states and seconds, at most {options.limit:g} s for each cell; published in brackets",
        *dm09.figure_4(rows),
        "",
        "Figure 5: groups",
        *dm09.figure_5(rows),
    ]
    return Benched(lines, [{"published": as_object(c), "measured": as_object(m)} for c, m in rows])


def measure(c: dm09.Configuration, limit: float, folder: Path) -> dm09.Measured:
    tell(f"{c.family} {c.size}")
    model = read(folder, FAMILIES[c.family](c.size))
    states: dict[str, int | None] = {}
    seconds: dict[str, float | None] = {}
    result: CheckResult | None = None
    for column in dm09.COLUMNS:
        found = measure_cell(model, column, limit)
        states[column], seconds[column] = (found.states, found.seconds.total) if found is not None else (None, None)
        result = found or result
    group = symmetry(model)
    detect, classify = (result.seconds.detect, result.seconds.classify) if result else (0.0, 0.0)
    return dm09.Measured(states, seconds, group.order, group.structure, detect, classify)


def measure_cell(model: Model, column: str, limit: float) -> CheckResult | None:
    """One search within the limit; where TopSPIN's fast strategy has no minimising set it searches locally."""
    if column == "fast":
        return attempt(model, "minimising", limit) or attempt(model, "local", limit)
    return attempt(model, dm09.STRATEGIES.get(column), limit)


def attempt(model: Model, strategy: str | None, limit: float) -> CheckResult | None:
    """None if the strategy cannot serve this group, or not in time.  No strategy: no reduction."""
    search = SearchOptions(timeout=limit)
    symmetry = "off" if strategy is None else "auto"
    asked = CheckOptions(("safety",), symmetry, strategy or "auto", search=search, adapt=False)
    try:
        result = check(model, asked).results[0]
    except UserError:
        return None
    return None if result.outcome.verdict is Verdict.UNKNOWN else result


def tell(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="\r", file=sys.stderr, flush=True)


# Table 1 of [DM05].


def bench_dm05(options: Namespace, folder: Path) -> Benched:
    chosen = [p for p in dm05.TABLE_1 if not options.only or options.only in p.model]
    if not chosen:
        raise UserError(None, f"no row is called {options.only}; there are {', '.join(TABLE_1_MODELS)}")
    rows = [(p, find_group(p, folder)) for p in chosen]
    lines = ["Table 1: symmetry detection", *dm05.table_1(rows)]
    return Benched(lines, [{"published": as_object(p), "measured": as_object(f)} for p, f in rows])


def find_group(p: dm05.Published, folder: Path) -> dm05.Found:
    """The time is that of detection, as in the paper; reading the model is not counted."""
    tell(p.model)
    model = read(folder, TABLE_1_MODELS[p.model]())
    began = monotonic()
    result = symmetry(model)
    detected = monotonic()
    assert result.system is not None
    found = detect_by_diagram(ground(result.system))
    ended = monotonic()
    return dm05.Found(order(result.group), detected - began, order(found.group), ended - detected, found.complete)


TABLES: dict[str, Callable[[Namespace, Path], Benched]] = {
    "dm09": bench_dm09,
    "dm05": bench_dm05,
    "w07": lambda options, folder: bench_w07(options, folder, tell),
    "t07": bench_t07,
    "m97": bench_m97,
}
