"""Reached and Unexplored [W07, Algorithm 2]: abstract states, found by what subsumes them and by what they subsume.

States whose letters are permutations of each other form a group, for only these can subsume one another.  In a group
the states are kept by annotation and counters: a state is subsumed if its counters, taken per cell of some annotation
of the group, are there.
"""

from __future__ import annotations

from collections import deque

from quorbit.engines.adaptive.bags import Bag, Bags, find_projected, mixed, total
from quorbit.engines.adaptive.cells import Cells
from quorbit.source.frozen import distinct, field, mutable

PER_STATE, PER_ENTRY = 400, 90  # bytes, roughly: a node with its tables, and an entry of a bag


@distinct
class Node:
    """An abstract state: shared part, counters, annotation; where it came from, and by which edge."""

    shared: int
    bags: Bags
    partition: int
    depth: int
    parent: Node | None = None
    edge: int = -1
    stored: bool = True  # False: a transient state on the way
    total: Bags = ()  # the letters of each class, once it is in the store
    mixed: int = 0  # its cells with different letters, likewise
    group: Group | None = None  # while it waits to be explored


@mutable
class Table:
    """The states of a group with one annotation, and for each of its cells the bags that occur there."""

    nodes: dict[Bags, Node]
    seen: list[set[Bag]]


@mutable
class Group:
    """The states with one shared part and one multiset of letters; ``waiting`` the unexplored ones among them."""

    tables: dict[int, Table] = field(default_factory=dict)
    waiting: dict[Node, None] = field(default_factory=dict)


class Store:
    """``level_safe``: states of an earlier level are not dropped, so that breadth-first search finds shortest ways.

    Algorithm 2 as printed drops a state that a later one subsumes even if the later one is a level deeper; then what
    follows from the dropped state is found one level late, against the claim of minimum distance [W07, section 7]."""

    def __init__(self, cells: Cells, depth_first: bool, level_safe: bool, forget: bool) -> None:
        self.cells = cells
        self.depth_first, self.level_safe, self.forget = depth_first, level_safe, forget
        self.groups: dict[tuple[int, Bags], Group] = {}
        self.unexplored: deque[Node] = deque()
        self.reached = 0
        self.dropped = 0
        self.bytes = 0

    def add(self, node: Node) -> bool:
        """Whether the state is new: no state in Reached subsumes it."""
        node.total = total(node.bags, self.cells.homes(node.partition))
        node.mixed = mixed(node.bags)
        key = node.shared, node.total
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group()
        elif self.is_subsumed(group, node):
            return False
        self.drop_subsumed(group, node)
        self.enter(group, node)
        group.waiting[node] = None
        node.group = group
        self.unexplored.append(node)
        self.reached += 1
        self.bytes += PER_STATE + PER_ENTRY * sum(map(len, node.bags))
        return True

    def next(self) -> Node | None:
        """The next unexplored state; None if there is none."""
        while self.unexplored:
            node = self.unexplored.pop() if self.depth_first else self.unexplored.popleft()
            if node.group is not None:
                del node.group.waiting[node]
                node.group = None
                return node
        return None

    def is_subsumed(self, group: Group, node: Node) -> bool:
        same = group.tables.get(node.partition)
        if same is not None and node.bags in same.nodes:
            return True
        bags, q, cells = node.bags, node.partition, self.cells
        for p, table in group.tables.items():
            if p != q and not node.mixed & cells.crossing(q, p):
                projected = find_projected(cells, q, bags, p, table.seen)
                if projected is not None and projected in table.nodes:
                    return True
        return False

    def enter(self, group: Group, node: Node) -> None:
        table = group.tables.get(node.partition)
        if table is None:
            table = group.tables[node.partition] = Table({}, [set() for _ in node.bags])
        table.nodes[node.bags] = node
        for bag, seen in zip(node.bags, table.seen, strict=True):
            seen.add(bag)

    def drop_subsumed(self, group: Group, node: Node) -> None:
        """Line 3 of Algorithm 2: what the new state subsumes need not be explored."""
        if not group.waiting:
            return
        cells, p = self.cells, node.partition
        mine = [{bag} for bag in node.bags]
        least = node.depth if self.level_safe else 0
        for other in list(group.waiting):
            q = other.partition
            if other.depth < least or q == p or other.mixed & cells.crossing(q, p):
                continue
            if find_projected(cells, q, other.bags, p, mine) is not None:
                self.drop(group, other)

    def drop(self, group: Group, node: Node) -> None:
        """Without traces nothing needs the state any more, so it leaves Reached too."""
        node.group = None
        del group.waiting[node]
        self.dropped += 1
        if self.forget:
            del group.tables[node.partition].nodes[node.bags]
            self.reached -= 1

    def nodes(self) -> list[Node]:
        """All of Reached, in no particular order but always the same."""
        return [
            node for group in self.groups.values() for table in group.tables.values() for node in table.nodes.values()
        ]
