"""The product of a state graph with a generalised Büchi automaton, as a marked graph.

A node is a pair (state, automaton's state); the automaton reads the labels of the state it leaves.  The marks of an
edge are the automaton's marks and, above them, the fairness marks of the graph's edge; its name is the number of the
graph's edge.  Where the automaton has no transition the pair has no edge.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quorbit.logic.automaton import GeneralisedBuchi, Transition, allows, outgoing
from quorbit.logic.emptiness import Graph
from quorbit.logic.kripke import Flags, Kripke


@dataclass(frozen=True)
class Product:
    nodes: list[tuple[int, int]]
    numbers: dict[tuple[int, int], int]
    graph: Graph


def multiply(
    kripke: Kripke, automaton: GeneralisedBuchi, labels: list[Flags], marks: list[int], roots: Iterable[int]
) -> Product:
    """All pairs reachable from (root, the automaton's initial state); labels belong to automaton.propositions."""
    letters = letters_of(kripke.count, labels)
    steps = Steps(automaton)
    nodes = [(s, automaton.initial) for s in roots]
    numbers = {node: i for i, node in enumerate(nodes)}
    graph: Graph = []
    for s, q in nodes:
        edges = []
        for transition in steps.of(q, letters[s]):
            for edge in range(kripke.offsets[s], kripke.offsets[s + 1]):
                target = (kripke.targets[edge], transition.target)
                if target not in numbers:
                    numbers[target] = len(nodes)
                    nodes.append(target)
                edges.append((numbers[target], transition.marks | marks[edge], edge))
        graph.append(edges)
    return Product(nodes, numbers, graph)


def letters_of(count: int, labels: list[Flags]) -> list[int]:
    """For every state the bit mask of the labels that hold there."""
    letters = [0] * count
    for i, flags in enumerate(labels):
        for s, flag in enumerate(flags):
            if flag:
                letters[s] |= 1 << i
    return letters


class Steps:
    """The transitions a letter allows, looked up once per state and letter."""

    def __init__(self, automaton: GeneralisedBuchi) -> None:
        self.outgoing = outgoing(automaton)
        self.known: dict[tuple[int, int], list[Transition]] = {}

    def of(self, state: int, letter: int) -> list[Transition]:
        key = (state, letter)
        if key not in self.known:
            best: dict[tuple[int, int], Transition] = {}
            for transition in self.outgoing[state]:
                if allows(transition, letter):
                    best.setdefault((transition.target, transition.marks), transition)
            self.known[key] = list(best.values())
        return self.known[key]
