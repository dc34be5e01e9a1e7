"""Results as sections of HTML for notebooks, without scripts; a report in a file is written by ``report/page``."""

from __future__ import annotations

from html import escape

from quorbit.report.as_json import show_moves
from quorbit.report.pictures.symmetry import draw_symmetry
from quorbit.report.record import CheckResult, Found, SymmetryResult
from quorbit.report.text import MOST_GENERATORS, describe_strategy, show_loss, show_order, symmetry_lines
from quorbit.report.told import show_told
from quorbit.report.trace import Moved, moves_of
from quorbit.report.trace_text import how_it_goes_on, line_of


def check_section(result: CheckResult) -> str:
    outcome, statistics = result.outcome, result.outcome.statistics
    subject = result.subject
    verdict = outcome.verdict.value
    figures = {
        "states": f"{statistics.states:,}",
        "transitions": f"{statistics.transitions:,}",
        "depth": f"{statistics.depth:,}",
        **({} if statistics.represented is None else {"states represented": f"{statistics.represented:,}"}),
        **({} if statistics.loss_probability is None else {"lost states": show_loss(statistics.loss_probability)}),
        "engine": outcome.engine,
        "seconds": f"{result.seconds.total:.2f}",
        "memory": f"{statistics.memory_bytes / 2**20:,.0f} MiB",
    }
    return "\n".join(
        [
            f"<h2><span class='{verdict}'>{verdict}</span>: {escape(subject)}</h2>",
            f"<p>{escape(outcome.message)}</p>" if outcome.message else "",
            trace_table(result),
            rows_table(list(figures.items())),
            *(f"<p>{escape(note)}</p>" for note in result.notes),
            symmetry_section(result.symmetry),
        ]
    )


def symmetry_section(result: SymmetryResult) -> str:
    if not isinstance(result, Found):
        return f"<h3>Symmetry</h3><p>{escape(symmetry_lines(result)[0])}</p>"
    moves = result.group.moves
    shown = [show_moves(m, result.names)[:2000] for m in moves[:MOST_GENERATORS]]
    if len(moves) > MOST_GENERATORS:
        shown.append(f"... and {len(moves) - MOST_GENERATORS} more")
    rows = [
        ("symmetry", result.structure),
        ("order", show_order(result.order)),
        ("generators", "\n".join(shown) or "none"),
        ("strategy", describe_strategy(result)),
        *(("note", note) for note in result.notes),
    ]
    return f"<h3>Symmetry</h3>{rows_table(rows)}{draw_symmetry(result)}"


def rows_table(rows: list[tuple[str, str]]) -> str:
    cells = "".join(f"<tr><th>{escape(name)}</th><td><code>{escape(value)}</code></td></tr>" for name, value in rows)
    return f"<table>{cells}</table>"


def trace_table(result: CheckResult) -> str:
    trace = result.outcome.trace
    if trace is None:
        return ""
    head = "<tr><th>step</th><th>actor</th><th>command</th><th>line</th><th>what changes</th></tr>"
    starts = result.system.telling.starts
    first = row(["0", "", starts[0][0] if starts else "start", "", show_told(result.system, trace.start)])
    steps = "".join(row([str(k), *cells(moved)]) for k, moved in enumerate(moves_of(result.system, trace), 1))
    loop = "" if trace.loop is None else f"<p>and so on forever: {how_it_goes_on(trace)}</p>"
    return f"<table>{head}{first}{steps}</table>{loop}"


def cells(moved: Moved) -> list[str]:
    changed = ", ".join(f"{c.place}: {c.before} -> {c.after}" for c in moved.changes)
    return [", ".join(moved.actors), moved.text, line_of(moved.span), changed]


def row(values: list[str]) -> str:
    return "<tr>" + "".join(f"<td>{escape(value)}</td>" for value in values) + "</tr>"
