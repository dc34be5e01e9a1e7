"""The product of a state graph with a generalised Büchi automaton, as a marked graph.

A node is a pair (state, automaton's state); the automaton reads the labels of the state it leaves.  The marks of an
edge are the automaton's marks and, above them, the fairness marks of the graph's edge; its name is the number of the
graph's edge.  Where the automaton has no transition the pair has no edge.
"""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.logic.automata.automaton import GeneralisedBuchi, Transition, allows, outgoing
from quorbit.logic.graphs.kripke import Flags, Kripke
from quorbit.logic.graphs.marked import MarkedGraph
from quorbit.source.frozen import frozen

__all__ = ["Steps", "letters_of"]


@frozen
class Product:
    """The pairs, each as state * (automaton's states) + automaton's state, in the order of the graph's nodes."""

    nodes: list[int]
    graph: MarkedGraph


def multiply(
    kripke: Kripke, automaton: GeneralisedBuchi, labels: list[Flags], marks: list[int], roots: Iterable[int]
) -> Product:
    """All pairs reachable from (root, the automaton's initial state), the roots first and in their order.

    The labels belong to automaton.propositions, the marks to the edges of the graph.
    """
    letters, steps, width = letters_of(kripke.count, labels), Steps(automaton), automaton.states
    targets = [t * width for t in kripke.targets]
    nodes = [s * width + automaton.initial for s in roots]
    numbers = [-1] * (kripke.count * width)
    for i, node in enumerate(nodes):
        numbers[node] = i
    graph = MarkedGraph()
    for node in nodes:
        s, q = divmod(node, width)
        first, last = kripke.offsets[s], kripke.offsets[s + 1]
        found: list[int] = []
        collected: list[int] = []
        allowed = steps.of(q, letters[s])
        for transition in allowed:
            collected.extend([transition.marks | m for m in marks[first:last]])
            for place in targets[first:last]:
                place += transition.target
                if numbers[place] < 0:
                    numbers[place] = len(nodes)
                    nodes.append(place)
                found.append(numbers[place])
        graph.targets.append(found)
        graph.marks.append(collected)
        graph.names.append([*range(first, last)] * len(allowed))
    return Product(nodes, graph)


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
