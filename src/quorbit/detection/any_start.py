"""Symmetries of the steps of a circuit that do not keep its initial states, such as the rotations of a token ring.

The orbits that are reachable are the same from a state and from its images, so a search of the quotient may start from
the representatives of the initial states; what holds in these then holds in the initial states.  What is not known is
how many states the orbits stand for: some of an orbit may be out of reach.  [M97, 4.3.1]
"""

from __future__ import annotations

from dataclasses import replace

from quorbit.detection.detect import Symmetry, prove
from quorbit.detection.proof import Proof
from quorbit.detection.syntax_graph import syntax_graph
from quorbit.graphs.automorphisms import automorphisms_on
from quorbit.groups.chain import order
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System

__all__ = ["beyond_the_start"]

NOTE = "the symmetries do not keep the initial states: the search starts from the representatives of these"
RESET = "reset"  # the sort of choices that only initial states depend on


def beyond_the_start(system: System, found: Symmetry) -> Symmetry:
    """The symmetries of the steps and properties of a circuit, if there are more of them than keep its start."""
    grounded = found.grounded or ground(system)
    unstarted = replace(grounded, start=())
    proof = Proof(unstarted)
    pinned = tuple(a for a, atom in enumerate(system.atoms) if atom.sort == RESET)
    graph = syntax_graph(unstarted, proof.terms, proof.said, pinned)
    group = automorphisms_on(graph, range(len(system.atoms)))
    if order(group) <= order(found.group):
        return found
    prove(proof, group)
    return replace(found, group=group, notes=(*found.notes, NOTE))
