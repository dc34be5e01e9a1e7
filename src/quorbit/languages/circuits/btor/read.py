"""Read BTOR2 [Niemetz et al., CAV 2018]: every line is a node, words are bits from the lowest, arrays lists of words.

A state without a next value is free at every step but the first, if it has an initial value there.
"""

from __future__ import annotations

from collections.abc import Callable

from quorbit.netlists import words
from quorbit.netlists.builder import ONE, ZERO, Builder
from quorbit.netlists.netlist import Among, Claim, Latch, Netlist, Row, Table
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, frozen, mutable
from quorbit.source.span import Source, Span

__all__ = ["parse_btor"]

Bits = list[str]
WIDEST_INDEX, WIDEST = 10, 1 << 12


@frozen
class Sort:
    """A bit vector, or an array with so many elements of it."""

    width: int
    elements: int = 0


@frozen
class Line:
    number: int
    operator: str
    arguments: tuple[str, ...]
    span: Span


@mutable
class Reading:
    source: Source
    b: Builder
    sorts: dict[int, Sort] = field(default_factory=dict)
    nodes: dict[int, list[Bits]] = field(default_factory=dict)  # one word, or the elements of an array
    sorted: dict[int, Sort] = field(default_factory=dict)
    starts: dict[int, list[Bits]] = field(default_factory=dict)
    following: dict[int, list[Bits]] = field(default_factory=dict)
    states: list[Line] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


def parse_btor(source: Source) -> Netlist:
    r = Reading(source, Builder("btor2"))
    lines = lines_of(source)
    if not lines:
        raise UserError(Span(source, 0, 0), "there is no line of BTOR2 in this file")
    for line in lines:
        r.b.span = line.span
        try:
            read_line(r, line)
        except (ValueError, KeyError, IndexError):
            raise UserError(line.span, "this line of BTOR2 is not understood") from None
    for line in r.states:
        close_state(r, line)
    return r.b.finish()


def lines_of(source: Source) -> list[Line]:
    found, start = [], 0
    for text in source.text.splitlines(keepends=True):
        parts = text.split(";")[0].split()
        if parts:
            span = Span(source, start, start + len(text.rstrip()))
            if len(parts) < 2 or not parts[0].isdecimal():
                raise UserError(span, "a line of BTOR2 begins with the number of its node")
            found.append(Line(int(parts[0]), parts[1], tuple(parts[2:]), span))
        start += len(text)
    return found


def read_line(r: Reading, line: Line) -> None:
    given = line.arguments
    match line.operator:
        case "sort":
            r.sorts[line.number] = read_sort(r, line)
        case "input" | "state":
            declare(r, line)
        case "init" | "next":
            kept = r.starts if line.operator == "init" else r.following
            if int(given[1]) in kept:
                raise UserError(line.span, f"node {given[1]} has its {line.operator} already")
            kept[int(given[1])] = fitted(r, line)
        case "bad":
            r.b.claims.append(Claim(r.b.claim_name(label(line, 1)), "never", (bit(r, line, given[0]),), line.span))
        case "constraint":
            r.b.constraints.append(bit(r, line, given[0]))
        case "fair":
            r.b.fairness.append(bit(r, line, given[0]))
        case "justice":
            count = int(given[0])
            nets = tuple(bit(r, line, each) for each in given[1 : 1 + count])
            name = r.b.claim_name(label(line, 1 + count))
            r.b.claims.append(Claim(name, "not always eventually", nets, line.span))
        case "output":
            output(r, line)
        case _:
            r.sorted[line.number] = sort = r.sorts[int(given[0])]
            r.nodes[line.number] = [[*bits] for bits in of_sort(line, value(r, line, sort), sort)]


def read_sort(r: Reading, line: Line) -> Sort:
    if line.arguments[0] == "bitvec":
        width = int(line.arguments[1])
        if not 0 < width <= WIDEST:
            raise UserError(line.span, f"a bit vector has 1 to {WIDEST} bits")
        return Sort(width)
    index, element = (r.sorts[int(each)] for each in line.arguments[1:3])
    if index.width > WIDEST_INDEX or index.elements or element.elements:
        raise UserError(line.span, f"an array has at most {1 << WIDEST_INDEX} words")
    return Sort(element.width, 1 << index.width)


def label(line: Line, at: int) -> str:
    """The name that ends a line, or its operator and number."""
    return line.arguments[at] if len(line.arguments) > at else f"{line.operator}{line.number}"


def declare(r: Reading, line: Line) -> None:
    sort = r.sorts[int(line.arguments[0])]
    name = label(line, 1)
    if name in r.names or name.startswith("$"):
        name = f"{name}:{line.number}"
    r.names.add(name)
    bases = [f"{name}<*{k}*>" for k in range(sort.elements)] or [name]
    plain = sort.width == 1
    nets = [[base] if plain else [f"{base}<{i}>" for i in range(sort.width)] for base in bases]
    r.nodes[line.number], r.sorted[line.number] = nets, sort
    for net in (net for bits in nets for net in bits):
        r.b.spans[net] = line.span
    if line.operator == "state":
        r.states.append(line)
    else:
        r.b.inputs += [net for bits in nets for net in bits]


def fitted(r: Reading, line: Line) -> list[Bits]:
    """A value for a state; a word for an array is in all its elements."""
    sort = r.sorts[int(line.arguments[0])]
    found = node(r, line.arguments[2])
    return of_sort(line, found * sort.elements if sort.elements and len(found) == 1 else found, sort)


def of_sort(line: Line, found: list[Bits], sort: Sort) -> list[Bits]:
    """What a line means, if it is of the sort that the line says."""
    if len(found) != max(sort.elements, 1) or any(len(bits) != sort.width for bits in found):
        has = f"{len(found)} words of {len(found[0])} bits" if len(found) > 1 else f"{len(found[0])} bits"
        raise UserError(line.span, f"{line.operator}: this has {has}, which is not its sort {line.arguments[0]}")
    return found


def bit(r: Reading, line: Line, text: str) -> str:
    bits = word(r, text)
    if len(bits) != 1:
        raise UserError(line.span, f"{line.operator} takes one bit, and node {text} has {len(bits)}")
    return bits[0]


def output(r: Reading, line: Line) -> None:
    bits = word(r, line.arguments[0])
    name = label(line, 1)
    for i, bit in enumerate(bits):
        net = name if len(bits) == 1 else f"{name}<{i}>"
        if net in r.names or net in r.b.spans:
            continue
        r.b.copy(bit, net)
        r.b.outputs.append(net)


def close_state(r: Reading, line: Line) -> None:
    nets = [net for bits in r.nodes[line.number] for net in bits]
    start = [bit for bits in r.starts.get(line.number, ()) for bit in bits]
    following = [bit for bits in r.following.get(line.number, ()) for bit in bits]
    r.b.span = line.span
    for i, net in enumerate(nets):
        if not following and not start:
            r.b.choice(net, (0, 1))
            continue
        source = following[i] if following else free(r)
        reset = None if not start else start_table(start[i], net, line.span)
        r.b.latches.append(Latch(source, net, reset, line.span))


def start_table(start: str, net: str, span: Span) -> Table:
    if start in (ZERO, ONE):
        return Table((), (net,), (Row((), (Among((int(start == ONE),)),)),), None, span)
    return Table((start,), (net,), tuple(Row((Among((k,)),), (Among((k,)),)) for k in (0, 1)), None, span)


def free(r: Reading) -> str:
    net = r.b.fresh()
    r.b.choice(net, (0, 1))
    return net


def node(r: Reading, text: str) -> list[Bits]:
    """A node by its number; a negative number inverts it."""
    number = int(text)
    found = r.nodes[abs(number)]
    return [words.invert(r.b, bits) for bits in found] if number < 0 else found


def word(r: Reading, text: str) -> Bits:
    (bits,) = node(r, text)
    return bits


def value(r: Reading, line: Line, sort: Sort) -> list[Bits]:
    b, given, w = r.b, line.arguments[1:], sort.width
    match line.operator:
        case "const" | "constd" | "consth":
            return [words.number(constant(line, given[0], w), w)]
        case "zero" | "one" | "ones":
            return [words.number({"zero": 0, "one": 1, "ones": (1 << w) - 1}[line.operator], w)]
        case "slice":
            return [word(r, given[0])[int(given[2]) : int(given[1]) + 1]]
        case "uext" | "sext":
            return [words.extend(word(r, given[0]), w, line.operator == "sext")]
        case "ite":
            test, then, other = word(r, given[0])[0], node(r, given[1]), node(r, given[2])
            return [words.choose(b, test, p, q) for p, q in zip(then, other, strict=True)]
        case "read":
            return [picked(b, node(r, given[0]), word(r, given[1]))]
        case "write":
            index, new = word(r, given[1]), word(r, given[2])
            old = node(r, given[0])
            at = [words.equal(b, index, words.number(k, len(index))) for k in range(len(old))]
            return [words.choose(b, here, new, bits) for here, bits in zip(at, old, strict=True)]
        case "eq" | "neq":
            pairs = zip(node(r, given[0]), node(r, given[1]), strict=True)
            same = b.conjoin(words.equal(b, p, q) for p, q in pairs)
            return [[same if line.operator == "eq" else b.invert(same)]]
    operands = [word(r, each) for each in given]
    if line.operator in UNARY and len(operands) == 1:
        return [UNARY[line.operator](b, operands[0])]
    if line.operator in BINARY and len(operands) == 2:
        return [BINARY[line.operator](b, operands[0], operands[1])]
    raise UserError(line.span, f"{line.operator} of BTOR2 is not supported")


def constant(line: Line, text: str, width: int) -> int:
    """A number to the base that the operator says; one below zero is meant in two's complement."""
    found = int(text, {"const": 2, "constd": 10, "consth": 16}[line.operator])
    if not -(1 << width >> 1) <= found < 1 << width:
        raise UserError(line.span, f"{line.operator}: {text} does not fit into {width} bits")
    return found % (1 << width)


def picked(b: Builder, elements: list[Bits], index: Bits) -> Bits:
    for bit in index:
        pairs = zip(elements[0::2], elements[1::2], strict=True)
        elements = [words.choose(b, bit, high, low) for low, high in pairs]
    return elements[0]


def rotated(b: Builder, x: Bits, amount: Bits, right: bool) -> Bits:
    for i, bit in enumerate(amount):
        by = (1 << i) % len(x)
        by = by if right else (len(x) - by) % len(x)
        x = words.choose(b, bit, x[by:] + x[:by], x)
    return x


def modulo(b: Builder, x: Bits, y: Bits) -> Bits:
    """The remainder with the sign of the divisor."""
    rest = words.divide_signed(b, x, y)[1]
    differs = b.conjoin((b.disjoin(rest), b.differ(x[-1], y[-1])))
    return words.choose(b, differs, words.add(b, rest, y), rest)


def compared(signed: bool, swap: bool, negate: bool) -> Callable[[Builder, Bits, Bits], Bits]:
    def compare(b: Builder, x: Bits, y: Bits) -> Bits:
        less = words.less(b, y, x, signed) if swap else words.less(b, x, y, signed)
        return [b.invert(less) if negate else less]

    return compare


def bitwise(kind: str, negate: bool = False) -> Callable[[Builder, Bits, Bits], Bits]:
    def combine(b: Builder, x: Bits, y: Bits) -> Bits:
        found = words.bitwise(b, kind, x, y)
        return words.invert(b, found) if negate else found

    return combine


def overflows(operation: Callable[[Builder, Bits, Bits], Bits], signed: bool) -> Callable[[Builder, Bits, Bits], Bits]:
    """Whether a result does not fit: it is computed in words that are twice as wide, and compared."""

    def overflow(b: Builder, x: Bits, y: Bits) -> Bits:
        width = 2 * len(x)
        exact = operation(b, words.extend(x, width, signed), words.extend(y, width, signed))
        return [b.invert(words.equal(b, exact, words.extend(exact[: len(x)], width, signed)))]

    return overflow


def division_overflows(b: Builder, x: Bits, y: Bits) -> Bits:
    """The least number divided by -1."""
    return [b.conjoin((words.equal(b, x, words.number(1 << (len(x) - 1), len(x))), *y))]


UNARY: dict[str, Callable[[Builder, Bits], Bits]] = {
    "not": words.invert,
    "inc": lambda b, x: words.add(b, x, words.number(1, len(x))),
    "dec": lambda b, x: words.subtract(b, x, words.number(1, len(x))),
    "neg": words.negate,
    "redor": lambda b, x: [b.disjoin(x)],
    "redand": lambda b, x: [b.conjoin(x)],
    "redxor": lambda b, x: [b.parity(x)],
}
BINARY: dict[str, Callable[[Builder, Bits, Bits], Bits]] = {
    "and": bitwise("and"),
    "or": bitwise("or"),
    "xor": bitwise("xor"),
    "nand": bitwise("and", True),
    "nor": bitwise("or", True),
    "xnor": bitwise("xnor"),
    "iff": bitwise("xnor"),
    "implies": lambda b, x, y: [b.disjoin((b.invert(x[0]), y[0]))],
    "add": words.add,
    "sub": words.subtract,
    "mul": words.multiply,
    "udiv": lambda b, x, y: words.divide(b, x, y)[0],
    "urem": lambda b, x, y: words.divide(b, x, y)[1],
    "sdiv": lambda b, x, y: words.divide_signed(b, x, y)[0],
    "srem": lambda b, x, y: words.divide_signed(b, x, y)[1],
    "smod": modulo,
    "sll": words.shift_left,
    "srl": words.shift_right,
    "sra": lambda b, x, y: words.shift_right(b, x, y, x[-1]),
    "rol": lambda b, x, y: rotated(b, x, y, False),
    "ror": lambda b, x, y: rotated(b, x, y, True),
    "concat": lambda b, x, y: [*y, *x],
    "ult": compared(False, False, False),
    "ulte": compared(False, True, True),
    "ugt": compared(False, True, False),
    "ugte": compared(False, False, True),
    "slt": compared(True, False, False),
    "slte": compared(True, True, True),
    "sgt": compared(True, True, False),
    "sgte": compared(True, False, True),
    "uaddo": overflows(words.add, False),
    "saddo": overflows(words.add, True),
    "usubo": overflows(words.subtract, False),
    "ssubo": overflows(words.subtract, True),
    "umulo": overflows(words.multiply, False),
    "smulo": overflows(words.multiply, True),
    "sdivo": division_overflows,
}
