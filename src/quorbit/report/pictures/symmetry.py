"""The picture of a symmetry as SVG: the atoms by orbit, with their full names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from quorbit.groups.group import moved_orbits
from quorbit.report.pictures.svg import label, orbit_letter, svg, text_width

__all__ = ["draw_symmetry"]

if TYPE_CHECKING:
    from quorbit.report.record import Found

MOST_ATOMS = 400
WIDTH = 900  # pixels, unless one name needs more
LEFT, GAP, ROW, BOX = 150, 10, 34, 24


def draw_symmetry(result: Found) -> str:
    """Every atom a box with its name and the letter of its orbit; atoms of one orbit next to each other."""
    orbits = [*moved_orbits(result.group)]
    moved = {x for orbit in orbits for x in orbit}
    fixed = tuple(x for x in range(result.group.degree) if x not in moved)
    rows: list[tuple[int | None, Sequence[int]]] = [(k, orbit) for k, orbit in enumerate(orbits)]
    rows += [(None, fixed)] if fixed else []
    parts = [label(12, 24, f"{result.structure}, order {order_text(result)}", "name")]
    y, shown, width = 52.0, 0, text_width(f"{result.structure}, order {order_text(result)}") + 24
    for orbit, atoms in rows:
        kept = atoms[: MOST_ATOMS - shown]
        if not kept:
            break
        title = "fixed" if orbit is None else f"orbit {orbit_letter(orbit)}"
        parts.append(label(12, y + 4, f"{title} · {len(atoms)}", "soft"))
        drawn, right, y = draw_atoms([atom_name(result, x) for x in kept], orbit, y)
        parts += drawn
        width, shown, y = max(width, right + 12), shown + len(kept), y + ROW + 6
    if shown < result.group.degree:
        parts.append(label(12, y, f"{result.group.degree - shown} more atoms are not drawn", "soft"))
        y += ROW
    return svg(width, y, parts)


def draw_atoms(names: Sequence[str], orbit: int | None, y: float) -> tuple[list[str], float, float]:
    """The boxes, how far they go to the right, and the height of the last row."""
    x, right, parts = float(LEFT), 0.0, list[str]()
    for name in names:
        width = text_width(name) + 20 + (0 if orbit is None else 16)
        if x > LEFT and x + width > WIDTH:
            x, y = float(LEFT), y + ROW
        parts.append(draw_atom(x, y, width, orbit, name))
        x += width + GAP
        right = max(right, x - GAP)
    return parts, right, y


def draw_atom(x: float, y: float, width: float, orbit: int | None, name: str) -> str:
    kind = "fixed" if orbit is None else f"o{orbit % 7}"
    letter = "" if orbit is None else label(x + 8, y + 4, orbit_letter(orbit), "letter")
    start = x + 10 if orbit is None else x + 8 + text_width(orbit_letter(orbit)) + 8
    box = f'<rect class="box" x="{x:.1f}" y="{y - BOX / 2:.1f}" width="{width:.1f}" height="{BOX}" rx="4"/>'
    return f'<g class="{kind}">{box}{letter}{label(start, y + 4, name)}</g>'


def order_text(result: Found) -> str:
    if result.order is None:
        return "unknown"
    return str(result.order) if result.order < 10**15 else f"about 2^{result.order.bit_length() - 1}"


def atom_name(result: Found, x: int) -> str:
    return str(x + 1) if result.names is None else result.names[x]
