"""Declarations: variables, channels, mtypes, typedefs."""

from __future__ import annotations

from quorbit.languages.promela.parse.cursor import shown
from quorbit.languages.promela.parse.expression_checks import check_assignable
from quorbit.languages.promela.parse.expressions import number, parse_expression
from quorbit.languages.promela.parse.names import KEYWORDS
from quorbit.languages.promela.parse.parser import Parser
from quorbit.languages.promela.parse.program import (
    Assignment,
    ChannelInit,
    Constant,
    DataType,
    Expression,
    Kind,
    Reference,
    Selector,
    Typedef,
    Variable,
)
from quorbit.languages.promela.parse.tokens import NAME, NUMBER, Token
from quorbit.source.errors import UserError

BASIC = {
    "bit": Kind.BIT,
    "bool": Kind.BIT,
    "byte": Kind.BYTE,
    "pid": Kind.PID,
    "short": Kind.SHORT,
    "int": Kind.INT,
    "unsigned": Kind.UNSIGNED,
    "mtype": Kind.MTYPE,
    "chan": Kind.CHAN,
}
VISIBILITY = {"hidden", "show", "local"}
Initial = Expression | tuple[int, ...] | ChannelInit | None


def starts_declaration(p: Parser) -> bool:
    token = p.cursor.peek()
    if token.kind != NAME:
        return False
    return token.text in BASIC or token.text in VISIBILITY or token.text in p.names.typedefs


def parse_declaration(p: Parser, *, parameter: bool = False, in_typedef: bool = False) -> list[Variable]:
    """One declaration: a type and the variables of that type.  Adds them to the names unless they are fields."""
    visibility = p.cursor.next().text if p.cursor.peek().text in VISIBILITY else ""
    word = p.cursor.name("a type")
    if word.text == "mtype" and declares_members(p):
        parse_members(p, word)
        return []
    kind, type_name = type_of_word(p, word)
    if kind is Kind.MTYPE and p.cursor.accept(":"):
        type_name = p.cursor.name("the name of an mtype").text
    found: list[tuple[Variable, Initial]] = []
    while True:
        found.append(parse_variable(p, kind, type_name, visibility, parameter=parameter, in_typedef=in_typedef))
        if not p.cursor.accept(","):
            break
    if not in_typedef:
        for variable, initial in found:  # SPIN knows a variable only after the whole declaration
            p.names.declare(variable)
            if not p.before_statements and p.names.owner is not None:
                declare_late(p, variable, initial)
    return [variable for variable, _ in found]


def type_of_word(p: Parser, word: Token) -> tuple[Kind, str]:
    if word.text in BASIC:
        return BASIC[word.text], ""
    if word.text in p.names.typedefs:
        return Kind.STRUCT, word.text
    raise UserError(word.span, f"'{word.text}' is not a type")


def declares_members(p: Parser) -> bool:
    """mtype = { ... }, mtype { ... } or mtype : name = { ... }."""
    if p.cursor.sees("=", "{"):
        return True
    return p.cursor.sees(":") and p.cursor.peek(2).text == "="


def parse_members(p: Parser, word: Token) -> None:
    if p.names.owner is not None:
        raise UserError(word.span, "an mtype must be declared outside all proctypes")
    name = ""
    if p.cursor.accept(":"):
        name = p.cursor.name("the name of an mtype").text
    p.cursor.accept("=")
    p.cursor.expect("{")
    members: list[Token] = []
    while not p.cursor.accept("}"):
        member = p.cursor.name("a name")
        if member.text in KEYWORDS:
            raise UserError(member.span, f"'{member.text}' is a keyword")
        members.append(member)
        while p.cursor.accept(","):
            pass
    if not members:
        raise UserError(word.span, "an mtype needs at least one name")
    p.names.add_members(name, members)


def parse_variable(
    p: Parser, kind: Kind, type_name: str, visibility: str, *, parameter: bool, in_typedef: bool
) -> tuple[Variable, Initial]:
    name = p.cursor.name("a name")
    bits = parse_width(p, kind, name)
    length = parse_length(p, name)
    if parameter and length is not None:
        raise UserError(name.span, f"'{name.text}' is an array and cannot be a parameter")
    if visibility == "hidden" and kind is Kind.BIT:
        raise UserError(name.span, f"the bit variable '{name.text}' cannot be hidden")
    data_type = DataType(kind, bits, type_name)
    block = p.names.block if p.names.owner is not None else ()
    initial = parse_initial(p, name, data_type, length, parameter=parameter)
    late = not p.before_statements and p.names.owner is not None and not in_typedef
    written = None if late and not isinstance(initial, (tuple, ChannelInit)) else initial
    variable = Variable(
        name.text, data_type, length, written, name.span, p.names.owner, parameter, visibility, block, in_typedef
    )
    if in_typedef and name.text in KEYWORDS:
        raise UserError(name.span, f"'{name.text}' is a keyword")
    return variable, initial


def declare_late(p: Parser, variable: Variable, initial: Initial) -> None:
    """A declaration after the first statement is an assignment at this place."""
    if isinstance(initial, ChannelInit):
        raise UserError(variable.span, f"declare the channel '{variable.name}' before the first statement")
    if isinstance(initial, tuple):
        raise UserError(variable.span, "a list of initial values is only possible before the first statement")
    value = Constant(0, variable.span) if initial is None else initial
    index = None if variable.length is None else Constant(0, variable.span)
    target = Reference((Selector(variable, index),), variable.span)
    p.declaring.append(Assignment(target, value, variable.span, declaration=True))


def parse_width(p: Parser, kind: Kind, name: Token) -> int:
    """``unsigned x : 5``."""
    if not p.cursor.sees(":"):
        if kind is Kind.UNSIGNED:
            raise UserError(name.span, f"'{name.text}' needs a width: unsigned {name.text} : 5")
        return 0
    colon = p.cursor.next()
    token = p.cursor.next()
    if token.kind != NUMBER:
        raise UserError(token.span, f"expected a width, found {shown(token)}")
    if kind is not Kind.UNSIGNED:
        raise UserError(colon.span, "only an unsigned has a width")
    if not 0 < int(token.text) < 32:
        raise UserError(token.span, "the width of an unsigned is between 1 and 31")
    return int(token.text)


def parse_length(p: Parser, name: Token) -> int | None:
    if not p.cursor.accept("["):
        return None
    token = p.cursor.peek()
    length = parse_constant(p)
    p.cursor.expect("]")
    if length <= 0:
        raise UserError(token.span, f"'{name.text}' needs a positive size")
    return length


def parse_constant(p: Parser) -> int:
    """An expression of constants; a scalar variable stands for its initial value, as SPIN forgives."""
    token = p.cursor.peek()
    variable = p.names.find(token.text) if token.kind == NAME and p.cursor.peek(1).text == "]" else None
    if variable is not None:
        p.cursor.next()
        initial = variable.initial
        return initial.value if isinstance(initial, Constant) and initial.value > 0 else 8
    return constant_value(parse_expression(p), token)


def constant_value(expression: Expression, token: Token) -> int:
    from_binary = {"+", "-", "*", "/", "%"}
    match expression:
        case Constant(value):
            return value
        case _ if hasattr(expression, "operator"):
            operands = operands_of(expression, token)
            if len(operands) == 1 and expression.operator == "-":
                return -operands[0]
            if len(operands) == 2 and expression.operator in from_binary:
                return fold(expression.operator, operands[0], operands[1], token)
    raise UserError(token.span, "expected a constant")


def operands_of(expression: Expression, token: Token) -> list[int]:
    parts = [getattr(expression, name) for name in ("operand", "left", "right") if hasattr(expression, name)]
    return [constant_value(part, token) for part in parts]


def fold(operator: str, a: int, b: int, token: Token) -> int:
    if operator in "/%":
        if b == 0:
            raise UserError(token.span, "division by zero")
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        return quotient if operator == "/" else a - quotient * b
    return {"+": a + b, "-": a - b, "*": a * b}[operator]


def parse_initial(p: Parser, name: Token, data_type: DataType, length: int | None, *, parameter: bool) -> Initial:
    if not p.cursor.accept("="):
        return None
    if parameter:
        raise UserError(name.span, "a parameter has no initial value")
    if p.cursor.sees("["):
        return parse_channel(p, name, data_type)
    if p.cursor.sees("{"):
        return parse_values(p, name, length)
    expression = parse_expression(p)
    check_initial(p, name, data_type, expression)
    return expression


def check_initial(p: Parser, name: Token, data_type: DataType, expression: Expression) -> None:
    if any(run.span == expression.span for run in p.runs):
        raise UserError(expression.span, "run cannot be used in an initial value")
    target = Variable(name.text, data_type, None, None, name.span)
    check_assignable(p, Reference((Selector(target, None),), name.span), expression)


def parse_values(p: Parser, name: Token, length: int | None) -> tuple[int, ...]:
    if length is None:
        raise UserError(name.span, f"'{name.text}' is not an array")
    p.cursor.expect("{")
    values = []
    while True:
        token = p.cursor.peek()
        value = number(p.cursor.next()).value if token.kind == NUMBER else constant_value(parse_expression(p), token)
        values.append(value)
        if not p.cursor.accept(","):
            break
    p.cursor.expect("}")
    return tuple(values)


def parse_channel(p: Parser, name: Token, data_type: DataType) -> ChannelInit:
    opening = p.cursor.expect("[")
    if data_type.kind is not Kind.CHAN:
        raise UserError(name.span, f"'{name.text}' is not a channel")
    token = p.cursor.peek()
    capacity = parse_constant(p)
    if not 0 <= capacity <= 255:
        raise UserError(token.span, "a channel holds between 0 and 255 messages")
    p.cursor.expect("]")
    p.cursor.expect("of")
    p.cursor.expect("{")
    fields: list[DataType] = []
    while True:
        fields.extend(parse_field_type(p))
        if not p.cursor.accept(","):
            break
    closing = p.cursor.expect("}")
    return ChannelInit(capacity, tuple(fields), opening.span.to(closing.span))


def parse_field_type(p: Parser) -> list[DataType]:
    word = p.cursor.name("a type")
    kind, type_name = type_of_word(p, word)
    if kind is Kind.UNSIGNED:
        raise UserError(word.span, "an unsigned cannot be a message field")
    if kind is Kind.STRUCT:
        return flat_fields(p, type_name, word)
    if kind is Kind.MTYPE and p.cursor.accept(":"):
        type_name = p.cursor.name("the name of an mtype").text
    return [DataType(kind, 0, type_name)]


def flat_fields(p: Parser, type_name: str, word: Token) -> list[DataType]:
    found: list[DataType] = []
    for variable in p.names.typedefs[type_name].fields:
        if variable.type.kind is Kind.STRUCT:
            if variable.length is not None:
                raise UserError(word.span, f"'{variable.name}' is an array of structures and cannot be sent")
            found.extend(flat_fields(p, variable.type.name, word))
        else:
            found.extend([variable.type] * (variable.length or 1))
    return found


def parse_typedef(p: Parser) -> Typedef:
    word = p.cursor.expect("typedef")
    if p.names.owner is not None:
        raise UserError(word.span, "a typedef must stand outside all proctypes")
    name = p.cursor.name("a name")
    if name.text in KEYWORDS or name.text in p.names.typedefs or p.names.find(name.text):
        raise UserError(name.span, f"'{name.text}' is already declared")
    p.cursor.expect("{")
    p.cursor.in_body = True
    fields: list[Variable] = []
    while True:
        while p.cursor.accept(";"):
            pass
        if p.cursor.sees("}") and fields:
            break
        fields.extend(parse_declaration(p, in_typedef=True))
        if not p.cursor.sees(";", "}"):
            token = p.cursor.peek()
            raise UserError(token.span, f"expected ';' or '}}' in the typedef, found {shown(token)}")
    p.cursor.in_body = False
    closing = p.cursor.expect("}")
    seen: set[str] = set()
    for variable in fields:
        if variable.name in seen:
            raise UserError(variable.span, f"the field '{variable.name}' is already declared")
        seen.add(variable.name)
    found = Typedef(name.text, tuple(fields), word.span.to(closing.span))
    p.names.typedefs[name.text] = found
    p.cursor.typenames.add(name.text)
    return found
