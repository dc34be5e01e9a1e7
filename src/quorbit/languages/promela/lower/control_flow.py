"""The control-flow graph of a proctype: its states, and the edges of every state in the order SPIN tries them.

An edge is one step of the process: the statements it performs (several where they were merged), the state it leads to,
and whether the process keeps control after it (atomic).  A state's ``else`` is enabled when no edge before it is; edges
of an escape (unless) come first, in groups.
"""

from __future__ import annotations

from functools import cached_property

from quorbit.languages.promela.lower.elements import Body, Chain, Element, build
from quorbit.languages.promela.lower.links import goto_target, hunt, hunt_start, link_sequences, settle_gotos
from quorbit.languages.promela.parse.program import (
    Assignment,
    Constant,
    Else,
    End,
    Guard,
    Proctype,
    Program,
    Run,
    Statement,
    Variable,
)
from quorbit.languages.promela.reduce.dead import Uses, find_dead, statement_uses
from quorbit.languages.promela.reduce.merge import find_merges, merged_steps
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, replace
from quorbit.source.span import NOWHERE, Span

__all__ = ["Edge", "Flow", "Step"]


@frozen
class Step:
    """A statement and the variables that are dead after it and set back."""

    statement: Statement
    dead: tuple[Variable, ...] = ()

    @cached_property
    def uses(self) -> Uses:
        """The numbers of its process that the statement reads and writes."""
        return statement_uses(self.statement)


@frozen
class Edge:
    """steps: performed one after the other.  inner: of a d_step, its own graph, entered at ``entry``."""

    steps: tuple[Step, ...]
    target: int  # 0: the process is gone
    keeps: bool  # control stays with this process
    number: int  # of the element it starts with
    escape: int = 0  # the state whose escape this is, 0 if none
    inner: Inner | None = None
    forgets: tuple[Variable, ...] = ()  # numbers that nobody reads behind it, set back at its end
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def first(self) -> Statement:
        return self.steps[0].statement

    @property
    def is_else(self) -> bool:
        """Whether it may run only if no edge before it can; the else may be the first word of a d_step."""
        return isinstance(self.first, Else) or (self.inner is not None and self.inner.otherwise)


@frozen
class Inner:
    """The inside of a d_step: edges of its states, tried in order, the first that can run is taken."""

    entry: int
    edges: dict[int, tuple[Edge, ...]]
    leaves: frozenset[int]  # numbers of the states after the d_step
    otherwise: bool = False  # it begins with the else of the choice that the d_step is an option of


@frozen
class Flow:
    """The graph of one proctype."""

    proctype: Proctype
    start: int
    edges: dict[int, tuple[Edge, ...]]
    ends: frozenset[int]  # states in which a process may rest when nothing moves
    labels: dict[str, tuple[int, ...]]  # the states a label names
    last: int  # the state before the process dies
    accepts: frozenset[int] = frozenset()  # states with a label that begins with accept
    progresses: frozenset[int] = frozenset()  # states with a label that begins with progress
    entered: frozenset[int] = frozenset()  # states inside an atomic section in which the beginning may leave a process


@frozen
class Passes:
    """Which of SPIN's reductions are done on the graph."""

    merging: bool
    dead_variables: bool


def passes_of(program: Program, count_like: str, remote_variables: bool) -> Passes:
    """plain: none.  A variable read from outside turns both off, a provided clause turns merging off."""
    if count_like == "plain" or remote_variables:
        return Passes(False, False)
    provided = any(proctype.provided is not None for proctype in program.proctypes)
    return Passes(not provided, True)


def control_flow(program: Program, proctype: Proctype, passes: Passes, watched: frozenset[tuple[str, str]]) -> Flow:
    """The graph after the chosen passes; watched: (proctype, label) pairs that remote references mention."""
    body = build(proctype)
    watch_labels(body, watched)
    graph = link_sequences(body)
    if passes.dead_variables:
        find_dead(graph)
    if passes.merging:
        find_merges(program, graph, body)
    settle_gotos(body)
    return Emitter(body).flow()


def watch_labels(body: Body, watched: frozenset[tuple[str, str]]) -> None:
    """A label that is seen from outside names a state of its own."""
    for label, element in list(body.labels):
        if (body.proctype.name, label.label) not in watched:
            continue
        if element.kind == "goto":
            copy = body.new("goto", element.statement)
            copy.next = element.next
            copy.atomic, copy.last_atomic = element.atomic, element.last_atomic
            element.kind, element.statement = "basic", Guard(Constant(1, element.span), element.span)
            element.next = copy
        element.watched = True


class Emitter:
    """Collects the edges of all states."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self.lists: dict[int, list[Edge]] = {}
        self.by_number = {element.number: element for element in body.elements}

    def flow(self) -> Flow:
        first = self.body.chain.first
        assert first is not None
        start = hunt(self.body, first, first.atomic)
        self.emit_reachable(start)
        self.add_escapes()
        for number, edges in self.lists.items():
            check_edges(self.by_number[number], edges, self.body.proctype.role)
        last = self.body.chain.last
        assert last is not None
        return Flow(
            self.body.proctype,
            start.number,
            {number: tuple(edges) for number, edges in sorted(self.lists.items())},
            self.marked_states("end", last.number),
            self.label_states(),
            last.number,
            self.marked_states("accept"),
            self.marked_states("progress"),
        )

    def emit_reachable(self, start: Element) -> None:
        todo = [start]
        while todo:
            element = todo.pop()
            if element.number in self.lists:
                continue
            edges = [edge for leaf in self.leaves(element, ()) for edge in self.edges_of(leaf)]
            self.lists[element.number] = edges
            todo.extend(self.by_number[edge.target] for edge in edges if edge.target)
            for leaf in self.leaves(element, ()):
                for escape in leaf.escapes if leaf.kind != "join" else []:
                    assert escape.first is not None
                    todo.append(hunt(self.body, escape.first, leaf.atomic))

    def leaves(self, element: Element, inside: tuple[int, ...]) -> list[Element]:
        """The steps a state offers: selections and blocks are opened until plain steps remain."""
        if element.number in inside:
            raise UserError(element.span, "this selection leads back to itself without a step")
        deeper = (*inside, element.number)
        if element.kind in {"if", "do"}:
            found: list[Element] = []
            for option in element.options:
                assert option.first is not None
                guard = hunt_start(option.first)
                if not is_never(guard):
                    found.extend(self.leaves(guard, deeper))
            return found
        if element.kind in {"atomic", "block"}:
            assert element.body is not None
            assert element.body.first is not None
            return self.leaves(hunt_start(element.body.first), deeper)
        return [element]

    def edges_of(self, element: Element) -> list[Edge]:
        if element.kind == "d_step":
            return [self.d_step_edge(element)]
        target = 0
        following = goto_target(self.body, element) if element.kind == "goto" else element.next
        if following is not None:
            target = hunt(self.body, following, element.atomic).number
        steps: tuple[Step, ...] = (Step(element.statement, element.dead),)
        keeps = element.atomic
        if element.merge_start or element.merge:
            chain, stop = merged_steps(self.body, element)
            steps += tuple(Step(e.statement, e.dead) for e in chain)
            target = stop.number
            keeps = chain[-1].atomic if chain else keeps
        if isinstance(element.statement, End):
            target = 0
        return [Edge(steps, target, keeps, element.number, span=element.span)]

    def d_step_edge(self, element: Element) -> Edge:
        assert element.body is not None
        assert element.body.first is not None
        target = 0
        leaves: set[int] = set()
        if element.next is not None:
            target = hunt(self.body, element.next, element.atomic).number
            leaves = {target, element.next.number}
        inner = d_step_graph(self, element.body, leaves)
        return Edge((Step(element.statement),), target, element.atomic, element.number, inner=inner, span=element.span)

    def add_escapes(self) -> None:
        """Put the edges of a step's escapes before its own, an outer escape before an inner one."""
        most = max((len(e.escapes) for e in self.body.elements), default=0)
        for number in sorted(self.lists):
            for edge in list(self.lists[number]):
                element = self.by_number[edge.number]
                escapes = element.escapes if element.kind != "join" else []
                for k in range(most - 1, -1, -1):
                    if k < len(escapes):
                        self.add_escape(number, escapes[k], element)

    def add_escape(self, number: int, escape: Chain, element: Element) -> None:
        assert escape.first is not None
        source = hunt(self.body, escape.first, element.atomic).number
        for edge in list(self.lists[source]):
            if all(edge.number != other.number for other in self.lists[number]):
                self.lists[number].insert(0, replace(edge, escape=source))

    def marked_states(self, prefix: str, *others: int) -> frozenset[int]:
        """States with such a label or among others, and where an opened option or a join passes the label on."""
        marked = {*others, *(e.number for e in self.body.elements if e.has_label(prefix))}
        for element in self.body.elements:
            if element.number in self.lists and element.kind in {"if", "do", "atomic", "block"}:
                for edge in self.lists[element.number]:
                    if not edge.escape and edge.number in marked and edge.number != element.number and edge.target:
                        marked.add(edge.target)
        for number, edges in self.lists.items():
            if number in marked and len(edges) == 1 and self.by_number[number].kind == "join":
                marked.add(edges[0].target)
        return frozenset(marked)

    def label_states(self) -> dict[str, tuple[int, ...]]:
        found: dict[str, tuple[int, ...]] = {}
        for label, element in self.body.labels:
            found[label.label] = (*found.get(label.label, ()), element.number)
        return found


def is_never(element: Element) -> bool:
    """An option that begins with 0 is not an option."""
    statement = element.statement
    return isinstance(statement, Guard) and statement.condition == Constant(0) and not element.escapes


def check_edges(element: Element, edges: list[Edge], role: str) -> None:
    elses = [edge for edge in edges if isinstance(edge.first, Else)]
    if len(elses) > 1:
        raise UserError(elses[1].span, "a second else for one choice")
    for edge in edges if role != "never" else ():  # a claim moves with the system
        skips = isinstance(edge.first, Guard) and edge.first.condition == Constant(1) and len(edge.steps) == 1
        if skips and edge.target == element.number:
            raise UserError(edge.span, "this step leads back to itself unconditionally")


def d_step_graph(emitter: Emitter, chain: Chain, leaves: set[int]) -> Inner:
    """The states inside a d_step; selections keep their options in order."""
    assert chain.first is not None
    edges: dict[int, tuple[Edge, ...]] = {}
    entry = inner_target(emitter, chain.first)
    todo = [entry]
    while todo:
        element = todo.pop()
        if element.number in edges or element.number in leaves or not element.in_d_step:
            continue
        found = []
        for leaf in emitter.leaves(element, ()):
            check_inside(emitter.body, leaf)
            following = goto_target(emitter.body, leaf) if leaf.kind == "goto" else leaf.next
            assert following is not None
            target = inner_target(emitter, following)
            found.append(Edge((Step(leaf.statement),), target.number, True, leaf.number, span=leaf.span))
            todo.append(target)
        edges[element.number] = tuple(found)
    outside = {edge.target for found_edges in edges.values() for edge in found_edges} - set(edges)
    return Inner(entry.number, edges, frozenset(outside), begins_with_else(entry))


def begins_with_else(entry: Element) -> bool:
    """Whether a d_step begins with an else that belongs to no selection inside it."""
    while entry.kind in {"atomic", "block"} and entry.body is not None and entry.body.first is not None:
        entry = hunt_start(entry.body.first)
    return isinstance(entry.statement, Else)


def check_inside(body: Body, element: Element) -> None:
    """A d_step is left at its end only, and starts no process."""
    if element.kind == "goto" and not goto_target(body, element).in_d_step:
        raise UserError(element.span, "a jump out of a d_step")
    match element.statement:
        case Guard(Run()) | Assignment(_, Run()):
            raise UserError(element.span, "run inside a d_step; use atomic")


def inner_target(emitter: Emitter, element: Element) -> Element:
    """Skip the elements that do nothing inside a d_step."""
    for _ in range(10_000):
        if not element.in_d_step:
            return element
        if element.kind == "goto":
            check_inside(emitter.body, element)
            element = goto_target(emitter.body, element)
        elif element.kind == "unless":
            assert element.options[0].first is not None
            element = element.options[0].first
        elif element.kind in {"join", "break"} and element.next is not None:
            element = element.next
        else:
            return element
    raise UserError(element.span, "this jump leads back to itself")
