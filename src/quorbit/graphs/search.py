"""Automorphisms and canonical labelling by individualisation and refinement, in plain Python.

Small and plainly right rather than fast: the oracle for the adapter, and what stands in where igraph is missing.  The
tree of McKay, "Practical graph isomorphism" (1981): a node is an equitable partition, its children individualise each
vertex of the first open cell, a leaf is an order of all vertices.  Leaves are compared by the
graph they relabel to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from quorbit.graphs.graph import Arc
from quorbit.graphs.refine import (
    Partition,
    Touching,
    Trace,
    colour_partition,
    individualise,
    refine_fully,
    touching_arcs,
    undo,
)
from quorbit.graphs.simple import SimpleGraph
from quorbit.groups.moves import Moves, moves_from
from quorbit.groups.permutation import Permutation
from quorbit.groups.unionfind import UnionFind
from quorbit.source.frozen import frozen

Images = dict[int, int]  # a permutation: its moved points and their images
Leaf = tuple[list[Arc], list[int]]  # the arcs relabelled, and the position of each vertex


@frozen
class Tree:
    """The graph in the shapes the search wants, and the partition of the node where it stands."""

    graph: SimpleGraph
    kinds: dict[tuple[int, int], int]
    touching: Touching
    partition: Partition


@frozen
class Level:
    """A step of the first path: in this cell this vertex was individualised, with this trace."""

    cell: int
    vertex: int
    mark: int
    trace: Trace


@frozen
class Stabilisers:
    """The group of a node: a base, and generators of which those that fix base[:i] generate its stabiliser."""

    base: tuple[int, ...]
    generators: tuple[Images, ...]
    orbit_lengths: tuple[int, ...] = ()  # of base[i] under the stabiliser of base[:i], where they were counted


def search_group(graph: SimpleGraph) -> tuple[list[Moves], int]:
    """Generators of the automorphism group and its exact order."""
    found = stabilisers(plant(graph))
    return [moves_from(images) for images in found.generators], prod(found.orbit_lengths)


def search_labelling(graph: SimpleGraph) -> Permutation:
    """A permutation that takes the graph to a form equal for all isomorphic graphs; vertex v goes to the v-th entry."""
    _, position = least_leaf(plant(graph))
    return tuple(position)


def plant(graph: SimpleGraph) -> Tree:
    """The tree, standing at its root."""
    tree = Tree(graph, {(u, v): k for u, v, k in graph.arcs}, touching_arcs(graph), colour_partition(graph))
    refine_fully(tree.partition, tree.touching)
    return tree


def stabilisers(tree: Tree) -> Stabilisers:
    """The group of the node where the tree stands; the tree stands there again afterwards.

    The first path gives the base.  Going back up, each vertex of a level's cell that no known element reaches from the
    level's base point is searched for one that does; the cell's vertices so reached are the basic orbit.
    """
    partition = tree.partition
    mark = len(partition.trail)
    levels = first_path(tree)
    leaf = list(partition.order)
    generators: list[Images] = []
    lengths: list[int] = []
    for i in reversed(range(len(levels))):
        undo(partition, levels[i].mark)
        found, length = basic_orbit(tree, levels[i:], leaf, generators)
        generators += found
        lengths.append(length)
    undo(partition, mark)
    return Stabilisers(tuple(level.vertex for level in levels), tuple(generators), tuple(reversed(lengths)))


def first_path(tree: Tree) -> list[Level]:
    """Individualise the first vertex of the first open cell until none is left; the tree ends at that leaf."""
    partition, levels = tree.partition, []
    while partition.open:
        cell, mark = min(partition.open), len(partition.trail)
        v = partition.order[cell]
        levels.append(Level(cell, v, mark, tuple(individualise(partition, tree.touching, v))))
    return levels


def basic_orbit(tree: Tree, levels: list[Level], leaf: list[int], known: Iterable[Images]) -> tuple[list[Images], int]:
    """New elements that complete the orbit of the first level's vertex, and the orbit's length.

    Requires that the tree stands at the first level and that known generates the stabiliser of its vertex.
    """
    members, v = tree.partition.members(levels[0].cell), levels[0].vertex
    orbits = UnionFind(tree.graph.size)
    unite(orbits, known)
    found: list[Images] = []
    refuted: list[int] = []
    for w in members:
        if orbits.find(w) in {orbits.find(x) for x in [v, *refuted]}:
            continue
        element = find_element(tree, levels, leaf, w)
        if element is None:
            refuted.append(w)
        else:
            found.append(element)
            unite(orbits, [element])
    return found, sum(orbits.find(w) == orbits.find(v) for w in members)


def find_element(tree: Tree, levels: list[Level], leaf: list[int], w: int) -> Images | None:
    """An automorphism of the node that takes the first level's vertex to w; depth first along the known traces."""
    partition = tree.partition
    top = len(partition.trail)
    branches, marks = [iter([w])], [top]
    while branches:
        undo(partition, marks[-1])
        candidate = next(branches[-1], None)
        if candidate is None:
            branches.pop()
            marks.pop()
        elif not follows(tree, candidate, levels[len(branches) - 1].trace):
            continue
        elif len(branches) < len(levels):
            branches.append(candidates(partition, levels[len(branches)]))
            marks.append(len(partition.trail))
        elif (element := leaf_element(tree, leaf)) is not None:
            undo(partition, top)
            return element
    return None


def follows(tree: Tree, v: int, trace: Trace) -> bool:
    """Individualise v as long as the trace is met; whether it is met to its end."""
    expected = iter(trace)
    for event in individualise(tree.partition, tree.touching, v):
        if event != next(expected, None):
            return False
    return next(expected, None) is None


def candidates(partition: Partition, level: Level) -> Iterator[int]:
    """The vertices of the level's cell, the level's own first: elements that fix much are found first."""
    return iter(sorted(partition.members(level.cell), key=lambda w: w != level.vertex))


def leaf_element(tree: Tree, leaf: list[int]) -> Images | None:
    """The permutation from the first leaf to the present one, if it is an automorphism."""
    moves = {v: w for v, w in zip(leaf, tree.partition.order, strict=True) if v != w}
    for v in moves:
        for side, w in tree.touching[v]:
            u, x = (w, v) if side % 2 == 0 else (v, w)
            if tree.kinds.get((moves.get(u, u), moves.get(x, x))) != side // 2:
                return None
    return moves


def least_leaf(tree: Tree, known: Stabilisers | None = None) -> Leaf:
    """The least relabelled graph among the leaves of least traces, and the position of each vertex in it.

    One child per orbit is enough, since the children of an orbit lead to equal graphs; known is the node's group where
    the parent's group already tells it.
    """
    partition, mark = tree.partition, len(tree.partition.trail)
    group = known
    while partition.open:
        group = group or stabilisers(tree)
        children = least_children(tree, group)
        if len(children) > 1:
            best = min(least_leaf_below(tree, group, v) for v in children)
            undo(partition, mark)
            return best
        group = descend(tree, group, children[0])
    leaf = relabelled(tree)
    undo(partition, mark)
    return leaf


def least_leaf_below(tree: Tree, group: Stabilisers, v: int) -> Leaf:
    """The least leaf of one child; the tree stays where it is."""
    mark = len(tree.partition.trail)
    leaf = least_leaf(tree, descend(tree, group, v))
    undo(tree.partition, mark)
    return leaf


def descend(tree: Tree, group: Stabilisers, v: int) -> Stabilisers | None:
    """Go to the child that individualises v; its group, if the node's group tells it."""
    tuple(individualise(tree.partition, tree.touching, v))
    if v != group.base[0]:
        return None
    return Stabilisers(group.base[1:], tuple(images for images in group.generators if v not in images))


def least_children(tree: Tree, group: Stabilisers) -> list[int]:
    """One vertex per orbit in the first open cell, those of least trace."""
    partition = tree.partition
    orbits = UnionFind(tree.graph.size)
    unite(orbits, group.generators)
    first, cell = group.base[0], partition.members(min(partition.open))
    chosen = {orbits.find(v): v for v in [*cell, first]}.values()  # the base point stands for its orbit
    if len(chosen) == 1:
        return [first]
    traces = {v: trace_of(tree, v) for v in chosen}
    least = min(traces.values())
    return [v for v in chosen if traces[v] == least]


def trace_of(tree: Tree, v: int) -> Trace:
    """The trace of individualising v; the tree stays where it is."""
    mark = len(tree.partition.trail)
    trace = tuple(individualise(tree.partition, tree.touching, v))
    undo(tree.partition, mark)
    return trace


def relabelled(tree: Tree) -> Leaf:
    """The graph's arcs at a leaf, every vertex named by its position; and the positions."""
    position = list(tree.partition.start)
    return sorted((position[u], position[v], kind) for u, v, kind in tree.graph.arcs), position


def unite(orbits: UnionFind, elements: Iterable[Images]) -> None:
    """Join every point with its image under each element."""
    for images in elements:
        for v, w in images.items():
            orbits.unite(v, w)
