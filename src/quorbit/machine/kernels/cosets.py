"""Groups of some thousand elements as tables: units, and the stages in which cosets are compared all at once
(runtime/canon/cosets.h)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from quorbit.canon.plan import ChainLevel, Refine
from quorbit.groups.permutation import Permutation, compose
from quorbit.machine.kernels.movement import Movement
from quorbit.machine.kernels.units import speaks_of_units

MOST_UNITS = 128
MOST_STAGES = 4
MOST_COSETS = 128  # of a stage after the first, if several levels are joined
MOST_WAYS = 4096  # through all stages but the last
LARGEST_TABLE = 1 << 19  # bytes of numbers: more is too far from the processor


def suits_cosets(node: Refine, moves: Movement) -> bool:
    """Whether the kernel is for such a group and such states."""
    if not node.levels or node.free or not speaks_of_units(moves):
        return False
    sizes = [prod(len(level.representatives) for level in levels) for levels in stages_of(node.levels)]
    units = len(units_of(node))
    return (
        units <= MOST_UNITS
        and len(sizes) <= MOST_STAGES
        and max(sizes) <= MOST_COSETS
        and (len(sizes) == 1 or prod(sizes[:-1]) <= MOST_WAYS)
        and 4 * units * sum(sizes) <= LARGEST_TABLE
    )


def coset_table(node: Refine) -> list[int]:
    """Stages: how many elements, which; units and the number of the first base point's; of each unit how many atoms,
    their class, the atoms."""
    stages, units = stages_of(node.levels), units_of(node)
    table = [len(stages)]
    for levels in stages:
        listed = products(levels)
        table += [len(listed), *(b for g in listed for b in g)]
    table += [len(units), next(k for k, unit in enumerate(units) if unit[0] == node.levels[0].point)]
    for unit in units:
        table += [len(unit), node.classes[unit[0]], *unit]
    return table


def stages_of(levels: Sequence[ChainLevel]) -> list[Sequence[ChainLevel]]:
    """The first level by itself, the others joined from the last one on as long as there are not too many cosets."""
    stages: list[Sequence[ChainLevel]] = []
    end = len(levels)
    while end > 1:
        start = end - 1
        while start > 1 and prod(len(level.representatives) for level in levels[start - 1 : end]) <= MOST_COSETS:
            start -= 1
        stages.insert(0, levels[start:end])
        end = start
    return [levels[:1], *stages]


def products(levels: Sequence[ChainLevel]) -> list[Permutation]:
    """A representative of each level, one after the other."""
    found = [h for _, h in levels[0].representatives]
    for level in levels[1:]:
        found = [compose(g, h) for g, (_, h) in product(found, level.representatives)]
    return found


def units_of(node: Refine) -> list[tuple[int, ...]]:
    """Atoms that move, in units, class by class.  What fixes the first base point fixes the other atoms of its unit, so
    every element takes all of them to one place."""
    first, later = node.levels[0], [h for level in node.levels[1:] for _, h in level.representatives]
    members: dict[int, list[int]] = {}
    for a, c in enumerate(node.classes):
        members.setdefault(c, []).append(a)
    base = [first.point]
    for c, atoms in members.items():
        if c != node.classes[first.point] and len(atoms) == len(first.representatives) > 1:
            base += [a for a in atoms if all(h[a] == a for h in later)][:1]
    columns = []
    for _, h in sorted(first.representatives):
        back = {b: a for a, b in enumerate(h)}
        columns.append(tuple(back[b] for b in base))
    taken = {a for column in columns for a in column}
    return [*columns, *((a,) for atoms in members.values() if len(atoms) > 1 for a in atoms if a not in taken)]
