"""The largest subgroup of valid symmetries among the automorphisms of the channel diagram. [DM05, Algorithm 1]

This is the paper's way to the group that the syntax graph gives in one call; it serves to compare.  A permutation of
processes and channels is valid if the System's normal form stays what it is; values that only have names (locations in
a program, message names) may be renamed along with it.

Short names: G the automorphism group of the diagram; H the valid subgroup known so far; a, b permutations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from random import Random

from quorbit.detection.channel_diagram import ChannelDiagram, channel_diagram, diagram_graph
from quorbit.detection.detect import atoms_to_pin
from quorbit.detection.proof import Proof, keeps_colours
from quorbit.detection.steps_group import idle_atoms
from quorbit.detection.syntax_graph import syntax_graph
from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.canonical import canonical_form
from quorbit.graphs.graph import Graph
from quorbit.groups.chain import Chain, build_chain, contains, order, pointwise_stabiliser, random_element
from quorbit.groups.group import Group, place, relabel
from quorbit.groups.permutation import Permutation, compose, identity, inverse
from quorbit.model.specialise.identities.naming import is_value
from quorbit.model.system.system import System
from quorbit.source.frozen import frozen, replace

__all__ = ["detect_by_diagram"]

Valid = Callable[[Permutation], bool]
MOST_COSETS = 2_000
PATIENCE = 12  # random elements in a row that may bring nothing new


@frozen
class LargestSubgroup:
    """The automorphisms of the diagram, the valid ones, how many permutations were tried, and whether it is certain
    that there are no more."""

    diagram: ChannelDiagram
    candidates: Group
    group: Group
    tried: int
    complete: bool


def detect_by_diagram(grounded: System, shared: bool = False, most_cosets: int = MOST_COSETS) -> LargestSubgroup:
    """The symmetries of a grounded System that permute processes and channels, found as [DM05] finds them."""
    diagram = channel_diagram(grounded, shared)
    listing = diagram.vertices[: len(diagram.processes) + len(diagram.channels)]
    G = place(relabel(automorphisms(diagram_graph(diagram)), range(len(listing))), listing, len(grounded.atoms))
    validity = Validity(grounded)
    H, complete = largest_valid_subgroup(G, validity.is_valid, Random(0), most_cosets)
    if fixed := (*idle_atoms(validity.proof), *atoms_to_pin(grounded, H)):  # as in detect
        H = pointwise_stabiliser(H, fixed)
    return LargestSubgroup(diagram, G, H, validity.tried, complete)


def largest_valid_subgroup(G: Group, is_valid: Valid, rng: Random, most_cosets: int) -> tuple[Group, bool]:
    """[DM05, Algorithm 1], with random conjugates first (5.3); False if there were too many cosets to try."""
    H = Group(G.degree, [a for a in G.generators if is_valid(a)])
    H = add_conjugates(G, H, is_valid, rng)
    while order(H) < order(G):
        if order(G) // order(H) > most_cosets:
            return H, False
        found = next((a for a in right_cosets(G, H) if is_valid(a)), None)
        if found is None:
            break
        H = Group(G.degree, [*H.generators, found])
    return H, True


def add_conjugates(G: Group, H: Group, is_valid: Valid, rng: Random) -> Group:
    """Conjugates of known elements by random ones look like them, so they are likely to be valid. [DM05, 5.3]

    Beyond the paper, those of invalid generators are tried too: where neighbours differ no generator is valid."""
    chain, failed = build_chain(G), 0
    while failed < PATIENCE and order(H) < order(G):
        b = random_element(chain, rng)
        known = build_chain(H)
        tried = (compose(compose(inverse(b), a), b) for a in dict.fromkeys((*H.generators, *G.generators)))
        new = [a for a in tried if not contains(known, a) and is_valid(a)]
        H = smaller_generators(Group(G.degree, [*H.generators, *new]))
        failed = 0 if new else failed + 1
    return H


def smaller_generators(H: Group) -> Group:
    """The same group without generators that earlier ones give."""
    kept: list[Permutation] = []
    for a in H.generators:
        if not contains(build_chain(Group(H.degree, kept)), a):
            kept.append(a)
    return Group(H.degree, kept)


def right_cosets(G: Group, H: Group) -> Iterator[Permutation]:
    """A representative of every right coset of H in G but H itself, nearest first."""
    chain = build_chain(H)
    first = least_of_coset(chain, identity(G.degree))
    seen, waiting = {first}, [first]
    for a in waiting:
        for b in G.generators:
            c = least_of_coset(chain, compose(a, b))
            if c not in seen:
                seen.add(c)
                waiting.append(c)
                yield c


def least_of_coset(chain: Chain, a: Permutation) -> Permutation:
    """The element of H a whose images of H's base points are least; there is one, since they determine it."""
    for level in chain.levels:
        x = min(level.orbit, key=a.__getitem__)
        a = compose(level.transversal[x], a)
    return a


class Validity:
    """Whether permutations of processes and channels leave what a grounded System says as it is."""

    def __init__(self, grounded: System) -> None:
        self.proof = Proof(grounded)
        self.tried = 0
        self.values = frozenset(a for a, atom in enumerate(grounded.atoms) if is_value(atom.sort))

    def is_valid(self, a: Permutation) -> bool:
        self.tried += 1
        if self.proof.holds(a):
            return True
        return bool(self.values) and keeps_colours(self.proof.system, a) and self.is_valid_with_values(a)

    def is_valid_with_values(self, a: Permutation) -> bool:
        """Whether a goes with some renaming of the values: the graph of the System, every process and channel coloured
        apart, is then isomorphic to the one coloured by a."""
        return canonical_form(recoloured(self.graph, a, self.values)) == self.form

    @cached_property
    def graph(self) -> Graph:
        proof = self.proof
        apart = [a for a in range(proof.terms.atoms) if a not in self.values]
        return syntax_graph(proof.system, proof.terms, proof.said, apart, proof.begins)

    @cached_property
    def form(self) -> object:
        return canonical_form(self.graph)


def recoloured(graph: Graph, a: Permutation, values: frozenset[int]) -> Graph:
    colours = list(graph.colours)
    for v, x in enumerate(a):
        if v not in values:
            colours[x] = graph.colours[v]
    return replace(graph, colours=tuple(colours))
