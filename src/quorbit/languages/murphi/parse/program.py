"""Text -> Program: declarations, procedures and functions, rules.  Sections may follow each other in any order."""

from __future__ import annotations

from quorbit.languages.murphi.parse.cursor import Cursor, read_tokens
from quorbit.languages.murphi.parse.expressions import parse_designator, parse_expression
from quorbit.languages.murphi.parse.statements import parse_aliases, parse_block
from quorbit.languages.murphi.parse.types import parse_names, parse_quantifiers, parse_type
from quorbit.languages.murphi.syntax.program import (
    AliasRule,
    Choose,
    Constant,
    Declaration,
    Formal,
    Program,
    PropertyRule,
    Routine,
    RuleItem,
    Ruleset,
    SimpleRule,
    StartState,
    Statement,
    TypeDeclaration,
    VariableDeclaration,
)
from quorbit.languages.murphi.syntax.terms import Binary, Expression, Name, Quantified, Unary
from quorbit.source.errors import UserError
from quorbit.source.span import Source

__all__ = ["parse"]

SECTIONS = ("const", "type", "var")
RULES = ("rule", "startstate", "ruleset", "alias", "choose", "invariant", "assert")
RUMUR_RULES = ("assume", "cover", "liveness")


def parse(source: Source) -> Program:
    cursor = Cursor(source, read_tokens(source))
    program = Program()
    while cursor.peek().kind != "end":
        if cursor.accept(";"):
            continue
        if cursor.is_next(*SECTIONS):
            program.declarations += parse_declarations(cursor)
        elif cursor.is_next("procedure", "function"):
            add_routine(program, parse_routine(cursor))
        else:
            program.rules.append(parse_rule(cursor))
    return program


def add_routine(program: Program, routine: Routine) -> None:
    if routine.name.text in program.routines:
        raise UserError(routine.name.span, f"there is already a procedure or function {routine.name.text}")
    program.routines[routine.name.text] = routine


# Declarations.


def parse_declarations(cursor: Cursor) -> list[Declaration]:
    found: list[Declaration] = []
    while section := cursor.accept(*SECTIONS):
        cursor.skip_semicolons()
        while cursor.peek().kind == "word" and not (section.text == "var" and cursor.is_word(*RUMUR_RULES)):
            found.append(parse_declaration(cursor, section.text))
            cursor.skip_semicolons()  # Rumur does not ask for them
    return found


def parse_declaration(cursor: Cursor, section: str) -> Declaration:
    match section:
        case "const":
            name = cursor.name("the name of a constant")
            cursor.expect(":", ":=", where="and the value of the constant")
            return Constant(Name(name.text, name.span), parse_expression(cursor))
        case "type":
            name = cursor.name("the name of a type")
            cursor.expect(":", where="and a type")
            return TypeDeclaration(Name(name.text, name.span), parse_type(cursor, parse_expression))
        case _:
            names = parse_names(cursor, "the name of a variable")
            return VariableDeclaration(tuple(names), parse_type(cursor, parse_expression))


def parse_routine(cursor: Cursor) -> Routine:
    word = cursor.take()
    name = cursor.name(f"the name of a {word.text}")
    formals = parse_formals(cursor) if cursor.is_next("(") else ()
    result = None
    if word.text == "function":
        cursor.expect(":", where="and the type of the result")
        result = parse_type(cursor, parse_expression)
    cursor.skip_semicolons()
    declarations, body = parse_body(cursor, "end", f"end{word.text}")
    return Routine(Name(name.text, name.span), formals, result, declarations, body)


def parse_formals(cursor: Cursor) -> tuple[Formal, ...]:
    cursor.expect("(")
    found: list[Formal] = []
    while not cursor.accept(")"):
        by_reference = cursor.accept("var") is not None
        names = parse_names(cursor, "the name of a parameter")
        type = parse_type(cursor, parse_expression)
        found += [Formal(name, type, by_reference) for name in names]
        if not cursor.is_next(")"):
            cursor.expect(";", ",", where="between parameters")
        cursor.skip_semicolons()
    return tuple(found)


def parse_body(cursor: Cursor, *ends: str) -> tuple[tuple[Declaration, ...], tuple[Statement, ...]]:
    declarations = tuple(parse_declarations(cursor))
    if declarations:
        cursor.expect("begin", where="after the declarations")
    else:
        cursor.accept("begin")
    return declarations, parse_block(cursor, *ends)


# Rules.


def parse_rules(cursor: Cursor, *ends: str) -> tuple[RuleItem, ...]:
    found = []
    cursor.skip_semicolons()
    while not cursor.accept(*ends):
        found.append(parse_rule(cursor))
        cursor.skip_semicolons()
    return tuple(found)


def parse_rule(cursor: Cursor) -> RuleItem:
    token = cursor.peek()
    cursor.deeper()
    found = parse_one_rule(cursor, token.text if token.kind == "keyword" else "")
    cursor.depth -= 1
    return found


def parse_one_rule(cursor: Cursor, word: str) -> RuleItem:
    span = cursor.peek().span
    match word:
        case "rule":
            return parse_simple_rule(cursor)
        case "startstate":
            cursor.take()
            name = cursor.text()
            declarations, body = parse_body(cursor, "end", "endstartstate")
            return StartState(name, declarations, body, span)
        case "ruleset":
            cursor.take()
            quantifiers = parse_quantifiers(cursor, parse_expression)
            return Ruleset(quantifiers, parse_rules(cursor, "end", "endruleset"), span)
        case "alias":
            cursor.take()
            aliases = parse_aliases(cursor)
            return AliasRule(aliases, parse_rules(cursor, "end", "endalias"), span)
        case "choose":
            return parse_choose(cursor)
        case "invariant" | "assert":
            return parse_property(cursor)
    if cursor.is_word(*RUMUR_RULES):
        return parse_property(cursor)
    raise cursor.unexpected("a declaration, a procedure, a rule, a start state or a property")


def parse_choose(cursor: Cursor) -> Choose:
    span = cursor.take().span
    token = cursor.name("a name for the element")
    cursor.expect(":", where="and a multiset")
    set = parse_designator(cursor)
    cursor.expect("do", ":")
    return Choose(Name(token.text, token.span), set, parse_rules(cursor, "end", "endchoose"), span)


def parse_simple_rule(cursor: Cursor) -> SimpleRule:
    span = cursor.take().span
    priority = int(cursor.take().text) if is_priority(cursor) else 0
    name = cursor.text()
    guard = parse_guard(cursor)
    declarations, body = parse_body(cursor, "end", "endrule")
    return SimpleRule(name, priority, guard, declarations, body, span)


def is_priority(cursor: Cursor) -> bool:
    """CMurphi: a number between the word ``rule`` and the rule's name or condition."""
    after = cursor.peek(1)
    return cursor.peek().kind == "number" and not (after.kind == "symbol" and after.text not in ("!", "("))


def parse_guard(cursor: Cursor) -> Expression | None:
    """The condition with ``==>`` behind it; a rule without one begins with its statements at once."""
    if cursor.is_next("begin", *SECTIONS):
        return None
    start, depth = cursor.at, cursor.depth
    try:
        guard = parse_expression(cursor)
    except UserError:
        if find_arrow(cursor, start):
            raise
        guard = None
    if guard is not None and cursor.accept("==>"):
        return guard
    if isinstance(guard, Binary | Unary | Quantified) or (guard is not None and find_arrow(cursor, start)):
        raise cursor.unexpected("'==>' after the condition of a rule")
    cursor.at, cursor.depth = start, depth
    return None


def find_arrow(cursor: Cursor, start: int) -> bool:
    """Whether ``==>`` stands before the end of this rule or the start of the next."""
    for token in cursor.tokens[start:]:
        if token.kind == "symbol" and token.text == "==>":
            return True
        if token.kind == "keyword" and token.text in ("rule", "endrule", "startstate", "ruleset", "begin", "invariant"):
            return False
    return False


def parse_property(cursor: Cursor) -> PropertyRule:
    word = cursor.take()
    before = cursor.text()
    condition = parse_expression(cursor)
    return PropertyRule(word.text.lower(), before or cursor.text(), condition, word.span.to(condition.span))
