"""The state graph and the label of [T07, 4.2-4.4] as they are printed; the reduction uses ``label`` instead.

Drawn like this, sets of relations that are not symmetric can have one graph, so that states would be skipped; this file
is the paper's own method to compare with. Cells are ordered, and so is what they are split into: the label of an
example can be held against the one that is printed [T07, Example 4.5].

A vertex is an atom, the root, or a number for a nested value; an arc is (source, label, target).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

Vertex = Hashable
Cells = tuple[tuple[Vertex, ...], ...]
Matrix = tuple[tuple[str, ...], ...]
ROOT = "root"


@dataclass
class StateGraph:
    """``cells``: the vertices of each colour, the colours in order; ``labels``: the variables in order."""

    labels: tuple[str, ...]
    arcs: set[tuple[Vertex, str, Vertex]] = field(default_factory=set)
    nested: list[Vertex] = field(default_factory=list)
    cells: Cells = ()


def draw_state(values: dict[str, Any], sets: Sequence[Sequence[Vertex]]) -> StateGraph:
    """The graph of a state: variables in order, and the elements of the deferred sets. [T07, 4.2]"""
    graph = StateGraph(tuple(values))
    for name, value in values.items():
        draw(graph, name, value if isinstance(value, frozenset) else frozenset({value}), ROOT)
    graph.cells = (*(tuple(s) for s in sets), *((tuple(graph.nested),) if graph.nested else ()), (ROOT,))
    return graph


def draw(graph: StateGraph, name: str, value: frozenset[Any], root: Vertex) -> None:
    """Elements lead to the vertex of their set; of a pair the first leads to the second and to the set."""
    for element in sorted(value, key=repr):
        if isinstance(element, tuple):
            first, second = (vertex_of(graph, name, part) for part in element)
            graph.arcs |= {(first, name, second), (first, name, root)}
        else:
            graph.arcs.add((vertex_of(graph, name, element), name, root))


def vertex_of(graph: StateGraph, name: str, value: Any) -> Vertex:
    if not isinstance(value, frozenset):
        return value  # type: ignore[no-any-return]
    vertex = f"x{len(graph.nested)}"
    graph.nested.append(vertex)
    draw(graph, name, value, vertex)
    return vertex


def canon(graph: StateGraph, cells: Cells | None = None) -> Matrix:
    """The least label of all discrete partitions the search reaches. [T07, Alg. 2]"""
    found = refine(graph, graph.cells if cells is None else cells)
    k = next((k for k, cell in enumerate(found) if len(cell) > 1), None)
    if k is None:
        return compute_label(graph, tuple(v for cell in found for v in cell))
    cell = found[k]
    return min(canon(graph, (*found[:k], (u,), tuple(v for v in cell if v != u), *found[k + 1 :])) for u in cell)


def compute_label(graph: StateGraph, order: tuple[Vertex, ...]) -> Matrix:
    """The adjacency matrix row by row; an entry has one bit for every label."""
    return tuple(
        tuple("".join(str(int((u, name, v) in graph.arcs)) for name in graph.labels) for v in order) for u in order
    )


def refine(graph: StateGraph, cells: Cells) -> Cells:
    """A label equitable partition that is finer. [T07, Alg. 3]"""
    waiting = list(cells)
    while waiting and any(len(cell) > 1 for cell in cells):
        splitter = waiting.pop(0)
        for incoming in (True, False):
            for name in graph.labels:
                cells = split_all(graph, cells, splitter, name, incoming, waiting)
    return cells


def split_all(
    graph: StateGraph, cells: Cells, splitter: tuple[Vertex, ...], name: str, incoming: bool, waiting: list[Any]
) -> Cells:
    """Every cell parted by how many arcs with this label join its vertices to the splitter; new cells wait."""
    found: list[tuple[Vertex, ...]] = []
    for cell in cells:
        parts = split(graph, cell, splitter, name, incoming)
        if len(parts) > 1:
            waiting.extend(parts)
        found.extend(parts)
    return tuple(found)


def split(
    graph: StateGraph, cell: tuple[Vertex, ...], splitter: tuple[Vertex, ...], name: str, incoming: bool
) -> list[tuple[Vertex, ...]]:
    by_degree: dict[int, list[Vertex]] = {}
    for v in cell:
        arcs = ((w, name, v) if incoming else (v, name, w) for w in splitter)
        by_degree.setdefault(sum(arc in graph.arcs for arc in arcs), []).append(v)
    return [tuple(by_degree[degree]) for degree in sorted(by_degree)]
