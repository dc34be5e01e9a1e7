"""Which kernel of the engine serves a node of a plan: of those that are exact for its group the quickest.

What a kernel costs is estimated from the group and from what moves in a state, never measured in the run: a
representative must not depend on the machine.  The figures are nanoseconds, set by hand after
measurements of random states on one machine: they order the kernels roughly.
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from math import factorial, prod

from quorbit.canon.classify import refine_node
from quorbit.canon.plan import (
    Descend,
    Enumerate,
    Identity,
    InTurn,
    LabelGraph,
    MinimisingSet,
    Node,
    Plan,
    Refine,
    SortColumns,
)
from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.graph import Graph
from quorbit.groups.chain import build_chain, elements
from quorbit.groups.permutation import Permutation, compose
from quorbit.machine.kernels.forest import suits_forest, unit_count
from quorbit.machine.kernels.movement import Movement
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

MOST_TABULATED = 144  # elements; beyond, following the references is quicker than any table
WIDEST = 8  # bits of a reference or of a length that a table has rows for
MOST_BITS = 160  # that move; the tables of longer states are no longer close to the processor
CACHE_BYTES = 1 << 19


def understood(node: Node) -> Node:
    """The node, or another exact one that the engine has a kernel for."""
    match node:
        case LabelGraph((), classes):
            return Refine((), classes)
        case LabelGraph(arcs, classes):
            return refine_node(automorphisms(Graph(classes, arcs)))
        case InTurn(parts):
            return InTurn(tuple(map(understood, parts)))
        case Descend(temperature=temperature) if temperature > 0:
            raise UserError(None, "the explicit engine has no simulated annealing; use the reference engine")
        case _:
            return node


def quickest(plan: Plan, node: Node, moves: Movement) -> Node:
    """The understood node of a plan, or one that does the same in less time."""
    node = without_unsuitable(node, moves)
    if not can_be_tabulated(moves):
        return node
    if (
        plan.exact
        and plan.group is not None
        and is_sorting(node)
        and images_cost(sorted_order(node), moves) < sort_cost(node, moves)
    ):
        return Enumerate(tuple(elements(build_chain(plan.group))))
    return with_tables(node, moves)


def without_unsuitable(node: Node, moves: Movement) -> Node:
    """Refining nodes keep their sorting only where the kernel of forests is for these states."""
    match node:
        case InTurn(parts):
            return InTurn(tuple(without_unsuitable(part, moves) for part in parts))
        case Refine(sorting=sorting) if sorting is not None and not suits_forest(sorting, moves):
            return replace(node, sorting=None)
        case _:
            return node


def with_tables(node: Node, moves: Movement) -> Node:
    match node:
        case InTurn(parts):
            return InTurn(tuple(with_tables(part, moves) for part in parts))
        case Refine() if (node.levels or node.free) and images_cost(refined_order(node), moves) < refine_cost(
            node, moves
        ):
            return Enumerate(tuple(elements_of(node)))
        case _:
            return node


def elements_of(node: Refine) -> list[Permutation]:
    """All elements of the group: a representative of each level, one after the other, and every order of free atoms."""
    found: list[Permutation] = [tuple(range(len(node.classes)))]
    for level in node.levels:
        found = [compose(g, h) for g in found for _, h in level.representatives]
    for block in node.free:
        found = [compose(g, h) for g in found for h in rearrangements(block, len(node.classes))]
    return found


def rearrangements(block: tuple[int, ...], atoms: int) -> list[Permutation]:
    found = []
    for order in permutations(block):
        images = list(range(atoms))
        for a, b in zip(block, order, strict=True):
            images[a] = b
        found.append(tuple(images))
    return found


# What a node is.


def is_sorting(node: Node) -> bool:
    match node:
        case InTurn(parts):
            return all(map(is_sorting, parts))
        case _:
            return isinstance(node, SortColumns | Identity)


def compares(node: Node) -> bool:
    """Whether states are compared by the order of their values, not by their words."""
    match node:
        case InTurn(parts):
            return any(map(compares, parts))
        case _:
            return isinstance(node, Descend | MinimisingSet)


def cache_bits(node: Node, words: int) -> int:
    """Slots of the cache in front of a kernel, as a power of two; sorting and small tables are as quick as it is."""
    if is_sorting(node) or (isinstance(node, Enumerate) and len(node.elements) <= MOST_TABULATED):
        return 0
    return max(4, (CACHE_BYTES // (8 * (2 * words + 1))).bit_length() - 1)


def refined_order(node: Refine) -> int:
    """The order of the group that a node serves."""
    return prod(len(level.representatives) for level in node.levels) * prod(factorial(len(b)) for b in node.free)


def orders_of_classes(classes: tuple[int, ...]) -> int:
    """The order of the product of the symmetric groups on the classes."""
    return prod(factorial(n) for n in Counter(classes).values())


def sorted_order(node: Node) -> int:
    """At least the order of the group that sorting serves."""
    match node:
        case SortColumns(columns):
            return factorial(len(columns))
        case InTurn(parts):
            return prod(map(sorted_order, parts))
        case _:
            return 1


# What a kernel costs.


def can_be_tabulated(moves: Movement) -> bool:
    """Whether the tables of runtime/canon/small_groups.h are for these states."""
    wide = any(f.width > WIDEST for cell in moves.cells for f in (cell.field, cell.length) if f and cell.refers)
    return not wide and moving_bits(moves) <= MOST_BITS and all(cell.value is None for cell in moves.cells)


def moving_bits(moves: Movement) -> int:
    return sum(f.width for runs in moves.runs.values() for f in runs) + sum(cell.field.width for cell in moves.cells)


def images_cost(order: int, moves: Movement) -> float:
    if order > MOST_TABULATED:
        return float("inf")
    blocks = (order + 7) // 8
    return 15 + 3 * blocks + moving_bits(moves) / 5 * (1 + 0.4 * blocks)


def refine_cost(node: Refine, moves: Movement) -> float:
    """With blocks or columns half of what it takes: symmetric states, as models have them, have many equal images."""
    if node.sorting is None or refined_order(node) == orders_of_classes(node.classes):
        return 60 + 12 * len(node.classes) + 10 * len(moves.cells)
    return 40 + 11 * unit_count(node.sorting) + 3 * len(moves.cells)


def sort_cost(node: Node, moves: Movement) -> float:
    match node:
        case InTurn(parts):
            return sum(sort_cost(part, moves) for part in parts)
        case SortColumns(columns):
            atoms = [a for column in columns for a in column]
            runs = sum(len(moves.runs.get(a, ())) for a in atoms)
            simple = runs == len(columns) and not moves.cells
            return 28 + 7 * len(columns) if simple else 40 + 12 * (runs + len(moves.cells))
        case _:
            return 0
