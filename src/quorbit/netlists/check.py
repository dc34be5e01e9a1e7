"""What must hold of a netlist before anyone asks what it means: one driver per net, no cycles, complete tables."""

from __future__ import annotations

from collections.abc import Iterable

from quorbit.netlists.covers import is_ambiguous, uncovered
from quorbit.netlists.netlist import Latch, Netlist, Table, mentions
from quorbit.source.errors import Diagnostic, UserError, raise_all
from quorbit.source.frozen import frozen_distinct
from quorbit.source.span import Span

__all__ = ["Checked", "Driver", "checked", "drivers", "is_pseudo_input", "reads_at_start", "topological"]

Driver = Table | Latch | None  # None: a primary input


@frozen_distinct
class Checked:
    """A netlist that was read and checked, who drives each of its nets, and its tables, each after those it reads."""

    netlist: Netlist
    drivers: dict[str, Driver]
    order: list[Table]


def checked(netlist: Netlist) -> Checked:
    """After all checks."""
    found = drivers(netlist)
    check_driven(netlist, found)
    order = topological(netlist, found)
    check_resets(netlist, found)
    check_complete(netlist)
    return Checked(netlist, found, order)


def drivers(netlist: Netlist) -> dict[str, Driver]:
    """Who drives each net; an error for every net that is driven twice."""
    found: dict[str, Driver] = dict.fromkeys(netlist.inputs)
    wrong: list[Diagnostic] = []
    for net, driver in driven(netlist):
        if net in found:
            first = found[net]
            where = f"at {first.span}" if first is not None else "as an input of the circuit"
            wrong.append(Diagnostic(driver.span, f"{net} is driven twice: {where} and here"))
        found.setdefault(net, driver)
    raise_all(wrong)
    return found


def driven(netlist: Netlist) -> Iterable[tuple[str, Table | Latch]]:
    for latch in netlist.latches:
        yield latch.output, latch
    for table in netlist.tables:
        for net in table.outputs:
            yield net, table


def check_driven(netlist: Netlist, found: dict[str, Driver]) -> None:
    wrong: dict[str, Diagnostic] = {}

    def need(net: str, span: Span, reader: str) -> None:
        if net not in found and net not in wrong:
            wrong[net] = Diagnostic(span, f"{net} is read by {reader} but nothing drives it")

    for table in netlist.tables:
        for net in mentions(table):
            need(net, table.span, f"the table of {table.outputs[0]}")
    for latch in netlist.latches:
        need(latch.input, latch.span, f"the latch {latch.output}")
        for net in mentions(latch.reset) if latch.reset else ():
            need(net, latch.span, f"the reset of {latch.output}")
    for name in netlist.outputs:
        need(name, netlist.span(name), "the outside, as an output,")
    raise_all(list(wrong.values()))


def topological(netlist: Netlist, found: dict[str, Driver]) -> list[Table]:
    """The tables, each after those it reads; an error if there is a combinational cycle."""
    order: list[Table] = []
    state: dict[int, int] = {}  # by identity of the table: 1 open, 2 done
    for start in netlist.tables:
        stack = [start] if id(start) not in state else []
        while stack:
            table = stack[-1]
            if (known := state.get(id(table))) is not None:
                stack.pop()
                if known == 1:
                    state[id(table)] = 2
                    order.append(table)
                continue
            state[id(table)] = 1
            needed = read_tables(table, found)
            if (again := next((t for t in needed if state.get(id(t)) == 1), None)) is not None:
                raise UserError(again.span, cycle_message(stack, again))
            stack += [t for t in reversed(needed) if id(t) not in state]
    return order


def read_tables(table: Table, found: dict[str, Driver]) -> list[Table]:
    read = (found.get(net) for net in dict.fromkeys(mentions(table)))
    return [driver for driver in read if isinstance(driver, Table)]


def cycle_message(stack: list[Table], again: Table) -> str:
    start = next(i for i, t in enumerate(stack) if t is again)
    names = [t.outputs[0] for t in stack[start:]]
    shown = " -> ".join(names[:6]) + (" -> ..." if len(names) > 6 else "")
    return f"a combinational cycle goes through {again.outputs[0]} (among {shown})"


def check_resets(netlist: Netlist, found: dict[str, Driver]) -> None:
    for latch in netlist.latches:
        if latch.reset is not None:
            check_reset(latch, found)


def check_reset(latch: Latch, found: dict[str, Driver]) -> None:
    """A reset depends on inputs, pseudo-inputs, constants and first values of other latches, not on its own."""
    assert latch.reset is not None
    seen: set[str] = set()
    stack = list(mentions(latch.reset))
    while stack:
        net = stack.pop()
        if net == latch.output:
            raise UserError(latch.reset.span, f"the first value of {latch.output} depends on itself")
        if net not in seen:
            seen.add(net)
            stack += reads_at_start(found.get(net))


def reads_at_start(driver: Driver) -> list[str]:
    """The nets that decide what is driven before the first step."""
    match driver:
        case Table():
            return list(mentions(driver))
        case Latch(reset=Table() as reset):
            return list(mentions(reset))
    return []


def check_complete(netlist: Netlist) -> None:
    wrong = []
    for table in (*netlist.tables, *(latch.reset for latch in netlist.latches if latch.reset)):
        if table.default is None and (missing := uncovered(netlist, table)) is not None:
            values = " ".join(netlist.domain(net).values[k] for net, k in zip(table.inputs, missing, strict=True))
            what = f"for the inputs {values}" if table.inputs else "at all"
            wrong.append(
                Diagnostic(
                    table.span, f"the table of {', '.join(table.outputs)} says nothing {what}; add a row or a .default"
                )
            )
    raise_all(wrong)


def is_pseudo_input(netlist: Netlist, table: Table) -> bool:
    """A table without inputs that has a choice."""
    return not table.inputs and is_ambiguous(netlist, table)
