"""Local-state diagrams as SVG: a box for each state, an arrow for each step between two."""

from __future__ import annotations

from html import escape
from math import cos, hypot, pi, sin
from typing import TYPE_CHECKING

from quorbit.report.pictures.local_states import Diagram, local_states
from quorbit.report.pictures.svg import ARROW, label, svg, text_width

__all__ = ["draw_local_states"]

if TYPE_CHECKING:
    from quorbit.model.system.system import System


def draw_local_states(system: System) -> str:
    """The local-state diagram of a System whose processes have one; '' for others."""
    diagram = local_states(system)
    return "" if diagram is None else draw_diagram(diagram)


def draw_diagram(diagram: Diagram) -> str:
    """The states on a circle wide enough for their names; an arrow for each pair, with all labels in its tooltip."""
    n = len(diagram.states)
    half = max(18.0, *(text_width(name) / 2 + 10 for name in diagram.states))
    radius = max(60.0, half, (half + 12) / sin(pi / n) if n > 1 else 0.0)
    centre = radius + half + 40
    spots = [(centre + radius * sin(2 * pi * k / n), centre - radius * cos(2 * pi * k / n)) for k in range(n)]
    parts = [ARROW]
    for (a, b), labels in diagram.arrows:
        parts.append(draw_arrow(spots[a], spots[b], half, labels, a == b))
    for k, (x, y) in enumerate(spots):
        kind = "box initial" if k in diagram.initial else "box"
        box = f'<rect class="{kind}" x="{x - half:.1f}" y="{y - 14:.1f}" width="{2 * half:.1f}" height="28" rx="14"/>'
        parts.append(f'<g class="state">{box}{label(x, y + 4, diagram.states[k], "", "middle")}</g>')
    return svg(2 * centre, 2 * centre, parts)


def draw_arrow(
    start: tuple[float, float], end: tuple[float, float], half: float, labels: tuple[str, ...], loop: bool
) -> str:
    title = f"<title>{escape('; '.join(labels))}</title>"
    (x1, y1), (x2, y2) = start, end
    if loop:
        around = f"{x1 - half:.1f},{y1 - 50:.1f} {x1 + half:.1f},{y1 - 50:.1f}"
        path = f"M{x1 - 8:.1f},{y1 - 14:.1f} C{around} {x1 + 8:.1f},{y1 - 15:.1f}"
        return f'<path class="wire" d="{path}" marker-end="url(#arrow)">{title}</path>'
    length = hypot(x2 - x1, y2 - y1) or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    edge = min(half / max(abs(ux), 0.01), 14 / max(abs(uy), 0.01))
    mx, my = (x1 + x2) / 2 + 16 * uy, (y1 + y2) / 2 - 16 * ux  # so that the arrows of both directions lie apart
    path = f"M{x1 + edge * ux:.1f},{y1 + edge * uy:.1f} Q{mx:.1f},{my:.1f} "
    path += f"{x2 - (edge + 2) * ux:.1f},{y2 - (edge + 2) * uy:.1f}"
    return f'<path class="wire" d="{path}" marker-end="url(#arrow)">{title}</path>'
