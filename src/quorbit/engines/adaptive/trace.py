"""From a path of abstract states to a run of the model, replayed before anyone sees it.

The path is followed backwards from the concrete state with the error: if (v, R) came from u by an edge, and g is a
permutation of R that maps v to the state at hand, then g keeps the edge, so g(u) is a predecessor, and it lies in the
orbit of the abstract state before, for annotations only become finer along a path.
"""

from __future__ import annotations

from quorbit.engines.adaptive.bags import subsumes
from quorbit.engines.adaptive.rules import Context, Event, Position
from quorbit.engines.adaptive.store import Node
from quorbit.engines.replay import ReplayError, check
from quorbit.model.meaning.evaluate import Firing, Meaning, Violation
from quorbit.model.system.system import State
from quorbit.result.outcome import Step, Trace
from quorbit.source.frozen import frozen

Letters = tuple[int, ...]


@frozen
class Failure:
    """What is violated, and in which piece of a node's orbit; ``by_move``: by running ``firing`` there

    (None: a guard cannot be evaluated)."""

    node: Node
    where: Position
    violation: Violation
    firing: Firing | None = None
    by_move: bool = False


def lift(context: Context, failure: Failure) -> Trace:
    """A run of the unreduced model that ends in the failure."""
    meaning = Meaning(context.shape.system)
    context.name_firings = True
    nodes, states = concrete_path(context, failure)
    steps: list[Step] = []
    firings: list[Firing] = []
    for k in range(1, len(states)):
        firings.append(find_firing(meaning, states[k - 1], states[k]))
        if nodes[k].stored:
            steps.append(Step(tuple(firings), states[k]))
            firings = []
    violation = failure.violation if failure.by_move else None
    if violation is not None:
        last = states[-1]
        if failure.firing is not None:
            firings.append(failure.firing)
            last = meaning.fire(last, failure.firing)[0]
        steps.append(Step(tuple(firings), last))
    trace = Trace(states[0], tuple(steps))
    check(meaning, trace, violation)
    return trace


def concrete_path(context: Context, failure: Failure) -> tuple[list[Node], list[State]]:
    """The nodes from the start to the failure, and a concrete state for each."""
    node, letters = failure.node, failure.where.letters
    nodes, states = [node], [context.shape.decode(node.shared, letters)]
    while node.parent is not None:
        letters = predecessor(context, node, letters)
        node = node.parent
        nodes.append(node)
        states.append(context.shape.decode(node.shared, letters))
    return nodes[::-1], states[::-1]


def predecessor(context: Context, node: Node, letters: Letters) -> Letters:
    """The letters of a state of the parent's orbit from which the edge leads to the given one of the node's orbit."""
    event, after = find_event(context, node)
    before = Position(context, node.shared, event.piece, event.r).letters
    image = match_letters(context, event.r, after, letters)
    moved = list(before)
    for k, target in enumerate(image):
        moved[target] = before[k]
    return tuple(moved)


def find_event(context: Context, node: Node) -> tuple[Event, Letters]:
    """How the node came from its parent, and the letters after the move, before they were sorted."""
    parent = node.parent
    assert parent is not None
    for rule in context.by_edge[node.edge]:
        for event in rule.events(Position(context, parent.shared, parent.bags, parent.partition)):
            leads = event.violation is None and event.shared == node.shared and event.firing is not None
            if leads and subsumes(context.cells, event.r, event.bags, node.partition, node.bags):
                assert event.firing is not None
                u = Position(context, parent.shared, event.piece, event.r)
                return event, context.shape.encode(context.meaning.fire(u.state, event.firing)[0])[1]
    raise ReplayError("a step of the abstract path is not a step of the model")


def match_letters(context: Context, r: int, source: Letters, target: Letters) -> list[int]:
    """A permutation of r (process -> process) that maps one vector of letters to the other."""
    image = list(range(context.cells.n))
    for cell in context.cells.cells(r):
        places: dict[int, list[int]] = {}
        for k in cell:
            places.setdefault(target[k], []).append(k)
        for k in cell:
            if not places.get(source[k]):
                raise ReplayError("the concrete state is not in the orbit of the abstract one")
            image[k] = places[source[k]].pop(0)
    return image


def find_firing(meaning: Meaning, s: State, t: State) -> Firing:
    for firing in meaning.enabled(s):
        reached, violation = meaning.fire(s, firing)
        if reached == t and violation is None:
            return firing
    raise ReplayError("a step of the trace is not a step of the model")
