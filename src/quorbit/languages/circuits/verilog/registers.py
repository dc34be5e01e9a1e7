"""The registers of a Verilog design: which edge is the clock, which are asynchronous resets, what is stored."""

from __future__ import annotations

from pathlib import Path

from quorbit.languages.circuits.telling import HELD, STORED
from quorbit.languages.circuits.verilog.elaboration import Elaboration, declared
from quorbit.languages.circuits.verilog.evaluate import Elements, Values
from quorbit.languages.circuits.verilog.execute import Executor
from quorbit.languages.circuits.verilog.scope import Scope, Signal
from quorbit.languages.circuits.verilog.tree import Always, Block, If, Name, Statement
from quorbit.netlists.builder import ONE, ZERO
from quorbit.netlists.netlist import Among, Latch, Row, Table
from quorbit.source.errors import UserError
from quorbit.source.frozen import fields_by_name, frozen
from quorbit.source.span import Span

EVERY_STEP = "all registers change in every step, whatever edge they wait for, as in VIS"


@frozen
class Reset:
    """An asynchronous reset: the bit that tells when it is active, and its signal with the value it then has."""

    active: str
    signal: Signal
    value: str


def under_reset(x: Elaboration, scope: Scope, block: Always, reset: Reset) -> tuple[str, tuple[Values, Values]]:
    """When a reset is active, and what the block then leaves behind."""
    now, later = Values(), Values()
    now.current[id(reset.signal)] = (reset.signal, ((reset.value,),))
    Executor(x.b, scope, None).run(block.body, now, later)
    return reset.active, (now, later)


def latch(x: Elaboration, net: str, value: str, span: Span, acting: list[tuple[str, str]]) -> None:
    """A register; with ``acting`` resets what is seen is their value where one of them is active, else the stored."""
    for known in (net, net + STORED):
        if known in x.registers:
            raise UserError(span, f"{net} is assigned in two places: here and at {x.registers[known][1]}")
    x.driven.add(net)
    if not acting:
        x.registers[net] = (value, span)
        return
    seen = stored = net + STORED
    x.registers[stored] = (value, span)
    if net in x.b.domains:
        x.b.domains[stored] = x.b.domains[net]
    select = x.b.choose_value if net in x.b.domains else x.b.choose
    for test, at in reversed(acting):
        seen = select(test, at, seen)
    x.b.copy(seen, net)


def hold(x: Elaboration, signal: Signal) -> Elements:
    """What the bits of a signal were in the step before: an incomplete case or if makes a latch of them."""
    for net in (net for element in signal.elements for net in element):
        x.held[net + HELD] = (net, x.b.span)
        if net in x.b.domains:
            x.b.domains[net + HELD] = x.b.domains[net]
    return tuple(tuple(net + HELD for net in element) for element in signal.elements)


def note_clock(x: Elaboration, scope: Scope, block: Always) -> list[Reset]:
    """The clock is the edge that the block does not test; the others are its asynchronous resets.  VIS knows none."""
    edges = list(block.edges)
    resets: list[Reset] = []
    if len(edges) > 1 and not x.b.as_vis:
        tested = tested_names(block.body)
        edges = [edge for edge in edges if edge[1] not in tested] or edges[:1]
        for kind, name in (edge for edge in block.edges if edge not in edges):
            signal = declared(scope, name, block.span)
            bit = signal.elements[0][0]
            rises = kind == "posedge"
            resets.append(Reset(bit if rises else x.b.invert(bit), signal, x.b.constant(rises)))
    for kind, name in edges:
        signal = declared(scope, name, block.span)
        x.clocks.setdefault((kind, signal.elements[0][0]), block.span)
    return resets


def tested_names(statement: Statement) -> set[str]:
    while isinstance(statement, Block) and statement.body:
        statement = statement.body[0]
    found: set[str] = set()
    while isinstance(statement, If):
        stack: list[object] = [statement.test]
        while stack:
            part = stack.pop()
            if isinstance(part, Name):
                found.add(part.text)
            else:
                stack += [value for name, value in fields_by_name(part).items() if name not in ("span", "text")]
        if statement.other is None:
            break
        statement = statement.other
    return found


def check_clocks(x: Elaboration) -> None:
    outputs = {net for table in x.b.tables for net in table.outputs}
    computed = [(net, span) for (_, net), span in x.clocks.items() if net in outputs and net in x.driven]
    if x.b.as_vis:
        if computed or len(x.clocks) > 1:
            span = computed[0][1] if computed else list(x.clocks.values())[1]
            x.b.notes.append(f"{Path(span.file).name}:{span.line}: {EVERY_STEP}")
        return
    for net, span in computed:
        raise UserError(span, f"the clock {net} is computed from other signals; only an input can be a clock")
    if len(x.clocks) > 1:
        (first, _), (second, span) = list(x.clocks.items())[:2]
        raise UserError(span, f"two clocks, {' '.join(first)} and {' '.join(second)}; only one is supported")


def add_register(x: Elaboration, net: str, value: str, span: Span) -> None:
    start = x.starts.get(net.removesuffix(STORED).removesuffix(HELD))
    size = len(x.b.domains.get(net, (0, 1)))
    reset = None
    if start in (ZERO, ONE):
        reset = Table((), (net,), (Row((), (Among((int(start == ONE),)),)),), None, span)
    elif start is not None:
        rows = tuple(Row((Among((k,)),), (Among((k,)),)) for k in range(size))
        reset = Table((start,), (net,), rows, None, span)
    x.b.latches.append(Latch(value, net, reset, span))
