"""Text to Program: the units of a model in their order, and the checks that need the whole model."""

from __future__ import annotations

from quorbit.languages.promela.parse.cursor import Cursor, shown
from quorbit.languages.promela.parse.declarations import (
    parse_constant,
    parse_declaration,
    parse_typedef,
    starts_declaration,
)
from quorbit.languages.promela.parse.expressions import parse_full_expression, parse_priority, refuse_c
from quorbit.languages.promela.parse.inlines import parse_inline, take_braced
from quorbit.languages.promela.parse.model_checks import check_program
from quorbit.languages.promela.parse.names import KEYWORDS
from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.preprocess import preprocess
from quorbit.languages.promela.parse.program import Expression, Formula, Kind, Proctype, Program, Variable
from quorbit.languages.promela.parse.recover import note, skip_unit
from quorbit.languages.promela.parse.statements import parse_sequence
from quorbit.languages.promela.parse.tokens import NAME, SIGN, Token, scan_part
from quorbit.source.errors import UserError, raise_all
from quorbit.source.span import Source, Span

__all__ = ["parse", "parse_about", "parse_words"]

CLAIM_NAMES = {"init": ":init:", "never": "", "trace": ":trace:", "notrace": ":notrace:"}


def parse(source: Source, defines: tuple[str, ...] = ()) -> Program:
    """The Program of a model text; raises UserError where SPIN would refuse it."""
    p = read_units(source, defines)
    program = program_of(p, source)
    check_program(p, program)
    return program


def parse_words(source: Source, defines: tuple[str, ...], text: Span, name: str) -> tuple[Program, Formula]:
    """A model, and a formula about it in the words of an ltl block."""
    p = read_units(source, defines)
    program = program_of(p, source)
    words = scan_part(text)
    parse_formula(p, Token(NAME, name, text), [Token(SIGN, "{", text), *words, Token(SIGN, "}", text)])
    check_program(p, program)
    return program, p.formulas[-1]


def parse_about(source: Source, defines: tuple[str, ...], text: Span, name: str) -> Program:
    """A model with one more formula, the last, in the words of an ltl block or of CTL*."""
    p = read_units(source, defines)
    p.branching = True
    words = scan_part(text)
    parse_formula(p, Token(NAME, name, text), [Token(SIGN, "{", text), *words, Token(SIGN, "}", text)])
    program = program_of(p, source)
    check_program(p, program)
    return program


def read_units(source: Source, defines: tuple[str, ...]) -> Parser:
    p = Parser(Cursor(preprocess(source, defines), source))
    deferred: list[tuple[Token, list[Token]]] = []
    while p.cursor.peek().kind != "end":
        try:
            parse_unit(p, deferred)
        except UserError as error:
            note(p, error)
            skip_unit(p)
    raise_all(p.wrong)
    for name, body in deferred:
        parse_formula(p, name, body)
    return p


def program_of(p: Parser, source: Source) -> Program:
    return Program(
        source.name,
        tuple(p.names.globals.values()),
        tuple(p.proctypes),
        tuple(p.names.typedefs.values()),
        tuple((name, tuple(members)) for name, members in p.names.mtypes.items()),
        tuple(p.formulas),
        frozenset(p.names.read),
    )


def parse_unit(p: Parser, deferred: list[tuple[Token, list[Token]]]) -> None:
    token = p.cursor.peek()
    text = token.text if token.kind == NAME else ""
    if token.text in {";", "->"}:
        p.cursor.next()
    elif text in {"active", "proctype", "D_proctype"}:
        parse_proctype(p)
    elif text in CLAIM_NAMES:
        parse_claim(p)
    elif text == "ltl":
        deferred.append(take_formula(p, len(deferred)))
    elif text == "typedef":
        parse_typedef(p)
    elif text == "inline":
        parse_inline(p)
    elif text in {"c_code", "c_decl", "c_state", "c_track", "c_expr"}:
        raise refuse_c(token)
    elif starts_declaration(p):
        p.before_statements = True
        parse_declaration(p)
        end_of_declaration(p)
    else:
        raise UserError(token.span, f"expected a declaration or a proctype, found {shown(token)}")


def end_of_declaration(p: Parser) -> None:
    """SPIN needs no separator between declarations outside bodies, since a type starts the next one."""
    token = p.cursor.peek()
    if token.kind not in {NAME, "end"} and token.text not in {";", "->"}:
        raise UserError(token.span, f"unexpected {shown(token)} after a declaration")


def parse_proctype(p: Parser) -> None:
    word = p.cursor.peek()
    count = parse_active(p)
    keyword = p.cursor.name("proctype")
    if keyword.text not in {"proctype", "D_proctype"}:
        raise UserError(keyword.span, f"expected 'proctype', found '{keyword.text}'")
    name = p.cursor.name("a name")
    if name.text in KEYWORDS or p.names.find(name.text) or name.text in p.names.inlines:
        raise UserError(name.span, f"'{name.text}' is already declared")
    if name.text in p.names.proctypes:
        raise UserError(name.span, f"the proctype '{name.text}' is already defined")
    p.names.proctypes[name.text] = name.span
    open_scope(p, name.text, "proctype")
    parameters = parse_parameters(p)
    if count and parameters and count > 0:
        pass  # SPIN starts such processes with all parameters 0
    priority = parse_priority(p)
    provided = parse_provided(p)
    finish(p, name.text, "proctype", parameters, word, count, priority, provided, keyword.text == "D_proctype")


def parse_active(p: Parser) -> int:
    if not p.cursor.accept("active"):
        return 0
    if not p.cursor.accept("["):
        return 1
    token = p.cursor.peek()
    count = parse_constant(p)
    p.cursor.expect("]")
    if count > 255:
        raise UserError(token.span, "at most 255 processes can be active")
    return max(count, 0)


def parse_parameters(p: Parser) -> tuple[Variable, ...]:
    p.cursor.open()
    found: list[Variable] = []
    while not p.cursor.sees(")"):
        found.extend(parse_declaration(p, parameter=True))
        if not p.cursor.accept(";"):
            break
    p.cursor.close()
    for variable in found:
        if variable.type.kind is Kind.STRUCT and has_array(p, variable):
            raise UserError(variable.span, f"'{variable.name}' has an array in it and cannot be a parameter")
    return tuple(found)


def has_array(p: Parser, variable: Variable) -> bool:
    fields = p.names.typedefs[variable.type.name].fields if variable.type.kind is Kind.STRUCT else ()
    return variable.length is not None or any(has_array(p, inner) for inner in fields)


def parse_provided(p: Parser) -> Expression | None:
    if not p.cursor.accept("provided"):
        return None
    p.cursor.open()
    condition = parse_full_expression(p)
    p.cursor.close()
    return condition


def parse_claim(p: Parser) -> None:
    """init, never, trace, notrace."""
    word = p.cursor.next()
    name = CLAIM_NAMES[word.text]
    if word.text == "never":
        if p.cursor.peek().kind == NAME:
            name = p.cursor.next().text
        else:
            name = f"never_{p.claims}"
        p.claims += 1
    if any(found.name == name for found in p.proctypes):
        raise UserError(word.span, f"a second {word.text}")
    open_scope(p, name, word.text)
    priority = parse_priority(p) if word.text == "init" else None
    finish(p, name, word.text, (), word, int(word.text == "init"), priority, None, False)


def open_scope(p: Parser, owner: str, role: str) -> None:
    p.names.open_scope(owner)
    p.role = role
    p.exclusive, p.before_statements, p.loops = [], True, []


def finish(
    p: Parser,
    name: str,
    role: str,
    parameters: tuple[Variable, ...],
    word: Token,
    count: int,
    priority: int | None,
    provided: Expression | None,
    deterministic: bool,
) -> None:
    """Read the body and keep the proctype."""
    p.cursor.accept(";")
    p.cursor.expect("{")
    p.cursor.in_body = True
    body = parse_sequence(p, top=True)
    p.cursor.in_body = False
    closing = p.cursor.expect("}")
    locals_ = tuple(v for v in p.names.locals if not v.parameter)
    if role in {"never", "trace", "notrace"} and locals_:
        raise UserError(locals_[0].span, f"a {role} claim has no variables of its own; declare them outside")
    p.proctypes.append(
        Proctype(
            name, role, parameters, locals_, body, count, priority, provided, deterministic,
            tuple(p.exclusive), word.span, closing.span,
        )
    )  # fmt: skip
    p.names.close_scope()
    p.role = ""


def take_formula(p: Parser, number: int) -> tuple[Token, list[Token]]:
    """An ltl block is read at the end, so that it may mention what comes later."""
    word = p.cursor.next()
    name = p.cursor.next() if p.cursor.peek().kind == NAME else word._replace(text=f"ltl_{number}")
    return name, take_braced(p, name)


def parse_formula(p: Parser, name: Token, body: list[Token]) -> None:
    p.cursor.enter(body)
    p.in_formula = True
    p.cursor.expect("{")
    formula = parse_full_expression(p)
    while p.cursor.accept(";"):
        pass
    p.cursor.expect("}")
    p.in_formula = False
    p.cursor.leave()
    p.formulas.append(Formula(name.text, formula, name.span))
