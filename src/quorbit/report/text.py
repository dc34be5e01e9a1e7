"""Results as text for a terminal.  ``Paint`` colours words, or leaves them alone where nobody sees colours."""

from __future__ import annotations

from collections.abc import Sequence

from quorbit.groups.group import moved_orbits
from quorbit.groups.structure import decimal_length
from quorbit.report.as_json import point_name, show_moves
from quorbit.report.coverage import coverage_lines
from quorbit.report.digits import decimal
from quorbit.report.record import CheckResult, CheckResults, Found, NotLookedFor, Off, SymmetryResult
from quorbit.report.text_tables import show_vector, table
from quorbit.report.trace import Moved, moves_of_piece, shown_pieces
from quorbit.result.outcome import Verdict
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = ["Paint", "show_breaches", "show_checks", "show_order", "show_symmetry"]

MOST_STEPS = 2000  # of a trace that are shown
MOST_GENERATORS = 12
MOST_ORBITS = 8
MOST_DIGITS = 60
WIDEST = 100
COLOURS = {"green": "32", "red": "31", "yellow": "33", "bold": "1", "dim": "2"}
VERDICT_COLOUR = {Verdict.HOLDS: "green", Verdict.FAILS: "red", Verdict.UNKNOWN: "yellow"}


@frozen
class Paint:
    coloured: bool = False

    def __call__(self, text: str, colour: str) -> str:
        return f"\x1b[{COLOURS[colour]}m{text}\x1b[0m" if self.coloured else text


def show_checks(results: CheckResults, paint: Paint) -> str:
    shown = "\n\n".join(show_check(result, paint) for result in results.results)
    if len(results.results) < 2:
        return shown
    lines = [f"  {result.outcome.verdict.value:8} {result.asked}" for result in results.results]
    return "\n".join([shown, "", paint("In short:", "bold"), *lines])


def show_check(result: CheckResult, paint: Paint) -> str:
    outcome, statistics = result.outcome, result.outcome.statistics
    verdict = paint(outcome.verdict.value.upper(), VERDICT_COLOUR[outcome.verdict])
    lines = [
        f"{verdict}: {result.subject}"
        + (f" ({outcome.message})" if outcome.message not in ("", result.subject) else "")
    ]
    if outcome.trace is not None:
        lines += ["", *show_trace(result, paint), ""]
    lines += [
        f"  states      {statistics.states:,}",
        f"  transitions {statistics.transitions:,}",
        f"  depth       {statistics.depth:,}",
        *([f"  errors      {statistics.errors:,}"] if statistics.errors > 1 else []),
        *([] if statistics.represented is None else [f"  represents  {statistics.represented:,} unreduced states"]),
        *([] if statistics.loss_probability is None else [f"  lost states {show_loss(statistics.loss_probability)}"]),
        *(f"  {line}" for line in symmetry_lines(result.symmetry)),
        f"  engine      {outcome.engine}, {result.seconds.total:.2f} s, {statistics.memory_bytes / 2**20:,.0f} MiB",
        *(f"  {line}" for line in coverage_lines(result)),
        *(f"  note: {note}" for note in result.notes),
    ]
    return "\n".join(lines)


def show_loss(probability: float) -> str:
    return "none: hashes are one to one" if not probability else f"with probability at most {probability:.1e}"


def show_symmetry(result: Found, paint: Paint) -> str:
    """The answer of ``quorbit symmetry`` and ``quorbit group``."""
    return "\n".join([*found_lines(result, paint), *orbit_lines(result)])


def symmetry_lines(result: SymmetryResult) -> list[str]:
    match result:
        case NotLookedFor(reason):
            return [f"symmetry    not looked for: {reason}"]
        case Off():
            return ["symmetry    off, every state represents itself"]
        case Found():
            return found_lines(result, Paint())


def found_lines(result: Found, paint: Paint) -> list[str]:
    structure = paint(cut(result.structure), "bold")
    exact = "exact" if result.exact else "approximate"
    lines = [f"symmetry    {structure}, order {show_order(result.order)}"]
    moves = result.group.moves
    lines += [f"            {cut(show_moves(m, result.names))}" for m in moves[:MOST_GENERATORS]]
    if len(moves) > MOST_GENERATORS:
        lines.append(f"            ... and {len(moves) - MOST_GENERATORS} more generators")
    lines.append(f"strategy    {result.strategy}, {exact}: {result.reason}")
    return [*lines, *(f"note: {note}" for note in result.notes)]


def show_order(order: int | None) -> str:
    if order is None:
        return "unknown"
    digits = decimal_length(order) if order else 1
    return decimal(order) if digits <= MOST_DIGITS else f"about 10^{digits - 1} (a number of {digits} digits)"


def orbit_lines(result: Found) -> list[str]:
    orbits = moved_orbits(result.group)
    shown = [
        "{" + cut(", ".join(str(point_name(x, result.names)) for x in orbit[:WIDEST])) + "}"
        for orbit in orbits[:MOST_ORBITS]
    ]
    if len(orbits) > MOST_ORBITS:
        shown.append(f"... {len(orbits) - MOST_ORBITS} more")
    fixed = result.group.degree - sum(map(len, orbits))
    lines = [f"degree      {result.group.degree}"]
    listed = " ".join(shown) or "none of two or more points"
    return [*lines, f"orbits      {listed}" + (f"; {fixed} fixed" if fixed else "")]


def cut(text: str) -> str:
    return text if len(text) <= WIDEST else text[: WIDEST - 4] + " ..."


def show_trace(result: CheckResult, paint: Paint) -> list[str]:
    """A table: step, who moved, by which command, where it is written, what changed."""
    trace = result.outcome.trace
    assert trace is not None
    rows = [["0", "", "start", "", cut(show_vector(result.system, trace.start))]]
    moves: tuple[Moved, ...] = ()
    for piece in shown_pieces(trace, MOST_STEPS):
        if left_out := piece.passed - len(moves):
            rows.append(["...", "", f"{left_out:,} steps are not shown", "", ""])
        moves = moves_of_piece(result.system, piece)
        rows += ([str(k), *step_cells(moved)] for k, moved in enumerate(moves, piece.passed + 1))
    lines = table(["step", "actor", "command", "line", "what changes"], rows)
    end = [cut(f"  ends in {show_vector(result.system, moves[-1].state)}")] if moves else []
    loop = [] if trace.loop is None else [f"  and from there repeats forever from step {trace.loop}"]
    return [paint(lines[0], "bold"), *lines[1:], *end, *loop]


def step_cells(moved: Moved) -> list[str]:
    changed = ", ".join(f"{c.place}: {c.before} -> {c.after}" for c in moved.changes)
    return [", ".join(moved.actors), cut(moved.label), line_of(moved.span), cut(changed) or "nothing"]


def line_of(span: Span) -> str:
    return "" if span.source is NOWHERE.source else str(span.line)


def show_breaches(title: str, rows: Sequence[tuple[Span, str, str, str]]) -> str:
    """Why a permutation is no symmetry: the line, what it says, what it would have to say."""
    lines = [title]
    for span, written, image, message in rows:
        where = "" if span.source is NOWHERE.source else f"{span}: "
        source = [] if span.source is NOWHERE.source else [f"    {span.source.line_text(span.line).strip()}"]
        lines += [f"  {where}{message}", *source, f"    says      {cut(written)}", f"    its image {cut(image)}"]
    return "\n".join(lines)
