"""[T07, Table 1 and Figure 11]: the published cells next to those measured here.

The paper counts a root state before the initialisation, which is added to ours.  Two cells are misprints: the counting
rules that give all the others give 2481 for 2418 and 1227 for 1277.  The cells of phonebook_err are not determined by
the machine (a search with random choices, stopped at the first violation), so there only the verdict is compared.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.papers.series import Plot, Series, render_plot, render_table
from quorbit.source.frozen import frozen

ROOT = 1  # states the paper counts and we do not


@frozen
class Run:
    """One search: states without the root, transitions, seconds after the machine was read; what came out."""

    states: int
    transitions: int
    seconds: float
    verdict: str


@frozen
class Published:
    """A row of the table: (without, with) symmetry."""

    seconds: tuple[float, float]
    states: tuple[int, int]
    transitions: tuple[int, int]

    @property
    def speed_up(self) -> float:
        return self.seconds[0] / self.seconds[1]


@frozen
class Machine:
    name: str
    file: str
    sets: tuple[str, ...]  # the deferred sets whose size is Card
    rows: dict[int, Published]  # by Card


@frozen
class Row:
    machine: Machine
    card: int
    runs: tuple[Run | None, Run | None]  # without and with symmetry; None: not within the time limit

    @property
    def published(self) -> Published:
        return self.machine.rows[self.card]

    @property
    def speed_up(self) -> float | None:
        without, reduced = self.runs
        return None if without is None or reduced is None else without.seconds / max(reduced.seconds, 1e-6)


def row(wo: float, sym: float, states: tuple[int, int], transitions: tuple[int, int]) -> Published:
    return Published((wo, sym), states, transitions)


SCHEDULER0 = {
    1: row(0.01, 0.01, (5, 5), (6, 6)),
    2: row(0.05, 0.05, (16, 10), (37, 23)),
    3: row(0.26, 0.15, (55, 17), (190, 59)),
    4: row(1.24, 0.52, (190, 26), (865, 121)),
    5: row(7.78, 2.20, (649, 37), (3646, 216)),
    6: row(35.35, 12.03, (2188, 50), (14581, 351)),
}
SCHEDULER = {
    1: row(0.01, 0.01, (4, 4), (5, 5)),
    2: row(0.03, 0.02, (11, 7), (25, 16)),
    3: row(0.14, 0.08, (36, 11), (121, 37)),
    4: row(0.64, 0.30, (125, 16), (561, 71)),
    5: row(3.02, 2.78, (438, 22), (2418, 121)),
    6: row(22.93, 27.03, (1523, 29), (10489, 190)),
}
POSTAL = {
    1: row(0.05, 0.08, (15, 15), (24, 24)),
    2: row(0.31, 0.42, (81, 48), (177, 105)),
    3: row(2.13, 2.05, (441, 119), (1277, 331)),
    4: row(17.34, 9.80, (2325, 248), (7869, 838)),
    5: row(158.61, 48.83, (11985, 459), (47795, 1826)),
    6: row(738.14, 266.37, (60981, 780), (279969, 3571)),
}
PHONEBOOK = {
    1: row(0.01, 0.01, (3, 3), (4, 4)),
    2: row(0.06, 0.03, (10, 5), (37, 17)),
    3: row(0.69, 0.17, (65, 8), (433, 50)),
    4: row(12.03, 1.09, (626, 13), (6001, 125)),
    5: row(280.38, 7.51, (7777, 20), (97201, 269)),
    6: row(13944.97, 60.36, (117650, 31), (1815157, 541)),
}
PHONEBOOK_ERR = {
    4: row(0.01, 0.90, (46, 17), (57, 108)),
    5: row(0.01, 0.20, (76, 10), (88, 88)),
    6: row(0.01, 1.92, (131, 19), (156, 178)),
}
MISPRINTS = {("scheduler", 5, 2418): 2481, ("Russian Postal Puzzle", 3, 1277): 1227}
ERRONEOUS = Machine("phonebook_err", "PhoneBookErr.mch", ("NAME", "NUMBER"), PHONEBOOK_ERR)
CORRECT = (
    Machine("scheduler0", "Scheduler0.mch", ("TASK",), SCHEDULER0),
    Machine("scheduler", "Scheduler.mch", ("TASK",), SCHEDULER),
    Machine("Russian Postal Puzzle", "PostalPuzzle.mch", ("LOCK",), POSTAL),
    Machine("phonebook", "PhoneBook.mch", ("NAME", "NUMBER"), PHONEBOOK),
)
MACHINES = (*CORRECT, ERRONEOUS)
Measure = Callable[[Machine, int, bool], Run | None]  # at which Card, whether with symmetry


def rows(measure: Measure, machines: Sequence[Machine] = MACHINES) -> list[Row]:
    """The rows of these machines, measured."""
    return [
        Row(machine, card, (measure(machine, card, False), measure(machine, card, True)))
        for machine in machines
        for card in machine.rows
    ]


def render(found: Sequence[Row]) -> list[str]:
    """The lines of the table and its notes."""
    head = ["machine", "Card", "states wo", "ours", "with", "ours", "trans wo", "ours", "with", "ours"]
    head += ["s wo", "ours", "with", "ours", "speed-up", "ours", "violation"]
    return [*render_table(head, [cells(r) for r in found]).splitlines(), "", *notes(found)]


def cells(r: Row) -> list[object]:
    pairs = [shown for pair in compared(r) for shown in (mark(r, pair[0]), pair[1])]
    seconds = [
        s for k, run in enumerate(r.runs) for s in (r.published.seconds[k], None if run is None else run.seconds)
    ]
    return [r.machine.name, r.card, *pairs, *seconds, r.published.speed_up, r.speed_up, violation(r)]


def compared(r: Row) -> list[tuple[int, int | None]]:
    """The four cells that count something: published and ours."""
    states = [None if run is None else run.states + ROOT for run in r.runs]
    transitions = [None if run is None else run.transitions for run in r.runs]
    return list(zip((*r.published.states, *r.published.transitions), (*states, *transitions), strict=True))


def mark(r: Row, printed: int) -> object:
    if r.machine is ERRONEOUS:
        return f"({printed})"
    return f"{printed:,}*" if (r.machine.name, r.card, printed) in MISPRINTS else printed


def violation(r: Row) -> str:
    """What is said of phonebook_err; the other machines are correct."""
    if r.machine is not ERRONEOUS:
        return ""
    return "found" if all(run is not None and run.verdict == "fails" for run in r.runs) else "NOT FOUND"


def agreement(found: Sequence[Row]) -> tuple[int, int, int]:
    """Cells of the correct machines that agree, misprints corrected; those that were measured; all."""
    pairs = [
        (MISPRINTS.get((r.machine.name, r.card, printed), printed), ours)
        for r in found
        if r.machine is not ERRONEOUS
        for printed, ours in compared(r)
    ]
    return sum(a == b for a, b in pairs), sum(b is not None for _, b in pairs), len(pairs)


def notes(found: Sequence[Row]) -> list[str]:
    equal, measured, every = agreement(found)
    left_open = f"; {every - measured} were not measured within the time limit" if measured < every else ""
    return [
        f"{equal} of the {every} counts of the correct machines agree{left_open}.",
        "*  a misprint: the rules of counting that give all other cells give 2,481 (2418 printed) and 1,227 (1277).",
        "() counts of a search with random choices that stopped at the first violation; ours are breadth-first.",
        "Our states include the root that the paper counts; seconds are those after the machine was read.",
    ]


def draw(found: Sequence[Row]) -> dict[str, str]:
    """Figure 11, as published and as measured: SVG pictures by file name."""
    pictures = {
        "t07-figure11-published.svg": speed_ups(found, "Speed-up, published", lambda r: r.published.speed_up),
        "t07-figure11.svg": speed_ups(found, "Speed-up, measured", lambda r: r.speed_up),
    }
    return {name: svg for name, svg in pictures.items() if svg}


def speed_ups(found: Sequence[Row], title: str, value: Callable[[Row], float | None]) -> str:
    """The three machines whose published speed-ups drop off at last."""
    series = tuple(
        Series(
            machine.file.removesuffix(".mch"),
            tuple((r.card, y) for r in found if r.machine is machine and (y := value(r)) is not None),
        )
        for machine in CORRECT[:3]
    )
    drawn = tuple(s for s in series if s.points)
    return render_plot(Plot(title, "size of the deferred sets", "speed-up", drawn, logarithmic=False)) if drawn else ""
