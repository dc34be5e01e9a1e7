"""The deterministic automaton of one attempt of a property: its states are what ticks leave of it."""

from __future__ import annotations

from typing import TypeAlias

from quorbit.languages.circuits.assertions.properties import (
    Always,
    Avoids,
    Constant,
    Eventually,
    Follows,
    Implies,
    Known,
    Later,
    Matches,
    Property,
    Undecided,
    Until,
    after,
    children,
    pending,
)
from quorbit.languages.circuits.assertions.sequences import EMPTY, moves
from quorbit.source.frozen import frozen

MOST_STATES, MOST_LEAVES = 2000, 20_000


class TooLarge(Exception):
    """More states than a monitor should have."""


@frozen
class Branch:
    """What follows is decided by an atom."""

    atom: int
    yes: Tree
    no: Tree


Tree: TypeAlias = Branch | Property


@frozen
class Automaton:
    """From every state (the first is where an attempt begins) the tree of what a tick leads to."""

    steps: dict[Property, Tree]

    @property
    def waits(self) -> frozenset[Property]:
        """The states in which an attempt must not stay for ever."""
        left = {p: set(ends(tree)) for p, tree in self.steps.items() if pending(p)}
        while over := [p for p, following in left.items() if not following & left.keys()]:
            for p in over:
                del left[p]
        return frozenset(left)


def build(start: Property) -> Automaton:
    steps: dict[Property, Tree] = {}
    waiting = [start]
    leaves = 0
    while waiting:
        p = waiting.pop()
        if p in steps or isinstance(p, Constant):
            continue
        steps[p] = tree = grow(p, {})
        found = ends(tree)
        leaves += len(found)
        if len(steps) > MOST_STATES or leaves > MOST_LEAVES:
            raise TooLarge
        waiting += reversed(found)
    return Automaton(steps)


def grow(p: Property, known: Known) -> Tree:
    try:
        return after(p, known)
    except Undecided as question:
        yes = grow(p, {**known, question.atom: True})
        no = grow(p, {**known, question.atom: False})
        return yes if yes == no else Branch(question.atom, yes, no)


def ends(tree: Tree) -> list[Property]:
    return [*ends(tree.yes), *ends(tree.no)] if isinstance(tree, Branch) else [tree]


def why_not_live(p: Property) -> str:
    """Why nobody watches whether a property that may wait for ever comes true; "" if it can be watched.

    One attempt is watched, and it must wait for one and the same thing, which no later tick begins anew."""
    parts = lasting(p)
    if len(parts) > 1:
        return "several of its parts must come true some day"
    if is_begun_anew(p):
        return "what must come true some day is begun anew by later ticks"
    if not all(is_boolean(inner) for part in parts for inner in children(part)):
        return "what must come true some day takes several ticks"
    return ""


def lasting(p: Property) -> list[Property]:
    """The parts of a property, however deep, that must come true some day and may take any time."""
    deeper = [q for part in children(p) for q in lasting(part)]
    match p:
        case Matches(strong=True) | Avoids(strong=True):
            return deeper if is_boolean(p) else [p, *deeper]
        case Follows() | Eventually() | Until(strong=True):
            return [p, *deeper]
    return deeper


def is_begun_anew(p: Property) -> bool:
    inner = children(p)
    if isinstance(p, Always | Implies | Follows | Eventually | Until) and any(map(lasting, inner)):
        return True
    return any(map(is_begun_anew, inner))


def is_boolean(p: Property) -> bool:
    """Whether the first tick decides it."""
    match p:
        case Constant():
            return True
        case Matches(threads) | Avoids(threads):
            return all(left == EMPTY for s in threads for _, left in moves(s))
        case Later() | Always() | Eventually() | Until() | Implies() | Follows():
            return False
    return all(map(is_boolean, children(p)))
