"""A second graph of a circuit that sees more symmetries than that of [M97, 5.3].

Conjunctions (and their negations) are n-ary vertices, however they were split into gates: a two-input tree that is read
nowhere else is one vertex, inverters are labels of arcs.  Another small table is labelled by what it computes: its
truth table in the least order of its inputs, with interchangeable inputs on arcs of one label.  Only large tables keep
the rows they are written in.  So functions that are symmetric are seen to be, whatever their rows look like; since that
goes beyond syntax, every generator is checked against the next-state functions before it is used (`circuit_group`).
"""

from __future__ import annotations

from collections.abc import Hashable
from itertools import permutations, product

from quorbit.bdd.open import open_manager
from quorbit.detection.netlists.graph import draw
from quorbit.graphs.automorphisms import automorphisms
from quorbit.graphs.graph import Graph, GraphBuilder
from quorbit.groups.group import Group
from quorbit.groups.permutation import Permutation
from quorbit.netlists.check import Driver, drivers, topological
from quorbit.netlists.covers import is_ambiguous
from quorbit.netlists.netlist import Among, Anything, Entry, Netlist, Same, Table, mentions
from quorbit.netlists.next_functions import build_functions, choice_of, is_preserved
from quorbit.netlists.table_expressions import is_copy
from quorbit.source.frozen import field, frozen, mutable

__all__ = ["circuit_group"]

MOST_ROWS, MOST_ORDERS = 1024, 720


@frozen
class Literal:
    """A net, perhaps negated."""

    net: str
    positive: bool


@mutable
class Drawing:
    netlist: Netlist
    found: dict[str, Driver]
    uses: dict[str, int]
    builder: GraphBuilder = field(default_factory=GraphBuilder)
    vertices: dict[str, int] = field(default_factory=dict)
    plain: dict[str, Literal] = field(default_factory=dict)  # copies and inverters, by what they stand for
    conjunctions: dict[str, tuple[tuple[Literal, ...], bool]] = field(default_factory=dict)  # operands, positive output


def draw_semantic(netlist: Netlist) -> tuple[Graph, dict[str, int]]:
    """The graph, and the vertex of every source (latch, input, choice) and output."""
    found = drivers(netlist)
    d = Drawing(netlist, found, count_uses(netlist))
    for latch in netlist.latches:
        d.vertices[latch.output] = d.builder.vertex(("latch", netlist.domain(latch.output).values))
    for net in netlist.inputs:
        d.vertices[net] = d.builder.vertex(("input", netlist.domain(net).values))
    for table in topological(netlist, found):
        draw_table(d, table)
    for latch in netlist.latches:
        connect(d, latch.input, d.vertices[latch.output], "next")
    for net in netlist.outputs:
        end = d.builder.vertex(("output",))
        connect(d, net, end, "is")
        d.vertices[f"output {net}"] = end
    return d.builder.build(), d.vertices


def count_uses(netlist: Netlist) -> dict[str, int]:
    """How often nets are read; outputs and latch inputs are read from outside and never merged."""
    uses: dict[str, int] = {}
    for table in netlist.tables:
        for net in mentions(table):
            uses[net] = uses.get(net, 0) + 1
    for net in [*netlist.outputs, *(latch.input for latch in netlist.latches)]:
        uses[net] = uses.get(net, 0) + 2
    return uses


def draw_table(d: Drawing, table: Table) -> None:
    output = table.outputs[0]
    if len(table.outputs) == 1 and is_copy(d.netlist, table):
        d.plain[output] = literal(d, table.inputs[0], True)
    elif is_ambiguous(d.netlist, table):
        draw_choice(d, table)
    elif len(table.outputs) > 1:
        draw_rows(d, table)
    elif (found := as_conjunction(d, table)) is not None:
        operands, positive = found
        if len(operands) == 1:
            one = operands[0]
            d.plain[output] = Literal(one.net, one.positive == positive)
        else:
            add_conjunction(d, output, operands, positive)
    else:
        draw_function(d, table)


def literal(d: Drawing, net: str, positive: bool) -> Literal:
    known = d.plain.get(net)
    return Literal(net, positive) if known is None else Literal(known.net, known.positive == positive)


def as_conjunction(d: Drawing, table: Table) -> tuple[tuple[Literal, ...], bool] | None:
    """Operands and polarity, if a boolean table is a conjunction or a disjunction up to negations."""
    size = len(d.netlist.domain(table.outputs[0]))
    if size != 2 or table.default is None or not isinstance(table.default[0], Among):
        return None
    rest = table.default[0].values[0]
    fixed = [
        [(n, e.values[0]) for n, e in zip(table.inputs, r.inputs, strict=True) if isinstance(e, Among)]
        for r in table.rows
    ]
    entries = [e for r in table.rows for e in r.inputs]
    plain = all(isinstance(e, Anything) or (isinstance(e, Among) and len(e.values) == 1) for e in entries)
    boolean = all(len(d.netlist.domain(net)) == 2 for net in table.inputs)
    if not plain or not boolean or any(r.outputs[0] != Among((1 - rest,)) for r in table.rows) or not fixed:
        return None
    if len(fixed) == 1 and fixed[0]:
        return tuple(literal(d, net, value == 1) for net, value in fixed[0]), rest == 0
    if all(len(row) == 1 for row in fixed):  # a disjunction is a negated conjunction of negations
        return tuple(literal(d, row[0][0], row[0][1] == 0) for row in fixed), rest == 1
    return None


def add_conjunction(d: Drawing, net: str, operands: tuple[Literal, ...], positive: bool) -> None:
    """Operands that are conjunctions themselves and are read nowhere else are taken in."""
    flat: dict[Literal, None] = {}
    for operand in operands:
        inner = d.conjunctions.get(operand.net)
        if inner is not None and inner[1] == operand.positive and d.uses.get(operand.net, 0) == 1:
            flat.update(dict.fromkeys(inner[0]))
        else:
            flat[operand] = None
    d.conjunctions[net] = (tuple(flat), positive)


def connect(d: Drawing, net: str, vertex: int, label: Hashable) -> None:
    """An arc from what drives a net; its polarity is part of the label."""
    known = literal(d, net, True)
    d.builder.arc(vertex_of(d, known.net), vertex, (label, known.positive))


def vertex_of(d: Drawing, net: str) -> int:
    """The vertex of a net; conjunctions are drawn when something reads them."""
    if net not in d.vertices:
        operands, positive = d.conjunctions[net]
        d.vertices[net] = d.builder.vertex(("and", positive))
        for operand in operands:
            d.builder.arc(vertex_of(d, operand.net), d.vertices[net], ("operand", operand.positive))
    return d.vertices[net]


def draw_choice(d: Drawing, table: Table) -> None:
    """A choice is a source; the rows say what it may be."""
    source = d.builder.vertex(("choice", len(table.rows)))
    d.vertices[choice_of(table)] = source
    ports = draw_rows(d, table)
    for port in ports:
        d.builder.arc(source, port, "choice")


def draw_rows(d: Drawing, table: Table) -> list[int]:
    """A table as it is written, with the vertices of [M97, 5.3.1]."""
    ports = []
    for j, net in enumerate(table.outputs):
        default = entry_label(table.default[j]) if table.default is not None else None
        ports.append(d.builder.vertex(("port", d.netlist.domain(net).values, default)))
        d.vertices[net] = ports[-1]
    for row in table.rows:
        answers = [d.builder.vertex(("answer", entry_label(e))) for e in row.outputs]
        for answer, port, entry in zip(answers, ports, row.outputs, strict=True):
            d.builder.arc(answer, port, "row")
            if isinstance(entry, Same):
                connect(d, entry.net, answer, "same")
            for net, asked in zip(table.inputs, row.inputs, strict=True):
                if not isinstance(asked, Anything):
                    connect(d, net, answer, entry_label(asked))
                if isinstance(asked, Same):
                    connect(d, asked.net, answer, "equal")
    if table.default is not None:
        for port, entry in zip(ports, table.default, strict=True):
            if isinstance(entry, Same):
                connect(d, entry.net, port, "default")
    return ports


def entry_label(entry: Entry) -> Hashable:
    match entry:
        case Among(values):
            return values
        case Same():
            return "="
        case Anything():
            return "-"


def draw_function(d: Drawing, table: Table) -> None:
    """A small table by what it computes; the label of an arc is the class of interchangeable inputs."""
    truth = truth_table(d.netlist, table)
    classes = None if truth is None else interchangeable(d.netlist, table, truth)
    least = None if truth is None or classes is None else least_form(d.netlist, table, truth, classes)
    if least is None:
        draw_rows(d, table)
        return
    form, order = least
    output = table.outputs[0]
    d.vertices[output] = d.builder.vertex(("function", d.netlist.domain(output).values, form))
    for position, members in enumerate(order):
        for i in members:
            connect(d, table.inputs[i], d.vertices[output], position)


Point = tuple[int, ...]


def truth_table(netlist: Netlist, table: Table) -> dict[Point, int] | None:
    """The output for every input; None for large tables and for entries that name nets outside the table."""
    sizes = [len(netlist.domain(net)) for net in table.inputs]
    total = 1
    for size in sizes:
        total *= size
    if (
        total > MOST_ROWS
        or any(net not in table.inputs for net in mentions(table))
        or len(set(table.inputs)) < len(sizes)
    ):
        return None
    return {point: value_at(table, point) for point in product(*map(range, sizes))}


def value_at(table: Table, point: Point) -> int:
    at = dict(zip(table.inputs, point, strict=True))
    for row in table.rows:
        if all(fits(e, k, at) for e, k in zip(row.inputs, point, strict=True)):
            return answer(row.outputs[0], at)
    assert table.default is not None
    return answer(table.default[0], at)


def fits(entry: Entry, k: int, at: dict[str, int]) -> bool:
    match entry:
        case Among(values):
            return k in values
        case Same(net):
            return at[net] == k
        case Anything():
            return True


def answer(entry: Entry, at: dict[str, int]) -> int:
    match entry:
        case Same(net):
            return at[net]
        case Among(values):
            return values[0]
        case Anything():
            return 0


def interchangeable(netlist: Netlist, table: Table, truth: dict[Point, int]) -> list[list[int]]:
    """Classes of inputs that can be exchanged pairwise without changing the function."""
    classes: list[list[int]] = []
    for i, net in enumerate(table.inputs):
        for members in classes:
            j = members[0]
            if netlist.domain(net) == netlist.domain(table.inputs[j]) and all(
                truth[swapped(point, i, j)] == value for point, value in truth.items()
            ):
                members.append(i)
                break
        else:
            classes.append([i])
    return classes


def swapped(point: Point, i: int, j: int) -> Point:
    changed = list(point)
    changed[i], changed[j] = point[j], point[i]
    return tuple(changed)


def least_form(
    netlist: Netlist, table: Table, truth: dict[Point, int], classes: list[list[int]]
) -> tuple[Hashable, list[list[int]]] | None:
    """The least truth table over all orders of the classes, and that order; None if there are too many orders."""
    count = 1
    for k in range(2, len(classes) + 1):
        count *= k
    if count > MOST_ORDERS:
        return None
    best: tuple[tuple[object, ...], list[list[int]]] | None = None
    for order in permutations(classes):
        positions = [i for members in order for i in members]
        sizes = [len(netlist.domain(table.inputs[i])) for i in positions]
        rows = []
        for point in product(*map(range, sizes)):
            original = [0] * len(positions)
            for k, i in enumerate(positions):
                original[i] = point[k]
            rows.append(truth[tuple(original)])
        form = (tuple(len(members) for members in order), tuple(sizes), tuple(rows))
        if best is None or form < best[0]:
            best = (form, list(order))
    assert best is not None
    return best


def circuit_group(netlist: Netlist, semantic: bool = True) -> Group:
    """The symmetries as they act on the latches (point i is latch i), each generator proved on the functions.

    With ``semantic`` off, those of the graph of [M97, 5.3] alone.  A generator that fails the proof is left out."""
    if semantic:
        graph, vertices = draw_semantic(netlist)
    else:
        drawn = draw(netlist, typed=True, outputs=True)
        graph, vertices = drawn.graph, source_vertices(netlist, drawn.nets)
    names = {v: name for name, v in vertices.items()}
    functions = build_functions(netlist, open_manager())
    sources = [name for name in functions.sources if name in vertices]
    proved: list[Permutation] = []
    latches = [latch.output for latch in netlist.latches]
    for g in automorphisms(graph).generators:
        image = {name: names.get(g[vertices[name]], "") for name in sources}
        moved = any(image[name] != name for name in latches)
        if moved and is_preserved(functions, image):
            proved.append(tuple(latches.index(image[name]) for name in latches))
    return Group(len(latches), proved)


def source_vertices(netlist: Netlist, nets: dict[str, int]) -> dict[str, int]:
    """The vertices of latches, inputs and choices in the graph of [M97, 5.3]."""
    found = {name: nets[name] for name in [*(latch.output for latch in netlist.latches), *netlist.inputs]}
    for table in netlist.tables:
        if is_ambiguous(netlist, table):
            found[choice_of(table)] = nets[table.outputs[0]]
    return found
