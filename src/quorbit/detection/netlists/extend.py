"""A partial mapping of latches is completed to a symmetry of the circuit, or refuted ([M97, Figure 6.1 and 7.3]).

A designer names the latches; what inputs and wires have to do follows.  The search runs on the graph of the System, its
functions by what they compute.
"""

from __future__ import annotations

from quorbit.detection.detect import idle_atoms
from quorbit.detection.functions.by_meaning import by_meaning
from quorbit.detection.netlists.search import search_automorphism
from quorbit.detection.proof import Proof
from quorbit.detection.syntax_graph import syntax_graph
from quorbit.groups.permutation import Permutation
from quorbit.model.specialise.ground import ground
from quorbit.model.system.system import System

__all__ = ["extend_mapping"]


def extend_mapping(system: System, g: Permutation, proved: System | None = None) -> Permutation | None:
    """A symmetry that moves what g moves as g does, whatever it does to the rest; None if there is none.

    ``proved``: the System with its functions by what they compute, where it is known."""
    grounded = ground(system)
    proof = Proof(proved or by_meaning(grounded) or grounded)
    graph = syntax_graph(proof.system, proof.terms, proof.said, idle_atoms(proof))
    found = search_automorphism(graph, {a: b for a, b in enumerate(g) if a != b}).automorphism
    if found is None:
        return None
    image = tuple(found[: len(system.atoms)])
    return image if proof.holds(image) else None
