"""Parse Verilog statements."""

from __future__ import annotations

from quorbit.languages.circuits.verilog.declarations import declarations, is_declaration
from quorbit.languages.circuits.verilog.expressions import (
    DEEPEST,
    Cursor,
    arguments,
    clean,
    expression,
    join,
    postfix,
    skip_delay,
)
from quorbit.languages.circuits.verilog.tokens import Token
from quorbit.languages.circuits.verilog.tree import (
    Assign,
    Binary,
    Block,
    Case,
    Check,
    Declaration,
    Expr,
    For,
    If,
    Leave,
    Name,
    Nothing,
    Number,
    Repeat,
    Statement,
    TaskCall,
    Unary,
    While,
)
from quorbit.source.errors import UserError
from quorbit.source.span import Span

CASES = ("case", "casez", "casex")
CHECKS = ("assert", "assume", "cover", "restrict")
LEAVES = ("break", "continue", "return")
ASSIGNED = ("=", "<=", "[")  # what follows the name of a signal at the beginning of a statement
REFUSED = frozenset(["forever", "wait", "fork", "force", "release", "deassign", "->"])


def statement(c: Cursor, types: set[str]) -> Statement:
    c.depth += 1
    if c.depth > DEEPEST:
        raise c.error(f"statements are nested more than {DEEPEST} levels deep")
    found = plain_statement(c, types)
    c.depth -= 1
    return found


def plain_statement(c: Cursor, types: set[str]) -> Statement:
    token = c.peek()
    if token.text == "#":
        skip_delay(c)
        return statement(c, types)
    if token.text in ("unique", "priority", "unique0") and c.peek(1).text in (*CASES, "if"):
        c.next()
        return statement(c, types)
    if c.accept(";"):
        return Nothing(token.span)
    if c.accept("begin"):
        return block(c, types)
    if c.accept("if"):
        return if_statement(c, types)
    if token.text in CASES and token.kind == "name":
        return case_statement(c, types)
    if c.accept("for"):
        return for_statement(c, types)
    if token.text in ("while", "repeat") and token.kind == "name":
        return loop_statement(c, types)
    if token.text in CHECKS and token.kind == "name" and c.peek(1).text not in ASSIGNED:
        return check(c, "")
    if token.kind == "name" and c.peek(1).text == ":" and c.peek(2).text in CHECKS:
        c.next()
        c.next()
        return check(c, clean(token.text))
    if token.text in LEAVES and c.peek(1).text not in (*ASSIGNED, ":"):
        return leave_statement(c)
    if c.accept("disable"):
        left = c.name("the name of a block")
        c.expect(";")
        return Leave(f"disable {clean(left.text)}", None, token.span)
    if token.text in REFUSED:
        raise c.error(f"{token.text} is not supported: it does not describe one step of a circuit")
    if c.accept("assign"):
        found = assignment_statement(c)
        return Assign(found.target, found.value, True, found.span, continuous=True)
    if token.kind == "name" and (token.text.startswith("$") or c.peek(1).text in (";", "(")):
        return task_call(c)
    return assignment_statement(c)


def block(c: Cursor, types: set[str]) -> Statement:
    start = c.peek(-1).span
    name = clean(c.name("the name of the block").text) if c.accept(":") else ""
    body: list[Statement] = []
    local: list[Declaration] = []
    while not c.accept("end"):
        if c.peek().kind == "end":
            raise UserError(start, "this begin has no end")
        if is_declaration(c, types):
            local += declarations(c, types)
        else:
            body.append(statement(c, types))
    if c.accept(":"):
        c.name("the name of the block")
    return Block(tuple(body), start, tuple(local), name)


def if_statement(c: Cursor, types: set[str]) -> Statement:
    """A whole chain of else if, so that a long one is not deep."""
    branches: list[tuple[Expr, Statement, Span]] = []
    other: Statement | None = None
    while True:
        start = c.expect("(")
        test = expression(c)
        c.expect(")")
        branches.append((test, statement(c, types), start.span))
        if not c.accept("else"):
            break
        if not c.accept("if"):
            other = statement(c, types)
            break
    for test, then, span in reversed(branches):
        other = If(test, then, other, span)
    assert other is not None
    return other


def case_statement(c: Cursor, types: set[str]) -> Statement:
    kind = c.next()
    c.expect("(")
    subject = expression(c)
    c.expect(")")
    items: list[tuple[tuple[Expr, ...], Statement]] = []
    while not c.accept("endcase"):
        if c.peek().kind == "end":
            raise UserError(kind.span, "this case has no endcase")
        labels: list[Expr] = []
        if c.accept("default"):
            c.accept(":")
        else:
            labels.append(expression(c))
            while c.accept(","):
                labels.append(expression(c))
            c.expect(":")
        items.append((tuple(labels), statement(c, types)))
    return Case(kind.text, subject, tuple(items), kind.span)


def for_statement(c: Cursor, types: set[str]) -> Statement:
    start = c.expect("(")
    c.accept("integer", "int", "genvar")
    first = assignment(c)
    c.expect(";")
    test = expression(c)
    c.expect(";")
    step = assignment(c)
    c.expect(")")
    return For(first, test, step, statement(c, types), start.span)


def loop_statement(c: Cursor, types: set[str]) -> Statement:
    kind = c.next()
    c.expect("(")
    test = expression(c)
    c.expect(")")
    body = statement(c, types)
    return While(test, body, kind.span) if kind.text == "while" else Repeat(test, body, kind.span)


def leave_statement(c: Cursor) -> Statement:
    kind = c.next()
    value = expression(c) if kind.text == "return" and c.peek().text != ";" else None
    c.expect(";")
    return Leave(kind.text, value, kind.span)


def check(c: Cursor, label: str) -> Statement:
    """Immediate and simple concurrent assertions: assert(e), assert property (@(posedge clk) e), assert name: e."""
    kind = c.next()
    if kind.text == "restrict":
        kind = Token("name", "assume", kind.span)
    if c.peek().text == "#":
        skip_delay(c)  # a deferred assertion is asked when everything has settled, as all are here
    c.accept("final")
    if c.peek().kind == "name" and c.peek(1).text == ":":
        label = label or c.peek().text
        c.next()
        c.next()
        condition = expression(c)
        c.expect(";")
        return Check(kind.text, condition, label, kind.span)
    c.accept("property")
    c.expect("(")
    if c.accept("eventually"):
        condition = expression(c)
        c.expect(")")
        c.expect(";")
        often = "live" if kind.text == "assert" else "fair"
        return Check(often, condition, label or f"{kind.text}@{kind.span.line}", kind.span)
    if c.accept("@"):
        c.expect("(")
        while not c.accept(")"):
            c.next()
    excused: Expr | None = None
    if c.accept("disable"):
        c.expect("iff")
        c.expect("(")
        excused = expression(c)
        c.expect(")")
    condition = expression(c)
    if c.accept("|->"):
        condition = Binary("||", Unary("!", condition, kind.span), expression(c), kind.span)
    if excused is not None:
        condition = Binary("||", excused, condition, kind.span)
    c.expect(")")
    if not c.accept(";"):
        skip_action(c)
    return Check(kind.text, condition, label or f"{kind.text}@{kind.span.line}", kind.span)


def skip_action(c: Cursor) -> None:
    """What is done when an assertion holds, and when it fails: it prints."""
    actions = [] if c.peek().text == "else" else [statement(c, set())]
    actions += [statement(c, set())] if c.accept("else") else []
    if any(not isinstance(action, TaskCall | Nothing) for action in actions):
        raise UserError(actions[-1].span, "an action of an assertion that does more than print is not supported")


def task_call(c: Cursor) -> Statement:
    name = c.next()
    given = task_arguments(c, name.text) if c.peek().text == "(" else ()
    c.expect(";")
    return TaskCall(name.text, given, name.span)


def task_arguments(c: Cursor, name: str) -> tuple[Expr, ...]:
    if not name.startswith("$"):
        return arguments(c)
    depth = 0  # $display and friends print; their arguments do not matter
    while True:
        token = c.next()
        if token.kind == "end":
            raise UserError(token.span, "a bracket is not closed")
        depth += (token.text == "(") - (token.text == ")")
        if depth == 0:
            return ()


def assignment_statement(c: Cursor) -> Assign:
    found = assignment(c)
    c.expect(";")
    return found


def assignment(c: Cursor) -> Assign:
    before = c.accept("++", "--")
    target = lvalue(c)
    if before:
        return Assign(target, Binary(before.text[0], target, one_more(before.span), before.span), True, before.span)
    token = c.next()
    if token.text in ("++", "--", "+=", "-="):
        one = expression(c) if token.text in ("+=", "-=") else one_more(token.span)
        return Assign(target, Binary(token.text[0], target, one, token.span), True, token.span)
    if token.text not in ("=", "<="):
        raise UserError(token.span, f"expected an assignment, not {token.text}")
    if c.peek().text == "#":
        skip_delay(c)
    if c.peek().text == "@":
        raise c.error("an event control inside an assignment is not supported")
    return Assign(target, expression(c), token.text == "=", token.span)


def one_more(span: Span) -> Number:
    return Number("1" + "0" * 31, True, span)


def lvalue(c: Cursor) -> Expr:
    if c.peek().text == "{":
        return join(c)
    name = c.name("something to assign to")
    return postfix(c, Name(clean(name.text), name.span))
