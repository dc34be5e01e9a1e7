"""Expressions and references: C's operators with SPIN's precedences, and the operators of ltl formulas."""

from __future__ import annotations

from quorbit.languages.promela.parse.cursor import shown
from quorbit.languages.promela.parse.names import KEYWORDS, PREDEFINED
from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.program import (
    Binary,
    Conditional,
    Constant,
    Eval,
    Expression,
    Kind,
    OfProcess,
    Pattern,
    Poll,
    Predefined,
    Probe,
    Reference,
    RemoteLabel,
    RemoteVariable,
    Run,
    Selector,
    Temporal,
    Unary,
    Variable,
)
from quorbit.languages.promela.parse.tokens import CHARACTER, NAME, NUMBER, SIGN, Token
from quorbit.source.errors import UserError
from quorbit.source.frozen import replace
from quorbit.source.span import Span
from quorbit.source.suggest import did_you_mean

POWER = {
    "||": 2, "&&": 3, "|": 6, "^": 7, "&": 8, "==": 9, "!=": 9, "<": 10, ">": 10, "<=": 10, ">=": 10,
    "<<": 11, ">>": 11, "+": 12, "-": 12, "*": 13, "/": 13, "%": 13,
}  # fmt: skip
TEMPORAL_POWER = {"->": 1, "<->": 1, "U": 5, "V": 5, "W": 5}
TEMPORAL_WORDS = {
    "U": "U", "V": "V", "W": "W", "until": "U", "stronguntil": "U", "weakuntil": "W", "release": "V",
    "implies": "->", "equivalent": "<->", "always": "[]", "eventually": "<>", "next": "X", "X": "X",
}  # fmt: skip
PATHS = {
    "A": ("A",), "AG": ("A", "[]"), "AF": ("A", "<>"), "AX": ("A", "X"),
    "E": ("E",), "EG": ("E", "[]"), "EF": ("E", "<>"), "EX": ("E", "X"),
}  # fmt: skip
CHARACTERS = {"n": 10, "r": 13, "t": 9, "f": 12}
LONGEST = 250
INT_BITS = 32
PROBES = {"full", "empty", "nfull", "nempty"}


def parse_full_expression(p: Parser) -> Expression:
    """An expression in which full, empty, ... may stand."""
    return binary(p, 1)


def parse_expression(p: Parser) -> Expression:
    expression = binary(p, 1)
    check_no_probe(expression)
    return expression


def check_no_probe(expression: Expression) -> None:
    """SPIN allows full(q) and its kin only under && and ||, so that none is negated by accident."""
    if probe := find_probe(expression):
        raise UserError(
            probe.span, f"{probe.operator}() may only be combined by && and ||; to negate it use its opposite"
        )


def find_probe(expression: Expression) -> Probe | None:
    match expression:
        case Probe(operator) if operator != "len":
            return expression
        case Binary("&&" | "||", left, right):
            return find_probe(left) or find_probe(right)
        case _:
            return None


def binary(p: Parser, least: int) -> Expression:
    """Operators that bind at least as strongly as ``least``; chains of && and || are kept shallow."""
    left = unary(p)
    length = 0
    while (sign := operator_here(p)) and power_of(p, sign) >= least:
        token = p.cursor.next()
        p.cursor.deeper(token)
        length += 1
        if sign in {"&&", "||"}:
            left = junction(p, sign, left)
        else:
            right = binary(p, power_of(p, sign) + 1)
            left = combined(p, sign, left, right, token)
        p.cursor.depth -= 1
        if length > LONGEST:
            raise UserError(token.span, "this expression is too long")
    return left


def operator_here(p: Parser) -> str:
    token = p.cursor.peek()
    if p.in_formula and token.kind == NAME:
        return TEMPORAL_WORDS.get(token.text, "")
    if token.kind != SIGN:
        return ""
    if p.in_formula:
        return {"/\\": "&&", "\\/": "||"}.get(token.text, token.text)
    return token.text


def power_of(p: Parser, sign: str) -> int:
    power = POWER.get(sign, 0)
    return power or (TEMPORAL_POWER.get(sign, 0) if p.in_formula else 0)


def junction(p: Parser, sign: str, left: Expression) -> Expression:
    """A run of one operator, as a balanced tree: && and || are associative."""
    operands = [left, binary(p, POWER[sign] + 1)]
    while operator_here(p) == sign:
        p.cursor.next()
        operands.append(binary(p, POWER[sign] + 1))
    while len(operands) > 1:
        pairs = [operands[i : i + 2] for i in range(0, len(operands), 2)]
        operands = [
            Binary(sign, pair[0], pair[1], pair[0].span.to(pair[1].span)) if len(pair) == 2 else pair[0]
            for pair in pairs
        ]
    return operands[0]


def combined(p: Parser, sign: str, left: Expression, right: Expression, token: Token) -> Expression:
    span = left.span.to(right.span)
    if sign in TEMPORAL_POWER:
        return Temporal(sign, (left, right), span)
    check_no_probe(left)
    check_no_probe(right)
    return Binary(sign, left, right, span)


def unary(p: Parser) -> Expression:
    cursor = p.cursor
    token = cursor.peek()
    sign = token.text if token.kind == SIGN else ""
    if p.in_formula:
        if token.text == "[" and cursor.peek(1).text == "]":
            cursor.next()
            sign = "[]"
        elif token.text == "<" and cursor.peek(1).text == ">":
            cursor.next()
            sign = "<>"
        elif token.kind == NAME and TEMPORAL_WORDS.get(token.text) in {"[]", "<>", "X"}:
            sign = TEMPORAL_WORDS[token.text]
    if sign in {"[]", "<>", "X"} and p.in_formula:
        return nested(p, lambda operand: Temporal(sign, (operand,), token.span.to(operand.span)))
    if p.branching and token.text in PATHS and token.text not in p.names.globals:
        return nested(p, lambda operand: on_paths(PATHS[token.text], operand, token))
    if sign in {"!", "-", "~"}:
        return nested(p, lambda operand: checked_unary(sign, operand, token))
    return primary(p)


def nested(p: Parser, make: object) -> Expression:
    token = p.cursor.next()
    p.cursor.deeper(token)
    operand = unary(p)
    p.cursor.depth -= 1
    return make(operand)  # type: ignore[operator, no-any-return]


def on_paths(signs: tuple[str, ...], operand: Expression, token: Token) -> Expression:
    """CTL's pairs of a path quantifier and a temporal operator are two operators of CTL*."""
    for sign in reversed(signs):
        operand = Temporal(sign, (operand,), token.span.to(operand.span))
    return operand


def checked_unary(sign: str, operand: Expression, token: Token) -> Expression:
    check_no_probe(operand)
    return Unary(sign, operand, token.span.to(operand.span))


def primary(p: Parser) -> Expression:
    token = p.cursor.peek()
    if token.kind == NUMBER:
        return number(p.cursor.next())
    if token.kind == CHARACTER:
        p.cursor.next()
        return Constant(character(token), token.span)
    if token.text == "(" and token.kind == SIGN:
        return bracketed(p)
    if token.text == "[" and p.branching:  # A [p U q]
        p.cursor.next()
        inner = binary(p, 1)
        return replace(inner, span=token.span.to(p.cursor.expect("]").span))
    if token.kind == NAME:
        return named(p, token)
    raise UserError(token.span, f"expected an expression, found {shown(token)}")


def number(token: Token) -> Constant:
    """SPIN reads a number as a C int, whatever its length."""
    value = min(int(token.text[:30]), 2**63 - 1) & (2**INT_BITS - 1)
    return Constant(value - 2**INT_BITS if value >= 2 ** (INT_BITS - 1) else value, token.span)


def character(token: Token) -> int:
    text = token.text[1:-1]
    return CHARACTERS.get(text[1], ord(text[1])) if text[0] == "\\" else ord(text) & 127


def bracketed(p: Parser) -> Expression:
    opening = p.cursor.open()
    inner = binary(p, 1)
    if p.cursor.sees("->") and not p.in_formula:
        check_no_probe(inner)
        p.cursor.next()
        then = parse_expression(p)
        p.cursor.expect(":", " of the conditional expression")
        other = parse_expression(p)
        inner = Conditional(inner, then, other, opening.span.to(other.span))
    return replace(inner, span=opening.span.to(p.cursor.close().span))


def named(p: Parser, token: Token) -> Expression:
    text = token.text
    if text in {"true", "skip", "false"}:
        p.cursor.next()
        return Constant(int(text != "false"), token.span)
    if text in p.names.members:
        p.cursor.next()
        return Constant(p.names.members[text][1], token.span, text)
    if text == "run":
        return run(p)
    if text in PROBES or text == "len":
        p.cursor.next()
        return Probe(text, bracketed_channel(p), token.span.to(p.cursor.last().span))
    if text in {"enabled", "pc_value", "get_priority"}:
        p.cursor.next()
        p.cursor.open()
        process = parse_expression(p)
        return OfProcess(text, process, token.span.to(p.cursor.close().span))
    if text in {"timeout", "np_"}:
        p.cursor.next()
        if text == "np_" and p.role != "never" and not p.in_formula:
            raise UserError(token.span, "np_ may only be used in a never claim")
        return Predefined(text, token.span)
    if text == "c_expr":
        raise refuse_c(token)
    if text in p.names.proctypes:
        return remote(p)
    if text in KEYWORDS and not (text == "in"):
        raise UserError(token.span, f"expected an expression, found {shown(token)}")
    return reference_or_poll(p)


def refuse_c(token: Token) -> UserError:
    return UserError(token.span, f"{token.text}: embedded C is not supported")


def run(p: Parser) -> Expression:
    word = p.cursor.next()
    if p.names.owner is None:
        raise UserError(word.span, "run may only be used inside a proctype")
    name = p.cursor.name("the name of a proctype")
    p.cursor.open()
    arguments = parse_arguments(p, ")")
    closing = p.cursor.close()
    priority = parse_priority(p)
    found = Run(name.text, arguments, priority, word.span.to(closing.span))
    p.runs.append(found)
    return found


def parse_priority(p: Parser) -> int | None:
    if not p.cursor.accept("priority"):
        return None
    token = p.cursor.next()
    if token.kind != NUMBER:
        raise UserError(token.span, f"expected a number after priority, found {shown(token)}")
    return int(token.text)


def parse_arguments(p: Parser, closing: str) -> tuple[Expression, ...]:
    """Expressions separated by commas; a structure stands for all its fields."""
    found: list[Expression] = []
    if p.cursor.sees(closing):
        return ()
    while True:
        found.extend(expanded(p, parse_argument(p)))
        if not p.cursor.accept(","):
            return tuple(found)


def parse_argument(p: Parser) -> Expression:
    p.structures_allowed += 1
    expression = parse_expression(p)
    p.structures_allowed -= 1
    return expression


def expanded(p: Parser, expression: Expression) -> list[Expression]:
    match expression:
        case Reference() if expression.last.type.kind is Kind.STRUCT:
            return list(fields_of(p, expression))
        case _:
            return [expression]


def fields_of(p: Parser, reference: Reference) -> list[Reference]:
    """All scalars of a structure, in order, as separate references."""
    found: list[Reference] = []
    for variable in p.names.typedefs[reference.last.type.name].fields:
        if variable.type.kind is Kind.STRUCT and variable.length is not None:
            raise UserError(
                reference.span, f"'{variable.name}' is an array of structures and cannot be sent as a whole"
            )
        count = 1 if variable.length is None else variable.length
        for k in range(count):
            index = None if variable.length is None else Constant(k, reference.span)
            inner = Reference((*reference.path, Selector(variable, index)), reference.span)
            found.extend(fields_of(p, inner) if variable.type.kind is Kind.STRUCT else [inner])
    return found


def bracketed_channel(p: Parser) -> Reference:
    p.cursor.open()
    channel = parse_reference(p)
    check_channel(channel)
    p.cursor.close()
    return channel


def check_channel(reference: Reference) -> None:
    if reference.last.type.kind is not Kind.CHAN:
        raise UserError(reference.span, f"'{reference.last.name}' is not a channel")


def remote(p: Parser) -> Expression:
    """p[i]@label, p@label, p[i]:variable, p:variable."""
    name = p.cursor.next()
    process = None
    if p.cursor.accept("["):
        process = parse_expression(p)
        p.cursor.expect("]")
    if p.cursor.accept("@"):
        label = p.cursor.name("a label")
        found = RemoteLabel(name.text, process, label.text, name.span.to(label.span))
        p.remote_labels.append(found)
        return found
    p.cursor.expect(":", " or '@' after a proctype's name")
    variable = p.cursor.name("a variable")
    index = None
    if p.cursor.accept("["):
        index = parse_expression(p)
        p.cursor.expect("]")
    found_variable = RemoteVariable(name.text, process, variable.text, index, name.span.to(variable.span))
    p.remote_variables.append(found_variable)
    return found_variable


def reference_or_poll(p: Parser) -> Expression:
    token = p.cursor.peek()
    if token.text in PREDEFINED:
        p.cursor.next()
        if token.text == "_" and p.role in {"trace", "notrace"}:
            return Predefined("_", token.span)
        if token.text == "_" or (token.text in {"_pid", "_priority"} and p.names.owner is None):
            raise UserError(token.span, f"the value of {token.text} cannot be read here")
        if token.text == "_p":
            raise UserError(token.span, "_p cannot be read")
        return Predefined(token.text, token.span)
    reference = parse_reference(p)
    following = p.cursor.peek()
    if following.text in {"?", "??"} and p.cursor.peek(1).text == "[":
        check_channel(reference)
        p.cursor.next()
        p.cursor.next()
        patterns = parse_patterns(p, "]")
        closing = p.cursor.expect("]")
        return Poll(reference, patterns, following.text == "??", reference.span.to(closing.span))
    mark_read(p, reference.variable)
    if reference.last.type.kind is Kind.STRUCT and not p.structures_allowed:
        raise UserError(reference.span, f"'{reference.last.name}' is a structure: name one of its fields")
    return reference


def mark_read(p: Parser, variable: Variable) -> None:
    if not p.printing:
        p.names.read.add(variable)


def parse_reference(p: Parser) -> Reference:
    """A variable with its indices and fields."""
    token = p.cursor.name("a variable")
    variable = p.names.find(token.text)
    if variable is None:
        raise undeclared(p, token)
    path = [Selector(variable, parse_index(p, variable, token))]
    while p.cursor.sees(".") and path[-1].variable.type.kind is Kind.STRUCT:
        p.cursor.next()
        name = p.cursor.name("a field")
        fields = p.names.typedefs[path[-1].variable.type.name].fields
        inner = next((f for f in fields if f.name == name.text), None)
        if inner is None:
            meant = did_you_mean(name.text, [f.name for f in fields])
            raise UserError(name.span, f"{path[-1].variable.type.name} has no field '{name.text}'{meant}")
        path.append(Selector(inner, parse_index(p, inner, name)))
    if p.cursor.sees("."):
        raise UserError(p.cursor.peek().span, f"'{path[-1].variable.name}' is not a structure")
    return Reference(tuple(path), token.span.to(p.cursor.last().span))


def undeclared(p: Parser, token: Token) -> UserError:
    if token.text in KEYWORDS:
        return UserError(token.span, f"expected a variable, found the keyword '{token.text}'")
    if token.text in p.names.inlines:
        return UserError(token.span, f"'{token.text}' is an inline; it can only be called as a statement")
    if token.text in p.names.members:
        return UserError(token.span, f"'{token.text}' is a constant, not a variable")
    known = [*p.names.globals, *(variable.name for variable in p.names.locals), *p.names.members]
    return UserError(token.span, f"'{token.text}' is not declared{did_you_mean(token.text, known)}")


def parse_index(p: Parser, variable: Variable, token: Token) -> Expression | None:
    opening = p.cursor.peek()
    if opening.text != "[" or p.cursor.peek(1).text == "]":
        if variable.length is not None and not p.arrays_allowed:
            raise UserError(token.span, f"'{variable.name}' is an array: it needs an index")
        return None
    p.cursor.next()
    p.cursor.deeper(opening)
    held, p.structures_allowed = p.structures_allowed, 0
    printing, p.printing = p.printing, False  # an index may be out of range, whatever becomes of the value
    index = parse_expression(p)
    p.structures_allowed, p.printing = held, printing
    p.cursor.depth -= 1
    p.cursor.expect("]")
    return checked_index(variable, index, token.span)


def checked_index(variable: Variable, index: Expression, span: Span) -> Expression | None:
    if variable.length is None:
        if isinstance(index, Constant) and index.value == 0:
            return None
        raise UserError(span, f"'{variable.name}' is not an array")
    if isinstance(index, Constant) and not 0 <= index.value < variable.length:
        return index  # SPIN leaves this to the run
    return index


def parse_patterns(p: Parser, *closing: str) -> tuple[Pattern, ...]:
    """The arguments of a receive: variables, constants, eval(e), _; also as m(a, b)."""
    found: list[Pattern] = []
    while True:
        if p.cursor.sees("("):
            p.cursor.open()
            found.extend(parse_patterns(p, ")"))
            p.cursor.close()
        else:
            found.extend(parse_pattern(p))
            if p.cursor.sees("("):
                p.cursor.open()
                found.extend(parse_patterns(p, ")"))
                p.cursor.close()
        if not p.cursor.accept(","):
            return tuple(found)


def parse_pattern(p: Parser) -> list[Pattern]:
    token = p.cursor.peek()
    if token.text == "eval" and token.kind == NAME:
        p.cursor.next()
        p.cursor.open()
        value = parse_expression(p)
        return [Eval(value, token.span.to(p.cursor.close().span))]
    if token.text == "-" and token.kind == SIGN:
        p.cursor.next()
        inner = primary(p)
        if not isinstance(inner, Constant):
            raise UserError(token.span, "only constants can be negated here; use eval()")
        return [Constant(-inner.value, token.span.to(inner.span))]
    if token.kind in {NUMBER, CHARACTER} or token.text in {"true", "false", "skip"} or token.text in p.names.members:
        constant = primary(p)
        assert isinstance(constant, Constant)
        return [constant]
    if token.text in {"_", "_pid"}:
        p.cursor.next()
        return [Predefined(token.text, token.span)]
    if token.text in PREDEFINED:
        raise UserError(token.span, f"{token.text} cannot be received into; use eval({token.text})")
    reference = parse_reference(p)
    mark_read(p, reference.variable)
    if reference.last.type.kind is Kind.STRUCT:
        return list(fields_of(p, reference))
    return [reference]
