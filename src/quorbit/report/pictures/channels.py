"""The static channel diagram as a picture, coloured by orbits: SVG, graphviz text, or a page. [DM05, Figure 2]

Processes are ovals, channels rectangles, shared variables dashed; what the symmetry moves is coloured by its orbit,
the rest is grey.  The drawing has columns: processes, channels (and variables), each orbit together, its members near
what they are connected to.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from quorbit.detection.channel_diagram import HANDSHAKE, OWNER, SEND, WRITE, ChannelDiagram
from quorbit.groups.group import Group, moved_orbits, orbits
from quorbit.report.as_json import show_moves
from quorbit.report.notebook import page
from quorbit.report.pictures.symmetry import ARROW, FIXED, FONT, PALETTE, svg

__all__ = ["channel_diagram_page", "columns", "dot_channel_diagram", "draw_channel_diagram"]

ROW, BOX, GAP = 44, 150, 190
MOST_VERTICES = 300
STROKES = {SEND: "#333", WRITE: "#888", HANDSHAKE: "#2d8a4e"}


def draw_channel_diagram(diagram: ChannelDiagram, group: Group) -> str:
    """An SVG picture, complete in itself."""
    left, right = columns(diagram, group)
    spots = {
        v: (90 + k * (BOX + GAP), 34 + ROW * i) for k, side in enumerate((left, right)) for i, v in enumerate(side)
    }
    fills = colours(diagram, group)
    parts = [ARROW]
    parts += [draw_arc(spots[u], spots[v], kind) for u, v, kind in drawn_arcs(diagram) if u in spots and v in spots]
    parts += [draw_vertex(diagram, v, spots[v], fills[v]) for v in (*left, *right)]
    height = 34 + ROW * max(len(left), len(right), 1)
    missing = len(shown(diagram, group)) - len(left) - len(right)
    if missing:
        parts.append(f"<text x='10' y='{height}' {FONT}>{missing} more are not drawn</text>")
    return svg(180 + BOX + GAP, height + 10, parts)


def dot_channel_diagram(diagram: ChannelDiagram, group: Group) -> str:
    """The diagram for graphviz."""
    lines = ["digraph channels {", "  rankdir=LR;", '  node [style=filled, fontname="sans-serif"];']
    fills = colours(diagram, group)
    for v in shown(diagram, group):
        lines.append(f'  n{v} [label={quoted(diagram.name(v))}, shape={shape(diagram, v)}, fillcolor="{fills[v]}"];')
    for u, v, kind in drawn_arcs(diagram):
        lines.append(f"  n{u} -> n{v} [tooltip={quoted(kind)}{', dir=none' if kind == HANDSHAKE else ''}];")
    return "\n".join([*lines, "}", ""])


def channel_diagram_page(title: str, diagram: ChannelDiagram, group: Group) -> str:
    """An HTML page with the picture, the orbits and the generators."""
    names = tuple(atom.name for atom in diagram.system.atoms)
    listed = [", ".join(diagram.name(v) for v in orbit) for orbit in moved_orbits(group)]
    generators = [show_moves(moves, names) for moves in group.moves]
    return page(
        title,
        [
            "<p>Processes are ovals, channels rectangles; an arrow into a channel is a send, one out of it a receive. "
            "Equal colours: the symmetry moves them onto each other. Grey: it moves none of them.</p>",
            draw_channel_diagram(diagram, group),
            items("Orbits", listed),
            items("Generators", generators),
        ],
    )


def items(title: str, texts: Sequence[str]) -> str:
    if not texts:
        return f"<h2>{escape(title)}</h2><p>none</p>"
    return f"<h2>{escape(title)}</h2><ul>" + "".join(f"<li>{escape(text)}</li>" for text in texts) + "</ul>"


# What is drawn where, and in which colour.


def shown(diagram: ChannelDiagram, group: Group) -> tuple[int, ...]:
    """All but what nothing is known about: no arc and no symmetry."""
    touched = {v for u, w, _ in diagram.arcs for v in (u, w)} | set(group.moved)
    return tuple(v for v in diagram.vertices if v in touched)


def drawn_arcs(diagram: ChannelDiagram) -> list[tuple[int, int, str]]:
    return [arc for arc in diagram.arcs if arc[2] != OWNER]


def colours(diagram: ChannelDiagram, group: Group) -> dict[int, str]:
    found = dict.fromkeys(diagram.vertices, FIXED)
    of_atom = {a: PALETTE[k % len(PALETTE)] for k, orbit in enumerate(moved_orbits(group)) for a in orbit}
    found.update({a: colour for a, colour in of_atom.items() if a in found})
    first = len(diagram.system.atoms)
    for k, place in enumerate(diagram.shared):
        found[first + k] = next((of_atom[a] for a in place.owners if a in of_atom), FIXED)
    return found


def columns(diagram: ChannelDiagram, group: Group) -> tuple[list[int], list[int]]:
    """Processes on the left by orbit, all else on the right near what it is connected to."""
    kept = shown(diagram, group)[:MOST_VERTICES]
    processes = set(diagram.processes)
    place_of = {a: k for k, orbit in enumerate(orbits(group)) for a in orbit}
    left = sorted((v for v in kept if v in processes), key=lambda v: (place_of[v], v))
    row = {v: i for i, v in enumerate(left)}
    near: dict[int, list[int]] = {}
    for u, v, _ in diagram.arcs:
        for a, b in ((u, v), (v, u)):
            if a in row:
                near.setdefault(b, []).append(row[a])
    right = [v for v in kept if v not in processes]
    return left, sorted(right, key=lambda v: (average(near.get(v, [])), v))


def average(rows: list[int]) -> float:
    return sum(rows) / len(rows) if rows else float(10**6)


def shape(diagram: ChannelDiagram, v: int) -> str:
    if v in diagram.processes:
        return "ellipse"
    return "box" if v < len(diagram.system.atoms) else "note"


def draw_vertex(diagram: ChannelDiagram, v: int, spot: tuple[int, int], fill: str) -> str:
    x, y = spot
    name = diagram.name(v)
    kind = " ".join(str(part) for part in diagram.colour(v)[1:] if part)
    text = name if len(name) <= 22 else name[:21] + "…"
    if v in diagram.processes:
        outline = f"<ellipse cx='{x}' cy='{y}' rx='{BOX // 2}' ry='16' fill='{fill}' stroke='#333'/>"
    else:
        dashes = " stroke-dasharray='4 3'" if v >= len(diagram.system.atoms) else ""
        outline = (
            f"<rect x='{x - BOX // 2}' y='{y - 15}' width='{BOX}' height='30' fill='{fill}' stroke='#333'{dashes}/>"
        )
    return (
        f"<g><title>{escape(f'{name}: {kind}')}</title>{outline}"
        f"<text x='{x}' y='{y + 4}' text-anchor='middle' {FONT}>{escape(text)}</text></g>"
    )


def draw_arc(start: tuple[int, int], end: tuple[int, int], kind: str) -> str:
    """A line between the columns; a bow at the left of two processes that shake hands."""
    (x1, y1), (x2, y2) = start, end
    stroke = STROKES.get(kind, "#4e79a7")
    style = f"fill='none' stroke='{stroke}' marker-end='url(#arrow)'"
    if x1 == x2:
        out = x1 - BOX // 2 - 12 - min(60, abs(y2 - y1) // 6)
        path = f"M{x1 - BOX // 2},{y1} C{out},{y1} {out},{y2} {x2 - BOX // 2},{y2}"
    else:
        step = BOX // 2 if x2 > x1 else -BOX // 2
        lift = -3 if x2 > x1 else 3  # so that a send and a receive lie apart
        path = f"M{x1 + step},{y1 + lift} L{x2 - step},{y2 + lift}"
    return f"<path d='{path}' {style}><title>{escape(kind)}</title></path>"


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
