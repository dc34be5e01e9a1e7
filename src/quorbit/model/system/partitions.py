"""What an almost symmetric System says, with the partitions of the atoms whose permutations keep it [W07, section 5].

An *edge* is a command with all its instances; its partition generates permutations that map the edge to itself.  A
guard or an error is taken apart into *clauses* that hold together, each with a partition of its own, so that the ones
that tell nobody apart can be looked at first.
"""

from __future__ import annotations

from quorbit.groups.partition import Partition, meet_all
from quorbit.model.system.expression import Expr
from quorbit.source.frozen import frozen

__all__ = ["Clause", "Edge", "Partitions", "Rotations", "friends"]


@frozen
class Clause:
    """A condition about the state and the parameters of its command; ``partition`` keeps it, parameters moved along."""

    expression: Expr
    partition: Partition


@frozen
class Edge:
    """The commands (by number) that are one edge of the diagram, with the clauses of the guard of each.

    ``partition`` keeps guard and effect, and everything that decides whether a command of the edge is hidden by another
    one (turns, ranks) or asked for (``Enabled``)."""

    commands: tuple[int, ...]
    clauses: tuple[tuple[Clause, ...], ...]
    partition: Partition


@frozen
class Rotations:
    """For processes in a ring: the least step by which each edge may be turned (the length of the ring: by none).

    ``ring``: the atoms in their order.  ``edges``: the commands (by number) of each edge, in the order of ``steps``."""

    ring: tuple[int, ...]
    edges: tuple[tuple[int, ...], ...]
    steps: tuple[int, ...]


@frozen
class Partitions:
    """The edges of a System, and the conditions the search asks about, each as clauses that must hold together.

    ``errors``: for each property asked for, when a state violates it (for ``NoDeadlock``: when a deadlock does); empty
    for properties that are not about states.  ``classes``: the atoms of one kind; every partition is finer.
    ``rotations``: given where turning a ring of processes keeps more of the System than exchanging them."""

    edges: tuple[Edge, ...]
    transient: tuple[Clause, ...]
    errors: tuple[tuple[Clause, ...], ...]
    classes: Partition
    rotations: Rotations | None = None


def friends(partitions: Partitions) -> Partition:
    """The atoms that no edge tells apart: the classes of standard symmetry reduction [W07, section 8]."""
    n = sum(map(len, partitions.classes))
    return meet_all(n, [partitions.classes, *(edge.partition for edge in partitions.edges)])
