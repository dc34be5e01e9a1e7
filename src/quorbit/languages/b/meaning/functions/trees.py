"""Trees: functions from addresses to labels, where an address is a sequence of numbers of sons and ``[]`` is the top.

A set of addresses is a tree's if it has the top, the father of each address, and the elder brother of each. The
operators are those of the Atelier B reference manual.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from quorbit.languages.b.meaning.values import NoValue, items, only_if, sequence_of

__all__ = ["TREES_OF_ONE", "TREES_OF_TWO", "is_tree"]

Address = tuple[int, ...]
Tree = dict[Address, Any]
Value = frozenset[Any]


def is_tree(t: Value, binary: bool) -> bool:
    """Whether a value is a tree; in a binary one every node has two sons or none."""
    try:
        found = tree_of(t)
    except NoValue:
        return False
    return not binary or all(degree(found, at) in (0, 2) for at in found)


def tree_of(t: Value) -> Tree:
    """The labels by address."""
    found = {items(at): label for at, label in t}
    whole = all(at[-1] >= 1 and at[:-1] in found for at in found if at)
    elder = all((*at[:-1], at[-1] - 1) in found for at in found if at and at[-1] > 1)
    only_if(len(found) == len(t) and () in found and whole and elder, "this is not a tree")
    return found


def value_of(t: Tree) -> Value:
    return frozenset((sequence_of(at), label) for at, label in t.items())


def degree(t: Tree, at: Address) -> int:
    found = 0
    while (*at, found + 1) in t:
        found += 1
    return found


def below(t: Tree, at: Address) -> Tree:
    """The subtree at an address."""
    return {inner[len(at) :]: label for inner, label in t.items() if inner[: len(at)] == at}


def node(t: Tree, at: Value) -> Address:
    found = items(at)
    only_if(found in t, "there is no such node in the tree")
    return found


def inner_node(t: Tree, at: Value) -> Address:
    found = node(t, at)
    only_if(found != (), "the top of a tree has no father")
    return found


def made(label: Any, sons: Value) -> Value:
    """The tree with this top and these trees under it."""
    found: Tree = {(): label}
    for k, son in enumerate(items(sons), 1):
        found.update({(k, *at): inner for at, inner in tree_of(son).items()})
    return value_of(found)


def sons_of(t: Value) -> Value:
    found = tree_of(t)
    return sequence_of(value_of(below(found, (k,))) for k in range(1, degree(found, ()) + 1))


def mirrored(t: Value) -> Value:
    found = tree_of(t)

    def turned(at: Address) -> Address:
        return tuple(degree(found, at[:k]) + 1 - at[k] for k in range(len(at)))

    return value_of({turned(at): label for at, label in found.items()})


def son_of(t: Value, pair: tuple[Value, int]) -> Value:
    found = tree_of(t)
    at = (*node(found, pair[0]), pair[1])
    only_if(at in found, "the node has fewer sons")
    return sequence_of(at)


def two_sons(t: Value) -> Tree:
    found = tree_of(t)
    only_if(degree(found, ()) == 2, "the tree has no left and right subtree")
    return found


def in_order(t: Tree, at: Address, own: int) -> Iterator[Any]:
    """All labels; a node's own after ``own`` of its sons, a negative number counted from behind."""
    sons = range(1, degree(t, at) + 1)
    place = own if own >= 0 else len(sons)
    for k in sons[:place]:
        yield from in_order(t, (*at, k), own)
    yield t[at]
    for k in sons[place:]:
        yield from in_order(t, (*at, k), own)


def listed(own: int, binary: bool = False) -> Callable[[Value], Value]:
    def labels(t: Value) -> Value:
        only_if(not binary or is_tree(t, True), "this is not a binary tree")
        return sequence_of(in_order(tree_of(t), (), own))

    return labels


TREES_OF_ONE: dict[str, Callable[[Any], Any]] = {
    "top": lambda t: tree_of(t)[()],
    "sons": sons_of,
    "prefix": listed(0),
    "postfix": listed(-1),
    "infix": listed(1, binary=True),
    "sizet": lambda t: len(tree_of(t)),
    "mirror": mirrored,
    "left": lambda t: value_of(below(two_sons(t), (1,))),
    "right": lambda t: value_of(below(two_sons(t), (2,))),
    "bin": lambda label: made(label, frozenset()),
}
TREES_OF_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "const": made,
    "rank": lambda t, at: inner_node(tree_of(t), at)[-1],
    "father": lambda t, at: sequence_of(inner_node(tree_of(t), at)[:-1]),
    "subtree": lambda t, at: value_of(below(tree_of(t), node(tree_of(t), at))),
    "arity": lambda t, at: degree(tree_of(t), node(tree_of(t), at)),
    "son": son_of,
    "bin": lambda left, pair: made(pair[0], sequence_of((left, pair[1]))),
}
