"""The papers whose models are files of the examples: [T07, Table 1, Figure 11] and [M97, Tables 7.1 and 7.2]."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

from quorbit.languages.options import LoadOptions
from quorbit.machine.options import SearchOptions
from quorbit.papers import m97, t07
from quorbit.papers.measured import Benched, as_object
from quorbit.pipeline.load import load
from quorbit.pipeline.options import CheckOptions
from quorbit.pipeline.run import check
from quorbit.source.errors import UserError
from quorbit.source.frozen import frozen

__all__ = ["bench_m97", "bench_t07"]

BESIDE_SOURCES = Path(__file__).parents[3]  # the root of a checkout


def bench_t07(options: Namespace, folder: Path) -> Benched:
    """The table; with --svg also Figure 11, as published and as measured."""
    machines = [m for m in t07.MACHINES if not options.only or options.only in m.name]
    if not machines:
        raise UserError(None, f"no row is called {options.only}; there are {', '.join(m.name for m in t07.MACHINES)}")
    found = t07.rows(Measuring(find_models(options, "b"), options.limit), machines)
    lines = [*t07.render(found), *write_pictures(options.svg, t07.draw(found))]
    return Benched(lines, [run_object(row) for row in found])


def run_object(row: t07.Row) -> dict[str, Any]:
    """A row for a machine; the runs are those without and with symmetry."""
    return {
        "machine": row.machine.name,
        "card": row.card,
        "published": as_object(row.published),
        "measured": as_object(row.runs),
    }


@frozen
class Measuring:
    """Checks the machines of a folder, each within a number of seconds."""

    models: Path
    limit: float

    def __call__(self, machine: t07.Machine, card: int, symmetry: bool) -> t07.Run | None:
        model = load(self.models / machine.file, LoadOptions(set_sizes=tuple((s, card) for s in machine.sets)))
        search = SearchOptions(timeout=self.limit, all_errors=machine is not t07.ERRONEOUS)
        asked = CheckOptions(("safety",), symmetry="auto" if symmetry else "off", search=search, adapt=False)
        result = check(model, asked).worst
        if result.verdict == "unknown" or result.seconds.explore >= self.limit:
            return None  # errors were found, but the count of states ended early
        seconds = result.seconds.total - result.seconds.parse
        return t07.Run(result.states, result.outcome.statistics.transitions, seconds, result.verdict)


def bench_m97(options: Namespace, folder: Path) -> Benched:
    """Both tables for the circuits of a folder; they are made at once, so that there is nothing to limit."""
    examples = [e for e in m97.EXAMPLES if not options.only or options.only in e.name]
    if not examples:
        raise UserError(None, f"no row is called {options.only}; there are {', '.join(e.name for e in m97.EXAMPLES)}")
    found = m97.measure_all(find_models(options, "circuits"), examples)
    return Benched(m97.render(found), [{"published": as_object(e), "measured": as_object(ours)} for e, ours in found])


def find_models(options: Namespace, language: str) -> Path:
    """The folder that was given, or the examples here or of the checkout the program runs from."""
    if options.models:
        places = [Path(options.models)]
    else:
        places = [root / "examples" / language for root in (Path(), BESIDE_SOURCES)]
    found = next((place for place in places if place.is_dir()), None)
    if found is None:
        raise UserError(None, f"{places[0]}: no such folder; --models says where the models of the paper are")
    return found


def write_pictures(folder: str | None, pictures: dict[str, str]) -> list[str]:
    """Lines that say what was written."""
    if folder is None:
        return []
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, svg in pictures.items():
            (Path(folder) / name).write_text(svg, encoding="utf-8")
    except OSError as error:
        raise UserError(None, f"{folder}: cannot write there: {error.strerror}") from None
    return [f"written: {Path(folder) / name}" for name in pictures]
