"""Tables in plain text, and states on one line."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from quorbit.model.meaning.show import family_name, is_shown, show_place, show_value
from quorbit.model.system.system import State, System

__all__ = ["table"]


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines with the columns aligned; a column that is empty in all rows is left out."""
    kept = [k for k in range(len(header)) if any(row[k] for row in rows)]
    cells = [[row[k] for k in kept] for row in (header, *rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(kept))]
    return ["  " + "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in cells]


def show_vector(system: System, s: State) -> str:
    """A state on one line; the places of one family are listed once: s = (N, T, C), turn = 2."""
    return ", ".join(show_families(system, s))


def show_families(system: System, s: State) -> list[str]:
    """A state, one text for each family of places."""
    pairs = zip(system.places, s, strict=True)
    shown = []
    for variable, members in groupby(pairs, key=lambda pair: pair[0].variable):
        found = list(members)
        if not is_shown(variable):
            continue
        values = [show_value(system, place.type, value) for place, value in found]
        if len(found) == 1:
            shown.append(f"{show_place(system, found[0][0])} = {values[0]}")
        else:
            shown.append(f"{family_name(variable)} = ({', '.join(values)})")
    return shown
