"""``quorbit bench w07``: the resource controller of [W07, section 9], plain, by standard and by adaptive reduction."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path

from quorbit.machine.options import SearchOptions
from quorbit.papers import w07
from quorbit.papers.measure_examples import write_pictures
from quorbit.papers.measured import Benched
from quorbit.papers.resource_controller import TABLE_1, TABLE_1_PROCESSES, Published, fragmented, resource_controller
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.result.outcome import Verdict
from quorbit.source.errors import UserError

__all__ = ["bench_w07"]

Tell = Callable[[str], None]
ASKED = {
    "plain": CheckOptions(engine="explicit", symmetry="off"),
    "standard": CheckOptions(engine="explicit"),
    "adaptive": CheckOptions(engine="adaptive"),
}


def bench_w07(options: Namespace, folder: Path, tell: Tell) -> Benched:
    """Figures 3 and 4, with --svg as pictures too, and Table 1."""
    points = [(scheme, n) for scheme in w07.SCHEMES for n in w07.PROCESSES if is_asked(options, f"figures {n}")]
    entries = [p for p in TABLE_1 if is_asked(options, f"table k={p.k} m={p.m}")]
    if not points and not entries:
        raise UserError(None, f"no row is called {options.only}; there are 'figures 18', 'table k=25 m=2' and the like")
    drawn = [measure_point(scheme, n, options.limit, folder, tell) for scheme, n in points]
    rows = [measure_entry(p, options.limit, folder, tell) for p in entries]
    lines = w07.figures(drawn)
    if rows:
        lines += ["Table 1: resource controller, 80 processes, adaptive reduction", *w07.table_1(rows), ""]
    lines.append(w07.agreement(drawn, rows))
    pictures = write_pictures(options.svg, w07.draw(drawn))
    return Benched([*lines, *pictures], [*(point.to_object() for point in drawn), *(row.to_object() for row in rows)])


def is_asked(options: Namespace, name: str) -> bool:
    return not options.only or options.only in name


def measure_point(scheme: w07.Scheme, n: int, limit: float, folder: Path, tell: Tell) -> w07.FigureRow:
    tell(f"{scheme.name}, {n} processes")
    return w07.FigureRow(scheme, n, {way: measure(scheme.sizes(n), way, limit, folder) for way in w07.WAYS})


def measure_entry(p: Published, limit: float, folder: Path, tell: Tell) -> w07.TableRow:
    tell(f"{p.k} classes of {p.m}")
    return w07.TableRow(p, measure(fragmented(TABLE_1_PROCESSES, p.k, p.m), "adaptive", limit, folder))


def measure(sizes: tuple[int, ...], way: str, limit: float, folder: Path) -> w07.Measured:
    """From the text to the answer, in seconds of the clock."""
    path = folder / "resource.edges"
    path.write_text(resource_controller(sizes), encoding="utf-8")
    asked = ASKED[way]
    search = SearchOptions(timeout=limit)
    limited = CheckOptions(("safety",), engine=asked.engine, symmetry=asked.symmetry, search=search)
    found = check(load(path), limited).results[0]
    if found.outcome.verdict is Verdict.UNKNOWN:
        return w07.Measured()
    return w07.Measured(found.states, found.seconds.total)
