"""The symmetries of a circuit from those of its models ([M97, 6.5.1]): no instance is looked into a second time.

The automorphisms of the root's graph move instances as wholes.  An instance that goes to another one of its part, its
ports being permuted, takes its latches along by a symmetry of the part that permutes the ports so.  Symmetries of a
part that leave its ports in place are symmetries of each of its instances.  Together they generate all symmetries of
the flat circuit that respect the instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quorbit.detection.netlists.hierarchy import Child, Library, Part
from quorbit.groups.chain import build_chain
from quorbit.groups.group import Group
from quorbit.groups.moves import Moves, moves_from
from quorbit.groups.permutation import Permutation, compose, identity, inverse
from quorbit.netlists.program import Program
from quorbit.source.frozen import frozen

__all__ = ["HierarchicalGroup", "hierarchical_group"]

Images = dict[int, int]  # of latches that move


@frozen
class HierarchicalGroup:
    """The group on the latches as the flat netlist numbers them, and how many graphs and vertices were looked at."""

    group: Group
    parts: int
    vertices: int
    instances: int


def hierarchical_group(program: Program) -> HierarchicalGroup:
    library = Library(program)
    root = library.root()
    lifts = Lifts()
    moves = [moves_from(lifts.images(root, dict(m))) for m in root.group.moves]
    moves += [shifted(m, first) for first, m in inner_moves(lifts, root.drawn.children)]
    group = Group(root.width, moves=[m for m in moves if m])
    drawn = [part for part in library.parts.values() if "drawn" in vars(part)]
    return HierarchicalGroup(group, len(drawn), sum(p.drawn.graph.size for p in drawn), count_instances(root))


def count_instances(part: Part) -> int:
    return len(part.below) + sum(count_instances(inner) for inner in part.below)


def shifted(moves: Moves, by: int) -> Moves:
    return tuple((a + by, b + by) for a, b in moves)


def inner_moves(lifts: Lifts, children: Iterable[Child]) -> Iterator[tuple[int, Moves]]:
    """The symmetries of instances that leave their ports in place: the number of the first latch, and the moves."""
    for child in children:
        for moves in lifts.inside(child.part):
            yield child.first, moves


class Lifts:
    """What symmetries of parts do to latches; everything is computed once for a part."""

    def __init__(self) -> None:
        self.insides: dict[int, list[Moves]] = {}
        self.extensions: dict[tuple[int, tuple[tuple[str, str], ...]], Images] = {}

    def inside(self, part: Part) -> list[Moves]:
        if part.number not in self.insides:
            found = [moves_from(self.images(part, dict(m))) for m in part.fixing_ports.moves]
            found += [shifted(m, first) for first, m in inner_moves(self, part.drawn.children)]
            self.insides[part.number] = [m for m in found if m]
        return self.insides[part.number]

    def images(self, part: Part, moved: dict[int, int]) -> Images:
        """The latches of a part under an automorphism of its graph, given by the vertices it moves."""
        numbers = dict(part.drawn.latches)
        found = {numbers[v]: numbers[moved[v]] for v in numbers if v in moved}
        at = {child.vertex: child for child in part.drawn.children}
        for child in part.drawn.children:
            target = at[moved.get(child.vertex, child.vertex)]
            names = {v: name for name, v in target.ports.items()}
            renamed = {name: names[moved.get(v, v)] for name, v in child.ports.items()}
            inner = self.extension(child.part, renamed)
            if target is not child or inner:
                for k in range(child.part.width):
                    found[child.first + k] = target.first + inner.get(k, k)
        return found

    def extension(self, part: Part, renamed: dict[str, str]) -> Images:
        """The latches of a part under some symmetry that permutes its ports as asked."""
        asked = tuple((a, b) for a, b in renamed.items() if a != b)
        if not asked:
            return {}
        key = (part.number, asked)
        if key not in self.extensions:
            ports = part.drawn.ports
            g = element_with(part.group, {ports[a]: ports[b] for a, b in renamed.items()})
            self.extensions[key] = self.images(part, {v: w for v, w in enumerate(g) if v != w})
        return self.extensions[key]


def element_with(group: Group, images: dict[int, int]) -> Permutation:
    """An element of the group with given images of some points; requires that there is one."""
    chain = build_chain(group, tuple(images))
    g = identity(group.degree)
    for level in chain.levels:
        if level.point in images:
            back = inverse(g)
            g = compose(level.transversal[back[images[level.point]]], g)
    assert all(g[a] == b for a, b in images.items())
    return g
