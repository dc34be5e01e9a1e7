"""Pictures as SVG, written by hand: the atoms of a symmetry coloured by orbit, and local-state diagrams.

No script, no outside resource; every text is escaped.
"""

from __future__ import annotations

from html import escape
from math import cos, pi, sin
from typing import TYPE_CHECKING

from quorbit.groups.group import moved_orbits
from quorbit.report.pictures.local_states import Diagram, local_states

__all__ = ["draw_local_states", "draw_symmetry"]

if TYPE_CHECKING:
    from quorbit.model.system.system import System
    from quorbit.report.record import Found

PALETTE = ("#4e79a7", "#f28e2b", "#59a14f", "#e15759", "#b07aa1", "#76b7b2", "#edc948", "#9c755f", "#ff9da7", "#86bcb6")
FIXED = "#c8c8c8"
MOST_ATOMS = 400
SHORT = 12  # characters of a name that are shown
FONT = "font-family='sans-serif' font-size='11'"


def draw_symmetry(result: Found) -> str:
    """Every atom a circle, atoms of one orbit in one colour and next to each other."""
    orbits = [*moved_orbits(result.group)]
    moved = {x for orbit in orbits for x in orbit}
    fixed = tuple(x for x in range(result.group.degree) if x not in moved)
    rows = [(PALETTE[k % len(PALETTE)], orbit) for k, orbit in enumerate(orbits)] + ([(FIXED, fixed)] if fixed else [])
    circles: list[str] = []
    y, shown, width = 30, 0, 1
    for colour, atoms in rows:
        for k, x in enumerate(atoms):
            if shown >= MOST_ATOMS:
                break
            column, line = k % 12, k // 12
            width = max(width, column + 1)
            circles.append(draw_atom(30 + 52 * column, y + 52 * line, colour, atom_name(result, x)))
            shown += 1
        y += 52 * ((min(len(atoms), MOST_ATOMS) + 11) // 12)
        if shown >= MOST_ATOMS:
            break
    caption = f"{result.structure}, order {order_text(result)}" + ("" if shown == result.group.degree else ", cut")
    circles.append(f"<text x='8' y='{y + 4}' {FONT}>{escape(caption[:80])}</text>")
    return svg(max(52 * width + 12, 8 + 7 * min(len(caption), 80)), y + 14, circles)


def order_text(result: Found) -> str:
    if result.order is None:
        return "unknown"
    return str(result.order) if result.order < 10**15 else f"about 2^{result.order.bit_length() - 1}"


def atom_name(result: Found, x: int) -> str:
    return str(x + 1) if result.names is None else result.names[x]


def draw_atom(x: int, y: int, colour: str, name: str) -> str:
    shown = name if len(name) <= 5 else name[:4] + "…"
    return (
        f"<g><title>{escape(name)}</title><circle cx='{x}' cy='{y}' r='20' fill='{colour}' stroke='#333'/>"
        f"<text x='{x}' y='{y + 4}' text-anchor='middle' {FONT}>{escape(shown)}</text></g>"
    )


def draw_local_states(system: System) -> str:
    """The local-state diagram of a System whose processes have one; '' for others."""
    diagram = local_states(system)
    return "" if diagram is None else draw_diagram(diagram)


def draw_diagram(diagram: Diagram) -> str:
    """The states on a circle; an arrow for each pair of states with all labels in its tooltip."""
    n = len(diagram.states)
    radius = max(70, 26 * n)
    centre = radius + 60
    spots = [(centre + radius * sin(2 * pi * k / n), centre - radius * cos(2 * pi * k / n)) for k in range(n)]
    parts = [ARROW]
    for (a, b), labels in diagram.arrows:
        parts.append(draw_arrow(spots[a], spots[b], labels, a == b))
    for k, (x, y) in enumerate(spots):
        name = diagram.states[k]
        stroke = 3 if k in diagram.initial else 1
        parts.append(
            f"<g><title>{escape(name)}</title><circle cx='{x:.1f}' cy='{y:.1f}' r='22' fill='#fff' stroke='#333' "
            f"stroke-width='{stroke}'/><text x='{x:.1f}' y='{y + 4:.1f}' text-anchor='middle' {FONT}>"
            f"{escape(name[:6])}</text></g>"
        )
    return svg(2 * centre, 2 * centre, parts)


ARROW = (
    "<defs><marker id='arrow' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='7' markerHeight='7' orient='auto'>"
    "<path d='M0,0 L10,5 L0,10 z' fill='#333'/></marker></defs>"
)


def draw_arrow(start: tuple[float, float], end: tuple[float, float], labels: tuple[str, ...], loop: bool) -> str:
    title = f"<title>{escape('; '.join(labels))}</title>"
    style = "fill='none' stroke='#333' marker-end='url(#arrow)'"
    (x1, y1), (x2, y2) = start, end
    if loop:
        around = f"{x1 - 30:.1f},{y1 - 62:.1f} {x1 + 30:.1f},{y1 - 62:.1f}"
        path = f"M{x1 - 8:.1f},{y1 - 21:.1f} C{around} {x1 + 8:.1f},{y1 - 21:.1f}"
        return f"<g>{title}<path d='{path}' {style}/></g>"
    length = ((x2 - x1) ** 2 + (y2 - y1) ** 2) ** 0.5 or 1.0
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    bend = 18.0  # so that the arrows of both directions lie apart
    mx, my = (x1 + x2) / 2 + bend * uy, (y1 + y2) / 2 - bend * ux
    many = f"<text x='{mx:.1f}' y='{my:.1f}' {FONT}>{len(labels)}</text>" if len(labels) > 1 else ""
    path = f"M{x1 + 22 * ux:.1f},{y1 + 22 * uy:.1f} Q{mx:.1f},{my:.1f} {x2 - 24 * ux:.1f},{y2 - 24 * uy:.1f}"
    return f"<g>{title}<path d='{path}' {style}/>{many}</g>"


def svg(width: float, height: float, parts: list[str]) -> str:
    size = f"width='{width:.0f}' height='{height:.0f}' viewBox='0 0 {width:.0f} {height:.0f}'"
    return f"<svg xmlns='http://www.w3.org/2000/svg' {size}>{''.join(parts)}</svg>"
