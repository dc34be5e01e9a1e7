"""Large graphs made small before the search: smaller graphs whose groups together make up the whole group.

BLISS returns each generator as a list over all vertices, so a graph of 10^5 vertices with thousands of generators would
fill the memory.  Most of such a group is seen without a search, after equitable refinement:

* twins: vertices with the same neighbours may be permuted freely, so one of them stands for all;
* a vertex alone in its cell is fixed;
* cells between which there are all arcs or none know nothing of each other, so the group falls into factors;
* cells joined by a perfect matching move alike, so the vertices of one stand for those of the other.

(Compare Anders, Schweitzer and Stiess, "Engineering a preprocessor for symmetry detection", SEA 2023.)
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import factorial, prod

from quorbit.graphs.graph import Arc, Graph
from quorbit.graphs.refine import colour_partition, refine, touching_arcs
from quorbit.graphs.simple import SimpleGraph, simplify
from quorbit.groups.moves import Moves, moves_from
from quorbit.groups.unionfind import UnionFind
from quorbit.source.frozen import frozen

Block = tuple[int, int]  # the arcs from one cell to another, named by the two cells


@frozen
class Reduced:
    """A smaller graph; its vertex i stands for the vertices members[i], which move to members[j] when i moves to j."""

    graph: SimpleGraph
    members: tuple[tuple[int, ...], ...]


def lift(moves: Moves, members: Sequence[tuple[int, ...]]) -> Moves:
    """What a permutation of the smaller graph does to the vertices it stands for."""
    return moves_from({v: w for i, j in moves for v, w in zip(members[i], members[j], strict=True)})


def symmetric_moves(classes: Iterable[tuple[int, ...]]) -> tuple[list[Moves], int]:
    """Generators and order of the group that permutes the members of each class freely."""
    sizes: list[int] = []
    generators: list[Moves] = []
    for members in classes:
        sizes.append(factorial(len(members)))
        generators += [((v, w), (w, v)) for v, w in pairwise(sorted(members))]
    return generators, prod(sizes)


def collapse_twins(graph: SimpleGraph) -> Reduced:
    """One vertex for each class of twins: equal colours and the same arcs to and from the same vertices.

    The group is that of the smaller graph, lifted, times the symmetric groups of the classes.
    """
    touching = touching_arcs(graph)
    found: defaultdict[tuple[int, tuple[tuple[int, int], ...]], list[int]] = defaultdict(list)
    for v, colour in enumerate(graph.colours):
        found[colour, tuple(sorted(touching[v]))].append(v)
    classes = tuple(tuple(members) for members in found.values())
    number = {members[0]: i for i, members in enumerate(classes)}
    arcs = tuple((number[u], number[v], kind) for u, v, kind in graph.arcs if u in number and v in number)
    colours = [(graph.colours[members[0]], len(members)) for members in classes]
    rank = {colour: i for i, colour in enumerate(sorted(set(colours)))}
    return Reduced(SimpleGraph(tuple(rank[c] for c in colours), arcs), classes)


def factors(graph: SimpleGraph) -> list[Reduced]:
    """Smaller graphs on disjoint sets of vertices; the group is the direct product of theirs, lifted."""
    cell = equitable_cells(graph)
    size: defaultdict[int, int] = defaultdict(int)
    for c in cell:
        size[c] += 1
    blocks = {pair: arcs for pair, arcs in blocks_of(graph, cell).items() if is_informative(pair, arcs, size)}
    leader = match_cells(cell, size, blocks)
    return split_by_links(cell, size, leader, contracted_arcs(blocks, leader))


def equitable_cells(graph: SimpleGraph) -> list[int]:
    """The cell of each vertex in the coarsest equitable partition."""
    partition = colour_partition(graph)
    for _ in refine(partition, touching_arcs(graph), sorted(partition.length)):
        pass
    return partition.start


def blocks_of(graph: SimpleGraph, cell: Sequence[int]) -> dict[Block, list[Arc]]:
    """The arcs by the cells of their ends."""
    blocks: defaultdict[Block, list[Arc]] = defaultdict(list)
    for arc in graph.arcs:
        blocks[cell[arc[0]], cell[arc[1]]].append(arc)
    return blocks


def is_informative(pair: Block, arcs: list[Arc], size: dict[int, int]) -> bool:
    """Whether some permutation within the cells changes the arcs between them and neither cell is a single vertex."""
    c, d = pair
    if size[c] == 1 or size[d] == 1:
        return False
    if len({kind for _, _, kind in arcs}) > 1:
        return True
    loops = sum(u == v for u, v, _ in arcs)
    return len(arcs) != size[c] * (size[d] - (c == d and loops == 0))


def match_cells(cell: Sequence[int], size: dict[int, int], blocks: dict[Block, list[Arc]]) -> list[int]:
    """For each vertex the one that stands for it: itself, or what matchings between cells lead back to."""
    matchings: defaultdict[int, list[tuple[int, list[tuple[int, int]]]]] = defaultdict(list)
    for (c, d), arcs in blocks.items():
        if c != d and (pairs := perfect_matching(arcs, size[c], size[d])):
            matchings[c].append((d, pairs))
            matchings[d].append((c, [(v, u) for u, v in pairs]))
    leader = list(range(len(cell)))
    reached: set[int] = set()
    for root in sorted(size):
        waiting = [root] if root not in reached else []
        reached.update(waiting)
        while waiting:
            for d, pairs in matchings[waiting.pop()]:
                if d not in reached:
                    reached.add(d)
                    waiting.append(d)
                    for u, v in pairs:
                        leader[v] = leader[u]
    return leader


def perfect_matching(arcs: list[Arc], size: int, other_size: int) -> list[tuple[int, int]]:
    """The arcs of a kind that joins each vertex of one cell to one of the other, if there is such a kind.

    In an equitable partition every vertex of a cell has equally many such arcs, so counting them all is enough.
    """
    by_kind: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for u, v, kind in arcs:
        by_kind[kind].append((u, v))
    perfect = [kind for kind, pairs in by_kind.items() if len(pairs) == size == other_size]
    return by_kind[min(perfect)] if perfect else []


def contracted_arcs(blocks: dict[Block, list[Arc]], leader: Sequence[int]) -> list[Arc]:
    """The arcs between leaders, labelled by block and kind; those that became a loop at every leader say nothing."""
    by_label: defaultdict[tuple[Block, int], list[tuple[int, int]]] = defaultdict(list)
    for pair, arcs in blocks.items():
        for u, v, kind in arcs:
            by_label[pair, kind].append((u, v))
    contracted: list[Arc] = []
    for label, key in enumerate(sorted(by_label)):
        ends = [(leader[u], leader[v]) for u, v in by_label[key]]
        # A label has at least one arc at every vertex of its cells, hence loops only means one at each leader.
        if any(u != v for u, v in ends):
            contracted += [(u, v, label) for u, v in ends]
    return contracted


def split_by_links(cell: Sequence[int], size: dict[int, int], leader: Sequence[int], arcs: list[Arc]) -> list[Reduced]:
    """One reduced graph per set of cells that arcs between leaders hold together, single cells left out."""
    members: defaultdict[int, list[int]] = defaultdict(list)
    for v in sorted(range(len(cell)), key=cell.__getitem__):
        if size[cell[v]] > 1:
            members[leader[v]].append(v)
    linked = UnionFind(len(cell))
    for u, v, _ in arcs:
        linked.unite(cell[u], cell[v])
    parts: defaultdict[int, tuple[list[int], list[Arc]]] = defaultdict(lambda: ([], []))
    for v in members:
        parts[linked.find(cell[v])][0].append(v)
    for arc in arcs:
        parts[linked.find(cell[arc[0]])][1].append(arc)
    return [reduced(vertices, inner, cell, members) for vertices, inner in parts.values()]


def reduced(vertices: list[int], arcs: list[Arc], cell: Sequence[int], members: dict[int, list[int]]) -> Reduced:
    """The graph on these leaders, numbered anew."""
    number = {v: i for i, v in enumerate(vertices)}
    graph = Graph(tuple(cell[v] for v in vertices), tuple((number[u], number[v], k) for u, v, k in arcs))
    return Reduced(simplify(graph), tuple(tuple(members[v]) for v in vertices))
