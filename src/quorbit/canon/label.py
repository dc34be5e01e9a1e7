"""The state as a graph, and its canonical label carried back into the orbit. [T07, section 4, repaired]

The graph has a vertex for each atom, each place and each compound value; arcs say "owner number k", "value", "part
number k", so that the graph tells the state up to symmetry (drawn as [T07, 4.2] says it would not).  The atoms are
joined by a graph whose automorphism group is the group in question.

A canonical label maps the atoms to positions, not necessarily by an element of the group.  Let L be the label; L moves
the joining graph J to L(J), which is the same for all states of the orbit.  Canonical labels K(J) of J and K(L(J)) of
its image lead to one graph, so "first L, then K(L(J)), then K(J) backwards" maps J to itself: it is an element of the
group, and its image of the state depends on the orbit alone.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

from quorbit.canon.layout import Layout
from quorbit.graphs.canonical import canonical_labelling
from quorbit.graphs.graph import Graph, GraphBuilder
from quorbit.groups.permutation import Permutation, compose, inverse
from quorbit.model.system.system import State
from quorbit.model.system.types import NONE, AtomOf, Number, QueueOf, SetOf, Text, Truth, TupleOf, Type, mentions_atoms
from quorbit.source.exhaustive import assert_never

Arcs = tuple[tuple[int, int, int], ...]


def label_graph(layout: Layout, arcs: Arcs, classes: tuple[int, ...], s: State) -> Permutation:
    """The element of the group that leads to the representative of s."""
    whole = canonical_labelling(state_graph(layout, arcs, classes, s))
    label = ranks(whole[: layout.atoms])
    moved_classes = [0] * layout.atoms
    for a, c in enumerate(classes):
        moved_classes[label[a]] = c
    moved = tuple(sorted((label[a], label[b], k) for a, b, k in arcs))
    joining = canonical_labelling(Graph(tuple(moved_classes), moved))
    return compose(label, compose(joining, inverse(label_of_joining(classes, arcs))))


@lru_cache(maxsize=64)
def label_of_joining(classes: tuple[int, ...], arcs: Arcs) -> Permutation:
    return canonical_labelling(Graph(classes, tuple(sorted(arcs))))


def ranks(numbers: tuple[int, ...]) -> Permutation:
    """0, 1, ... in the order of the numbers."""
    order = {n: k for k, n in enumerate(sorted(numbers))}
    return tuple(order[n] for n in numbers)


def state_graph(layout: Layout, arcs: Arcs, classes: tuple[int, ...], s: State) -> Graph:
    """The graph of a state; its first vertices are the atoms."""
    builder = GraphBuilder()
    for c in classes:
        builder.vertex(("atom", c))
    none = builder.vertex(("none",))
    for a, b, k in arcs:
        builder.arc(a, b, ("joined", k))
    shared: dict[Hashable, int] = {}
    for place, value in zip(layout.places, s, strict=True):
        v = builder.vertex(("place", place.variable, place.indices))
        for k, a in enumerate(place.owners):
            builder.arc(v, none if a == NONE else a, ("owner", k))
        builder.arc(v, add_value(builder, shared, none, place.type, value), "value")
    return builder.build()


def add_value(builder: GraphBuilder, shared: dict[Hashable, int], none: int, type: Type, value: Any) -> int:
    """The vertex of a value.  Compound values with atoms are taken apart, others are known by their colour."""
    if isinstance(type, AtomOf):
        return none if value == NONE else int(value)
    key = (type, value)
    if key in shared:
        return shared[key]
    if not mentions_atoms(type):
        v = builder.vertex(("value", value))
    else:
        v = builder.vertex(("compound", shape_of(type)))
        for k, part, part_type in parts_of(type, value):
            builder.arc(v, add_value(builder, shared, none, part_type, part), ("part", k))
    shared[key] = v
    return v


def parts_of(type: Type, value: Any) -> list[tuple[int, Any, Type]]:
    """The parts of a compound value with their numbers; the elements of a set all have number 0."""
    match type:
        case TupleOf(parts):
            return [(k, v, t) for k, (t, v) in enumerate(zip(parts, value, strict=True))]
        case QueueOf(message):
            return [(k, v, message) for k, v in enumerate(value)]
        case SetOf(element):
            return [(0, v, element) for v in value]
    raise AssertionError(type)


def shape_of(type: Type) -> Hashable:
    """The type without its atoms, which the group may exchange."""
    match type:
        case TupleOf(parts):
            return ("tuple", *map(shape_of, parts))
        case SetOf(element):
            return ("set", shape_of(element))
        case QueueOf(message):
            return ("queue", shape_of(message))
        case AtomOf():
            return "atom"
        case Number() | Truth() | Text():
            return repr(type)
        case _:
            assert_never(type)
