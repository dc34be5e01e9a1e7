"""Read AIGER 1.9, ASCII and binary: and-inverter graphs with bad states, constraints, justice and fairness.

[Biere, Heljanko, Wieringa, "AIGER 1.9 and beyond", 2011].  An output of a file without bad states and without justice
is taken as a bad state, as the older hardware model checking competitions did.
"""

from __future__ import annotations

from quorbit.netlists.builder import ZERO, Builder
from quorbit.netlists.netlist import Claim, Netlist
from quorbit.source.errors import UserError
from quorbit.source.frozen import field, mutable
from quorbit.source.span import Source, Span

__all__ = ["parse_aiger"]

MOST = 10_000_000


@mutable
class Graph:
    """The numbers of an AIGER file.  Literals are twice a variable, plus one for its negation."""

    variables: int = 0
    inputs: list[int] = field(default_factory=list)
    latches: list[tuple[int, int, int]] = field(
        default_factory=list
    )  # literal, next, start (0, 1, or the literal itself)
    outputs: list[int] = field(default_factory=list)
    bad: list[int] = field(default_factory=list)
    constraints: list[int] = field(default_factory=list)
    justice: list[list[int]] = field(default_factory=list)
    fairness: list[int] = field(default_factory=list)
    ands: list[tuple[int, int, int]] = field(default_factory=list)
    symbols: dict[str, str] = field(default_factory=dict)
    lines: dict[int, int] = field(default_factory=dict)  # literal -> offset of the line that defines it


@mutable
class Reader:
    """Bytes and a position; the source repeats them as Latin-1 text, so offsets agree."""

    source: Source
    data: bytes
    at: int = 0
    start: int = 0

    def line(self) -> str:
        if self.at >= len(self.data):
            raise self.error("the file ends too early")
        self.start = self.at
        end = self.data.find(b"\n", self.at)
        end = len(self.data) if end < 0 else end
        text = self.data[self.at : end].decode("latin-1").rstrip("\r")
        self.at = end + 1
        return text

    def numbers(self, least: int, most: int) -> list[int]:
        words = self.line().split()
        if not least <= len(words) <= most or not all(w.isdecimal() and len(w) < 12 for w in words):
            count = str(least) if least == most else f"{least} to {most}"
            raise self.error(f"expected {count} numbers on this line")
        return [int(w) for w in words]

    def error(self, message: str) -> UserError:
        end = self.data.find(b"\n", self.start)
        return UserError(
            Span(self.source, min(self.start, len(self.data)), len(self.data) if end < 0 else end), message
        )


def parse_aiger(name: str, data: bytes) -> Netlist:
    reader = Reader(Source(name, data.decode("latin-1")), data)
    graph = read_graph(reader)
    check_literals(reader, graph)
    return build(reader, graph)


def read_graph(reader: Reader) -> Graph:
    header = reader.line().split()
    if (
        len(header) < 6
        or header[0] not in ("aag", "aig")
        or not all(w.isdecimal() and len(w) < 10 for w in header[1:])
        or len(header) > 10
    ):
        raise reader.error("an AIGER file begins with: aag|aig M I L O A [B [C [J [F]]]]")
    m, i, l, o, a, *rest = (int(w) for w in header[1:])
    b, c, j, f = (*rest, 0, 0, 0, 0)[:4]
    binary = header[0] == "aig"
    if max(m, o, b, c, j, f) > MOST or i + l + a > m or (binary and i + l + a != m):
        raise reader.error(f"the header announces {i} inputs, {l} latches and {a} gates among {m} variables")
    graph = Graph(m)
    read_leaves(reader, graph, i, l, binary)
    for target, count in ((graph.outputs, o), (graph.bad, b), (graph.constraints, c)):
        target += [reader.numbers(1, 1)[0] for _ in range(count)]
    sizes = [reader.numbers(1, 1)[0] for _ in range(j)]
    graph.justice += [[reader.numbers(1, 1)[0] for _ in range(size)] for size in sizes]
    graph.fairness += [reader.numbers(1, 1)[0] for _ in range(f)]
    for k in range(a):
        read_and(reader, graph, 2 * (i + l + k + 1), binary)
    read_symbols(reader, graph)
    return graph


def read_leaves(reader: Reader, graph: Graph, inputs: int, latches: int, binary: bool) -> None:
    for k in range(inputs):
        literal = 2 * (k + 1) if binary else reader.numbers(1, 1)[0]
        define(reader, graph, literal)
        graph.inputs.append(literal)
    for k in range(latches):
        if binary:
            literal, numbers = 2 * (inputs + k + 1), reader.numbers(1, 2)
        else:
            literal, *numbers = reader.numbers(2, 3)
        start = numbers[1] if len(numbers) > 1 else 0
        define(reader, graph, literal)
        if start not in (0, 1, literal):
            raise reader.error(f"a latch starts with 0, 1 or itself ({literal}), not {start}")
        graph.latches.append((literal, numbers[0], start))


def read_and(reader: Reader, graph: Graph, literal: int, binary: bool) -> None:
    if binary:
        reader.start = min(reader.at, len(reader.data) - 1)
        left = literal - delta(reader)
        right = left - delta(reader)
        if not 0 <= right <= left < literal:
            raise reader.error(f"the gate {literal} does not come after its operands")
    else:
        literal, left, right = reader.numbers(3, 3)
    define(reader, graph, literal)
    graph.ands.append((literal, left, right))


def delta(reader: Reader) -> int:
    """A number of seven bits a byte, the lowest first."""
    value = shift = 0
    while True:
        if reader.at >= len(reader.data) or shift > 35:
            raise reader.error("the file ends inside the gates")
        byte = reader.data[reader.at]
        reader.at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value


def define(reader: Reader, graph: Graph, literal: int) -> None:
    if literal % 2 or not 2 <= literal <= 2 * graph.variables + 1:
        raise reader.error(f"{literal} is not a variable of this file")
    if literal in graph.lines:
        raise reader.error(f"{literal} is defined twice")
    graph.lines[literal] = reader.start


def read_symbols(reader: Reader, graph: Graph) -> None:
    """Names, until the comment."""
    while reader.at < len(reader.data):
        line = reader.line()
        if line.rstrip() == "c":
            return
        kind, _, name = line.partition(" ")
        if not (kind[:1] in "ilobcjf" and kind[1:].isdecimal()):
            if line.strip():
                raise reader.error("expected a symbol such as 'i0 name', or the comment that begins with c")
            continue
        graph.symbols[kind[0] + str(int(kind[1:]))] = name.strip()


def check_literals(reader: Reader, graph: Graph) -> None:
    used = [("output", x) for x in graph.outputs] + [("bad state", x) for x in graph.bad]
    used += [("constraint", x) for x in graph.constraints] + [("fairness", x) for x in graph.fairness]
    used += [("justice", x) for group in graph.justice for x in group]
    used += [(f"latch {l}", x) for l, x, _ in graph.latches]
    used += [(f"gate {g}", x) for g, *operands in graph.ands for x in operands]
    for who, literal in used:
        if literal > 1 and literal & ~1 not in graph.lines:
            raise UserError(Span(reader.source, 0, 3), f"{who} reads {literal}, which nothing defines")


def build(reader: Reader, graph: Graph) -> Netlist:
    b = Builder("aiger")
    nets = {0: ZERO, **unique_names(graph)}
    for literal, name in list(nets.items())[1:]:
        b.spans[name] = span_of(reader, graph, literal)
    b.inputs += [nets[x] for x in graph.inputs]

    def net(literal: int) -> str:
        plain = nets[literal & ~1]
        return b.invert(plain) if literal & 1 else plain

    for literal, left, right in in_order(reader, graph):
        b.span = span_of(reader, graph, literal)
        nets[literal] = b.conjoin((net(left), net(right)))
        b.aliases[f"n{literal}"] = nets[literal]
    for literal, following, start in graph.latches:
        b.span = span_of(reader, graph, literal)
        b.add_latch(net(following), nets[literal], None if start == literal else (start,))
    add_claims(reader, graph, b, net)
    return b.finish()


def in_order(reader: Reader, graph: Graph) -> list[tuple[int, int, int]]:
    """The gates, each after its operands; the ASCII format does not demand it of the file."""
    operands = {g: (l & ~1, r & ~1) for g, l, r in graph.ands}
    gates = {gate[0]: gate for gate in graph.ands}
    done: dict[int, bool] = {}
    order = []
    for start in operands:
        stack = [start]
        while stack:
            g = stack[-1]
            waiting = [x for x in operands[g] if x in operands and not done.get(x)]
            if done.get(g) or not waiting:
                stack.pop()
                if not done.get(g):
                    order.append(gates[g])
                done[g] = True
            elif g in done or any(x in done for x in waiting):
                raise UserError(span_of(reader, graph, g), f"the gate {g} depends on itself")
            else:
                done[g] = False
                stack += waiting
    return order


def unique_names(graph: Graph) -> dict[int, str]:
    names: dict[int, str] = {}
    taken: set[str] = set()
    listed = [("i", k, x) for k, x in enumerate(graph.inputs)] + [
        ("l", k, x) for k, (x, _, _) in enumerate(graph.latches)
    ]
    for kind, k, literal in listed:
        name = graph.symbols.get(f"{kind}{k}") or f"{kind}{k}"
        if name in taken or name.startswith("$"):
            name = f"{kind}{k}:{name}"
        names[literal] = name
        taken.add(name)
    return names


def span_of(reader: Reader, graph: Graph, literal: int) -> Span:
    start = graph.lines.get(literal, 0)
    end = reader.data.find(b"\n", start)
    return Span(reader.source, start, min(start + 40, len(reader.data) if end < 0 else end))


def add_claims(reader: Reader, graph: Graph, b: Builder, net: object) -> None:
    assert callable(net)
    b.span = Span(reader.source, 0, min(3, len(reader.data)))
    b.constraints += [net(x) for x in graph.constraints]
    b.fairness += [net(x) for x in graph.fairness]
    bad, letter = (graph.bad, "b") if graph.bad or graph.justice else (graph.outputs, "o")
    for k, x in enumerate(bad):
        b.claims.append(Claim(graph.symbols.get(f"{letter}{k}") or f"{letter}{k}", "never", (net(x),), b.span))
    for k, group in enumerate(graph.justice):
        name = graph.symbols.get(f"j{k}") or f"j{k}"
        b.claims.append(Claim(name, "not always eventually", tuple(net(x) for x in group), b.span))
    taken = {*b.inputs, *(latch.output for latch in b.latches)}
    for k, x in enumerate(graph.outputs):
        name = graph.symbols.get(f"o{k}") or f"o{k}"
        name = f"o{k}:{name}" if name in taken else name
        taken.add(name)
        b.copy(net(x), name)
        b.outputs.append(name)
