"""Results as text for a terminal.  ``Paint`` colours words, or leaves them alone where nobody sees colours."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from quorbit.groups.group import moved_orbits
from quorbit.groups.moves import moves_of as moves_of_permutation
from quorbit.groups.structure import decimal_length
from quorbit.model.system.system import Temporal
from quorbit.report.as_json import point_name, show_moves
from quorbit.report.coverage import coverage_lines, goal_of
from quorbit.report.digits import decimal
from quorbit.report.record import CheckResult, CheckResults, Found, NotLookedFor, Off, SymmetryResult
from quorbit.report.trace import seen_by
from quorbit.report.trace_text import MOST_STEPS, trace_lines
from quorbit.result.outcome import Outcome, Trace, Verdict
from quorbit.source.frozen import frozen
from quorbit.source.span import NOWHERE, Span

__all__ = [
    "COLUMNS",
    "Paint",
    "show_check",
    "show_checks",
    "show_loss",
    "show_model_symmetry",
    "show_order",
    "show_share",
    "show_symmetry",
]

MOVES_START = "  (moves the start)"
COLUMNS = 80  # of a terminal that does not say how wide it is
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


def show_checks(results: CheckResults, paint: Paint, columns: int = COLUMNS) -> str:
    """The answer that counts for the model in full, the others in short, and at the end a line for each."""
    several, counted = len(results.results) > 1, results.counted
    shown = [
        show_check(result, paint, columns) if result is counted else show_briefly(result, paint, columns)
        for result in results.results
    ]
    lines = [f"  {result.outcome.verdict.value:8} {name_in_short(result)}" for result in results.results]
    summary = ["", paint("In short:", "bold"), *lines] if several else []
    return "\n".join(["\n\n".join(shown), *summary])


def name_in_short(result: CheckResult) -> str:
    """A formula may be called as all safety properties together are."""
    is_namesake = result.asked == "safety" and not result.is_safety
    return "safety (the formula)" if is_namesake else result.asked or "safety"


def show_briefly(result: CheckResult, paint: Paint, columns: int) -> str:
    """Verdict, trace, and one line of figures if anybody was asked."""
    if result.refused is not None:
        return "\n".join([*verdict_lines(result, paint, columns), *note_lines(result)])
    statistics, symmetry = result.outcome.statistics, result.symmetry
    group = f", symmetry {cut(symmetry.structure)}" if isinstance(symmetry, Found) else ""
    engine = f", {result.outcome.engine} engine" if result.outcome.engine else ""
    figures = f"{statistics.states:,} states{group}{engine}, {result.seconds.total:.2f} s"
    return "\n".join([*verdict_lines(result, paint, columns), f"  {figures}", *note_lines(result)])


def verdict_lines(result: CheckResult, paint: Paint, columns: int) -> list[str]:
    """What is not checked is said first."""
    outcome, goal = result.outcome, goal_of(result)
    verdict = paint(outcome.verdict.value.upper(), VERDICT_COLOUR[outcome.verdict])
    message = outcome.message if goal is None or outcome.property not in ("", goal.name) else reached(goal, outcome)
    said = f"{verdict}: {result.subject}" + (f" ({message})" if message not in ("", result.subject) else "")
    trace = [] if outcome.trace is None else ["", *run_lines(result, outcome.trace, columns), ""]
    return [*(note for note in result.notes if is_gap(note)), said, *trace]


def reached(goal: Temporal, outcome: Outcome) -> str:
    """About something that should be reached: where it is written."""
    match outcome.verdict:
        case Verdict.HOLDS:
            return f"{goal.span.file}:{goal.span.line} is reached"
        case Verdict.FAILS:
            return f"no run reaches {goal.span.file}:{goal.span.line}"
        case Verdict.UNKNOWN:
            return outcome.message


def run_lines(result: CheckResult, trace: Trace, columns: int) -> list[str]:
    """The run; of machines that move together once for each."""
    system, most = result.system, result.most_steps or MOST_STEPS
    if not system.telling.sides:
        return trace_lines(system, trace, columns, most)
    views = [(side.name, trace_lines(seen_by(system, side), trace, columns, most)) for side in system.telling.sides]
    return [line for k, (name, lines) in enumerate(views) for line in ([""] * (k > 0) + [f"  in {name}:", *lines])]


def note_lines(result: CheckResult) -> list[str]:
    return [f"  note: {note}" for note in result.notes if not is_gap(note)]


def is_gap(note: str) -> bool:
    return note.startswith("not checked: ")


def show_check(result: CheckResult, paint: Paint, columns: int = COLUMNS) -> str:
    outcome, statistics = result.outcome, result.outcome.statistics
    lines = [
        *verdict_lines(result, paint, columns),
        f"  states      {statistics.states:,}",
        f"  transitions {statistics.transitions:,}",
        f"  depth       {statistics.depth:,}",
        *([f"  errors      {statistics.errors:,}"] if statistics.errors > 1 else []),
        *([] if statistics.represented is None else [f"  represents  {statistics.represented:,} unreduced states"]),
        *([] if statistics.loss_probability is None else [f"  lost states {show_loss(statistics.loss_probability)}"]),
        *(
            []
            if statistics.bitstate_coverage is None
            else [f"  coverage    {show_share(statistics.bitstate_coverage)}"]
        ),
        *(f"  {line}" for line in symmetry_lines(result.symmetry)),
        *effect_lines(result),
        *([f"  por         {outcome.por.reason}"] if outcome.por.used else []),
        f"  engine      {outcome.engine}, {result.seconds.total:.2f} s, {statistics.memory_bytes / 2**20:,.0f} MiB",
        *member_lines(outcome),
        *(f"  {line}" for line in coverage_lines(result)),
        *note_lines(result),
    ]
    return "\n".join(lines)


def effect_lines(result: CheckResult) -> list[str]:
    """What symmetry saved, where there is one."""
    effect, states = result.effect, result.outcome.statistics.states
    if effect is None or result.symmetry.order == 1 or not states or result.outcome.engine == "adaptive":
        return []
    if effect.idle:
        return ["  effect      none: no stored state is moved by a symmetry"]
    if effect.exact and effect.represented == states:
        few = effect.orbits
        orbits = f"; the {states:,} states are {few:,} orbits, {states / few:,.1f} times fewer" if few else ""
        return [f"  effect      none: every state was looked at{orbits}"]
    if effect.exact and effect.represented is not None:
        return [f"  effect      {effect.represented / states:,.1f} times fewer states"]
    return ["  effect      not measured (--represented counts the states that were spared)"]


def member_lines(outcome: Outcome) -> list[str]:
    """Of an engine with several members: who answered, and what the others did."""
    spent: dict[tuple[str, str], float] = {}
    for a in outcome.attempts:
        if a.ended != "answered":
            spent[a.member, a.ended] = spent.get((a.member, a.ended), 0.0) + a.seconds
    others = [f"{member}: {ended} ({seconds:.1f} s CPU)" for (member, ended), seconds in spent.items()]
    return [
        *([f"  answered by {outcome.method}"] if outcome.method else []),
        *(f"  {'others' if k == 0 else '':11} {line}" for k, line in enumerate(others)),
    ]


def show_loss(probability: float) -> str:
    return "none: hashes are one to one" if not probability else f"with probability at most {probability:.1e}"


def show_share(coverage: float) -> str:
    """Rounded down: a search by bits never says that it has seen all states."""
    return (
        f"about {min(floor(coverage * 1e6) / 1e4, 99.9999):g} % of the states; those behind lost ones are not counted"
    )


def show_symmetry(result: Found, paint: Paint) -> str:
    """The answer of ``quorbit group``, and most of that of ``quorbit symmetry``."""
    return "\n".join([*found_lines(result, paint), *orbit_lines(result)])


def show_model_symmetry(result: Found, paint: Paint) -> str:
    """The answer of ``quorbit symmetry``."""
    effect = [] if result.order == 1 else ["effect      not measured: that takes a search (quorbit check)"]
    return "\n".join([show_symmetry(result, paint), *effect])


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
    lines = [f"symmetry    {structure}, order {show_order(result.order)}"]
    moves = result.group.moves
    moving = set(map(moves_of_permutation, result.moving))
    lines += [
        f"            {cut(show_moves(m, result.names))}{MOVES_START if m in moving else ''}"
        for m in moves[:MOST_GENERATORS]
    ]
    if len(moves) > MOST_GENERATORS:
        lines.append(f"            ... and {len(moves) - MOST_GENERATORS} more generators")
    lines.append(f"strategy    {describe_strategy(result)}")
    return [*lines, *(f"note: {note}" for note in result.notes)]


def describe_strategy(result: Found) -> str:
    """The strategy, whether it is exact unless its name says so, and why it was chosen."""
    exact = "exact" if result.exact else "approximate"
    name = exact if result.strategy == exact else f"{result.strategy}, {exact}"
    return f"{name}: {result.reason}"


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


def cut_both(text: str, other: str) -> tuple[str, str]:
    """Two long texts, cut to where they differ."""
    if max(len(text), len(other)) <= WIDEST:
        return text, other
    apart = next((k for k, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), 0)
    begin = text.rfind(" ", 0, max(0, apart - WIDEST // 3)) + 1
    before = "... " if begin else ""
    return cut(before + text[begin:]), cut(before + other[begin:])


def show_breaches(title: str, rows: Sequence[tuple[Span, str, str, str]]) -> str:
    """Why a permutation is not a symmetry: the line, what it says, what it would have to say."""
    lines = [title]
    for span, written, image, message in rows:
        where = "" if span.source is NOWHERE.source else f"{span}: "
        source = [] if span.source is NOWHERE.source else [f"    {span.source.line_text(span.line).strip()}"]
        says, means = cut_both(written, image)
        lines += [f"  {where}{message}", *source, f"    says      {says}", f"    its image {means}"]
    return "\n".join(lines)
