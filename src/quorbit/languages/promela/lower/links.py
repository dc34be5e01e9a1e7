"""How control passes from one element to the next, and the automaton that the analyses look at."""

from __future__ import annotations

from quorbit.languages.promela.lower.elements import Body, Chain, Element
from quorbit.languages.promela.parse.program import Break, Constant, Goto, Guard
from quorbit.source.errors import UserError
from quorbit.source.frozen import distinct, field

__all__ = ["Graph", "Link", "goto_target", "hunt"]

MOST_HOPS = 500


@distinct
class Link:
    """An edge of the analysed automaton; element None: an escape."""

    source: Element
    target: Element | None
    element: Element | None


@distinct
class Graph:
    """States (elements) with their links, latest first, and the number of links that lead to each."""

    links: dict[Element, list[Link]] = field(default_factory=dict)
    incoming: dict[Element, int] = field(default_factory=dict)

    def add(self, source: Element, target: Element | None, element: Element | None) -> None:
        self.links.setdefault(source, []).insert(0, Link(source, target, element))
        if target is not None:
            self.links.setdefault(target, [])
            self.incoming[target] = self.incoming.get(target, 0) + 1

    def states(self) -> list[Element]:
        """Latest first, as SPIN goes through them."""
        return list(self.links)[::-1]

    def only_link(self, state: Element | None) -> Link | None:
        """The first link of a state."""
        found = self.links.get(state, []) if state is not None else []
        return found[0] if found else None


def goto_target(body: Body, element: Element) -> Element:
    """Where a goto or break leads: a label of the same block, else of an enclosing one, else of any."""
    statement = element.statement
    if isinstance(statement, Break):
        return body.breaks[statement.loop]
    assert isinstance(statement, Goto)
    candidates = [(label, found) for label, found in reversed(body.labels) if label.label == statement.label]
    anywhere: Element | None = None
    for label, found in candidates:
        if label.block == statement.block:
            return found
        if statement.block[: len(label.block)] == label.block or anywhere is None:
            anywhere = found
    if anywhere is None:
        raise UserError(statement.span, f"there is no label '{statement.label}'")
    return anywhere


def hunt(body: Body, element: Element, atomic: bool, stop: Element | None = None) -> Element:
    """The state where control rests: past gotos, joins and breaks, as long as it does not leave an atomic section."""
    for _ in range(MOST_HOPS):
        if element is stop:
            return element
        if element.kind == "goto":
            following: Element | None = goto_target(body, element)
            if following is element:
                raise UserError(element.span, "this goto leads to itself")
            assert following is not None
            check_d_step_jump(element, following)
        elif element.kind in {"join", "break"}:
            following = element.next
            if following is None:
                return element
        elif element.kind == "unless":
            assert element.options[0].first is not None
            following = hunt(body, element.options[0].first, atomic, stop)
        else:
            return element
        if atomic and not following.atomic:
            return element
        element = following
    raise UserError(element.span, "these jumps lead only to each other")


def check_d_step_jump(source: Element, target: Element) -> None:
    """SPIN lets nobody jump to a statement inside a d_step from outside, nor to the d_step itself."""
    if (target.in_d_step or target.kind == "d_step") and not source.in_d_step:
        raise UserError(source.span, "a jump into a d_step")


def hunt_start(element: Element) -> Element:
    """The first step of a sequence."""
    for _ in range(200):
        if element.kind == "join" and element.next is not None:
            element = element.next
        elif element.kind == "unless":
            assert element.options[0].first is not None
            element = element.options[0].first
        else:
            return element
    raise UserError(element.span, "the way to the first step of this statement is too long")


def link_sequences(body: Body) -> Graph:
    """The automaton of a body as SPIN's analyses see it."""
    graph = Graph()
    Linker(body, graph).sequence(body.chain)
    return graph


class Linker:
    def __init__(self, body: Body, graph: Graph) -> None:
        self.body, self.graph, self.done = body, graph, set[Element]()

    def sequence(self, chain: Chain) -> None:
        element = chain.first
        while element is not None:
            if element not in self.done:
                self.done.add(element)
                self.element(element)
            if element is chain.last:
                return
            element = element.next

    def element(self, element: Element) -> None:
        if element.kind == "unless":
            self.sequence(element.options[0])
        elif element.kind in {"if", "do"}:
            self.options(element)
        elif element.kind in {"atomic", "d_step", "block"}:
            assert element.body is not None
            assert element.body.first is not None
            assert element.body.last is not None
            first = hunt_start(element.body.first)
            element.body.last.next = element.next
            self.graph.add(element, first, element)
            self.sequence(element.body)
        else:
            self.basic(element)

    def options(self, element: Element) -> None:
        for option in element.options:
            assert option.first is not None
            guard = hunt_start(option.first)
            never = isinstance(guard.statement, Guard) and guard.statement.condition == Constant(0)
            if not never or guard.escapes:
                self.graph.add(element, guard, element)
        for option in element.options:
            self.sequence(option)

    def basic(self, element: Element) -> None:
        following = goto_target(self.body, element) if element.kind == "goto" else element.next
        target = None if following is None else hunt(self.body, following, element.atomic)
        self.graph.add(element, target, element)
        if element.kind in {"goto", "join"}:
            return
        for escape in element.escapes:
            assert escape.first is not None
            self.graph.add(element, hunt_start(escape.first), None)
            self.sequence(escape)


def settle_gotos(body: Body) -> None:
    """A goto out of an atomic section ends it; a goto into another one goes on without a break."""
    for element in body.elements:
        if element.kind == "goto":
            check_d_step_jump(element, hunt(body, goto_target(body, element), element.atomic))
        if element.kind in {"atomic", "block", "d_step"}:
            assert element.body is not None
            settle_chain(body, element.body)


def settle_chain(body: Body, chain: Chain) -> None:
    element = chain.first
    while element is not None:
        if element.kind == "goto":
            target = goto_target(body, element)
            check_d_step_jump(element, target)
            if element.in_atomic and not target.in_atomic:
                element.atomic, element.last_atomic = False, True
            if element.last_atomic and target.in_atomic:
                element.atomic, element.last_atomic = True, False
        else:
            for option in element.options:
                settle_chain(body, option)
        if element is chain.extent:
            return
        element = element.next
