"""Plans: how to find the representative of a state, as data.

A plan has two readers: canon/minimise.py, which says what it means, and the kernels of the explicit engine.  It says of
itself whether it is exact (one representative for each orbit) and why.

Short names: g a permutation of the atoms.
"""

from __future__ import annotations

from typing import TypeAlias

from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.source.frozen import field, frozen

__all__ = [
    "ChainLevel",
    "Descend",
    "Enumerate",
    "EnumerateChain",
    "Identity",
    "InTurn",
    "LabelGraph",
    "Mark",
    "MinimisingSet",
    "Node",
    "Plan",
    "Refine",
    "SearchOrbit",
    "SortColumns",
    "Transposition",
]

Columns = tuple[tuple[int, ...], ...]
Transposition = tuple[int, int]


@frozen
class Identity:
    """Every state represents itself."""


@frozen
class Enumerate:
    """The least image under all these elements. [DM09, 4.2]"""

    elements: tuple[Permutation, ...]


@frozen
class EnumerateChain:
    """The least image, by going through coset representatives level by level; each is a list of transpositions.

    [DM09, Alg. 2 and Lemma 1]"""

    levels: tuple[tuple[tuple[Transposition, ...], ...], ...]


@frozen
class MinimisingSet:
    """Apply the swaps while they make the state less. [DM09, Alg. 4]"""

    swaps: tuple[Permutation, ...]


@frozen
class SortColumns:
    """Order the columns by what the state says of their atoms; the least goes to the first column. [DM09, 4.3]

    Row k of all columns is one orbit, listed in one order, so sorting does what the group can do.  What counts: the
    values of the places the column's atoms own, and which places outside all columns refer to them.  References to the
    column itself are counted by row; references to other columns are left out (then the plan is not exact).
    """

    columns: Columns


@frozen
class InTurn:
    """One plan after the other: disjoint products [DM09, 5], and wreath products [DM09, 6]: blocks first, then the
    permutation of the blocks, with the order inside a block transported from the first one."""

    parts: tuple[Node, ...]


@frozen
class Descend:
    """Local search: apply generators while they make the state less; from the state and from some images of it under
    random elements, with a chance to climb that cools down (0: none). [DM09, 4.4]"""

    generators: tuple[Permutation, ...]
    restarts: tuple[Permutation, ...] = ()
    temperature: float = 0.0
    seed: int = 0


@frozen
class SearchOrbit:
    """The least state of the orbit, which is found by closing {s} under the generators."""

    generators: tuple[Permutation, ...]


@frozen
class ChainLevel:
    """A base point and, for each point that can come to it, an element that brings it there, fixing earlier points."""

    point: int
    representatives: tuple[tuple[int, Permutation], ...]


@frozen
class Refine:
    """Exact for every group, references included: refine the partition of the atoms by what the state says about each,
    bring an atom of the least class to the first base point, and so on down the stabiliser chain; of the images that
    are left take the least.  ``classes`` are the orbits of the group: the first partition.

    ``free``: atoms that nothing refers to, in blocks that the group permutes in every way once all other atoms are in
    their places, such as the slots of a multiset.  The levels end above them: each block is sorted at the end.
    ``sorting``: sorting that does all the group can do, where there is such; with it refined classes need no chain."""

    levels: tuple[ChainLevel, ...]
    classes: tuple[int, ...]
    free: Columns = ()
    sorting: Node | None = None


@frozen
class LabelGraph:
    """Canonical labelling of the graph of the state joined with a graph on the atoms whose automorphism group is the
    group; the label is carried back into the orbit. [T07, 4] ``arcs`` is that graph, ``classes`` its colours."""

    arcs: tuple[tuple[int, int, int], ...]
    classes: tuple[int, ...]


@frozen
class Mark:
    """Order the atoms of each class by their refined markers alone; atoms with equal markers stay in place.  The idea
    is that of the symmetry markers of Leuschel and Massart, which [T07] builds on.

    Requires that the group is the product of the symmetric groups on the classes."""

    classes: tuple[int, ...]


Node: TypeAlias = (
    Identity
    | Enumerate
    | EnumerateChain
    | MinimisingSet
    | SortColumns
    | InTurn
    | Descend
    | SearchOrbit
    | Refine
    | LabelGraph
    | Mark
)


@frozen
class Plan:
    """What to do, what it is called, and whether it gives one representative for each orbit."""

    node: Node
    name: str
    exact: bool
    reason: str
    group: Group | None = field(default=None, repr=False, compare=False)  # the group it is for
