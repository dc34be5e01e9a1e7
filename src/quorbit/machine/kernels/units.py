"""Which states can be told by what is said of units of atoms (runtime/canon/units.h)."""

from __future__ import annotations

from quorbit.machine.kernels.movement import Movement

MOST_MEANINGS = 1 << 14  # codes of all references together
WIDEST = 12  # bits of a reference


def speaks_of_units(moves: Movement) -> bool:
    """Whether there are references and relations of two at most, and they hold few codes."""
    references = [cell for cell in moves.cells if cell.refers]
    others = [cell for cell in moves.cells if not cell.refers]
    return (
        all(cell.value is None for cell in moves.cells)
        and all(len(cell.owners) <= 1 and cell.field.width <= WIDEST for cell in references)
        and all(len(cell.owners) == 2 and min(cell.owners) >= 0 for cell in others)
        and sum(2**cell.field.width + 1 for cell in references) <= MOST_MEANINGS
    )
