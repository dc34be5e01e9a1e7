"""Between which numbers the value of an expression lies, from the types of what it reads.

SPIN's verifier computes in C: every result is an ``int`` of 32 bits, and a bit or bool in an array, or alone in a
message, is kept in a byte, which holds what it is given.  Where ranges show that a result fits, nothing has to be cut;
where every value given to an array of bits is 0 or 1, a bit is enough for it.
"""

from __future__ import annotations

from collections.abc import Iterator

from quorbit.languages.promela.lower.remote import all_statements
from quorbit.languages.promela.parse.program import (
    Assignment,
    Binary,
    ChannelInit,
    Conditional,
    Constant,
    Expression,
    Kind,
    OfProcess,
    Poll,
    Predefined,
    Probe,
    Program,
    Receive,
    Reference,
    RemoteLabel,
    Run,
    Send,
    Unary,
    Variable,
)
from quorbit.languages.promela.parse.walk import channels

Range = tuple[int, int]
Wide = frozenset[Variable]  # arrays of bits whose elements hold other numbers too
INT: Range = (-(2**31), 2**31 - 1)
TRUTH: Range = (0, 1)
BYTE: Range = (0, 255)
BY_KIND = {
    Kind.BIT: TRUTH,
    Kind.SHORT: (-(2**15), 2**15 - 1),
    Kind.INT: INT,
    Kind.STRUCT: INT,
}
COMPARISONS = {"==", "!=", "<", ">", "<=", ">=", "&&", "||"}
INT_BITS = 32


def interval(e: Expression, wide: Wide) -> Range:
    """The value of e lies between these numbers."""
    exact = unbounded(e, wide)
    return exact if is_inside(exact, INT) else INT


def may_leave_int(e: Unary | Binary, wide: Wide) -> bool:
    """Whether the exact result of the outermost operation may need more than 32 bits."""
    return not is_inside(unbounded(e, wide), INT)


def unbounded(e: Expression, wide: Wide) -> Range:
    """The range of the outermost operation before its result is cut to 32 bits."""
    match e:
        case Constant(value):
            return value, value
        case Reference():
            return range_of(e.last, wide)
        case Predefined("timeout" | "np_") | RemoteLabel() | Poll() | OfProcess("enabled"):
            return TRUTH
        case Predefined() | Run():
            return BYTE
        case Probe(operator):
            return BYTE if operator == "len" else TRUTH
        case Unary(operator, operand):
            low, high = interval(operand, wide)
            return {"!": TRUTH, "-": (-high, -low), "~": (~high, ~low)}[operator]
        case Binary(operator, left, right):
            return TRUTH if operator in COMPARISONS else combined(operator, interval(left, wide), interval(right, wide))
        case Conditional(_, then, other):
            (a, b), (c, d) = interval(then, wide), interval(other, wide)
            return min(a, c), max(b, d)
        case _:
            return INT


def range_of(variable: Variable, wide: Wide) -> Range:
    data = variable.type
    if variable in wide:
        return BYTE
    return (0, 2**data.bits - 1) if data.kind is Kind.UNSIGNED else BY_KIND.get(data.kind, BYTE)


def combined(operator: str, left: Range, right: Range) -> Range:
    (a, b), (c, d) = left, right
    match operator:
        case "+":
            return a + c, b + d
        case "-":
            return a - d, b - c
        case "*":
            corners = (a * c, a * d, b * c, b * d)
            return min(corners), max(corners)
        case "/":
            most = max(abs(a), abs(b))
            return (0 if a >= 0 and c >= 0 else -most), most
        case "%":
            most = min(max(abs(c), abs(d), 1) - 1, max(abs(a), abs(b)))
            return (-most if a < 0 else 0), (most if b > 0 else 0)
        case "&":
            tops = [high for low, high in (left, right) if low >= 0]
            return (0, min(tops)) if tops else INT
        case "|" | "^":
            return (0, 2 ** max(b, d).bit_length() - 1) if a >= 0 and c >= 0 else INT
        case "<<":
            small = c >= 0 and d < INT_BITS
            return (min(a, a << d), max(b, b << d)) if small else (INT[0] * 2, INT[1] * 2)
        case _:
            return min(a, 0), max(b, 0)


def is_inside(inner: Range, outer: Range) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


# Arrays of bits.


def wide_arrays(program: Program) -> Wide:
    """The arrays of bits that may be given a number that is neither 0 nor 1.

    They are taken for bits until an assignment shows otherwise; what that makes possible is looked at again."""
    found = Wide(v for v in bit_arrays(program) if not is_inside(initial_range(v), TRUTH))
    while True:
        given = {
            target.last
            for target, value in values_given(program, found)
            if is_bit_array(target.last) and not is_inside(BYTE if value is None else interval(value, found), TRUTH)
        }
        if given <= found:
            return found
        found |= given


def is_bit_array(variable: Variable) -> bool:
    return variable.type.kind is Kind.BIT and variable.length is not None


def bit_arrays(program: Program) -> Iterator[Variable]:
    declared = [*program.globals, *(f for t in program.typedefs for f in t.fields)]
    declared += [v for proctype in program.proctypes for v in proctype.variables]
    return (v for v in declared if is_bit_array(v))


def initial_range(variable: Variable) -> Range:
    match variable.initial:
        case None | ChannelInit():
            return TRUTH
        case tuple(values):
            return min(values), max(values)
        case expression:
            return interval(expression, frozenset())


def values_given(program: Program, wide: Wide) -> Iterator[tuple[Reference, Expression | None]]:
    """What is assigned to variables, and into which a message goes; of a message None, or 0 if the field is a bit."""
    in_bytes = has_wide_messages(program, wide)
    for statement in all_statements(program):
        match statement:
            case Assignment(target, value):
                yield target, value
            case Receive(channel, patterns):
                declared = channel.last.initial
                kinds = [declared] if isinstance(declared, ChannelInit) else list(channels(program))
                for k, pattern in enumerate(patterns):
                    if isinstance(pattern, Reference):
                        bits = all(
                            k >= len(c.fields) or (c.fields[k].kind is Kind.BIT and not (in_bytes and is_one_bit(c)))
                            for c in kinds
                        )
                        yield pattern, Constant(0) if bits else None


# Messages of one bit.


def is_one_bit(channel: ChannelInit) -> bool:
    return len(channel.fields) == 1 and channel.fields[0].kind is Kind.BIT


def has_wide_messages(program: Program, wide: Wide) -> bool:
    """Whether a channel whose messages are one bit may be given a number that is neither 0 nor 1."""
    if not any(map(is_one_bit, channels(program))):
        return False
    for statement in all_statements(program):
        if isinstance(statement, Send) and len(statement.arguments) == 1:
            declared = statement.channel.last.initial
            fits = isinstance(declared, ChannelInit) and not is_one_bit(declared)
            if not fits and not is_inside(interval(statement.arguments[0], wide), TRUTH):
                return True
    return False
