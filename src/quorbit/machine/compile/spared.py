"""Choices that need not be taken in a state: images of others under a symmetry that leaves the state as it is.

If g fixes s, the choices c and g c lead from s into one orbit; so of the two the earlier one is enough.  Going from a
choice to an earlier one again and again ends at one that is kept, whatever symmetries are looked at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quorbit.groups.group import Group
from quorbit.groups.moves import Moves, permutation_of
from quorbit.groups.permutation import Permutation
from quorbit.machine.compile.gate_tables import ChoiceSet, GateTables, Spared
from quorbit.model.diagrams.moved_bits import all_bits
from quorbit.model.diagrams.steps import Steps

MOST_SYMMETRIES = 256  # that are looked at
MOST_COMPARED = 1 << 18  # choices that are looked up under all symmetries together


def moves_of_group(group: Group) -> list[Permutation]:
    """The generators of a group and conjugates of them: of all exchanges of cells one generates the others so."""
    found = dict.fromkeys(group.moves)
    waiting = list(found)
    generators = [dict(moves) for moves in group.moves]
    for h in waiting:
        for g in generators:
            image = conjugate(h, g)
            if image not in found and len(found) < MOST_SYMMETRIES:
                found[image] = None
                waiting.append(image)
    points = range(group.degree)
    return [permutation_of(moves, points) for moves in found]


def conjugate(h: Moves, g: Mapping[int, int]) -> Moves:
    """g h g^-1."""
    return tuple(sorted((g.get(x, x), g.get(y, y)) for x, y in h))


def spared_choices(
    steps: Steps,
    columns: Mapping[int, int],
    tables: GateTables,
    read: Sequence[int],
    moves: Sequence[Permutation],
    free: bool,
) -> list[Spared]:
    """``columns`` of the choice bits, ``read`` the nodes through which choices count; ``free``: all are there."""
    found = []
    known = None if free else Listed(steps, columns, read, tables.choices)
    for g in moves[: len(moves) if free else max(1, MOST_COMPARED // tables.choices)]:
        images = all_bits(steps.system, steps.layout, g)
        if images is None:
            continue
        earlier = compared(columns, images, tables.choices) if known is None else known.earlier(images)
        pairs = {tuple(sorted((b, images[b]))) for b in steps.state_bits if images[b] != b}
        if earlier:
            found.append(Spared(tuple(sorted(pairs)), ChoiceSet(earlier)))  # type: ignore[arg-type]
    return found


def compared(columns: Mapping[int, int], images: Mapping[int, int], choices: int) -> int:
    """The choices whose image comes before them, where a choice is the number that its bits make."""
    back = {c: b for b, c in images.items()}
    earlier, equal = 0, (1 << choices) - 1
    for b in reversed(list(columns)):
        here, there = columns[b], columns[back[b]]
        if b != back[b]:
            earlier |= equal & here & ~there
            equal &= ~(here ^ there)
    return earlier


class Listed:
    """Some of the choices, one of those that do the same: they count through some nodes only."""

    def __init__(self, steps: Steps, columns: Mapping[int, int], read: Sequence[int], choices: int) -> None:
        self.gates, self.columns, self.read, self.choices = steps.gates, columns, read, choices
        self.all = (1 << choices) - 1
        known: dict[int, object] = {}
        for root in read:
            for n in self.gates.unseen(root, known):
                known[n] = None
        self.nodes = [n for n in sorted(known) if self.gates.operands[n] is not None]
        self.place = {key: k for k, key in enumerate(self.keys(columns))}

    def keys(self, columns: Mapping[int, int]) -> list[tuple[str, ...]]:
        """For every choice the values of the nodes, where its bits have these columns."""
        found = {0: 0, **{self.gates.nodes_of_variables[b]: c for b, c in columns.items()}}
        for n in self.nodes:
            a, b = (found[e >> 1] ^ (self.all if e & 1 else 0) for e in self.gates.operands[n] or ())
            found[n] = a & b
        texts = [format(found[n], f"0{self.choices}b")[::-1] for n in self.read]
        return list(zip(*texts, strict=True)) if texts else [()] * self.choices

    def earlier(self, images: Mapping[int, int]) -> int:
        """The choices whose images do what an earlier choice does."""
        moved = {images[b]: c for b, c in self.columns.items()}
        return sum(1 << k for k, key in enumerate(self.keys(moved)) if self.place.get(key, k) < k)
