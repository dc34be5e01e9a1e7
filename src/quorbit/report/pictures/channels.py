"""The static channel diagram as a picture, coloured by orbits: SVG or graphviz text. [DM05, Figure 2]

Processes are rounded boxes, channels rectangles, shared variables dashed; what the symmetry moves is coloured by its
orbit, the rest is not.  The drawing has columns: processes, channels (and variables), each orbit together, its members
near what they are connected to.
"""

from __future__ import annotations

from html import escape

from quorbit.detection.channel_diagram import HANDSHAKE, OWNER, ChannelDiagram
from quorbit.groups.group import Group, moved_orbits, orbits
from quorbit.report.pictures.svg import ARROW, FIXED, PALETTE, label, svg, text_width
from quorbit.source.frozen import frozen

__all__ = ["columns", "dot_channel_diagram", "draw_channel_diagram"]

ROW, GAP, BEND, TOP = 34, 160, 44, 24  # pixels
MOST_VERTICES = 300


def draw_channel_diagram(diagram: ChannelDiagram, group: Group) -> str:
    """An SVG picture, complete in itself: boxes as wide as the longest name in their column."""
    sides = columns(diagram, group)
    wide = [max((text_width(diagram.name(v)) for v in side), default=30.0) + 24 for side in sides]
    xs = [BEND + wide[0] / 2, BEND + wide[0] + GAP + wide[1] / 2]
    spots = {v: Spot(xs[k], TOP + ROW * i, wide[k] / 2, k) for k, side in enumerate(sides) for i, v in enumerate(side)}
    orbit = orbits_of(diagram, group)
    parts = [ARROW]
    parts += [draw_arc(spots[u], spots[v], kind) for u, v, kind in drawn_arcs(diagram) if u in spots and v in spots]
    parts += [draw_vertex(diagram, v, spot, orbit[v]) for v, spot in spots.items()]
    height = TOP + ROW * max(*map(len, sides), 1)
    missing = len(shown(diagram, group)) - len(spots)
    if missing:
        parts.append(label(12, height, f"{missing} more are not drawn", "soft"))
    return svg(2 * BEND + wide[0] + GAP + wide[1], height + 12, parts)


@frozen
class Spot:
    """Where a vertex is drawn: the middle of its box, half its width, and its column."""

    x: float
    y: float
    half: float
    side: int


def dot_channel_diagram(diagram: ChannelDiagram, group: Group) -> str:
    """The diagram for graphviz."""
    lines = ["digraph channels {", "  rankdir=LR;", '  node [style=filled, fontname="sans-serif"];']
    orbit = orbits_of(diagram, group)
    for v in shown(diagram, group):
        lines.append(
            f'  n{v} [label={quoted(diagram.name(v))}, shape={shape(diagram, v)}, fillcolor="{fill(orbit[v])}"];'
        )
    for u, v, kind in drawn_arcs(diagram):
        lines.append(f"  n{u} -> n{v} [tooltip={quoted(kind)}{', dir=none' if kind == HANDSHAKE else ''}];")
    return "\n".join([*lines, "}", ""])


# What is drawn where, and in which colour.


def shown(diagram: ChannelDiagram, group: Group) -> tuple[int, ...]:
    """All but what nothing is known about: no arc and no symmetry."""
    touched = {v for u, w, _ in diagram.arcs for v in (u, w)} | set(group.moved)
    return tuple(v for v in diagram.vertices if v in touched)


def drawn_arcs(diagram: ChannelDiagram) -> list[tuple[int, int, str]]:
    return [arc for arc in diagram.arcs if arc[2] != OWNER]


def orbits_of(diagram: ChannelDiagram, group: Group) -> dict[int, int | None]:
    """The orbit of every vertex that the symmetry moves; a variable has that of its owner."""
    found: dict[int, int | None] = dict.fromkeys(diagram.vertices)
    of_atom = {a: k for k, orbit in enumerate(moved_orbits(group)) for a in orbit}
    found.update({a: k for a, k in of_atom.items() if a in found})
    first = len(diagram.system.atoms)
    for k, place in enumerate(diagram.shared):
        found[first + k] = next((of_atom[a] for a in place.owners if a in of_atom), None)
    return found


def fill(orbit: int | None) -> str:
    return FIXED if orbit is None else PALETTE[orbit % len(PALETTE)]


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


def draw_vertex(diagram: ChannelDiagram, v: int, spot: Spot, orbit: int | None) -> str:
    name = diagram.name(v)
    kind = " ".join(str(part) for part in diagram.colour(v)[1:] if part)
    form = shape(diagram, v)
    rounded, shared = (13 if form == "ellipse" else 2), (" shared" if form == "note" else "")
    return (
        f'<g class="{form} {"fixed" if orbit is None else f"o{orbit % 7}"}"><title>{escape(f"{name}: {kind}")}</title>'
        f'<rect class="box{shared}" x="{spot.x - spot.half:.1f}" y="{spot.y - 13:.1f}" width="{2 * spot.half:.1f}" '
        f'height="26" rx="{rounded}"/>{label(spot.x, spot.y + 4, name, "", "middle")}</g>'
    )


def draw_arc(a: Spot, b: Spot, kind: str) -> str:
    """A line between the columns; a bow beside two of one column."""
    if a.side == b.side:
        x, out = a.x - a.half, 12 + min(28.0, abs(b.y - a.y) / 8)
        path = f"M{x:.1f},{a.y:.1f} C{x - out:.1f},{a.y:.1f} {x - out:.1f},{b.y:.1f} {x - 1:.1f},{b.y:.1f}"
    elif b.x > a.x:
        path = f"M{a.x + a.half:.1f},{a.y - 4:.1f} L{b.x - b.half - 1:.1f},{b.y - 4:.1f}"
    else:  # so that a send and a receive lie apart
        path = f"M{a.x - a.half:.1f},{a.y + 4:.1f} L{b.x + b.half + 1:.1f},{b.y + 4:.1f}"
    return f'<path class="wire" d="{path}" marker-end="url(#arrow)"><title>{escape(kind)}</title></path>'


def quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    return f'"{escaped}"'
