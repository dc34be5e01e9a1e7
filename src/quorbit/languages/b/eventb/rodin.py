"""Rodin's files: ``.buc`` holds a context, ``.bum`` a machine, both as XML; a project is a folder or a zip of them.

The text that messages point into has every label on the line where its element stands in the file.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar
from xml.parsers import expat

from quorbit.languages.b.eventb.component import Action, Context, Event, EventMachine, Labelled, Witness
from quorbit.languages.b.eventb.parse import parse_action, parse_expression, parse_predicate
from quorbit.languages.b.syntax.formulas import Name
from quorbit.source.errors import Diagnostic, UserError, raise_all
from quorbit.source.span import NOWHERE, Source, Span

T = TypeVar("T")
CORE = "org.eventb.core."
STATUS = {"0": "ordinary", "1": "convergent", "2": "anticipated"}
DEEPEST = 50  # elements in elements; Rodin's files have three levels


class Element:
    """An element of the file and where its line is written."""

    def __init__(self, kind: str, attributes: dict[str, str], line: int) -> None:
        self.kind, self.attributes, self.line = kind, attributes, line
        self.children: list[Element] = []
        self.span = NOWHERE

    def get(self, name: str) -> str:
        return self.attributes.get(CORE + name, "")

    def all(self, kind: str) -> list[Element]:
        return [child for child in self.children if child.kind == kind]


def read_component(name: str, file: str, data: bytes) -> Context | EventMachine:
    """The context or machine in a file; ``name`` is the file's without its ending."""
    root = read_elements(file, data)
    lay_out(file, root)
    reader = Reader(file)
    if root.kind == "machineFile":
        found: Context | EventMachine = reader.machine(name, root)
    elif root.kind == "contextFile":
        found = reader.context(name, root)
    else:
        raise UserError(None, f"{file}: neither a machine nor a context of Rodin")
    raise_all(reader.wrong)
    return found


def refined_machine(file: str, data: bytes) -> str | None:
    """The machine that the one in a file refines."""
    found = [e.get("target") for e in read_elements(file, data).all("refinesMachine")]
    return found[0] if found else None


def read_elements(file: str, data: bytes) -> Element:
    """The elements of a file; no entities but the five of XML, nothing from outside."""
    parser = expat.ParserCreate()
    top = Element("", {}, 1)
    stack = [top]

    def start(kind: str, attributes: dict[str, str]) -> None:
        element = Element(kind.removeprefix(CORE), attributes, parser.CurrentLineNumber)
        stack[-1].children.append(element)
        stack.append(element)
        if len(stack) > DEEPEST:
            raise UserError(None, f"{file}: elements are nested more than {DEEPEST} deep")

    def end(_: str) -> None:
        stack.pop()

    def refuse(*_: object) -> None:
        raise UserError(None, f"{file}: the file declares a document type or entities; Rodin's files have none")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise UserError(
            None, f"{file}, line {error.lineno}: not well-formed XML ({expat.errors.messages[error.code]})"
        ) from None
    return top.children[0]


def lay_out(file: str, root: Element) -> None:
    """Write every element on its own line and give it the span of its formula."""
    rows: dict[int, list[tuple[Element, str, str]]] = {}

    def visit(element: Element) -> None:
        for child in element.children:
            label = child.get("label") or child.get("identifier")
            formula = child.get("predicate") or child.get("assignment") or child.get("expression")
            head = f"{label}: " if label and formula else label
            rows.setdefault(child.line, []).append((child, head, " ".join(formula.split("\n"))))
            visit(child)

    visit(root)
    places: list[tuple[Element, int, int]] = []
    lines: list[str] = []
    length = 0
    for line in range(1, max(rows, default=0) + 1):
        text = ""
        for element, head, formula in rows.get(line, []):
            text += ("  " if text else "") + head
            start = length + len(text) - (0 if formula else len(head))
            text += formula
            places.append((element, start, length + len(text)))
        lines.append(text)
        length += len(text) + 1
    source = Source(file, "\n".join(lines))
    root.span = Span(source, 0, 0)
    for element, start, end in places:
        element.span = Span(source, start, end)


class Reader:
    """Notes every mistake in the formulas of a file, so that all are told at once."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.wrong: list[Diagnostic] = []

    def machine(self, name: str, root: Element) -> EventMachine:
        refines = [e.get("target") for e in root.all("refinesMachine")]
        if len(refines) > 1:
            raise UserError(None, f"{self.file}: the machine refines {len(refines)} machines; it may refine one")
        return EventMachine(
            root.span,
            name,
            refines[0] if refines else None,
            tuple(e.get("target") for e in root.all("seesContext")),
            self.names(root, "variable"),
            self.predicates(root, "invariant"),
            tuple(
                Labelled(e.get("label") or "variant", f)
                for e in root.all("variant")
                for f in self.parsed(e, parse_expression)
            ),
            tuple(self.event(e) for e in root.all("event")),
        )

    def context(self, name: str, root: Element) -> Context:
        return Context(
            root.span,
            name,
            tuple(e.get("target") for e in root.all("extendsContext")),
            self.names(root, "carrierSet"),
            self.names(root, "constant"),
            self.predicates(root, "axiom"),
        )

    def names(self, parent: Element, kind: str) -> tuple[Name, ...]:
        return tuple(Name(e.span, e.get("identifier")) for e in parent.all(kind))

    def predicates(self, parent: Element, kind: str) -> tuple[Labelled, ...]:
        return tuple(
            Labelled(e.get("label"), f, e.get("theorem") == "true")
            for e in parent.all(kind)
            for f in self.parsed(e, parse_predicate)
        )

    def event(self, e: Element) -> Event:
        return Event(
            e.span,
            e.get("label"),
            STATUS.get(e.get("convergence"), "ordinary"),
            tuple(r.get("target") for r in e.all("refinesEvent")),
            e.get("extended") == "true",
            self.names(e, "parameter"),
            self.predicates(e, "guard"),
            tuple(Witness(w.get("label"), f) for w in e.all("witness") for f in self.parsed(w, parse_predicate)),
            tuple(Action(a.get("label"), s) for a in e.all("action") for s in self.parsed(a, parse_action)),
        )

    def parsed(self, element: Element, parse: Callable[[Span], T]) -> list[T]:
        try:
            return [parse(element.span)]
        except UserError as error:
            self.wrong.extend(error.diagnostics)
            return []
