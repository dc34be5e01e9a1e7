"""What a plan means: ``minimise`` gives the representative of a state and a permutation that leads to it.

The kernels of the explicit engine do the same from tables; they are tested against this file.

Short names: s, t states; g, h permutations of the atoms, all acting by ``act``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from random import Random

from quorbit.canon.colours import refine
from quorbit.canon.label import label_graph
from quorbit.canon.layout import Layout, act, state_key
from quorbit.canon.plan import (
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
    Transposition,
)
from quorbit.canon.references import Key, encode, occurrences
from quorbit.groups.permutation import Permutation, compose, identity
from quorbit.model.system.system import State
from quorbit.source.exhaustive import assert_never

__all__ = ["Reduce", "minimise", "reducer"]

Found = tuple[State, Permutation]
Reduce = Callable[[State], Found]  # the representative, and a permutation that leads to it


def minimise(layout: Layout, plan: Plan, s: State) -> Found:
    """The representative of s and a permutation that maps s to it; the same one for all of s's orbit if exact."""
    return follow(layout, plan.node, s)


def reducer(layout: Layout, plan: Plan) -> Callable[[State], Found]:
    """The plan as a function of the state, for the engines."""

    @lru_cache(maxsize=1 << 16)
    def reduce(s: State) -> Found:
        return minimise(layout, plan, s)

    return reduce


def follow(layout: Layout, node: Node, s: State) -> Found:
    match node:
        case Identity():
            return s, identity(layout.atoms)
        case Enumerate(elements):
            return least((act(layout, g, s), g) for g in elements)
        case EnumerateChain(levels):
            return least(images_by_chain(layout, levels, (s, identity(layout.atoms))))
        case MinimisingSet(swaps):
            return descend(layout, swaps, (s, identity(layout.atoms)))
        case SortColumns(columns):
            return sort_columns(layout, columns, s)
        case InTurn(parts):
            return in_turn(layout, parts, s)
        case Descend():
            return local_search(layout, node, s)
        case SearchOrbit(generators):
            return least(orbit(layout, generators, s).items())
        case Refine():
            return refine_and_search(layout, node, s)
        case LabelGraph(arcs, classes):
            g = label_graph(layout, arcs, classes, s)
            return act(layout, g, s), g
        case Mark(classes):
            g = mark(layout, classes, s)
            return act(layout, g, s), g
        case _:
            assert_never(node)


def least(found: Iterable[Found]) -> Found:
    return min(found, key=lambda pair: state_key(pair[0]))


def move(layout: Layout, found: Found, g: Permutation) -> Found:
    return act(layout, g, found[0]), compose(found[1], g)


def in_turn(layout: Layout, parts: tuple[Node, ...], s: State) -> Found:
    g = identity(layout.atoms)
    for part in parts:
        s, h = follow(layout, part, s)
        g = compose(g, h)
    return s, g


# Enumeration.


def images_by_chain(
    layout: Layout, levels: tuple[tuple[tuple[Transposition, ...], ...], ...], found: Found
) -> Iterable[Found]:
    """All images, one coset representative per level; each is applied as a list of transpositions."""
    if not levels:
        yield found
        return
    for representative in levels[0]:
        moved = found
        for a, b in representative:
            moved = move(layout, moved, transposition(layout.atoms, a, b))
        yield from images_by_chain(layout, levels[1:], moved)


@cache
def transposition(n: int, a: int, b: int) -> Permutation:
    images = list(range(n))
    images[a], images[b] = b, a
    return tuple(images)


def orbit(layout: Layout, generators: tuple[Permutation, ...], s: State) -> dict[State, Permutation]:
    """All states of the orbit, each with a permutation that leads to it."""
    found = {s: identity(layout.atoms)}
    waiting = [s]
    while waiting:
        t = waiting.pop()
        for g in generators:
            image = act(layout, g, t)
            if image not in found:
                found[image] = compose(found[t], g)
                waiting.append(image)
    return found


# Minimising sets and local search.


def descend(layout: Layout, swaps: tuple[Permutation, ...], found: Found) -> Found:
    """Apply permutations while they make the state less. [DM09, Alg. 4]"""
    while True:
        before = found[0]
        for g in swaps:
            moved = move(layout, found, g)
            if state_key(moved[0]) < state_key(found[0]):
                found = moved
        if found[0] == before:
            return found


def local_search(layout: Layout, node: Descend, s: State) -> Found:
    """The least local minimum from s and from its images under the given elements. [DM09, 4.4]"""
    starts = [(s, identity(layout.atoms))]
    starts += [move(layout, starts[0], g) for g in node.restarts]
    if node.temperature > 0:
        starts.append(anneal(layout, node, starts[0]))
    return least(descend(layout, node.generators, start) for start in starts)


def anneal(layout: Layout, node: Descend, found: Found) -> Found:
    """Simulated annealing; the height of a step is the first place that differs (earlier places weigh more)."""
    rng = Random(node.seed)
    best = found
    for step in range(ANNEALING_STEPS):
        moved = move(layout, found, rng.choice(node.generators))
        climb = height(found[0], moved[0])
        heat = node.temperature * (1 - step / ANNEALING_STEPS)
        if climb <= 0 or rng.random() < math.exp(-climb / heat):
            found = moved
        best = least([best, found])
    return best


ANNEALING_STEPS = 100


def height(s: State, t: State) -> float:
    """How much greater t is than s, between -1 and 1."""
    for i, (a, b) in enumerate(zip(state_key(s), state_key(t), strict=True)):
        if a != b:
            return (1 if b > a else -1) / (i + 1)  # type: ignore[operator]
    return 0.0


# Columns.


def sort_columns(layout: Layout, columns: Columns, s: State) -> Found:
    keys = [column_key(layout, columns, column, s) for column in columns]
    order = sorted(range(len(columns)), key=keys.__getitem__)
    images = list(range(layout.atoms))
    for target, source in zip(columns, order, strict=True):
        for a, b in zip(columns[source], target, strict=True):
            images[a] = b
    g = tuple(images)
    return act(layout, g, s), g


def column_key(layout: Layout, columns: Columns, column: tuple[int, ...], s: State) -> Key:
    """What the state says of a column: see SortColumns."""
    everywhere = {a for other in columns for a in other}
    row = {a: -2 - k for k, a in enumerate(column)}

    def recolour(a: int) -> int:
        return row.get(a, -2 - len(column) if a in everywhere else a)

    owned = [encode(layout.places[i].type, s[i], recolour) for a in column for i in layout.owned[a]]
    outside = [i for i in layout.referring if not everywhere.intersection(layout.places[i].owners)]
    named = [occurrences(layout.places[i].type, s[i], a) for a in column for i in outside]
    return (*owned, *named)


# The exact plan.


def refine_and_search(layout: Layout, node: Refine, s: State) -> Found:
    """Bring an atom of the least class to each base point in turn; images that are equal have the same future.

    Which atoms may come to a point is told by colours that move with the state, so the images that are left at the end
    depend on the orbit alone.  Atoms that nothing refers to are sorted when all others have their places."""
    classes = node.classes
    frontier: dict[State, Permutation] = {s: identity(layout.atoms)}
    colours = {s: refine(layout, s, classes)}
    fixed: list[int] = []
    for level in node.levels:
        best = min(colours[t][a] for t in frontier for a, _ in level.representatives)
        following: dict[State, Permutation] = {}
        for t, g in frontier.items():
            for a, h in level.representatives:
                if colours[t][a] == best:
                    following.setdefault(act(layout, h, t), compose(g, h))
        fixed.append(level.point)
        refined = {t: refine(layout, t, individualised(classes, fixed)) for t in following}
        least_shape = min(shape(colouring) for colouring in refined.values())
        frontier = {t: g for t, g in following.items() if shape(refined[t]) == least_shape}
        colours = {t: refined[t] for t in frontier}
    return least(sort_blocks(layout, node.free, found) for found in frontier.items())


def sort_blocks(layout: Layout, blocks: Columns, found: Found) -> Found:
    for block in blocks:
        found = move(layout, found, sort_columns(layout, tuple((a,) for a in block), found[0])[1])
    return found


def individualised(classes: tuple[int, ...], fixed: list[int]) -> tuple[int, ...]:
    """The classes with each fixed point in a colour of its own, before all others."""
    colours = [c + len(fixed) for c in classes]
    for k, a in enumerate(fixed):
        colours[a] = k
    return tuple(colours)


def shape(colours: tuple[int, ...]) -> tuple[int, ...]:
    """How large the colour classes are: this moves with no atom, so it can prune the search."""
    sizes = [0] * (max(colours, default=-1) + 1)
    for c in colours:
        sizes[c] += 1
    return tuple(sizes)


# Markers.


def mark(layout: Layout, classes: tuple[int, ...], s: State) -> Permutation:
    """Sort the atoms of each class by colour; equal colours keep their order, which is where exactness is lost."""
    colours = refine(layout, s, classes)
    images = list(range(layout.atoms))
    members: dict[int, list[int]] = {}
    for a, c in enumerate(classes):
        members.setdefault(c, []).append(a)
    for atoms in members.values():
        for target, source in zip(atoms, sorted(atoms, key=lambda a: colours[a]), strict=True):
            images[source] = target
    return tuple(images)
