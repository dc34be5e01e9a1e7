"""The answers of a check as data for a page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from quorbit.detection.channel_diagram import ChannelDiagram
from quorbit.report.coverage import coverage_of
from quorbit.report.page.run_data import RunTeller
from quorbit.report.page.symmetry_data import draw, effect_text, short, symmetry_data
from quorbit.report.record import CheckResult, CheckResults, Found
from quorbit.report.text import show_loss, show_share
from quorbit.report.trace_text import how_it_goes_on
from quorbit.source.frozen import frozen
from quorbit.source.version import VERSION

__all__ = ["Beside", "check_data", "figures_of", "symmetry_page_data"]

MOST_LEVELS = 2000
Data = dict[str, Any]


@frozen
class Beside:
    """What a page shows beside the answers, where somebody looked for it.

    levels   states at each distance from the start when every state represents itself
    missing  what keeps atoms apart that look alike: the pair, where it is written, what it says, why
    """

    levels: tuple[int, ...] = ()
    missing: tuple[Data, ...] = ()


def check_data(results: CheckResults, beside: Beside | None = None) -> Data:
    worst, counted = results.worst, results.counted
    beside = beside or Beside()
    tellers: dict[int, RunTeller] = {}
    told = [result_data(result, tellers) for result in results.results]
    teller = teller_of(worst, tellers)
    return {
        "kind": "check",
        "version": VERSION,
        "model": str(worst.path),
        "name": Path(worst.path).name,
        "verdict": results.verdict,
        "title": worst.subject,
        "message": worst.outcome.message,
        "saved": effect_of(counted),
        "results": told,
        "worst": results.results.index(worst),
        "counted": results.results.index(counted),
        "sources": teller.sources.to_json(),
        "symmetry": {**symmetry_data(counted.symmetry, loaded=counted.system), "missing": list(beside.missing)},
        "coverage": coverage_data(counted, teller_of(counted, tellers)),
        "levels": levels_data(counted, beside),
    }


def symmetry_page_data(
    path: str, result: Found, missing: tuple[Data, ...] = (), diagram: ChannelDiagram | None = None
) -> Data:
    """For ``quorbit symmetry``: no answer, only the symmetry; with this diagram, if one was asked for."""
    drawn = {} if diagram is None else {"diagram": draw(diagram, result.group)}
    sources = [] if result.system is None else RunTeller(result.system, Path(path)).sources.to_json()
    return {
        "kind": "symmetry",
        "version": VERSION,
        "model": path,
        "name": Path(path).name,
        "title": f"symmetry {result.structure}",
        "results": [],
        "sources": sources,
        "symmetry": {**symmetry_data(result, diagram is None), **drawn, "missing": list(missing)},
    }


def teller_of(result: CheckResult, tellers: dict[int, RunTeller]) -> RunTeller:
    """One for each System."""
    key = id(result.system)
    if key not in tellers:
        tellers[key] = RunTeller(result.system, Path(result.path))
    return tellers[key]


def result_data(result: CheckResult, tellers: dict[int, RunTeller]) -> Data:
    outcome, trace = result.outcome, result.outcome.trace
    teller = teller_of(result, tellers)
    return {
        "verdict": outcome.verdict.value,
        "subject": result.subject,
        "asked": result.asked or "safety",
        "message": outcome.message,
        "notes": list(result.notes),
        "figures": figures_of(result),
        "saved": effect_of(result),
        "run": None if trace is None else teller.run(trace),
        "goes_on": "" if trace is None or trace.loop is None else how_it_goes_on(trace),
    }


def effect_of(result: CheckResult) -> str:
    return effect_text(result.effect, result.symmetry, result.states, result.outcome.engine)


def figures_of(result: CheckResult) -> list[list[str]]:
    """Names and values of the figures, the most telling first."""
    statistics, symmetry = result.outcome.statistics, result.symmetry
    rows = [["states", f"{statistics.states:,}"]]
    if (effect := result.effect) is not None and effect.represented is not None and symmetry.order != 1:
        rows.append(["stand for", ("" if effect.exact else "≤ ") + short(effect.represented)])
    rows += [["transitions", f"{statistics.transitions:,}"], ["depth", f"{statistics.depth:,}"]]
    if statistics.errors > 1:
        rows.append(["errors", f"{statistics.errors:,}"])
    if statistics.loss_probability is not None:
        rows.append(["lost states", show_loss(statistics.loss_probability)])
    if statistics.bitstate_coverage is not None:
        rows.append(["coverage", show_share(statistics.bitstate_coverage)])
    structure = symmetry.structure if isinstance(symmetry, Found) else "none"
    rows += [["symmetry", structure], ["time", f"{result.seconds.total:.2f} s"]]
    if statistics.memory_bytes >= 2**20:
        rows.append(["memory", f"{statistics.memory_bytes / 2**20:,.0f} MiB"])
    return [*rows, ["engine", result.outcome.engine or "none"]]


def coverage_data(result: CheckResult, teller: RunTeller) -> Data | None:
    """How often every statement was performed; None where nobody counted."""
    covered = coverage_of(result.system, result.outcome.statistics.fired)
    if not covered:
        return None
    return {
        "complete": result.outcome.is_complete(),
        "rows": [[teller.sources.place(c.span), c.text, c.count] for c in covered],
    }


def levels_data(result: CheckResult, beside: Beside) -> Data | None:
    levels = result.outcome.statistics.levels[:MOST_LEVELS]
    if len(levels) < 2:
        return None
    symmetric = isinstance(result.symmetry, Found) and not result.symmetry.group.is_trivial
    return {"reduced": list(levels), "unreduced": list(beside.levels), "symmetric": symmetric}
