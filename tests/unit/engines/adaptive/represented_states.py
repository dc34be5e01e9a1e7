"""The concrete states that abstract ones represent, written out and shown as [W07] draws them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

from quorbit.engines.adaptive.bags import Bags, vector
from quorbit.engines.adaptive.cells import Cells
from quorbit.engines.adaptive.rules import Context
from quorbit.engines.adaptive.store import Node
from quorbit.model.system.system import State


def orbit(cells: Cells, p: int, bags: Bags) -> Iterator[tuple[int, ...]]:
    """All vectors of letters that permutations of p make of a state, each once [W07, Definition 2]."""
    letters = vector(cells, p, bags)
    parts = cells.cells(p)
    for choice in product(*(sorted(set(permutations([letters[k] for k in cell]))) for cell in parts)):
        moved = list(letters)
        for cell, values in zip(parts, choice, strict=True):
            for k, letter in zip(cell, values, strict=True):
                moved[k] = letter
        yield tuple(moved)


def represented(context: Context, nodes: list[Node]) -> dict[State, int]:
    """The concrete states of all nodes, each with the least depth of a node that represents it."""
    found: dict[State, int] = {}
    for node in nodes:
        for letters in orbit(context.cells, node.partition, node.bags):
            s = context.shape.decode(node.shared, letters)
            found[s] = min(found.get(s, node.depth), node.depth)
    return found


def show_node(context: Context, node: Node) -> str:
    """An abstract state as the paper draws it: the local states, with bars where processes may not be exchanged."""
    letters = vector(context.cells, node.partition, node.bags)
    shape, system = context.shape, context.shape.system

    def show(k: int) -> str:
        values, marks, _ = shape.locals[letters[k]]
        types = [system.places[i].type for i in shape.local[k]]
        names = [show_value(type, value) for type, value in zip(types, values, strict=True)]
        return "/".join(names) + "*" * len(marks)

    return "|".join("".join(show(k) for k in cell) for cell in context.cells.cells(node.partition))


def show_value(type: object, value: object) -> str:
    names = getattr(type, "names", ())
    low = getattr(type, "low", 0) or 0
    return names[value - low] if names and isinstance(value, int) else str(value)
