"""From a group to a plan: the recursive choice of [DM09, section 7], with an exact plan where the paper has none.

What decides: the structure of the group, and where the states hold references to the atoms it moves.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from enum import Enum
from itertools import combinations, product
from math import factorial, prod
from random import Random

from quorbit.canon.layout import Layout
from quorbit.canon.plan import (
    ChainLevel,
    Columns,
    Descend,
    Enumerate,
    EnumerateChain,
    Identity,
    InTurn,
    LabelGraph,
    Mark,
    MinimisingSet,
    Node,
    Plan,
    Refine,
    SearchOrbit,
    SortColumns,
)
from quorbit.canon.references import is_plain_reference
from quorbit.canon.strategies import (
    AUTO,
    CHAIN,
    ENUMERATE,
    EXACT,
    GRAPH,
    HASH_MARKER,
    LOCAL,
    MINIMISING,
    ORBIT,
    SORT,
    STRATEGIES,
)
from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.graph import Graph
from quorbit.groups.chain import Level, build_chain, coset_transpositions, elements, order, random_element
from quorbit.groups.group import Group, moved_orbits, orbits
from quorbit.groups.permutation import Permutation, compose, inverse
from quorbit.groups.structure import Product, Structure, Symmetric, Trivial, Wreath, structure
from quorbit.groups.wreath import WreathDecomposition
from quorbit.model.system.types import NONE, atoms_of
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace

__all__ = ["classify", "orbital_arcs", "refine_node"]

MOST_ELEMENTS = 50_000  # a larger group is not written out element by element
MOST_IMAGES = 10_000_000  # nor gone through for each state
FEW_ELEMENTS = 24  # a smaller group is enumerated without further thought
MOST_JOINED = 600  # atoms; orbital graphs have an arc for each pair


class References(Enum):
    """Where states hold references to the atoms a group moves."""

    NONE = "states hold no references to the atoms that move"
    OUTSIDE = "references to the atoms that move come only from places that stay"
    ACROSS = "atoms that move refer to each other"


def classify(layout: Layout, group: Group, strategy: str = AUTO, shape: Structure | None = None) -> Plan:
    """A plan for the group; the strategy names are those of the command line.  ``shape``: its structure, if known."""
    if group.is_trivial and strategy in STRATEGIES:
        return Plan(Identity(), strategy if strategy != "auto" else "none", True, "there is no symmetry to use")
    chosen = CHOICES.get(strategy)
    if chosen is None:
        raise UserError(None, f"unknown strategy {strategy}; choose one of {', '.join(STRATEGIES)}")
    return replace(chosen(layout, group, shape), group=group)


def references(layout: Layout, group: Group) -> References:
    moved = frozenset(group.moved)
    found = References.NONE
    for place_ in layout.places:
        refers = not moved.isdisjoint(atoms_of(place_.type))
        movers = sum(a in moved for a in place_.owners if a != NONE)
        if movers > 1 or (refers and (movers or not is_plain_reference(place_.type))):
            return References.ACROSS
        if refers:
            found = References.OUTSIDE
    return found


# Strategies by name.


def classify_auto(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    """The cheapest exact plan."""
    where, shape = references(layout, group), shape or structure(group)
    if where is References.ACROSS:
        node = refine_node(group, unheard_of(layout, group), shape)
        return Plan(node, "exact", True, f"{where.value}; the search follows the references")
    sorting = sorting_node(shape)
    if sorting is not None:
        return Plan(sorting, "sort", True, f"products of symmetric groups on columns; {where.value}")
    if where is References.NONE and isinstance(shape, Product):
        parts = tuple(part_node(part) for part in shape.parts)
        return Plan(InTurn(parts), "exact", True, "every factor by itself, each exactly")
    return Plan(part_node(shape), "exact", True, "search through the stabiliser chain")


def part_node(shape: Structure) -> Node:
    """An exact node for one factor."""
    sorting = sorting_node(shape)
    if sorting is not None:
        return sorting
    if (shape.group.known_order or MOST_IMAGES) <= FEW_ELEMENTS:
        return Enumerate(tuple(elements(build_chain(shape.group))))
    return refine_node(shape.group)


def classify_exact(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    node = refine_node(group, unheard_of(layout, group), shape or structure(group))
    return Plan(node, "exact", True, "search through the stabiliser chain, references included")


def classify_enumerate(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    refuse_large(group, MOST_ELEMENTS, "enumerate")
    return Plan(Enumerate(tuple(elements(build_chain(group)))), "enumerate", True, "the least of all images")


def classify_chain(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    refuse_large(group, MOST_IMAGES, "chain")
    levels = coset_transpositions(build_chain(group))
    return Plan(EnumerateChain(levels), "chain", True, "the least of all images, found level by level")


def classify_orbit(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    return Plan(SearchOrbit(group.generators), "orbit", True, "the least state of the whole orbit")


def refuse_large(group: Group, most: int, strategy: str) -> None:
    if order(group) > most:
        raise UserError(None, f"the group has order {order(group)}; strategy {strategy} is for at most {most} elements")


def classify_sort(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    node = sorting_node(shape or structure(group))
    if node is None:
        raise UserError(None, "strategy sort is for products and wreath products of symmetric groups; this one is not")
    where = references(layout, group)
    return Plan(node, "sort", where is not References.ACROSS, where.value)


def classify_minimising(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    """Minimising sets for the symmetric factors, as [DM09] has them."""
    shape = shape or structure(group)
    node = minimising_node(shape)
    if node is None:
        raise UserError(None, "strategy minimising needs factors that act as a symmetric group on an orbit; use exact")
    where = references(layout, group)
    if where is not References.NONE:
        return Plan(node, "minimising", False, where.value)
    if are_aligned(sorting_node(shape)):
        return Plan(node, "minimising", True, "columns stand in the same order in every orbit")
    return Plan(node, "minimising", False, "columns do not stand in the same order in every orbit")


def classify_local(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    chain = build_chain(group)
    rng = Random(0)
    restarts = tuple(random_element(chain, rng) for _ in range(RESTARTS))
    node = Descend(enlarged(group.generators), restarts)
    return Plan(node, "local", False, "a local search may end in a local minimum")


RESTARTS = 3


def classify_graph(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    joined = joining_graph(group)
    if joined is None:
        raise UserError(None, "strategy graph: no graph on the atoms has exactly this group; use exact")
    return Plan(LabelGraph(joined.arcs, joined.colours), "graph", True, "canonical label of the graph of the state")


def classify_marker(layout: Layout, group: Group, shape: Structure | None) -> Plan:
    classes = orbit_numbers(group)
    if not is_symmetric(group, classes):
        raise UserError(None, "strategy hash-marker is for full symmetry on each orbit; use exact")
    return Plan(Mark(classes), "hash-marker", False, "atoms with equal markers are not told apart")


CHOICES: dict[str, Callable[[Layout, Group, Structure | None], Plan]] = {
    AUTO: classify_auto,
    EXACT: classify_exact,
    ENUMERATE: classify_enumerate,
    CHAIN: classify_chain,
    MINIMISING: classify_minimising,
    SORT: classify_sort,
    LOCAL: classify_local,
    GRAPH: classify_graph,
    HASH_MARKER: classify_marker,
    ORBIT: classify_orbit,
}


# Nodes.


def refine_node(group: Group, last: frozenset[int] = frozenset(), shape: Structure | None = None) -> Refine:
    """``last``: atoms that nothing refers to; they are sorted at the end where the group leaves them free.  ``shape``:
    the group's structure, if it is known."""
    classes, sorting = orbit_numbers(group), None if shape is None else sorting_node(shape)
    if last and not is_symmetric(group, classes):
        chain = build_chain(group, [a for a in group.moved if a not in last])
        end = next((k for k, level in enumerate(chain.levels) if level.point in last), len(chain.levels))
        if free := free_blocks(group.degree, chain.levels[end:]):
            return Refine(chain_levels(chain.levels[:end]), classes, free, sorting)
    return Refine(chain_levels(build_chain(group).levels), classes, sorting=sorting)


def chain_levels(levels: Sequence[Level]) -> tuple[ChainLevel, ...]:
    return tuple(
        ChainLevel(level.point, tuple((x, inverse(level.transversal[x])) for x in level.orbit)) for level in levels
    )


def free_blocks(degree: int, levels: Sequence[Level]) -> Columns:
    """The orbits of the group of these levels, the last of a chain, if it permutes each in every way; else none."""
    if not levels:
        return ()
    blocks = tuple(moved_orbits(Group(degree, levels[0].generators)))
    size = prod(len(level.orbit) for level in levels)
    return blocks if size == prod(factorial(len(block)) for block in blocks) else ()


def unheard_of(layout: Layout, group: Group) -> frozenset[int]:
    """The atoms that move and that no place refers to; of the owners of one place at most one of them."""
    found = set(group.moved)
    for place_ in layout.places:
        found.difference_update(atoms_of(place_.type))
    for place_ in layout.places:
        if len(owners := found.intersection(place_.owners)) > 1:
            found -= owners
    return frozenset(found)


def orbit_numbers(group: Group) -> tuple[int, ...]:
    numbers = [0] * group.degree
    for k, orbit in enumerate(orbits(group)):
        for a in orbit:
            numbers[a] = k
    return tuple(numbers)


def sorting_node(shape: Structure) -> Node | None:
    """Sorting alone, if the group is built from symmetric groups by products and wreath products."""
    match shape:
        case Trivial():
            return Identity()
        case Symmetric(_, columns):
            return SortColumns(columns)
        case Product(_, parts):
            return together([sorting_node(part) for part in parts])
        case Wreath(_, decomposition, inner, outer):
            return wreath_node(decomposition, inner, outer)
        case _:
            return None


def wreath_node(wreath: WreathDecomposition, inner: Structure, outer: Structure) -> Node | None:
    """Sort inside each block, in the order transported from the first, then sort the blocks. [DM09, 6]"""
    if wreath.free:
        return None
    inside, across = sorting_node(inner), sorting_node(outer)
    if inside is None or across is None:
        return None
    blocks = [moved_node(inside, [(a,) for a in block]) for block in wreath.blocks]
    return InTurn((*blocks, moved_node(across, wreath.blocks)))


def moved_node(node: Node, listing: Sequence[tuple[int, ...]]) -> Node:
    """A sorting node about numbers, carried to the atoms that each number stands for."""
    match node:
        case SortColumns(columns):
            return SortColumns(tuple(tuple(a for k in column for a in listing[k]) for column in columns))
        case InTurn(parts):
            return InTurn(tuple(moved_node(part, listing) for part in parts))
        case _:
            return node


def together(nodes: list[Node | None]) -> Node | None:
    found = [node for node in nodes if node is not None]
    return InTurn(tuple(found)) if len(found) == len(nodes) else None


def minimising_node(shape: Structure) -> Node | None:
    """The swaps of columns instead of sorting; elsewhere the elements that look like swaps on some orbit."""
    sorting = sorting_node(shape)
    if sorting is not None:
        return swapping(sorting, shape.group.degree)
    if isinstance(shape, Product):
        return together([minimising_node(part) for part in shape.parts])
    swaps = minimising_swaps(shape.group)
    return MinimisingSet(swaps) if swaps else None


def swapping(node: Node, degree: int) -> Node:
    match node:
        case SortColumns(columns):
            return MinimisingSet(tuple(exchange(a, b, degree) for a, b in combinations(columns, 2)))
        case InTurn(parts):
            return InTurn(tuple(swapping(part, degree) for part in parts))
        case _:
            return node


def exchange(column: tuple[int, ...], other: tuple[int, ...], degree: int) -> Permutation:
    images = list(range(degree))
    for a, b in zip(column, other, strict=True):
        images[a], images[b] = b, a
    return tuple(images)


def minimising_swaps(group: Group) -> tuple[Permutation, ...] | None:
    """The elements that exchange two points of an orbit on which the group acts as the full symmetric group."""
    size = order(group)
    for orbit in moved_orbits(group):
        if factorial(len(orbit)) == size and size <= MOST_ELEMENTS:
            pairs = {frozenset(pair) for pair in combinations(orbit, 2)}
            found = [g for g in elements(build_chain(group)) if frozenset(a for a in orbit if g[a] != a) in pairs]
            if len(found) == len(pairs):
                return tuple(found)
    return None


def are_aligned(node: Node | None) -> bool:
    """Whether the columns stand in the same order in every orbit: then Theorem 6 of [DM09] is right."""
    match node:
        case Identity():
            return True
        case SortColumns(columns):
            return all(list(row) == sorted(row) for row in zip(*columns, strict=True))
        case InTurn(parts):
            return all(map(are_aligned, parts))
        case _:
            return False


def enlarged(generators: tuple[Permutation, ...]) -> tuple[Permutation, ...]:
    """The generators, their inverses and their products: more ways down."""
    wider = [*generators, *map(inverse, generators)]
    wider += [compose(g, h) for g, h in product(generators, repeat=2)]
    return tuple(dict.fromkeys(wider))


def joining_graph(group: Group) -> Graph | None:
    """A graph on the atoms whose automorphism group is the group: no arcs, or the orbits on pairs as labelled arcs."""
    classes = orbit_numbers(group)
    wanted = order(group)
    if is_symmetric(group, classes):
        return Graph(classes, ())
    if len(group.moved) > MOST_JOINED:
        return None
    graph = Graph(classes, orbital_arcs(group))
    return graph if automorphisms(graph).known_order == wanted else None


def is_symmetric(group: Group, classes: tuple[int, ...]) -> bool:
    """Whether it is the product of the symmetric groups on its orbits."""
    return order(group) == prod(factorial(n) for n in Counter(classes).values())


def orbital_arcs(group: Group) -> tuple[tuple[int, int, int], ...]:
    """Every pair of atoms that move, labelled by its orbit under the group."""
    label: dict[tuple[int, int], int] = {}
    for a, b in product(group.moved, group.moved):
        if a != b and (a, b) not in label:
            mark_orbit(group, (a, b), len(label), label)
    return tuple((a, b, k) for (a, b), k in sorted(label.items()))


def mark_orbit(group: Group, pair: tuple[int, int], k: int, label: dict[tuple[int, int], int]) -> None:
    label[pair] = k
    waiting = [pair]
    while waiting:
        a, b = waiting.pop()
        for g in group.generators:
            if (image := (g[a], g[b])) not in label:
                label[image] = k
                waiting.append(image)
