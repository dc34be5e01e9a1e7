"""Message sequence charts as SVG: lifelines, arrows for messages, boxes for what a process does by itself.

A column is as wide as its widest box and a row as high as its highest, so that nothing overlaps and nothing is cut.
"""

from __future__ import annotations

from html import escape

from quorbit.report.pictures.chart import Chart, Message
from quorbit.report.pictures.svg import ARROW, label, svg, text_lines, text_width
from quorbit.source.frozen import frozen

__all__ = ["chart_svg"]

MOST_LETTERS = 30  # in a line of a box
LINE, PAD, ROW_GAP = 17, 6, 10
GUTTER, TOP = 56, 30


@frozen
class Box:
    process: str
    lines: tuple[str, ...]
    title: str

    @property
    def half(self) -> float:
        return max(map(text_width, self.lines)) / 2 + PAD

    @property
    def height(self) -> float:
        return len(self.lines) * LINE + PAD


@frozen
class Sheet:
    """Where everything is: the middle of each column, the top of each row, and the boxes of each row."""

    columns: dict[str, float]
    rows: dict[int, float]
    boxes: dict[int, tuple[Box, ...]]
    width: float
    height: float


def chart_svg(chart: Chart) -> str:
    sheet = lay_out(chart)
    names = [label(x, 20, name, "name", "middle") for name, x in sheet.columns.items()]
    lines = [
        f'<line class="line" x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{sheet.height - 6:.1f}"/>'
        for x in sheet.columns.values()
    ]
    numbers = [label(GUTTER - 14, y + LINE - 3, str(row), "soft", "end") for row, y in sheet.rows.items()]
    arrows = [drawn for message in chart.messages if (drawn := arrow(sheet, message))]
    boxes = [draw_box(sheet, row, box) for row, found in sheet.boxes.items() for box in found]
    return svg(sheet.width, sheet.height, [ARROW, *lines, *names, *numbers, *arrows, *boxes]) + "\n"


def lay_out(chart: Chart) -> Sheet:
    boxes = boxes_of(chart)
    halves = {name: max(30.0, text_width(name) / 2) for name in chart.processes}
    for box in (box for found in boxes.values() for box in found):
        halves[box.process] = max(halves.get(box.process, 0.0), box.half)
    columns, x = dict[str, float](), float(GUTTER)
    for name in chart.processes:
        columns[name] = x + halves[name] + 12
        x += 2 * halves[name] + 24
    rows, y = dict[int, float](), float(TOP + ROW_GAP)
    for row, found in boxes.items():
        rows[row] = y
        y += max(box.height for box in found) + ROW_GAP
    return Sheet(columns, rows, boxes, x + 12, y + 8)


def boxes_of(chart: Chart) -> dict[int, tuple[Box, ...]]:
    """Row by row; rows in which nothing is drawn are left out."""
    told: dict[int, dict[str, list[str]]] = {}

    def tell(row: int, process: str, text: str) -> None:
        told.setdefault(row, {}).setdefault(process, []).append(text)

    for note in chart.notes:
        tell(note.row, note.process, note.text)
    for message in chart.messages:
        name = f"{message.channel}: {message.text}" if message.channel else message.text
        tell(message.sent, message.sender, name)
        if message.receiver is not None and message.received is not None and message.received != message.sent:
            tell(message.received, message.receiver, name)
    return {row: tuple(box_of(p, texts) for p, texts in found.items()) for row, found in sorted(told.items())}


def box_of(process: str, texts: list[str]) -> Box:
    lines = tuple(line for text in texts for line in text_lines(text, MOST_LETTERS))
    return Box(process, lines, "; ".join(texts))


def draw_box(sheet: Sheet, row: int, box: Box) -> str:
    x, y = sheet.columns[box.process] - box.half, sheet.rows[row]
    texts = [label(x + PAD, y + LINE - 3 + k * LINE, line) for k, line in enumerate(box.lines)]
    rect = f'<rect class="box" x="{x:.1f}" y="{y:.1f}" width="{2 * box.half:.1f}" height="{box.height:.1f}" rx="3"/>'
    return f"<g><title>{escape(box.title)}</title>{rect}{''.join(texts)}</g>"


def arrow(sheet: Sheet, message: Message) -> str:
    """From the box that sends to the one that receives; a dashed stub if nobody took it."""
    full = f"{message.channel}: {message.text}" if message.channel else message.text
    title = f"<title>{escape(full)}</title>"
    left, right, y = edges(sheet, message.sent, message.sender)
    if message.receiver is None or message.received is None:
        return f'<path class="arrow lost" d="M{right:.1f},{y:.1f} h16">{title}</path>'
    to_left, to_right, v = edges(sheet, message.received, message.receiver)
    if message.receiver == message.sender:
        path = f"M{right:.1f},{y:.1f} h8 V{v:.1f} H{to_right + 2:.1f}"
    elif sheet.columns[message.sender] < sheet.columns[message.receiver]:
        path = f"M{right:.1f},{y:.1f} L{to_left - 2:.1f},{v:.1f}"
    else:
        path = f"M{left:.1f},{y:.1f} L{to_right + 2:.1f},{v:.1f}"
    return f'<path class="arrow" d="{path}" marker-end="url(#arrow)">{title}</path>'


def edges(sheet: Sheet, row: int, process: str) -> tuple[float, float, float]:
    """Left and right edge of a box, and the height where arrows begin; the lifeline where there is no box."""
    x, y = sheet.columns[process], sheet.rows[row] + LINE / 2 + PAD / 2
    half = next((box.half for box in sheet.boxes[row] if box.process == process), 2.0)
    return x - half, x + half, y
