"""Measured series next to published ones: as a table in text, as a plot in SVG.

The plots are of one known shape: a few series of positive numbers over a common axis, small dots and large circles as
in [W07, Figures 3 and 4], the values on a logarithmic or linear scale.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import ceil, floor, log10

from quorbit.source.frozen import frozen

WIDTH, HEIGHT, MARGIN = 420, 300, 56
COLOURS = ("#0069a8", "#a84700", "#00724f", "#99356f")  # those of report/pictures/svg.py
RADII = (2.5, 5.0, 3.5, 4.5)


@frozen
class Series:
    """A name and values over an axis: (x, y), y positive."""

    name: str
    points: tuple[tuple[float, float], ...]


@frozen
class Plot:
    title: str
    x_name: str
    y_name: str
    series: tuple[Series, ...]
    logarithmic: bool = True


def render_plot(plot: Plot) -> str:
    """The plot as an SVG picture, complete in itself."""
    xs = [x for series in plot.series for x, _ in series.points]
    ys = [y for series in plot.series for _, y in series.points]
    across = Scale(min(xs), max(xs), MARGIN, WIDTH - 16, logarithmic=False)
    low, high = (10.0 ** floor(log10(min(ys))), 10.0 ** ceil(log10(max(ys)))) if plot.logarithmic else (0.0, max(ys))
    up = Scale(low, high, HEIGHT - MARGIN, 28, plot.logarithmic)
    parts = [*axes(plot, across, up, sorted(set(xs)))]
    for k, series in enumerate(plot.series):
        parts += draw_series(series, k, across, up)
    size = f"width='{WIDTH}' height='{HEIGHT}' viewBox='0 0 {WIDTH} {HEIGHT}'"
    style = "font-family='sans-serif' font-size='11' fill='#333'"
    ground = f"<rect width='{WIDTH}' height='{HEIGHT}' fill='#fff'/>"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size} {style}>{ground}{''.join(parts)}</svg>\n"


@frozen
class Scale:
    """Where a value stands between two ends of the picture."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def place(self, value: float) -> float:
        low, high, at = (log10(v) if self.logarithmic else v for v in (self.low, self.high, value))
        return self.start + (self.end - self.start) * (at - low) / ((high - low) or 1)

    def ticks(self) -> list[float]:
        if self.logarithmic:
            return [10.0**k for k in range(round(log10(self.low)), round(log10(self.high)) + 1)]
        step = 10.0 ** floor(log10(self.high))
        step = step if self.high / step >= 3 else step / 4
        return [k * step for k in range(int(self.high / step) + 1)]


def axes(plot: Plot, across: Scale, up: Scale, xs: Sequence[float]) -> Iterable[str]:
    bottom = HEIGHT - MARGIN
    yield f"<rect x='{MARGIN}' y='28' width='{WIDTH - 16 - MARGIN}' height='{bottom - 28}' fill='none' stroke='#999'/>"
    yield label(WIDTH / 2, 16, plot.title, "middle")
    yield label((MARGIN + WIDTH - 16) / 2, HEIGHT - 26, plot.x_name, "middle")
    turned = f"transform='translate(12 {bottom / 2 + 14}) rotate(-90)'"
    yield f"<text {turned} text-anchor='middle'>{escape(plot.y_name)}</text>"
    for tick in up.ticks():
        y = up.place(tick)
        yield f"<line x1='{MARGIN}' x2='{WIDTH - 16}' y1='{y:.1f}' y2='{y:.1f}' stroke='#eee'/>"
        yield label(MARGIN - 6, y + 4, brief(tick), "end")
    for x in xs:
        yield label(across.place(x), bottom + 14, f"{x:g}", "middle")


def draw_series(series: Series, k: int, across: Scale, up: Scale) -> list[str]:
    colour, radius = COLOURS[k % len(COLOURS)], RADII[k % len(RADII)]
    fill = colour if k == 0 else "none"
    dots = [
        f"<circle cx='{across.place(x):.1f}' cy='{up.place(y):.1f}' r='{radius}' fill='{fill}' stroke='{colour}'>"
        f"<title>{escape(series.name)}: {x:g}, {brief(y)}</title></circle>"
        for x, y in series.points
    ]
    left = MARGIN + 4 + 120 * k
    legend = f"<circle cx='{left}' cy='{HEIGHT - 10}' r='{radius}' fill='{fill}' stroke='{colour}'/>"
    return [*dots, legend, label(left + 9, HEIGHT - 6, series.name, "start")]


def brief(value: float) -> str:
    """At most two digits after the point."""
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def label(x: float, y: float, text: str, anchor: str) -> str:
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'>{escape(text)}</text>"


def render_table(head: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Numbers to the right, in columns; thousands with commas, seconds with two digits, nothing as a dash."""
    cells = [list(head), *([show(value) for value in row] for row in rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(head))]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths), *lines[1:]]) + "\n"


def show(value: object) -> str:
    match value:
        case None:
            return "-"
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}"
        case float():
            return f"{value:.2f}"
        case _:
            return str(value)
