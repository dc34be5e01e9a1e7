"""Figures 3 and 4 and Table 1 of [W07]: measured cells beside the published ones and the closed forms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quorbit.papers.dm09 import count, duration
from quorbit.papers.resource_controller import (
    EIGHTEEN_LARGE,
    EIGHTEEN_SMALL,
    TABLE_1_PROCESSES,
    Published,
    adaptive_states,
    fragmented,
    large_classes,
    plain_states,
    small_classes,
    standard_states,
)
from quorbit.papers.series import Plot, Series, render_plot
from quorbit.report.text_tables import table
from quorbit.source.frozen import field, frozen

WAYS = ("plain", "standard", "adaptive")
CLOSED_FORMS = {"plain": plain_states, "standard": standard_states, "adaptive": adaptive_states}


@frozen
class Scheme:
    """Priority classes for n processes: the left or the right half of Figures 3 and 4."""

    name: str
    side: str
    sizes: Callable[[int], tuple[int, ...]]
    published: tuple[int | None, ...]  # for n = 18, in the order of WAYS


SCHEMES = (
    Scheme("n/2 classes of two", "left", small_classes, EIGHTEEN_SMALL),
    Scheme("two classes of n/2", "right", large_classes, EIGHTEEN_LARGE),
)
PROCESSES = tuple(range(2, 19, 2))
LAST = PROCESSES[-1]


@frozen
class Measured:
    """Reached states and seconds; None: not within the limit."""

    states: int | None = None
    seconds: float | None = None


@frozen
class FigureRow:
    """One n of Figures 3 and 4: what each way reaches."""

    scheme: Scheme
    n: int
    ways: dict[str, Measured] = field(default_factory=dict)

    def closed(self, way: str) -> int:
        return CLOSED_FORMS[way](self.scheme.sizes(self.n))

    def published(self, way: str) -> int | None:
        return self.scheme.published[WAYS.index(way)] if self.n == LAST else None

    def to_object(self) -> dict[str, object]:
        cells = {
            way: {
                "states": found.states,
                "seconds": found.seconds,
                "closed_form": self.closed(way),
                "published": self.published(way),
            }
            for way, found in self.ways.items()
        }
        return {"table": "Figures 3 and 4", "scheme": self.scheme.name, "n": self.n, **cells}


@frozen
class TableRow:
    """An entry of Table 1."""

    entry: Published
    found: Measured

    @property
    def closed(self) -> int:
        return adaptive_states(fragmented(TABLE_1_PROCESSES, self.entry.k, self.entry.m))

    def to_object(self) -> dict[str, object]:
        p, found = self.entry, self.found
        return {
            "table": "Table 1",
            "k": p.k,
            "m": p.m,
            "states": found.states,
            "seconds": found.seconds,
            "closed_form": self.closed,
            "published_states": p.states,
            "published_seconds": p.seconds,
        }


def figures(rows: Sequence[FigureRow]) -> list[str]:
    """Reached states for each n, the closed form and, for the last n, the published number beside them."""
    lines: list[str] = []
    for scheme in SCHEMES:
        mine = [row for row in rows if row.scheme is scheme]
        if mine:
            lines += [f"Figures 3 and 4, {scheme.side}: {scheme.name}", *scheme_table(mine), ""]
    return lines


def scheme_table(rows: Sequence[FigureRow]) -> list[str]:
    header = ["n", *(title for way in WAYS for title in (way, "closed form", "published", "s"))]
    listed = [[str(row.n), *(cell for way in WAYS for cell in way_cells(row, way))] for row in rows]
    return table(header, listed)


def way_cells(row: FigureRow, way: str) -> list[str]:
    found, published = row.ways.get(way, Measured()), row.published(way)
    return [
        count(found.states),
        str(row.closed(way)),
        "" if published is None else str(published),
        duration(found.seconds),
    ]


def draw(rows: Sequence[FigureRow]) -> dict[str, str]:
    """The four plots as SVG pictures by file name; only Figure 4's right half has a linear scale."""
    pictures = {}
    for scheme in SCHEMES:
        mine = [row for row in rows if row.scheme is scheme]
        for figure, other, logarithmic in ((3, "plain", True), (4, "standard", scheme.side == "left")):
            drawn = tuple(s for s in (series(mine, "adaptive"), series(mine, other)) if s.points)
            if drawn:
                title = f"Figure {figure}, {scheme.name}"
                plot = Plot(title, "processes", "reached states", drawn, logarithmic)
                pictures[f"w07-figure{figure}-{scheme.side}.svg"] = render_plot(plot)
    return pictures


def series(rows: Sequence[FigureRow], way: str) -> Series:
    points = [(row.n, row.ways.get(way, Measured()).states) for row in rows]
    return Series(way, tuple((n, states) for n, states in points if states is not None))


def table_1(rows: Sequence[TableRow]) -> list[str]:
    """k classes among 80 processes, all but the last of m."""
    header = ["k", "m", "states", "published", "closed form", "s", "published s"]
    listed = [
        [
            str(row.entry.k),
            str(row.entry.m),
            count(row.found.states),
            str(row.entry.states),
            str(row.closed),
            duration(row.found.seconds),
            str(row.entry.seconds),
        ]
        for row in rows
    ]
    return table(header, listed)


def agreement(figure_rows: Sequence[FigureRow], table_rows: Sequence[TableRow]) -> str:
    """How many of the measured numbers are those of the closed forms and those published."""
    pairs = [(found.states, row.closed(way)) for row in figure_rows for way, found in row.ways.items()]
    pairs += [(found.states, p) for row in figure_rows for way, found in row.ways.items() if (p := row.published(way))]
    pairs += [(row.found.states, expected) for row in table_rows for expected in (row.closed, row.entry.states)]
    open_cells = sum(states is None for states, _ in pairs)
    equal = sum(states == expected for states, expected in pairs)
    left_open = f"; {open_cells} were not measured within the limit" if open_cells else ""
    return f"{equal} of {len(pairs)} comparisons with published numbers and closed forms agree{left_open}."
