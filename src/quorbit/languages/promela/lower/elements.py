"""The elements of a proctype's body, linked as SPIN links them.

SPIN's counts depend on where its automata have states: a selection ends in an element of its own, a loop begins with
one, ``break`` has a target.  This module builds the same chain of elements from the statements; ``control_flow`` reads
it.
"""

from __future__ import annotations

from quorbit.languages.promela.parse.program import (
    Break,
    Constant,
    Else,
    End,
    Goto,
    Guard,
    Labelled,
    Nothing,
    Print,
    Proctype,
    Selection,
    Sequence,
    Statement,
    Unless,
    Variable,
)
from quorbit.source.errors import UserError
from quorbit.source.frozen import distinct, field
from quorbit.source.span import Span

__all__ = ["COMPOUND", "Body", "Element"]

SPECIAL = ("accept", "end", "progress")
COMPOUND = {"if", "do", "atomic", "d_step", "block", "unless"}


@distinct
class Chain:
    """A sequence of elements: the first, the last, and the last before a target was appended."""

    first: Element | None = None
    last: Element | None = None
    extent: Element | None = None

    def add(self, element: Element) -> None:
        if self.first is None:
            self.first = element
        else:
            assert self.last is not None
            self.last.next = element
        self.last = element


@distinct
class Element:
    """kind: basic, goto, join (end of a selection), break (end of a loop), end, or one of COMPOUND."""

    number: int
    kind: str
    statement: Statement
    next: Element | None = None
    options: list[Chain] = field(default_factory=list)
    body: Chain | None = None
    escapes: list[Chain] = field(default_factory=list)
    labels: list[Labelled] = field(default_factory=list)
    loop_end: bool = False  # carries the label that break jumps to
    atomic: bool = False  # after this step the process keeps control
    last_atomic: bool = False
    in_d_step: bool = False
    watched: bool = False  # a remote reference mentions it
    merge: Element | None = None
    merge_single: Element | None = None
    merge_start: Element | None = None
    dead: tuple[Variable, ...] = ()  # variables that this step resets

    @property
    def span(self) -> Span:
        return self.statement.span

    @property
    def in_atomic(self) -> bool:
        return self.atomic or self.last_atomic

    def has_special_label(self) -> bool:
        return any(label.label.startswith(SPECIAL) for label in self.labels)

    def has_label(self, prefix: str) -> bool:
        return any(label.label.startswith(prefix) for label in self.labels)


@distinct
class Body:
    """All elements of a proctype."""

    proctype: Proctype
    elements: list[Element] = field(default_factory=list)
    chain: Chain = field(default_factory=Chain)
    labels: list[tuple[Labelled, Element]] = field(default_factory=list)
    breaks: dict[int, Element] = field(default_factory=dict)

    def new(self, kind: str, statement: Statement) -> Element:
        element = Element(len(self.elements) + 1, kind, statement)
        self.elements.append(element)
        return element


def build(proctype: Proctype) -> Body:
    body = Body(proctype)
    add_all(body, body.chain, proctype.body)
    body.chain.add(body.new("end", End(proctype.end)))
    body.chain.extent = body.chain.last
    tie_loose_ends(body)
    return body


def add_all(body: Body, chain: Chain, statements: tuple[Statement, ...]) -> None:
    for statement in statements:
        add(body, chain, statement)
    chain.extent = chain.last


def closed(body: Body, statements: tuple[Statement, ...]) -> Chain:
    chain = Chain()
    add_all(body, chain, statements)
    return chain


def add(body: Body, chain: Chain, statement: Statement) -> None:
    """Append a statement; labels go to its first element."""
    place(body, chain, prepare(body, statement))


@distinct
class Prepared:
    """A statement whose inner sequences are built already; its own element is made when it is placed."""

    statement: Statement
    labels: list[Labelled]
    parts: list[Chain]


def prepare(body: Body, statement: Statement) -> Prepared:
    labels: list[Labelled] = []
    while isinstance(statement, Labelled):
        labels.append(statement)
        statement = statement.body
    match statement:
        case Selection(options):
            parts = [closed(body, option) for option in options]
            for part in parts:
                prune_skips(part)
        case Sequence(how, inner):
            parts = [closed(body, inner)]
            if how:
                mark_atomic(parts[0], d_step=how == "d_step")
        case Unless():
            return prepare_unless(body, statement, labels)
        case _:
            parts = []
    return Prepared(statement, labels, parts)


def place(body: Body, chain: Chain, prepared: Prepared) -> None:
    statement, labels, parts = prepared.statement, prepared.labels, prepared.parts
    match statement:
        case Selection():
            place_selection(body, chain, statement, parts, labels)
        case Unless():
            link_unless(body, chain, statement, parts[0], parts[1], labels)
        case Sequence(how):
            element = body.new(how or "block", statement)
            element.body = parts[0]
            attach_labels(body, element, labels)
            chain.add(element)
        case Goto() | Break():
            element = body.new("goto", statement)
            attach_labels(body, element, labels)
            add_goto(body, chain, element)
        case _:
            element = body.new("basic", statement)
            attach_labels(body, element, labels)
            chain.add(element)


def attach_labels(body: Body, element: Element, labels: list[Labelled]) -> None:
    for label in reversed(labels):
        element.labels.append(label)
        body.labels.append((label, element))


def add_goto(body: Body, chain: Chain, element: Element) -> None:
    """A goto with a label that means something needs a state to carry the label."""
    if element.has_special_label():
        skip = body.new("basic", Guard(Constant(1, element.span), element.span))
        moved = next(label for label in element.labels if label.label.startswith(SPECIAL))
        move_label(body, moved, element, skip)
        chain.add(skip)
    chain.add(element)


def move_label(body: Body, label: Labelled, source: Element, target: Element) -> None:
    source.labels.remove(label)
    target.labels.append(label)
    body.labels = [(found, target if found is label else element) for found, element in body.labels]


def place_selection(
    body: Body, chain: Chain, statement: Selection, options: list[Chain], labels: list[Labelled]
) -> None:
    element = body.new("if" if statement.loop is None else "do", statement)
    join = body.new("join", Nothing("end of a selection", statement.span))
    element.options = else_last(options)
    for option in element.options:
        option.add(join)
    attach_labels(body, element, labels)
    if statement.loop is None:
        chain.add(element)
        chain.add(join)
        return
    chain.add(join)
    leave = body.new("break", Nothing("break", statement.span))
    leave.loop_end = True
    body.breaks[statement.loop] = leave
    chain.add(element)
    chain.add(leave)


def else_last(options: list[Chain]) -> list[Chain]:
    """An else that is the whole guard of an option is looked at last."""
    first = [o for o in options if not starts_with_else(o)]
    return first + [o for o in options if starts_with_else(o)]


def starts_with_else(option: Chain) -> bool:
    return option.first is not None and isinstance(option.first.statement, Else)


def is_skip(element: Element) -> bool:
    match element.statement:
        case Print() | Guard(Constant(1)):
            return element.kind == "basic"
        case _:
            return False


def prune_skips(option: Chain) -> None:
    """Of several skips in a row SPIN keeps the first and the last."""
    count, before = 0, None
    element = option.first
    while element is not None:
        if is_skip(element) and not element.labels:
            count += 1
            removable = element not in (option.first, option.last, option.extent)
            if count > 1 and not isinstance(element.statement, Print) and removable:
                assert before is not None
                before.next = element.next
                element = before
        else:
            count = 0
        before, element = element, element.next


def prepare_unless(body: Body, statement: Unless, labels: list[Labelled]) -> Prepared:
    """A block is the sequence itself; anything else is a sequence of one, placed after the escape is read."""
    normal, escape = prepare(body, statement.body), prepare(body, statement.escape)
    if escape.labels:
        raise UserError(escape.labels[0].span, "the escape of an unless cannot be labelled")
    escape_chain = as_chain(body, escape)
    if normal.labels and isinstance(normal.statement, Sequence):
        return lift_unless(body, statement, normal, escape_chain, labels)
    if normal.labels:
        raise UserError(normal.labels[0].span, "put the label before braces round this statement")
    return Prepared(statement, labels, [as_chain(body, normal), escape_chain])


def as_chain(body: Body, prepared: Prepared) -> Chain:
    statement = prepared.statement
    if isinstance(statement, Sequence) and not statement.how:
        return prepared.parts[0]
    chain = Chain()
    place(body, chain, prepared)
    chain.extent = chain.last
    return chain


def lift_unless(body: Body, statement: Unless, normal: Prepared, escape: Chain, labels: list[Labelled]) -> Prepared:
    """``L: { a } unless b`` is ``L: { { a } unless b }``."""
    outer = Chain()
    link_unless(body, outer, statement, normal.parts[0], escape, [])
    outer.extent = outer.last
    return Prepared(normal.statement, labels + normal.labels, [outer])


def link_unless(
    body: Body, chain: Chain, statement: Unless, normal: Chain, escape: Chain, labels: list[Labelled]
) -> None:
    element = body.new("unless", statement)
    join = body.new("join", Nothing("end of an unless", statement.span))
    element.options = [normal, escape]
    attach_labels(body, element, labels)
    for part in (normal, escape):
        part.add(join)
    attach_escape(normal, escape)
    chain.add(element)
    chain.add(join)


def attach_escape(chain: Chain, escape: Chain) -> None:
    element = chain.first
    while element is not None:
        escape_from(element, escape)
        if element is chain.extent:
            break
        element = element.next


def escape_from(element: Element, escape: Chain) -> None:
    """Every state of the normal part can escape, and so can the inner escapes."""
    if escape in element.escapes:
        return
    for inner in element.escapes:
        attach_escape(inner, escape)
    element.escapes.insert(0, escape)
    if element.kind == "unless":
        attach_escape(element.options[0], escape)
    elif element.kind in {"if", "do"}:
        for option in element.options:
            attach_escape(option, escape)
    elif element.kind == "d_step":
        assert element.body is not None
        assert element.body.first is not None
        escape_from(element.body.first, escape)
    elif element.kind in {"atomic", "block"}:
        assert element.body is not None
        attach_escape(element.body, escape)


def mark_atomic(chain: Chain, *, d_step: bool) -> None:
    """All steps but the last keep control."""
    assert chain.first is not None
    assert chain.last is not None
    walk_atomic(chain.first, chain.last, d_step)
    last = chain.last
    if last.kind in {"block", "atomic"}:
        assert last.body is not None
        mark_atomic(last.body, d_step=d_step)
    elif last.kind == "unless":
        mark_atomic(last.options[0], d_step=d_step)
    else:
        last.atomic, last.last_atomic = False, True


def walk_atomic(first: Element, last: Element, d_step: bool) -> None:
    element: Element | None = first
    while element is not None:
        element.atomic = True
        element.in_d_step = element.in_d_step or d_step
        if element.kind in {"atomic", "block"} or (element.kind == "d_step" and d_step):
            element.kind = "block"  # atomic inside atomic means nothing
            assert element.body is not None
            walk_chain(element.body, d_step)
        for option in element.options:
            walk_chain(option, d_step)
        if element is last:
            return
        element = element.next


def walk_chain(chain: Chain, d_step: bool) -> None:
    assert chain.first is not None
    assert chain.last is not None
    walk_atomic(chain.first, chain.last, d_step)


def tie_loose_ends(body: Body) -> None:
    """The last element of a block leads to what follows the block."""
    for element in reversed(body.elements):
        if element.body is None or element.next is None or element.kind not in {"atomic", "d_step", "block"}:
            continue
        last = element.body.last
        assert last is not None
        if last.next is None:
            following: Element | None = element.next
            while following is not None and following.kind == "join":
                following = following.next
            last.next = following
