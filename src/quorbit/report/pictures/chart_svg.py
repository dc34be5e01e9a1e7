"""Message sequence charts as SVG: lifelines, arrows for messages, boxes for what a process does by itself."""

from __future__ import annotations

from html import escape

from quorbit.report.pictures.chart import Chart, Message, Note

__all__ = ["chart_svg"]

COLUMN, ROW = 190, 26  # pixels
TOP, LEFT = 60, 60
WIDEST = 28  # letters in a box
STYLE = """
text { font: 11px sans-serif; fill: #222; } .name { font-weight: bold; }
.line { stroke: #999; } .box { fill: #f4f4ee; stroke: #999; } .arrow { stroke: #1f5fa8; fill: none; stroke-width: 1.4; }
.lost { stroke-dasharray: 4 3; } .row { fill: #999; }
"""


def chart_svg(chart: Chart) -> str:
    width = LEFT + COLUMN * max(1, len(chart.processes))
    height = TOP + ROW * (chart.rows + 1) + 20
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0 L8,4 L0,8 z" fill="#1f5fa8"/></marker></defs>',
        *(lifeline(chart, k, height) for k in range(len(chart.processes))),
        *(f'<text class="row" x="8" y="{y_of(row) + 4}">{row}</text>' for row in range(1, chart.rows + 1)),
        *(note_box(chart, note) for note in chart.notes),
        *(arrow(chart, message) for message in chart.messages),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def x_of(chart: Chart, process: str) -> int:
    return LEFT + COLUMN // 2 + COLUMN * chart.processes.index(process)


def y_of(row: int) -> int:
    return TOP + ROW * row


def lifeline(chart: Chart, k: int, height: int) -> str:
    name, x = chart.processes[k], LEFT + COLUMN // 2 + COLUMN * k
    return (
        f'<text class="name" x="{x}" y="24" text-anchor="middle">{cut(name)}</text>'
        f'<line class="line" x1="{x}" y1="34" x2="{x}" y2="{height - 10}"/>'
    )


def note_box(chart: Chart, note: Note) -> str:
    x, y = x_of(chart, note.process), y_of(note.row)
    text = cut(note.text)
    half = max(14, 3 * len(text) + 6)
    return (
        f'<g><title>{escape(note.text)}</title><rect class="box" x="{x - half}" y="{y - 9}" width="{2 * half}" '
        f'height="18" rx="4"/><text x="{x}" y="{y + 4}" text-anchor="middle">{text}</text></g>'
    )


def arrow(chart: Chart, message: Message) -> str:
    """A line from where it was sent to where it was received; a dashed stub if nobody took it."""
    x, y = x_of(chart, message.sender), y_of(message.sent)
    full = f"{message.channel}: {message.text}" if message.channel else message.text
    if message.receiver is None or message.received is None:
        path, kind, middle = f"M{x},{y} h60", "arrow lost", (x + 66, y - 4)
        anchor = "start"
    elif message.receiver == message.sender:
        v = y_of(message.received)
        path, kind, middle, anchor = f"M{x},{y} h40 V{v} h-40", "arrow", (x + 44, y - 4), "start"
    else:
        u, v = x_of(chart, message.receiver), y_of(message.received)
        path, kind, middle, anchor = f"M{x},{y} L{u},{v}", "arrow", ((x + u) // 2, (y + v) // 2 - 5), "middle"
    return (
        f'<g><title>{escape(full)}</title><path class="{kind}" d="{path}" marker-end="url(#head)"/>'
        f'<text x="{middle[0]}" y="{middle[1]}" text-anchor="{anchor}">{cut(full)}</text></g>'
    )


def cut(text: str) -> str:
    return escape(text if len(text) <= WIDEST else text[: WIDEST - 2] + "..")
