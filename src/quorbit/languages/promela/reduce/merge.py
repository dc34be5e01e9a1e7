"""Statement merging: runs of steps that no other process can see are one step.

Follows SPIN's rules on syntax and labels, so that the counts agree: a step that cannot block and touches only local
data (or stands in an atomic section) may be joined to the step before it; a condition, a receive or a buffered send may
begin such a run.
"""

from __future__ import annotations

from quorbit.languages.promela.lower.elements import COMPOUND, Body, Element
from quorbit.languages.promela.lower.links import Graph, Link, goto_target, hunt
from quorbit.languages.promela.parse.program import (
    Assertion,
    Assignment,
    Binary,
    ChannelInit,
    Conditional,
    Constant,
    Else,
    End,
    Eval,
    Expression,
    Guard,
    OfProcess,
    Poll,
    Predefined,
    Print,
    Probe,
    Proctype,
    Program,
    Receive,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Send,
    SetPriority,
    Statement,
    Unary,
    Variable,
)
from quorbit.languages.promela.parse.walk import channels, walk

__all__ = ["find_merges", "merged_steps"]


def find_merges(program: Program, graph: Graph, body: Body) -> None:
    """Fill in merge, merge_single and merge_start of every element."""
    merger = Merger(program, graph, body)
    for state in graph.states():
        for link in graph.links[state]:
            merger.first_scan(link)
    for state in graph.states():
        for link in graph.links[state]:
            merger.second_scan(link)


class Merger:
    def __init__(self, program: Program, graph: Graph, body: Body) -> None:
        self.program, self.graph, self.body = program, graph, body
        self.rendezvous = any(c.capacity == 0 for c in channels(program))
        self.exclusive = {(what, ref.last) for p in program.proctypes for what, ref in p.exclusive}

    def first_scan(self, link: Link) -> None:
        element = link.element
        if element is None or element.merge or blocks(element) or not self.eligible(link):
            return
        following = self.graph.only_link(link.target)
        if following is None or not self.eligible(following):
            element.merge_single = link.target
        else:
            self.build(link)

    def build(self, link: Link) -> Element | None:
        """Where the run that begins with this link ends; None if it is not a part of a run."""
        path: list[Link] = []
        result: Element | None = None
        current: Link | None = link
        while current is not None:
            element = current.element
            if element is None:
                break
            if element.merge:
                result = element.merge
                break
            if not self.eligible(current) or current in path:
                break
            path.append(current)
            current = self.graph.only_link(current.target)
        for step in reversed(path):
            result = result if result is not None else step.target
            assert step.element is not None
            step.element.merge = result
        return result

    def second_scan(self, link: Link) -> None:
        element = link.element
        if element is None or element.merge or not self.can_start(element) or not self.can_fill(link):
            return
        following = self.graph.only_link(link.target)
        if following is not None and following.element is not None:
            element.merge_start = following.element.merge or following.element.merge_single

    def can_start(self, element: Element) -> bool:
        match element.statement:
            case Guard(condition):
                return element.kind == "basic" and not any(isinstance(e, Run) for e in walk(condition))
            case Receive():
                return True
            case Send():
                return not self.rendezvous
            case _:
                return False

    def can_fill(self, link: Link) -> bool:
        """No alternatives, no escape, not seen from outside, and local or atomic."""
        element = link.element
        assert element is not None
        alone = self.graph.links[link.source][-1] is link
        if not alone or element.escapes or element.watched:
            return False
        return element.in_atomic or not self.is_global(element)

    def eligible(self, link: Link) -> bool:
        element = link.element
        if element is None or not self.can_fill(link):
            return False
        if element.kind in COMPOUND or element.labels or element.loop_end or blocks(element):
            return False
        set_from_outside = isinstance(element.statement, SetPriority) and not element.statement.own
        return not set_from_outside and not isinstance(element.statement, (Else, End))

    def is_global(self, element: Element) -> bool:
        return element.kind == "basic" and self.statement_is_global(element.statement)

    def statement_is_global(self, statement: Statement) -> bool:
        match statement:
            case Assignment(target, value):
                return self.touches_global(target) or self.touches_global(value)
            case Guard(condition) | Assertion(condition):
                return self.touches_global(condition)
            case Print(_, arguments):
                return any(self.touches_global(a) for a in arguments)
            case Send(channel, arguments):
                return any(self.touches_global(a) for a in arguments) or not self.is_exclusive("xs", channel)
            case Receive(channel, patterns):
                parts = [p.value if isinstance(p, Eval) else p for p in patterns if not isinstance(p, Constant)]
                return any(self.touches_global(part) for part in parts) or not self.is_exclusive("xr", channel)
            case SetPriority(_, priority):
                return not statement.own or self.touches_global(priority)
            case _:
                return False

    def is_exclusive(self, what: str, channel: Reference) -> bool:
        return (what, channel.variable) in self.exclusive

    def touches_global(self, expression: Expression) -> bool:
        match expression:
            case Constant():
                return False
            case Reference():
                variable = expression.variable
                return variable.owner is None and variable.visibility != "local"
            case Predefined(name):
                return name not in {"_pid", "_", "_priority"}
            case Unary(_, operand):
                return self.touches_global(operand)
            case Binary(_, left, right):
                return self.touches_global(left) or self.touches_global(right)
            case Conditional(test, then, other):
                return any(self.touches_global(e) for e in (test, then, other))
            case Run(name):
                return has_unsafe_start(self.program.proctype(name))
            case Probe(operator, channel):
                wanted = {"nempty": ("xr",), "full": ("xr",), "nfull": ("xs",), "empty": ("xs",), "len": ("xr", "xs")}
                return not all(self.is_exclusive(what, channel) for what in wanted[operator])
            case Poll(channel, patterns):
                parts = [p.value if isinstance(p, Eval) else p for p in patterns if not isinstance(p, Constant)]
                exclusive = self.is_exclusive("xr", channel) and self.is_exclusive("xs", channel)
                return any(self.touches_global(part) for part in parts) or not exclusive
            case OfProcess() | RemoteLabel() | RemoteVariable():
                return True
            case _:
                return True


def blocks(element: Element) -> bool:
    return element.kind == "basic" and isinstance(element.statement, (Guard, Receive, Send))


def has_unsafe_start(proctype: Proctype) -> bool:
    """Whether the last initial value of the proctype may depend on global data (SPIN looks at the last one only)."""
    initialised = [v for v in proctype.variables if v.initial is not None]
    if not initialised:
        return False
    return not is_local_value(initialised[-1])


def is_local_value(variable: Variable) -> bool:
    initial = variable.initial
    if isinstance(initial, (tuple, ChannelInit)):
        return False
    return isinstance(initial, Constant) or (isinstance(initial, Reference) and initial.variable.owner is not None)


def merged_steps(body: Body, element: Element) -> tuple[list[Element], Element]:
    """The elements that are performed together with ``element``, and the state after them."""
    stop = element.merge_start or element.merge
    assert stop is not None
    chain: list[Element] = []
    current: Element | None = element
    while current is not None:
        if current.kind == "goto":
            target = goto_target(body, current)
            current = target if target is stop else hunt(body, target, current.atomic, stop)
        else:
            current = current.next
        if current is None or current is stop or not (current.merge or current.merge_single):
            break
        chain.append(current)
    return chain, stop
