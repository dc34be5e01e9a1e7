"""Text -> Program: the statements of an edge diagram.  After an error parsing goes on with the next statement."""

from __future__ import annotations

import re
from collections.abc import Callable

from quorbit.languages.edges.cursor import Cursor, Token
from quorbit.languages.edges.parse_expressions import parse_expression, parse_names, parse_sum
from quorbit.languages.edges.syntax import (
    Assigned,
    Chosen,
    Claim,
    ClassOf,
    Constant,
    DeadlockRule,
    Declared,
    Edge,
    Indexed,
    Name,
    Node,
    Program,
    Start,
    TypeOf,
    Word,
)
from quorbit.source.errors import Diagnostic, UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Source, Span

MOST_ERRORS = 20


def parse(source: Source) -> tuple[Program, list[Diagnostic]]:
    """The Program as far as it can be read, and what is wrong with the text."""
    cursor, program, errors = Cursor(source), Program(), list[Diagnostic]()
    while len(errors) < MOST_ERRORS:
        try:
            if not parse_statement(cursor, program):
                break
        except UserError as error:
            errors.extend(error.diagnostics)
            cursor.depth = 0
            if not skip_to_statement(cursor, error.span.start):
                break
    return program, errors


def skip_to_statement(cursor: Cursor, offset: int) -> bool:
    """Go on at the next line that begins as a statement does; False if there is none."""
    found = NEXT_STATEMENT.search(cursor.source.text, max(cursor.at, offset - 1))
    if found is None:
        return False
    cursor.at = found.end()
    return True


def parse_statement(cursor: Cursor, program: Program) -> bool:
    """Read one statement into the program; False at the end of the text."""
    while cursor.accept(";"):
        pass
    token = cursor.peek()
    if token.kind == "end":
        return False
    reader = STATEMENTS.get(token.text) if token.kind == "word" else None
    if reader is not None and cursor.peek(1).text != "->":
        cursor.take()
        reader(cursor, program, token)
    elif token.kind == "word" or token.text == "*":
        parse_edge(cursor, program, token)
    elif token.text == "->":
        raise UserError(token.span, "an edge begins with a local state; is the line before it complete?")
    else:
        raise cursor.unexpected("a statement such as states A, B or A -> B when ...")
    return True


def parse_constant(cursor: Cursor, program: Program, start: Token) -> None:
    name = cursor.word("the name of a constant")
    cursor.expect("=")
    program.constants.append(Constant(Name(name.text, name.span), parse_sum(cursor)))


def parse_processes(cursor: Cursor, program: Program, start: Token) -> None:
    """``processes 3`` or ``processes readers: 1..2, writers: 3``."""
    if cursor.peek().kind == "word" and cursor.peek(1).text == ":":
        parse_classes_by_number(cursor, program)
        return
    size = parse_sum(cursor)
    program.classes.append(ClassOf(None, size, None, None, start.span.to(size.span)))


def parse_classes_by_number(cursor: Cursor, program: Program) -> None:
    while True:
        token = cursor.word("the name of a class")
        cursor.expect(":")
        low = high = parse_sum(cursor)
        if cursor.accept(".."):
            high = parse_sum(cursor)
        name = Name(token.text, token.span)
        program.classes.append(ClassOf(name, None, low, high, token.span.to(high.span)))
        if not cursor.accept(","):
            return


def parse_class(cursor: Cursor, program: Program, start: Token) -> None:
    """``class reader[2]``; several with commas between them."""
    while True:
        token = cursor.word("the name of a class")
        cursor.expect("[", "and the number of processes")
        size = parse_sum(cursor)
        last = cursor.expect("]")
        name = Name(token.text, token.span)
        program.classes.append(ClassOf(name, size, None, None, token.span.to(last.span)))
        if not cursor.accept(","):
            return


def parse_states(cursor: Cursor, program: Program, start: Token) -> None:
    program.states.extend(parse_names(cursor, "the name of a local state"))


def parse_start(cursor: Cursor, program: Program, start: Token) -> None:
    """``init A, B``, ``init reader: A``, ``init 3: B`` or ``init (A, A, B), (B, A, A)``."""
    if cursor.is_next("("):
        parse_vectors(cursor, program)
        return
    target: Node | None = None
    if cursor.peek().kind == "number" or cursor.peek(1).text in (":", "["):
        target = parse_sum(cursor)
        cursor.expect(":")
    names = parse_names(cursor, "a local state")
    program.starts.append(Start(target, tuple(names), False, start.span.to(names[-1].span)))


def parse_vectors(cursor: Cursor, program: Program) -> None:
    while True:
        start = cursor.expect("(")
        names = parse_names(cursor, "a local state")
        last = cursor.expect(")")
        program.starts.append(Start(None, tuple(names), True, start.span.to(last.span)))
        if not cursor.accept(","):
            return


def parse_shared(cursor: Cursor, program: Program, start: Token) -> None:
    """``shared a, b: 0..3 = 1``; ``local`` in the same way."""
    names = parse_names(cursor, "the name of a variable")
    cursor.expect(":", "and the type")
    type = parse_type(cursor)
    value: Node | None = None
    any_value = False
    if cursor.accept("="):
        any_value = cursor.accept("any") is not None
        value = None if any_value else parse_sum(cursor)
    for name in names:
        program.variables.append(Declared(name, type, value, any_value, start.text == "local"))


def parse_type(cursor: Cursor) -> TypeOf:
    token = cursor.peek()
    if cursor.accept("bool", "boolean"):
        return TypeOf("bool", token.span)
    if cursor.accept("{"):
        names = parse_names(cursor, "a name")
        return TypeOf("names", token.span.to(cursor.expect("}").span), names=tuple(names))
    if token.kind == "word" and cursor.peek(1).text != "..":
        return parse_process_type(cursor)
    low = parse_sum(cursor)
    cursor.expect("..", "and the largest value")
    high = parse_sum(cursor)
    return TypeOf("range", low.span.to(high.span), low=low, high=high)


def parse_process_type(cursor: Cursor) -> TypeOf:
    """``process``, ``process or none``, or the name of a class instead of process."""
    token = cursor.take()
    optional = cursor.accept("or") is not None
    if optional:
        cursor.expect("none")
    of = None if token.text == "process" else Name(token.text, token.span)
    return TypeOf("process", token.span, of=of, optional=optional)


def parse_edge(cursor: Cursor, program: Program, start: Token) -> None:
    """``reader: A, B -> C with j when ... do x := ..., y := ... as name``; the clauses in any order."""
    of = None
    if cursor.peek(1).text == ":":
        token = cursor.word("the name of a class")
        of = Name(token.text, token.span)
        cursor.expect(":")
    sources = [] if cursor.accept("*") else parse_names(cursor, "a local state")
    if not cursor.is_next("->") and len(sources) == 1 and cursor.peek().kind in ("word", "number"):
        raise UserError(sources[0].span, f"'{sources[0].text}' is not a statement; an edge is written A -> B when ...")
    cursor.expect("->")
    token = cursor.word("the local state the edge leads to")
    clauses = parse_clauses(cursor)
    written = "*" if not sources else ", ".join(name.text for name in sources)
    program.edges.append(
        Edge(
            of,
            tuple(sources),
            Name(token.text, token.span),
            clauses.label or f"{written} -> {token.text}",
            tuple(clauses.chosen),
            clauses.guard,
            tuple(clauses.assigned),
            trimmed(cursor, start),
            tuple(clauses.kept),
        )
    )


def trimmed(cursor: Cursor, start: Token) -> Span:
    """From a token to the last one that was read."""
    return Span(cursor.source, start.span.start, cursor.at)


CLAUSES = ("with", "when", "do", "as", "keeps")


@mutable
class Clauses:
    """What follows ``A -> B``; every clause at most once."""

    label: str = ""
    chosen: list[Chosen] = field(default_factory=list)
    guard: Node | None = None
    assigned: list[Assigned] = field(default_factory=list)
    kept: list[tuple[tuple[Node, Node], ...]] = field(default_factory=list)


def parse_clauses(cursor: Cursor) -> Clauses:
    clauses, seen = Clauses(), set[str]()
    while (token := cursor.accept(*CLAUSES)) is not None:
        if token.text in seen:
            raise UserError(token.span, f"a second {token.text}; join the two")
        seen.add(token.text)
        match token.text:
            case "with":
                clauses.chosen = parse_chosen(cursor)
            case "when":
                clauses.guard = parse_expression(cursor)
            case "do":
                clauses.assigned = parse_assignments(cursor)
            case "keeps":
                clauses.kept = parse_partition(cursor)
            case _:
                clauses.label = parse_title(cursor)
    return clauses


def parse_partition(cursor: Cursor) -> list[tuple[tuple[Node, Node], ...]]:
    """``|1, 2|3..5|``: the cells of a partition of the processes."""
    cells = []
    expect_bar(cursor)
    while True:
        cell = [parse_span(cursor)]
        while cursor.accept(","):
            cell.append(parse_span(cursor))
        cells.append(tuple(cell))
        expect_bar(cursor)
        token = cursor.peek()
        ends = token.kind not in ("number", "word") or cursor.is_first_on_line(token)
        if ends or cursor.is_next(*CLAUSES):
            return cells


def expect_bar(cursor: Cursor) -> None:
    if not cursor.accept("or"):  # which is how | is read
        raise cursor.unexpected("| between cells of a partition, as in |1, 2|3|")


def parse_span(cursor: Cursor) -> tuple[Node, Node]:
    """A number, or ``low..high``."""
    low = parse_sum(cursor)
    return low, parse_sum(cursor) if cursor.accept("..") else low


def parse_chosen(cursor: Cursor) -> list[Chosen]:
    """``with j``, ``with j in reader``, ``with v in 0..3``; several with commas between them."""
    found = []
    while True:
        token = cursor.word("a name")
        name = Name(token.text, token.span)
        if not cursor.accept("in"):
            found.append(Chosen(name, None))
        elif cursor.peek().kind == "word" and cursor.peek(1).text != "..":
            of = cursor.take()
            found.append(Chosen(name, Name(of.text, of.span)))
        else:
            low = parse_sum(cursor)
            cursor.expect("..")
            found.append(Chosen(name, None, low, parse_sum(cursor)))
        if not cursor.accept(","):
            return found


def parse_assignments(cursor: Cursor) -> list[Assigned]:
    found = []
    while True:
        target = parse_sum(cursor)
        if not isinstance(target, Word | Indexed):
            raise UserError(target.span, "expected the variable that is assigned")
        cursor.expect(":=")
        found.append(Assigned(target, parse_expression(cursor)))
        if not cursor.accept(","):
            return found


def parse_title(cursor: Cursor) -> str:
    """A name, or any text in quotes."""
    if cursor.peek().kind == "text":
        return cursor.take().text.strip('"')
    return cursor.word("a name").text


def parse_claim(cursor: Cursor, program: Program, start: Token) -> None:
    """``invariant name: ...``; without a name the text of the condition is its name."""
    name = ""
    if cursor.peek().kind in ("text", "word") and cursor.peek(1).text == ":":
        name = parse_title(cursor)
        cursor.expect(":")
    condition = parse_expression(cursor)
    name = name or " ".join(condition.span.text.split())
    program.claims.append(Claim(start.text, name, condition, start.span.to(condition.span)))


def parse_property(cursor: Cursor, program: Program, start: Token) -> None:
    """``property name: formula``: the formula is the rest of the line and is read when all names are known."""
    name = parse_title(cursor)
    begin = cursor.expect(":").span.end
    end = cursor.source.text.find("\n", begin)
    text = cursor.source.text[begin : len(cursor.source.text) if end < 0 else end].split("//")[0]
    if not text.strip():
        raise cursor.unexpected("a formula on this line")
    cursor.at = begin + len(text)
    skipped = len(text) - len(text.lstrip())
    span = Span(cursor.source, begin + skipped, begin + len(text.rstrip()))
    program.claims.append(Claim("property", name, None, span))


def parse_deadlock(cursor: Cursor, program: Program, start: Token) -> None:
    """``deadlock ok`` or ``deadlock ok when ...``."""
    cursor.expect("ok")
    condition = parse_expression(cursor) if cursor.accept("when") else None
    program.deadlocks.append(DeadlockRule(condition, trimmed(cursor, start)))


def parse_no(cursor: Cursor, program: Program, start: Token) -> None:
    """``no deadlock check``."""
    cursor.expect("deadlock")
    cursor.expect("check")
    program.deadlocks.append(DeadlockRule(None, trimmed(cursor, start)))


STATEMENTS: dict[str, Callable[[Cursor, Program, Token], None]] = {
    "const": parse_constant,
    "process": parse_processes,
    "processes": parse_processes,
    "class": parse_class,
    "state": parse_states,
    "states": parse_states,
    "init": parse_start,
    "shared": parse_shared,
    "local": parse_shared,
    "edge": parse_edge,
    "invariant": parse_claim,
    "error": parse_claim,
    "property": parse_property,
    "deadlock": parse_deadlock,
    "no": parse_no,
}
KEYWORDS = frozenset(STATEMENTS)
EDGE_START = r"\*[ \t]*->|[^\W\d]\w*(?:[ \t]*,[ \t]*[^\W\d]\w*)*[ \t]*->"
NEXT_STATEMENT = re.compile(rf"\n[ \t]*(?=(?:{'|'.join(STATEMENTS)})\b|(?:[^\W\d]\w*[ \t]*:[ \t]*)?(?:{EDGE_START}))")
